// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Answers the requests of others: PUT, GET and messages into the receive queue.
///
/// Requests are taken one after another, one word per cycle. Each is judged before anything of it is
/// written; one that is refused is taken off the network to its tail and answered with a Nack. A GET
/// is answered beside the requests that follow it; only the next GET waits until it is done.
/// A message goes to the next slot of the ring in node memory, and `queue_tail_o` counts up when its
/// last word has been written.
///
/// Requests wait for the reply port and the memory ports, and for nothing else.
module rma_target #(
    /// Rows of the registration table.
    parameter int unsigned Regions = 16,
    /// Payload words of a packet.
    parameter int unsigned PacketWords = 64,
    /// Words of a slot of the receive queue, a power of two; two of them are not payload.
    parameter int unsigned MessageWords = 64
) (
    /// Clock.
    input  logic                                     clk_i,
    /// Synchronous reset, active low.
    input  logic                                     rst_ni,
    /// Router of this slot.
    input  tidings_pkg::node_id_t                    node_id_i,
    /// Number of this slot at its router.
    input  tidings_pkg::slot_id_t                    slot_id_i,
    /// Registration table as software wrote it.
    input  rma_pkg::rma_region_t       [Regions-1:0] regions_i,
    /// Receive queue as software set it up.
    input  rma_pkg::rma_queue_t                      queue_i,
    /// Messages received since reset.
    output logic                       [       15:0] queue_tail_o,
    /// A word of a request packet is offered.
    input  logic                                     request_valid_i,
    /// Word.
    input  tidings_pkg::word_t                       request_data_i,
    /// It is the tail of its packet.
    input  logic                                     request_last_i,
    /// It is taken.
    output logic                                     request_ready_o,
    /// A word of a reply packet is offered.
    output logic                                     reply_valid_o,
    /// Word; the channel is left to the port.
    output tidings_pkg::flit_t                       reply_flit_o,
    /// It is taken.
    input  logic                                     reply_ready_i,
    /// A read of memory is asked for.
    output logic                                     read_valid_o,
    /// Byte address of the read.
    output logic                       [       31:0] read_address_o,
    /// The read is taken.
    input  logic                                     read_ready_i,
    /// The oldest read is answered.
    input  logic                                     data_valid_i,
    /// Word read.
    input  tidings_pkg::word_t                       data_i,
    /// A write to memory is asked for.
    output logic                                     write_valid_o,
    /// The write.
    output tidings_pkg::memory_write_t               write_o,
    /// The write is taken.
    input  logic                                     write_ready_i,
    /// The word of `write_o` is for the router's table of static routes instead.
    output logic                                     route_valid_o,
    /// It is taken.
    input  logic                                     route_ready_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                     busy_o
);

  import tidings_pkg::*;
  import rma_pkg::*;

  localparam int unsigned MessageBytes = 4 * (MessageWords - 2);
  localparam int unsigned PacketBytes = 4 * PacketWords;
  localparam int unsigned SlotShift = $clog2(4 * MessageWords);

  if (MessageWords < 4 || (MessageWords & (MessageWords - 1)) != 0) begin : gen_message_check
    $error("MessageWords must be a power of two and at least 4, not %0d", MessageWords);
  end

  typedef enum logic [3:0] {
    StateHeader0,
    StateHeader1,
    StateOffset,
    StateBytes,
    StateAddress,
    StatePayload,
    StateDrop,
    StateAnswer0,
    StateAnswer1
  } state_e;

  state_e state_q, state_d;
  header0_t header0;
  header1_t header1_q, header1;
  put_info_t put_info;
  kind_e kind_q;
  node_id_t source_q;
  logic taken, answer_ready;

  assign header0 = header0_t'(request_data_i);
  assign header1 = state_q == StateHeader1 ? header1_t'(request_data_i) : header1_q;
  assign put_info = put_info_t'(header1.info);
  assign taken = request_valid_i && request_ready_o;

  // ---------------------------------------------------------------- registration table
  logic [31:0] offset, offset_q, bytes, bytes_q, address;
  logic [31:0] address_q;  // of the words that a GET asks for
  nack_e access_nack;
  logic region_of_routes;

  // A PUT is judged when its offset is here, a GET when its number of bytes is.
  assign offset = kind_q == KindPut ? request_data_i : offset_q;
  assign bytes  = kind_q == KindPut ? 32'(header1_q.length) : request_data_i;

  registration_table #(
      .Regions(Regions)
  ) u_table (
      .clk_i,
      .regions_i,
      .lookup_i (taken && state_q == StateHeader1),
      .region_i (put_info.region),
      .write_i  (kind_q == KindPut),
      .offset_i (offset),
      .bytes_i  (bytes),
      .nack_o   (access_nack),
      .address_o(address),
      .routes_o (region_of_routes)
  );

  // ---------------------------------------------------------------- receive queue
  logic [15:0] tail_q, held, slots, slot_mask;
  logic message_received;
  logic [31:0] slot_address;
  nack_e message_nack;

  assign slots = 16'd1 << queue_i.log2_slots;
  assign slot_mask = slots - 16'd1;
  assign held = tail_q - queue_i.head;
  assign slot_address = {queue_i.base[31:2], 2'b00} + (32'(tail_q & slot_mask) << SlotShift);

  always_comb begin
    message_nack = NackNone;
    if (!queue_i.valid || held >= slots) message_nack = NackQueueFull;
    else if (header1.length == '0 || header1.length > 16'(MessageBytes))
      message_nack = NackBadPacket;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) tail_q <= '0;
    else if (message_received) tail_q <= tail_q + 1'b1;
  end
  assign queue_tail_o = tail_q;

  // ---------------------------------------------------------------- requests
  logic accepted_message;  // the packet under way is a message that has a slot
  logic refuse;
  nack_e nack, nack_q;
  logic [31:0] write_address_q;
  logic [15:0] left_q;  // payload bytes still to come
  logic start, sender_ready, sender_busy;
  logic word_valid, word_ready, to_routes;  // of a word to be written

  assign accepted_message = state_q == StateHeader1 && kind_q == KindMessage &&
      message_nack == NackNone && !request_last_i;

  always_comb begin
    state_d          = state_q;
    request_ready_o  = 1'b1;
    refuse           = 1'b0;
    nack             = NackBadPacket;
    start            = 1'b0;
    message_received = 1'b0;
    unique case (state_q)
      StateHeader0: begin
        // A packet of one word says not even who sent it.
        if (request_valid_i && !request_last_i) state_d = StateHeader1;
      end
      StateHeader1: begin
        unique case (kind_q)
          KindMessage: begin
            request_ready_o = !accepted_message || word_ready;
            nack = message_nack == NackNone ? NackBadPacket : message_nack;
            refuse = request_valid_i && !accepted_message;
            if (taken) state_d = StatePayload;
          end
          KindPut: begin
            refuse = request_valid_i && (request_last_i || 32'(header1.length) > 32'(PacketBytes));
            if (taken) state_d = StateOffset;
          end
          KindGet: begin
            refuse = request_valid_i && request_last_i;
            if (taken) state_d = StateOffset;
          end
          default: refuse = request_valid_i;
        endcase
      end
      StateOffset: begin
        if (request_valid_i) begin
          if (kind_q == KindPut) begin
            state_d = StatePayload;
            refuse  = access_nack != NackNone || request_last_i;
            if (access_nack != NackNone) nack = access_nack;
          end else begin
            state_d = StateBytes;
            refuse  = request_last_i;
          end
        end
      end
      StateBytes: begin
        if (request_valid_i) begin
          state_d = StateAddress;
          refuse  = access_nack != NackNone || request_last_i;
          if (access_nack != NackNone) nack = access_nack;
        end
      end
      StateAddress: begin
        request_ready_o = sender_ready;
        start = request_valid_i;
        if (taken) state_d = request_last_i ? StateHeader0 : StateDrop;
      end
      StatePayload: begin
        request_ready_o = word_ready || left_q == '0;
        if (taken && request_last_i) begin
          message_received = kind_q == KindMessage;
          state_d = kind_q == KindPut && put_info.ack ? StateAnswer0 : StateHeader0;
        end
      end
      StateDrop: begin
        if (request_valid_i && request_last_i) begin
          state_d = nack_q == NackNone ? StateHeader0 : StateAnswer0;
        end
      end
      StateAnswer0, StateAnswer1: request_ready_o = 1'b0;
      default: request_ready_o = 1'b0;
    endcase
    if (refuse) state_d = request_last_i ? StateAnswer0 : StateDrop;
    if (state_q == StateAnswer0 && answer_ready) state_d = StateAnswer1;
    if (state_q == StateAnswer1 && answer_ready) state_d = StateHeader0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateHeader0;
    else state_q <= state_d;
  end

  assign to_routes = kind_q == KindPut && region_of_routes;
  assign word_ready = to_routes ? route_ready_i : write_ready_i;
  assign word_valid = request_valid_i &&
      (accepted_message || (state_q == StatePayload && left_q != '0));
  assign write_valid_o = word_valid && !to_routes;
  assign route_valid_o = word_valid && to_routes;
  always_comb begin
    write_o = '{
        address: write_address_q,
        strobe: tail_strobe(32'(left_q)),
        data: request_data_i
    };
    if (state_q == StateHeader1) begin
      write_o = '{
          address: slot_address,
          strobe: '1,
          data: {header1.src_slot, source_q, header1.length}
      };
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken) begin
      if (state_q == StateHeader0) begin
        kind_q   <= header0.kind;
        source_q <= header0.src_node;
        nack_q   <= NackNone;
      end
      if (state_q == StateHeader1) header1_q <= header1_t'(request_data_i);
      if (state_q == StateOffset) offset_q <= request_data_i;
      if (state_q == StateBytes) begin
        bytes_q   <= request_data_i;
        address_q <= address;
      end
      if (refuse) nack_q <= nack;
    end
    // What is left to write, and where the next word goes.
    if (taken && state_q == StateHeader1) begin
      left_q <= header1.length;
      write_address_q <= slot_address + 32'd8;
    end else if (taken && state_q == StateOffset) begin
      write_address_q <= address;
    end else if (word_valid && word_ready) begin
      left_q <= left_q <= 16'd4 ? '0 : left_q - 16'd4;
      write_address_q <= write_address_q + 32'd4;
    end
  end

  // ---------------------------------------------------------------- answers
  rma_transfer_t transfer;
  header0_t answer_header0;
  header1_t answer_header1;
  flit_t answer_flit, sender_flit;
  logic answer_valid, sender_valid, sender_flit_ready;

  assign transfer = '{
          kind: KindGetReply,
          node: source_q,
          slot: header1_q.src_slot,
          info: '0,
          last_info: 12'd1,
          addressed: 1'b1,
          address: request_data_i,
          source: address_q,
          bytes: bytes_q
      };

  rma_sender #(
      .PacketWords(PacketWords)
  ) u_sender (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .start_valid_i(start),
      .transfer_i   (transfer),
      .start_ready_o(sender_ready),
      .done_o       (),
      .read_valid_o,
      .read_address_o,
      .read_ready_i,
      .data_valid_i,
      .data_i,
      .valid_o      (sender_valid),
      .flit_o       (sender_flit),
      .ready_i      (sender_flit_ready),
      .busy_o       (sender_busy)
  );

  assign answer_header0 = '{
          kind: nack_q == NackNone ? KindPutAck : KindNack,
          dst_slot: header1_q.src_slot,
          dst_node: source_q,
          src_node: node_id_i
      };
  nack_info_t nack_info;
  always_comb begin
    nack_info = '0;
    answer_header1 = '{src_slot: slot_id_i, info: '0, length: '0};
    if (nack_q != NackNone) begin
      nack_info = '{
          reserved: '0,
          put: kind_q == KindPut && put_info.ack,
          get: kind_q == KindGet,
          code: nack_q
      };
      answer_header1.info = nack_info;
    end
  end
  assign answer_valid = state_q == StateAnswer0 || state_q == StateAnswer1;
  assign answer_flit = state_q == StateAnswer0 ?
      '{vc: '0, last: 1'b0, data: answer_header0} :
      '{vc: '0, last: 1'b1, data: answer_header1};

  slot_packet_mux #(
      .NumSources(2)
  ) u_replies (
      .clk_i,
      .rst_ni,
      .valid_i({sender_valid, answer_valid}),
      .flit_i ({sender_flit, answer_flit}),
      .ready_o({sender_flit_ready, answer_ready}),
      .valid_o(reply_valid_o),
      .flit_o (reply_flit_o),
      .ready_i(reply_ready_i)
  );

  assign busy_o = answer_valid || sender_busy;

  // The network has brought the packet to its destination.
  logic unused;
  assign unused = ^{header0.dst_slot, header0.dst_node, put_info.reserved};

`ifndef SYNTHESIS
  // The words of an accepted packet are as many as its header says.
  LengthAgrees :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      taken && state_q == StatePayload |-> request_last_i == (left_q <= 16'd4));
  // A message never goes where software has not yet read.
  SlotIsFree :
  assert property (@(posedge clk_i) disable iff (!rst_ni) message_received |-> held < slots);
`endif

endmodule

`default_nettype wire
