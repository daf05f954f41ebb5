// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// One direction of a wire between two routers: flits, tokens of barriers and what static switches and
/// routers of the network of `stream` say one way, the flits' credits back.
///
/// A flit that the sender shows in cycle t is at the receiver's inputs in cycle t + Latency - 1, so
/// that the receiver's registers hold it in t + Latency. Credits take as long on the way back.
/// Latency 1 is plain wires.
module link
  import tidings_pkg::*;
#(
    /// Cycles from an output register to the next input register, at least one.
    parameter int unsigned Latency = 1
) (
    /// Clock.
    input  logic                           clk_i,
    /// Synchronous reset, active low.
    input  logic                           rst_ni,
    /// The sender sends a flit.
    input  logic                           flit_valid_i,
    /// The flit.
    input  flit_t                          flit_i,
    /// Credits that the receiver gives, one bit per channel.
    input  logic       [       MaxVcs-1:0] credit_i,
    /// Tokens of barriers that the sender sends, one bit per group.
    input  logic       [BarrierGroups-1:0] token_i,
    /// From the sender's static switch, and its router of the network of `stream`.
    input  side_link_t                     switch_i,
    /// A flit reaches the receiver.
    output logic                           flit_valid_o,
    /// The flit; any value without.
    output flit_t                          flit_o,
    /// Credits that reach the sender, one bit per channel.
    output logic       [       MaxVcs-1:0] credit_o,
    /// Tokens that reach the receiver.
    output logic       [BarrierGroups-1:0] token_o,
    /// To the receiver's static switch, and to that router.
    output side_link_t                     switch_o,
    /// Low: a clock edge without inputs changes no output, now or later.
    output logic                           busy_o
);

  if (Latency == 0) begin : gen_latency_check
    $error("Latency must be at least 1");
  end

  if (Latency <= 1) begin : gen_wires
    assign flit_valid_o = flit_valid_i;
    assign flit_o = flit_i;
    assign credit_o = credit_i;
    assign token_o = token_i;
    assign switch_o = switch_i;
    assign busy_o = 1'b0;
    logic unused;
    assign unused = ^{clk_i, rst_ni};
  end else begin : gen_registers
    localparam int unsigned Stages = Latency - 1;

    logic [Stages-1:0] valid_q;
    flit_t [Stages-1:0] flit_q;
    logic [Stages-1:0][MaxVcs-1:0] credit_q;
    logic [Stages-1:0][BarrierGroups-1:0] token_q;
    side_link_t [Stages-1:0] switch_q;

    assign flit_valid_o = valid_q[Stages-1];
    assign flit_o = flit_q[Stages-1];
    assign credit_o = credit_q[Stages-1];
    assign token_o = token_q[Stages-1];
    assign switch_o = switch_q[Stages-1];
    assign busy_o = |valid_q || |credit_q || |token_q || |switch_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        valid_q  <= '0;
        credit_q <= '0;
        token_q  <= '0;
        switch_q <= '0;
      end else begin
        valid_q  <= Stages'({valid_q, flit_valid_i});
        credit_q <= (Stages * MaxVcs)'({credit_q, credit_i});
        token_q  <= (Stages * BarrierGroups)'({token_q, token_i});
        switch_q <= (Stages * $bits(side_link_t))'({switch_q, switch_i});
      end
    end

    always_ff @(posedge clk_i) flit_q <= (Stages * $bits(flit_t))'({flit_q, flit_i});
  end

endmodule

`default_nettype wire
