// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Joins the slots of a single router for barriers: an AND over the members of each group.
///
/// Each slot holds a wire per group high from its arrival until it is released, and says which others are members.
/// All of them have been high in one cycle: in the next one all of them are released, for one cycle. A member that
/// is released lets its wire go before it can arrive again. So no arrival counts for two barriers, and groups of
/// the same number whose members differ do not disturb one another.
///
/// The hub knows nothing of a barrier before and after: a slot that forgets its arrival takes it back.
module barrier_hub
  import tidings_pkg::*;
#(
    /// Slots of the router.
    parameter int unsigned NumSlots = 16
) (
    /// Clock.
    input  logic                                             clk_i,
    /// Synchronous reset, active low.
    input  logic                                             rst_ni,
    /// The slot has arrived, one bit per group.
    input  logic           [NumSlots-1:0][BarrierGroups-1:0] arrived_i,
    /// Slots whose arrivals a slot waits for.
    input  barrier_mates_t [NumSlots-1:0]                    mates_i,
    /// The slot and all that it waits for have arrived.
    output logic           [NumSlots-1:0][BarrierGroups-1:0] release_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                             busy_o
);

  if (NumSlots == 0 || NumSlots > BarrierMates) begin : gen_slots_check
    $error("NumSlots must be 1 to %0d, not %0d", BarrierMates, NumSlots);
  end

  logic [NumSlots-1:0][BarrierGroups-1:0] complete, release_q;

  for (genvar g = 0; g < BarrierGroups; g++) begin : gen_group
    logic [NumSlots-1:0] arrived;
    for (genvar s = 0; s < NumSlots; s++) begin : gen_slot
      assign arrived[s] = arrived_i[s][g];
      logic all_here;
      assign all_here = (mates_i[s][g][NumSlots-1:0] & ~arrived) == '0;
      // In the cycle of its release a slot still shows the arrival that this answers.
      assign complete[s][g] = arrived[s] && all_here && !release_q[s][g];
    end
  end

  assign release_o = release_q;
  assign busy_o = |complete || |release_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) release_q <= '0;
    else release_q <= complete;
  end

  // Mates that the router has no slots for are not waited for.
  logic unused;
  assign unused = ^mates_i;

`ifndef SYNTHESIS
  // An arrival is answered once.
  AnsweredOnce :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (release_q & complete) == '0);
`endif

endmodule

`default_nettype wire
