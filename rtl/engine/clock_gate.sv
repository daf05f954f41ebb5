// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Clock that stands still while nobody needs it.
///
/// Only an economy: the registers behind it must hold their values by themselves in cycles in
/// which `enable_i` is low, so that synthesis may leave the gate out. A simulator then does not
/// evaluate the logic behind idle registers.
module clock_gate (
    /// Clock.
    input  logic clk_i,
    /// Let the next rising edge through; must not change while the clock is high.
    input  logic enable_i,
    /// Gated clock.
    output logic clk_o
);

`ifdef SYNTHESIS
  logic unused_enable;
  assign unused_enable = enable_i;
  assign clk_o = clk_i;
`else
  // Transparent while the clock is low: the enable cannot change while it is high.
  logic enable;
  always_latch begin
    if (!clk_i) enable = enable_i;
  end
  assign clk_o = clk_i & enable;
`endif

endmodule

`default_nettype wire
