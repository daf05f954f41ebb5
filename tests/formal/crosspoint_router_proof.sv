// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: a `crosspoint_router` loses, doubles and reorders nothing between two slots, keeps packets together,
/// keeps credits, and lets nobody wait for ever.
///
/// Slots send any flits with credits, and take them when they like. Each class of each pair of slots has a
/// reference queue: what a slot sends joins it, and what leaves is its oldest flit.
module crosspoint_router_proof
  import tidings_pkg::*;
#(
    /// Slots.
    parameter int unsigned NumSlots = 2,
    /// Message classes.
    parameter int unsigned NumClasses = 1,
    /// Flits of the queues of an input, and of a slot's buffers.
    parameter int unsigned Flits = 2,
    /// Flits of a crosspoint.
    parameter int unsigned CrosspointFlits = 2,
    /// The fullest crosspoints go first.
    parameter bit FullestFirst = 1'b0
) (
    input logic                             clk_i,
    input logic  [NumSlots-1:0]             send_i,
    input flit_t [NumSlots-1:0]             flit_i,
    input logic  [NumSlots-1:0][MaxVcs-1:0] credit_i
);

  localparam int unsigned All = Flits + CrosspointFlits;
  localparam int unsigned CountWidth = $clog2(All + 1);
  localparam int unsigned SlotWidth = NumSlots > 1 ? $clog2(NumSlots) : 1;
  localparam int unsigned AddressWidth = $clog2(Flits);
  // Packets of others that may begin at an output while a slot waits for it.
  localparam int unsigned Turn = 1 << TurnWidth;
  localparam int unsigned MostWait = FullestFirst ? Turn * (NumSlots - 1) + Turn - 1 : NumSlots - 1;
  localparam int unsigned WaitWidth = $clog2(MostWait + 2);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [WaitWidth-1:0] wait_t;
  typedef logic [AddressWidth-1:0] address_t;
  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [NumSlots-1:0] sent, out_valid;
  flit_t [NumSlots-1:0] out_flit;
  logic [NumSlots-1:0][MaxVcs-1:0] given, returned;
  crosspoint_router #(
      .NumSlots       (NumSlots),
      .NumClasses     (NumClasses),
      .SlotBufferFlits(Flits),
      .VoqFlits       (Flits),
      .CrosspointFlits(CrosspointFlits),
      .FullestFirst   (FullestFirst)
  ) u_router (
      .clk_i,
      .rst_ni             (rst_n),
      .flit_valid_i       (sent),
      .flit_i,
      .credit_o           (given),
      .flit_valid_o       (out_valid),
      .flit_o             (out_flit),
      .credit_i           (returned),
      .route_write_valid_i('0),
      .route_write_i      ('0),
      .route_write_ready_o(),
      .route_refused_o    (),
      .busy_o             ()
  );

  // ------------------------------------------------------------------ slots
  // They send with a credit only, in classes that exist, and give back what they have.
  count_t credits_q[NumSlots][MaxVcs];
  count_t room_q   [NumSlots][MaxVcs];
  always_comb begin
    for (int unsigned s = 0; s < NumSlots; s++) begin
      sent[s] = rst_n && send_i[s] && 32'(flit_i[s].vc) < NumClasses &&
          credits_q[s][flit_i[s].vc] != '0;
      for (int unsigned v = 0; v < MaxVcs; v++) begin
        returned[s][v] = credit_i[s][v] && v < NumClasses && room_q[s][v] != count_t'(Flits);
      end
    end
  end

  // Input that the flit of each output comes from.
  logic [NumClasses-1:0][NumSlots-1:0] left[NumSlots];
  logic [NumClasses-1:0][NumSlots-1:0] agrees[NumSlots];
  logic [NumClasses-1:0][NumSlots-1:0] possible[NumSlots];
  logic [NumClasses-1:0] taken_q[NumSlots];
  slot_t owner_q[NumSlots][NumClasses];

  for (genvar s = 0; s < NumSlots; s++) begin : gen_slot
    assign left[s] = u_router.left[s];

    for (genvar c = 0; c < NumClasses; c++) begin : gen_class
      // ---------------------------------------------------------------- as an input
      logic arrives, inside_q, leaves;
      slot_t way, way_q, named;
      header0_t header;
      assign header = header0_t'(flit_i[s].data);
      assign named = 32'(header.dst_slot) < NumSlots ? slot_t'(header.dst_slot) : '0;
      assign way = inside_q ? way_q : named;
      assign arrives = sent[s] && flit_i[s].vc == vc_t'(c);
      assign leaves = out_valid[s] && out_flit[s].vc == vc_t'(c);

      always_ff @(posedge clk_i) begin
        if (!rst_n) begin
          inside_q <= 1'b0;
          way_q <= '0;
          credits_q[s][c] <= count_t'(Flits);
          room_q[s][c] <= count_t'(Flits);
          taken_q[s][c] <= 1'b0;
          owner_q[s][c] <= '0;
        end else begin
          if (arrives) begin
            inside_q <= !flit_i[s].last;
            way_q <= way;
          end
          credits_q[s][c] <= credits_q[s][c] - count_t'(arrives) + count_t'(given[s][c]);
          room_q[s][c] <= room_q[s][c] - count_t'(leaves) + count_t'(returned[s][c]);
          if (leaves) begin
            taken_q[s][c] <= !out_flit[s].last;
            for (int unsigned i = 0; i < NumSlots; i++)
            if (left[s][c][i]) owner_q[s][c] <= slot_t'(i);
          end
        end
      end

      // What the input keeps.
      count_t stored, kept;
      logic moving;
      assign moving = u_router.gen_input[s].u_input.moving_q;
      assign kept   = count_t'(u_router.gen_input[s].u_input.gen_class[c].held_q);
      assign stored = count_t'(u_router.gen_input[s].u_input.gen_class[c].count);
      count_t waiting;  // in the queues, by the reference
      count_t in_queue[NumSlots];
      // Places, as in the proof of the memory.
      address_t free_place[Flits];
      count_t free_places, fresh;
      count_t holders[Flits];
      logic [Flits-1:0] held_by[NumSlots];
      assign fresh = count_t'(u_router.gen_input[s].u_input.gen_class[c].u_queues.fresh_q);
      // Read at each place, so that no read has the address of another.
      address_t next[Flits];
      address_t next_free[Flits];
      for (genvar a = 0; a < Flits; a++) begin : gen_next
        assign next[a] = u_router.gen_input[s].u_input.gen_class[c].u_queues.next_q[a];
        assign next_free[a] = u_router.gen_input[s].u_input.gen_class[c].u_queues.next_free_q[a];
      end
      assign free_places = fresh - waiting;
      always_comb begin
        waiting = '0;
        for (int unsigned o = 0; o < NumSlots; o++) waiting += in_queue[o];
        free_place[0] = u_router.gen_input[s].u_input.gen_class[c].u_queues.free_q;
        for (int unsigned k = 1; k < Flits; k++) begin
          free_place[k] = next_free[free_place[k-1]];
        end
        for (int unsigned a = 0; a < Flits; a++) begin
          holders[a] = '0;
          for (int unsigned o = 0; o < NumSlots; o++) holders[a] += count_t'(held_by[o][a]);
          for (int unsigned k = 0; k < Flits; k++) begin
            holders[a] += count_t'(k < 32'(free_places) && free_place[k] == address_t'(a));
          end
        end
      end

      logic [NumSlots-1:0] stay;
      assign stay = u_router.gen_input[s].u_input.gen_class[c].stay_q;
      logic [NumSlots-1:0] has_left;
      assign has_left = u_router.gen_input[s].u_input.gen_class[c].u_queues.left_q;
      always_comb begin
        if (rst_n) begin
          // The slot knows what the router promised, and that is at hand whatever output flits are for.
          CreditsAreKept : assert (kept == credits_q[s][c] && credits_q[s][c] <= count_t'(Flits));
          RoomForAll : assert (32'(stored) + 32'(credits_q[s][c]) <= Flits);
          CreditComesBack :
          assert (given[s][c] == (credits_q[s][c] != count_t'(Flits) &&
                                  32'(stored) + 32'(credits_q[s][c]) < Flits));
          // Lemmas: the memory.
          assert (u_router.gen_input[s].u_input.gen_class[c].inside_q == inside_q);
          assert ((stay & (stay - 1'b1)) == '0);
          assert ((has_left & (has_left - 1'b1)) == '0);
          if (inside_q) begin
            assert (u_router.gen_input[s].u_input.gen_class[c].way_q == NumSlots'(1) << way_q &&
                    32'(way_q) < NumSlots);
          end
          assert (stored == waiting && waiting <= fresh && fresh <= count_t'(Flits));
          for (int unsigned a = 0; a < Flits; a++) begin
            assert (holders[a] == count_t'(a < 32'(fresh)));
          end
          assert (room_q[s][c] <= count_t'(Flits) &&
              room_q[s][c] == u_router.gen_output[s].u_output.gen_class[c].u_credits.count_q);
          assert (u_router.gen_output[s].u_output.gen_class[c].u_credits.available_q ==
                  (room_q[s][c] != '0));
          assert (u_router.gen_output[s].u_output.gen_class[c].taken_q == taken_q[s][c]);
          if (taken_q[s][c]) begin
            assert (u_router.gen_output[s].u_output.gen_class[c].owner_q ==
                    NumSlots'(1) << owner_q[s][c] && 32'(owner_q[s][c]) < NumSlots);
          end
        end
      end

      for (genvar o = 0; o < NumSlots; o++) begin : gen_pair
        // -------------------------------------------------------------- flits from slot s to slot o
        entry_t [All-1:0] queue_q;
        count_t count_q, after;
        logic joins, pops;
        assign joins = arrives && way == slot_t'(o);
        assign pops  = left[o][c][s];
        assign after = count_q - count_t'(pops);
        always_ff @(posedge clk_i) begin
          if (!rst_n) count_q <= '0;
          else begin
            if (pops) queue_q <= queue_q >> $bits(entry_t);
            if (joins) queue_q[after] <= '{last: flit_i[s].last, data: flit_i[s].data};
            count_q <= after + count_t'(joins);
          end
        end
        assign agrees[o][c][s] = count_q != '0 && out_valid[o] &&
            out_flit[o] == {vc_t'(c), queue_q[0]};

        // Where they are: the crosspoint, the bus, the queue.
        count_t at_crosspoint, on_bus;
        logic [$clog2(CrosspointFlits):0] read;
        assign read =
            u_router.gen_output[o].u_output.gen_class[c].gen_crosspoint[s].u_crosspoint.read_q;
        assign at_crosspoint = count_t'(u_router.gen_output[o].u_output.gen_class[c].count[s]);
        assign on_bus = count_t'(moving && u_router.gen_input[s].u_input.move_q[c][o]);
        assign in_queue[o] = count_q - at_crosspoint - on_bus;
        assign possible[o][c][s] = at_crosspoint != '0 && room_q[o][c] != '0 &&
            (!taken_q[o][c] || owner_q[o][c] == slot_t'(s));

        address_t place[Flits];
        always_comb begin
          place[0] = u_router.gen_input[s].u_input.gen_class[c].u_queues.head[o];
          for (int unsigned k = 1; k < Flits; k++) begin
            place[k] = next[place[k-1]];
          end
          held_by[o] = '0;
          for (int unsigned k = 0; k < Flits; k++) begin
            if (k < 32'(in_queue[o])) held_by[o][place[k]] = 1'b1;
          end
        end

        logic has_room;
        assign has_room = u_router.gen_input[s].u_input.gen_class[c].room[o];
        always_comb begin
          if (rst_n) begin
            // Who can leave the queues makes someone leave.
            QueuesMove :
            assert (in_queue[o] == '0 || 32'(at_crosspoint) + 32'(on_bus) == CrosspointFlits ||
                    u_router.gen_input[s].u_input.win != '0);
            NoOverrun : assert (32'(at_crosspoint) + 32'(on_bus) <= CrosspointFlits);
            // Lemmas: what the router keeps is what the reference has.
            assert (at_crosspoint <= count_t'(CrosspointFlits));
            assert (32'(at_crosspoint) + 32'(on_bus) <= 32'(count_q));
            assert (in_queue[o] <= count_t'(Flits));
            assert (u_router.gen_output[o].u_output.gen_class[c].empty[s] == (at_crosspoint == '0));
            if (at_crosspoint != '0) begin
              assert (u_router.gen_output[o].u_output.gen_class[c].head[s] == queue_q[0]);
            end
            for (int unsigned k = 0; k < CrosspointFlits; k++) begin
              if (k < 32'(at_crosspoint)) begin
                assert (u_router.gen_output[o].u_output.gen_class[c].gen_crosspoint[s].u_crosspoint.
                        memory_q[($clog2(CrosspointFlits))'(read+k)] == queue_q[k]);
              end
            end
            if (on_bus != '0) begin
              assert (u_router.gen_input[s].u_input.moved_q == queue_q[at_crosspoint]);
            end
            for (int unsigned k = 0; k < Flits; k++) begin
              if (k < 32'(in_queue[o])) begin
                assert (u_router.gen_input[s].u_input.gen_class[c].u_queues.memory_q[place[k]] ==
                        queue_q[at_crosspoint+on_bus+count_t'(k)]);
              end
            end
            assert (u_router.gen_input[s].u_input.gen_class[c].empty[o] == (in_queue[o] == '0));
            if (in_queue[o] != '0) begin
              assert (u_router.gen_input[s].u_input.gen_class[c].u_queues.tail_q[o] ==
                      place[address_t'(in_queue[o]-1'b1)]);
            end
            assert (32'(u_router.gen_input[s].u_input.gen_class[c].gen_output[o].u_room.count_q) +
                    32'(at_crosspoint) + 32'(on_bus) == CrosspointFlits);
            assert (has_room == (32'(at_crosspoint) + 32'(on_bus) != CrosspointFlits));
          end
        end

        // -------------------------------------------------------------- nobody waits for ever
        // Packets of others that have begun at the output since a flit of this pair waits there.
        wait_t waited_q;
        logic begins, waits;
        assign begins = left[o][c] != '0 && !taken_q[o][c];
        assign waits  = at_crosspoint != '0 && !(taken_q[o][c] && owner_q[o][c] == slot_t'(s));
        always_ff @(posedge clk_i) begin
          if (!rst_n || !waits || pops) waited_q <= '0;
          else if (begins) waited_q <= waited_q + 1'b1;
        end
        // Places of the search for the next one before this one.
        slot_t start;
        logic [NumSlots-1:0] above;
        wait_t distance;
        always_comb begin
          start = '0;
          for (int unsigned i = NumSlots; i > 0; i--) if (above[i-1]) start = slot_t'(i - 1);
          distance = wait_t'(s >= 32'(start) ? s - 32'(start) : s + NumSlots - 32'(start));
          if (rst_n) begin
            BoundedWait : assert (32'(waited_q) <= MostWait);
            // Lemma: the search starts at one place and wraps around.
            assert (above == '0 || (above | (above - 1'b1)) == '1);
            cover (32'(waited_q) == (FullestFirst ? NumSlots : MostWait));
          end
        end
        if (FullestFirst) begin : gen_fullest
          wait_t turns_q;
          assign above =
              u_router.gen_output[o].u_output.gen_class[c].gen_fullest.u_turns.
              gen_round_robin.above_q;
          always_ff @(posedge clk_i) begin
            if (!rst_n || !waits || pops) turns_q <= '0;
            else if (begins && u_router.gen_output[o].u_output.gen_class[c].plain)
              turns_q <= turns_q + 1'b1;
          end
          always_comb begin
            if (rst_n) begin
              // Lemmas: a turn passes with each eighth packet, and who has waited turns is near.
              assert (32'(turns_q) + 32'(distance) < NumSlots || turns_q == '0);
              assert (32'(waited_q) <= Turn * 32'(turns_q) +
                  32'(u_router.gen_output[o].u_output.gen_class[c].gen_fullest.turn_q));
            end
          end
        end else begin : gen_round_robin
          assign above =
              u_router.gen_output[o].u_output.gen_class[c].u_arbiter.gen_round_robin.above_q;
          always_comb begin
            if (rst_n) begin
              // Lemma: who has waited is near the start of the search.
              assert (32'(waited_q) + 32'(distance) < NumSlots || waited_q == '0);
            end
          end
        end
      end
    end

    // Lemma: the bus carries one word.
    logic [NumClasses*NumSlots-1:0] move;
    assign move = u_router.gen_input[s].u_input.move_q;
    always_comb begin
      if (rst_n && u_router.gen_input[s].u_input.moving_q) begin
        assert (move != '0 && (move & (move - 1'b1)) == '0);
      end
    end

    // ------------------------------------------------------------------ what leaves slot s's port
    vc_t vc;
    assign vc = out_flit[s].vc;
    logic one;
    always_comb begin
      one = 1'b0;
      for (int unsigned c = 0; c < NumClasses; c++) begin
        for (int unsigned i = 0; i < NumSlots; i++) if (left[s][c][i]) one = !one;
      end
      if (rst_n) begin
        NobodyWaitsInVain : assert (out_valid[s] || possible[s] == '0);
        NothingLost : assert ((left[s] & ~agrees[s]) == '0);
        NothingDoubled : assert (one == out_valid[s]);
        if (out_valid[s]) begin
          OnlyWithCredit : assert (32'(vc) < NumClasses && room_q[s][vc] != '0);
        end
        cover (out_valid == '1);
      end
    end
    for (genvar c = 0; c < NumClasses; c++) begin : gen_owned
      always_comb begin
        if (rst_n && taken_q[s][c]) begin
          OwnedToTheTail : assert ((left[s][c] & ~(NumSlots'(1) << owner_q[s][c])) == '0);
        end
      end
    end
  end

endmodule

`default_nettype wire
