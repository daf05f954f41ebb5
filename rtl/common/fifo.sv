// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// First-in first-out buffer whose oldest word is visible without asking for it.
///
/// A word pushed in cycle t is at the output in cycle t + 1. A push while full or a pop while
/// empty is a mistake of the user: callers count credits or look at the flags. Push and pop may
/// come in the same cycle, also when the buffer is full. The memory has no reset.
///
/// `next_o` shows the word that is the oldest from the next cycle on, early in the cycle: it does not
/// depend on `pop_i`. Whoever needs something of the oldest word can compute it ahead and keep it in a
/// register that loads with `load_o`.
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
    output logic [CountWidth-1:0] count_o,
    /// `data_o` changes with the next clock edge.
    output logic                  load_o,
    /// What it changes to, if it does.
    output T                      next_o
);

  localparam int unsigned IndexWidth = $clog2(Depth);
  // Deepest buffer in distributed RAM, which is read at once.
  localparam int unsigned MaxDistributed = 64;

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_depth_check
    $error("Depth must be a power of two and at least 2, not %0d", Depth);
  end

  // The pointers carry one bit more than an index: equal means empty, a difference of Depth full.
  logic [CountWidth-1:0] write_q, read_q;
  T memory_q[Depth];
  // The oldest word sits in a register beside the memory.
  T head_q;
  logic [IndexWidth-1:0] write_index, next_index;
  logic no_second, empty_q;

  assign count_o = write_q - read_q;
  assign empty_o = empty_q;
  assign full_o = count_o[CountWidth-1];
  assign data_o = head_q;
  assign write_index = write_q[IndexWidth-1:0];
  assign next_index = read_q[IndexWidth-1:0] + 1'b1;
  // Then the memory has no word to follow the oldest: it must be the one that comes.
  assign no_second = count_o[CountWidth-1:1] == '0;
  assign load_o = pop_i || (push_i && empty_o);

  if (Depth > MaxDistributed) begin : gen_block_ram
    // A synchronous memory has the second oldest word ready in its output register.
    T second_q;
    logic [IndexWidth-1:0] fetch_index;
    assign fetch_index = next_index + IndexWidth'(pop_i);
    assign next_o = no_second ? data_i : second_q;
    always_ff @(posedge clk_i) begin
      if (push_i || pop_i) begin
        second_q <= push_i && write_index == fetch_index ? data_i : memory_q[fetch_index];
      end
    end
  end else begin : gen_distributed
    assign next_o = no_second ? data_i : memory_q[next_index];
  end

  always_ff @(posedge clk_i) begin
    if (push_i) memory_q[write_index] <= data_i;
    if (load_o) head_q <= next_o;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      empty_q <= 1'b1;
    end else begin
      if (push_i) empty_q <= 1'b0;
      else if (pop_i) empty_q <= no_second;
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
