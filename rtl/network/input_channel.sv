// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// One virtual channel of a router's input port: its buffer, and the way of the packet at its head.
///
/// The way is computed before the head flit reaches the head of the buffer, so that it is ready in
/// registers there. It is kept until the tail leaves. A channel with `owner_o` high owns its output
/// channel. A static packet is only marked: `static_route` finds its ways. So is a neighbour packet,
/// unless the channel is a lane, whose packets name their output port themselves.
module input_channel
  import tidings_pkg::*;
#(
    /// Dimensions of the machine.
    parameter int unsigned Dims = 3,
    /// Network ports: two per dimension, or those of a router of any graph, whose `Dims` is 0.
    parameter int unsigned NumPorts = 2 * Dims,
    /// Routers that the routing table knows; 0: dimension order.
    parameter int unsigned TableRows = 0,
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
    /// Neighbour packets are told from others.
    parameter bit Neighbours = 1'b0,
    /// All packets are neighbour packets for one port.
    parameter bit Lane = 1'b0,
    /// Words leave a cycle after their grants.
    parameter bit Pipeline = 1'b0,
    /// A packet that turns into another dimension asks for its output a cycle later.
    parameter bit TurnCycle = 1'b0,
    /// Output ports.
    localparam int unsigned Ports = NumPorts + NumSlots,
    /// Elements of the routing table.
    localparam int unsigned Rows = TableRows == 0 ? 1 : TableRows
) (
    /// Clock.
    input  logic                                      clk_i,
    /// Synchronous reset, active low.
    input  logic                                      rst_ni,
    /// This router's address.
    input  node_id_t                                  node_id_i,
    /// Routers in each dimension.
    input  logic       [MaxDims-1:0][NodeIdWidth-1:0] radix_i,
    /// Dimension has wrap-around links.
    input  logic       [MaxDims-1:0]                  wrap_i,
    /// Routing table.
    input  route_row_t [   Rows-1:0]                  table_i,
    /// A flit of this channel arrives.
    input  logic                                      push_i,
    /// It is the tail of its packet.
    input  logic                                      last_i,
    /// Its word.
    input  word_t                                     data_i,
    /// The flit at the head leaves in this cycle.
    input  logic                                      pop_i,
    /// It does not, but the output channels of its packet are ours from the next cycle on.
    input  logic                                      claim_i,
    /// A flit is at the head.
    output logic                                      valid_o,
    /// It is the tail of its packet; any value without a flit.
    output logic                                      last_o,
    /// Its word; any value without.
    output word_t                                     data_o,
    /// Output channel that it wants; any value without.
    output vc_t                                       vc_o,
    /// Output port that it wants, one-hot; zero without a flit, and for packets with branches.
    output logic       [  Ports-1:0]                  ports_o,
    /// The packet's head has left already: the output channel is ours.
    output logic                                      owner_o,
    /// The flit is of a static packet; any value without.
    output logic                                      static_o,
    /// The flit is of a neighbour packet; any value without.
    output logic                                      neighbour_o,
    /// The word for the crossbar: `data_o`, with `Pipeline` that of the cycle before.
    output word_t                                     word_o,
    /// The packet at the head turns: it asks from the next cycle on.
    output logic                                      turning_o
);

  // What the buffer keeps: the channel is known by place.
  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  localparam int unsigned DimensionWidth = $clog2(MaxDims + 1);
  localparam int unsigned PortWidth = Ports > 1 ? $clog2(Ports) : 1;
  localparam int unsigned Class = Vc % NumClasses;

  logic empty, load;
  entry_t head, next;
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
      .count_o(),
      .load_o (load),
      .next_o (next)
  );

  // A word that starts a packet is the first of a header.
  header0_t header;
  assign header = header0_t'(next.data);
  logic unused_header;
  assign unused_header = ^{header, next.last};

  logic [Ports-1:0] next_ports;
  logic next_dateline, next_neighbour, next_static;
  assign next_neighbour = Neighbours && header.kind == KindNeighbour;
  assign next_static = StaticRoutes && is_static(header.kind) && !next_neighbour;

  if (Lane) begin : gen_lane
    assign next_ports = Ports'(header.dst_node[NumPorts-1:0]);
    assign next_dateline = 1'b0;
    logic unused;
    assign unused = ^{node_id_i, radix_i, wrap_i, table_i, next_static};
  end else begin : gen_way
    logic [PortWidth-1:0] next_port;
    route_compute #(
        .Dims(Dims),
        .NumPorts(NumPorts),
        .TableRows(TableRows),
        .NumSlots(NumSlots),
        .Dateline(Dateline)
    ) u_route (
        .node_id_i,
        .radix_i,
        .wrap_i,
        .table_i,
        .valid_i    (push_i || !empty),
        .dst_node_i (header.dst_node),
        .dst_slot_i (header.dst_slot),
        .dimension_i(DimensionWidth'(Dimension)),
        .dateline_i (Vc >= NumClasses),
        .port_o     (next_port),
        .dateline_o (next_dateline)
    );
    always_comb begin : one_hot
      for (int unsigned p = 0; p < Ports; p++) begin
        next_ports[p] = next_port == PortWidth'(p) && !next_neighbour && !next_static;
      end
    end
  end

  // Way of the packet at the head.
  logic [Ports-1:0] ports_q;
  logic dateline_q, owner_q;
  // The word that comes to the head next is the first of its packet. Without a packet every clock edge
  // counts as one that brings it, so that little is behind `pop_i`.
  logic starts;
  assign starts = (pop_i && head.last) || (empty && !owner_q);
  assign valid_o = !empty;
  assign last_o = head.last;
  assign data_o = head.data;
  assign vc_o = dateline_q ? VcWidth'(NumClasses + Class) : VcWidth'(Class);
  assign ports_o = empty || turning_o ? '0 : ports_q;
  assign owner_o = owner_q;

  always_ff @(posedge clk_i) begin
    if (starts) begin
      ports_q <= next_ports;
      dateline_q <= next_dateline;
    end
  end

  if (TurnCycle && Dimension < MaxDims) begin : gen_turn
    logic turns, turn_q;
    always_comb begin : leaves_dimension
      turns = 1'b0;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (p / 2 != Dimension) turns = turns || next_ports[p];
      end
    end
    always_ff @(posedge clk_i) turn_q <= starts && turns;
    assign turning_o = !empty && turn_q;
  end else begin : gen_no_turn
    assign turning_o = 1'b0;
  end

  if (StaticRoutes) begin : gen_static
    logic static_q;
    assign static_o = static_q;
    always_ff @(posedge clk_i) if (starts) static_q <= next_static;
  end else begin : gen_no_static
    assign static_o = 1'b0;
  end
  if (Neighbours) begin : gen_neighbour
    logic neighbour_q;
    assign neighbour_o = neighbour_q;
    always_ff @(posedge clk_i) if (starts) neighbour_q <= next_neighbour;
  end else begin : gen_no_neighbour
    assign neighbour_o = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) owner_q <= 1'b0;
    else if (pop_i) owner_q <= !head.last;
    else if (claim_i) owner_q <= 1'b1;
  end

  if (Pipeline) begin : gen_late
    // A copy of the head a cycle behind it, whose registers do not wait for `pop_i`.
    word_t next_q, late_q;
    logic loaded_q;
    assign word_o = late_q;
    always_ff @(posedge clk_i) begin
      loaded_q <= load;
      next_q   <= next.data;
      if (loaded_q) late_q <= next_q;
    end
  end else begin : gen_no_late
    assign word_o = head.data;
    logic unused;
    assign unused = load;
  end

`ifndef SYNTHESIS
  if (Lane) begin : gen_lane_assert
    header0_t lane_header;
    assign lane_header = header0_t'(head.data);
    logic unused_lane;
    assign unused_lane = ^{lane_header.dst_slot, lane_header.dst_node, lane_header.src_node};
    // A lane leads to one neighbour.
    OneWay :
    assert property (@(posedge clk_i) disable iff (!rst_ni) !empty && !owner_o |->
        lane_header.kind == KindNeighbour && $onehot(
        ports_o
    ));
  end
`endif

endmodule

`default_nettype wire
