// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Instructions of a RISC-V core for the issue port of a slot (`rma_issue`), over the Core-V extension interface (CV-X-IF
/// 1.0, with registers at the issue interface): issue, commit and result.
///
/// An instruction is of the opcode `custom-0` in the format R4:
///
///   31     27 | 26 25 | 24   20 | 19   15 | 14 12 | 11    7 | 6      0
///      rs3    | op[4:3] |  rs2  |   rs1   | op[2:0] |  rd   |  0001011
///
/// `op` is the primitive (`issue_operation_e`). rs1 is `address`, rs2 is `offset` of a PUT or GET and `bytes` of REGISTER,
/// rs3 is an `issue_operand_t`. So one instruction is a whole PUT; of an inline PUT, rs1 is the word. rd gets the result's data, or all ones if it failed; PUT and
/// GET write rd like the others.
///
/// Instructions of other opcodes, and of operations that do not exist, are not accepted. Up to `Depth` wait for their commit;
/// they are carried out in their order when it comes, and not at all if they are killed. So nothing leaves the slot for an
/// instruction that the core does not commit.
module rma_xif
  import issue_pkg::*;
#(
    /// Bits of an instruction's number.
    parameter int unsigned IdWidth = 4,
    /// Instructions that wait for their commit, or for their turn: a power of two.
    parameter int unsigned Depth   = 4
) (
    /// Clock.
    input  logic                              clk_i,
    /// Synchronous reset, active low.
    input  logic                              rst_ni,
    /// The core offers an instruction.
    input  logic                              issue_valid_i,
    /// The instruction can be taken.
    output logic                              issue_ready_o,
    /// The instruction.
    input  logic          [       31:0]       issue_instr_i,
    /// Its number.
    input  logic          [IdWidth-1:0]       issue_id_i,
    /// Its registers: rs1, rs2 and rs3.
    input  logic          [        2:0][31:0] issue_rs_i,
    /// They have their values.
    input  logic          [        2:0]       issue_rs_valid_i,
    /// The instruction is one of these.
    output logic                              issue_accept_o,
    /// It writes rd.
    output logic                              issue_writeback_o,
    /// An instruction is committed, and those before it; or it is killed, and those behind it.
    input  logic                              commit_valid_i,
    /// Its number.
    input  logic          [IdWidth-1:0]       commit_id_i,
    /// It is killed.
    input  logic                              commit_kill_i,
    /// An instruction has ended.
    output logic                              result_valid_o,
    /// The core takes its result.
    input  logic                              result_ready_i,
    /// Its number.
    output logic          [IdWidth-1:0]       result_id_o,
    /// For rd.
    output logic          [       31:0]       result_data_o,
    /// Its rd.
    output logic          [        4:0]       result_rd_o,
    /// rd is written.
    output logic                              result_we_o,
    /// A primitive for `rma_issue`.
    output logic                              primitive_valid_o,
    /// The primitive.
    output issue_t                            primitive_o,
    /// It is taken.
    input  logic                              primitive_ready_i,
    /// The primitive has ended.
    input  logic                              primitive_result_valid_i,
    /// How.
    input  issue_result_t                     primitive_result_i
);

  localparam int unsigned IndexWidth = $clog2(Depth);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_depth_check
    $error("Depth must be a power of two and at least 2, not %0d", Depth);
  end

  typedef logic [IndexWidth:0] pointer_t;
  typedef struct packed {
    logic [IdWidth-1:0] id;
    logic [4:0]         rd;
    issue_t             asked;
  } entry_t;

  entry_t entries_q[Depth];
  entry_t head, entry;
  logic [Depth-1:0] committed_q, killed_q;
  pointer_t write_q, read_q;
  logic empty, full, take, drop, done, known, running_q, ended_q;
  issue_result_t result_q;

  // ---------------------------------------------------------------- issue
  logic [4:0] operation;
  xif_instruction_t instruction;
  issue_operand_t operand;
  assign instruction = issue_instr_i;
  assign operand = issue_rs_i[2];
  assign operation = {instruction.operation_high, instruction.operation_low};
  assign known = instruction.opcode == IssueOpcode && operation <= 5'(IssuePutInline);
  assign empty = write_q == read_q;
  assign full = write_q == (read_q ^ {1'b1, IndexWidth'(0)});
  assign issue_accept_o = known;
  assign issue_writeback_o = known && instruction.rd != '0;
  // Another's instruction is refused at once.
  assign issue_ready_o = !known || (!full && &issue_rs_valid_i);
  assign take = issue_valid_i && issue_ready_o && known;
  assign entry = '{
          id: issue_id_i,
          rd: instruction.rd,
          asked: '{
              operation: issue_operation_e'(operation[3:0]),
              processor: operand.processor,
              name: operand.name,
              address: issue_rs_i[0],
              offset: issue_rs_i[1],
              bytes: operation[3:0] == IssueRegister ? issue_rs_i[1] : 32'(operand.bytes)
          }
      };

  always_ff @(posedge clk_i) begin
    if (take) entries_q[write_q[IndexWidth-1:0]] <= entry;
  end

  // ---------------------------------------------------------------- commit
  // A commit is of an instruction and of those before it, a kill of an instruction and of those behind it, as far as they
  // wait for theirs. It may come in the cycle in which the instruction is issued.
  logic [Depth-1:0] writes, waits, meant;
  logic [Depth-1:0][IndexWidth-1:0] age;
  logic [IndexWidth-1:0] meant_age;

  for (genvar n = 0; n < Depth; n++) begin : gen_entry
    assign age[n] = IndexWidth'(n) - read_q[IndexWidth-1:0];
    assign writes[n] = take && write_q[IndexWidth-1:0] == IndexWidth'(n);
    assign waits[n] = writes[n] ||
        (pointer_t'(age[n]) < (write_q - read_q) && !committed_q[n] && !killed_q[n]);
    assign meant[n] = commit_valid_i && waits[n] &&
        (writes[n] ? issue_id_i : entries_q[n].id) == commit_id_i;

    logic decided;
    assign decided = |meant && waits[n] &&
        (commit_kill_i ? age[n] >= meant_age : age[n] <= meant_age);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        committed_q[n] <= 1'b0;
        killed_q[n] <= 1'b0;
      end else if (writes[n] || decided) begin
        committed_q[n] <= decided && !commit_kill_i;
        killed_q[n] <= decided && commit_kill_i;
      end
    end
  end

  always_comb begin : find
    meant_age = '0;
    for (int unsigned n = 0; n < Depth; n++) begin
      if (meant[n]) meant_age |= age[n];
    end
  end

  // ---------------------------------------------------------------- primitives and results, in order
  logic [IndexWidth-1:0] index;
  assign index = read_q[IndexWidth-1:0];
  assign head = entries_q[index];
  assign primitive_valid_o = !empty && committed_q[index] && !running_q && !ended_q;
  assign primitive_o = head.asked;
  assign drop = !empty && killed_q[index];
  assign result_valid_o = ended_q;
  assign result_id_o = head.id;
  assign result_rd_o = head.rd;
  assign result_we_o = head.rd != '0;
  assign result_data_o = result_q.failed ? '1 : result_q.data;
  assign done = ended_q && result_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q   <= '0;
      read_q    <= '0;
      running_q <= 1'b0;
      ended_q   <= 1'b0;
    end else begin
      if (take) write_q <= write_q + 1'b1;
      if (drop || done) read_q <= read_q + 1'b1;
      if (primitive_valid_o && primitive_ready_i) running_q <= 1'b1;
      else if (primitive_result_valid_i) running_q <= 1'b0;
      if (primitive_result_valid_i) ended_q <= 1'b1;
      else if (done) ended_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (primitive_result_valid_i) result_q <= primitive_result_i;
  end

  // The numbers of registers are the core's.
  logic unused;
  assign unused = ^instruction;

`ifndef SYNTHESIS
  // Nothing is carried out that is not committed.
  OnlyCommitted :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      primitive_valid_o |-> committed_q[index] && !killed_q[index]);
  // A result answers a primitive.
  AnswersOne :
  assert property (@(posedge clk_i) disable iff (!rst_ni) primitive_result_valid_i |-> running_q);
`endif

endmodule

`default_nettype wire
