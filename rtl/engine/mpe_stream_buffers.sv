// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Stream buffers of all contexts and links, and the Credit packets that tell of words taken.
///
/// A context has a buffer for each link. One context is read at a time, and whatever comes for the
/// others waits without being in the way. Each link has a memory of its own, so that words of all links
/// can come and be taken in the same cycle. A word of a Stream packet that meets one that comes directly
/// to the same memory is held for as long as such words keep coming, and no other is taken until then.
/// A word read in cycle t is at `data_o` in cycle t + 1 and stays there until the next one is read. A
/// link's neighbour hears of freed words when they are a quarter of a buffer or more.
module mpe_stream_buffers
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Links, 2 to `MaxLinks`.
    parameter int unsigned Links = 8,
    /// Contexts: a power of two, at most `MaxContexts`.
    parameter int unsigned Contexts = 8,
    /// Words of a link's buffer: a power of two, at least 8.
    parameter int unsigned Words = 512,
    /// Links that words come to directly; 0: none.
    parameter int unsigned DirectLinks = 0,
    /// Bits of a count of words.
    localparam int unsigned CountWidth = $clog2(Words) + 1
) (
    /// Clock.
    input  logic                                       clk_i,
    /// Synchronous reset, active low.
    input  logic                                       rst_ni,
    /// Router of this slot.
    input  node_id_t                                   node_id_i,
    /// Number of this slot at its router.
    input  slot_id_t                                   slot_id_i,
    /// Neighbours in each context.
    input  mpe_link_t   [Contexts-1:0][     Links-1:0] links_i,
    /// A word of a Stream packet arrives.
    input  logic                                       rx_valid_i,
    /// Its context.
    input  context_id_t                                rx_context_i,
    /// Its link.
    input  link_id_t                                   rx_link_i,
    /// The word.
    input  word_t                                      rx_data_i,
    /// It is taken.
    output logic                                       rx_ready_o,
    /// A word arrives directly, one bit per link; it is taken.
    input  logic        [MaxLinks-1:0]                 tap_valid_i,
    /// Its context.
    input  context_id_t [MaxLinks-1:0]                 tap_context_i,
    /// The word.
    input  word_t       [MaxLinks-1:0]                 tap_data_i,
    /// Context that is read.
    input  context_id_t                                context_i,
    /// Words in its buffer of each link.
    output logic        [MaxLinks-1:0][CountWidth-1:0] count_o,
    /// Take a word, one bit per link.
    input  logic        [MaxLinks-1:0]                 read_i,
    /// Word of each link last taken.
    output word_t       [MaxLinks-1:0]                 data_o,
    /// Flits of Credit packets.
    output logic                                       reply_valid_o,
    /// The flit.
    output flit_t                                      reply_flit_o,
    /// The flit is taken.
    input  logic                                       reply_ready_i,
    /// State changes at the next edge without any input.
    output logic                                       active_o
);

  localparam int unsigned IndexWidth = $clog2(Words);
  localparam int unsigned LinkWidth = $clog2(Links);
  typedef logic [LinkWidth-1:0] index_t;
  typedef logic [CountWidth-1:0] count_t;
  localparam int unsigned ContextWidth = Contexts > 1 ? $clog2(Contexts) : 1;
  typedef logic [ContextWidth-1:0] context_t;
  localparam int unsigned AddressWidth = $clog2(Contexts * Words);
  typedef logic [AddressWidth-1:0] address_t;

  if (Links < 2 || Links > MaxLinks) begin : gen_links_check
    $error("Links must be from 2 to %0d, not %0d", MaxLinks, Links);
  end
  if (Contexts < 1 || Contexts > MaxContexts ||
      (Contexts & (Contexts - 1)) != 0) begin : gen_contexts_check
    $error("Contexts must be a power of two and at most %0d, not %0d", MaxContexts, Contexts);
  end
  if (Words < 8 || (Words & (Words - 1)) != 0) begin : gen_words_check
    $error("Words must be a power of two and at least 8, not %0d", Words);
  end

  // Counts of each link modulo 2 * Words: words that arrived, that were taken, and that the neighbour
  // was told of. The latter two are looked at in the context that is read and in that of a Credit packet.
  count_t [Links-1:0] reply_taken, reply_told;
  context_t reply_context_q;
  index_t reply_link_q;
  logic told;
`ifdef FORMAL
  // Words in all buffers, for proofs.
  count_t held[Contexts][Links];
`endif
  // Words freed that the neighbour has not been told of are enough for a packet.
  logic [MaxLinks-1:0] enough;

  // ------------------------------------------------------------------ words
  function automatic context_t existing(context_id_t wanted);
    return context_t'(wanted & context_id_t'(Contexts - 1));
  endfunction

  // A word of a Stream packet: the one held, or the one that comes.
  typedef struct packed {
    context_t context_id;
    index_t   link;
    word_t    data;
  } stream_word_t;
  logic rx_held_q, rx_clash, rx_write;
  stream_word_t rx_q, rx;
  assign rx_ready_o = !rx_held_q;
  assign rx_clash   = tap_valid_i[3'(rx.link)];
  assign rx_write   = (rx_held_q || rx_valid_i) && !rx_clash;
  if (DirectLinks == 0) begin : gen_never_held
    assign rx_held_q = 1'b0;
    assign rx_q = '0;
  end else begin : gen_held
    always_ff @(posedge clk_i) begin
      if (!rst_ni) rx_held_q <= 1'b0;
      else rx_held_q <= (rx_held_q || rx_valid_i) && rx_clash;
    end
    always_ff @(posedge clk_i) rx_q <= rx;
  end
  always_comb begin
    rx = '{context_id: existing(rx_context_i), link: index_t'(rx_link_i), data: rx_data_i};
    if (rx_held_q) rx = rx_q;
  end

  context_t context_id;
  assign context_id = existing(context_i);

  // Place of a word in its link's memory.
  function automatic address_t address(context_t at, logic [IndexWidth-1:0] index);
    return address_t'(32'(at) * Words + 32'(index));
  endfunction

  for (genvar l = 0; l < MaxLinks; l++) begin : gen_link
    if (l < Links) begin : gen_buffer
      word_t memory_q[Contexts*Words];
      logic write;
      context_t write_context;
      word_t write_data;
      assign write = tap_valid_i[l] || (rx_write && rx.link == index_t'(l));
      assign write_context = tap_valid_i[l] ? existing(tap_context_i[l]) : rx.context_id;
      assign write_data = tap_valid_i[l] ? tap_data_i[l] : rx.data;
      count_t write_count, arrived, taken, told_before;
      mpe_counters #(
          .Contexts(Contexts),
          .Width   (CountWidth)
      ) u_arrived (
          .clk_i,
          .rst_ni,
          .write_i        (write),
          .write_context_i(context_id_t'(write_context)),
          .value_i        (write_count + 1'b1),
          .current_o      (write_count),
          .read_context_i (context_i),
          .read_o         (arrived)
      );
      mpe_counters #(
          .Contexts(Contexts),
          .Width   (CountWidth)
      ) u_taken (
          .clk_i,
          .rst_ni,
          .write_i        (read_i[l]),
          .write_context_i(context_i),
          .value_i        (taken + 1'b1),
          .current_o      (taken),
          .read_context_i (context_id_t'(reply_context_q)),
          .read_o         (reply_taken[l])
      );
      mpe_counters #(
          .Contexts(Contexts),
          .Width   (CountWidth)
      ) u_told (
          .clk_i,
          .rst_ni,
          .write_i        (told && reply_link_q == index_t'(l)),
          .write_context_i(context_id_t'(reply_context_q)),
          .value_i        (reply_taken[l]),
          .current_o      (reply_told[l]),
          .read_context_i (context_i),
          .read_o         (told_before)
      );
`ifdef FORMAL
      for (genvar c = 0; c < Contexts; c++) begin : gen_held
        assign held[c][l] = (u_arrived.written_q[c] ? u_arrived.memory_q[c] : '0) -
            (u_taken.written_q[c] ? u_taken.memory_q[c] : '0);
      end
`endif
      assign count_o[l] = arrived - taken;
      assign enough[l]  = read_i[l] && count_t'(taken + 1'b1 - told_before) >= count_t'(Words / 4);

      always_ff @(posedge clk_i) begin
        if (write) memory_q[address(write_context, write_count[IndexWidth-1:0])] <= write_data;
        if (read_i[l]) data_o[l] <= memory_q[address(context_id, taken[IndexWidth-1:0])];
      end
    end else begin : gen_no_link
      assign count_o[l] = '0;
      assign enough[l]  = 1'b0;
      assign data_o[l]  = '0;
    end
  end

  // ------------------------------------------------------------------ credits
  typedef enum logic [1:0] {
    Idle,
    Header0,
    Header1
  } state_e;
  state_e state_q;
  logic [Contexts-1:0][MaxLinks-1:0] due_q;
  context_t due_context;
  logic due;
  assign told = state_q == Header1 && reply_ready_i;
  assign active_o = state_q != Idle || due || rx_held_q;
  always_comb begin
    due = 1'b0;
    due_context = '0;
    for (int unsigned c = Contexts; c > 0; c--) begin
      if (due_q[c-1] != '0) begin
        due = 1'b1;
        due_context = context_t'(c - 1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      for (int unsigned c = 0; c < Contexts; c++) due_q[c] <= '0;
    end else begin
      due_q[context_id] <= due_q[context_id] | enough;
      unique case (state_q)
        Idle: begin
          if (due) state_q <= Header0;
        end
        Header0: if (reply_ready_i) state_q <= Header1;
        default: begin
          if (reply_ready_i) state_q <= Idle;
        end
      endcase
      if (told) begin
        // A word read in this very cycle is told of the next time.
        due_q[reply_context_q][3'(reply_link_q)] <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      reply_context_q <= due_context;
      reply_link_q <= index_t'(lowest_link(due_q[due_context]));
    end
  end

  header0_t  header0;
  header1_t  header1;
  mpe_info_t info;
  mpe_link_t neighbour;
  // Explicit choices: of an index into elements of this size synthesis makes a shifter.
  always_comb begin
    neighbour = '0;
    for (int unsigned c = 0; c < Contexts; c++) begin
      for (int unsigned l = 0; l < Links; l++) begin
        if (reply_context_q == context_t'(c) && reply_link_q == index_t'(l)) begin
          neighbour |= links_i[c][l];
        end
      end
    end
  end
  assign info = '{
          reserved: '0,
          context_id: context_id_t'(reply_context_q),
          link: neighbour.peer_link
      };
  assign header0 = '{
          kind: KindCredit,
          dst_slot: neighbour.slot,
          dst_node: neighbour.node,
          src_node: node_id_i
      };
  assign header1 = '{
          src_slot: slot_id_i,
          info: info,
          length: 16'(count_t'(reply_taken[reply_link_q] - reply_told[reply_link_q]))
      };
  assign reply_valid_o = state_q != Idle;
  assign reply_flit_o = '{
          vc: vc_t'(is_reply(KindCredit)),
          last: state_q == Header1,
          data: state_q == Header1 ? header1 : header0
      };

  logic unused_bits;
  assign unused_bits = ^{
    neighbour.direct, rx_link_i, rx_context_i, tap_context_i, tap_data_i, context_i
  };

`ifndef SYNTHESIS
  // Senders count credits, so a word always finds room.
  for (genvar l = 0; l < Links; l++) begin : gen_room
    context_t there;
    count_t   taken_there;
    assign there = gen_link[l].gen_buffer.write_context;
    assign taken_there = gen_link[l].gen_buffer.u_taken.written_q[there] ?
        gen_link[l].gen_buffer.u_taken.memory_q[there] : '0;
    RoomForArrivals :
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        gen_link[l].gen_buffer.write |->
        count_t'(gen_link[l].gen_buffer.write_count - taken_there) != count_t'(Words));
  end
  // Links that do not exist bring nothing.
  LinkExists :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rx_valid_i |-> 32'(rx_link_i) < Links) and
      ((tap_valid_i >> (DirectLinks < Links ? DirectLinks : Links)) == '0));
  // Only words that are there can be taken.
  for (genvar l = 0; l < MaxLinks; l++) begin : gen_words
    ReadsWords :
    assert property (@(posedge clk_i) disable iff (!rst_ni) read_i[l] |-> count_o[l] != '0);
  end
`endif

endmodule

`default_nettype wire
