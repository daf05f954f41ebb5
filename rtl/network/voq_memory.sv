// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Several first-in first-out queues in one memory, which any of them may fill.
///
/// A word pushed in cycle t is in its queue in cycle t + 1. One word may be pushed and one popped per
/// cycle, of any two queues. A push while `Depth` words are stored or a pop of an empty queue is a
/// mistake of the user. The memory has no reset.
///
/// The words of a queue form a list. Places that are free form another, behind those that no word has
/// had yet. A word that comes while another leaves takes its place. So there is one read and one write
/// of each kind of list per cycle.
module voq_memory #(
    /// Type of a word.
    parameter type T = logic [32:0],
    /// Queues.
    parameter int unsigned NumQueues = 4,
    /// Words that fit, of all queues: a power of two, at least two.
    parameter int unsigned Depth = 16,
    /// Bits of a count of words.
    localparam int unsigned CountWidth = $clog2(Depth) + 1
) (
    /// Clock.
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    /// Queue that `data_i` goes to, one-hot; zero without a word.
    input  logic [ NumQueues-1:0] push_i,
    /// Word to store.
    input  T                      data_i,
    /// Queue whose oldest word leaves, one-hot; zero if none does.
    input  logic [ NumQueues-1:0] pop_i,
    /// The word that leaves; any value without.
    output T                      data_o,
    /// Queues without a word.
    output logic [ NumQueues-1:0] empty_o,
    /// Words stored, in all queues.
    output logic [CountWidth-1:0] count_o
);

  localparam int unsigned AddressWidth = $clog2(Depth);
  typedef logic [AddressWidth-1:0] address_t;

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_depth_check
    $error("Depth must be a power of two and at least 2, not %0d", Depth);
  end
  if (NumQueues == 0) begin : gen_queues_check
    $error("NumQueues must be at least 1");
  end

  T memory_q[Depth];
  // The place behind each in its queue, and in the list of free places.
  address_t next_q[Depth];
  address_t next_free_q[Depth];
  address_t head_q[NumQueues];
  address_t tail_q[NumQueues];
  logic [NumQueues-1:0] empty_q;
  // The queue that was popped in the cycle before: its head is the word that has left.
  logic [NumQueues-1:0] left_q;
  address_t gone_q;
  // Places from this one on have never had a word; the top bit says that all have had one.
  logic [CountWidth-1:0] fresh_q;
  address_t free_q;
  logic [CountWidth-1:0] count_q;

  logic push, pop, all_used;
  assign push = |push_i;
  assign pop = |pop_i;
  assign all_used = fresh_q[CountWidth-1];
  assign empty_o = empty_q;
  assign count_o = count_q;

  // Where the oldest word of each queue is. What is behind the word that has left is read in the cycle after, so that
  // a pop need not wait for it.
  address_t behind;
  address_t head[NumQueues];
  assign behind = next_q[gone_q];
  for (genvar q = 0; q < NumQueues; q++) begin : gen_head
    assign head[q] = left_q[q] ? behind : head_q[q];
  end

  // Ends of the queues that change.
  address_t popped, pushed;
  always_comb begin : look_up
    popped = '0;
    pushed = '0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if (pop_i[q]) popped |= head[q];
      if (push_i[q]) pushed |= tail_q[q];
    end
  end

  address_t place;
  assign place  = pop ? popped : all_used ? free_q : fresh_q[AddressWidth-1:0];
  assign data_o = memory_q[popped];

  // A word that comes is behind the last of its queue; a place that becomes free is before all free ones.
  logic [NumQueues-1:0] alone, first;
  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    assign alone[q] = head[q] == tail_q[q];
    // The word that comes finds no other in its queue.
    assign first[q] = push_i[q] && (empty_q[q] || (pop_i[q] && alone[q]));

    always_ff @(posedge clk_i) begin
      if (!rst_ni) empty_q[q] <= 1'b1;
      else if (push_i[q]) empty_q[q] <= 1'b0;
      else if (pop_i[q]) empty_q[q] <= alone[q];
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) left_q[q] <= 1'b0;
      else left_q[q] <= pop_i[q] && !first[q];
    end
    always_ff @(posedge clk_i) begin
      if (first[q]) head_q[q] <= place;
      else if (left_q[q]) head_q[q] <= behind;
      if (push_i[q]) tail_q[q] <= place;
    end
  end

  always_ff @(posedge clk_i) begin
    gone_q <= popped;
    if (push) memory_q[place] <= data_i;
    if (push && first == '0) next_q[pushed] <= place;
    if (pop && !push) next_free_q[popped] <= free_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fresh_q <= '0;
      count_q <= '0;
    end else begin
      if (push && !pop && !all_used) fresh_q <= fresh_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (pop && !push) free_q <= popped;
    else if (push && !pop && all_used) free_q <= next_free_q[free_q];
  end

`ifndef SYNTHESIS
  // One word at most comes, and one leaves.
  OnePush :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(push_i));
  OnePop :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(pop_i));
  // A full memory takes a word only when it gives one in the same cycle.
  NoOverflow :
  assert property (@(posedge clk_i) disable iff (!rst_ni) push && count_q[CountWidth-1] |-> pop);
  // There is nothing to pop in an empty queue.
  NoUnderflow :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (pop_i & empty_q) == '0);
`endif

endmodule

`default_nettype wire
