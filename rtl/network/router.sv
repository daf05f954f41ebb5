// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Input-buffered wormhole router with virtual channels, credits and dimension-order routing.
///
/// Ports 2d and 2d + 1 lead to the neighbours at coordinate + 1 and - 1 of dimension d; slot s is
/// port 2 * Dims + s. Channel number = dateline * NumClasses + class; slots use dateline 0 alone.
///
///     flit_i ---> input_channel (port, vc) --- port wanted ---> arbiter (port) --+
///                   buffer, route, owner  <--- pop = grant ----------------------+
///                        +---------------- flit -----------------> multiplexer ---> flit_o
///
/// An output channel belongs to one input channel from the head flit to the tail. Each output port
/// sends one flit a cycle, of any input channel that has a flit for it, owns the output channel or
/// finds it free, and has a credit. Input channels are read independently. A flit that is written at
/// the end of cycle t may leave in t + 1. All outputs depend on registered state alone.
///
/// A packet must name a node that exists: one that does not blocks what comes behind it. A packet for
/// a slot that does not exist goes to slot 0.
module router
  import tidings_pkg::*;
#(
    /// Dimensions of the machine; 0 for a single router.
    parameter int unsigned Dims = 3,
    /// Slots of the router.
    parameter int unsigned NumSlots = 1,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Channels are doubled, as wrap-around links need.
    parameter bit Dateline = 1'b1,
    /// Flits of a network port's buffer, for each channel.
    parameter int unsigned BufferFlits = 256,
    /// Flits of a slot port's buffers, for each class and direction.
    parameter int unsigned SlotBufferFlits = 16,
    /// 0: round robin among input channels. 1: the lowest port, then the lowest channel, wins.
    parameter bit FixedPriority = 1'b0,
    /// Network ports, then slots.
    localparam int unsigned Ports = 2 * Dims + NumSlots
) (
    /// Clock.
    input  logic                                    clk_i,
    /// Synchronous reset, active low.
    input  logic                                    rst_ni,
    /// This router's address; constant after reset.
    input  node_id_t                                node_id_i,
    /// Routers in each dimension; constant after reset.
    input  logic     [MaxDims-1:0][NodeIdWidth-1:0] radix_i,
    /// Dimension has wrap-around links; constant after reset.
    input  logic     [MaxDims-1:0]                  wrap_i,
    /// A flit arrives.
    input  logic     [  Ports-1:0]                  flit_valid_i,
    /// The flit; its channel must have room.
    input  flit_t    [  Ports-1:0]                  flit_i,
    /// A place of our input buffer became free, one bit a channel.
    output logic     [  Ports-1:0][     MaxVcs-1:0] credit_o,
    /// A flit leaves.
    output logic     [  Ports-1:0]                  flit_valid_o,
    /// The flit; zero without.
    output flit_t    [  Ports-1:0]                  flit_o,
    /// A place of the buffer downstream became free, one bit a channel.
    input  logic     [  Ports-1:0][     MaxVcs-1:0] credit_i,
    /// Low: a clock edge without inputs changes nothing.
    output logic                                    busy_o
);

  localparam int unsigned NumPorts = 2 * Dims;
  localparam int unsigned NumVcs = NumClasses * (Dateline ? 2 : 1);
  localparam int unsigned Channels = Ports * NumVcs;

  if (NumClasses == 0 || NumVcs > MaxVcs) begin : gen_vcs_check
    $error("NumClasses must be 1 to %0d, not %0d", MaxVcs / (Dateline ? 2 : 1), NumClasses);
  end

  // Input channels, numbered port * NumVcs + vc.
  logic valid[Channels];
  logic owner[Channels];
  flit_t head[Channels];
  logic [Ports-1:0] wanted[Channels];
  logic [Channels-1:0] pop;

  // Output channels.
  logic [MaxVcs-1:0] has_credit[Ports];
  logic [MaxVcs-1:0] taken_q[Ports];

  // Who may send through each output port in this cycle, and who does.
  logic [Channels-1:0] eligible[Ports];
  logic [Channels-1:0] granted[Ports];

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    localparam bit IsSlot = p >= NumPorts;
    localparam int unsigned UsedVcs = IsSlot ? NumClasses : NumVcs;
    localparam int unsigned Flits = IsSlot ? SlotBufferFlits : BufferFlits;

    for (genvar v = 0; v < MaxVcs; v++) begin : gen_vc
      if (v < UsedVcs) begin : gen_channel
        input_channel #(
            .Dims(Dims),
            .NumSlots(NumSlots),
            .NumClasses(NumClasses),
            .Dateline(Dateline),
            .BufferFlits(Flits),
            .Dimension(IsSlot ? MaxDims : p / 2),
            .Vc(v)
        ) u_input (
            .clk_i,
            .rst_ni,
            .node_id_i,
            .radix_i,
            .wrap_i,
            .push_i (flit_valid_i[p] && flit_i[p].vc == VcWidth'(v)),
            .last_i (flit_i[p].last),
            .data_i (flit_i[p].data),
            .pop_i  (pop[p*NumVcs+v]),
            .valid_o(valid[p*NumVcs+v]),
            .flit_o (head[p*NumVcs+v]),
            .ports_o(wanted[p*NumVcs+v]),
            .owner_o(owner[p*NumVcs+v])
        );
        assign credit_o[p][v] = pop[p*NumVcs+v];

        credit_counter #(
            .Credits(Flits)
        ) u_credits (
            .clk_i,
            .rst_ni,
            .take_i     (flit_valid_o[p] && flit_o[p].vc == VcWidth'(v)),
            .give_i     (credit_i[p][v]),
            .available_o(has_credit[p][v])
        );
      end else begin : gen_no_channel
        if (v < NumVcs) begin : gen_tie_off
          assign valid[p*NumVcs+v]  = 1'b0;
          assign owner[p*NumVcs+v]  = 1'b0;
          assign head[p*NumVcs+v]   = '0;
          assign wanted[p*NumVcs+v] = '0;
        end
        assign credit_o[p][v]   = 1'b0;
        assign has_credit[p][v] = 1'b0;
      end
    end

    arbiter #(
        .NumRequests  (Channels),
        .FixedPriority(FixedPriority)
    ) u_arbiter (
        .clk_i,
        .rst_ni,
        .request_i(eligible[p]),
        .accept_i (1'b1),
        .valid_o  (flit_valid_o[p]),
        .grant_o  (granted[p]),
        .index_o  ()
    );

    always_comb begin : send
      flit_o[p] = '0;
      if (flit_valid_o[p]) begin
        for (int unsigned c = 0; c < Channels; c++) if (granted[p][c]) flit_o[p] |= head[c];
      end
    end

    // An output channel is taken from the head's departure until the tail's.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) taken_q[p] <= '0;
      else if (flit_valid_o[p]) taken_q[p][flit_o[p].vc] <= !flit_o[p].last;
    end
  end

  // Loops over the few channels with a flit simulate fast, and are plain gates in hardware.
  always_comb begin : request
    for (int unsigned p = 0; p < Ports; p++) eligible[p] = '0;
    for (int unsigned c = 0; c < Channels; c++) begin
      if (valid[c]) begin
        for (int unsigned p = 0; p < Ports; p++) begin
          eligible[p][c] = wanted[c][p] && has_credit[p][head[c].vc] &&
              (owner[c] || !taken_q[p][head[c].vc]);
        end
      end
    end
  end

  always_comb begin : grant
    pop = '0;
    for (int unsigned p = 0; p < Ports; p++) pop |= granted[p];
  end

  // Without a flit to send, only inputs can change a register.
  assign busy_o = |flit_valid_o;

endmodule

`default_nettype wire
