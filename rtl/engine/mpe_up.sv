// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Up unit: combines the streams of the children with this node's contribution.
///
/// First it takes the descriptor of every child, compares it, and puts its own into the results.
/// Then the contribution runs through a chain of `CombinePorts` stages; each adds the stream of one
/// child, in link order, as soon as its words are there. Small buffers stand between the stages.
///
/// ```
///             child a       child b           child c
///                ▼             ▼                 ▼
///   own ──►  stage 0 ──► ▒ ─ stage 1 ──► ▒ ... stage n ──► results
///    ▲                                          │
///    └────────────── partial results ◄──────────┘ more children than stages
/// ```
///
/// With more children than stages the words are worked on in blocks of at most `PacketWords`, as many
/// as the first child has sent; a block passes through the chain once for each group of children. The
/// order of combination is the same for any number of stages, and so are the results. Without
/// children the results are the contribution.
///
/// An exchange goes in rounds over the links `children`, in the order of `next_link`, with at most
/// `PacketWords` words. The results are what each neighbour in turn is to be sent, then the outcome,
/// each with the descriptor in front. The first neighbour gets the contribution, the next one that
/// combined with the first one's words, and so on. Neighbours put the operand of the lower address
/// first, so that both get the same bits.
module mpe_up
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Bits of a count of words in a stream buffer.
    parameter int unsigned StreamCountWidth = 10,
    /// Most words of a block.
    localparam int unsigned PacketWords = Cfg.mpe_packet_words,
    /// Stages of the chain: children whose streams are combined in one pass.
    localparam int unsigned CombinePorts = Cfg.mpe_combine_ports,
    /// Bits of a count of results.
    localparam int unsigned ResultCountWidth = $clog2(PacketWords) + 2
) (
    /// Clock.
    input  logic                                                     clk_i,
    /// Synchronous reset, active low.
    input  logic                                                     rst_ni,
    /// Begin; everything named below `command` is constant from here on.
    input  logic                                                     start_i,
    /// Cease: a descriptor differed.
    input  logic                                                     stop_i,
    /// Command: element type.
    input  element_e                                                 element_i,
    /// Command: operation.
    input  combine_e                                                 combine_i,
    /// Command: links of the children.
    input  logic        [        MaxLinks-1:0]                       children_i,
    /// Command: rounds of exchange.
    input  logic                                                     exchange_i,
    /// Command: pairs of links of which the higher one comes first in an exchange.
    input  link_pairs_t                                              swap_i,
    /// Neighbours with lower addresses than ours, one bit per link.
    input  logic        [        MaxLinks-1:0]                       lower_i,
    /// Command: descriptor.
    input  word_t                                                    descriptor_i,
    /// Command: words of each stream after the descriptor.
    input  word_t                                                    words_i,
    /// Words in the stream buffer of each link.
    input  logic        [        MaxLinks-1:0][StreamCountWidth-1:0] stream_count_i,
    /// Take a word, one bit per link.
    output logic        [        MaxLinks-1:0]                       stream_read_o,
    /// The word of each link taken in the cycle before.
    input  word_t       [        MaxLinks-1:0]                       stream_data_i,
    /// A word of the contribution is at hand.
    input  logic                                                     own_valid_i,
    /// The word.
    input  word_t                                                    own_data_i,
    /// Take it.
    output logic                                                     own_pop_o,
    /// Results at hand, descriptor included.
    output logic        [ResultCountWidth-1:0]                       result_count_o,
    /// The oldest.
    output word_t                                                    result_data_o,
    /// Take it.
    input  logic                                                     result_pop_i,
    /// Every result has been produced (some may still be at hand).
    output logic                                                     done_o,
    /// A child's descriptor differs.
    output logic                                                     mismatch_o,
    /// The child.
    output link_id_t                                                 mismatch_link_o,
    /// State changes at the next edge without any input.
    output logic                                                     active_o
);

  // Between two stages: what is on its way through a stage and back to the front of a buffer.
  localparam int unsigned ChainWords = 1 << $clog2(Cfg.fpu_stages + 5);
  localparam int unsigned ResultWords = 2 * PacketWords;
  localparam int unsigned RoomWidth = $clog2(ResultWords + ChainWords) + 1;
  typedef logic [$clog2(PacketWords):0] block_t;
  typedef logic [$clog2(MaxLinks)-1:0] index_t;
  typedef logic [RoomWidth-1:0] room_t;
  typedef logic [ResultCountWidth-1:0] result_count_t;
  typedef struct packed {
    logic  last;  // of its pass
    word_t data;
  } partial_t;


  typedef enum logic [2:0] {
    Idle,
    Descriptor,
    Copy,  // the contribution, for the first neighbour
    Block,
    Pass
  } state_e;

  state_e state_q;
  logic [MaxLinks-1:0] todo_q;  // children not yet served: of the descriptors, of the block
  word_t left_q;  // words that no block covers yet
  word_t pass_left_q;  // words that the first stage has not taken yet
  block_t block_q;  // words of a block that takes several passes
  logic first_pass_q;
  // Exchange: the neighbour's descriptor is waited for; its link; there will be another round.
  logic await_q, more;
  index_t round_link_q;
  assign more = todo_q != '0;

  // ------------------------------------------------------------------ descriptors
  logic [MaxLinks-1:0] ready, descriptor_read, check_q, differs;
  logic push_descriptor;
  for (genvar l = 0; l < MaxLinks; l++) begin : gen_link
    assign ready[l]   = stream_count_i[l] != '0;
    assign differs[l] = check_q[l] && stream_data_i[l] != descriptor_i;
  end
  logic [CombinePorts-1:0] done;
  logic full;
  assign full = result_count_o == result_count_t'(ResultWords);
  always_comb begin
    descriptor_read = '0;
    if (state_q == Descriptor) begin
      if (!exchange_i) descriptor_read = todo_q & ready;
      // The round before must have left its last result.
      else if (await_q && &done && !full && check_q == '0) begin
        descriptor_read = todo_q & link_bit(next_link(todo_q, swap_i)) & ready;
      end
    end
  end
  assign mismatch_o = differs != '0;
  assign mismatch_link_o = lowest_link(differs);
  assign push_descriptor = state_q == Descriptor && !mismatch_o &&
      (exchange_i ? !await_q || check_q != '0 : todo_q == '0);

  logic copy, copy_ends;
  assign copy = state_q == Copy && own_valid_i && !full;
  assign copy_ends = copy && pass_left_q == word_t'(1);

  // ------------------------------------------------------------------ blocks and passes
  logic has_child, wide, last_pass, block_starts, pass_starts, pass_ends;
  index_t first_child;
  word_t  block_words;
  assign has_child = children_i != '0;
  assign wide = Cfg.mpe_wide_elements && is_wide(element_i);
  assign first_child = index_t'(lowest_link(children_i));

  // Children of each stage in the pass that starts, and those that are left for the next one.
  logic [CombinePorts-1:0] joins, ends;
  link_id_t links[CombinePorts];
  logic [MaxLinks-1:0] rest;
  always_comb begin
    rest = state_q == Block && !exchange_i ? children_i : todo_q;
    for (int unsigned s = 0; s < CombinePorts; s++) begin
      links[s] = lowest_link(rest);
      joins[s] = rest != '0 || (s == 0 && !has_child);
      rest = rest & (rest - 1'b1);
      ends[s] = rest == '0;
    end
    last_pass = rest == '0;
    if (exchange_i) begin
      links[0] = link_id_t'(round_link_q);
      joins = CombinePorts'(1);
      ends = '1;
      last_pass = 1'b1;
      rest = todo_q;
    end
  end

  // One pass takes what comes; a block of several must be known to come soon. Half an element is
  // enough: the other half is on its way.
  word_t first_words;
  assign first_words = word_t'(stream_count_i[first_child]);
  always_comb begin
    block_words = left_q;
    if (!last_pass) begin
      if (block_words > word_t'(PacketWords)) block_words = word_t'(PacketWords);
      if (block_words > first_words) block_words = (first_words + word_t'(wide)) & ~word_t'(wide);
    end
  end
  assign block_starts = state_q == Block && block_words != '0;
  assign pass_starts  = block_starts || (pass_ends && more && !exchange_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) begin
      state_q <= Idle;
      check_q <= '0;
    end else begin
      check_q <= descriptor_read;
      unique case (state_q)
        Idle:  if (start_i) state_q <= Descriptor;
        Descriptor: begin
          if (push_descriptor) begin
            if (left_q != '0) state_q <= exchange_i && !await_q ? Copy : Block;
            else if (!exchange_i || !more) state_q <= Idle;
          end
        end
        Copy:  if (copy_ends) state_q <= more ? Descriptor : Idle;
        Block: if (block_starts) state_q <= Pass;
        default: begin
          if (pass_ends && exchange_i) state_q <= more ? Descriptor : Idle;
          else if (pass_ends && !more) state_q <= left_q == '0 ? Idle : Block;
        end
      endcase
    end
  end

  link_id_t link_q[CombinePorts];
  logic [CombinePorts-1:0] take, final_q;
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      todo_q <= children_i;
      left_q <= words_i;
    end else begin
      if (pass_starts) todo_q <= rest;
      else todo_q <= todo_q & ~descriptor_read;
      if (block_starts && !exchange_i) left_q <= left_q - block_words;
    end
    if (start_i) await_q <= 1'b0;
    else if (push_descriptor) await_q <= 1'b1;
    if (descriptor_read != '0) round_link_q <= index_t'(lowest_link(descriptor_read));
    if (block_starts) begin
      pass_left_q <= block_words;
      block_q <= block_t'(block_words);
    end else if (pass_starts) begin
      pass_left_q <= word_t'(block_q);
    end else if (push_descriptor) begin
      pass_left_q <= left_q;
    end else if (take[0] || copy) begin
      pass_left_q <= pass_left_q - 1'b1;
    end
    if (pass_starts) begin
      first_pass_q <= block_starts && !exchange_i;
      link_q <= links;
      final_q <= ends;
    end
  end

  // ------------------------------------------------------------------ chain of stages
  logic [CombinePorts-1:0] result_valid, result_last, result_final, ending, active;
  word_t result[CombinePorts];
  logic [CombinePorts-1:0] chain_valid, chain_last;
  word_t chain_data[CombinePorts];
  room_t chain_room[CombinePorts];
  logic partial_empty;
  word_t partial;

  assign chain_valid[0] = first_pass_q ? own_valid_i : !partial_empty;
  assign chain_data[0] = first_pass_q ? own_data_i : partial;
  assign chain_last[0] = pass_left_q == word_t'(1);
  assign own_pop_o = copy || (take[0] && first_pass_q);
  assign pass_ends = state_q == Pass && &ending;

  for (genvar s = 0; s < CombinePorts; s++) begin : gen_stage
    room_t  room;
    // A word comes a cycle after it was asked for, when the next pass may have begun.
    index_t stream_link_q;
    always_ff @(posedge clk_i) begin
      if (take[s]) stream_link_q <= index_t'(link_q[s]);
    end

    if (s > 0) begin : gen_chain
      partial_t head;
      logic empty;
      logic [$clog2(ChainWords):0] count;
      fifo #(
          .T(partial_t),
          .Depth(ChainWords)
      ) u_chain (
          .clk_i,
          .rst_ni,
          .push_i (result_valid[s-1] && !result_final[s-1]),
          .data_i ('{last: result_last[s-1], data: result[s-1]}),
          .pop_i  (take[s]),
          .data_o (head),
          .empty_o(empty),
          .full_o (),
          .count_o(count),
          .load_o (),
          .next_o ()
      );
      assign chain_valid[s]  = !empty;
      assign chain_last[s]   = head.last;
      assign chain_data[s]   = head.data;
      assign chain_room[s-1] = room_t'(ChainWords) - room_t'(count);
    end
    if (s == CombinePorts - 1) begin : gen_end
      // A block has room for its own partial results.
      assign chain_room[s] = room_t'(PacketWords);
    end

    assign room = final_q[s] ? room_t'(ResultWords) - room_t'(result_count_o) : chain_room[s];
    mpe_combine_stage #(
        .Cfg(Cfg),
        .RoomWidth(RoomWidth)
    ) u_stage (
        .clk_i,
        .rst_ni,
        .start_i        (pass_starts && joins[s]),
        .stop_i,
        .final_i        (final_q[s]),
        .element_i,
        .combine_i,
        .child_i        (has_child),
        .swap_i         (exchange_i && lower_i[round_link_q]),
        .partial_valid_i(chain_valid[s]),
        .partial_last_i (chain_last[s]),
        .partial_data_i (chain_data[s]),
        .stream_valid_i (ready[index_t'(link_q[s])]),
        .stream_data_i  (stream_data_i[stream_link_q]),
        .take_o         (take[s]),
        .room_i         (room),
        .valid_o        (result_valid[s]),
        .data_o         (result[s]),
        .last_o         (result_last[s]),
        .final_o        (result_final[s]),
        .ending_o       (ending[s]),
        .done_o         (done[s]),
        .active_o       (active[s])
    );
  end

  always_comb begin
    stream_read_o = descriptor_read;
    for (int unsigned s = 0; s < CombinePorts; s++) begin
      if (take[s] && has_child) stream_read_o[index_t'(link_q[s])] = 1'b1;
    end
  end

  logic unused_last;
  assign unused_last = result_last[CombinePorts-1];

  // ------------------------------------------------------------------ results
  // A group that is not the last one fills the chain. Final results leave where the last one ends.
  logic  final_valid;
  word_t final_data;
  always_comb begin
    final_valid = 1'b0;
    final_data  = '0;
    for (int unsigned s = 0; s < CombinePorts; s++) begin
      if (result_valid[s] && result_final[s]) begin
        final_valid = 1'b1;
        final_data  = result[s];
      end
    end
  end

  fifo #(
      .T(word_t),
      .Depth(PacketWords)
  ) u_partial (
      .clk_i,
      .rst_ni,
      .push_i (exchange_i ? more && (copy || final_valid) :
               result_valid[CombinePorts-1] && !result_final[CombinePorts-1]),
      .data_i(exchange_i ? (copy ? own_data_i : final_data) : result[CombinePorts-1]),
      .pop_i(take[0] && !first_pass_q),
      .data_o(partial),
      .empty_o(partial_empty),
      .full_o(),
      .count_o(),
      .load_o(),
      .next_o()
  );

  fifo #(
      .T(word_t),
      .Depth(ResultWords)
  ) u_results (
      .clk_i,
      .rst_ni,
      .push_i (push_descriptor || copy || final_valid),
      .data_i (push_descriptor ? descriptor_i : copy ? own_data_i : final_data),
      .pop_i  (result_pop_i),
      .data_o (result_data_o),
      .empty_o(),
      .full_o (),
      .count_o(result_count_o),
      .load_o (),
      .next_o ()
  );

`ifndef SYNTHESIS
  // What is exchanged fits what is kept from round to round.
  ExchangeFits :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i && exchange_i |-> words_i <= word_t'(PacketWords));
  // Final results leave one stage at a time.
  OneFinalResult :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(result_valid & result_final));
`endif

  assign done_o = state_q == Idle && &done;
  assign active_o = copy || descriptor_read != '0 || check_q != '0 || block_starts ||
      push_descriptor || active != '0;

endmodule

`default_nettype wire
