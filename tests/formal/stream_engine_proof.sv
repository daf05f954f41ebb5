// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof of `stream_engine`: software reads the words of a receive queue once and in order, and only those
/// whose tag leads there. The engine waits for software if and only if a packet is there. Credits come
/// back once for each packet, and peers that keep to them never overflow the store. A packet that software
/// writes leaves with its words in order, and with credits.
///
/// One receive queue is watched, beside others that share its store, and one row of the table of peers, any of
/// them. Packets from the network have any headers and as many words as their headers say, and come at any time.
module stream_engine_proof
  import tidings_pkg::*;
  import engine_pkg::*;
#(
    /// The receive queue that is watched.
    parameter int unsigned Queue = 0,
    /// All packets are for that queue, and their peers keep to the credits of its words.
    parameter bit KeepToCredits = 1'b0
) (
    input logic               clk_i,
    input logic               bus_valid_i,
    input bus_request_t       bus_i,
    input logic               word_valid_i,
    input logic               word_last_i,
    input word_t              word_i,
    input logic               ready_i,
    input node_id_t           node_id_i,
    input slot_id_t           slot_id_i,
    input logic         [2:0] peer_i
);

  // The smallest store.
  function automatic node_cfg_pkg::node_cfg_t configuration();
    configuration = node_cfg_pkg::NodeCfg;
    configuration.stream_store_words = 4;
  endfunction
  localparam node_cfg_pkg::node_cfg_t Cfg = configuration();
  localparam int unsigned Depth = Cfg.stream_store_words;
  localparam int unsigned NumQueues = 5;
  localparam int unsigned NumPeers = 8;
  typedef logic [3:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // ------------------------------------------------------------------ the engine
  logic bus_valid, rx_valid;
  word_t bus_data;
  engine_events_t events;
  engine_word_t received;
  logic [NumClasses-1:0] tx_valid, tx_ready;
  flit_t [NumClasses-1:0] tx_flit;
  flit_t leaving;
  logic leaves;
  assign bus_valid = rst_n && bus_valid_i;
  assign tx_ready = {tx_valid[ClassReply] && ready_i, 1'b0};
  assign leaves = tx_ready[ClassReply];
  assign leaving = tx_flit[ClassReply];
  stream_engine #(
      .Cfg(Cfg)
  ) u_engine (
      .clk_i,
      .rst_ni     (rst_n),
      .node_id_i,
      .slot_id_i,
      .rx_valid_i ({rx_valid, 1'b0}),
      .rx_i       ({received, engine_word_t'('0)}),
      .rx_ready_o (),
      .tx_valid_o (tx_valid),
      .tx_flit_o  (tx_flit),
      .tx_ready_i (tx_ready),
      .bus_valid_i(bus_valid),
      .bus_i,
      .bus_data_o (bus_data),
      .switch_i   ('0),
      .switch_o   (),
      .events_o   (events),
      .busy_o     ()
  );

  // What is watched, and where the engine is, stays.
  logic [2:0] peer_q;
  node_id_t node_q;
  slot_id_t slot_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      peer_q <= peer_i;
      node_q <= node_id_i;
      slot_q <= slot_id_i;
    end
  end
  always_comb begin
    if (rst_n) begin
      assume (node_id_i == node_q && slot_id_i == slot_q);
    end
  end

  // ------------------------------------------------------------------ packets from the network
  place_e   place_q;
  header0_t first_q;
  header1_t second_q, second;
  logic [15:0] left_q;  // payload words still to come
  logic [15:0] payload;
  stream_info_t info;
  logic is_words, starts, comes;
  assign rx_valid = rst_n && word_valid_i;
  assign second = place_q == PlaceHeader1 ? header1_t'(word_i) : second_q;
  assign info = second.info;
  assign is_words = first_q.kind == KindWords;
  assign payload = is_words ? second.length : '0;
  assign received = '{
          place: place_q,
          last: word_last_i,
          data: word_i,
          source: first_q.src_node,
          header1: second
      };
  assign starts = rx_valid && place_q == PlaceHeader1;
  assign comes = rx_valid && place_q == PlacePayload;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      place_q <= PlaceHeader0;
    end else if (rx_valid) begin
      unique case (place_q)
        PlaceHeader0: place_q <= PlaceHeader1;
        PlaceHeader1: place_q <= word_last_i ? PlaceHeader0 : PlacePayload;
        default: if (word_last_i) place_q <= PlaceHeader0;
      endcase
      if (place_q == PlaceHeader0) first_q <= header0_t'(word_i);
      second_q <= second;
      left_q   <= place_q == PlaceHeader1 ? payload : left_q - 1'b1;
    end
  end
  always_comb begin
    if (rx_valid) begin
      // The engine gets packets of its two kinds alone.
      if (place_q == PlaceHeader0) begin
        assume (word_i[31:28] == KindWords || word_i[31:28] == KindWordsCredit);
      end
      assume (word_last_i == (place_q == PlaceHeader1 ? payload == '0 :
                              place_q == PlacePayload && left_q == 16'd1));
    end
  end

  // ------------------------------------------------------------------ where a packet goes
  // The lowest queue whose tag it has, or the last one.
  logic [2:0] target;
  always_comb begin
    target = 3'(NumQueues - 1);
    for (int unsigned q = NumQueues - 1; q > 0; q--) begin
      if (u_engine.from_regs.match[q-1].enable.value &&
          u_engine.from_regs.match[q-1].tag.value == info.tag) begin
        target = 3'(q - 1);
      end
    end
  end

  // ------------------------------------------------------------------ the watched queue
  typedef struct packed {
    logic [3:0] peer;
    word_t word;
  } entry_t;
  entry_t [Depth-1:0] words_q, rest;  // oldest first
  entry_t incoming;
  count_t held_q, kept;
  logic [2:0] whole_q;  // packets that have come and are not begun
  logic [7:0] unread_q;  // words of the packet that is being read
  logic owed_q, taking_q, here, taken, added, there, reads, credited;
  stream_origin_t origin, owner_q, head;
  logic [3:0] owner_peer_q;

  assign here = starts && is_words && second.length != '0 && target == 3'(Queue);
  // Words of the other queues. Each of them is watched by a proof like this one, so it never gives a word that it
  // has not.
  logic [15:0] others;
  always_comb begin
    others = '0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if (q != Queue) begin
        others = others + 16'(u_engine.u_store.count_q[q]);
        if (rst_n) begin
          assume (!u_engine.pop[q] || u_engine.u_store.count_q[q] != '0);
        end
      end
    end
  end
  assign taken = here && 32'(held_q) + 32'(others) + 32'(second.length) < Depth;
  assign added = taken || (comes && taking_q);
  assign origin = '{
          slot: second.src_slot,
          node: first_q.src_node,
          tag: info.tag,
          length: second.length[7:0]
      };
  assign incoming = '{peer: info.peer, word: place_q == PlaceHeader1 ? origin : word_i};
  assign there = unread_q != '0 || (whole_q != '0 && !owed_q);
  assign head = words_q[0].word;
  assign reads = u_engine.from_regs.receive[Queue].data.swacc && !bus_i.write;
  assign rest = reads && there ? words_q >> $bits(entry_t) : words_q;
  assign kept = held_q - count_t'(reads && there);

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      held_q   <= '0;
      whole_q  <= '0;
      unread_q <= '0;
      owed_q   <= 1'b0;
      taking_q <= 1'b0;
    end else begin
      words_q <= rest;
      if (added) words_q[kept[1:0]] <= incoming;
      held_q <= kept + count_t'(added);
      if (starts) taking_q <= taken;
      whole_q <= whole_q + 3'(comes && taking_q && word_last_i) -
          3'(reads && there && unread_q == '0);
      if (reads && there) unread_q <= unread_q != '0 ? unread_q - 1'b1 : head.length;
      if (reads && there && unread_q == '0) begin
        owner_q <= head;
        owner_peer_q <= words_q[0].peer;
      end
      if (reads && unread_q == 8'd1) owed_q <= 1'b1;
      else if (credited) owed_q <= 1'b0;
    end
  end

  logic [NumQueues-1:0] watched;
  assign watched = NumQueues'(1) << Queue;

  always_comb begin
    if (rst_n) begin
      OnceAndInOrder : assert (!reads || bus_data == (there ? words_q[0].word : '0));
      NeverOverrun : assert (!added || 32'(kept) + 32'(others) < Depth);
      GivesWhatItHas : assert (!u_engine.pop[Queue] || held_q != '0);
      DroppedIsTold : assert (!(here && !taken) || u_engine.overflow);
      NothingElseIsDropped : assert (!(taken || (starts && !is_words)) || !u_engine.overflow);
      if (u_engine.from_regs.enable.enable.value == 9'(watched)) begin
        WaitsIfAPacketIsThere : assert (events.waiting == there);
      end
      if (u_engine.from_regs.enable.enable.value == '0) begin
        WaitsOnlyIfEnabled : assert (!events.waiting);
      end
    end
  end

  // Lemma: the queue holds whole packets, each its origin and as many words as that says, after what is
  // left of the one that is being read and before what has come of the next.
  logic [15:0] place, size, partial;
  assign partial = place_q == PlacePayload && taking_q ? second_q.length + 16'd1 - left_q : '0;
  always_comb begin
    place = 16'(unread_q);
    size  = '0;
    if (rst_n) begin
      assert (32'(unread_q) <= 32'(held_q) && whole_q <= 3'd2);
      for (int unsigned k = 0; k < 2; k++) begin
        if (k < 32'(whole_q)) begin
          assert (place < 16'(held_q));
          size = 16'(words_q[place[1:0]].word[7:0]);
          assert (size != '0 && size < 16'(Depth));
          place = place + size + 16'd1;
        end
      end
      assert (place + partial == 16'(held_q));
      if (partial != '0) begin
        assert (words_q[place[1:0]].word[7:0] == second_q.length[7:0]);
        assert (second_q.length < 16'(Depth));
      end
      assert (place_q != PlacePayload || (left_q != '0 && left_q <= second_q.length && is_words));
      assert (!owed_q || unread_q == '0);
      // Lemma: the engine's registers hold the same.
      assert (place_q == PlaceHeader0 || u_engine.kind_q == first_q.kind);
      assert (place_q == PlaceHeader0 || is_words || first_q.kind == KindWordsCredit);
      if (place_q == PlacePayload) begin
        assert ((u_engine.accepted_q && u_engine.target_q[Queue]) == taking_q);
      end
      assert (u_engine.gen_queue[Queue].packets_q == whole_q);
      assert (u_engine.gen_queue[Queue].unread_q == unread_q);
      assert (u_engine.owed_q[Queue] == owed_q);
      if (unread_q != '0 || owed_q) begin
        assert (u_engine.origin_q[Queue] == owner_q && u_engine.peer_q[Queue] == owner_peer_q);
      end
      assert (u_engine.gen_queue[Queue].count_q == held_q[2:0]);
      assert (u_engine.u_store.count_q[Queue] == held_q[2:0] && 32'(held_q) + 32'(others) <= Depth);
      for (int unsigned i = 0; i < Depth; i++) begin
        if (i < 32'(held_q)) assert (u_engine.u_store.queue_q[Queue][i] == words_q[i]);
      end
      // Lemma: there is room for what is still to come, whatever queue it is for.
      if (place_q == PlacePayload && u_engine.accepted_q) begin
        assert (32'(held_q) + 32'(others) + 32'(left_q) <= Depth);
        assert ((u_engine.target_q & (u_engine.target_q - 1'b1)) == '0 && u_engine.target_q != '0);
      end
    end
  end

  // ------------------------------------------------------------------ packets to the network
  logic [1:0] sent_q;  // words of the packet that leaves, up to two
  header0_t out_first_q, out_first;
  header1_t out_second;
  stream_info_t out_info;
  logic out_credit;
  assign out_first  = sent_q == '0 ? header0_t'(leaving.data) : out_first_q;
  assign out_second = header1_t'(leaving.data);
  assign out_info   = out_second.info;
  assign out_credit = out_first.kind == KindWordsCredit;
  always_ff @(posedge clk_i) begin
    if (!rst_n) sent_q <= '0;
    else if (leaves) sent_q <= leaving.last ? '0 : sent_q == 2'd2 ? 2'd2 : sent_q + 1'b1;
    if (leaves) out_first_q <= out_first;
  end

  // ------------------------------------------------------------------ credits that go back
  if (KeepToCredits) begin : gen_credits
    // Words that peers may still send to the queue, all together.
    logic [15:0] room_q;
    assign credited = leaves && sent_q == 2'd1 && out_credit;
    always_ff @(posedge clk_i) begin
      if (!rst_n) begin
        room_q <= 16'(Depth);
      end else begin
        room_q <= room_q - (starts && is_words ? second.length + 16'd1 : '0) +
            (credited ? out_second.length : '0);
      end
    end
    always_comb begin
      if (starts && is_words) begin
        assume (target == 3'(Queue));
        assume (second.length != '0 && second.length < room_q);
      end
      if (rst_n) begin
        CreditsPreventOverflow : assert (!u_engine.overflow);
        CreditsAreConserved :
        assert (room_q + 16'(held_q) + (taking_q && place_q == PlacePayload ? left_q : '0) +
                (unread_q != '0 || owed_q ? 16'(owner_q.length) + 16'd1 - 16'(unread_q) : '0) ==
                16'(Depth));
        if (tx_valid[ClassReply] && out_credit) begin
          OnlyWhatIsOwed : assert (owed_q);
          if (sent_q == '0) begin
            ToItsSender :
            assert (out_first.dst_node == owner_q.node && out_first.dst_slot == owner_q.slot &&
                    !leaving.last);
          end
          if (sent_q == 2'd1) begin
            AllOfThePacket :
            assert (out_second.length == 16'(owner_q.length) + 16'd1 &&
                    out_info.peer == owner_peer_q && leaving.last);
          end
        end
        // Lemma: what is not in the queue's packets, or owed, may be sent; other queues have nothing.
        assert (room_q <= 16'(Depth) && !(place_q == PlacePayload && !taking_q));
        assert ((u_engine.owed_q & ~watched) == '0);
        if (place_q == PlacePayload) assert (u_engine.target_q == watched);
        assert (!(owed_q || unread_q != '0) || owner_q.length < 8'(Depth));
        assert (32'(unread_q) <= 32'(owner_q.length) || unread_q == '0);
        if (u_engine.state_q != 2'd0 && u_engine.sends_credit_q) begin
          assert (u_engine.grant_q == watched && owed_q && u_engine.state_q != 2'd3);
        end
        cover (credited);
        cover (room_q == '0 && reads && there);
      end
    end
    for (genvar q = 0; q < NumQueues; q++) begin : gen_other
      if (q != Queue) begin : gen_idle
        always_comb begin
          if (rst_n) begin
            assert (u_engine.gen_queue[q].packets_q == '0 && u_engine.gen_queue[q].unread_q == '0);
            assert (u_engine.u_store.count_q[q] == '0);
          end
        end
      end
    end
  end else begin : gen_no_credits
    // Of other queues nothing is known: the engine says whose credit it is.
    assign credited = u_engine.credit_sent[Queue];
    always_comb begin
      if (rst_n) begin
        cover (here && !taken);
        cover (target == 3'(Queue) && reads && unread_q == 8'd1);
      end
    end
  end

  // ------------------------------------------------------------------ packets from software
  register_words_pkg::stream_send_word_t send, send_q;
  word_t [Depth-1:0] out_q, out_rest;
  count_t out_held_q, out_kept;
  logic [7:0] out_wanted_q, out_left_q;
  logic under_way_q, sends, appends, out_taken, could_q;
  logic [11:0] ledger_q, need;
  assign send = bus_i.data;
  assign sends = u_engine.from_regs.send.peer.swmod && !under_way_q && send.length != '0 &&
      32'(send.length) < Depth;
  assign appends = u_engine.from_regs.word.data.swmod && out_wanted_q != '0;
  assign out_taken = leaves && sent_q == 2'd2;
  assign out_rest = out_taken ? out_q >> $bits(word_t) : out_q;
  assign out_kept = out_held_q - count_t'(out_taken);
  assign need = 12'(send_q.length) + 12'd1;

  logic set, begins;
  always_comb begin
    set = 1'b0;
    for (int unsigned p = 0; p < NumPeers; p++) begin
      if (peer_q == 3'(p)) set = u_engine.from_regs.peer[p].words.swmod;
    end
  end
  // A packet of words is offered that was not before.
  logic offered_q;
  assign begins = tx_valid[ClassReply] && sent_q == '0 && !offered_q && !out_credit;

  register_words_pkg::stream_peer_word_t peer_word;
  logic [11:0] back, spent;
  assign peer_word = bus_i.data;
  assign back = starts && !is_words && info.peer == 4'(peer_q) ? second.length[11:0] : '0;
  // The engine takes the credits in the cycle before it offers the packet.
  assign spent = u_engine.state_q == 2'd0 && !u_engine.any_credit && u_engine.complete &&
      send_q.peer[2:0] == peer_q ? need : '0;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      under_way_q <= 1'b0;
      out_wanted_q <= '0;
      out_held_q <= '0;
      ledger_q <= '0;
      could_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      if (sends) begin
        under_way_q <= 1'b1;
        send_q <= send;
        out_wanted_q <= send.length;
        out_left_q <= send.length;
      end else begin
        if (out_taken) out_left_q <= out_left_q - 1'b1;
        if (out_taken && leaving.last) under_way_q <= 1'b0;
        if (appends) out_wanted_q <= out_wanted_q - 1'b1;
      end
      out_q <= out_rest;
      if (appends) out_q[out_kept[1:0]] <= bus_i.data;
      out_held_q <= out_kept + count_t'(appends);
      ledger_q <= set ? peer_word.words : ledger_q + back - spent;
      could_q <= under_way_q && out_wanted_q == '0 && ledger_q >= need;
      offered_q <= tx_valid[ClassReply] && sent_q == '0 && !leaves;
    end
  end

  header1_t expected;
  assign expected = '{
          src_slot: slot_q,
          info: {1'b0, send_q.peer[2:0], send_q.tag},
          length: 16'(send_q.length)
      };

  always_comb begin
    if (rst_n) begin
      NoRequests : assert (!tx_valid[ClassRequest]);
      if (begins && send_q.peer[2:0] == peer_q) begin
        LeavesWithCredits : assert (could_q);
      end
      if (tx_valid[ClassReply] && !out_credit) begin
        if (sent_q == '0) FromHere : assert (out_first.src_node == node_q && !leaving.last);
        if (sent_q == 2'd1) begin
          ItsHeader : assert (out_second == expected && !leaving.last);
        end
        if (sent_q == 2'd2) begin
          ItsWords : assert (leaving.data == out_q[0] && leaving.last == (out_left_q == 8'd1));
        end
      end
      cover (out_taken && leaving.last && send_q.length == 8'd2);

      // Lemma: the engine's registers hold the same.
      assert (u_engine.pending_q == under_way_q && u_engine.wanted_q == out_wanted_q);
      assert (u_engine.credits_q[peer_q] == ledger_q);
      assert (out_wanted_q <= out_left_q || !under_way_q);
      assert (8'(out_held_q) == (under_way_q ? out_left_q - out_wanted_q : 8'd0));
      assert (under_way_q || out_wanted_q == '0);
      if (under_way_q) begin
        assert (u_engine.send_q == send_q && send_q.length != '0 && send_q.length < 8'(Depth));
        assert (out_left_q <= send_q.length && out_left_q != '0);
        assert (out_left_q == send_q.length || u_engine.state_q == 2'd3);
      end
      assert (sent_q != 2'd3);
      assert (u_engine.state_q == (sent_q == 2'd2 ? 2'd3 : sent_q == 2'd1 ? 2'd2 :
                                   tx_valid[ClassReply] ? 2'd1 : 2'd0));
      if (u_engine.state_q != 2'd0 && !u_engine.sends_credit_q) begin
        assert (under_way_q && out_wanted_q == '0 && u_engine.left_q == out_left_q);
      end
      if (u_engine.state_q == 2'd3) assert (!u_engine.sends_credit_q);
      if (sent_q != '0) assert (out_credit == u_engine.sends_credit_q);
      assert (!offered_q || u_engine.state_q == 2'd1);
      assert (u_engine.u_out.count_o == out_held_q[2:0] && 32'(out_held_q) <= Depth);
      assert (u_engine.u_out.empty_o == (out_held_q == '0));
      if (out_held_q != '0) assert (u_engine.u_out.head_q == out_q[0]);
      for (int unsigned i = 1; i < Depth; i++) begin
        if (i < 32'(out_held_q)) begin
          assert (u_engine.u_out.memory_q[2'(u_engine.u_out.read_q+i)] == out_q[i]);
        end
      end
    end
  end

endmodule

`default_nettype wire
