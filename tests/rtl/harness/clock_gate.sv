// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Clock that stands still while nobody needs it, for benches that check what `busy_o` promises.
module clock_gate (
    /// Clock.
    input  logic clk_i,
    /// Let the next rising edge through; must not change while the clock is high.
    input  logic enable_i,
    /// Gated clock.
    output logic clk_o
);

  // Transparent while the clock is low: the enable cannot change while it is high.
  logic enable;
  always_latch begin
    if (!clk_i) enable = enable_i;
  end
  assign clk_o = clk_i & enable;

endmodule

`default_nettype wire
