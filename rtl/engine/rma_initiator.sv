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
/// An atomic access is a GET that sends operands, which it reads where the old value is to be written.
/// A PUT of up to four bytes can bring them in the command: it reads no memory.
///
/// A command that cannot be sent (unknown operation, message of no or too many bytes, more bytes than
/// a command brings, addresses not word aligned) is complete at once and sets the error `NackBadPacket` with this slot's own address.
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
    parameter int unsigned StaticBytes  = 248,
    /// There are atomic accesses.
    parameter bit          Atomics      = 1'b0
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

  if (Atomics && MessageWords < 6) begin : gen_operands_check
    $error("Whole packets of %0d words must hold four operands", MessageWords);
  end

  // ---------------------------------------------------------------- command queue
  // Commands from `retire_q` on are not complete, those from `issue_q` on have not begun or are being
  // sent. The pointers carry one bit more than an index. What a command is worth is kept beside it.
  localparam int unsigned IndexWidth = $clog2(CommandDepth);
  typedef logic [IndexWidth:0] pointer_t;
  typedef struct packed {
    logic malformed;
    logic is_void;    // nothing is sent
    logic is_word;    // a PUT of one word
  } verdict_t;
  rma_command_t commands_q[CommandDepth];
  rma_command_t command, oldest;
  verdict_t verdicts_q[CommandDepth];
  verdict_t verdict, verdict_new;
  atomic_length_t access_new;
  logic inline_new;
  pointer_t write_q, issue_q, retire_q;
  logic waiting, under_way, full, queue, issued, complete, overflow;

  assign waiting = issue_q != write_q;
  assign under_way = retire_q != issue_q;
  assign full = write_q == (retire_q ^ {1'b1, IndexWidth'(0)});
  assign queue = command_valid_i && (!full || complete);
  assign overflow = command_valid_i && !queue;
  assign command = waiting ? commands_q[issue_q[IndexWidth-1:0]] : command_i;
  assign verdict = waiting ? verdicts_q[issue_q[IndexWidth-1:0]] : verdict_new;
  assign oldest = commands_q[retire_q[IndexWidth-1:0]];

  assign access_new = atomic_length_t'(command_i.length[15:0]);
  always_comb begin
    inline_new = command_i.operation == OperationPut && command_i.inline_data;
    verdict_new.malformed = inline_new ? exceeds(command_i.length, 32'd4) :
        command_i.local_address[1:0] != 2'b00;
    unique case (command_i.operation)
      OperationMessage: begin
        if (command_i.length == '0 || exceeds(command_i.length, 32'(MessageBytes))) begin
          verdict_new.malformed = 1'b1;
        end
        if (command_i.static_route && exceeds(command_i.length, 32'(StaticBytes))) begin
          verdict_new.malformed = 1'b1;
        end
      end
      OperationPut, OperationGet: begin
        if (command_i.offset[1:0] != 2'b00 || command_i.static_route) verdict_new.malformed = 1'b1;
      end
      default: begin
        if (!Atomics || !is_atomic(access_new) || command_i.length[31:16] != '0) begin
          verdict_new.malformed = 1'b1;
        end
        if (command_i.offset[1:0] != 2'b00 || (command_i.offset[2] && access_new.bytes[3]) ||
            command_i.static_route) begin
          verdict_new.malformed = 1'b1;
        end
      end
    endcase
    verdict_new.is_void = verdict_new.malformed || command_i.length == '0;
    verdict_new.is_word = command_i.operation == OperationPut &&
        !exceeds(command_i.length, 32'd4) && command_i.offset[31:WordOffsetWidth+2] == '0;
  end

  always_ff @(posedge clk_i) begin
    if (queue) begin
      commands_q[write_q[IndexWidth-1:0]] <= command_i;
      verdicts_q[write_q[IndexWidth-1:0]] <= verdict_new;
    end
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
  logic is_put, is_get, is_atomic_get, is_void, is_word;
  atomic_length_t access;
  logic idle, present, start, complete_void, sender_done, get_sent, refused;
  rma_transfer_t transfer;
  put_info_t put_info, put_last_info;
  get_info_t   get_info;
  get_number_t number;  // of the GET that is sent
  logic number_free, numbered_done;

  assign present = waiting || (command_valid_i && !full);
  assign is_put = command.operation == OperationPut;
  assign is_atomic_get = Atomics && command.operation == OperationAtomic;
  assign is_get = command.operation == OperationGet || is_atomic_get;
  assign access = atomic_length_t'(command.length[15:0]);
  assign is_void = verdict.is_void;
  assign is_word = verdict.is_word;

  assign put_info = '{word: 1'b0, last: 2'b00, ack: 1'b0, region: command.region};
  assign put_last_info = '{
          word: is_word,
          last: is_word ? command.length[1:0] - 2'd1 : 2'b00,
          ack: 1'b1,
          region: command.region
      };
  assign get_info = '{atomic: is_atomic_get, number: number, region: command.region};
  always_comb begin
    transfer = '{
        kind: command.static_route ? KindStaticMessage : KindMessage,
        node: command.node,
        slot: command.slot,
        info: '0,
        last_info: '0,
        addressed: 1'b0,
        whole: 1'b1,
        word: 1'b0,
        get: 1'b0,
        atomic: is_atomic_get,
        inline_data: 1'b0,
        address: {command.offset[31:2], 2'b00},
        source: command.local_address,
        bytes: command.length,
        access : access
    };
    if (is_put) begin
      transfer.kind = KindPut;
      transfer.info = put_info;
      transfer.last_info = put_last_info;
      transfer.addressed = !is_word;
      transfer.whole = 1'b0;
      transfer.word = is_word;
      transfer.inline_data = command.inline_data;
    end
    if (is_get) begin
      transfer.kind = KindGet;
      transfer.last_info = get_info;
      transfer.addressed = 1'b1;
      transfer.get = !is_atomic_get;
    end
    if (is_atomic_get) transfer.bytes = {27'd0, operand_words(access), 2'b00};
  end

  // What begins in this cycle.
  assign start = present && !is_void && (is_get ? number_free : !under_way);
  assign complete_void = idle && present && is_void && !under_way;

  assign refused = complete_void && verdict.malformed;
  assign get_sent = sender_done && is_get;
  assign issued = sender_done || complete_void;
  assign complete = (sender_done && !is_get) || complete_void || numbered_done;

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
      .start_ready_o(idle),
      .done_o       (sender_done),
      .read_valid_o,
      .read_address_o,
      .read_ready_i,
      .data_valid_i,
      .data_i,
      .valid_o      (request_valid_o),
      .flit_o       (request_flit_o),
      .ready_i      (request_ready_i),
      .busy_o       ()
  );

  // ---------------------------------------------------------------- GETs under way
  // What is left of a GET, by its number: in the lower half what it asks for, in the upper half what is
  // left once a word has been written. Then by number whether one has been written, whether replies are
  // to come, and whether all have while an earlier GET's have not.
  typedef struct packed {
    logic [29:0] address;  // of a word
    logic [31:0] bytes;
  } wanted_t;
  wanted_t gets_q[2*MaxGets];
  wanted_t get_q;  // where the next word belongs, and the bytes still to come
  get_number_t number_q;  // of the GET that the last packet answers, and that `get_q` belongs to
  logic [MaxGets-1:0] open_q, begun_q, done_q;
  logic get_done;
  get_number_t done_number, oldest_number;

  assign number = GetNumberWidth'(issue_q[IndexWidth-1:0]);
  assign oldest_number = GetNumberWidth'(retire_q[IndexWidth-1:0]);
  // With no more commands than numbers, the number of a command that waits is that of none before it.
  assign number_free = CommandDepth <= MaxGets || (!open_q[number] && !done_q[number]);
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

  // `get_q` is stored in every cycle that has nothing else to store. A GET is sent in three cycles at
  // least, and so long the first words of a packet take between the last word that changes `get_q` and
  // the cycle in which that of another GET is read: it is stored by then.
  always_ff @(posedge clk_i) begin
    gets_q[{
      !get_sent, get_sent?number : number_q
    }] <= get_sent ?
    '{
        address: command.local_address[31:2],
        bytes: is_atomic_get ? {28'd0, access.bytes} : command.length
    }
    : get_q;
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
  get_number_t reply_number;
  logic [15:0] reply_bytes_q;  // of this packet, still to come
  logic reply_begun;  // words of its GET have been written
  logic acknowledged, nacked, unexpected, fits, word_written;

  assign reply_header0 = header0_t'(reply_data_i);
  assign reply_header1 = header1_t'(reply_data_i);
  assign nack_info = nack_info_t'(reply_header1.info);
  assign get_reply_info = get_reply_info_t'(reply_header1.info);
  logic unused_bits;
  assign unused_bits = ^{nack_info.reserved, get_reply_info};
  assign reply_number = get_reply_info.number;
  assign reply_begun = begun_q[reply_number];
  assign fits = get_q.bytes[31:16] != '0 || reply_bytes_q <= get_q.bytes[15:0];
  assign reply_ready_o = reply_q != ReplyPayload || !fits || write_ready_i;
  assign write_valid_o = reply_q == ReplyPayload && fits && reply_valid_i;
  assign word_written = write_valid_o && write_ready_i;
  assign write_o = '{
          address: {get_q.address, 2'b00},
          strobe: tail_strobe(get_q.bytes),
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
              unexpected = !open_q[reply_number] || reply_header1.length == '0;
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
          get_done   = word_written && !exceeds(get_q.bytes, 32'd4);
          if (!fits || (word_written && !exceeds(32'(reply_bytes_q), 32'd4))) reply_d = ReplyDrop;
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
      number_q      <= reply_number;
      reply_bytes_q <= reply_header1.length;
      if (!reply_begun || reply_number != number_q) begin
        get_q <= gets_q[{reply_begun, reply_number}];
      end
    end else if (word_written) begin
      reply_bytes_q <= reply_bytes_q - 16'd4;
      get_q <= '{address: get_q.address + 30'd1, bytes: get_q.bytes - 32'd4};
    end
  end

  always_ff @(posedge clk_i) begin
    if (word_written) begun_q[number_q] <= 1'b1;
    if (get_sent) begun_q[number] <= 1'b0;
  end

  // ---------------------------------------------------------------- what software sees
  logic [31:0] completed_q;
  logic [15:0] unacknowledged_q;
  rma_error_t error_q, failure;
  logic put_queued, put_void;
  logic signed [2:0] unacknowledged_change;

  assign put_queued = queue && command_i.operation == OperationPut;
  assign put_void   = complete_void && is_put;
  always_comb begin
    unique case ({
      put_queued, put_void, acknowledged
    })
      3'b100: unacknowledged_change = 3'sd1;
      3'b010, 3'b001, 3'b111: unacknowledged_change = -3'sd1;
      3'b011: unacknowledged_change = -3'sd2;
      default: unacknowledged_change = 3'sd0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      completed_q      <= '0;
      unacknowledged_q <= '0;
    end else begin
      if (complete) completed_q <= completed_q + 1'b1;
      unacknowledged_q <= unacknowledged_q + 16'(unacknowledged_change);
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
  assign busy_o = !idle || (under_way && done_q[oldest_number]) ||
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
  // The number of a GET that is sent is that of no other one.
  NumberIsFree :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      get_sent |-> !open_q[number] && !done_q[number]);
  // Other commands are sent while no GET is under way.
  GetsAlone :
  assert property (@(posedge clk_i) disable iff (!rst_ni) sender_done && !is_get |-> !under_way);
  // One of two cycles stores what is left of a GET.
  GetsApart :
  assert property (@(posedge clk_i) disable iff (!rst_ni) get_sent |=> !get_sent);
`endif

endmodule

`default_nettype wire
