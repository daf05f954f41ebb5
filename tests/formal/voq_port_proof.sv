// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: whom a `voq_port` lets to the crosspoints, with static packets for several of them.
///
/// A word of a static packet is written once, to all slots of the route that its lookup has shown and to no
/// others, in one cycle. A packet that forks begins with room for all of it everywhere, so that it never
/// waits afterwards; nothing overruns a crosspoint. Nothing overtakes: static packets begin when the queues hold
/// nothing for their crosspoints, and whatever comes behind them joins their line.
///
/// The slot sends any packets with credits, static ones of up to `StaticFlits` flits; lookups take as long
/// as they like and show any route; crosspoints give room back when they like.
module voq_port_proof
  import tidings_pkg::*;
#(
    /// Outputs.
    parameter int unsigned NumOutputs = 3,
    /// Message classes.
    parameter int unsigned NumClasses = 1,
    /// Credits of the slot for each class.
    parameter int unsigned SlotFlits = 2,
    /// Flits of all queues of a class.
    parameter int unsigned Flits = 4,
    /// Flits of a crosspoint.
    parameter int unsigned CrosspointFlits = 4,
    /// Flits of the longest static packet.
    parameter int unsigned StaticFlits = 2
) (
    input logic                                   clk_i,
    input logic                                   send_i,
    input flit_t                                  flit_i,
    input logic  [NumClasses-1:0][NumOutputs-1:0] free_i,
    input logic                                   serve_i,
    input logic  [NumOutputs-1:0]                 ways_i
);

  localparam int unsigned CountWidth = $clog2(Flits + CrosspointFlits + 1);
  localparam int unsigned IndexWidth = $clog2(Flits);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [NumOutputs-1:0] ways_t;
  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;
  // A word of the line, and what it is of its packet.
  typedef struct packed {
    logic   fixed;  // the packet is static
    count_t place;  // in a static packet
    entry_t entry;
  } line_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic sent, last, lookup, served;
  logic [MaxVcs-1:0] given;
  logic [NumClasses-1:0][NumOutputs-1:0] write, freed;
  word_t data;
  voq_port #(
      .NumOutputs     (NumOutputs),
      .NumClasses     (NumClasses),
      .SlotBufferFlits(SlotFlits),
      .VoqFlits       (Flits),
      .CrosspointFlits(CrosspointFlits),
      .StaticFlits    (StaticFlits)
  ) u_port (
      .clk_i,
      .rst_ni      (rst_n),
      .flit_valid_i(sent),
      .flit_i,
      .credit_o    (given),
      .write_o     (write),
      .last_o      (last),
      .data_o      (data),
      .freed_i     (freed),
      .lookup_o    (lookup),
      .route_o     (),
      .served_i    (served),
      .ways_i,
      .busy_o      ()
  );
  assign served = lookup && serve_i;

  // ------------------------------------------------------------------ the slot, and the crosspoints
  header0_t header;
  assign header = header0_t'(flit_i.data);
  count_t credits_q[NumClasses];
  count_t filled_q[NumClasses][NumOutputs];  // words in a crosspoint
  count_t on_bus[NumClasses][NumOutputs];
  count_t used[NumClasses][NumOutputs];
  logic inside_q, fixed_q, fixed, full;
  count_t place_q, place;
  // A static packet is not longer than it may be.
  assign fixed = inside_q ? fixed_q : is_static(header.kind);
  assign place = inside_q ? place_q : '0;
  assign full  = flit_i.vc == '0 && fixed && place == count_t'(StaticFlits - 1) && !flit_i.last;
  always_comb begin
    sent = 1'b0;
    for (int unsigned c = 0; c < NumClasses; c++) begin
      if (flit_i.vc == vc_t'(c)) sent = rst_n && send_i && credits_q[c] != '0 && !full;
      for (int unsigned o = 0; o < NumOutputs; o++) begin
        freed[c][o]  = free_i[c][o] && filled_q[c][o] != '0;
        on_bus[c][o] = count_t'(u_port.moving_q && u_port.move_q[c][o]);
        used[c][o]   = filled_q[c][o] + on_bus[c][o];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < NumClasses; c++) begin
      credits_q[c] <= !rst_n ? count_t'(SlotFlits) : credits_q[c] + count_t'(given[c]) -
          count_t'(sent && flit_i.vc == vc_t'(c));
      for (int unsigned o = 0; o < NumOutputs; o++) begin
        filled_q[c][o] <= !rst_n ? '0 : filled_q[c][o] + count_t'(write[c][o]) -
            count_t'(freed[c][o]);
      end
    end
  end

  // ------------------------------------------------------------------ the line, by the reference
  logic arrives, joins, lined_q, pops, begun_q, from_line_q;
  line_t [Flits-1:0] line_q;
  line_t bus_q;
  count_t line_count_q, after, next_q;
  ways_t shown_q, target, target_q;
  logic next_fixed_q;
  assign arrives = sent && flit_i.vc == '0;
  assign joins = arrives && (inside_q ? lined_q : is_static(header.kind) || line_count_q != '0);
  assign pops = u_port.gen_class[0].gen_line.line_pop;
  assign after = line_count_q - count_t'(pops);

  // Crosspoints of the packet at the front: those that the lookup has shown, or its slot's.
  logic known, front_forks;
  assign known = u_port.gen_class[0].gen_line.known_q;
  assign target = begun_q ? target_q : line_q[0].fixed ? shown_q : slot_of(line_q[0].entry.data);
  assign front_forks = (target & (target - 1'b1)) != '0;

  function automatic ways_t slot_of(word_t word);
    header0_t head;
    head = header0_t'(word);
    return ways_t'(1) << (32'(head.dst_slot) < NumOutputs ? head.dst_slot : '0);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      inside_q <= 1'b0;
      line_count_q <= '0;
      begun_q <= 1'b0;
      from_line_q <= 1'b0;
    end else begin
      if (arrives) begin
        inside_q <= !flit_i.last;
        fixed_q  <= fixed;
        place_q  <= fixed ? place + 1'b1 : '0;
        lined_q  <= joins;
      end
      if (pops) line_q <= line_q >> $bits(line_t);
      if (joins) begin
        line_q[after[IndexWidth-1:0]] <= '{
            fixed: fixed,
            place: place,
            entry: '{last: flit_i.last, data: flit_i.data}
        };
      end
      line_count_q <= after + count_t'(joins);
      if (served) shown_q <= ways_i;
      from_line_q <= pops;
      if (pops) begin
        bus_q <= line_q[0];
        target_q <= target;
        begun_q <= !line_q[0].entry.last;
        next_fixed_q <= line_q[0].fixed;
        next_q <= line_q[0].fixed ? line_q[0].place + 1'b1 : '0;
      end
    end
  end

  // ------------------------------------------------------------------ what must hold
  ways_t ways, room, fits, holds_nothing;
  for (genvar o = 0; o < NumOutputs; o++) begin : gen_front
    assign room[o] = 32'(used[0][o]) < CrosspointFlits;
    assign fits[o] = 32'(used[0][o]) + StaticFlits <= CrosspointFlits;
  end
  assign holds_nothing = u_port.gen_class[0].empty;
  assign ways = u_port.gen_class[0].gen_line.ways_q;
  logic [$clog2(Flits):0] read;
  assign read = u_port.gen_class[0].gen_line.u_line.read_q;
  int unsigned stored[NumClasses];
  logic [NumClasses*NumOutputs-1:0] all;
  assign all = write;

  always_comb begin
    if (rst_n) begin
      if (from_line_q) begin
        ToTheSlotsOfItsRoute : assert (write[0] == target_q && (all >> NumOutputs) == '0);
        NothingLostOrReordered : assert (last == bus_q.entry.last && data == bus_q.entry.data);
      end else begin
        OthersToOneSlot : assert ((all & (all - 1'b1)) == '0);
      end
      if (pops) begin
        NothingDoubled : assert (line_count_q != '0);
        QueuesFirst : assert ((target & ~holds_nothing) == '0);
      end
      if (pops && !begun_q && front_forks) begin
        ForkBeginsWithRoom : assert ((target & ~fits) == '0);
      end
      if (begun_q && front_forks) begin
        ForkNeverWaits : assert ((target & ~room) == '0);
        AloneAtItsSlots : assert ((target & ~holds_nothing) == '0);
      end
      if (joins) begin
        LineFirst : assert (write[0] == '0 || u_port.moving_q);
        assert (u_port.gen_class[0].way == '0);
      end
      if (line_count_q != '0 && known && (target & ~room) == '0 && (begun_q ||
          ((target & ~holds_nothing) == '0 && !(front_forks && (target & ~fits) != '0)))) begin
        LineMoves : assert (u_port.win != '0);
      end
      // Lemmas: what the port keeps is what the reference has.
      assert (u_port.gen_class[0].inside_q == inside_q);
      assert (!inside_q || (u_port.gen_class[0].way_q == '0) == lined_q);
      assert (32'(line_count_q) <= Flits);
      assert (line_count_q == count_t'(u_port.gen_class[0].gen_line.line_count));
      assert (u_port.gen_class[0].gen_line.line_empty == (line_count_q == '0));
      assert (u_port.gen_class[0].gen_line.begun_q == begun_q);
      if (line_count_q != '0) begin
        assert (u_port.gen_class[0].gen_line.front == line_q[0].entry);
        assert (!inside_q || lined_q);
        // Its first word is what the packet that has begun goes on with, or a head.
        if (begun_q)
          assert (line_q[0].fixed == next_fixed_q && line_q[0].place == next_q);
          else
            assert (line_q[0].place == '0 && line_q[0].fixed == is_static(
                kind_of(line_q[0].entry.data)
            ));
      end else begin
        assert (begun_q == (inside_q && lined_q));
        if (begun_q) assert (fixed_q == next_fixed_q && place_q == next_q);
      end
      for (int unsigned k = 0; k < Flits; k++) begin
        if (k < 32'(line_count_q)) begin
          assert (u_port.gen_class[0].gen_line.u_line.memory_q[IndexWidth'(read+k)] ==
                  line_q[k].entry);
          assert (!line_q[k].fixed ||
                  32'(line_q[k].place) + 32'(!line_q[k].entry.last) < StaticFlits);
          if (k + 1 < 32'(line_count_q)) begin
            if (line_q[k].entry.last) begin
              assert (line_q[k+1].place == '0 &&
                      line_q[k+1].fixed == is_static(kind_of(line_q[k+1].entry.data)));
            end else begin
              assert (line_q[k+1].fixed == line_q[k].fixed &&
                      line_q[k+1].place == (line_q[k].fixed ? line_q[k].place + 1'b1 : '0));
            end
          end else begin
            assert ((inside_q && lined_q) == !line_q[k].entry.last);
            if (inside_q) begin
              assert (fixed_q == line_q[k].fixed &&
                      place_q == (fixed_q ? line_q[k].place + 1'b1 : '0));
            end
          end
        end
      end
      if (inside_q) begin
        assert (fixed_q ? 32'(place_q) < StaticFlits && lined_q : place_q == '0);
      end
      assert (!begun_q || known);
      if (begun_q) begin
        assert (next_fixed_q ? 32'(next_q) < StaticFlits : next_q == '0);
        assert ((target & ~holds_nothing) == '0);
        assert (next_fixed_q || !front_forks);
      end
      if (known) begin
        assert (ways == target && (begun_q || line_count_q != '0));
      end
      assert (!from_line_q || u_port.moving_q && u_port.moved_q == bus_q.entry &&
          u_port.move_q == (NumClasses*NumOutputs)'(target_q));
      for (int unsigned o = 0; o < NumOutputs; o++) begin
        if (begun_q && front_forks && target[o]) begin
          assert (32'(used[0][o]) + StaticFlits <= CrosspointFlits + 32'(next_q));
        end
      end
      cover (from_line_q && write[0] == '1);
      cover (from_line_q && !bus_q.fixed);
    end
  end

  function automatic kind_e kind_of(word_t word);
    header0_t head;
    head = header0_t'(word);
    return head.kind;
  endfunction

  for (genvar c = 0; c < NumClasses; c++) begin : gen_class
    localparam int unsigned Queues = NumOutputs + (c == 0 ? 1 : 0);
    logic [Queues-1:0] stay;
    assign stay = u_port.gen_class[c].stay_q;
    ways_t way;
    assign way = u_port.gen_class[c].way_q;
    int unsigned queued;
    always_comb begin
      queued = 0;
      for (int unsigned o = 0; o < NumOutputs; o++)
      queued += 32'(u_port.gen_class[c].u_queues.count_q[o]);
      stored[c] = queued + (c == 0 ? 32'(line_count_q) : 0);
      if (rst_n) begin
        CreditsAreKept : assert (count_t'(u_port.gen_class[c].held_q) == credits_q[c]);
        RoomForAll : assert (stored[c] + 32'(credits_q[c]) <= Flits);
        assert ((stay & (stay - 1'b1)) == '0);
        assert ((way & (way - 1'b1)) == '0 && (c == 0 || way != '0) ||
                !u_port.gen_class[c].inside_q);
        assert (queued <= Flits && queued == 32'(u_port.gen_class[c].count));
        assert (credits_q[c] <= count_t'(SlotFlits));
        for (int unsigned o = 0; o < NumOutputs; o++) begin
          assert (32'(filled_q[c][o]) <= CrosspointFlits);
          assert (32'(u_port.gen_class[c].u_queues.count_q[o]) <= Flits);
        end
      end
    end
    for (genvar o = 0; o < NumOutputs; o++) begin : gen_output
      always_comb begin
        if (rst_n) begin
          NoOverrun : assert (32'(used[c][o]) <= CrosspointFlits);
          assert (32'(u_port.gen_class[c].gen_output[o].u_room.count_q) +
                  32'(used[c][o]) == CrosspointFlits);
          assert (u_port.gen_class[c].gen_output[o].u_room.available_q ==
                  (32'(used[c][o]) < CrosspointFlits));
          if (c == 0) begin
            assert (u_port.gen_class[c].gen_output[o].u_room.room_q == fits[o]);
          end
        end
      end
    end
  end

endmodule

`default_nettype wire
