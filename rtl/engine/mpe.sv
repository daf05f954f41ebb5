// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Message passing engine: barrier, broadcast, reduce and allreduce over a tree of links.
///
/// Words come from a neighbour into the stream buffer of its link (`mpe_stream_buffers`). The up
/// unit (`mpe_up`) combines the children's streams with the contribution that `mpe_fetch` reads;
/// the down unit (`mpe_down`) copies a stream into memory and to the children; both run at once.
/// `mpe_transmit` makes packets of what is at hand.
///
/// ```
///  taps, rx ► stream bufs ─┬──► up ──► results ──┬──► lane, transmit ──► lane, request
///                          │     ▲               ▼
///  memory read ──► fetch ──┼─────┴───────────► down ──► block buffer (transmit)
///                          └───────────────────► └────► memory write
/// ```
///
/// A link can be direct: it leads to the neighbour behind the network port of its number. Words for the
/// parent then leave over the lane (`mpe_lane`), words for all such children in one neighbour packet, and
/// words come in through the taps, all at the same time. Words of links that are not direct travel in
/// Stream packets through the slot port.
///
/// A context is a tree of links with stream buffers and credits of its own: collectives of different
/// groups of nodes do not mix. Commands run one at a time, in order.
///
/// An exchange is a barrier or an allreduce without a tree: in each of its rounds a node sends what it
/// has to the neighbour of one link and combines it with what comes from there (`mpe_up`).
///
/// A collective is complete when all its words have been sent and all its writes are issued; the
/// next command in the queue follows. Each stream begins with the command's descriptor; if a
/// neighbour's differs, the engine finishes the packet under way and stops until reset.
module mpe
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Network ports that links can be direct to: link l to port l; 0: none.
    parameter int unsigned DirectLinks = 0,
    /// One packet goes to all children with direct links.
    parameter bit Multicast = 1'b1,
    /// Elements of the vectors of taps: without any one is left, tied off.
    localparam int unsigned D = DirectLinks == 0 ? 1 : DirectLinks
) (
    /// Clock.
    input logic     clk_i,
    /// Synchronous reset, active low.
    input logic     rst_ni,
    /// Router of this slot.
    input node_id_t node_id_i,
    /// Number of this slot at its router.
    input slot_id_t slot_id_i,

    /// Neighbours in each context; constant while one of its collectives is under way.
    input  mpe_link_t    [Cfg.mpe_contexts-1:0][Cfg.mpe_links-1:0] links_i,
    /// A collective to queue.
    input  logic                                                   command_valid_i,
    input  mpe_command_t                                           command_i,
    /// The queue (two deep) has room. A command without room is dropped: `error_o.overflow`.
    output logic                                                   command_ready_o,

    /// Collectives complete since reset.
    output word_t      completed_o,
    /// A collective is complete: high for the cycle in which `completed_o` shows it first.
    output logic       done_o,
    /// What went wrong so far.
    output mpe_error_t error_o,
    /// Something went wrong: high for the cycle in which `error_o` shows it first.
    output logic       failed_o,

    /// One payload word of a Stream packet (headers already taken off).
    input  logic                rx_valid_i,
    /// `info` of the packet: context, and our link.
    input  mpe_info_t           rx_info_i,
    input  word_t               rx_data_i,
    /// It is taken.
    output logic                rx_ready_o,
    /// One payload word of a neighbour packet at each network port. Always accepted.
    input  logic        [D-1:0] tap_valid_i,
    /// Context of the packet.
    input  context_id_t [D-1:0] tap_context_i,
    input  word_t       [D-1:0] tap_data_i,
    /// Words of the packet under way that have not come before this cycle.
    input  tap_left_t   [D-1:0] tap_left_i,
    /// A Credit packet. Always accepted.
    input  logic                credit_valid_i,
    /// `info` of the packet: context, and our link.
    input  mpe_info_t           credit_info_i,
    /// `length` of the packet.
    input  logic        [ 15:0] credit_count_i,

    /// Flits of whole neighbour packets for one port each. A header that waits may still grow or be
    /// withdrawn; once it is taken, valid does not fall before the tail.
    output logic  lane_valid_o,
    output flit_t lane_flit_o,
    input  logic  lane_ready_i,
    /// Flits of whole Stream packets, and of neighbour packets for one port or several, class request.
    /// Between the words of the down stream valid may fall for a few cycles; what is shown stays.
    output logic  request_valid_o,
    output flit_t request_flit_o,
    input  logic  request_ready_i,
    /// Flits of Credit packets, class reply.
    output logic  reply_valid_o,
    output flit_t reply_flit_o,
    input  logic  reply_ready_i,

    /// Reads of node memory, bytes, word aligned.
    output logic                 memory_read_valid_o,
    output logic          [31:0] memory_read_address_o,
    input  logic                 memory_read_ready_i,
    /// Answers to this engine's reads, in order. Always accepted.
    input  logic                 memory_data_valid_i,
    input  word_t                memory_data_i,
    /// Writes to node memory.
    output logic                 memory_write_valid_o,
    output memory_write_t        memory_write_o,
    input  logic                 memory_write_ready_i,

    /// Low promises that a clock edge without inputs changes nothing.
    output logic busy_o
);

  node_cfg_check #(.Cfg(Cfg)) u_check ();

  localparam int unsigned StreamCountWidth = $clog2(Cfg.mpe_buffer_words) + 1;
  localparam int unsigned ResultCountWidth = $clog2(Cfg.mpe_packet_words) + 2;
  typedef logic [ResultCountWidth-1:0] result_count_t;

  typedef enum logic [1:0] {
    Idle,
    Start,
    Run,
    Stopped
  } state_e;
  state_e state_q;

  // ------------------------------------------------------------------ commands
  mpe_command_t queue_head, command_q;
  logic queue_empty, queue_full, queue_pop, supported;
  assign command_ready_o = !queue_full;
  assign queue_pop = state_q == Idle && !queue_empty;
  assign supported = Cfg.mpe_wide_elements || !is_wide(
      command_i.element
  ) || !combines(
      command_i.operation
  );
  fifo #(
      .T(mpe_command_t),
      .Depth(2)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .push_i (command_valid_i && supported && !queue_full),
      .data_i (command_i),
      .pop_i  (queue_pop),
      .data_o (queue_head),
      .empty_o(queue_empty),
      .full_o (queue_full),
      .count_o(),
      .load_o (),
      .next_o ()
  );
  always_ff @(posedge clk_i) begin
    if (queue_pop) command_q <= queue_head;
  end

  // What the command asks of each unit.
  logic root, reduces, up_runs, down_runs, reads_own, stores;
  down_source_e down_source;
  word_t words;
  assign root = command_q.parent == NoLink || command_q.exchange;
  assign reduces = combines(command_q.operation);
  assign up_runs = command_q.operation != CollectiveBroadcast;
  assign down_runs = command_q.operation != CollectiveReduce || root;
  assign reads_own = reduces || (command_q.operation == CollectiveBroadcast && root);
  assign stores = reduces || !root;
  always_comb begin
    if (!root) down_source = DownFromParent;
    else if (command_q.operation == CollectiveBroadcast) down_source = DownFromOwn;
    else down_source = DownFromResults;
  end
  always_comb begin
    unique case (command_q.operation)
      CollectiveBarrier:   words = '0;
      CollectiveBroadcast: words = command_q.count;
      default: begin
        words = command_q.count;
        if (Cfg.mpe_wide_elements && is_wide(command_q.element)) begin
          words = {command_q.count[WordWidth-2:0], 1'b0};
        end
      end
    endcase
  end

  // ------------------------------------------------------------------ progress
  logic start, stop, finished;
  logic up_done, down_done, fetch_done, transmit_done, lane_done;
  logic up_mismatch, down_mismatch;
  link_id_t up_mismatch_link;
  result_count_t result_count;
  assign start = state_q == Start;
  assign stop = state_q == Stopped || up_mismatch || down_mismatch;
  assign finished = state_q == Run && up_done && result_count == '0 && down_done && fetch_done &&
      transmit_done && lane_done;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      completed_o <= '0;
      done_o <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: if (!queue_empty) state_q <= Start;
        Start: state_q <= Run;
        Run: begin
          if (stop) state_q <= Stopped;
          else if (finished) state_q <= Idle;
        end
        default: state_q <= Stopped;
      endcase
      done_o <= finished;
      if (finished) completed_o <= completed_o + 1'b1;
    end
  end

  // The parent's link; any if there is none.
  typedef logic [$clog2(MaxLinks)-1:0] index_t;
  index_t parent;
  assign parent = index_t'(command_q.parent);

  word_t [MaxLinks-1:0] stream_data;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      error_o  <= '0;
      failed_o <= 1'b0;
    end else begin
      failed_o <= 1'b0;
      if (command_valid_i && supported && queue_full) begin
        error_o.overflow <= 1'b1;
        failed_o <= 1'b1;
      end
      if (command_valid_i && !supported) begin
        error_o.unsupported <= 1'b1;
        failed_o <= 1'b1;
      end
      if ((up_mismatch || down_mismatch) && !error_o.mismatch) begin
        error_o.mismatch <= 1'b1;
        error_o.context_id <= command_q.context_id;
        error_o.link <= up_mismatch ? up_mismatch_link : command_q.parent;
        error_o.received <= stream_data[up_mismatch?index_t'(up_mismatch_link) : parent];
        failed_o <= 1'b1;
      end
    end
  end

  // Neighbours in the context of the command.
  mpe_link_t [Cfg.mpe_links-1:0] links;
  // Explicit choices: of an index into elements of this size synthesis makes a shifter.
  always_comb begin
    links = '0;
    for (int unsigned c = 0; c < Cfg.mpe_contexts; c++) begin
      if ((command_q.context_id & context_id_t'(Cfg.mpe_contexts - 1)) == context_id_t'(c)) begin
        links |= links_i[c];
      end
    end
  end

  // Those that are direct.
  logic [MaxLinks-1:0] direct;
  for (genvar l = 0; l < MaxLinks; l++) begin : gen_direct
    if (l < Cfg.mpe_links && l < DirectLinks) begin : gen_may_be
      assign direct[l] = links[l].direct;
    end else begin : gen_is_not
      assign direct[l] = 1'b0;
    end
  end

  // ------------------------------------------------------------------ rounds of exchange
  // Links that still have to be sent to, and words left for the next of them.
  logic [MaxLinks-1:0] send_todo_q;
  word_t send_left_q;
  logic sent_result;
  link_id_t next_send_link;
  assign next_send_link = next_link(send_todo_q, command_q.swap);
  always_ff @(posedge clk_i) begin
    if (start) begin
      send_todo_q <= command_q.exchange ? command_q.children : '0;
      send_left_q <= words + 1'b1;
    end else if (sent_result && command_q.exchange) begin
      if (send_left_q == word_t'(1)) begin
        send_todo_q <= send_todo_q & ~link_bit(next_send_link);
        send_left_q <= words + 1'b1;
      end else begin
        send_left_q <= send_left_q - 1'b1;
      end
    end
  end

  // Results that go to a neighbour, to which, and whether they are all that is left for it.
  link_id_t send_link;
  result_count_t send_count;
  logic send_complete, send_direct;
  always_comb begin
    send_link = command_q.parent;
    send_count = root ? '0 : result_count;
    send_complete = up_done;
    if (command_q.exchange && send_todo_q != '0) begin
      send_link = next_send_link;
      send_count = result_count;
      send_complete = word_t'(result_count) >= send_left_q;
      if (send_complete) send_count = result_count_t'(send_left_q);
    end
  end
  assign send_direct = (direct & link_bit(send_link)) != '0;

  // ------------------------------------------------------------------ units
  logic [MaxLinks-1:0] up_read, stream_read;
  logic [MaxLinks-1:0][StreamCountWidth-1:0] stream_count;
  logic down_read, buffers_active;
  always_comb begin
    stream_read = up_read;
    if (down_read) stream_read[parent] = 1'b1;
  end
  logic [MaxLinks-1:0] tap_valid;
  context_id_t [MaxLinks-1:0] tap_context;
  word_t [MaxLinks-1:0] tap_data;
  tap_left_t [MaxLinks-1:0] tap_left;
  for (genvar l = 0; l < MaxLinks; l++) begin : gen_tap
    if (l < DirectLinks) begin : gen_direct
      assign tap_valid[l] = tap_valid_i[l];
      assign tap_context[l] = tap_context_i[l];
      assign tap_data[l] = tap_data_i[l];
      assign tap_left[l] = tap_left_i[l];
    end else begin : gen_none
      assign tap_valid[l] = 1'b0;
      assign tap_context[l] = '0;
      assign tap_data[l] = '0;
      assign tap_left[l] = '0;
    end
  end
  if (DirectLinks == 0) begin : gen_no_taps
    logic unused_taps;
    assign unused_taps = ^{tap_valid_i, tap_context_i, tap_data_i, tap_left_i};
  end

  mpe_stream_buffers #(
      .Links(Cfg.mpe_links),
      .Contexts(Cfg.mpe_contexts),
      .Words(Cfg.mpe_buffer_words),
      .DirectLinks(DirectLinks)
  ) u_stream_buffers (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .links_i,
      .rx_valid_i,
      .rx_context_i(rx_info_i.context_id),
      .rx_link_i   (rx_info_i.link),
      .rx_data_i,
      .rx_ready_o,
      .tap_valid_i (tap_valid),
      .tap_context_i(tap_context),
      .tap_data_i  (tap_data),
      .context_i   (command_q.context_id),
      .count_o (stream_count),
      .read_i  (stream_read),
      .data_o  (stream_data),
      .reply_valid_o,
      .reply_flit_o,
      .reply_ready_i,
      .active_o(buffers_active)
  );

  logic own_valid, fetch_active, up_own_pop, down_own_pop;
  word_t own_data;
  mpe_fetch u_fetch (
      .clk_i,
      .rst_ni,
      .start_i  (start && reads_own),
      .stop_i   (stop),
      .address_i(command_q.source),
      .words_i  (words),
      .memory_read_valid_o,
      .memory_read_address_o,
      .memory_read_ready_i,
      .memory_data_valid_i,
      .memory_data_i,
      .valid_o  (own_valid),
      .data_o   (own_data),
      .pop_i    (up_own_pop || down_own_pop),
      .done_o   (fetch_done),
      .active_o (fetch_active)
  );

  // Of two neighbours in an exchange, the one with the lower address has the first operand.
  logic [MaxLinks-1:0] lower;
  always_comb begin
    lower = '0;
    for (int unsigned l = 0; l < Cfg.mpe_links; l++) begin
      lower[l] = {links[l].node, links[l].slot} < {node_id_i, slot_id_i};
    end
  end

  logic up_active, down_result_pop;
  word_t result;
  mpe_up #(
      .Cfg             (Cfg),
      .StreamCountWidth(StreamCountWidth)
  ) u_up (
      .clk_i,
      .rst_ni,
      .start_i        (start && up_runs),
      .stop_i         (stop),
      .element_i      (command_q.element),
      .combine_i      (command_q.combine),
      .children_i     (command_q.children),
      .exchange_i     (command_q.exchange),
      .swap_i         (command_q.swap),
      .lower_i        (lower),
      .descriptor_i   (command_q.descriptor),
      .words_i        (words),
      .stream_count_i (stream_count),
      .stream_read_o  (up_read),
      .stream_data_i  (stream_data),
      .own_valid_i    (own_valid),
      .own_data_i     (own_data),
      .own_pop_o      (up_own_pop),
      .result_count_o (result_count),
      .result_data_o  (result),
      .result_pop_i   (sent_result || down_result_pop),
      .done_o         (up_done),
      .mismatch_o     (up_mismatch),
      .mismatch_link_o(up_mismatch_link),
      .active_o       (up_active)
  );

  // Words that the down unit will have: those of the parent's packet under way are on their way, and own
  // ones are in memory.
  word_t available;
  always_comb begin
    unique case (down_source)
      DownFromParent: begin
        available = word_t'(stream_count[parent]);
        if (direct[parent] && tap_context[parent] == command_q.context_id) begin
          available = available + word_t'(tap_left[parent]);
        end
      end
      DownFromOwn: available = '1;
      default: available = send_todo_q == '0 ? word_t'(result_count) : '0;
    endcase
  end

  logic block_room, block_push, down_active;
  result_count_t block_coming;
  word_t block_data;
  mpe_down #(
      .StreamCountWidth(StreamCountWidth),
      .PacketWords(Cfg.mpe_packet_words)
  ) u_down (
      .clk_i,
      .rst_ni,
      .start_i(start && down_runs),
      .stop_i(stop),
      .source_i(down_source),
      .forward_i     (command_q.children != '0 && command_q.operation != CollectiveReduce &&
                      !command_q.exchange),
      .store_i(stores),
      .address_i(command_q.destination),
      .descriptor_i(command_q.descriptor),
      .words_i(words),
      .available_i(available),
      .stream_count_i(stream_count[parent]),
      .stream_read_o(down_read),
      .stream_data_i(stream_data[parent]),
      .own_valid_i(own_valid),
      .own_data_i(own_data),
      .own_pop_o(down_own_pop),
      .result_valid_i(result_count != '0 && send_todo_q == '0),
      .result_data_i(result),
      .result_pop_o(down_result_pop),
      .block_room_i(block_room),
      .block_push_o(block_push),
      .block_data_o(block_data),
      .block_coming_o(block_coming),
      .memory_write_valid_o,
      .memory_write_o,
      .memory_write_ready_i,
      .done_o(down_done),
      .mismatch_o(down_mismatch),
      .active_o(down_active)
  );

  // ------------------------------------------------------------------ packets
  localparam int unsigned CreditWidth = $clog2(Cfg.mpe_buffer_words) + 1;
  typedef logic [CreditWidth-1:0] credit_t;
  credit_t [MaxLinks-1:0] credit;
  logic [MaxLinks-1:0] lane_start, request_start;
  credit_t lane_words, request_words;
  mpe_credits #(
      .Links(Cfg.mpe_links),
      .Contexts(Cfg.mpe_contexts),
      .BufferWords(Cfg.mpe_buffer_words)
  ) u_credits (
      .clk_i,
      .rst_ni,
      .context_i       (command_q.context_id),
      .credit_valid_i,
      .credit_context_i(credit_info_i.context_id),
      .credit_link_i   (credit_info_i.link),
      .credit_count_i,
      .lane_links_i    (lane_start),
      .lane_words_i    (lane_words),
      .request_links_i (request_start),
      .request_words_i (request_words),
      .credit_o        (credit)
  );

  logic lane_pop;
  if (DirectLinks == 0) begin : gen_no_lane
    assign lane_pop = 1'b0;
    assign lane_start = '0;
    assign lane_words = '0;
    assign lane_valid_o = 1'b0;
    assign lane_flit_o = '0;
    assign lane_done = 1'b1;
    logic unused_lane;
    assign unused_lane = lane_ready_i;
  end else begin : gen_lane
    mpe_lane #(
        .PacketWords (Cfg.mpe_packet_words),
        .ForwardWords(Cfg.mpe_forward_words),
        .CreditWidth (CreditWidth)
    ) u_lane (
        .clk_i,
        .rst_ni,
        .stop_i    (state_q == Stopped),
        .context_i (command_q.context_id & context_id_t'(Cfg.mpe_contexts - 1)),
        .link_i    (send_link),
        .count_i   (send_direct ? send_count : '0),
        .complete_i(send_complete),
        .data_i    (result),
        .pop_o     (lane_pop),
        .credit_i  (credit[index_t'(send_link)]),
        .start_o   (lane_start),
        .words_o   (lane_words),
        .valid_o   (lane_valid_o),
        .flit_o    (lane_flit_o),
        .ready_i   (lane_ready_i),
        .done_o    (lane_done)
    );
  end

  // The header of a neighbour packet changes what the down unit will have, but does not wake an engine that
  // is not busy: the first word does. Until then no packet starts, of the words at hand neither.
  logic awake;
  assign awake = busy_o || command_valid_i || rx_valid_i || |tap_valid_i || credit_valid_i;

  logic transmit_active, transmit_pop;
  assign sent_result = lane_pop || transmit_pop;
  mpe_transmit #(
      .Links(Cfg.mpe_links),
      .Contexts(Cfg.mpe_contexts),
      .BufferWords(Cfg.mpe_buffer_words),
      .PacketWords(Cfg.mpe_packet_words),
      .ForwardWords(Cfg.mpe_forward_words),
      .Multicast(Multicast)
  ) u_transmit (
      .clk_i,
      .rst_ni,
      .stop_i         (stop || !awake),
      .stopped_i      (state_q == Stopped),
      .node_id_i,
      .slot_id_i,
      .context_i      (command_q.context_id),
      .links_i        (links),
      .direct_i       (direct),
      .credit_i       (credit),
      .start_o        (request_start),
      .words_o        (request_words),
      .parent_i       (send_link),
      .up_count_i     (send_direct ? '0 : send_count),
      .up_complete_i  (send_complete),
      .up_data_i      (result),
      .up_pop_o       (transmit_pop),
      .children_i     (command_q.children),
      .down_push_i    (block_push),
      .down_data_i    (block_data),
      .down_coming_i  (block_coming),
      .down_complete_i(down_done),
      .down_room_o    (block_room),
      .request_valid_o,
      .request_flit_o,
      .request_ready_i,
      .done_o         (transmit_done),
      .active_o       (transmit_active)
  );

  logic unused_info;
  assign unused_info = ^{rx_info_i.reserved, credit_info_i.reserved};

  // ------------------------------------------------------------------ busy
  // A cycle without inputs in which nothing changed will be followed by another one. Whoever
  // offers something to the slot stays awake to see it taken.
  logic changes, changed_q;
  assign changes = command_valid_i || rx_valid_i || |tap_valid_i || credit_valid_i || queue_pop ||
      start || finished || failed_o || up_active || down_active || fetch_active || buffers_active ||
      transmit_active || lane_valid_o || memory_write_valid_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) changed_q <= 1'b1;
    else changed_q <= changes;
  end
  assign busy_o = changed_q || request_valid_o || lane_valid_o || reply_valid_o ||
      memory_write_valid_o || fetch_active;

`ifndef SYNTHESIS
  // The promise of `busy_o`.
  SleepsUntilAnInput :
  assert property (@(posedge clk_i) disable iff (!rst_ni) !awake |-> !changes);
`endif

endmodule

`default_nettype wire
