// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `rma_moves` hands a PUT or GET to `rma_issue` with the operands of its own five MOVEs, when all of them have come
/// and not before, once at most; under a name that its variable was found to have since anything was registered or freed.
///
/// Every operand of an instruction has its mark, of two bits, one of which a single instruction is watched by. Its other bits
/// say which operand it is. A variable's address is its mark alone, so that its name has it, too. Which instructions come when, and when primitives are taken and
/// how they end, is free.
module rma_moves_proof
  import issue_pkg::*;
#(
    /// MOVEs that wait.
    parameter int unsigned Depth = 2
) (
    input logic       clk_i,
    input logic       move_valid_i,
    input logic [2:0] choice_i,
    input logic       mark_i,
    input logic       watch_i,
    input logic       primitive_ready_i,
    input logic       ends_i,
    input logic       fails_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // ---------------------------------------------------------------- instructions
  move_opcode_t opcode, opcode_q, chosen;
  logic [2:0] phase_q;
  logic [1:0] mark, mark_q;
  logic watched_q, long_op, ready, taken;
  move_address_t address;
  logic [31:0] data;

  always_comb begin
    chosen = '0;
    unique case (choice_i)
      3'd0, 3'd1: chosen.operation = IssuePut;
      3'd2: chosen.operation = IssueGet;
      3'd3: chosen.operation = IssuePutInline;
      3'd4: chosen.operation = IssueRegister;
      3'd5: chosen.operation = IssueDeregister;
      3'd6: chosen.operation = IssueFence;
      default: chosen.operation = IssueBarrier;
    endcase
  end
  assign opcode = phase_q == '0 ? chosen : opcode_q;
  assign long_op = opcode.operation inside {IssuePut, IssuePutInline, IssueGet};
  assign mark = phase_q == '0 ? {mark_i, watch_i && long_op && !watched_q} : mark_q;

  always_comb begin
    data = {mark, 30'd0};
    // A PUT's source differs from its destination.
    if (phase_q == 3'd1 && opcode.operation != IssueGet) data[29] = 1'b1;
    if (phase_q > 3'd1) data[25:24] = 2'(phase_q - 3'd1);
    address = '{opcode: opcode, unused: '0, target: phase_q < 3'd2 ? MoveWord : MoveByte};
  end
  assign taken = rst_n && move_valid_i && ready;

  // ---------------------------------------------------------------- primitives
  logic valid, begins, running_q, ended, accesses;
  issue_t asked, asked_q;
  issue_result_t result;
  logic [7:0] nprocs, pid;
  logic barrier_done, failed, busy;

  assign begins = valid && primitive_ready_i && !running_q;
  assign ended  = running_q && ends_i;
  assign result = '{failed: fails_i, data: {24'd0, asked_q.address[31:30], 6'd0}};

  rma_moves #(
      .Depth(Depth)
  ) u_moves (
      .clk_i,
      .rst_ni                  (rst_n),
      .move_valid_i            (rst_n && move_valid_i),
      .move_address_i          (address),
      .move_data_i             (data),
      .move_ready_o            (ready),
      .nprocs_o                (nprocs),
      .pid_o                   (pid),
      .barrier_done_o          (barrier_done),
      .barrier_done_ack_i      (1'b1),
      .failed_o                (failed),
      .busy_o                  (busy),
      .primitive_valid_o       (valid),
      .primitive_o             (asked),
      .primitive_ready_i       (primitive_ready_i && !running_q),
      .primitive_result_valid_i(ended),
      .primitive_result_i      (result)
  );

  assign accesses = valid && asked.operation inside {IssuePut, IssuePutInline, IssueGet};

  // ---------------------------------------------------------------- what has been
  logic complete_q, out_q, frees;
  logic [3:0] named_q;  // variables with a name, by their mark
  assign frees = begins && (asked.operation == IssueRegister || asked.operation == IssueDeregister);

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      phase_q <= '0;
      watched_q <= 1'b0;
      complete_q <= 1'b0;
      out_q <= 1'b0;
      named_q <= '0;
      running_q <= 1'b0;
    end else begin
      if (taken) begin
        phase_q <= phase_q == 3'd4 || !long_op ? '0 : phase_q + 1'b1;
        if (mark[0] && phase_q == 3'd0) watched_q <= 1'b1;
        if (mark[0] && phase_q == 3'd4) complete_q <= 1'b1;
      end
      if (begins) running_q <= 1'b1;
      else if (ended) running_q <= 1'b0;
      if (begins && accesses && asked.processor[6]) out_q <= 1'b1;
      if (frees) named_q <= '0;
      else if (ended && !fails_i && asked_q.operation == IssueLookup)
        named_q[asked_q.address[31:30]] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken) begin
      opcode_q <= opcode;
      mark_q   <= mark;
    end
    if (begins) asked_q <= asked;
  end

  always_comb begin
    if (rst_n && accesses) begin
      ItsOwnProcessor : assert (asked.processor[1:0] == 2'd1 && asked.offset[3:2] == 2'd3);
      ItsOwnOffset : assert (asked.offset[9:8] == asked.processor[7:6]);
      ItsOwnName : assert (asked.name[7:6] == asked.processor[7:6]);
      if (asked.operation == IssuePutInline) begin
        AWord : assert (asked.bytes == 32'd4);
      end else begin
        ItsOwnLength :
        assert (asked.bytes[3:2] == 2'd2 && asked.bytes[9:8] == asked.processor[7:6]);
      end
      ItsOwnAddress :
      assert (asked.address[31:30] == asked.processor[7:6] &&
          asked.address[29] == (asked.operation != IssueGet));
      NamedNow : assert (named_q[asked.name[7:6]]);
      NotBeforeItsMoves : assert (!asked.processor[6] || complete_q);
      OnceAtMost : assert (!asked.processor[6] || !out_q);
    end
    if (rst_n) begin
      cover (out_q && accesses && asked.operation == IssuePutInline);
      cover (accesses && asked.operation == IssueGet && asked.processor[6]);
      cover (move_valid_i && !ready);
    end
  end

  logic unused;
  assign unused = ^{nprocs, pid, barrier_done, failed, busy};

endmodule

`default_nettype wire
