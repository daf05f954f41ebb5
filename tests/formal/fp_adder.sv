// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Stands in for `fp_adder` in proofs that do not look at sums: the same ports and latency, another value.
module fp_adder #(
    /// Bits of the exponent.
    parameter int unsigned ExponentBits = 11,
    /// Bits of the fraction.
    parameter int unsigned FractionBits = 52,
    /// Bits of the exponent of short numbers.
    parameter int unsigned ShortExponentBits = 8,
    /// Bits of the fraction of short numbers.
    parameter int unsigned ShortFractionBits = 23,
    /// Cycles from operands to result, from 3 to 5.
    parameter int unsigned Stages = 4,
    /// Bits of an operand.
    localparam int unsigned Width = 1 + ExponentBits + FractionBits
) (
    /// Clock.
    input  logic             clk_i,
    /// Synchronous reset, active low.
    input  logic             rst_ni,
    /// Operands are valid.
    input  logic             valid_i,
    /// Operands and result are short numbers, in the upper bits; the bits below are zero.
    input  logic             short_i,
    /// First operand.
    input  logic [Width-1:0] a_i,
    /// Second operand.
    input  logic [Width-1:0] b_i,
    /// The second operand without its sign is the larger number; in the cycle of the operands.
    output logic             b_larger_o,
    /// Result is valid.
    output logic             valid_o,
    /// Sum.
    output logic [Width-1:0] result_o
);

  logic [Stages-1:0] stage_q;
  logic [Stages-1:0][Width-1:0] sum_q;
  assign b_larger_o = b_i[Width-2:0] > a_i[Width-2:0];
  assign valid_o = stage_q[Stages-1];
  assign result_o = sum_q[Stages-1];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) stage_q <= '0;
    else stage_q <= {stage_q[Stages-2:0], valid_i};
  end
  // What distinguishes the formats stays in the result.
  always_ff @(posedge clk_i) sum_q <= {sum_q[Stages-2:0], a_i ^ b_i ^ Width'(short_i)};

endmodule

`default_nettype wire
