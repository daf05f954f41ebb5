// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// First-in first-out buffer whose oldest word is visible without asking for it.
///
/// A word pushed in cycle t is at the output in cycle t + 1. A push while full or a pop while
/// empty is a mistake of the user: callers count credits or look at the flags. Push and pop may
/// come in the same cycle, also when the buffer is full. The memory has no reset.
module fifo #(
    /// Type of a word.
    parameter type T = tidings_pkg::flit_t,
    /// Words that fit: a power of two, at least two.
    parameter int unsigned Depth = 16,
    /// Bits of a count of words.
    localparam int unsigned CountWidth = $clog2(Depth) + 1
) (
    /// Clock.
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    /// Store `data_i`.
    input  logic                  push_i,
    /// Word to store.
    input  T                      data_i,
    /// Drop the oldest word.
    input  logic                  pop_i,
    /// Oldest word; any value while empty.
    output T                      data_o,
    /// No word is stored.
    output logic                  empty_o,
    /// `Depth` words are stored.
    output logic                  full_o,
    /// Words stored.
    output logic [CountWidth-1:0] count_o
);

  localparam int unsigned IndexWidth = $clog2(Depth);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_depth_check
    $error("Depth must be a power of two and at least 2, not %0d", Depth);
  end

  // The pointers carry one bit more than an index: equal means empty, a difference of Depth full.
  logic [CountWidth-1:0] write_q, read_q;
  T memory_q[Depth];
  // The oldest word sits in a register beside the memory, so that a synchronous block RAM serves.
  T head_q;
  logic [IndexWidth-1:0] write_index, head_index;

  assign count_o = write_q - read_q;
  assign empty_o = write_q == read_q;
  assign full_o = count_o[CountWidth-1];
  assign data_o = head_q;
  assign write_index = write_q[IndexWidth-1:0];
  // Place of the word that is the oldest after this cycle.
  assign head_index = read_q[IndexWidth-1:0] + IndexWidth'(pop_i);

  always_ff @(posedge clk_i) begin
    if (push_i) memory_q[write_index] <= data_i;
    if (push_i || pop_i) begin
      // A word for an otherwise empty buffer is the oldest at once.
      head_q <= push_i && write_index == head_index ? data_i : memory_q[head_index];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (push_i) write_q <= write_q + 1'b1;
      if (pop_i) read_q <= read_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  // A full buffer takes a word only when it gives one in the same cycle.
  NoOverflow :
  assert property (@(posedge clk_i) disable iff (!rst_ni) push_i && full_o |-> pop_i);
  // There is nothing to drop in an empty buffer.
  NoUnderflow :
  assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> !empty_o);
`endif

endmodule

`default_nettype wire
