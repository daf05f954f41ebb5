// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The issue port of a slot (`rma_issue`) as a RoCC accelerator of a Rocket core.
///
/// `funct7` of a command is the primitive (`issue_operation_e`). A command has two registers, so a PUT or GET takes its
/// third operand, an `issue_operand_t`, from the last command with `funct7` of `RoccSetOperand`, whose rs1 it is. Commands come
/// when they can no longer be taken back. One that wants no answer gets none; a failed one answers all ones.
module rma_rocc
  import issue_pkg::*;
(
    /// Clock.
    input  logic                 clk_i,
    /// Synchronous reset, active low.
    input  logic                 rst_ni,
    /// A command comes.
    input  logic                 cmd_valid_i,
    /// It is taken.
    output logic                 cmd_ready_o,
    /// Its function.
    input  logic          [ 6:0] cmd_funct7_i,
    /// Its destination.
    input  logic          [ 4:0] cmd_rd_i,
    /// It wants an answer.
    input  logic                 cmd_xd_i,
    /// Its first operand.
    input  logic          [31:0] cmd_rs1_i,
    /// Its second operand.
    input  logic          [31:0] cmd_rs2_i,
    /// An answer.
    output logic                 resp_valid_o,
    /// The core takes it.
    input  logic                 resp_ready_i,
    /// Its destination.
    output logic          [ 4:0] resp_rd_o,
    /// The answer.
    output logic          [31:0] resp_data_o,
    /// A command is under way.
    output logic                 busy_o,
    /// A primitive for `rma_issue`.
    output logic                 primitive_valid_o,
    /// The primitive.
    output issue_t               primitive_o,
    /// It is taken.
    input  logic                 primitive_ready_i,
    /// The primitive has ended.
    input  logic                 primitive_result_valid_i,
    /// How.
    input  issue_result_t        primitive_result_i
);

  issue_operand_t operand_q;
  logic [31:0] data_q;
  logic [4:0] rd_q;
  logic running_q, answers_q, ended_q, sets, known;

  assign sets = cmd_funct7_i == RoccSetOperand;
  assign known = cmd_funct7_i <= 7'(IssuePutInline);
  assign busy_o = running_q || ended_q;
  assign cmd_ready_o = !busy_o && (!known || primitive_ready_i);
  assign primitive_valid_o = cmd_valid_i && known && !busy_o;
  assign primitive_o = '{
          operation: issue_operation_e'(cmd_funct7_i[3:0]),
          processor: operand_q.processor,
          name: operand_q.name,
          address: cmd_rs1_i,
          offset: cmd_rs2_i,
          bytes: cmd_funct7_i[3:0] == IssueRegister ? cmd_rs2_i : 32'(operand_q.bytes)
      };
  assign resp_valid_o = ended_q;
  assign resp_rd_o = rd_q;
  assign resp_data_o = data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      ended_q   <= 1'b0;
    end else begin
      if (primitive_valid_o && primitive_ready_i) running_q <= 1'b1;
      else if (primitive_result_valid_i) running_q <= 1'b0;
      if (cmd_valid_i && cmd_ready_o && !known) ended_q <= cmd_xd_i;
      else if (primitive_result_valid_i) ended_q <= answers_q;
      else if (resp_ready_i) ended_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      rd_q <= cmd_rd_i;
      answers_q <= cmd_xd_i;
      if (sets) operand_q <= cmd_rs1_i;
      // Of a command that there is not, and of one that sets an operand.
      data_q <= sets ? '0 : '1;
    end
    if (primitive_result_valid_i)
      data_q <= primitive_result_i.failed ? '1 : primitive_result_i.data;
  end

`ifndef SYNTHESIS
  // A result answers a primitive.
  AnswersOne :
  assert property (@(posedge clk_i) disable iff (!rst_ni) primitive_result_valid_i |-> running_q);
`endif

endmodule

`default_nettype wire
