// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Runs the commands of a slot and takes in the replies to them.
///
/// Commands wait in a queue and run in order. A message or a PUT is complete when its last word has
/// been handed over for sending, a GET when its last byte has been written or it was refused. One
/// GET is under way at a time; PUTs do not wait for their acknowledgements, which are counted.
///
/// A command that cannot be sent (unknown operation, message of no or too many bytes, addresses not
/// word aligned) is complete at once and sets the error `NackBadPacket` with this slot's own address.
/// A PUT or a GET of no bytes is complete at once.
///
/// Replies wait for nothing but the memory's write port. Words of a GET's reply are written only
/// where the GET that waits expects them; others are dropped with the error `NackBadPacket`.
module rma_initiator #(
    /// Payload words of a packet.
    parameter int unsigned PacketWords  = 64,
    /// Commands that can wait or run: a power of two.
    parameter int unsigned CommandDepth = 8,
    /// Words of a slot of a receive queue; two of them are not payload.
    parameter int unsigned MessageWords = 64,
    /// Payload bytes of the longest message along a static route; 0: there are none.
    parameter int unsigned StaticBytes  = 248
) (
    /// Clock.
    input  logic                              clk_i,
    /// Synchronous reset, active low.
    input  logic                              rst_ni,
    /// Router of this slot.
    input  tidings_pkg::node_id_t             node_id_i,
    /// Number of this slot at its router.
    input  tidings_pkg::slot_id_t             slot_id_i,
    /// Queue `command_i`; dropped with the error `NackOverflow` when there is no room.
    input  logic                              command_valid_i,
    /// Command.
    input  rma_pkg::rma_command_t             command_i,
    /// Forget `error_o`.
    input  logic                              error_clear_i,
    /// First refusal since it was cleared; the code is zero without one.
    output rma_pkg::rma_error_t               error_o,
    /// There was a refusal in this cycle, also if it was not the first.
    output logic                              failed_o,
    /// Commands complete since reset.
    output logic                       [31:0] completed_o,
    /// A command that asked for notice is complete in this cycle.
    output logic                              notify_o,
    /// PUT commands that are queued, run, or lack their acknowledgement.
    output logic                       [15:0] unacknowledged_o,
    /// No command waits or runs and none lacks its acknowledgement.
    output logic                              idle_o,
    /// A word of a reply packet is offered.
    input  logic                              reply_valid_i,
    /// Word.
    input  tidings_pkg::word_t                reply_data_i,
    /// It is the tail of its packet.
    input  logic                              reply_last_i,
    /// It is taken.
    output logic                              reply_ready_o,
    /// A word of a request packet is offered.
    output logic                              request_valid_o,
    /// Word; the channel is left to the port.
    output tidings_pkg::flit_t                request_flit_o,
    /// It is taken.
    input  logic                              request_ready_i,
    /// A read of memory is asked for.
    output logic                              read_valid_o,
    /// Byte address of the read.
    output logic                       [31:0] read_address_o,
    /// The read is taken.
    input  logic                              read_ready_i,
    /// The oldest read is answered.
    input  logic                              data_valid_i,
    /// Word read.
    input  tidings_pkg::word_t                data_i,
    /// A write to memory is asked for.
    output logic                              write_valid_o,
    /// The write.
    output tidings_pkg::memory_write_t        write_o,
    /// The write is taken.
    input  logic                              write_ready_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                              busy_o
);

  import tidings_pkg::*;
  import rma_pkg::*;

  localparam int unsigned MessageBytes = 4 * (MessageWords - 2);

  if (MessageWords < 3 || MessageWords - 2 > PacketWords) begin : gen_message_check
    $error(
        "A message of %0d words must hold a payload and fit in a packet of %0d",
        MessageWords,
        PacketWords
    );
  end

  // ---------------------------------------------------------------- command queue
  rma_command_t command;
  logic queue_empty, queue_full, queue, complete, overflow;

  assign queue = command_valid_i && (!queue_full || complete);
  assign overflow = command_valid_i && !queue;

  // The command that runs stays at the head until it is complete.
  fifo #(
      .T    (rma_command_t),
      .Depth(CommandDepth)
  ) u_commands (
      .clk_i,
      .rst_ni,
      .push_i (queue),
      .data_i (command_i),
      .pop_i  (complete),
      .data_o (command),
      .empty_o(queue_empty),
      .full_o (queue_full),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  // ---------------------------------------------------------------- running a command
  typedef enum logic [2:0] {
    StateIdle,
    StateSend,
    StateHeader0,
    StateHeader1,
    StateOffset,
    StateBytes,
    StateAddress,
    StateReply
  } state_e;

  state_e state_q, state_d;
  logic is_message, is_put, is_get, malformed, empty_run;
  logic start, sender_done, get_done, refused;
  logic sender_valid;
  flit_t sender_flit;
  rma_transfer_t transfer;
  put_info_t put_info, put_last_info;
  header0_t get_header0;
  header1_t get_header1;
  word_t get_word;

  assign is_message = command.operation == OperationMessage;
  assign is_put = command.operation == OperationPut;
  assign is_get = command.operation == OperationGet;
  assign empty_run = !is_message && command.length == '0;

  always_comb begin
    malformed = command.local_address[1:0] != 2'b00;
    if (is_message) begin
      if (command.length == '0 || command.length > 32'(MessageBytes)) malformed = 1'b1;
      if (command.static_route && command.length > 32'(StaticBytes)) malformed = 1'b1;
    end else if (is_put || is_get) begin
      if (command.offset[1:0] != 2'b00 || command.static_route) malformed = 1'b1;
    end else begin
      malformed = 1'b1;
    end
  end

  assign put_info = '{reserved: '0, ack: 1'b0, region: command.region};
  assign put_last_info = '{reserved: '0, ack: 1'b1, region: command.region};
  assign transfer = '{
          kind: is_put ? KindPut : command.static_route ? KindStaticMessage : KindMessage,
          node: command.node,
          slot: command.slot,
          info: is_put ? put_info : '0,
          last_info: is_put ? put_last_info : '0,
          addressed: is_put,
          address: command.offset,
          source: command.local_address,
          bytes: command.length
      };

  assign get_header0 = '{
          kind: KindGet,
          dst_slot: command.slot,
          dst_node: command.node,
          src_node: node_id_i
      };
  assign get_header1 = '{src_slot: slot_id_i, info: 12'(command.region), length: '0};

  always_comb begin
    state_d  = state_q;
    start    = 1'b0;
    complete = 1'b0;
    refused  = 1'b0;
    get_word = '0;
    unique case (state_q)
      StateIdle: begin
        if (!queue_empty) begin
          if (malformed || empty_run) begin
            complete = 1'b1;
            refused  = malformed;
          end else if (is_get) begin
            state_d = StateHeader0;
          end else begin
            start   = 1'b1;
            state_d = StateSend;
          end
        end
      end
      StateSend: begin
        if (sender_done) begin
          complete = 1'b1;
          state_d  = StateIdle;
        end
      end
      StateHeader0: begin
        get_word = get_header0;
        if (request_ready_i) state_d = StateHeader1;
      end
      StateHeader1: begin
        get_word = get_header1;
        if (request_ready_i) state_d = StateOffset;
      end
      StateOffset: begin
        get_word = command.offset;
        if (request_ready_i) state_d = StateBytes;
      end
      StateBytes: begin
        get_word = command.length;
        if (request_ready_i) state_d = StateAddress;
      end
      StateAddress: begin
        get_word = command.local_address;
        if (request_ready_i) state_d = StateReply;
      end
      StateReply: begin
        if (get_done) begin
          complete = 1'b1;
          state_d  = StateIdle;
        end
      end
      default: ;
    endcase
  end

  assign request_valid_o = state_q == StateSend ? sender_valid :
      state_q != StateIdle && state_q != StateReply;
  assign request_flit_o = state_q == StateSend ? sender_flit : '{
          vc: '0,
          last: state_q == StateAddress,
          data: get_word
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
      .start_ready_o(),
      .done_o       (sender_done),
      .read_valid_o,
      .read_address_o,
      .read_ready_i,
      .data_valid_i,
      .data_i,
      .valid_o      (sender_valid),
      .flit_o       (sender_flit),
      .ready_i      (request_ready_i),
      .busy_o       ()
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateIdle;
    else state_q <= state_d;
  end

  // ---------------------------------------------------------------- replies
  typedef enum logic [2:0] {
    ReplyHeader0,
    ReplyHeader1,
    ReplyAddress,
    ReplyPayload,
    ReplyDrop
  } reply_e;

  reply_e reply_q, reply_d;
  header0_t reply_header0;
  kind_e reply_kind_q;
  node_id_t reply_source_q;
  header1_t reply_header1;
  nack_info_t nack_info;
  logic [15:0] reply_bytes_q;  // of this packet, still to come
  logic [31:0] get_address_q;  // where the next word of the GET's reply belongs
  logic [31:0] get_left_q;  // bytes of the GET still to come
  logic acknowledged, nacked, unexpected, word_written;

  assign reply_header0 = header0_t'(reply_data_i);
  assign reply_header1 = header1_t'(reply_data_i);
  assign nack_info = nack_info_t'(reply_header1.info);
  logic unused_bits;
  assign unused_bits = ^nack_info.reserved;
  assign reply_ready_o = reply_q != ReplyPayload || write_ready_i;
  assign write_valid_o = reply_q == ReplyPayload && reply_valid_i;
  assign word_written = write_valid_o && write_ready_i;
  assign write_o = '{
          address: get_address_q,
          strobe: tail_strobe(get_left_q),
          data: reply_data_i
      };

  always_comb begin
    reply_d      = reply_q;
    acknowledged = 1'b0;
    nacked       = 1'b0;
    unexpected   = 1'b0;
    get_done     = 1'b0;
    if (reply_valid_i) begin
      unique case (reply_q)
        ReplyHeader0: reply_d = ReplyHeader1;
        ReplyHeader1: begin
          unique case (reply_kind_q)
            KindPutAck: acknowledged = 1'b1;
            KindNack: begin
              nacked = 1'b1;
              acknowledged = nack_info.put;
              get_done = nack_info.get;
            end
            KindGetReply: begin
              if (state_q == StateReply && reply_header1.length != '0 &&
                  32'(reply_header1.length) <= get_left_q) begin
                reply_d = ReplyAddress;
              end else begin
                unexpected = 1'b1;
                reply_d = ReplyDrop;
              end
            end
            default: begin
              unexpected = 1'b1;
              reply_d = ReplyDrop;
            end
          endcase
        end
        ReplyAddress: begin
          unexpected = reply_data_i != get_address_q;
          reply_d = unexpected ? ReplyDrop : ReplyPayload;
        end
        ReplyPayload: begin
          get_done = word_written && get_left_q <= 32'd4;
          if (word_written && reply_bytes_q <= 16'd4) reply_d = ReplyDrop;
        end
        default: ;
      endcase
      if (reply_last_i && (reply_q != ReplyPayload || word_written)) reply_d = ReplyHeader0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) reply_q <= ReplyHeader0;
    else reply_q <= reply_d;
  end

  always_ff @(posedge clk_i) begin
    if (reply_valid_i && reply_q == ReplyHeader0) begin
      reply_kind_q   <= reply_header0.kind;
      reply_source_q <= reply_header0.src_node;
    end
    if (reply_valid_i && reply_q == ReplyHeader1) reply_bytes_q <= reply_header1.length;
    else if (word_written) reply_bytes_q <= reply_bytes_q - 16'd4;
    if (state_q == StateAddress) begin
      get_address_q <= command.local_address;
      get_left_q    <= command.length;
    end else if (word_written) begin
      get_address_q <= get_address_q + 32'd4;
      get_left_q    <= get_left_q - 32'd4;
    end
  end

  // ---------------------------------------------------------------- what software sees
  logic [31:0] completed_q;
  logic [15:0] unacknowledged_q;
  rma_error_t error_q, failure;
  logic put_queued, put_void;

  assign put_queued = queue && command_i.operation == OperationPut;
  assign put_void   = complete && is_put && state_q == StateIdle;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      completed_q      <= '0;
      unacknowledged_q <= '0;
    end else begin
      if (complete) completed_q <= completed_q + 1'b1;
      if (put_queued || put_void || acknowledged) begin
        unacknowledged_q <= unacknowledged_q + 16'(put_queued) - 16'(put_void) - 16'(acknowledged);
      end
    end
  end

  // Of several refusals in one cycle the one from the network counts.
  always_comb begin
    failure = '{slot: slot_id_i, node: node_id_i, code: NackOverflow};
    if (nacked) begin
      failure = '{slot: reply_header1.src_slot, node: reply_source_q, code: nack_info.code};
    end else if (refused || unexpected) begin
      failure.code = NackBadPacket;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_q <= '0;
    else if (failed_o && (error_clear_i || error_q.code == NackNone)) error_q <= failure;
    else if (error_clear_i) error_q <= '0;
  end

  assign failed_o = nacked || refused || unexpected || overflow;
  assign error_o = error_q;
  assign completed_o = completed_q;
  assign notify_o = complete && command.notify;
  assign unacknowledged_o = unacknowledged_q;
  assign idle_o = queue_empty && unacknowledged_q == '0;
  assign busy_o = !queue_empty && state_q != StateReply;

  // The network has brought the packet to its destination.
  logic unused;
  assign unused = ^{reply_header0.dst_slot, reply_header0.dst_node};

`ifndef SYNTHESIS
  // An acknowledgement answers a PUT.
  AcknowledgedPut :
  assert property (@(posedge clk_i) disable iff (!rst_ni) acknowledged |-> unacknowledged_q != '0);
  // A GET is complete only while it waits for its reply.
  GetDoneInReply :
  assert property (@(posedge clk_i) disable iff (!rst_ni) get_done |-> state_q == StateReply);
`endif

endmodule

`default_nettype wire
