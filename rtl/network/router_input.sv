// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// One input port of a router: its channels, and its tap.
///
/// A flit goes to the channel that it names. What is at the heads of the channels is shown to the
/// router, except words of neighbour packets that have come in through a network port: those leave by
/// the tap, one in each cycle, whatever other ports do.
///
///     flit_i ---> input_channel (vc) ---+--- head ---> allocation, crossbar
///     credit_o <--- pop_i, tapped ------+--- neighbour packet ---> tap_o
module router_input
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
    /// Flits of the buffer of each channel.
    parameter int unsigned BufferFlits = 256,
    /// Number of the port.
    parameter int unsigned Port = 0,
    /// Static packets are told from others.
    parameter bit StaticRoutes = 1'b0,
    /// Slot 0 has direct links.
    parameter bit DirectLinks = 1'b0,
    /// Words go to the crossbar and the tap a cycle after they leave.
    parameter bit Pipeline = 1'b0,
    /// A packet that turns into another dimension asks for its output a cycle later.
    parameter bit TurnCycle = 1'b0,
    /// Output ports of the router.
    localparam int unsigned Ports = NumPorts + NumSlots,
    /// Elements of the routing table: without one an element is left, tied off.
    localparam int unsigned Rows = TableRows == 0 ? 1 : TableRows,
    /// Channels of a network port; a slot's port has the first `NumClasses` of them.
    localparam int unsigned NumVcs = NumClasses * (Dateline ? 2 : 1)
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
    /// Routing table; constant after reset.
    input  route_row_t [   Rows-1:0]                  table_i,
    /// A flit arrives.
    input  logic                                      flit_valid_i,
    /// The flit; its channel must have room.
    input  flit_t                                     flit_i,
    /// A place of the channel's buffer became free.
    output logic       [ MaxVcs-1:0]                  credit_o,
    /// The flit at the head of the channel leaves in this cycle.
    input  logic       [ NumVcs-1:0]                  pop_i,
    /// It does not, but the output channels of its packet are ours from the next cycle on.
    input  logic       [ NumVcs-1:0]                  claim_i,
    /// A flit is at the head; one for the tap asks for no port.
    output logic       [ NumVcs-1:0]                  valid_o,
    /// It is the tail of its packet; any value without a flit.
    output logic       [ NumVcs-1:0]                  last_o,
    /// Its word; any value without.
    output word_t      [ NumVcs-1:0]                  data_o,
    /// Output channel that it wants; any value without.
    output vc_t        [ NumVcs-1:0]                  vc_o,
    /// Output port that it wants, one-hot; zero without a flit, and for packets with branches.
    output logic       [ NumVcs-1:0][      Ports-1:0] ports_o,
    /// The packet's head has left already, or its channels are claimed.
    output logic       [ NumVcs-1:0]                  owner_o,
    /// The flit is of a packet with branches: static, or a neighbour packet of slot 0. Any value without.
    output logic       [ NumVcs-1:0]                  static_o,
    /// The flit at the head of channel 0 is of a neighbour packet; any value without.
    output logic                                      neighbour_o,
    /// The word for the crossbar: `data_o`, with `Pipeline` that of the cycle before.
    output word_t      [ NumVcs-1:0]                  word_o,
    /// A word of a neighbour packet has come in through the port, and is taken.
    output logic                                      tap_valid_o,
    /// The word, header included; zero without.
    output flit_t                                     tap_flit_o,
    /// Something changes though nothing is popped or claimed.
    output logic                                      busy_o
);

  localparam bit IsSlot = Port >= NumPorts;
  localparam int unsigned UsedVcs = IsSlot ? NumClasses : NumVcs;
  // Neighbour packets come on channel 0 of network ports, and on that of slot 0.
  localparam bit Neighbours = DirectLinks && Port <= NumPorts;
  localparam bit Tap = Neighbours && !IsSlot;

  logic tapped;  // the word at the head of channel 0
  logic [MaxVcs-1:0] turning;

  for (genvar v = 0; v < MaxVcs; v++) begin : gen_vc
    if (v < UsedVcs) begin : gen_channel
      logic valid, routed, neighbour, pop;
      input_channel #(
          .Dims(Dims),
          .NumPorts(NumPorts),
          .TableRows(TableRows),
          .NumSlots(NumSlots),
          .NumClasses(NumClasses),
          .Dateline(Dateline),
          .BufferFlits(BufferFlits),
          .Dimension(IsSlot ? MaxDims : Port / 2),
          .Vc(v),
          .StaticRoutes(StaticRoutes && v % NumClasses == 0),
          .Neighbours(Neighbours && v == 0),
          .Pipeline(Pipeline),
          .TurnCycle(TurnCycle)
      ) u_channel (
          .clk_i,
          .rst_ni,
          .node_id_i,
          .radix_i,
          .wrap_i,
          .table_i,
          .push_i(flit_valid_i && flit_i.vc == VcWidth'(v)),
          .last_i(flit_i.last),
          .data_i(flit_i.data),
          .pop_i(pop),
          .claim_i(claim_i[v]),
          .valid_o(valid),
          .last_o(last_o[v]),
          .data_o(data_o[v]),
          .vc_o(vc_o[v]),
          .ports_o(ports_o[v]),
          .owner_o(owner_o[v]),
          .static_o(routed),
          .neighbour_o(neighbour),
          .word_o(word_o[v]),
          .turning_o(turning[v])
      );
      assign credit_o[v] = pop;
      if (v == 0 && Tap) begin : gen_tapped
        assign tapped = valid && neighbour;
        assign valid_o[v] = valid;
        assign static_o[v] = routed;
        assign pop = pop_i[v] || tapped;
      end else begin : gen_not_tapped
        assign valid_o[v] = valid;
        assign static_o[v] = routed || neighbour;
        assign pop = pop_i[v];
      end
      if (v == 0) begin : gen_neighbour
        assign neighbour_o = neighbour;
      end
    end else begin : gen_no_channel
      assign credit_o[v] = 1'b0;
      assign turning[v]  = 1'b0;
      if (v < NumVcs) begin : gen_tie_off
        assign valid_o[v] = 1'b0;
        assign last_o[v] = 1'b0;
        assign data_o[v] = '0;
        assign vc_o[v] = '0;
        assign ports_o[v] = '0;
        assign owner_o[v] = 1'b0;
        assign static_o[v] = 1'b0;
        assign word_o[v] = '0;
        logic unused;
        assign unused = ^{pop_i[v], claim_i[v]};
      end
    end
  end

  if (!Tap) begin : gen_no_tap
    assign tapped = 1'b0;
    assign tap_valid_o = 1'b0;
    assign tap_flit_o = '0;
    assign busy_o = |turning;
    logic unused;
    assign unused = tapped;
  end else if (Pipeline) begin : gen_late_tap
    logic tapped_q, last_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) tapped_q <= 1'b0;
      else tapped_q <= tapped;
    end
    always_ff @(posedge clk_i) last_q <= last_o[0];
    assign tap_valid_o = tapped_q;
    assign tap_flit_o = tapped_q ? '{vc: '0, last: last_q, data: word_o[0]} : '0;
    assign busy_o = tapped || tapped_q || |turning;
  end else begin : gen_tap
    assign tap_valid_o = tapped;
    assign tap_flit_o = tapped ? '{vc: '0, last: last_o[0], data: data_o[0]} : '0;
    assign busy_o = tapped || |turning;
  end

endmodule

`default_nettype wire
