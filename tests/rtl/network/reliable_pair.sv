// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Two ends of a link with wires between them that the test can damage. End 0 and end 1 stand at
/// index 0 and 1 of all ports; a wire is named for the end that sends into it.
module reliable_pair
  import tidings_pkg::*;
  import link_pkg::*;
#(
    /// Cycles of the wire, at least one.
    parameter int unsigned Latency = 4,
    /// Flits that the buffers at an end hold.
    parameter int unsigned QueueFlits = 64,
    /// Frames that can be on their way.
    parameter int unsigned Window = 16,
    /// Cycles without an acknowledgement until frames are sent again.
    parameter int unsigned Timeout = 24,
    /// Times that frames are sent again in vain.
    parameter int unsigned MaxRetries = 4
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic   [1:0]             flit_valid_i,
    input  flit_t  [1:0]             flit_i,
    input  logic   [1:0][MaxVcs-1:0] credit_i,
    output logic   [1:0]             flit_valid_o,
    output flit_t  [1:0]             flit_o,
    output logic   [1:0][MaxVcs-1:0] credit_o,
    /// Bits that are wrong when they come off the wire.
    input  frame_t [1:0]             error_i,
    /// The wire is cut: what comes off it is lost.
    input  logic   [1:0]             cut_i,
    output logic   [1:0]             dead_o,
    output logic   [1:0]             resent_o,
    output logic   [1:0]             damaged_o,
    output logic                     busy_o
);

  logic [1:0] sent_valid, come_valid, end_busy;
  frame_t [1:0] sent, come;
  logic [1:0] wire_busy;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    reliable_link #(
        .QueueFlits(QueueFlits),
        .Window(Window),
        .Timeout(Timeout),
        .MaxRetries(MaxRetries)
    ) u_end (
        .clk_i,
        .rst_ni,
        .flit_valid_i (flit_valid_i[e]),
        .flit_i       (flit_i[e]),
        .credit_i     (credit_i[e]),
        .flit_valid_o (flit_valid_o[e]),
        .flit_o       (flit_o[e]),
        .credit_o     (credit_o[e]),
        .frame_valid_o(sent_valid[e]),
        .frame_o      (sent[e]),
        .frame_valid_i(come_valid[1-e] && !cut_i[1-e]),
        .frame_i      (come[1-e] ^ error_i[1-e]),
        .dead_o       (dead_o[e]),
        .resent_o     (resent_o[e]),
        .damaged_o    (damaged_o[e]),
        .busy_o       (end_busy[e])
    );

    if (Latency <= 1) begin : gen_wires
      assign come_valid[e] = sent_valid[e];
      assign come[e] = sent[e];
      assign wire_busy[e] = 1'b0;
    end else begin : gen_registers
      logic   [Latency-2:0] valid_q;
      frame_t [Latency-2:0] frame_q;
      assign come_valid[e] = valid_q[Latency-2];
      assign come[e] = frame_q[Latency-2];
      assign wire_busy[e] = |valid_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) valid_q <= '0;
        else valid_q <= (Latency - 1)'({valid_q, sent_valid[e]});
        frame_q <= ((Latency - 1) * $bits(frame_t))'({frame_q, sent[e]});
      end
    end
  end

  assign busy_o = |end_busy || |wire_busy;

endmodule

`default_nettype wire
