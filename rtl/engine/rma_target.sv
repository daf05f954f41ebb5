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
/// An atomic access waits until GETs have been answered, so that nothing else of the target is between
/// its reads and its writes; the next packet waits until these are done. What was there is its answer.
///
/// Requests wait for the reply port and the memory ports, and for nothing else.
module rma_target #(
    /// Rows of the registration table.
    parameter int unsigned Regions = 16,
    /// Payload words of a packet.
    parameter int unsigned PacketWords = 64,
    /// Words of a slot of the receive queue, a power of two; two of them are not payload.
    parameter int unsigned MessageWords = 64,
    /// There are atomic accesses; without them, they are refused.
    parameter bit Atomics = 1'b0
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
    StateDrop,
    StateAtomic
  } state_e;

  state_e state_q, state_d;
  header0_t header0;
  header1_t header1_q;
  header1_t header1;  // of the word that is offered
  slot_id_t source_slot;
  put_info_t put_info;
  get_info_t get_info;
  kind_e kind_q;
  node_id_t source_q;
  logic taken;

  assign header0 = header0_t'(request_data_i);
  assign header1 = header1_t'(request_data_i);
  assign {source_slot, put_info} = state_q == StateHeader1 ? {header1.src_slot, header1.info} :
      {header1_q.src_slot, header1_q.info};
  assign get_info = get_info_t'(put_info);
  assign taken = request_valid_i && request_ready_o;

  // ---------------------------------------------------------------- registration table
  logic [31:2] offset;
  logic [31:0] address;
  logic [32:0] known_q;  // one less than what is known of offset and bytes when the other comes
  logic [32:0] access_last;
  logic access_malformed;
  logic is_word_q;  // this is a PUT of one word
  put_info_t looked_up;
  get_info_t looked_up_get;
  atomic_length_t atomic_access;
  logic atomic, atomic_allowed;  // this is one, and there is such a one
  nack_e access_nack, word_nack;
  logic region_of_routes;

  // A PUT of one word is judged when the word is here, another one when its offset is. A GET is judged
  // when its offset is here, a long one when its number of bytes is: its address is known before.
  assign offset = is_word_q ? 30'(header1_q.length) : request_data_i[31:2];
  assign access_last = 33'(request_data_i) + known_q;
  assign access_malformed = state_q == StateBytes ?
      known_q[1:0] != 2'b11 || request_data_i == '0 :
      request_data_i[1:0] != 2'b00 || header1_q.length == '0 || (atomic && !atomic_allowed);
  // Aligned to its size.
  assign atomic_access = atomic_length_t'(header1_q.length);
  assign atomic = Atomics && kind_q == KindGet && get_info.atomic;
  assign atomic_allowed = is_atomic(
      atomic_access
  ) && !(request_data_i[2] && atomic_access.bytes[3]);

  always_ff @(posedge clk_i) begin
    // Only a long GET, whose header has no number of bytes, has something to come after its offset.
    if (state_q == StateHeader1 || (state_q == StateOffset && header1_q.length == '0)) begin
      known_q <= 33'(request_data_i) - 33'd1;
      if (state_q == StateHeader1) known_q[32:16] <= '0;
      if (state_q == StateHeader1 && Atomics && kind_q == KindGet && looked_up_get.atomic) begin
        known_q[15:4] <= '0;
      end
    end
  end

  assign looked_up = put_info_t'(header1.info);
  assign looked_up_get = get_info_t'(header1.info);
  assign named_lookup_o = request_valid_i && state_q == StateHeader1;
  assign named_number_o = looked_up.region;

  registration_table #(
      .Regions(Regions)
  ) u_table (
      .clk_i,
      .regions_i,
      .lookup_i   (named_lookup_o),
      .region_i   (looked_up.region),
      .named_i,
      .write_i    (kind_q == KindPut || atomic),
      .read_i     (kind_q != KindPut),
      .offset_i   (offset),
      .last_i     (access_last),
      .malformed_i(access_malformed),
      .nack_o     (access_nack),
      .word_last_i(put_info.last),
      .word_nack_o(word_nack),
      .address_o  (address),
      .routes_o   (region_of_routes)
  );

  // ---------------------------------------------------------------- receive queue
  logic [15:0] tail_q, held, slot_mask;
  logic queue_full;
  logic message_received;
  logic [31:0] slot_address;
  nack_e message_nack;

  // The bits of a count that are the number of a slot; a count that has others is that of all slots or more.
  for (genvar i = 0; i < 16; i++) begin : gen_slot_mask
    assign slot_mask[i] = 32'(queue_i.log2_slots) > i;
  end
  assign held = tail_q - queue_i.head;
  assign queue_full = (held & ~slot_mask) != '0;
  assign slot_address = {queue_i.base[31:2], 2'b00} + (32'(tail_q & slot_mask) << SlotShift);

  always_comb begin
    message_nack = NackNone;
    if (!queue_i.valid || queue_full) message_nack = NackQueueFull;
    else if (header1.length == '0 || exceeds(32'(header1.length), 32'(MessageBytes)))
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
  logic payload_written;  // a word of a packet that is longer
  logic [3:0] address_step;
  logic word_allowed;  // the word of a PUT of one word
  logic get_ready;  // there is room for a GET
  logic answers_empty_q, answers_full_q, answer;  // owed
  logic operand_taken, operands_here;
  logic atomic_write, atomic_written, atomic_done;  // a word is offered, is taken, and is the last
  word_t atomic_word;

  assign accepted_message = state_q == StateHeader1 && kind_q == KindMessage &&
      message_nack == NackNone && !request_last_i;

  assign word_allowed = word_nack == NackNone && request_last_i;
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
        request_ready_o = !answers_full_q;
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
            refuse = request_valid_i &&
                (request_last_i ||
                 (!looked_up.word && exceeds(32'(header1.length), 32'(PacketBytes))));
            if (taken) state_d = looked_up.word ? StateWord : StateOffset;
          end
          KindGet: begin
            refuse = request_valid_i && (request_last_i || (!Atomics && looked_up_get.atomic));
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
        end else if (atomic) begin
          refuse = request_valid_i && (access_nack != NackNone || request_last_i);
          if (access_nack != NackNone) nack = access_nack;
          if (taken) state_d = StateAtomic;
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
        if (word_nack != NackNone) nack = word_nack;
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
      StateAtomic: begin
        // The tail is the last operand.
        request_ready_o = !operands_here;
        refuse = taken && request_last_i != (left_q == 16'd4);
        answer = atomic_done;
        if (atomic_done) state_d = StateHeader0;
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
  assign word_valid = atomic_write || (request_valid_i &&
      (accepted_message || (state_q == StateWord && word_allowed) ||
      (state_q == StatePayload && left_q != '0)));
  assign payload_written = request_valid_i && state_q == StatePayload && left_q != '0 && word_ready;
  assign write_valid_o = word_valid && !to_routes;
  assign route_valid_o = word_valid && to_routes;
  always_comb begin
    write_o = '{
        address: write_address_q,
        strobe: tail_strobe(32'(left_q)),
        data: request_data_i
    };
    // The first word is not written here, but its address is kept.
    if (state_q == StateOffset) write_o.address = address;
    if (state_q == StateHeader1) begin
      write_o = '{
          address: slot_address,
          strobe: '1,
          data: {header1.src_slot, source_q, header1.length}
      };
    end
    if (state_q == StateWord) begin
      write_o = '{
          address: address,
          strobe: {put_info.last == 2'd3, put_info.last[1], put_info.last != 2'd0, 1'b1},
          data: request_data_i
      };
    end
    if (Atomics && state_q == StateAtomic) begin
      write_o = '{address: write_address_q, strobe: '1, data: atomic_word};
    end
  end

  // The payload of a message begins two words behind the start of its slot.
  assign address_step = state_q == StateHeader1 ? 4'd8 : state_q == StateOffset ? 4'd0 : 4'd4;

  always_ff @(posedge clk_i) begin
    if (taken) begin
      if (state_q == StateHeader0) begin
        kind_q   <= header0.kind;
        source_q <= header0.src_node;
        nack_q   <= NackNone;
      end
    end
    if (refuse) nack_q <= nack;
    // What a word says counts when it is taken; before that anything may be stored, so that nothing here
    // waits until it is clear whether the word is taken.
    if (state_q == StateHeader1) begin
      header1_q <= header1;
      is_word_q <= kind_q == KindPut && looked_up.word;
    end
    // What is left to write, and where the next word goes.
    if (state_q == StateHeader1) left_q <= header1.length;
    else if (state_q == StateOffset && atomic)
      left_q <= {11'd0, operand_words(atomic_access), 2'b00};
    else if (payload_written || operand_taken)
      left_q <= exceeds(32'(left_q), 32'd4) ? left_q - 16'd4 : '0;
    if (payload_written || atomic_written ||
        state_q == StateHeader1 || state_q == StateOffset) begin
      write_address_q <= write_o.address + 32'(address_step);
    end
  end

  // ---------------------------------------------------------------- atomic accesses
  logic atomic_read_valid, atomic_turn, value_owed;
  logic sender_read_valid;
  logic [31:0] sender_read_address, atomic_read_address;
  word_t [1:0] old_value;

  assign operand_taken = Atomics && state_q == StateAtomic && taken;
  assign operands_here = left_q == '0;
  if (Atomics) begin : gen_atomics
    word_t [1:0] old_q, result;
    word_t [1:0][1:0] operands_q;  // then what is compared
    logic [1:0] place_q;  // of the next operand
    logic [1:0] asked_q, got_q;  // words
    logic written_q;  // the first word of two
    logic wide;
    logic [1:0] words;

    assign wide = atomic_access.bytes[3];
    assign words = {wide, !wide};
    // Nothing else reads or writes from here on, and what was there has left for the one before.
    assign atomic_turn = state_q == StateAtomic && !get_valid_q && !sender_busy && !value_owed;
    assign atomic_read_valid = atomic_turn && asked_q != words &&
        (operands_here || (request_valid_i && request_last_i && left_q == 16'd4));
    assign atomic_read_address = write_address_q + {29'd0, asked_q[0], 2'b00};
    assign result = atomic_result(
        atomic_access.operation, wide, old_q, operands_q[0], operands_q[1]
    );
    assign atomic_write = atomic_turn && operands_here && got_q == words;
    assign atomic_written = atomic_write && write_ready_i;
    assign atomic_done = atomic_written && (!wide || written_q);
    assign atomic_word = result[written_q];
    assign old_value = old_q;

    always_ff @(posedge clk_i) begin
      if (state_q == StateOffset) begin
        place_q   <= 2'd0;
        asked_q   <= '0;
        got_q     <= '0;
        written_q <= 1'b0;
      end else begin
        if (operand_taken) place_q <= place_q + (wide ? 2'd1 : 2'd2);
        if (atomic_read_valid && read_ready_i) asked_q <= asked_q + 2'd1;
        if (atomic_turn && data_valid_i) got_q <= got_q + 2'd1;
        if (atomic_written) written_q <= 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (operand_taken) operands_q[place_q[1]][place_q[0]] <= request_data_i;
      if (atomic_turn && data_valid_i) old_q[got_q[0]] <= data_i;
    end
  end else begin : gen_no_atomics
    assign atomic_turn = 1'b0;
    assign atomic_read_valid = 1'b0;
    assign atomic_read_address = '0;
    assign atomic_write = 1'b0;
    assign atomic_written = 1'b0;
    assign atomic_done = 1'b0;
    assign atomic_word = '0;
    assign old_value = '0;
    logic unused;
    assign unused = ^{value_owed, operands_here, atomic_access};
  end

  assign read_valid_o   = sender_read_valid || atomic_read_valid;
  assign read_address_o = atomic_turn ? atomic_read_address : sender_read_address;

  // ---------------------------------------------------------------- answers
  rma_get_t get_q;  // that waits or begins
  rma_get_t sent_q, sent;  // that is being answered
  get_reply_info_t get_reply_info, get_reply_last_info;
  rma_transfer_t transfer;
  rma_answer_t answer_new, answer_old_q, answer_younger_q;
  get_reply_info_t value_info;
  logic answer_gone, answer_ready, answer_short, answer_last;
  logic [1:0] answer_place_q;  // of the word that is offered
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
    // The place is free, whether a GET comes or not.
    if (get_ready) begin
      get_q <= '{
          node: source_q,
          slot: header1_q.src_slot,
          number: get_info.number,
          address: write_o.address,
          bytes: state_q == StateBytes ? request_data_i : 32'(header1_q.length)
      };
    end
    if (sender_ready) sent_q <= get_q;
  end

  assign sent = sender_ready ? get_q : sent_q;
  assign get_reply_info = '{reserved: '0, number: sent.number, last: 1'b0};
  assign get_reply_last_info = '{reserved: '0, number: sent.number, last: 1'b1};
  assign transfer = '{
          kind: KindGetReply,
          node: sent.node,
          slot: sent.slot,
          info: get_reply_info,
          last_info: get_reply_last_info,
          addressed: 1'b0,
          whole: 1'b0,
          word: 1'b0,
          get: 1'b0,
          atomic: 1'b0,
          inline_data: 1'b0,
          address: '0,
          source: get_q.address,
          bytes: get_q.bytes,
          access : atomic_length_t'('0)
      };

  rma_sender #(
      .PacketWords(PacketWords)
  ) u_sender (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .start_valid_i (get_valid_q),
      .transfer_i    (transfer),
      .start_ready_o (sender_ready),
      .done_o        (),
      .read_valid_o  (sender_read_valid),
      .read_address_o(sender_read_address),
      .read_ready_i,
      .data_valid_i  (data_valid_i && !atomic_turn),
      .data_i,
      .valid_o       (sender_valid),
      .flit_o        (sender_flit),
      .ready_i       (sender_flit_ready),
      .busy_o        (sender_busy)
  );

  assign value_info = '{reserved: '0, number: get_info.number, last: 1'b1};
  // A refusal at once, or of what has been taken off the network since.
  always_comb begin
    answer_new = '{node: source_q, slot: source_slot, atomic: 1'b0, wide: 1'b0, info: '0};
    if (atomic_done) begin
      answer_new.atomic = 1'b1;
      answer_new.wide   = atomic_access.bytes[3];
      answer_new.info   = value_info;
    end
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

  // Two answers are owed at most. With registers of their own they need neither a memory nor pointers.
  assign answer_gone = answer_ready && answer_last;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      answers_empty_q <= 1'b1;
      answers_full_q  <= 1'b0;
    end else if (answer != answer_gone) begin
      answers_empty_q <= answer_gone && !answers_full_q;
      answers_full_q  <= answer && !answers_empty_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (answer_gone || answers_empty_q) begin
      answer_old_q <= answers_full_q ? answer_younger_q : answer_new;
    end
    if (answer) answer_younger_q <= answer_new;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) answer_place_q <= '0;
    else if (answer_ready) begin
      // Answers without a value have two words at most.
      answer_place_q <= answer_last ? '0 : Atomics ? answer_place_q + 2'd1 : 2'd1;
    end
  end

  // An acknowledgement is one word: who asked for it needs no more.
  assign answer_short = answer_old_q.info.code == NackNone && !answer_old_q.atomic;
  assign value_owed = (!answers_empty_q && answer_old_q.atomic) ||
      (answers_full_q && answer_younger_q.atomic);
  always_comb begin
    answer_last = answer_short || answer_place_q[0];
    if (answer_old_q.atomic) answer_last = answer_place_q == {1'b1, answer_old_q.wide};
  end
  assign answer_header0 = '{
          kind: answer_old_q.atomic ? KindGetReply : answer_short ? KindPutAck : KindNack,
          dst_slot: answer_old_q.slot,
          dst_node: answer_old_q.node,
          src_node: node_id_i
      };
  assign answer_header1 = '{
          src_slot: slot_id_i,
          info: answer_old_q.info,
          length: {
            12'd0,
            answer_old_q.atomic && answer_old_q.wide,
            answer_old_q.atomic && !answer_old_q.wide,
            2'b00
          }
      };
  assign answer_flit = '{
          vc: '0,
          last: answer_last,
          data:
          answer_place_q[1]
          ?
          old_value[answer_place_q[0]]
          :
          answer_place_q[0]
          ?
          answer_header1
          :
          answer_header0
      };

  slot_packet_mux #(
      .NumSources(2)
  ) u_replies (
      .clk_i,
      .rst_ni,
      .valid_i({sender_valid, !answers_empty_q}),
      .flit_i ({sender_flit, answer_flit}),
      .ready_o({sender_flit_ready, answer_ready}),
      .valid_o(reply_valid_o),
      .flit_o (reply_flit_o),
      .ready_i(reply_ready_i)
  );

  assign busy_o = !answers_empty_q || get_valid_q || sender_busy ||
      (Atomics && state_q == StateAtomic);

  // The network has brought the packet to its destination.
  logic unused;
  assign unused = ^{header0.dst_slot, header0.dst_node, get_info, looked_up, looked_up_get, sent};

`ifndef SYNTHESIS
  // The words of an accepted packet are as many as its header says.
  LengthAgrees :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      taken && state_q == StatePayload |-> request_last_i == (left_q <= 16'd4));
  // What is read before an atomic write, the sender has no part in.
  AtomicAlone :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      atomic_turn |-> !sender_read_valid && !sender_valid);
  // A message never goes where software has not yet read.
  SlotIsFree :
  assert property (@(posedge clk_i) disable iff (!rst_ni) message_received |-> !queue_full);
`endif

endmodule

`default_nettype wire
