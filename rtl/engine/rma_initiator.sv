// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Runs the commands of a slot and takes in the replies to them.
///
/// Commands run in order, and are complete in order. One that comes while none waits begins in that
/// cycle. A message or a PUT is complete when its last word has been handed over for sending, a GET
/// when its last byte has been written or it was refused. PUTs do not wait for their
/// acknowledgements, which are counted. GETs do not wait for one another: `MaxGets` can be under way,
/// each with a number that its replies have. Any other command waits until no GET is under way.
///
/// A command that cannot be sent (unknown operation, message of no or too many bytes, addresses not
/// word aligned) is complete at once and sets the error `NackBadPacket` with this slot's own address.
/// A PUT or a GET of no bytes is complete at once.
///
/// Replies wait for nothing but the memory's write port. Words of a reply are written only if a GET
/// of its number is under way and lacks as many bytes; others are dropped with the error
/// `NackBadPacket`.
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
    /// So it is from the next cycle on, unless a command comes now.
    output logic                              quiet_o,
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

  if (MessageWords < 3) begin : gen_message_check
    $error("A message of %0d words must hold a payload", MessageWords);
  end

  // ---------------------------------------------------------------- command queue
  // Commands from `retire_q` on are not complete, those from `issue_q` on have not begun or are being
  // sent. The pointers carry one bit more than an index.
  localparam int unsigned IndexWidth = $clog2(CommandDepth);
  typedef logic [IndexWidth:0] pointer_t;
  rma_command_t commands_q[CommandDepth];
  rma_command_t command, oldest;
  pointer_t write_q, issue_q, retire_q;
  logic waiting, under_way, full, queue, issued, complete, overflow;

  assign waiting = issue_q != write_q;
  assign under_way = retire_q != issue_q;
  assign full = write_q == (retire_q ^ {1'b1, IndexWidth'(0)});
  assign queue = command_valid_i && (!full || complete);
  assign overflow = command_valid_i && !queue;
  assign command = waiting ? commands_q[issue_q[IndexWidth-1:0]] : command_i;
  assign oldest = commands_q[retire_q[IndexWidth-1:0]];

  always_ff @(posedge clk_i) begin
    if (queue) commands_q[write_q[IndexWidth-1:0]] <= command_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= '0;
      issue_q  <= '0;
      retire_q <= '0;
    end else begin
      if (queue) write_q <= write_q + 1'b1;
      if (issued) issue_q <= issue_q + 1'b1;
      if (complete) retire_q <= retire_q + 1'b1;
    end
  end

  // ---------------------------------------------------------------- running a command
  typedef enum logic [2:0] {
    StateIdle,     // also the first word of a packet
    StateSend,
    StateHeader1,
    StateOffset,
    StateBytes
  } state_e;

  state_e state_q, state_d;
  logic is_message, is_put, is_get, malformed, is_void, is_word, is_long;
  logic present, start, start_get, complete_void, sender_done, refused;
  logic sender_valid;
  flit_t sender_flit;
  rma_transfer_t transfer;
  put_info_t put_info, put_last_info;
  get_info_t get_info;
  header0_t get_header0;
  header1_t get_header1;
  word_t get_word;
  logic get_last, get_sent;  // of the packet of a GET
  get_number_t number;  // of the GET that is sent
  logic number_free, numbered_done;

  assign present = waiting || (command_valid_i && !full);
  assign is_message = command.operation == OperationMessage;
  assign is_put = command.operation == OperationPut;
  assign is_get = command.operation == OperationGet;
  assign is_word = is_put && command.length <= 32'd4 && command.offset[31:WordOffsetWidth+2] == '0;
  assign is_long = command.length[31:16] != '0;

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
  // Nothing is sent.
  assign is_void = malformed || command.length == '0;

  assign put_info = '{word: 1'b0, last: 2'b00, ack: 1'b0, region: command.region};
  assign put_last_info = '{
          word: is_word,
          last: is_word ? command.length[1:0] - 2'd1 : 2'b00,
          ack: 1'b1,
          region: command.region
      };
  assign transfer = '{
          kind: is_put ? KindPut : command.static_route ? KindStaticMessage : KindMessage,
          node: command.node,
          slot: command.slot,
          info: is_put ? put_info : '0,
          last_info: is_put ? put_last_info : '0,
          addressed: is_put && !is_word,
          whole: is_message,
          word: is_word,
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
  assign get_info = '{reserved: '0, number: number, region: command.region};
  assign get_header1 = '{
          src_slot: slot_id_i,
          info: get_info,
          length: is_long ? '0 : command.length[15:0]
      };

  // What begins in this cycle.
  assign start_get = state_q == StateIdle && present && is_get && !is_void && number_free;
  assign start = state_q == StateIdle && present && !is_get && !is_void && !under_way;
  assign complete_void = state_q == StateIdle && present && is_void && !under_way;

  always_comb begin
    state_d  = state_q;
    get_word = get_header0;
    get_last = 1'b0;
    unique case (state_q)
      StateIdle: begin
        if (start_get && request_ready_i) state_d = StateHeader1;
        if (start) state_d = StateSend;
      end
      StateSend: if (sender_done) state_d = StateIdle;
      StateHeader1: begin
        get_word = get_header1;
        if (request_ready_i) state_d = StateOffset;
      end
      StateOffset: begin
        get_word = command.offset;
        get_last = !is_long;
        if (request_ready_i) state_d = is_long ? StateBytes : StateIdle;
      end
      StateBytes: begin
        get_word = command.length;
        get_last = 1'b1;
        if (request_ready_i) state_d = StateIdle;
      end
      default:   state_d = StateIdle;
    endcase
  end

  assign refused = complete_void && malformed;
  assign get_sent = get_last && request_ready_i;
  assign issued = sender_done || complete_void || get_sent;
  assign complete = sender_done || complete_void || numbered_done;

  assign request_valid_o = start || state_q == StateSend ? sender_valid :
      start_get || state_q != StateIdle;
  assign request_flit_o = start || state_q == StateSend ? sender_flit : '{
          vc: '0,
          last: get_last,
          data: get_word
      };

  rma_sender #(
      .PacketWords(PacketWords),
      .WholeWords (MessageWords - 2)
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

  // ---------------------------------------------------------------- GETs under way
  // What a GET asks for, by its number; the words that have been written, if any; whether replies are to
  // come, and whether all have while an earlier GET's have not.
  typedef struct packed {
    logic [31:0] address;
    logic [31:0] bytes;
  } wanted_t;
  wanted_t wanted_q[MaxGets];
  logic [29:0] written_q[MaxGets];
  logic [MaxGets-1:0] open_q, begun_q, done_q;
  logic get_done;
  get_number_t done_number, oldest_number;

  assign number = GetNumberWidth'(issue_q[IndexWidth-1:0]);
  assign oldest_number = GetNumberWidth'(retire_q[IndexWidth-1:0]);
  assign number_free = !open_q[number] && !done_q[number];
  assign numbered_done = under_way &&
      (done_q[oldest_number] || (get_done && done_number == oldest_number));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q <= '0;
      done_q <= '0;
    end else begin
      if (get_sent) open_q[number] <= 1'b1;
      if (get_done) begin
        open_q[done_number] <= 1'b0;
        done_q[done_number] <= 1'b1;
      end
      if (numbered_done) done_q[oldest_number] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (get_sent) wanted_q[number] <= '{address: command.local_address, bytes: command.length};
  end

  // ---------------------------------------------------------------- replies
  typedef enum logic [1:0] {
    ReplyHeader0,
    ReplyHeader1,
    ReplyPayload,
    ReplyDrop
  } reply_e;

  reply_e reply_q, reply_d;
  header0_t reply_header0;
  kind_e reply_kind_q;
  node_id_t reply_source_q;
  header1_t reply_header1;
  nack_info_t nack_info;
  get_reply_info_t get_reply_info;
  wanted_t wanted;
  logic [29:0] written;
  get_number_t number_q;  // of the GET that this packet answers
  logic [15:0] reply_bytes_q;  // of this packet, still to come
  logic [31:0] get_address_q;  // where the next word of the GET's reply belongs
  logic [31:0] get_left_q;  // bytes of the GET still to come
  logic [29:0] get_written_q;  // words of the GET, with this packet up to here
  logic acknowledged, nacked, unexpected, fits, word_written;

  assign reply_header0 = header0_t'(reply_data_i);
  assign reply_header1 = header1_t'(reply_data_i);
  assign nack_info = nack_info_t'(reply_header1.info);
  assign get_reply_info = get_reply_info_t'(reply_header1.info);
  logic unused_bits;
  assign unused_bits = ^{nack_info.reserved, get_reply_info};
  assign wanted = wanted_q[get_reply_info.number];
  assign written = begun_q[get_reply_info.number] ? written_q[get_reply_info.number] : '0;
  assign fits = 32'(reply_bytes_q) <= get_left_q;
  assign reply_ready_o = reply_q != ReplyPayload || !fits || write_ready_i;
  assign write_valid_o = reply_q == ReplyPayload && fits && reply_valid_i;
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
    done_number  = reply_q == ReplyHeader1 ? nack_info.number : number_q;
    if (reply_valid_i) begin
      unique case (reply_q)
        ReplyHeader0: begin
          acknowledged = reply_header0.kind == KindPutAck;
          reply_d = acknowledged ? ReplyDrop : ReplyHeader1;
        end
        ReplyHeader1: begin
          unique case (reply_kind_q)
            KindNack: begin
              nacked = 1'b1;
              acknowledged = nack_info.put;
              get_done = nack_info.get;
            end
            KindGetReply: begin
              unexpected = !open_q[get_reply_info.number] || reply_header1.length == '0;
              reply_d = unexpected ? ReplyDrop : ReplyPayload;
            end
            default: begin
              unexpected = 1'b1;
              reply_d = ReplyDrop;
            end
          endcase
        end
        ReplyPayload: begin
          unexpected = !fits;
          get_done   = word_written && get_left_q <= 32'd4;
          if (!fits || (word_written && reply_bytes_q <= 16'd4)) reply_d = ReplyDrop;
        end
        default: ;
      endcase
      if (reply_last_i && reply_ready_o) reply_d = ReplyHeader0;
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
    if (reply_valid_i && reply_q == ReplyHeader1) begin
      number_q      <= get_reply_info.number;
      reply_bytes_q <= reply_header1.length;
      get_written_q <= written + 1'b1;
      get_address_q <= wanted.address + {written, 2'b00};
      get_left_q    <= wanted.bytes - {written, 2'b00};
    end else if (word_written) begin
      reply_bytes_q <= reply_bytes_q - 16'd4;
      get_written_q <= get_written_q + 1'b1;
      get_address_q <= get_address_q + 32'd4;
      get_left_q    <= get_left_q - 32'd4;
    end
  end

  always_ff @(posedge clk_i) begin
    if (word_written) written_q[number_q] <= get_written_q;
    if (word_written) begun_q[number_q] <= 1'b1;
    if (get_sent) begun_q[number] <= 1'b0;
  end

  // ---------------------------------------------------------------- what software sees
  logic [31:0] completed_q;
  logic [15:0] unacknowledged_q;
  rma_error_t error_q, failure;
  logic put_queued, put_void;

  assign put_queued = queue && command_i.operation == OperationPut;
  assign put_void   = complete_void && is_put;

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
  // One that is void may be complete before it is in the queue.
  assign notify_o = complete && (complete_void ? command.notify : oldest.notify);
  assign unacknowledged_o = unacknowledged_q;
  assign idle_o = write_q == retire_q && unacknowledged_q == '0;
  assign quiet_o = write_q == retire_q && unacknowledged_q == 16'(acknowledged);
  // A command that waits for GETs waits for replies.
  assign busy_o = state_q != StateIdle || (under_way && done_q[oldest_number]) ||
      (waiting && (is_get && !is_void ? number_free : !under_way));

  // The network has brought the packet to its destination.
  logic unused;
  assign unused = ^{reply_header0.dst_slot, reply_header0.dst_node, oldest};

`ifndef SYNTHESIS
  // An acknowledgement answers a PUT.
  AcknowledgedPut :
  assert property (@(posedge clk_i) disable iff (!rst_ni) acknowledged |-> unacknowledged_q != '0);
  // A GET is complete only while it waits for its reply.
  GetDoneWhileOpen :
  assert property (@(posedge clk_i) disable iff (!rst_ni) get_done |-> open_q[done_number]);
  // Other commands are sent while no GET is under way.
  GetsAlone :
  assert property (@(posedge clk_i) disable iff (!rst_ni) sender_done |-> !under_way);
`endif

endmodule

`default_nettype wire
