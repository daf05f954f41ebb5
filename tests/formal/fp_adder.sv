// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Stands in for `fp_adder` in proofs that do not look at sums: the same ports and latency, another value.
module fp_adder #(
    /// Format of operands and result.
    parameter fpnew_pkg::fp_format_e Format = fpnew_pkg::FP64,
    /// Cycles from operands to result, at least 3: operand register, inside, result register.
    parameter int unsigned Stages = 4,
    /// Bits of an operand.
    localparam int unsigned Width = fpnew_pkg::fp_width(Format)
) (
    /// Clock.
    input  logic             clk_i,
    /// Synchronous reset, active low.
    input  logic             rst_ni,
    /// Operands are valid.
    input  logic             valid_i,
    /// First operand.
    input  logic [Width-1:0] a_i,
    /// Second operand.
    input  logic [Width-1:0] b_i,
    /// Result is valid.
    output logic             valid_o,
    /// Sum.
    output logic [Width-1:0] result_o
);

  logic [Stages-1:0] stage_q;
  logic [Stages-1:0][Width-1:0] sum_q;
  assign valid_o  = stage_q[Stages-1];
  assign result_o = sum_q[Stages-1];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) stage_q <= '0;
    else stage_q <= {stage_q[Stages-2:0], valid_i};
  end
  always_ff @(posedge clk_i) sum_q <= {sum_q[Stages-2:0], a_i ^ b_i};

endmodule

`default_nettype wire
