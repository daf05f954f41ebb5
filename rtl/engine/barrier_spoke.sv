// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A slot's share of the barriers of one group at a `barrier_hub`: it has arrived until the hub releases it.
module barrier_spoke (
    /// Clock.
    input  logic clk_i,
    /// Synchronous reset, active low.
    input  logic rst_ni,
    /// The slot is a member of the group.
    input  logic member_i,
    /// Forget the arrival.
    input  logic clear_i,
    /// The member arrives; it has not.
    input  logic arrive_i,
    /// The hub releases those who have arrived.
    input  logic release_i,
    /// It has arrived, and has not been released; from the cycle after `arrive_i` to that of `release_i`.
    output logic arrived_o,
    /// All members have arrived, and the hub says so in this cycle.
    output logic done_o
);

  logic arrived_q;
  assign arrived_o = arrived_q;
  assign done_o = arrived_q && release_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || !member_i) arrived_q <= 1'b0;
    else arrived_q <= arrive_i || (arrived_q && !release_i);
  end

endmodule

`default_nettype wire
