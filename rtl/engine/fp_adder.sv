// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Pipelined IEEE 754 adder, round to nearest, ties to even, with subnormals.
///
/// A wrapper of CVFPU's fused multiply-add whose multiplicand is the constant one. Takes an
/// addition in every cycle; the sum follows `Stages` cycles later. A result that is not a number
/// is the canonical quiet NaN. Clocked only while additions are on their way.
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

  if (Stages < 3) begin : gen_stages_check
    $error("Stages must be at least 3, not %0d", Stages);
  end

  // Bit s: an addition is behind stage s.
  logic [Stages-1:0] stage_q;
  assign valid_o = stage_q[Stages-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) stage_q <= '0;
    else stage_q <= {stage_q[Stages-2:0], valid_i};
  end

  logic clk;
  clock_gate u_clock_gate (
      .clk_i,
      .enable_i(valid_i || stage_q[Stages-2:0] != '0 || !rst_ni),
      .clk_o(clk)
  );

  // The registers stand outside the unit so that the constant multiplicand stays a constant inside.
  logic [Width-1:0] a_q, b_q, sum;
  always_ff @(posedge clk) begin
    if (valid_i) begin
      a_q <= a_i;
      b_q <= b_i;
    end
    if (stage_q[Stages-2]) result_o <= sum;
  end

  fpnew_fma #(
      .FpFormat   (Format),
      .NumPipeRegs(Stages - 2),
      .PipeConfig (fpnew_pkg::INSIDE)
  ) u_fma (
      .clk_i          (clk),
      .rst_ni,
      .operands_i     ({b_q, a_q, {Width{1'b0}}}),
      .is_boxed_i     ('1),
      .rnd_mode_i     (fpnew_pkg::RNE),
      .op_i           (fpnew_pkg::ADD),
      .op_mod_i       (1'b0),
      .tag_i          (1'b0),
      .mask_i         (1'b1),
      .aux_i          (1'b0),
      .in_valid_i     (stage_q[0]),
      .in_ready_o     (),
      .flush_i        (1'b0),
      .result_o       (sum),
      .status_o       (),
      .extension_bit_o(),
      .tag_o          (),
      .mask_o         (),
      .aux_o          (),
      .out_valid_o    (),
      .out_ready_i    (1'b1),
      .busy_o         (),
      .reg_ena_i      ('0)
  );

endmodule

`default_nettype wire
