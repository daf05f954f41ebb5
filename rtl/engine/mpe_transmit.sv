// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Sends the down unit's stream to every child, and the results of the up unit to a parent that has no
/// direct link.
///
/// A packet carries what is at hand when the injection port is free for it, at most `PacketWords`,
/// and starts only when its receivers have room for all of it. Of the down stream it carries also what
/// will come whatever happens: so packets of the parent go on as they are, word by word, and the
/// injection port may wait for a word between header and tail. The down stream is cut into blocks
/// that stay in the block buffer until each child has had its copy. One neighbour packet goes to all
/// children with direct links at once, if `Multicast` allows; other children get theirs one after
/// another. The two directions take turns.
module mpe_transmit
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Links, 2 to `MaxLinks`.
    parameter int unsigned Links = 8,
    /// Contexts: a power of two, at most `MaxContexts`.
    parameter int unsigned Contexts = 8,
    /// Words of a stream buffer of a neighbour: the credits of a link after reset.
    parameter int unsigned BufferWords = 512,
    /// Most payload words of a packet: a power of two, at least 4.
    parameter int unsigned PacketWords = 64,
    /// Words at hand before a packet starts that is not the last, at most `PacketWords`.
    parameter int unsigned ForwardWords = 1,
    /// One packet goes to all children with direct links.
    parameter bit Multicast = 1'b1,
    /// Bits of a count of words at hand.
    localparam int unsigned CountWidth = $clog2(PacketWords) + 2,
    /// Bits of a number of credits.
    localparam int unsigned CreditWidth = $clog2(BufferWords) + 1
) (
    /// Clock.
    input  logic                                           clk_i,
    /// Synchronous reset, active low.
    input  logic                                           rst_ni,
    /// Start no more packets.
    input  logic                                           stop_i,
    /// Words that were to come will not: fill the packet under way with anything.
    input  logic                                           stopped_i,
    /// Router of this slot.
    input  node_id_t                                       node_id_i,
    /// Number of this slot at its router.
    input  slot_id_t                                       slot_id_i,
    /// Context of the command.
    input  context_id_t                                    context_i,
    /// Neighbours in it.
    input  mpe_link_t   [      Links-1:0]                  links_i,
    /// Links of it that are direct.
    input  logic        [   MaxLinks-1:0]                  direct_i,
    /// Room that its neighbours have.
    input  logic        [   MaxLinks-1:0][CreditWidth-1:0] credit_i,
    /// A packet starts, one bit for each of its links.
    output logic        [   MaxLinks-1:0]                  start_o,
    /// Its words.
    output logic        [CreditWidth-1:0]                  words_o,
    /// Link of the parent.
    input  link_id_t                                       parent_i,
    /// Results for the parent at hand; none if the lane sends them.
    input  logic        [ CountWidth-1:0]                  up_count_i,
    /// No more will come.
    input  logic                                           up_complete_i,
    /// The oldest.
    input  word_t                                          up_data_i,
    /// Take it.
    output logic                                           up_pop_o,
    /// Links of the children.
    input  logic        [   MaxLinks-1:0]                  children_i,
    /// A word for all children.
    input  logic                                           down_push_i,
    /// The word.
    input  word_t                                          down_data_i,
    /// Words that will come whatever happens.
    input  logic        [ CountWidth-1:0]                  down_coming_i,
    /// No more will come.
    input  logic                                           down_complete_i,
    /// There is room for two words for all children.
    output logic                                           down_room_o,
    /// Flits of whole packets.
    output logic                                           request_valid_o,
    /// The flit.
    output flit_t                                          request_flit_o,
    /// The flit is taken.
    input  logic                                           request_ready_i,
    /// No word waits for the children and no packet is under way.
    output logic                                           done_o,
    /// State changes at the next edge without any input.
    output logic                                           active_o
);

  localparam int unsigned BlockDepth = 2 * PacketWords;
  localparam int unsigned IndexWidth = $clog2(BlockDepth);
  localparam int unsigned LinkWidth = $clog2(Links);
  typedef logic [LinkWidth-1:0] index_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [CreditWidth-1:0] credit_t;

  if (PacketWords < 4 || (PacketWords & (PacketWords - 1)) != 0) begin : gen_packet_check
    $error("PacketWords must be a power of two and at least 4, not %0d", PacketWords);
  end
  // A neighbour keeps up to a quarter of its buffer untold; a packet must fit into the rest.
  if (2 * PacketWords > BufferWords) begin : gen_buffer_check
    $error("BufferWords must be at least twice PacketWords, not %0d", BufferWords);
  end
  if (ForwardWords < 1 || ForwardWords > PacketWords) begin : gen_forward_check
    $error("ForwardWords must be from 1 to %0d, not %0d", PacketWords, ForwardWords);
  end

  typedef enum logic [1:0] {
    Pick,
    Header0,
    Header1,
    Payload
  } state_e;
  state_e state_q;
  logic down_q;  // the packet comes from the block buffer
  logic direct_q;  // it is a neighbour packet
  logic [MaxLinks-1:0] links_q;  // links that it goes to
  count_t length_q, left_q;

  // ------------------------------------------------------------------ block buffer
  word_t block_memory_q[BlockDepth];
  // Counts modulo 2 * BlockDepth: words written, first word of the block, next word of the packet.
  count_t write_q, base_q, read_q;
  logic [MaxLinks-1:0] todo_q;  // children that the block under way still has to go to
  count_t block_q;  // its words
  logic block_under_way, last_copy_q;
  count_t waiting;
  assign block_under_way = todo_q != '0;
  assign waiting = write_q - base_q;
  assign down_room_o = waiting <= count_t'(BlockDepth - 2);

  // ------------------------------------------------------------------ choose a packet
  function automatic count_t at_most_a_packet(count_t words);
    return words > count_t'(PacketWords) ? count_t'(PacketWords) : words;
  endfunction

  count_t up_words, down_words;
  logic up_enough, down_enough;
  assign up_words = at_most_a_packet(up_count_i);
  assign up_enough = up_complete_i ? up_words != '0 : up_words >= count_t'(ForwardWords);
  // With `ForwardWords` above one only words at hand count.
  assign down_words = block_under_way ? block_q : at_most_a_packet(
      ForwardWords == 1 ? waiting + down_coming_i : waiting
  );
  assign down_enough = block_under_way || (down_complete_i ? down_words != '0 :
                                           down_words >= count_t'(ForwardWords));

  // The next copies of the block, and the children after that.
  logic [MaxLinks-1:0] copies, next_copies, later_copies;
  assign copies = block_under_way ? todo_q : children_i;
  always_comb begin
    next_copies = copies & (~copies + 1'b1);
    if (Multicast && (next_copies & direct_i) != '0) next_copies = copies & direct_i;
  end
  assign later_copies = copies & ~next_copies;

  logic up_go, down_go, pick_down, pick;
  assign up_go = up_enough && credit_i[$clog2(MaxLinks)'(parent_i)] >= credit_t'(up_words);
  always_comb begin
    down_go = down_enough;
    for (int unsigned l = 0; l < MaxLinks; l++) begin
      if (next_copies[l] && credit_i[l] < credit_t'(down_words)) down_go = 1'b0;
    end
  end
  // Turns: the direction that did not send last comes first.
  assign pick_down = down_go && !(up_go && down_q);
  assign pick = state_q == Pick && !stop_i && (up_go || down_go);

  logic [MaxLinks-1:0] pick_links;
  count_t pick_words;
  assign pick_links = pick_down ? next_copies : link_bit(parent_i);
  assign pick_words = pick_down ? down_words : up_words;
  assign start_o = pick ? pick_links : '0;
  assign words_o = credit_t'(pick_words);

  // ------------------------------------------------------------------ send it
  logic sent, sent_word, sent_last;
  assign sent = request_valid_o && request_ready_i;
  assign sent_word = sent && state_q == Payload;
  assign sent_last = sent_word && left_q == count_t'(1);
  assign up_pop_o = sent_word && !down_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Pick;
      down_q  <= 1'b0;
      write_q <= '0;
      base_q  <= '0;
      todo_q  <= '0;
    end else begin
      unique case (state_q)
        Pick: if (pick) state_q <= Header0;
        Header0: if (sent) state_q <= direct_q ? Payload : Header1;
        Header1: if (sent) state_q <= Payload;
        default: if (sent_last) state_q <= Pick;
      endcase
      if (pick) down_q <= pick_down;
      if (pick && pick_down) todo_q <= later_copies;
      if (down_push_i) write_q <= write_q + 1'b1;
      if (sent_last && down_q && last_copy_q) base_q <= base_q + length_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (down_push_i) block_memory_q[write_q[IndexWidth-1:0]] <= down_data_i;
    if (pick) begin
      links_q  <= pick_links;
      direct_q <= pick_down && (pick_links & direct_i) != '0;
      length_q <= pick_words;
      left_q   <= pick_words;
      read_q   <= base_q;
      if (pick_down) begin
        block_q <= down_words;
        last_copy_q <= later_copies == '0;
      end
    end else if (sent_word) begin
      left_q <= left_q - 1'b1;
      read_q <= read_q + 1'b1;
    end
  end

  // ------------------------------------------------------------------ flits
  header0_t header0;
  header1_t header1;
  neighbour_header_t neighbour_header;
  mpe_info_t info;
  mpe_link_t link;
  word_t data;
  assign link = links_i[index_t'(lowest_link(links_q))];
  assign info = '{
          reserved: '0,
          context_id: context_i & context_id_t'(Contexts - 1),
          link: link.peer_link
      };
  assign header0 = '{
          kind: KindStream,
          dst_slot: link.slot,
          dst_node: link.node,
          src_node: node_id_i
      };
  assign neighbour_header = '{
          kind: KindNeighbour,
          context_id: 4'(info.context_id),
          ports: 12'(links_q),
          length: 12'(length_q)
      };
  assign header1 = '{src_slot: slot_id_i, info: info, length: 16'(length_q)};
  always_comb begin
    unique case (state_q)
      Header1: data = header1;
      Payload: data = down_q ? block_memory_q[read_q[IndexWidth-1:0]] : up_data_i;
      default: data = direct_q ? neighbour_header : header0;
    endcase
  end
  // A word of the block may have to be waited for.
  logic word_at_hand;
  assign word_at_hand = !down_q || read_q != write_q || stopped_i;
  assign request_valid_o = state_q != Pick && (state_q != Payload || word_at_hand);
  assign request_flit_o = '{
          vc: vc_t'(is_reply(KindStream)),
          last: state_q == Payload && left_q == count_t'(1),
          data: data
      };

  assign done_o = state_q == Pick && waiting == '0;
  assign active_o = pick || state_q != Pick;

  logic unused_bits;
  assign unused_bits = ^{link.direct, down_coming_i};

`ifndef SYNTHESIS
  // The down unit asks for room before it pushes.
  RoomForWords :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      down_push_i |-> waiting != count_t'(BlockDepth));
  // Words of a packet are at hand once it has started.
  WordAtHand :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == Payload && !down_q |-> up_count_i != '0);
  // What is sent has a receiver.
  LinkExists :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (start_o >> Links) == '0);
`endif

endmodule

`default_nettype wire
