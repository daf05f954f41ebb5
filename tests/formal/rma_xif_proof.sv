// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `rma_xif` hands an instruction to `rma_issue` after it has been committed and never before, never if it has been
/// killed, and once at most; its result comes afterwards, once.
///
/// One instruction is watched. Its first register has a mark that no other instruction's has. Whatever else the core offers,
/// commits and kills, and whenever primitives are taken and end, is free; numbers of instructions may even be used twice.
module rma_xif_proof
  import issue_pkg::*;
#(
    /// Bits of an instruction's number.
    parameter int unsigned IdWidth = 2,
    /// Instructions that wait.
    parameter int unsigned Depth   = 2
) (
    input logic                     clk_i,
    input logic                     watch_i,
    input logic                     issue_valid_i,
    input logic [       31:0]       issue_instr_i,
    input logic [IdWidth-1:0]       issue_id_i,
    input logic [        2:0][31:0] issue_rs_i,
    input logic [        2:0]       issue_rs_valid_i,
    input logic                     commit_valid_i,
    input logic [IdWidth-1:0]       commit_id_i,
    input logic                     commit_kill_i,
    input logic                     result_ready_i,
    input logic                     primitive_ready_i,
    input logic                     ends_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic watched_q, committed_q, killed_q, out_q, told_q, running_q;
  logic [IdWidth-1:0] id_q;
  logic watch, marked, ready, accept, writeback, taken;
  logic result_valid, result_we, primitive_valid, ended;
  logic [IdWidth-1:0] result_id;
  logic [31:0] result_data;
  logic [4:0] result_rd;
  issue_t asked;
  logic [2:0][31:0] rs;

  // The first register's top bit is the mark.
  assign watch = watch_i && !watched_q;
  always_comb begin
    rs = issue_rs_i;
    rs[0][31] = watch;
  end
  assign taken  = rst_n && issue_valid_i && ready && accept;
  assign marked = asked.address[31];
  assign ended  = running_q && ends_i;

  rma_xif #(
      .IdWidth(IdWidth),
      .Depth  (Depth)
  ) u_xif (
      .clk_i,
      .rst_ni                  (rst_n),
      .issue_valid_i           (rst_n && issue_valid_i),
      .issue_ready_o           (ready),
      .issue_instr_i,
      .issue_id_i,
      .issue_rs_i              (rs),
      .issue_rs_valid_i,
      .issue_accept_o          (accept),
      .issue_writeback_o       (writeback),
      .commit_valid_i          (rst_n && commit_valid_i),
      .commit_id_i,
      .commit_kill_i,
      .result_valid_o          (result_valid),
      .result_ready_i,
      .result_id_o             (result_id),
      .result_data_o           (result_data),
      .result_rd_o             (result_rd),
      .result_we_o             (result_we),
      .primitive_valid_o       (primitive_valid),
      .primitive_o             (asked),
      .primitive_ready_i,
      .primitive_result_valid_i(ended),
      .primitive_result_i      ('0)
  );

  // Numbers of instructions that have come behind the watched one: if they are committed, it is, too.
  logic [(1<<IdWidth)-1:0] behind_q;
  logic watching, committed, killed;
  assign watching = watched_q || (taken && watch);
  assign committed = rst_n && commit_valid_i && !commit_kill_i && watching &&
      (commit_id_i == (watched_q ? id_q : issue_id_i) || behind_q[commit_id_i] ||
       (watched_q && taken && issue_id_i == commit_id_i));
  // A kill of its number is of it unless another one has the same.
  assign killed = rst_n && commit_valid_i && commit_kill_i && watched_q && !committed_q &&
      commit_id_i == id_q;

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      watched_q <= 1'b0;
      committed_q <= 1'b0;
      killed_q <= 1'b0;
      out_q <= 1'b0;
      told_q <= 1'b0;
      running_q <= 1'b0;
      behind_q <= '0;
    end else begin
      if (taken && watch) begin
        watched_q <= 1'b1;
        id_q <= issue_id_i;
      end
      if (taken && watched_q) behind_q[issue_id_i] <= 1'b1;
      if (committed) committed_q <= 1'b1;
      if (killed && !committed) killed_q <= 1'b1;
      if (primitive_valid && primitive_ready_i) begin
        running_q <= 1'b1;
        if (marked) out_q <= 1'b1;
      end else if (ended) begin
        running_q <= 1'b0;
      end
      if (result_valid && result_ready_i && out_q && result_id == id_q) told_q <= 1'b1;
    end
  end

  // Another one before it with its number, which a kill may be of instead.
  logic other_q;
  logic [(1<<IdWidth)-1:0] used_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      used_q  <= '0;
      other_q <= 1'b0;
    end else if (taken) begin
      used_q[issue_id_i] <= 1'b1;
      if (watch) other_q <= used_q[issue_id_i];
      else if (watched_q && issue_id_i == id_q) other_q <= 1'b1;
    end
  end

  // The instruction right before it, until anything is committed or killed: if it is killed, so is the watched one. It
  // counts only if no other one has its number.
  logic last_q, guard_q, outlawed_q;
  logic [IdWidth-1:0] last_id_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      last_q <= 1'b0;
      guard_q <= 1'b0;
      outlawed_q <= 1'b0;
    end else if (commit_valid_i) begin
      if (guard_q && commit_kill_i && commit_id_i == last_id_q && !taken) outlawed_q <= 1'b1;
      last_q  <= 1'b0;
      guard_q <= 1'b0;
    end else if (taken) begin
      if (!watched_q && !watch) last_q <= !used_q[issue_id_i];
      if (!watched_q && !watch) last_id_q <= issue_id_i;
      if (watch) guard_q <= last_q && issue_id_i != last_id_q;
      else if (watched_q && issue_id_i == last_id_q) guard_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_n) begin
      NeverBehindOneThatIsKilled : assert (!(primitive_valid && marked && outlawed_q));
      cover (outlawed_q);
      NotBeforeItsCommit : assert (!(primitive_valid && marked) || committed_q);
      NeverIfKilled : assert (!(primitive_valid && marked && killed_q) || other_q);
      OnceAtMost : assert (!(primitive_valid && marked) || !out_q);
      cover (out_q && told_q);
      cover (killed_q && watched_q);
      cover (primitive_valid && marked && behind_q != '0);
    end
  end

  logic unused;
  assign unused = ^{writeback, result_data, result_rd, result_we, issue_rs_i[0][31]};

endmodule

`default_nettype wire
