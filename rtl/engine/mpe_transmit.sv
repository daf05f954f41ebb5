// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Sends the results of the up unit to the parent and the down unit's stream to every child.
///
/// A packet carries what is at hand when the injection port is free for it, at most `PacketWords`,
/// and starts only when its receiver has room for all of it. The down stream is cut into blocks
/// that stay in the block buffer until each child has had its copy, one after another. The two
/// directions take turns.
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
    /// Bits of a count of words at hand.
    localparam int unsigned CountWidth = $clog2(PacketWords) + 2
) (
    /// Clock.
    input  logic                         clk_i,
    /// Synchronous reset, active low.
    input  logic                         rst_ni,
    /// Start no more packets.
    input  logic                         stop_i,
    /// Router of this slot.
    input  node_id_t                     node_id_i,
    /// Number of this slot at its router.
    input  slot_id_t                     slot_id_i,
    /// Context of the command.
    input  context_id_t                  context_i,
    /// Neighbours in it.
    input  mpe_link_t   [     Links-1:0] links_i,
    /// A neighbour has freed words.
    input  logic                         credit_valid_i,
    /// Its context.
    input  context_id_t                  credit_context_i,
    /// Its link.
    input  link_id_t                     credit_link_i,
    /// How many words.
    input  logic        [          15:0] credit_count_i,
    /// Link of the parent.
    input  link_id_t                     parent_i,
    /// Results for the parent at hand.
    input  logic        [CountWidth-1:0] up_count_i,
    /// The oldest.
    input  word_t                        up_data_i,
    /// Take it.
    output logic                         up_pop_o,
    /// Links of the children.
    input  logic        [  MaxLinks-1:0] children_i,
    /// A word for all children.
    input  logic                         down_push_i,
    /// The word.
    input  word_t                        down_data_i,
    /// There is room for two words for all children.
    output logic                         down_room_o,
    /// Flits of whole packets.
    output logic                         request_valid_o,
    /// The flit.
    output flit_t                        request_flit_o,
    /// The flit is taken.
    input  logic                         request_ready_i,
    /// No word waits for the children and no packet is under way.
    output logic                         done_o,
    /// State changes at the next edge without any input.
    output logic                         active_o
);

  localparam int unsigned BlockDepth = 2 * PacketWords;
  localparam int unsigned IndexWidth = $clog2(BlockDepth);
  localparam int unsigned LinkWidth = $clog2(Links);
  localparam int unsigned CreditWidth = $clog2(BufferWords) + 1;
  typedef logic [LinkWidth-1:0] index_t;
  localparam int unsigned ContextWidth = Contexts > 1 ? $clog2(Contexts) : 1;
  typedef logic [ContextWidth-1:0] context_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [CreditWidth-1:0] credit_t;

  if (PacketWords < 4 || (PacketWords & (PacketWords - 1)) != 0) begin : gen_packet_check
    $error("PacketWords must be a power of two and at least 4, not %0d", PacketWords);
  end
  // A neighbour keeps up to a quarter of its buffer untold; a packet must fit into the rest.
  if (2 * PacketWords > BufferWords) begin : gen_buffer_check
    $error("BufferWords must be at least twice PacketWords, not %0d", BufferWords);
  end

  typedef enum logic [1:0] {
    Pick,
    Header0,
    Header1,
    Payload
  } state_e;
  state_e state_q;
  logic   down_q;  // the packet comes from the block buffer
  index_t link_q;
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

  context_t context_id, credit_context;
  assign context_id = context_t'(context_i & context_id_t'(Contexts - 1));
  assign credit_context = context_t'(credit_context_i & context_id_t'(Contexts - 1));
  // Room at each neighbour, in each context and in that of the command.
  credit_t credit_q[Contexts][Links];
  count_t up_words, down_words;
  logic [MaxLinks-1:0] copies;
  link_id_t child;
  logic up_go, down_go, pick_down, pick;
  assign up_words = at_most_a_packet(up_count_i);
  assign down_words = block_under_way ? block_q : at_most_a_packet(waiting);
  assign copies = block_under_way ? todo_q : children_i;
  assign child = lowest_link(copies);
  credit_t parent_credit, child_credit;
  assign parent_credit = credit_q[context_id][index_t'(parent_i)];
  assign child_credit = credit_q[context_id][index_t'(child)];
  assign up_go = up_words != '0 && parent_credit >= credit_t'(up_words);
  assign down_go = down_words != '0 && child_credit >= credit_t'(down_words);
  // Turns: the direction that did not send last comes first.
  assign pick_down = down_go && !(up_go && down_q);
  assign pick = state_q == Pick && !stop_i && (up_go || down_go);

  link_id_t pick_link;
  count_t   pick_words;
  assign pick_link  = pick_down ? child : parent_i;
  assign pick_words = pick_down ? down_words : up_words;

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
        Header0: if (sent) state_q <= Header1;
        Header1: if (sent) state_q <= Payload;
        default: if (sent_last) state_q <= Pick;
      endcase
      if (pick) down_q <= pick_down;
      if (pick && pick_down) todo_q <= copies & (copies - 1'b1);
      if (down_push_i) write_q <= write_q + 1'b1;
      if (sent_last && down_q && last_copy_q) base_q <= base_q + length_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (down_push_i) block_memory_q[write_q[IndexWidth-1:0]] <= down_data_i;
    if (pick) begin
      link_q   <= index_t'(pick_link);
      length_q <= pick_words;
      left_q   <= pick_words;
      read_q   <= base_q;
      if (pick_down) begin
        block_q <= down_words;
        last_copy_q <= (copies & (copies - 1'b1)) == '0;
      end
    end else if (sent_word) begin
      left_q <= left_q - 1'b1;
      read_q <= read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned c = 0; c < Contexts; c++) begin
        for (int unsigned l = 0; l < Links; l++) credit_q[c][l] <= credit_t'(BufferWords);
      end
    end else if (pick || credit_valid_i) begin
      for (int unsigned c = 0; c < Contexts; c++) begin
        for (int unsigned l = 0; l < Links; l++) begin
          credit_q[c][l] <= credit_q[c][l] -
              (pick && context_id == context_t'(c) && 32'(pick_link) == l ?
               credit_t'(pick_words) : '0) +
              (credit_valid_i && credit_context == context_t'(c) && 32'(credit_link_i) == l ?
               credit_t'(credit_count_i) : '0);
        end
      end
    end
  end

  // ------------------------------------------------------------------ flits
  header0_t header0;
  header1_t header1;
  mpe_info_t info;
  word_t data;
  assign info = '{
          reserved: '0,
          context_id: context_id_t'(context_id),
          link: links_i[link_q].peer_link
      };
  assign header0 = '{
          kind: KindStream,
          dst_slot: links_i[link_q].slot,
          dst_node: links_i[link_q].node,
          src_node: node_id_i
      };
  assign header1 = '{src_slot: slot_id_i, info: info, length: 16'(length_q)};
  always_comb begin
    unique case (state_q)
      Header1: data = header1;
      Payload: data = down_q ? block_memory_q[read_q[IndexWidth-1:0]] : up_data_i;
      default: data = header0;
    endcase
  end
  assign request_valid_o = state_q != Pick;
  assign request_flit_o = '{
          vc: vc_t'(is_reply(KindStream)),
          last: state_q == Payload && left_q == count_t'(1),
          data: data
      };

  assign done_o = state_q == Pick && waiting == '0;
  assign active_o = pick || state_q != Pick;

  logic unused_contexts;
  assign unused_contexts = ^{context_i, credit_context_i};

`ifndef SYNTHESIS
  // No more room is ever told of than a buffer has.
  CreditsBounded :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      credit_valid_i |-> 32'(credit_link_i) < Links &&
      32'(credit_q[credit_context][index_t'(credit_link_i)]) + 32'(credit_count_i) <= BufferWords);
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
  assert property (@(posedge clk_i) disable iff (!rst_ni) pick |-> 32'(pick_link) < Links);
`endif

endmodule

`default_nettype wire
