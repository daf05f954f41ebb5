// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Reads a run of bytes from node memory and sends it as packets.
///
/// A packet is two header words, the address word if the transfer is `addressed`, and up to
/// `PacketWords` words of the run; all of them if the transfer is `whole`. The first header word is offered, and the first read asked for, in
/// the cycle in which the transfer is. Reading runs ahead of sending by up to `BufferWords` words, so
/// that with a memory latency below that, only the first packet of a transfer waits for memory.
/// A read is asked for only when its answer has a place, so answers are never held up and what
/// is sent waits for memory at most, never for the network.
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
    /// What to send.
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
  localparam int unsigned BufferCountWidth = $clog2(BufferWords) + 1;

  if (PacketWords < 1 || 4 * MostWords > 65535) begin : gen_packet_check
    $error("A packet must have 1 to 16383 words, not %0d or %0d", PacketWords, WholeWords);
  end

  typedef enum logic [2:0] {
    StateIdle,
    StateHeader0,
    StateHeader1,
    StateAddress,
    StatePayload
  } state_e;

  state_e state_q, state_d;
  state_e state;  // of this cycle: a transfer that is taken is at its first header word
  rma_pkg::rma_transfer_t
      transfer, transfer_q;  // `address` and `bytes` are those of the current packet on
  logic [WordCountWidth-1:0] packet_words_q;
  logic start, sent, last, packet_sent;
  word_t data;

  // ---------------------------------------------------------------- reading ahead
  logic [31:0] read_address_q;
  logic [30:0] reads_left, reads_left_q;
  logic [BufferCountWidth-1:0] reserved_q;  // words asked for and not yet sent
  logic read, word_popped;
  word_t word;
  logic  words_empty;

  assign reads_left = start ? 31'((33'(transfer_i.bytes) + 33'd3) >> 2) : reads_left_q;
  assign read_valid_o = (start || reads_left_q != '0) &&
      reserved_q != BufferCountWidth'(BufferWords);
  assign read_address_o = start ? transfer_i.source : read_address_q;
  assign read = read_valid_o && read_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reads_left_q <= '0;
      reserved_q   <= '0;
    end else begin
      if (start || read) reads_left_q <= reads_left - 31'(read);
      if (read && !word_popped) reserved_q <= reserved_q + 1'b1;
      else if (!read && word_popped) reserved_q <= reserved_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read) read_address_q <= read_address_o + 32'd4;
    else if (start) read_address_q <= transfer_i.source;
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
  logic last_packet;
  logic [15:0] packet_bytes;
  header0_t header0;
  header1_t header1;

  assign transfer = start ? transfer_i : transfer_q;
  assign state = start ? StateHeader0 : state_q;
  assign last_packet = transfer_q.whole || transfer_q.bytes <= 32'(PacketBytes);
  assign packet_bytes = last_packet ? transfer_q.bytes[15:0] : 16'(PacketBytes);
  assign header0 = '{
          kind: transfer.kind,
          dst_slot: transfer.slot,
          dst_node: transfer.node,
          src_node: node_id_i
      };
  assign header1 = '{
          src_slot: slot_id_i,
          info: last_packet ? transfer_q.last_info : transfer_q.info,
          length: transfer_q.word ? transfer_q.address[17:2] : packet_bytes
      };

  assign start_ready_o = state_q == StateIdle;
  assign busy_o = state_q != StateIdle;
  assign start = start_valid_i && start_ready_o;
  assign sent = valid_o && ready_i;
  assign flit_o = '{vc: '0, last: last, data: data};
  assign last = state_q == StatePayload && packet_words_q == WordCountWidth'(1);
  assign packet_sent = sent && last;
  assign done_o = packet_sent && last_packet;
  assign word_popped = sent && state_q == StatePayload;

  always_comb begin
    state_d = state_q;
    valid_o = 1'b1;
    data    = word;
    unique case (state)
      StateIdle: valid_o = 1'b0;
      StateHeader0: begin
        data = header0;
        state_d = ready_i ? StateHeader1 : StateHeader0;
      end
      StateHeader1: begin
        data = header1;
        if (ready_i) state_d = transfer_q.addressed ? StateAddress : StatePayload;
      end
      StateAddress: begin
        data = transfer_q.address;
        if (ready_i) state_d = StatePayload;
      end
      StatePayload: begin
        valid_o = !words_empty;
        if (packet_sent) state_d = last_packet ? StateIdle : StateHeader0;
      end
      default:   valid_o = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateIdle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      transfer_q <= transfer_i;
    end else if (packet_sent) begin
      transfer_q.address <= transfer_q.address + 32'(PacketBytes);
      transfer_q.bytes   <= transfer_q.bytes - 32'(PacketBytes);
    end
    if (state_q == StateHeader1) begin
      packet_words_q <= WordCountWidth'((17'(packet_bytes) + 17'd3) >> 2);
    end else if (word_popped) begin
      packet_words_q <= packet_words_q - 1'b1;
    end
  end

  // Reading keeps an address of its own.
  logic unused;
  assign unused = ^{transfer_q.source, transfer};

`ifndef SYNTHESIS
  // A packet without payload has no tail to end it.
  SomethingToSend :
  assert property (@(posedge clk_i) disable iff (!rst_ni) start |-> transfer_i.bytes != '0);
  WholeFits :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      start && transfer_i.whole |-> transfer_i.bytes <= 32'(4 * WholeWords));
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
