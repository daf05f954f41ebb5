// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: a `fifo` gives every word once, in order, and its flags tell the truth.
///
/// It is compared with a queue that moves all its words at each pop.
module fifo_proof #(
    /// Words that fit.
    parameter int unsigned Depth = 4
) (
    input logic       clk_i,
    input logic       push_i,
    input logic       pop_i,
    input logic [3:0] data_i
);

  localparam int unsigned CountWidth = $clog2(Depth) + 1;
  localparam int unsigned IndexWidth = $clog2(Depth);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [3:0] data;
  logic empty, full;
  logic [CountWidth-1:0] count;
  fifo #(
      .T(logic [3:0]),
      .Depth(Depth)
  ) u_fifo (
      .clk_i,
      .rst_ni (rst_n),
      .push_i,
      .data_i,
      .pop_i,
      .data_o (data),
      .empty_o(empty),
      .full_o (full),
      .count_o(count)
  );

  // The reference: oldest word first.
  logic [Depth-1:0][3:0] queue_q, popped;
  logic [CountWidth-1:0] count_q, left;
  logic has_been_full_q;
  assign popped = pop_i ? queue_q >> 4 : queue_q;
  assign left   = count_q - CountWidth'(pop_i);
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      count_q <= '0;
      has_been_full_q <= 1'b0;
    end else begin
      queue_q <= popped;
      if (push_i) queue_q[left[IndexWidth-1:0]] <= data_i;
      count_q <= left + CountWidth'(push_i);
      has_been_full_q <= has_been_full_q || full;
    end
  end

  always_comb begin
    if (rst_n) begin
      // What callers promise.
      UsersLookAtFlags :
      assume ((!pop_i || count_q != '0) && (!push_i || pop_i || count_q != CountWidth'(Depth)));

      CountIsExact :
      assert (count == count_q && empty == (count_q == '0) &&
              full == (count_q == CountWidth'(Depth)));
      OldestIsVisible : assert (count_q == '0 || data == queue_q[0]);
      // Lemma: the memory holds the queue.
      for (int unsigned i = 0; i < Depth; i++) begin
        if (i < 32'(count_q)) begin
          assert (u_fifo.memory_q[IndexWidth'(u_fifo.read_q+i)] == queue_q[i]);
        end
      end
      cover (has_been_full_q && empty);
      cover (full && push_i && pop_i);
    end
  end

endmodule

`default_nettype wire
