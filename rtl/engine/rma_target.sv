// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Answers the requests of others: PUT, GET and messages into the receive queue.
///
/// Requests are taken one after another, one word per cycle. Each is judged before anything of it is
/// written; one that is refused is taken off the network to its tail and answered with a Nack. A GET
/// is answered beside the requests that follow it; the next GET waits here until it is done, and a
/// third one before the slot. Acknowledgements and refusals leave beside the requests that follow.
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
    /// The row of `named_number_o` is wanted, from the next cycle on.
    output logic                                     named_lookup_o,
    /// Number of a region.
    output logic                       [        7:0] named_number_o,
    /// The row that `name_table` has for it.
    input  rma_pkg::rma_region_t                     named_i,
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

  typedef enum logic [2:0] {
    StateHeader0,
    StateHeader1,
    StateOffset,
    StateBytes,
    StateWord,
    StatePayload,
    StateDrop
  } state_e;

  state_e state_q, state_d;
  header0_t header0;
  header1_t header1_q, header1;
  put_info_t put_info;
  get_info_t get_info;
  kind_e kind_q;
  node_id_t source_q;
  logic taken;

  assign header0 = header0_t'(request_data_i);
  assign header1 = state_q == StateHeader1 ? header1_t'(request_data_i) : header1_q;
  assign put_info = put_info_t'(header1.info);
  assign get_info = get_info_t'(header1.info);
  assign taken = request_valid_i && request_ready_o;

  // ---------------------------------------------------------------- registration table
  logic [31:0] offset, offset_q, bytes, address;
  nack_e access_nack;
  logic  region_of_routes;

  // A PUT of one word is judged when the word is here, another one when its offset is. A GET is judged
  // when its offset is here, a long one when its number of bytes is.
  always_comb begin
    offset = request_data_i;
    bytes  = 32'(header1_q.length);
    if (state_q == StateWord) begin
      offset = {14'd0, header1_q.length, 2'b00};
      bytes  = 32'(put_info.last) + 32'd1;
    end else if (state_q == StateBytes) begin
      offset = offset_q;
      bytes  = request_data_i;
    end
  end

  assign named_lookup_o = taken && state_q == StateHeader1;
  assign named_number_o = put_info.region;

  registration_table #(
      .Regions(Regions)
  ) u_table (
      .clk_i,
      .regions_i,
      .lookup_i (named_lookup_o),
      .region_i (put_info.region),
      .named_i,
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
  logic get, get_valid_q, sender_ready, sender_busy;
  logic word_valid, word_ready, to_routes;  // of a word to be written
  logic word_allowed;  // the word of a PUT of one word
  logic get_ready;  // there is room for a GET
  logic answers_empty, answers_full, answer;  // owed

  assign accepted_message = state_q == StateHeader1 && kind_q == KindMessage &&
      message_nack == NackNone && !request_last_i;

  assign word_allowed = access_nack == NackNone && request_last_i;
  assign get_ready = !get_valid_q || sender_ready;

  always_comb begin
    state_d          = state_q;
    request_ready_o  = 1'b1;
    refuse           = 1'b0;
    nack             = NackBadPacket;
    get              = 1'b0;
    answer           = 1'b0;
    message_received = 1'b0;
    unique case (state_q)
      StateHeader0: begin
        // Each packet may need an answer.
        request_ready_o = !answers_full;
        // A packet of one word says not even who sent it.
        if (taken && !request_last_i) state_d = StateHeader1;
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
            refuse = request_valid_i && (request_last_i ||
                (!put_info.word && 32'(header1.length) > 32'(PacketBytes)));
            if (taken) state_d = put_info.word ? StateWord : StateOffset;
          end
          KindGet: begin
            refuse = request_valid_i && request_last_i;
            if (taken) state_d = StateOffset;
          end
          default: refuse = request_valid_i;
        endcase
      end
      StateOffset: begin
        if (kind_q == KindPut) begin
          refuse = request_valid_i && (access_nack != NackNone || request_last_i);
          if (access_nack != NackNone) nack = access_nack;
          if (taken) state_d = StatePayload;
        end else if (header1_q.length == '0) begin
          refuse = request_valid_i && request_last_i;
          if (taken) state_d = StateBytes;
        end else begin
          request_ready_o = get_ready;
          refuse = taken && access_nack != NackNone;
          nack = access_nack;
          get = taken && !refuse;
          if (taken) state_d = request_last_i ? StateHeader0 : StateDrop;
        end
      end
      StateBytes: begin
        request_ready_o = get_ready;
        refuse = taken && access_nack != NackNone;
        nack = access_nack;
        get = taken && !refuse;
        if (taken) state_d = request_last_i ? StateHeader0 : StateDrop;
      end
      StateWord: begin
        request_ready_o = !word_allowed || word_ready;
        refuse = request_valid_i && !word_allowed;
        if (access_nack != NackNone) nack = access_nack;
        if (taken) state_d = StateHeader0;
        answer = taken && !refuse && put_info.ack;
      end
      StatePayload: begin
        request_ready_o = word_ready || left_q == '0;
        if (taken && request_last_i) begin
          message_received = kind_q == KindMessage;
          answer = kind_q == KindPut && put_info.ack;
          state_d = StateHeader0;
        end
      end
      StateDrop: begin
        if (request_valid_i && request_last_i) begin
          answer  = nack_q != NackNone;
          state_d = StateHeader0;
        end
      end
      default: request_ready_o = 1'b0;
    endcase
    if (refuse) begin
      answer  = request_last_i;
      state_d = request_last_i ? StateHeader0 : StateDrop;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateHeader0;
    else state_q <= state_d;
  end

  assign to_routes = kind_q == KindPut && region_of_routes;
  assign word_ready = to_routes ? route_ready_i : write_ready_i;
  assign word_valid = request_valid_i &&
      (accepted_message || (state_q == StateWord && word_allowed) ||
      (state_q == StatePayload && left_q != '0));
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
    if (state_q == StateWord) begin
      write_o = '{address: address, strobe: tail_strobe(bytes), data: request_data_i};
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
  rma_get_t get_q;
  get_reply_info_t get_reply_info, get_reply_last_info;
  rma_transfer_t transfer;
  rma_answer_t answer_new, answer_old;
  logic answer_second_q, answer_ready, answer_short, answer_last;
  header0_t answer_header0;
  header1_t answer_header1;
  flit_t answer_flit, sender_flit;
  logic sender_valid, sender_flit_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) get_valid_q <= 1'b0;
    else if (get) get_valid_q <= 1'b1;
    else if (sender_ready) get_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (get) begin
      get_q <= '{
          node: source_q,
          slot: header1_q.src_slot,
          number: get_info.number,
          address: address,
          bytes: bytes
      };
    end
  end

  assign get_reply_info = '{reserved: '0, number: get_q.number, last: 1'b0};
  assign get_reply_last_info = '{reserved: '0, number: get_q.number, last: 1'b1};
  assign transfer = '{
          kind: KindGetReply,
          node: get_q.node,
          slot: get_q.slot,
          info: get_reply_info,
          last_info: get_reply_last_info,
          addressed: 1'b0,
          whole: 1'b0,
          word: 1'b0,
          address: '0,
          source: get_q.address,
          bytes: get_q.bytes
      };

  rma_sender #(
      .PacketWords(PacketWords)
  ) u_sender (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .start_valid_i(get_valid_q),
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

  // A refusal at once, or of what has been taken off the network since.
  always_comb begin
    answer_new = '{node: source_q, slot: header1.src_slot, info: '0};
    if (refuse || nack_q != NackNone) begin
      answer_new.info = '{
          reserved: '0,
          number: kind_q == KindGet ? get_info.number : '0,
          put: kind_q == KindPut && put_info.ack,
          get: kind_q == KindGet,
          code: refuse ? nack : nack_q
      };
    end
  end

  fifo #(
      .T    (rma_answer_t),
      .Depth(2)
  ) u_answers (
      .clk_i,
      .rst_ni,
      .push_i (answer),
      .data_i (answer_new),
      .pop_i  (answer_ready && answer_last),
      .data_o (answer_old),
      .empty_o(answers_empty),
      .full_o (answers_full),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) answer_second_q <= 1'b0;
    else if (answer_ready) answer_second_q <= !answer_last;
  end

  // An acknowledgement is one word: who asked for it needs no more.
  assign answer_short = answer_old.info.code == NackNone;
  assign answer_last = answer_short || answer_second_q;
  assign answer_header0 = '{
          kind: answer_short ? KindPutAck : KindNack,
          dst_slot: answer_old.slot,
          dst_node: answer_old.node,
          src_node: node_id_i
      };
  assign answer_header1 = '{src_slot: slot_id_i, info: answer_old.info, length: '0};
  assign answer_flit = '{
          vc: '0,
          last: answer_last,
          data: answer_second_q ? answer_header1 : answer_header0
      };

  slot_packet_mux #(
      .NumSources(2)
  ) u_replies (
      .clk_i,
      .rst_ni,
      .valid_i({sender_valid, !answers_empty}),
      .flit_i ({sender_flit, answer_flit}),
      .ready_o({sender_flit_ready, answer_ready}),
      .valid_o(reply_valid_o),
      .flit_o (reply_flit_o),
      .ready_i(reply_ready_i)
  );

  assign busy_o = !answers_empty || get_valid_q || sender_busy;

  // The network has brought the packet to its destination.
  logic unused;
  assign unused = ^{header0.dst_slot, header0.dst_node, get_info};

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
