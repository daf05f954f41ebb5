// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Words in and out of the network through registers (`rtl/regs/stream.rdl`).
///
/// Software writes a packet word by word; it leaves when it is complete, and when its peer has room for it and one
/// word more. So a packet never stands still in the network. At the peer its tag chooses one of four receive queues,
/// or the catch-all, where its origin and then its words are read. All queues share one store. When software has
/// read the last word, a credit packet gives the room back to the row of the sender's table that it came from; until
/// that has left, the queue's next packet is not shown.
///
/// Words and credits travel as replies: they wait for nothing, as a packet without room is dropped and reported.
///
/// With `stream_own_network` they have a network of their own (`stream_network`). There a packet waits for room,
/// and its words are shown as they come, so it may be longer than the store. Peers with more credits than the
/// store has words can make that network stand still.
module stream_engine #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg
) (
    /// Clock.
    input logic clk_i,
    /// Synchronous reset, active low.
    input logic rst_ni,
    /// Router of this slot.
    input tidings_pkg::node_id_t node_id_i,
    /// Number of this slot at its router.
    input tidings_pkg::slot_id_t slot_id_i,
    /// A word of a packet of each class is offered.
    input logic [engine_pkg::NumClasses-1:0] rx_valid_i,
    /// The words.
    input engine_pkg::engine_word_t [engine_pkg::NumClasses-1:0] rx_i,
    /// The word is taken.
    output logic [engine_pkg::NumClasses-1:0] rx_ready_o,
    /// A flit of a packet of each class is offered.
    output logic [engine_pkg::NumClasses-1:0] tx_valid_o,
    /// The flits; the channel is left to the port.
    output tidings_pkg::flit_t [engine_pkg::NumClasses-1:0] tx_flit_o,
    /// The flit is taken.
    input logic [engine_pkg::NumClasses-1:0] tx_ready_i,
    /// The processor accesses a register of the engine.
    input logic bus_valid_i,
    /// The access; the address counts from the engine's window.
    input tidings_pkg::bus_request_t bus_i,
    /// Word read, in the same cycle.
    output tidings_pkg::word_t bus_data_o,
    /// From the neighbours' routers of the network of its own.
    input tidings_pkg::side_links_t switch_i,
    /// To them.
    output tidings_pkg::side_links_t switch_o,
    /// What happens in this cycle.
    output engine_pkg::engine_events_t events_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic busy_o
);

  import tidings_pkg::*;
  import engine_pkg::*;

  localparam int unsigned StoreWords = Cfg.stream_store_words;
  localparam int unsigned Depth = 1 << $clog2(StoreWords);  // of the store's memory
  localparam bit Own = Cfg.stream_own_network;
  // Words of payload.
  localparam int unsigned LongestPacket = Own ? StreamLongestPacket : StoreWords - 1;
  localparam int unsigned NumMatches = 4;
  localparam int unsigned NumQueues = NumMatches + 1;  // the last one is the catch-all
  localparam int unsigned NumPeers = 8;
  localparam int unsigned CountWidth = $clog2(Depth) + 1;
  typedef logic [11:0] credits_t;
  typedef logic [$clog2(NumPeers)-1:0] peer_t;
  typedef logic [CountWidth-1:0] count_t;

  // ---------------------------------------------------------------- registers
  stream_regs_pkg::stream__in_t  to_regs;
  stream_regs_pkg::stream__out_t from_regs;

  stream_regs u_regs (
      .clk     (clk_i),
      .rst_n   (rst_ni),
      .bus_valid_i,
      .bus_i,
      .bus_data_o,
      .hwif_in (to_regs),
      .hwif_out(from_regs)
  );

  register_words_pkg::stream_peer_word_t peer_word;
  register_words_pkg::stream_send_word_t send_word;
  assign peer_word = bus_i.data;
  assign send_word = bus_i.data;

  // ---------------------------------------------------------------- packets from software
  typedef enum logic [1:0] {
    StateIdle,
    StateHeader0,
    StateHeader1,
    StatePayload
  } state_e;

  state_e state_q;
  logic   pending_q;  // a packet is under way: it is written, waits or leaves
  logic [7:0] wanted_q, left_q;  // words still to be written and to be sent
  logic begins, appends, refused, complete;
  word_t out_word;
  logic out_taken, ends, sends_credit_q;
  peer_t peer;
  credits_t [NumPeers-1:0] credits_q;
  credits_t need;

  assign begins = from_regs.send.peer.swmod && !pending_q && send_word.length != '0 &&
      32'(send_word.length) <= LongestPacket;
  assign appends = from_regs.word.data.swmod && wanted_q != '0;
  assign refused = (from_regs.send.peer.swmod && !begins) ||
      (from_regs.word.data.swmod && !appends);

  fifo #(
      .T    (word_t),
      .Depth(Own ? StreamLongestPacket : Depth)
  ) u_out (
      .clk_i,
      .rst_ni,
      .push_i (appends),
      .data_i (bus_i.data),
      .pop_i  (out_taken),
      .data_o (out_word),
      .empty_o(),
      .full_o (),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  register_words_pkg::stream_send_word_t send_q;  // as it was when the packet began
  always_ff @(posedge clk_i) begin
    if (begins) send_q <= send_word;
  end

  assign peer = peer_t'(send_q.peer);
  assign need = credits_t'(send_q.length) + credits_t'(1);
  assign complete = pending_q && wanted_q == '0 && credits_q[peer] >= need;

  // ---------------------------------------------------------------- packets from the network
  kind_e  kind_q;
  logic   accepted_q;  // the packet under way has room
  count_t stored;  // words of all receive queues
  logic [NumQueues-1:0] target, target_q;
  stream_info_t   info;
  stream_origin_t origin;
  logic header1, payload, fits, overflow, credited;

  header0_t header0;
  engine_word_t received;
  logic word_valid;  // it is taken
  logic packet_valid, packet_ready, network_busy;
  flit_t packet_flit;

  // What comes from the network of all engines is always taken.
  assign rx_ready_o = '1;
  if (Own) begin : gen_own_network
    logic offered, has_room;
    // All but headers needs a place in the store.
    assign has_room = 32'(stored) < StoreWords || received.place == PlaceHeader0 ||
        (received.place == PlaceHeader1 && kind_q != KindWords);
    assign word_valid = offered && has_room;
    stream_network #(
        .Cfg(Cfg)
    ) u_network (
        .clk_i,
        .rst_ni,
        .node_id_i,
        .tx_valid_i(packet_valid),
        .tx_flit_i (packet_flit),
        .tx_ready_o(packet_ready),
        .rx_valid_o(offered),
        .rx_o      (received),
        .rx_ready_i(has_room),
        .switch_i,
        .switch_o,
        .busy_o    (network_busy)
    );
    assign tx_valid_o = '0;
    assign tx_flit_o  = '0;
  end else begin : gen_shared_network
    assign received = rx_i[ClassReply];
    assign word_valid = rx_valid_i[ClassReply];
    assign packet_ready = tx_ready_i[ClassReply];
    assign switch_o = '0;
    assign network_busy = 1'b0;
    always_comb begin
      tx_valid_o = '0;
      tx_flit_o = '0;
      tx_valid_o[ClassReply] = packet_valid;
      tx_flit_o[ClassReply] = packet_flit;
    end
  end
  assign header0 = header0_t'(received.data);
  assign header1 = word_valid && received.place == PlaceHeader1;
  assign payload = word_valid && received.place == PlacePayload;
  assign info = received.header1.info;
  assign origin = '{
          slot: received.header1.src_slot,
          node: received.source,
          tag: info.tag,
          length: received.header1.length[7:0]
      };

  always_comb begin : match
    target = '0;
    target[NumMatches] = 1'b1;
    for (int unsigned q = NumMatches; q > 0; q--) begin
      if (from_regs.match[q-1].enable.value && from_regs.match[q-1].tag.value == info.tag) begin
        target = '0;
        target[q-1] = 1'b1;
      end
    end
  end
  assign fits = (Own || 32'(stored) + 32'(received.header1.length) < StoreWords) &&
      received.header1.length != '0 && !received.last;
  assign overflow = header1 && kind_q == KindWords && !fits;
  assign credited = header1 && kind_q == KindWordsCredit;

  always_ff @(posedge clk_i) begin
    if (word_valid && received.place == PlaceHeader0) kind_q <= header0.kind;
    if (header1) begin
      target_q   <= target;
      accepted_q <= kind_q == KindWords && fits;
    end
  end

  // ---------------------------------------------------------------- receive queues
  typedef struct packed {
    logic [3:0] peer;  // of the origin
    word_t      word;
  } entry_t;

  logic [NumQueues-1:0] available, owed_q, credit_grant, credit_sent;
  stream_origin_t [NumQueues-1:0] origin_q;
  logic [NumQueues-1:0][3:0] peer_q;
  logic [NumQueues-1:0] reading;  // software is within a packet
  logic [NumQueues-1:0] push, pop;
  entry_t head;

  voq_memory #(
      .T        (entry_t),
      .NumQueues(NumQueues),
      .Depth    (Depth)
  ) u_store (
      .clk_i,
      .rst_ni,
      .push_i (push),
      .data_i ('{peer: info.peer, word: header1 ? origin : received.data}),
      .pop_i  (pop),
      .data_o (head),
      .empty_o(),
      .count_o(stored)
  );

  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    count_t count_q;
    logic [7:0] unread_q;
    count_t packets_q;  // that have come and are not read from yet
    logic arrives;

    assign push[q] = (header1 && kind_q == KindWords && fits && target[q]) ||
        (payload && accepted_q && target_q[q]);
    assign arrives = payload && accepted_q && target_q[q] && received.last;
    assign reading[q] = unread_q != '0;
    // A packet is shown when all of it has come, or word by word.
    if (Own) begin : gen_words
      assign available[q] = count_q != '0 && !owed_q[q];
    end else begin : gen_packets
      assign available[q] = reading[q] || (packets_q != '0 && !owed_q[q]);
    end
    assign pop[q] = from_regs.receive[q].data.swacc && !bus_i.write && available[q];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        count_q   <= '0;
        packets_q <= '0;
        unread_q  <= '0;
        owed_q[q] <= 1'b0;
      end else begin
        count_q   <= count_q + count_t'(push[q]) - count_t'(pop[q]);
        packets_q <= packets_q + count_t'(arrives) - count_t'(pop[q] && !reading[q]);
        if (pop[q]) unread_q <= reading[q] ? unread_q - 1'b1 : head.word[7:0];
        if (pop[q] && unread_q == 8'd1) owed_q[q] <= 1'b1;
        else if (credit_sent[q]) owed_q[q] <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (pop[q] && !reading[q]) begin
        origin_q[q] <= head.word;
        peer_q[q]   <= head.peer;
      end
    end

    assign to_regs.receive[q].data.next = available[q] ? head.word : '0;
    assign to_regs.count[q].words.next  = 16'(count_q);

`ifndef SYNTHESIS
    // Credits are given back once for each packet.
    OneCredit :
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        pop[q] && unread_q == 8'd1 |-> !owed_q[q]);
`endif
  end

  // ---------------------------------------------------------------- to the network
  stream_origin_t owner;
  logic [3:0] owner_peer;
  logic [NumQueues-1:0] grant_q;
  logic any_credit;

  arbiter #(
      .NumRequests(NumQueues)
  ) u_credits (
      .clk_i,
      .rst_ni,
      .request_i(owed_q),
      .accept_i (state_q == StateIdle),
      .valid_o  (any_credit),
      .grant_o  (credit_grant),
      .index_o  ()
  );

  always_comb begin : own
    owner = '0;
    owner_peer = '0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if (grant_q[q]) begin
        owner = origin_q[q];
        owner_peer = peer_q[q];
      end
    end
  end

  header0_t out_header0;
  header1_t out_header1;
  stream_info_t out_info;
  assign out_info = '{
          peer: sends_credit_q ? owner_peer : 4'(peer),
          tag: sends_credit_q ? owner.tag : send_q.tag
      };
  assign out_header0 = '{
          kind: sends_credit_q ? KindWordsCredit : KindWords,
          dst_slot: sends_credit_q ? owner.slot : from_regs.peer[peer].slot.value,
          dst_node: sends_credit_q ? owner.node : from_regs.peer[peer].node.value,
          src_node: node_id_i
      };
  assign out_header1 = '{
          src_slot: slot_id_i,
          info: out_info,
          length: sends_credit_q ? 16'(owner.length) + 16'd1 : 16'(send_q.length)
      };
  always_comb begin : offer
    packet_valid = state_q != StateIdle;
    packet_flit  = '{vc: '0, last: 1'b0, data: out_header0};
    if (state_q == StateHeader1) begin
      packet_flit.data = out_header1;
      packet_flit.last = sends_credit_q;
    end
    if (state_q == StatePayload) begin
      packet_flit.data = out_word;
      packet_flit.last = left_q == 8'd1;
    end
  end
  assign out_taken = packet_ready && state_q == StatePayload;
  assign ends = out_taken && left_q == 8'd1;
  assign credit_sent = packet_ready && state_q == StateHeader1 && sends_credit_q ? grant_q : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      unique case (state_q)
        StateIdle: if (any_credit || complete) state_q <= StateHeader0;
        StateHeader0: if (packet_ready) state_q <= StateHeader1;
        StateHeader1: begin
          if (packet_ready) state_q <= sends_credit_q ? StateIdle : StatePayload;
        end
        default: if (ends) state_q <= StateIdle;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      sends_credit_q <= any_credit;
      grant_q        <= credit_grant;
      left_q         <= send_q.length;
    end else if (out_taken) begin
      left_q <= left_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
      wanted_q  <= '0;
    end else begin
      if (begins) pending_q <= 1'b1;
      else if (ends) pending_q <= 1'b0;
      if (begins) wanted_q <= send_word.length;
      else if (appends) wanted_q <= wanted_q - 1'b1;
    end
  end

  // Credits come back from the network, are used when a packet begins to leave, and software sets them.
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPeers; p++) begin
      if (!rst_ni) begin
        credits_q[p] <= '0;
      end else if (from_regs.peer[p].words.swmod) begin
        credits_q[p] <= peer_word.words;
      end else begin
        credits_q[p] <= credits_q[p] +
            (credited && info.peer == 4'(p) ? received.header1.length[11:0] : '0) -
            (state_q == StateIdle && !any_credit && complete && peer == peer_t'(p) ? need : '0);
      end
    end
  end

  // ---------------------------------------------------------------- what software sees
  for (genvar p = 0; p < NumPeers; p++) begin : gen_credits
    assign to_regs.credits[p].words.next = credits_q[p];
  end
  assign to_regs.sizes.store_words.next = 16'(StoreWords);
  assign to_regs.sizes.peers.next = 4'(NumPeers);
  assign to_regs.sizes.queues.next = 4'(NumQueues);
  assign to_regs.sizes.own_network.next = Own;
  assign to_regs.status.available.next = available;
  assign to_regs.status.ready.next = !pending_q;
  assign to_regs.error.overflow.hwset = overflow;
  assign to_regs.error.refused.hwset = refused;
  logic failed_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) failed_q <= 1'b0;
    else failed_q <= overflow || refused;
  end
  assign events_o = '{
          failed: failed_q,
          done: 1'b0,
          waiting: |({!pending_q, 3'b000, available} & from_regs.enable.enable.value),
          idle: 1'b0,
          quiet: 1'b1
      };

  // A packet that stands still in a network of its own changes nothing.
  logic moves;
  assign moves  = state_q == StateIdle ? any_credit || complete : !Own || packet_ready;
  assign busy_o = moves || failed_q || network_busy;

  logic unused;
  assign unused = ^{rx_valid_i, rx_i, header0, tx_ready_i, switch_i, peer_word, send_word, send_q};

`ifndef SYNTHESIS
  // Only replies are for this engine.
  NoRequests :
  assert property (@(posedge clk_i) disable iff (!rst_ni) !rx_valid_i[ClassRequest]);
  // A packet that has begun to leave is complete.
  WordsAreThere :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StatePayload |-> pending_q && wanted_q == '0);
`endif

endmodule

`default_nettype wire
