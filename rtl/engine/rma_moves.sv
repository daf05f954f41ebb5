// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The issue port of a slot (`rma_issue`) behind stores of any processor, as in Ziavras 2006, section 2.2.1: an instruction
/// is one MOVE per operand. A MOVE's address is a `move_address_t`, and its target says what the data are: an operand of 32 bits,
/// a byte (`move_byte_t`), the number of processors, or the number of this one (`move_number_t`).
///
/// An opcode is a primitive (`issue_operation_e`):
///
///   BEGIN, END, ABORT, BARRIER, FENCE   a MOVE of a word, whose operand means nothing
///   REGISTER, DEREGISTER                a MOVE of a word: the variable's address in this slot's memory
///   PUT, GET                            two MOVEs of words with the same opcode, destination and source, and three of bytes:
///                                       processor, length and offset in words
///   inline PUT                          the same, with the word in place of its source; its length means nothing
///
/// Of a PUT's destination, and of a GET's source, the processor names its own instance of a variable that all have registered;
/// the name of the region is looked up, unless it is that of the last one. A region has `RegionBytes`. The paper's MOVEs have
/// no length of it.
///
/// Instructions are carried out one after another, in their order. A failed one sets `failed_o` until the next BEGIN; a
/// PUT or GET fails if its region has no name or its opcodes differ. What an access was refused for, a FENCE tells.
module rma_moves
  import issue_pkg::*;
#(
    /// MOVEs of words that wait, and of three bytes: a power of two.
    parameter int unsigned Depth       = 64,
    /// Bytes of a registered region.
    parameter int unsigned RegionBytes = 2048
) (
    /// Clock.
    input  logic                 clk_i,
    /// Synchronous reset, active low.
    input  logic                 rst_ni,
    /// A MOVE to the coprocessor.
    input  logic                 move_valid_i,
    /// Its address.
    input  move_address_t        move_address_i,
    /// Its data.
    input  logic          [31:0] move_data_i,
    /// It is taken.
    output logic                 move_ready_o,
    /// Number of processors, as a MOVE has set it.
    output logic          [ 7:0] nprocs_o,
    /// Number of this one, likewise.
    output logic          [ 7:0] pid_o,
    /// A BARRIER, END or FENCE has ended: until it is acknowledged.
    output logic                 barrier_done_o,
    /// That is acknowledged.
    input  logic                 barrier_done_ack_i,
    /// An instruction has failed since the last BEGIN.
    output logic                 failed_o,
    /// An instruction is under way or waits.
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

  typedef struct packed {
    move_opcode_t opcode;
    logic [31:0]  operand;
  } word_move_t;
  typedef struct packed {
    logic [7:0] processor;
    logic [7:0] length;
    logic [7:0] offset;
  } bytes_t;

  typedef enum logic [2:0] {
    StateFetch,   // the first MOVE of an instruction
    StateSource,  // the second one
    StateBytes,   // the third to fifth
    StateLookup,  // the name of its variable, unless it is known
    StateIssue,
    StateResult
  } state_e;

  // ---------------------------------------------------------------- MOVEs
  move_target_e target;
  move_byte_t   byte_in;
  move_number_t number_in;
  assign target = move_address_i.target;
  assign byte_in = move_data_i;
  assign number_in = move_data_i;

  word_move_t word_in, word_out;
  bytes_t bytes_in, bytes_out;
  logic word_push, word_pop, word_empty, word_full;
  logic bytes_push, bytes_pop, bytes_empty, bytes_full;
  logic [15:0] held_q;  // bytes that have come of three
  logic [1:0] count_q;
  logic taken;

  assign move_ready_o = (target != MoveWord || !word_full) &&
      (target != MoveByte || count_q != 2'd2 || !bytes_full);
  assign taken = move_valid_i && move_ready_o;
  assign word_in = '{opcode: move_address_i.opcode, operand: move_data_i};
  assign word_push = taken && target == MoveWord;
  assign bytes_in = {held_q, byte_in.operand};
  assign bytes_push = taken && target == MoveByte && count_q == 2'd2;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q  <= '0;
      nprocs_o <= '0;
      pid_o    <= '0;
    end else if (taken) begin
      if (target == MoveByte) count_q <= count_q == 2'd2 ? '0 : count_q + 1'b1;
      if (target == MoveNprocs) nprocs_o <= number_in.number;
      if (target == MovePid) pid_o <= number_in.number;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken && target == MoveByte) held_q <= {held_q[7:0], byte_in.operand};
  end

  fifo #(
      .T    (word_move_t),
      .Depth(Depth)
  ) u_words (
      .clk_i,
      .rst_ni,
      .push_i (word_push),
      .data_i (word_in),
      .pop_i  (word_pop),
      .data_o (word_out),
      .empty_o(word_empty),
      .full_o (word_full),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  fifo #(
      .T    (bytes_t),
      .Depth(Depth)
  ) u_bytes (
      .clk_i,
      .rst_ni,
      .push_i (bytes_push),
      .data_i (bytes_in),
      .pop_i  (bytes_pop),
      .data_o (bytes_out),
      .empty_o(bytes_empty),
      .full_o (bytes_full),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  // ---------------------------------------------------------------- instructions
  state_e state_q, state_d;
  word_move_t first_q;
  logic [31:0] source_q;
  bytes_t bytes_q;
  logic differs_q;  // the opcodes of its MOVEs
  issue_operation_e operation;
  logic moves, known, meets;

  assign operation = first_q.opcode.operation;
  assign meets = operation inside {IssueBarrier, IssueEnd, IssueFence};
  // A primitive that MOVEs can ask for. Their numbers are read from registers.
  assign known = first_q.opcode.zero == '0 && !(operation inside {IssueNprocs, IssuePid}) &&
      operation <= IssuePutInline;

  // The first MOVE as it is fetched: does it have four others?
  issue_operation_e fetched;
  assign fetched = word_out.opcode.operation;
  assign moves   = fetched inside {IssuePut, IssuePutInline, IssueGet};

  // ---------------------------------------------------------------- the name of a variable
  logic [31:0] variable, variable_q;
  logic [7:0] name_q;
  logic name_known_q, looked_up_q, name_here;
  assign variable  = operation == IssueGet ? source_q : first_q.operand;
  assign name_here = name_known_q && variable_q == variable;

  logic fails;
  always_comb begin
    state_d = state_q;
    word_pop = 1'b0;
    bytes_pop = 1'b0;
    fails = 1'b0;
    unique case (state_q)
      StateFetch: begin
        word_pop = !word_empty;
        if (word_pop) state_d = moves ? StateSource : StateIssue;
      end
      StateSource: begin
        word_pop = !word_empty;
        if (word_pop) state_d = StateBytes;
      end
      StateBytes: begin
        bytes_pop = !bytes_empty;
        if (bytes_pop) state_d = StateLookup;
      end
      StateLookup: begin
        if (!known || differs_q) begin
          fails   = 1'b1;
          state_d = StateFetch;
        end else if (name_here) begin
          state_d = StateIssue;
        end else if (primitive_ready_i) begin
          state_d = StateResult;
        end
      end
      StateIssue: begin
        if (!known) begin
          fails   = 1'b1;
          state_d = StateFetch;
        end else if (primitive_ready_i) begin
          state_d = StateResult;
        end
      end
      StateResult: begin
        if (primitive_result_valid_i) begin
          fails   = primitive_result_i.failed;
          state_d = looked_up_q && !fails ? StateLookup : StateFetch;
        end
      end
      default: state_d = StateFetch;
    endcase
  end

  assign primitive_valid_o = known &&
      (state_q == StateIssue || (state_q == StateLookup && !differs_q && !name_here));
  always_comb begin
    primitive_o = '{
        operation: operation,
        processor: bytes_q.processor,
        name: name_q,
        address: operation == IssueGet ? first_q.operand : source_q,
        offset: {22'd0, bytes_q.offset, 2'b00},
        bytes: operation == IssuePutInline ? 32'd4 : {22'd0, bytes_q.length, 2'b00}
    };
    if (state_q == StateLookup) begin
      primitive_o.operation = IssueLookup;
      primitive_o.address   = variable;
    end else if (operation inside {IssueRegister, IssueDeregister}) begin
      primitive_o.address = first_q.operand;
      primitive_o.bytes   = RegionBytes;
    end else if (operation == IssueBegin) begin
      primitive_o.processor = pid_o;
      primitive_o.name      = nprocs_o;
    end
  end

  assign busy_o = state_q != StateFetch || !word_empty;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateFetch;
      name_known_q <= 1'b0;
      looked_up_q <= 1'b0;
      barrier_done_o <= 1'b0;
      failed_o <= 1'b0;
    end else begin
      state_q <= state_d;
      if (primitive_valid_o && primitive_ready_i) begin
        looked_up_q <= state_q == StateLookup;
        // What is registered or freed may be the last variable, or take its name.
        if (operation inside {IssueRegister, IssueDeregister}) name_known_q <= 1'b0;
        if (operation == IssueBegin) failed_o <= 1'b0;
      end
      if (state_q == StateResult && primitive_result_valid_i && looked_up_q)
        name_known_q <= !primitive_result_i.failed;
      if (fails) failed_o <= 1'b1;
      if (state_q == StateResult && primitive_result_valid_i && meets) barrier_done_o <= 1'b1;
      else if (barrier_done_ack_i) barrier_done_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateFetch && word_pop) begin
      first_q   <= word_out;
      differs_q <= 1'b0;
    end
    if (state_q == StateSource && word_pop) begin
      source_q  <= word_out.operand;
      differs_q <= word_out.opcode != first_q.opcode;
    end
    if (bytes_pop) bytes_q <= bytes_out;
    if (state_q == StateResult && primitive_result_valid_i && looked_up_q) begin
      variable_q <= variable;
      name_q     <= primitive_result_i.data[7:0];
    end
  end

  // The middle of an address says which coprocessor is meant, and that is not decoded here.
  logic unused;
  assign unused = ^{move_address_i.unused, byte_in.unused, number_in.unused};

`ifndef SYNTHESIS
  // A result answers a primitive.
  AnswersOne :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      primitive_result_valid_i |-> state_q == StateResult);
  // Nothing is sent under a name that has not been looked up.
  OnlyNamed :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      primitive_valid_o && primitive_o.operation inside {IssuePut, IssuePutInline, IssueGet} |->
      name_here);
`endif

endmodule

`default_nettype wire
