// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Reads this node's contribution from memory into a small buffer, ahead of its consumer.
module mpe_fetch
  import tidings_pkg::*;
#(
    /// Words of the buffer, a power of two: at least the latency of memory in cycles keeps it full.
    parameter int unsigned Depth = 64
) (
    /// Clock.
    input  logic         clk_i,
    /// Synchronous reset, active low.
    input  logic         rst_ni,
    /// Begin with the address and the number of words below.
    input  logic         start_i,
    /// Ask for no more words.
    input  logic         stop_i,
    /// Bytes, word aligned.
    input  logic  [31:0] address_i,
    /// Words to read.
    input  word_t        words_i,
    /// A read request.
    output logic         memory_read_valid_o,
    /// Bytes, word aligned.
    output logic  [31:0] memory_read_address_o,
    /// The request is taken.
    input  logic         memory_read_ready_i,
    /// The answer to the oldest open request.
    input  logic         memory_data_valid_i,
    /// Its word.
    input  word_t        memory_data_i,
    /// A word is at hand.
    output logic         valid_o,
    /// The oldest word.
    output word_t        data_o,
    /// Take it.
    input  logic         pop_i,
    /// Every word asked for has been taken.
    output logic         done_o,
    /// A request waits to be taken or to be answered.
    output logic         active_o
);

  localparam int unsigned CountWidth = $clog2(Depth) + 1;

  word_t left_q;
  logic [29:0] address_q;
  // Words asked for and not yet taken: room in the buffer is reserved before a request.
  logic [CountWidth-1:0] reserved_q;
  logic request, empty;
  logic [CountWidth-1:0] count;
  assign memory_read_valid_o = left_q != '0 && !reserved_q[CountWidth-1];
  assign memory_read_address_o = {address_q, 2'b00};
  assign request = memory_read_valid_o && memory_read_ready_i;
  assign valid_o = !empty;
  assign done_o = left_q == '0 && reserved_q == '0;
  assign active_o = memory_read_valid_o || reserved_q != count;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q <= '0;
      reserved_q <= '0;
    end else begin
      if (start_i) left_q <= words_i;
      else if (stop_i) left_q <= '0;
      else if (request) left_q <= left_q - 1'b1;
      if (request != pop_i) reserved_q <= request ? reserved_q + 1'b1 : reserved_q - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) address_q <= address_i[31:2];
    else if (request) address_q <= address_q + 1'b1;
  end

  fifo #(
      .T(word_t),
      .Depth(Depth)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .push_i (memory_data_valid_i),
      .data_i (memory_data_i),
      .pop_i,
      .data_o,
      .empty_o(empty),
      .full_o (),
      .count_o(count),
      .load_o (),
      .next_o ()
  );

  logic unused_address;
  assign unused_address = ^address_i[1:0];

`ifndef SYNTHESIS
  // Memory answers what it was asked.
  AnswersWereAskedFor :
  assert property (@(posedge clk_i) disable iff (!rst_ni) memory_data_valid_i |-> reserved_q != '0);
`endif

endmodule

`default_nettype wire
