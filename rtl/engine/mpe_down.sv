// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Down unit: moves one stream to the children's block buffer and into memory.
///
/// The stream comes from the parent, from this node's contribution (root of a broadcast), or from
/// the results of the up unit (root of a reduce or a barrier). Its first word is the descriptor: the
/// parent's is compared, and it goes to the children but not into memory.
module mpe_down
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Bits of a count of words in a stream buffer.
    parameter int unsigned StreamCountWidth = 10,
    /// Most payload words of a packet.
    parameter int unsigned PacketWords = 64,
    /// Bits of a count of words for children.
    localparam int unsigned CountWidth = $clog2(PacketWords) + 2
) (
    /// Clock.
    input  logic                                 clk_i,
    /// Synchronous reset, active low.
    input  logic                                 rst_ni,
    /// Begin; everything named below `command` is constant from here on.
    input  logic                                 start_i,
    /// Cease: a descriptor differed.
    input  logic                                 stop_i,
    /// Command: where the stream comes from.
    input  down_source_e                         source_i,
    /// Command: the stream goes to children.
    input  logic                                 forward_i,
    /// Command: the stream goes into memory.
    input  logic                                 store_i,
    /// Command: bytes, word aligned.
    input  logic          [                31:0] address_i,
    /// Command: descriptor.
    input  word_t                                descriptor_i,
    /// Command: words after the descriptor.
    input  word_t                                words_i,
    /// Words that the source has, or will have without waiting for anybody else.
    input  word_t                                available_i,
    /// Words in the parent's stream buffer.
    input  logic          [StreamCountWidth-1:0] stream_count_i,
    /// Take one.
    output logic                                 stream_read_o,
    /// The word taken in the cycle before.
    input  word_t                                stream_data_i,
    /// A word of the contribution is at hand.
    input  logic                                 own_valid_i,
    /// The word.
    input  word_t                                own_data_i,
    /// Take it.
    output logic                                 own_pop_o,
    /// A result is at hand.
    input  logic                                 result_valid_i,
    /// The result.
    input  word_t                                result_data_i,
    /// Take it.
    output logic                                 result_pop_o,
    /// The children's block buffer has room for two words more.
    input  logic                                 block_room_i,
    /// A word for it.
    output logic                                 block_push_o,
    /// The word.
    output word_t                                block_data_o,
    /// Words for it that will come whatever happens, as far as they fill a packet.
    output logic          [      CountWidth-1:0] block_coming_o,
    /// A write to memory.
    output logic                                 memory_write_valid_o,
    /// The write.
    output memory_write_t                        memory_write_o,
    /// The write is taken.
    input  logic                                 memory_write_ready_i,
    /// Every word has been handed on.
    output logic                                 done_o,
    /// The parent's descriptor differs.
    output logic                                 mismatch_o,
    /// State changes at the next edge without any input.
    output logic                                 active_o
);

  localparam int unsigned StoreDepth = 4;

  typedef enum logic [1:0] {
    Idle,
    Descriptor,
    Stream
  } state_e;

  state_e state_q;
  word_t  left_q;

  // ------------------------------------------------------------------ take a word
  logic source_valid, store_room, move, first;
  logic [$clog2(StoreDepth):0] store_count;
  assign first = state_q == Descriptor;
  always_comb begin
    unique case (source_i)
      DownFromParent: source_valid = stream_count_i != '0;
      DownFromOwn: source_valid = own_valid_i || first;
      default: source_valid = result_valid_i;
    endcase
  end
  assign store_room = store_count <= ($clog2(StoreDepth) + 1)'(StoreDepth - 2);
  assign move = state_q != Idle && source_valid && (!forward_i || block_room_i) &&
      (!store_i || store_room);
  assign stream_read_o = move && source_i == DownFromParent;
  assign own_pop_o = move && source_i == DownFromOwn && !first;
  assign result_pop_o = move && source_i == DownFromResults;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle: if (start_i) state_q <= Descriptor;
        Descriptor: if (move) state_q <= left_q == '0 ? Idle : Stream;
        default: if (move && left_q == word_t'(1)) state_q <= Idle;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) left_q <= words_i;
    else if (move && !first) left_q <= left_q - 1'b1;
  end

  // ------------------------------------------------------------------ hand it on
  logic moved_q, first_q;
  word_t held_q, data;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) moved_q <= 1'b0;
    else moved_q <= move;
  end
  always_ff @(posedge clk_i) begin
    if (move) begin
      first_q <= first;
      if (source_i == DownFromResults) held_q <= result_data_i;
      else held_q <= first ? descriptor_i : own_data_i;
    end
  end
  assign data = source_i == DownFromParent ? stream_data_i : held_q;
  assign mismatch_o = moved_q && first_q && data != descriptor_i;
  assign block_push_o = moved_q && forward_i && !mismatch_o;
  assign block_data_o = data;

  // The descriptor is compared before anything is promised.
  word_t coming;
  always_comb begin
    coming = '0;
    if (state_q == Stream) coming = left_q < available_i ? left_q : available_i;
    if (coming >= word_t'(PacketWords)) coming = word_t'(PacketWords);
    else if (moved_q) coming = coming + 1'b1;
  end
  assign block_coming_o = forward_i ? coming[CountWidth-1:0] : '0;

  logic store_empty;
  logic [29:0] address_q;
  fifo #(
      .T(word_t),
      .Depth(StoreDepth)
  ) u_store (
      .clk_i,
      .rst_ni,
      .push_i (moved_q && store_i && !first_q),
      .data_i (data),
      .pop_i  (memory_write_valid_o && memory_write_ready_i),
      .data_o (memory_write_o.data),
      .empty_o(store_empty),
      .full_o (),
      .count_o(store_count),
      .load_o (),
      .next_o ()
  );
  assign memory_write_valid_o   = !store_empty;
  assign memory_write_o.address = {address_q, 2'b00};
  assign memory_write_o.strobe  = '1;
  always_ff @(posedge clk_i) begin
    if (start_i) address_q <= address_i[31:2];
    else if (memory_write_valid_o && memory_write_ready_i) address_q <= address_q + 1'b1;
  end

  assign done_o   = state_q == Idle && !moved_q && store_empty;
  assign active_o = move || moved_q;

  logic unused_address;
  assign unused_address = ^address_i[1:0];

endmodule

`default_nettype wire
