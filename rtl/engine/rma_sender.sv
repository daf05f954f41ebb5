// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Reads a run of bytes from node memory and sends it as packets; sends the packet of a GET, and a word
/// that the transfer brings itself, too.
///
/// A packet is two header words, the address word if the transfer is `addressed`, and up to
/// `PacketWords` words of the run; all of them if the transfer is `whole`. The first header word is
/// offered, and the first read asked for, in the cycle in which the transfer is. Reading runs ahead of
/// sending by up to `BufferWords` words, so that with a memory latency below that, only the first packet
/// of a transfer waits for memory. A read is asked for only when its answer has a place, so answers are
/// never held up and what is sent waits for memory at most, never for the network.
///
/// The packet of a GET is two header words, the address, and the number of bytes if it does not fit in
/// the header.
module rma_sender #(
    /// Payload words of a packet.
    parameter int unsigned PacketWords = 64,
    /// Payload words of the longest transfer that is whole; 0: none is.
    parameter int unsigned WholeWords  = 0,
    /// Words read ahead: a power of two.
    parameter int unsigned BufferWords = 64
) (
    /// Clock.
    input  logic                          clk_i,
    /// Synchronous reset, active low.
    input  logic                          rst_ni,
    /// Router of this slot.
    input  tidings_pkg::node_id_t         node_id_i,
    /// Number of this slot at its router.
    input  tidings_pkg::slot_id_t         slot_id_i,
    /// A transfer is offered.
    input  logic                          start_valid_i,
    /// What to send. All but `address`, `bytes` and the address in `source` stays until the transfer is done.
    input  rma_pkg::rma_transfer_t        transfer_i,
    /// The transfer is taken.
    output logic                          start_ready_o,
    /// The last word of the transfer leaves in this cycle.
    output logic                          done_o,
    /// A read of memory is asked for.
    output logic                          read_valid_o,
    /// Byte address of the read.
    output logic                   [31:0] read_address_o,
    /// The read is taken.
    input  logic                          read_ready_i,
    /// The oldest read is answered.
    input  logic                          data_valid_i,
    /// Word read.
    input  tidings_pkg::word_t            data_i,
    /// A word of a packet is offered.
    output logic                          valid_o,
    /// Word of a packet; the channel is left to the port.
    output tidings_pkg::flit_t            flit_o,
    /// The word is taken.
    input  logic                          ready_i,
    /// A transfer is under way.
    output logic                          busy_o
);

  import tidings_pkg::*;

  localparam int unsigned PacketBytes = 4 * PacketWords;
  localparam int unsigned MostWords = WholeWords > PacketWords ? WholeWords : PacketWords;
  localparam int unsigned WordCountWidth = $clog2(MostWords + 1);
  localparam int unsigned ByteCountWidth = $clog2(4 * MostWords + 1);
  localparam int unsigned BufferCountWidth = $clog2(BufferWords) + 1;

  if (PacketWords < 1 || 4 * MostWords > 65535) begin : gen_packet_check
    $error("A packet must have 1 to 16383 words, not %0d or %0d", PacketWords, WholeWords);
  end

  typedef enum logic [2:0] {
    StateIdle,     // also the first word of a transfer
    StateHeader0,
    StateHeader1,
    StateAddress,
    StateBytes,
    StatePayload
  } state_e;

  state_e state_q, state_d;
  logic [31:0] address_q, bytes_q;  // from the current packet on
  logic [WordCountWidth-1:0] packet_words_q;
  logic idle, start, last, packet_sent;
  word_t data;

  // ---------------------------------------------------------------- reading ahead
  logic [31:0] read_address_q;
  logic [31:0] left, left_q;  // bytes that are not yet asked for; any value if there are none
  logic more_q;  // there are
  logic [BufferCountWidth-1:0] reserved_q;  // words asked for and not yet sent
  logic reads, read, word_popped;
  word_t word;
  logic words_empty, word_here;

  // What is chosen while idle counts with `start` only, which is late.
  assign reads = !transfer_i.get && !transfer_i.inline_data;
  assign left = idle ? transfer_i.bytes : left_q;
  assign read_valid_o = ((start && reads) || more_q) &&
      reserved_q != BufferCountWidth'(BufferWords);
  assign read_address_o = idle ? transfer_i.source : read_address_q;
  assign read = read_valid_o && read_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      more_q <= 1'b0;
      reserved_q <= '0;
    end else begin
      if (read) more_q <= rma_pkg::exceeds(left, 32'd4);
      else if (start) more_q <= reads;
      if (read != word_popped) begin
        reserved_q <= reserved_q + (read ? BufferCountWidth'(1) : '1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start || read) begin
      left_q <= left - {29'd0, read, 2'b00};
      read_address_q <= read_address_o + {29'd0, read, 2'b00};
    end
  end

  fifo #(
      .T    (word_t),
      .Depth(BufferWords)
  ) u_words (
      .clk_i,
      .rst_ni,
      .push_i (data_valid_i),
      .data_i,
      .pop_i  (word_popped),
      .data_o (word),
      .empty_o(words_empty),
      .full_o (),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  // ---------------------------------------------------------------- packets
  logic last_packet, is_long;
  logic [ByteCountWidth-1:0] packet_bytes;
  header0_t header0;
  header1_t header1;

  assign last_packet = transfer_i.whole || !rma_pkg::exceeds(bytes_q, 32'(PacketBytes));
  assign packet_bytes = last_packet ? bytes_q[ByteCountWidth-1:0] : ByteCountWidth'(PacketBytes);
  // A GET of that many bytes says so in a word of its own.
  assign is_long = bytes_q[31:16] != '0;
  assign header0 = '{
          kind: transfer_i.kind,
          dst_slot: transfer_i.slot,
          dst_node: transfer_i.node,
          src_node: node_id_i
      };
  always_comb begin
    header1 = '{
        src_slot: slot_id_i,
        info: last_packet ? transfer_i.last_info : transfer_i.info,
        length: 16'(packet_bytes)
    };
    if (transfer_i.word) header1.length = address_q[17:2];
    if (transfer_i.get) header1.length = is_long ? '0 : bytes_q[15:0];
    if (transfer_i.atomic) header1.length = transfer_i.access;
  end

  assign idle = state_q == StateIdle;
  assign start_ready_o = idle;
  assign busy_o = !idle;
  assign start = start_valid_i && idle;
  assign flit_o = '{vc: '0, last: last, data: data};
  // The last word of a packet is never its first, so that this does not wait for `start`.
  assign packet_sent = last && ready_i && !(state_q == StatePayload && !word_here);
  assign done_o = packet_sent && last_packet;
  assign word_here = transfer_i.inline_data || !words_empty;
  assign word_popped = state_q == StatePayload && !words_empty && ready_i;

  always_comb begin
    state_d = state_q;
    valid_o = 1'b1;
    last    = 1'b0;
    data    = word;
    unique case (state_q)
      StateIdle: begin
        valid_o = start;
        data = header0;
        if (start) state_d = ready_i ? StateHeader1 : StateHeader0;
      end
      StateHeader0: begin
        data = header0;
        if (ready_i) state_d = StateHeader1;
      end
      StateHeader1: begin
        data = header1;
        if (ready_i) state_d = transfer_i.addressed ? StateAddress : StatePayload;
      end
      StateAddress: begin
        data = address_q;
        last = transfer_i.get && !is_long;
        if (ready_i) state_d = !transfer_i.get ? StatePayload : is_long ? StateBytes : StateIdle;
      end
      StateBytes: begin
        data = bytes_q;
        last = 1'b1;
        if (ready_i) state_d = StateIdle;
      end
      StatePayload: begin
        valid_o = word_here;
        last = packet_words_q == WordCountWidth'(1);
        if (transfer_i.inline_data) data = transfer_i.source;
        if (packet_sent) state_d = last_packet ? StateIdle : StateHeader0;
      end
      default: valid_o = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateIdle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      address_q <= transfer_i.address;
      bytes_q   <= transfer_i.bytes;
    end else if (packet_sent) begin
      address_q <= address_q + 32'(PacketBytes);
      bytes_q   <= bytes_q - 32'(PacketBytes);
    end
    if (state_q == StateHeader1) begin
      packet_words_q <= WordCountWidth'((packet_bytes + ByteCountWidth'(3)) >> 2);
    end else if (word_popped) begin
      packet_words_q <= packet_words_q - 1'b1;
    end
  end

`ifndef SYNTHESIS
  // A packet without payload has no tail to end it.
  SomethingToSend :
  assert property (@(posedge clk_i) disable iff (!rst_ni) start |-> transfer_i.bytes != '0);
  WordInline :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      start && transfer_i.inline_data |-> transfer_i.bytes <= 32'd4);
  WholeFits :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      start && transfer_i.whole && !transfer_i.get |-> transfer_i.bytes <= 32'(4 * WholeWords));
  // Each answer has a place that was reserved for it.
  AnswerExpected :
  assert property (@(posedge clk_i) disable iff (!rst_ni) data_valid_i |-> reserved_q != '0);
  // All that was read has been sent when a transfer ends, so nothing is left for the next.
  NothingLeft :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      start |-> words_empty && reserved_q == '0);
`endif

endmodule

`default_nettype wire
