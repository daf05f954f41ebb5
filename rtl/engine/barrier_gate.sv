// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Holds arrivals at barriers back until their slot is quiet, if they ask for that.
///
/// An arrival enters its barrier in the cycle in which it comes, or in the first one from then on in which the slot is
/// quiet: by the end of it all is written that `rma` has been told to move in earlier cycles. So whatever was told to
/// move before an arrival is written when the arrival has entered.
module barrier_gate
  import tidings_pkg::*;
(
    /// Clock.
    input  logic                     clk_i,
    /// Synchronous reset, active low.
    input  logic                     rst_ni,
    /// Arrivals at barriers of groups, one bit each; none where one is held.
    input  logic [BarrierGroups-1:0] arrive_i,
    /// These arrivals wait until the slot is quiet.
    input  logic                     wait_i,
    /// The slot is quiet.
    input  logic                     quiet_i,
    /// Forget what is held.
    input  logic [BarrierGroups-1:0] clear_i,
    /// Arrivals enter their barriers.
    output logic [BarrierGroups-1:0] enter_o,
    /// Arrivals that wait.
    output logic [BarrierGroups-1:0] held_o
);

  logic [BarrierGroups-1:0] held_q, waiting;

  assign waiting = held_q | (arrive_i & {BarrierGroups{wait_i}});
  assign enter_o = (waiting & {BarrierGroups{quiet_i}}) | (arrive_i & {BarrierGroups{!wait_i}});
  assign held_o  = held_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) held_q <= '0;
    else held_q <= waiting & ~{BarrierGroups{quiet_i}} & ~clear_i;
  end

endmodule

`default_nettype wire
