// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Up unit: combines the streams of the children with this node's contribution.
///
/// First it takes the descriptor of every child, compares it, and puts its own into the results.
/// Then it works on blocks of at most `PacketWords` words, as many as the first child has sent. A
/// block is passed over once for each child, in link order; the words between passes are kept in
/// `partial_q`, those of the last pass are results. A pass waits word by word for its child, so the
/// first result leaves as soon as every child's first word is there. Without children the results
/// are the contribution.
module mpe_up
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Most words of a block: a power of two, at least 4.
    parameter int unsigned PacketWords = 64,
    /// Bits of a count of words in a stream buffer.
    parameter int unsigned StreamCountWidth = 10,
    /// Pipeline stages of a floating-point addition.
    parameter int unsigned FpuStages = 4,
    /// Bits of a count of results.
    localparam int unsigned ResultCountWidth = $clog2(PacketWords) + 2
) (
    /// Clock.
    input  logic                            clk_i,
    /// Synchronous reset, active low.
    input  logic                            rst_ni,
    /// Begin; everything named below `command` is constant from here on.
    input  logic                            start_i,
    /// Cease: a descriptor differed.
    input  logic                            stop_i,
    /// Command: element type.
    input  element_e                        element_i,
    /// Command: operation.
    input  combine_e                        combine_i,
    /// Command: links of the children.
    input  logic     [        MaxLinks-1:0] children_i,
    /// Command: descriptor.
    input  word_t                           descriptor_i,
    /// Command: words of each stream after the descriptor.
    input  word_t                           words_i,
    /// Link whose stream buffer is looked at.
    output link_id_t                        stream_link_o,
    /// Words in it.
    input  logic     [StreamCountWidth-1:0] stream_count_i,
    /// Take a word.
    output logic                            stream_read_o,
    /// The word is taken when both are high.
    input  logic                            stream_grant_i,
    /// The word taken in the cycle before.
    input  word_t                           stream_data_i,
    /// A word of the contribution is at hand.
    input  logic                            own_valid_i,
    /// The word.
    input  word_t                           own_data_i,
    /// Take it.
    output logic                            own_pop_o,
    /// Results at hand, descriptor included.
    output logic     [ResultCountWidth-1:0] result_count_o,
    /// The oldest.
    output word_t                           result_data_o,
    /// Take it.
    input  logic                            result_pop_i,
    /// Every result has been produced (some may still be at hand).
    output logic                            done_o,
    /// A child's descriptor differs.
    output logic                            mismatch_o,
    /// The child.
    output link_id_t                        mismatch_link_o,
    /// State changes at the next edge without any input.
    output logic                            active_o
);

  localparam int unsigned IndexWidth = $clog2(PacketWords);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [IndexWidth:0] block_t;
  typedef logic [StreamCountWidth-1:0] stream_count_t;
  typedef logic [ResultCountWidth-1:0] result_count_t;
  typedef struct packed {
    logic   last;   // result of the last pass
    index_t index;  // of the element's last word in the block
  } tag_t;

  typedef enum logic [1:0] {
    Idle,
    Descriptor,
    Block,
    Pass
  } state_e;

  state_e state_q;
  logic [MaxLinks-1:0] todo_q, todo_rest;  // children not yet served in this round
  word_t left_q;  // words that no block covers yet
  block_t block_q;  // words of the block
  index_t index_q;  // word of the pass
  logic first_pass_q;
  result_count_t reserved_q;  // results at hand and on their way
  // Words between issue and result: few, and never more than a block while passes depend on them.
  logic [ResultCountWidth-1:0] inflight_q;

  logic has_child, wide, last_pass;
  link_id_t link;
  assign has_child = children_i != '0;
  assign wide = element_i == ElementInt64 || element_i == ElementDouble;
  assign link = lowest_link(todo_q);
  assign todo_rest = todo_q & (todo_q - 1'b1);
  assign last_pass = todo_rest == '0;
  assign stream_link_o = link;

  // ------------------------------------------------------------------ issue
  logic stream_ready, want, take, issue, pass_ends, check_q;
  link_id_t check_link_q;
  assign stream_ready = stream_count_i != '0;
  always_comb begin
    unique case (state_q)
      Descriptor: want = todo_q != '0 && stream_ready;
      Pass: begin
        // A partial result must have come back before the next pass takes it.
        want = (!has_child || stream_ready) &&
            (first_pass_q ? own_valid_i : inflight_q < result_count_t'(block_q));
      end
      default: want = 1'b0;
    endcase
  end
  assign stream_read_o = want && has_child;
  assign take = want && (!has_child || stream_grant_i);
  assign issue = take && state_q == Pass;
  assign own_pop_o = issue && first_pass_q;
  assign pass_ends = issue && block_t'(index_q) == block_q - 1'b1;

  // Words of the next block.
  block_t block_words;
  always_comb begin
    block_words = block_t'(PacketWords);
    if (has_child && stream_count_i < stream_count_t'(PacketWords)) begin
      // Half an element is enough to begin: the other half is on its way.
      block_words = block_t'(stream_count_i + stream_count_t'(wide)) & ~block_t'(wide);
    end
    if (left_q < word_t'(block_words)) block_words = block_t'(left_q);
  end
  logic block_starts, push_descriptor;
  assign block_starts = state_q == Block && block_words != '0 &&
      reserved_q <= result_count_t'(PacketWords);
  assign push_descriptor = state_q == Descriptor && todo_q == '0 && !mismatch_o;

  logic result_valid;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) begin
      state_q <= Idle;
      check_q <= 1'b0;
    end else begin
      check_q <= take && state_q == Descriptor;
      unique case (state_q)
        Idle: if (start_i) state_q <= Descriptor;
        Descriptor: if (push_descriptor) state_q <= left_q == '0 ? Idle : Block;
        Block: if (block_starts) state_q <= Pass;
        default: if (pass_ends && last_pass) state_q <= left_q == '0 ? Idle : Block;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      todo_q <= children_i;
      left_q <= words_i;
    end else if (push_descriptor || (pass_ends && last_pass)) begin
      todo_q <= children_i;
    end else if (pass_ends || (take && state_q == Descriptor)) begin
      todo_q <= todo_rest;
    end
    if (take) check_link_q <= link;
    if (block_starts) begin
      left_q <= left_q - word_t'(block_words);
      block_q <= block_words;
      index_q <= '0;
      first_pass_q <= 1'b1;
    end else if (issue) begin
      index_q <= pass_ends ? '0 : index_q + 1'b1;
      if (pass_ends) first_pass_q <= 1'b0;
    end
  end

  assign mismatch_o = check_q && stream_data_i != descriptor_i;
  assign mismatch_link_o = check_link_q;

  // ------------------------------------------------------------------ combination
  word_t partial_q[PacketWords];
  logic operands_valid_q, result_high;
  word_t a_q, result;
  tag_t tag_q, result_tag;
  index_t result_index;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) operands_valid_q <= 1'b0;
    else operands_valid_q <= issue;
  end
  always_ff @(posedge clk_i) begin
    if (issue) begin
      a_q   <= first_pass_q ? own_data_i : partial_q[index_q];
      tag_q <= '{last: last_pass, index: index_q};
    end
    if (result_valid && !result_tag.last) partial_q[result_index] <= result;
  end

  // Without a child, contribution or nothing is the contribution.
  combine_unit #(
      .FpuStages(FpuStages),
      .Tag(tag_t)
  ) u_combine_unit (
      .clk_i,
      .rst_ni,
      .element_i(has_child ? element_i : ElementInt32),
      .combine_i(has_child ? combine_i : CombineOr),
      .valid_i  (operands_valid_q),
      .a_i      (a_q),
      .b_i      (has_child ? stream_data_i : '0),
      .tag_i    (tag_q),
      .valid_o  (result_valid),
      .data_o   (result),
      .tag_o    (result_tag),
      .high_o   (result_high)
  );
  // Blocks begin with a whole element: the low word of a pair is the even one.
  assign result_index = has_child && wide ? {result_tag.index[IndexWidth-1:1], result_high} :
      result_tag.index;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) inflight_q <= '0;
    else if (issue != result_valid) begin
      inflight_q <= issue ? inflight_q + 1'b1 : inflight_q - 1'b1;
    end
  end

  // ------------------------------------------------------------------ results
  logic [ResultCountWidth-1:0] reserve;
  always_comb begin
    reserve = '0;
    if (push_descriptor) reserve = result_count_t'(1);
    else if (block_starts) reserve = result_count_t'(block_words);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) reserved_q <= '0;
    else reserved_q <= reserved_q + reserve - result_count_t'(result_pop_i);
  end

  fifo #(
      .T(word_t),
      .Depth(2 * PacketWords)
  ) u_results (
      .clk_i,
      .rst_ni,
      .push_i (push_descriptor || (result_valid && result_tag.last)),
      .data_i (push_descriptor ? descriptor_i : result),
      .pop_i  (result_pop_i),
      .data_o (result_data_o),
      .empty_o(),
      .full_o (),
      .count_o(result_count_o),
      .load_o (),
      .next_o ()
  );

  assign done_o = state_q == Idle && inflight_q == '0;
  assign active_o = take || check_q || block_starts || push_descriptor || operands_valid_q ||
      inflight_q != '0;

endmodule

`default_nettype wire
