// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Stands in for `voq_memory` in proofs of what contains one: a shift register per queue. Where `voq_memory` puts a
/// word is nobody else's business, and its own proof says that its queues are these.
module voq_memory #(
    /// Type of a word.
    parameter type T = logic [31:0],
    /// Queues.
    parameter int unsigned NumQueues = 4,
    /// Words of all queues together: a power of two.
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

  logic [NumQueues-1:0][CountWidth-1:0] count_q;
  T [NumQueues-1:0][Depth-1:0] queue_q;

  always_comb begin
    data_o  = '0;
    count_o = '0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      empty_o[q] = count_q[q] == '0;
      count_o += count_q[q];
      if (pop_i[q]) data_o = queue_q[q][0];
    end
  end

  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    logic [CountWidth-1:0] after;
    assign after = count_q[q] - CountWidth'(pop_i[q]);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) count_q[q] <= '0;
      else begin
        if (pop_i[q]) queue_q[q] <= queue_q[q] >> $bits(T);
        if (push_i[q]) queue_q[q][after[$clog2(Depth)-1:0]] <= data_i;
        count_q[q] <= after + CountWidth'(push_i[q]);
      end
    end
  end

endmodule

`default_nettype wire
