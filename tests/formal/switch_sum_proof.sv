// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: the n-th sum of `switch_sum` combines the n-th word of each summand and nothing else; sums leave in order,
/// as many as asked for, and a word of a summand is taken once, only if it is there, and only if it is asked for.
///
/// Words come when they like, and sums are taken when their receiver likes. Words are combined by exclusive or, and
/// each input has a bit of its own: so a sum shows which words are in it.
module switch_sum_proof
  import tidings_pkg::*;
#(
    /// Stages.
    parameter int unsigned Adders = 2,
    /// Elements have two words, not one.
    parameter bit WideElements = 1'b0,
    /// Most words of a summand.
    parameter int unsigned MostWords = 12,
    /// Inputs of the switch.
    localparam int unsigned Sides = FlatSwitchPorts + 1
) (
    input logic             clk_i,
    /// Sums begin, if none are under way.
    input logic             start_i,
    /// Their summands.
    input logic [Sides-1:0] summands_i,
    /// Words of each.
    input logic [      3:0] words_i,
    /// Inputs that have a word.
    input logic [Sides-1:0] valid_i,
    /// Bits of these words.
    input logic [Sides-1:0] bits_i,
    /// A sum is taken, if there is one.
    input logic             ready_i
);

  typedef logic [3:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic start, running, sum_valid, sum_leaves, busy;
  word_t sum;
  word_t [Sides-1:0] data;
  logic [Sides-1:0] take, summands_q;
  count_t words_q;
  assign start = rst_n && start_i && !running;
  assign sum_leaves = sum_valid && ready_i;
  always_comb begin
    assume ($countones(
        summands_i
    ) == 0 || ($countones(
        summands_i
    ) >= 2 && $countones(
        summands_i
    ) <= Adders + 1));
    assume (words_i <= count_t'(MostWords) && words_i != '0);
    assume (!WideElements || !words_i[0]);
  end
  for (genvar s = 0; s < Sides; s++) begin : gen_data
    assign data[s] = word_t'(bits_i[s]) << s;
  end

  switch_sum #(
      .Adders(Adders),
      .FpuStages(3),
      .WideElements(WideElements)
  ) u_sum (
      .clk_i,
      .rst_ni   (rst_n),
      .start_i  (start),
      .summands_i,
      .words_i  (AlltoallWordsWidth'(words_i)),
      .element_i(WideElements ? ElementInt64 : ElementInt32),
      .combine_i(CombineXor),
      .valid_i  (rst_n ? valid_i : '0),
      .data_i   (data),
      .take_o   (take),
      .valid_o  (sum_valid),
      .data_o   (sum),
      .ready_i,
      .running_o(running),
      .busy_o   (busy)
  );

  // ---------------------------------------------------------------- one word of each summand, and its sum
  count_t number_q, left_q;
  count_t [Sides-1:0] taken_q;
  logic   [Sides-1:0] bits_q;
  always_ff @(posedge clk_i) begin
    number_q <= number_q;
    if (!rst_n) begin
      summands_q <= '0;
      words_q    <= '0;
      left_q     <= '0;
      taken_q    <= '0;
    end else if (start) begin
      summands_q <= summands_i;
      words_q    <= summands_i == '0 ? '0 : words_i;
      left_q     <= '0;
      taken_q    <= '0;
    end else begin
      left_q <= left_q + count_t'(sum_leaves);
      for (int unsigned s = 0; s < Sides; s++) taken_q[s] <= taken_q[s] + count_t'(take[s]);
    end
    for (int unsigned s = 0; s < Sides; s++) begin
      if (take[s] && taken_q[s] == number_q) bits_q[s] <= bits_i[s];
    end
  end

  always_comb begin
    if (rst_n) begin
      Running : assert (running == (left_q != words_q));
      NoMoreSums : assert (!sum_valid || left_q != words_q);
      OnlySummands : assert ((take & ~summands_q) == '0 && (take & ~valid_i) == '0);
      TheSum : assert (!(sum_leaves && left_q == number_q) || sum == word_t'(bits_q & summands_q));
      // What sleeps has nothing to do until a word of each of two summands is there.
      Awake : assert (busy || !(sum_leaves || take != '0));
    end
  end
  for (genvar s = 0; s < Sides; s++) begin : gen_summand
    always_comb begin
      if (rst_n) begin
        NoMoreWords : assert (!take[s] || taken_q[s] != words_q);
        TakenFirst : assert (!(sum_leaves && summands_q[s]) || taken_q[s] > left_q);
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      // All summands, the last words, and a receiver that takes nothing while words come.
      cover ($countones(summands_q) == 32'(Adders) + 1 && !running && words_q == count_t'(2));
      cover (taken_q[Sides-1] == left_q + count_t'(8));
    end
  end

endmodule

`default_nettype wire
