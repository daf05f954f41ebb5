// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// One virtual channel of a router's input port: its buffer, and the way of the packet at its head.
///
/// The way is computed from the head flit while that waits, and kept from its departure to the
/// tail's. A channel with `owner_o` high owns its output channel. A static packet is only marked:
/// `static_route` finds its ways.
module input_channel
  import tidings_pkg::*;
#(
    /// Dimensions of the machine.
    parameter int unsigned Dims = 3,
    /// Slots of the router.
    parameter int unsigned NumSlots = 1,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Channels are doubled.
    parameter bit Dateline = 1'b1,
    /// Flits that the buffer holds.
    parameter int unsigned BufferFlits = 256,
    /// Dimension of the port; `MaxDims` for a slot's.
    parameter int unsigned Dimension = 0,
    /// Number of the channel.
    parameter int unsigned Vc = 0,
    /// Static packets are told from others.
    parameter bit StaticRoutes = 1'b0,
    /// Bits of an output port's number.
    localparam int unsigned PortWidth = 2 * Dims + NumSlots > 1 ? $clog2(2 * Dims + NumSlots) : 1
) (
    /// Clock.
    input  logic                                       clk_i,
    /// Synchronous reset, active low.
    input  logic                                       rst_ni,
    /// This router's address.
    input  node_id_t                                   node_id_i,
    /// Routers in each dimension.
    input  logic      [  MaxDims-1:0][NodeIdWidth-1:0] radix_i,
    /// Dimension has wrap-around links.
    input  logic      [  MaxDims-1:0]                  wrap_i,
    /// A flit of this channel arrives.
    input  logic                                       push_i,
    /// It is the tail of its packet.
    input  logic                                       last_i,
    /// Its word.
    input  word_t                                      data_i,
    /// The flit shown leaves in this cycle.
    input  logic                                       pop_i,
    /// A flit is there.
    output logic                                       valid_o,
    /// The flit, on the channel that it leaves on; zero without.
    output flit_t                                      flit_o,
    /// Output port that it wants; zero without a flit.
    output logic      [PortWidth-1:0]                  port_o,
    /// The packet's head has left already: the output channel is ours.
    output logic                                       owner_o,
    /// The flit is of a static packet: `port_o` and the flit's channel do not count.
    output logic                                       static_o,
    /// Route of such a packet, while its head waits.
    output route_id_t                                  route_o
);

  // What the buffer keeps: the channel is known by place.
  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  localparam int unsigned DimensionWidth = $clog2(MaxDims + 1);
  localparam int unsigned Class = Vc % NumClasses;

  logic   empty;
  entry_t head;
  fifo #(
      .T(entry_t),
      .Depth(BufferFlits)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .push_i,
      .data_i ('{last: last_i, data: data_i}),
      .pop_i,
      .data_o (head),
      .empty_o(empty),
      .full_o (),
      .count_o()
  );

  logic owner_q;

  // Between packets, the word at the head is the first of a header.
  header0_t header;
  assign header = header0_t'(head.data);
  logic unused_header;
  assign unused_header = ^{header.kind, header.src_node};

  logic static_packet;
  assign route_o  = header.dst_node[RouteIdWidth-1:0];
  assign static_o = !empty && static_packet;

  if (StaticRoutes) begin : gen_static
    logic static_q;
    assign static_packet = owner_q ? static_q : is_static(header.kind);
    always_ff @(posedge clk_i) if (pop_i) static_q <= static_packet;
  end else begin : gen_no_static
    assign static_packet = 1'b0;
  end

  logic [PortWidth-1:0] head_port, port_q;
  logic head_dateline, dateline_q;
  route_compute #(
      .Dims(Dims),
      .NumSlots(NumSlots),
      .Dateline(Dateline)
  ) u_route (
      .node_id_i,
      .radix_i,
      .wrap_i,
      .valid_i    (!empty && !owner_q && !static_packet),
      .dst_node_i (header.dst_node),
      .dst_slot_i (header.dst_slot),
      .dimension_i(DimensionWidth'(Dimension)),
      .dateline_i (Vc >= NumClasses),
      .port_o     (head_port),
      .dateline_o (head_dateline)
  );

  logic dateline;
  assign valid_o  = !empty;
  assign owner_o  = owner_q;
  assign dateline = owner_q ? dateline_q : head_dateline;

  always_comb begin : show
    port_o = '0;
    flit_o = '0;
    if (valid_o) begin
      port_o = owner_q ? port_q : head_port;
      flit_o.vc = dateline ? VcWidth'(NumClasses + Class) : VcWidth'(Class);
      flit_o.last = head.last;
      flit_o.data = head.data;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owner_q <= 1'b0;
      port_q <= '0;
      dateline_q <= 1'b0;
    end else if (pop_i) begin
      owner_q <= !head.last;
      port_q <= port_o;
      dateline_q <= dateline;
    end
  end

endmodule

`default_nettype wire
