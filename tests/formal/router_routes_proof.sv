// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: with static routes, a `router` sends each word once on each branch of its packet's route,
/// and gives up its place after that. No word leaves before the packet has the output channels of
/// all branches. An output channel belongs to one packet until the tail has left on it. Other
/// packets pass as without routes.
///
/// With direct links each word of a neighbour packet that comes in over a link goes to the tap at
/// once. What comes over the lane, or from slot 0 for the ports that its header names, leaves as all
/// others do.
///
/// The reference keeps for each input channel what its neighbour sent, which output channels its
/// packet has, and on which branches its oldest word has left. Who uses an output port in a cycle
/// is the router's word; the assertions say what that may be. A route is what was written last.
module router_routes_proof
  import tidings_pkg::*;
#(
    /// Dimensions; 0 for a crossbar.
    parameter int unsigned Dims = 0,
    /// Slots.
    parameter int unsigned NumSlots = 3,
    /// Flits of every buffer.
    parameter int unsigned Flits = 2,
    /// Static routes.
    parameter int unsigned NumRoutes = 2,
    /// Words leave a cycle after their grants.
    parameter bit Pipeline = 1'b0,
    /// Neighbour packets go to taps, and come over the lane or from slot 0.
    parameter bit Direct = 1'b0,
    localparam int unsigned Ports = 2 * Dims + NumSlots,
    localparam int unsigned Inputs = Ports + 32'(Direct)  // the lane comes last
) (
    input logic                        clk_i,
    input logic         [  Inputs-1:0] send_i,
    input logic         [  Inputs-1:0] last_i,
    input word_t        [  Inputs-1:0] data_i,
    input logic         [   Ports-1:0] credit_i,
    input logic         [NumSlots-1:0] route_write_valid_i,
    input route_write_t [NumSlots-1:0] route_write_i
);

  localparam int unsigned NumPorts = 2 * Dims;
  localparam int unsigned PortWidth = $clog2(Ports);
  localparam int unsigned CountWidth = $clog2(Flits) + 1;
  localparam int unsigned IndexWidth = $clog2(Flits);
  localparam int unsigned RouteWidth = $clog2(NumRoutes);
  localparam int unsigned DimensionWidth = $clog2(MaxDims + 1);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [Ports-1:0] ports_t;
  typedef logic [Inputs-1:0] inputs_t;
  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // The address never changes, and is any.
  node_id_t node_id_q;
  always_ff @(posedge clk_i) node_id_q <= node_id_q;
  logic [MaxDims-1:0][NodeIdWidth-1:0] radix;
  assign radix = {MaxDims{NodeIdWidth'(4)}};

  // ------------------------------------------------------------------ the router
  localparam int unsigned Taps = Dims == 0 ? 1 : NumPorts;
  ports_t out_valid;
  inputs_t sent;
  flit_t [Inputs-1:0] in_flit;
  flit_t [Ports-1:0] out_flit;
  logic [Taps-1:0] tap_valid;
  flit_t [Taps-1:0] tap_flit;
  logic lane_freed;
  logic [Ports-1:0][MaxVcs-1:0] freed, returned;
  logic [NumSlots-1:0] write_ready;
  router #(
      .Dims(Dims),
      .NumSlots(NumSlots),
      .NumClasses(1),
      .Dateline(1'b0),
      .BufferFlits(Flits),
      .SlotBufferFlits(Flits),
      .NumRoutes(NumRoutes),
      .Pipeline(Pipeline),
      .DirectLinks(Direct)
  ) u_router (
      .clk_i,
      .rst_ni             (rst_n),
      .node_id_i          (node_id_q),
      .radix_i            (radix),
      .wrap_i             ('0),
      .table_i            ('0),
      .flit_valid_i       (sent[Ports-1:0]),
      .flit_i             (in_flit[Ports-1:0]),
      .credit_o           (freed),
      .flit_valid_o       (out_valid),
      .flit_o             (out_flit),
      .credit_i           (returned),
      .route_write_valid_i(rst_n ? route_write_valid_i : '0),
      .route_write_i,
      .route_write_ready_o(write_ready),
      .route_refused_o    (),
      .tap_valid_o        (tap_valid),
      .tap_flit_o         (tap_flit),
      .lane_valid_i       (Direct && sent[Inputs-1]),
      .lane_flit_i        (Direct ? in_flit[Inputs-1] : '0),
      .lane_credit_o      (lane_freed),
      .busy_o             ()
  );

  // ------------------------------------------------------------------ neighbours
  // They send with a credit only, and give back what they have.
  count_t count_q[Inputs];  // flits of each reference queue
  count_t room_q [ Ports];  // places downstream
  for (genvar p = 0; p < Inputs; p++) begin : gen_sender
    assign sent[p] = rst_n && send_i[p] && count_q[p] != count_t'(Flits);
    assign in_flit[p] = '{vc: '0, last: last_i[p], data: data_i[p]};
  end
  for (genvar p = 0; p < Ports; p++) begin : gen_receiver
    assign returned[p] = MaxVcs'(rst_n && credit_i[p] && room_q[p] != count_t'(Flits));
  end

  // ------------------------------------------------------------------ routes
  // The table as it was written.
  ports_t row_q[NumRoutes];
  for (genvar r = 0; r < NumRoutes; r++) begin : gen_row
    always_ff @(posedge clk_i) begin
      if (!rst_n) row_q[r] <= '0;
      else begin
        for (int unsigned s = 0; s < NumSlots; s++) begin
          if (write_ready[s] && 32'(route_write_i[s].route) == r) begin
            row_q[r] <= route_write_i[s].entry.ports[Ports-1:0];
          end
        end
      end
    end
    always_comb begin
      if (rst_n) begin
        // Lemma: the router's table holds it.
        assert (row_q[r] == (u_router.gen_static.u_static.gen_table.u_table.gen_group[0].held_q[r] ?
            u_router.gen_static.u_static.gen_table.u_table.gen_group[0].rows_q[r][Ports-1:0] : '0));
      end
    end
  end

  // ------------------------------------------------------------------ reference
  // Output ports that a word goes to in this cycle, and the words. With a pipeline they leave in the
  // next.
  ports_t goes;
  entry_t oldest[Inputs];
  // For each input channel: output ports that are used for it, where its oldest word leaves; where
  // that has left before; output channels that its packet has; those that it gives back.
  ports_t uses[Inputs], leaves[Inputs], left_q[Inputs], owned_q[Inputs], released[Inputs];
  inputs_t owner_of[Ports];  // the other way round: input channels that have the output channel
  inputs_t under_way;  // a word has been popped, the tail has not

  // Output channels as packets with branches see them, now and in the cycle before.
  ports_t free, roomy, free_q, roomy_q;
  logic running_q;
  logic moved;  // in the cycle before a grant was used, a credit came or a route was looked up
  for (genvar o = 0; o < Ports; o++) begin : gen_seen
    assign free[o]  = u_router.free[o][0];
    assign roomy[o] = u_router.has_room[o][0];
  end
  always_ff @(posedge clk_i) begin
    running_q <= rst_n;
    free_q <= free;
    roomy_q <= roomy;
  end

  for (genvar p = 0; p < Inputs; p++) begin : gen_input
    localparam bit Lane = p == Ports;
    entry_t   queue_q[Flits];
    header0_t header;
    logic pop, static_q, is_routed, looked_up_q, inside_q;
    // A neighbour packet, from the link or from slot 0; and one that the tap takes.
    logic adjacent_q, is_adjacent, is_tapped;
    ports_t branches_q, way_q, head_way, ways;
    count_t rest;
    assign pop = Lane ? lane_freed : freed[p%Ports][0];
    assign rest = count_q[p] - count_t'(pop);
    assign oldest[p] = queue_q[0];
    assign header = header0_t'(oldest[p].data);
    assign under_way[p] = inside_q;
    assign released[p] = u_router.released[p];
    for (genvar o = 0; o < Ports; o++) begin : gen_output
      assign uses[p][o] = u_router.users[o][p];
      assign leaves[p][o] = u_router.senders[o][p];
      assign owner_of[o][p] = owned_q[p][o];
    end

    logic [PortWidth-1:0] port;
    logic unused_dateline;
    route_compute #(
        .Dims(Dims),
        .NumSlots(NumSlots),
        .Dateline(1'b0)
    ) u_way (
        .node_id_i  (node_id_q),
        .radix_i    (radix),
        .wrap_i     ('0),
        .table_i    ('0),
        .valid_i    (1'b1),
        .dst_node_i (header.dst_node),
        .dst_slot_i (header.dst_slot),
        .dimension_i(DimensionWidth'(p >= NumPorts ? MaxDims : p / 2)),
        .dateline_i (1'b0),
        .port_o     (port),
        .dateline_o (unused_dateline)
    );
    // The header of a packet on the lane has the port.
    assign head_way = Lane ? ports_t'(header.dst_node[Taps-1:0]) : ports_t'(1) << port;
    assign is_adjacent = Direct && p <= NumPorts &&
        (inside_q ? adjacent_q : header.kind == KindNeighbour);
    assign is_tapped = is_adjacent && p < NumPorts;
    assign is_routed = !Lane && (inside_q ? static_q : is_static(header.kind) && !is_tapped);
    assign ways = is_routed ? (looked_up_q ? branches_q : '0) : is_tapped ? '0 :
        inside_q ? way_q : head_way;

    // The route is looked up while the head waits, or is in it; branches that break the rules are
    // left out.
    logic served;
    ports_t row, allowed, ports_shown;
    always_comb begin
      row = '0;
      if (is_adjacent) row = ports_t'(header.dst_node[Taps-1:0]);
      else if (32'(header.dst_node[RouteIdWidth-1:0]) < NumRoutes) begin
        row = row_q[header.dst_node[RouteWidth-1:0]];
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_n) begin
        count_q[p] <= '0;
        inside_q <= 1'b0;
        looked_up_q <= 1'b0;
        left_q[p] <= '0;
        owned_q[p] <= '0;
      end else begin
        count_q[p] <= rest + count_t'(sent[p]);
        if (pop) for (int unsigned i = 0; i + 1 < Flits; i++) queue_q[i] <= queue_q[i+1];
        if (sent[p]) queue_q[IndexWidth'(rest)] <= '{last: last_i[p], data: data_i[p]};
        left_q[p]  <= pop ? '0 : left_q[p] | leaves[p];
        owned_q[p] <= (owned_q[p] | uses[p]) & ~(oldest[p].last ? leaves[p] : '0) & ~released[p];
        if (pop) begin
          inside_q <= !oldest[p].last;
          static_q <= is_routed;
          adjacent_q <= is_adjacent;
          way_q <= ways;
        end
        if (served) begin
          looked_up_q <= 1'b1;
          branches_q  <= row & allowed;
        end else if (pop && oldest[p].last) begin
          looked_up_q <= 1'b0;
        end
      end
    end

    // ---------------------------------------------------------------- properties
    always_comb begin
      if (rst_n) begin
        RouteAsWritten :
        assert (!served || (count_q[p] != '0 && is_routed && !looked_up_q && !inside_q &&
                ports_shown == row));
        OnlyItsWays : assert ((uses[p] & ~ways) == '0 && (leaves[p] & ~uses[p]) == '0);
        NothingDoubled :
        assert ((leaves[p] & left_q[p]) == '0 && (count_q[p] != '0 || leaves[p] == '0));
        NothingLost :
        assert (!pop || (count_q[p] != '0 && (!is_routed || looked_up_q) &&
                (left_q[p] | leaves[p]) == ways));
        NothingHeldUp :
        assert (pop || ((leaves[p] == '0 || (left_q[p] | leaves[p]) != ways) &&
                !(is_tapped && count_q[p] != '0)));
        GivenBackUnused :
        assert (released[p] == '0 || (Pipeline && is_routed && looked_up_q && !inside_q &&
                (released[p] & ~owned_q[p]) == '0 && (left_q[p] | leaves[p]) == '0));
        AllOrNothing :
        assert (leaves[p] == '0 || (ways & ~(owned_q[p] | uses[p] | left_q[p])) == '0);
      end
    end
    for (genvar o = 0; o < Ports; o++) begin : gen_way
      always_comb begin
        if (rst_n && uses[p][o]) begin
          OwnedToTheTail :
          assert (owned_q[p][o] || (owner_of[o] == '0 && !inside_q && (left_q[p] == '0)));
        end
      end
    end

    // ---------------------------------------------------------------- lemmas
    // What the router keeps is what the reference has.
    logic [1:0] state_kept;
    ports_t pending_kept, branches_kept;
    if (Lane) begin : gen_no_route
      assign served = 1'b0;
      assign ports_shown = '0;
      assign allowed = '0;
      assign state_kept = 2'd0;
      assign branches_kept = '0;
      assign pending_kept = '0;
    end else begin : gen_route
      assign served = u_router.gen_static.u_static.gen_channel[p].gen_static.u_route.served_i;
      assign ports_shown = u_router.gen_static.u_static.gen_channel[p].gen_static.u_route.ports_i;
      assign allowed = u_router.gen_static.u_static.gen_channel[p].gen_static.u_route.allowed;
      assign state_kept = {
        u_router.gen_static.u_static.gen_channel[p].gen_static.u_route.leave_q,
        u_router.gen_static.u_static.gen_channel[p].gen_static.u_route.take_q
      };
      assign branches_kept =
          u_router.gen_static.u_static.gen_channel[p].gen_static.u_route.branches_q;
      assign pending_kept =
          u_router.gen_static.u_static.gen_channel[p].gen_static.u_route.pending_q;
      if (Pipeline) begin : gen_lookup
        always_comb begin
          // The table shows the route in the cycle after it was chosen.
          if (rst_n && u_router.gen_static.u_static.served[p]) begin
            assert (count_q[p] != '0 && is_routed && !is_adjacent && state_kept == 2'd0 &&
                    u_router.gen_static.u_static.gen_table.u_table.gen_pipeline.route_q ==
                    header.dst_node[RouteIdWidth-1:0]);
          end
        end
      end
    end
    logic owner, empty, static_kept, neighbour_kept;
    ports_t ports_kept;
    count_t count_kept, read_kept;
    entry_t head_kept;
    entry_t memory_kept[Flits];
    // The copy of the head is that of the cycle before; a head that is new is on its way there.
    logic   loaded;
    word_t next, late;
    if (Lane) begin : gen_lane_kept
      assign owner = u_router.gen_lane.u_lane.owner_q;
      assign empty = u_router.gen_lane.u_lane.empty;
      assign static_kept = 1'b0;
      assign neighbour_kept = 1'b0;
      assign ports_kept = u_router.gen_lane.u_lane.ports_q;
      assign count_kept = u_router.gen_lane.u_lane.u_buffer.count_o;
      assign read_kept = u_router.gen_lane.u_lane.u_buffer.read_q;
      assign head_kept = u_router.gen_lane.u_lane.u_buffer.head_q;
      for (genvar i = 0; i < Flits; i++) begin : gen_memory
        assign memory_kept[i] = u_router.gen_lane.u_lane.u_buffer.memory_q[i];
      end
      if (Pipeline) begin : gen_late
        assign loaded = u_router.gen_lane.u_lane.gen_late.loaded_q;
        assign next   = u_router.gen_lane.u_lane.gen_late.next_q;
        assign late   = u_router.gen_lane.u_lane.gen_late.late_q;
      end
    end else begin : gen_kept
      assign owner = u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.owner_q;
      assign empty = u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.empty;
      assign static_kept =
          u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.gen_static.static_q;
      if (Direct && p <= NumPorts) begin : gen_neighbour
        assign neighbour_kept =
            u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.gen_neighbour.neighbour_q;
      end else begin : gen_no_neighbour
        assign neighbour_kept = 1'b0;
      end
      assign ports_kept = u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.ports_q;
      assign count_kept =
          u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.u_buffer.count_o;
      assign read_kept  =
          u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.u_buffer.read_q;
      assign head_kept  =
          u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.u_buffer.head_q;
      for (genvar i = 0; i < Flits; i++) begin : gen_memory
        assign memory_kept[i] =
            u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.u_buffer.memory_q[i];
      end
      if (Pipeline) begin : gen_late
        assign loaded =
            u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.gen_late.loaded_q;
        assign next = u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.gen_late.next_q;
        assign late = u_router.gen_input[p].u_input.gen_vc[0].gen_channel.u_channel.gen_late.late_q;
      end
    end

    // ---------------------------------------------------------------- what `static_route_proof` assumes
    // Nobody else frees or uses an output channel that a packet has, so that room behind it does not shrink.
    logic taking, took_q;
    assign taking = u_router.taking[p];
    always_ff @(posedge clk_i) took_q <= rst_n && taking;
    always_comb begin
      if (rst_n) begin
        OwnIsNotFree : assert ((owned_q[p] & free) == '0);
        RoomIsKept : assert (!took_q || !taking || (owned_q[p] & roomy_q & ~roomy) == '0);
      end
    end
    if (Pipeline && !Lane) begin : gen_assumed
      ports_t reachable_q;
      always_ff @(posedge clk_i) begin
        reachable_q <= u_router.gen_static.u_static.gen_channel[p].gen_static.u_route.reachable;
      end
      always_comb begin
        if (rst_n && taking) begin
          OnlyAfterMoves : assert (released[p] == '0 || moved);
          // Lemma: what the packet has was within reach in the cycle before.
          assert (!took_q || moved || (owned_q[p] & ~reachable_q) == '0);
        end
      end
    end

    // What went, and to which ports, or to the tap, in the cycle before.
    entry_t gone_q;
    ports_t left_to_q;
    logic   tapped_q;
    always_ff @(posedge clk_i) begin
      gone_q <= oldest[p];
      left_to_q <= rst_n ? leaves[p] : '0;
      tapped_q <= rst_n && is_tapped && count_q[p] != '0;
    end
    if (Pipeline) begin : gen_late
      always_comb begin
        if (rst_n) begin
          if (count_q[p] != '0) assert ((loaded ? next : late) == oldest[p].data);
          if (left_to_q != '0 || tapped_q) assert (late == gone_q.data);
        end
      end
      for (genvar o = 0; o < Ports; o++) begin : gen_output
        always_comb begin
          if (rst_n && u_router.gen_output[o].u_crossbar.gen_pipeline.valid_q) begin
            assert (u_router.gen_output[o].u_crossbar.gen_pipeline.send_q[p] == left_to_q[o]);
          end
        end
      end
    end
    if (p < Taps) begin : gen_tap
      logic   tapped;
      entry_t to_tap;
      assign tapped = Pipeline ? tapped_q : is_tapped && count_q[p] != '0;
      assign to_tap = Pipeline ? gone_q : oldest[p];
      always_comb begin
        if (rst_n) begin
          TapTakesEveryWord :
          assert (tap_valid[p] == tapped && tap_flit[p] == (tapped ? {vc_t'(0), to_tap} : '0));
          if (Pipeline && Direct) begin
            assert (tapped_q == u_router.gen_input[p].u_input.gen_late_tap.tapped_q);
            assert (!tapped_q || u_router.gen_input[p].u_input.gen_late_tap.last_q == gone_q.last);
          end
        end
      end
    end
    if (Lane) begin : gen_lane_words
      // A packet on the lane names one port of the network.
      logic starts_q;
      header0_t first;
      assign first = header0_t'(data_i[p]);
      always_ff @(posedge clk_i) begin
        if (!rst_n) starts_q <= 1'b1;
        else if (sent[p]) starts_q <= last_i[p];
      end
      function automatic logic one_port(word_t word);
        automatic header0_t named = header0_t'(word);
        return named.dst_node[Taps-1:0] != '0 &&
            (named.dst_node[Taps-1:0] & (named.dst_node[Taps-1:0] - 1'b1)) == '0;
      endfunction
      always_comb begin
        OnePort : assume (!sent[p] || !starts_q || one_port(data_i[p]));
        if (rst_n) begin
          if (count_q[p] == '0)
            assert (starts_q == !inside_q);
            else assert (starts_q == queue_q[IndexWidth'(count_q[p]-1'b1)].last);
          for (int unsigned i = 0; i < Flits; i++) begin
            if (i < 32'(count_q[p]) && (i == 0 ? !inside_q : queue_q[(i+Flits-1)%Flits].last)) begin
              assert (one_port(queue_q[i].data));
            end
          end
        end
      end
      logic unused_first;
      assign unused_first = ^first;
    end
    always_comb begin
      if (rst_n) begin
        assert (count_q[p] <= count_t'(Flits) && count_kept == count_q[p]);
        assert (empty == (count_q[p] == '0));
        assert (owner == (inside_q || state_kept == 2'd2));
        for (int unsigned i = 0; i < Flits; i++) begin
          if (i < 32'(count_q[p])) begin
            assert (memory_kept[IndexWidth'(read_kept+i)] == queue_q[i]);
          end
        end
        if (count_q[p] != '0) assert (head_kept == oldest[p]);
        if (inside_q || count_q[p] != '0) begin
          assert (static_kept == (is_routed && !is_adjacent) && neighbour_kept == is_adjacent);
          assert (ports_kept == (is_routed ? '0 : ways));
        end
        // Without a static packet the state is that between packets.
        if (!(inside_q || count_q[p] != '0) || !is_routed) assert (state_kept == 2'd0);
        assert (state_kept != 2'd3 && (state_kept != 2'd0) == looked_up_q);
        if (looked_up_q) assert (branches_kept == branches_q);
        if (inside_q && is_routed) assert (state_kept == 2'd2);
        if (inside_q && is_adjacent) assert (static_q == (p == NumPorts));
        if (inside_q && !is_routed) begin
          assert (owned_q[p] == way_q && (way_q & (way_q - 1'b1)) == '0);
          assert ((way_q == '0) == is_tapped);
        end
        unique case (state_kept)
          2'd0: begin
            assert (pending_kept == '0 && left_q[p] == '0);
            assert (inside_q || owned_q[p] == '0);
          end
          2'd1: begin
            assert (count_q[p] != '0 && left_q[p] == '0 && (owned_q[p] & ~branches_q) == '0);
            assert (pending_kept == (branches_q & ~owned_q[p]));
          end
          default: begin
            assert (pending_kept == (branches_q & ~left_q[p]));
            assert ((left_q[p] & ~branches_q) == '0);
            assert (count_q[p] != '0 || (inside_q && left_q[p] == '0));
            assert (owned_q[p] == (branches_q & ~(oldest[p].last && count_q[p] != '0 ?
                    left_q[p] : '0)));
          end
        endcase
      end
    end

  end

  // ------------------------------------------------------------------ output channels
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    entry_t word;
    always_comb begin
      word = '0;
      for (int unsigned i = 0; i < Inputs; i++) if (leaves[i][p]) word |= oldest[i];
    end
    always_ff @(posedge clk_i) begin
      if (!rst_n) room_q[p] <= count_t'(Flits);
      else room_q[p] <= room_q[p] - count_t'(goes[p]) + count_t'(returned[p][0]);
    end
    inputs_t senders, users;
    assign goes[p] = senders != '0;
    logic   going;
    entry_t gone;
    if (Pipeline) begin : gen_late
      always_ff @(posedge clk_i) begin
        going <= rst_n && goes[p];
        gone  <= word;
      end
    end else begin : gen_now
      assign going = goes[p];
      assign gone  = word;
    end
    assign senders = u_router.senders[p];
    assign users   = u_router.users[p];
    always_comb begin
      if (rst_n) begin
        OneSource : assert ((users & (users - 1'b1)) == '0 && (senders & ~users) == '0);
        OldestLeaves :
        assert (out_valid[p] == going && out_flit[p] == (going ? {vc_t'(0), gone} : '0));
        OneOwner : assert ((owner_of[p] & (owner_of[p] - 1'b1)) == '0);
        OnlyWithCredit : assert (!goes[p] || room_q[p] != '0);
        // Lemmas.
        assert (u_router.gen_output[p].u_allocator.taken_q == MaxVcs'(owner_of[p] != '0));
        assert (room_q[p] <= count_t'(Flits));
        assert (p >= NumPorts || roomy[p] == (room_q[p] == count_t'(Flits)));
        assert (room_q[p] ==
                    u_router.gen_output[p].u_allocator.gen_vc[0].gen_channel.u_credits.count_q);
        assert (u_router.gen_output[p].u_allocator.gen_vc[0].gen_channel.u_credits.available_q ==
                (room_q[p] != '0));
      end
    end
  end

  // The rest of what `static_route_proof` assumes.
  if (Pipeline) begin : gen_moves
    ports_t given_back, given_back_q;
    always_comb begin
      given_back = '0;
      for (int unsigned c = 0; c < Inputs; c++) given_back |= released[c];
    end
    always_ff @(posedge clk_i) given_back_q <= given_back;
    assign moved = u_router.gen_static.u_static.gen_stirred.stirred_q[0];
    always_comb begin
      if (rst_n && running_q) begin
        GivenBackIsFree : assert ((given_back_q & ~free) == '0);
        OnlyMovesChange : assert (moved || (roomy == roomy_q && (free_q & ~free) == '0));
        ThenAtRest : assert (u_router.gen_static.u_static.stirred || free == free_q);
      end
    end
  end else begin : gen_no_moves
    assign moved = 1'b1;
  end

  if (Direct) begin : gen_direct_covers
    // Words for all taps while two neighbour packets leave, from the lane and from slot 0; one that
    // forks; one of slot 0 that waits for the lane's.
    logic forks;
    assign forks = gen_input[NumPorts].is_adjacent && under_way[NumPorts];
    always_comb begin
      if (rst_n) begin
        cover (tap_valid == '1 && leaves[Inputs-1] != '0 && forks && leaves[NumPorts] != '0);
        cover (forks && leaves[NumPorts] == ports_t'(3));
        cover (owned_q[Inputs-1] == ports_t'(2) && owned_q[NumPorts] == ports_t'(1) &&
               gen_input[NumPorts].branches_q == ports_t'(3) && gen_input[NumPorts].is_adjacent);
      end
    end
  end else begin : gen_covers
    always_comb begin
      if (rst_n) begin
        // A tail that leaves on its last branch; a word that leaves on all ports at once; two
        // packets that fork, one of which waits for the other; a packet between the words of which
        // others pass.
        cover (freed[0][0] && left_q[0] == ports_t'(3) && leaves[0] == ports_t'(4) && under_way[0]);
        cover (leaves[Ports-1] == '1);
        cover (owned_q[0] == ports_t'(1) && owned_q[Ports-1] == ports_t'(6) &&
               left_q[Ports-1] != '0);
        cover (under_way == '1 && out_valid == '1);
      end
    end
  end

endmodule

`default_nettype wire
