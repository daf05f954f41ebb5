// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: each queue of a `voq_memory` gives every word once, in order, whatever the others do; its flags and
/// its count tell the truth.
///
/// It is compared with queues that move all their words at each pop.
module voq_memory_proof #(
    /// Queues.
    parameter int unsigned NumQueues = 2,
    /// Words that fit.
    parameter int unsigned Depth = 4
) (
    input logic                 clk_i,
    input logic [NumQueues-1:0] push_i,
    input logic [NumQueues-1:0] pop_i,
    input logic [          1:0] data_i
);

  localparam int unsigned CountWidth = $clog2(Depth) + 1;
  localparam int unsigned AddressWidth = $clog2(Depth);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [AddressWidth-1:0] address_t;
  // Holds a count of words of each queue and one more.
  localparam int unsigned SumWidth = $clog2(Depth * (NumQueues + 1)) + 1;
  typedef logic [SumWidth-1:0] sum_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [1:0] data;
  logic [NumQueues-1:0] empty;
  count_t count;
  voq_memory #(
      .T(logic [1:0]),
      .NumQueues(NumQueues),
      .Depth(Depth)
  ) u_queues (
      .clk_i,
      .rst_ni (rst_n),
      .push_i,
      .data_i,
      .pop_i,
      .data_o (data),
      .empty_o(empty),
      .count_o(count)
  );

  // The reference: oldest word first.
  logic [Depth-1:0][1:0] queue[NumQueues];
  count_t count_q[NumQueues];
  sum_t all;
  logic has_been_full_q;
  for (genvar q = 0; q < NumQueues; q++) begin : gen_reference
    count_t left;
    logic [Depth-1:0][1:0] popped, words_q;
    assign left = count_q[q] - count_t'(pop_i[q]);
    assign popped = pop_i[q] ? words_q >> 2 : words_q;
    assign queue[q] = words_q;
    always_ff @(posedge clk_i) begin
      if (!rst_n) count_q[q] <= '0;
      else begin
        words_q <= popped;
        if (push_i[q]) words_q[left[AddressWidth-1:0]] <= data_i;
        count_q[q] <= left + count_t'(push_i[q]);
      end
    end
  end
  always_comb begin
    all = '0;
    for (int unsigned q = 0; q < NumQueues; q++) all += sum_t'(count_q[q]);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n) has_been_full_q <= 1'b0;
    else has_been_full_q <= has_been_full_q || all == sum_t'(Depth);
  end

  // Places of the words, as the lists say, and of the free ones that have had a word.
  address_t place[NumQueues][Depth];
  address_t free_place[Depth];
  address_t next[Depth];
  address_t next_free[Depth];
  for (genvar a = 0; a < Depth; a++) begin : gen_next
    assign next[a] = u_queues.next_q[a];
    assign next_free[a] = u_queues.next_free_q[a];
  end
  count_t free_places;
  assign free_places = u_queues.fresh_q - count_t'(all);
  always_comb begin
    for (int unsigned q = 0; q < NumQueues; q++) begin
      place[q][0] = u_queues.head[q];
      for (int unsigned i = 1; i < Depth; i++) place[q][i] = next[place[q][i-1]];
    end
    free_place[0] = u_queues.free_q;
    for (int unsigned i = 1; i < Depth; i++) free_place[i] = next_free[free_place[i-1]];
  end
  // How many lists hold a place.
  sum_t holders[Depth];
  always_comb begin
    for (int unsigned a = 0; a < Depth; a++) begin
      holders[a] = '0;
      for (int unsigned i = 0; i < Depth; i++) begin
        for (int unsigned q = 0; q < NumQueues; q++) begin
          holders[a] += sum_t'(i < 32'(count_q[q]) && place[q][i] == address_t'(a));
        end
        holders[a] += sum_t'(i < 32'(free_places) && free_place[i] == address_t'(a));
      end
    end
  end

  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    always_comb begin
      if (rst_n) begin
        FlagIsExact : assert (empty[q] == (count_q[q] == '0));
        OldestLeaves : assert (!pop_i[q] || data == queue[q][0]);
        // Lemmas: lists hold the queues, and their ends are known.
        for (int unsigned i = 0; i < Depth; i++) begin
          if (i < 32'(count_q[q])) assert (u_queues.memory_q[place[q][i]] == queue[q][i]);
        end
        if (count_q[q] != '0) begin
          assert (u_queues.tail_q[q] == place[q][address_t'(count_q[q]-1'b1)]);
        end
        assert (count_q[q] <= count_t'(Depth));
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      // What callers promise.
      OneAtATime : assume ((push_i & (push_i - 1'b1)) == '0 && (pop_i & (pop_i - 1'b1)) == '0);
      UsersLookAtFlags :
      assume ((pop_i & empty) == '0 && (push_i == '0 || pop_i != '0 || all != sum_t'(Depth)));

      // Lemma: one queue at most has been popped in the cycle before.
      assert ((u_queues.left_q & (u_queues.left_q - 1'b1)) == '0);
      CountIsExact : assert (sum_t'(count) == all);
      // Lemmas: each place that has had a word is in one list.
      assert (all <= sum_t'(u_queues.fresh_q) && u_queues.fresh_q <= count_t'(Depth));
      for (int unsigned a = 0; a < Depth; a++) begin
        assert (holders[a] == sum_t'(a < 32'(u_queues.fresh_q)));
      end
      cover (has_been_full_q && empty == '1);
      cover (all == sum_t'(Depth) && push_i != '0 && pop_i != '0 && push_i != pop_i);
    end
  end

endmodule

`default_nettype wire
