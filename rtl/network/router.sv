// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Input-buffered wormhole router with virtual channels, credits, and routing in dimension order or by
/// table.
///
/// Ports 2d and 2d + 1 lead to the neighbours at coordinate + 1 and - 1 of dimension d; slot s is
/// port NumPorts + s. Channel number = dateline * NumClasses + class; slots use dateline 0 alone.
///
///     flit_i ---> router_input --- port wanted ---> router_allocator --- sends ---+
///                 (a port)    <--- pop = grant ----      (a port)                 |
///                     |   ^--- router_static ---^                                 v
///                     +---------------- word -------------------------> router_crossbar ---> flit_o
///
/// An output channel belongs to one input channel from the head flit to the tail. Each output port
/// sends one flit per cycle, of any input channel that has a flit for it, owns the output channel or
/// finds it free, and has a credit. Input channels are read independently. A flit that is written at
/// the end of cycle t may leave in t + 1. All outputs depend on registered state alone.
///
/// Pipeline. With `Pipeline` flits and words for taps leave a cycle after they were granted: one that
/// is written at the end of cycle t may leave in t + 2, still one per cycle. Credits are counted and given
/// back at the grant. The head of a static packet that is written at the end of cycle t, and whose
/// branches are free and have room, leaves in t + 5 and not in t + 2. That of a neighbour packet, whose
/// branches need no lookup, leaves in t + 4.
///
/// A packet must name a node that exists: one that does not blocks what comes behind it. A packet for
/// a slot that does not exist goes to slot 0.
///
/// Routing tables. A router with `TableRows` is one of any graph: its ports lead anywhere, and packets
/// leave as its table says of the router that they go to. It has neither static routes nor direct
/// links, which rely on dimension order. That tables cannot deadlock is for who makes them to see.
///
/// Static routes. A request packet of a static kind names a route, and leaves through all output ports
/// that `route_table` has for it, a word to all of them in a cycle. A tree of any shape can be laid
/// out over the machine, and any number of trees at once. They cannot deadlock, with one another or
/// with other packets, because of four rules:
/// 1. Branches turn as dimension order does. One that does not is left out: back to where the packet
///    came from, to a lower dimension, and, on a ring, over the wrap-around link a second time.
///    Channels behind the dateline are chosen as for other packets.
/// 2. A packet takes the output channels of all its branches before its first word leaves.
/// 3. It takes them in the order of the ports: + before - of a dimension, low dimensions before high
///    ones, slots last.
/// 4. It takes the channel behind one of a link only when that has room for a whole packet, of at most
///    `StaticFlits` flits.
/// With `Pipeline` a packet may get a channel before a lower one. It gives it back in the cycle in which a
/// lower one is another packet's or has no room. So while it has a later channel it waits for nothing but
/// the arbiter of a port.
/// Order all channels of the machine: first those in + direction of dimension 0, then those in -
/// direction, then those of dimension 1, ..., at last those to slots. Those of a direction stand along
/// it, on a ring from its start before the dateline to its end behind it. Whatever waits then waits for
/// a later channel, or for one that surely goes on. A packet that waits for its next channel waits for a
/// later one (1). So does a packet that holds channels and waits for another (3). A packet whose words
/// are leaving waits for nothing at links (4), and for slots, which always take words in the end. The
/// parts of one that has been split do not wait for each other's ways beyond this router: nothing has
/// left before all channels were taken (2), and each next buffer holds all of it (4). So there is no
/// circle, and with fair arbiters everything goes on. A packet of another kind, or of a route without a
/// fork, may be of any length.
///
/// A route that is `switched` may take any turn and needs no room: a circuit that software sets up,
/// of packets of any length; then it is for software to see that circuits do not wait in a circle.
///
/// Direct links. Neighbour packets go from the engine of slot 0 over one link to the engine of slot 0
/// there, around the slot ports' queues. They come in on the request channel of slot 0's port, for any
/// network ports, and leave as on a static route, a word to all of them in a cycle. At the same time
/// they come in on the lane, for one port. All leave on channel 0, also over wrap-around links. One that
/// arrives there goes to the tap of its port, a word per cycle, whatever other ports do.
/// They add no circle. A tap takes every word at once: what holds a link's channel 0 with a neighbour
/// packet waits for that link only, and if it is a wrap-around link, no other packets use its
/// channel 0. At slot 0's port they obey the rules 2 to 4, with each wrap-around link's channel 0 at the
/// start of its direction.
module router
  import tidings_pkg::*;
#(
    /// Dimensions of the machine; 0 for a single router.
    parameter int unsigned Dims = 3,
    /// Network ports: two per dimension, or those of a router of any graph, whose `Dims` is 0.
    parameter int unsigned NumPorts = 2 * Dims,
    /// Routers that the routing table knows; 0: dimension order.
    parameter int unsigned TableRows = 0,
    /// Slots of the router.
    parameter int unsigned NumSlots = 1,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Channels are doubled, as wrap-around links need.
    parameter bit Dateline = 1'b1,
    /// Flits of a network port's buffer, for each channel.
    parameter int unsigned BufferFlits = 256,
    /// Flits of a slot port's buffers, for each class and direction.
    parameter int unsigned SlotBufferFlits = 16,
    /// 0: round robin among input channels. 1: the lowest port, then the lowest channel, wins.
    parameter bit FixedPriority = 1'b0,
    /// Static routes, a power of two; 0: none, and static kinds are routed as all others.
    parameter int unsigned NumRoutes = 16,
    /// Flits of the longest packet on a static route that forks.
    parameter int unsigned StaticFlits = BufferFlits < 68 ? BufferFlits : 68,
    /// Slot 0 has direct links: taps at all network ports, and the lane.
    parameter bit DirectLinks = 1'b0,
    /// Words leave a cycle after their grants, for a faster clock.
    parameter bit Pipeline = 1'b0,
    /// A packet that turns into another dimension asks for its output a cycle later.
    parameter bit TurnCycle = 1'b0,
    /// Network ports, then slots.
    localparam int unsigned Ports = NumPorts + NumSlots,
    /// Elements of the routing table: without one an element is left, tied off.
    localparam int unsigned Rows = TableRows == 0 ? 1 : TableRows,
    /// Elements of the vectors of taps: without network ports one is left, tied off.
    localparam int unsigned Taps = NumPorts == 0 ? 1 : NumPorts
) (
    /// Clock.
    input  logic                                         clk_i,
    /// Synchronous reset, active low.
    input  logic                                         rst_ni,
    /// This router's address; constant after reset.
    input  node_id_t                                     node_id_i,
    /// Routers in each dimension; constant after reset.
    input  logic         [ MaxDims-1:0][NodeIdWidth-1:0] radix_i,
    /// Dimension has wrap-around links; constant after reset.
    input  logic         [ MaxDims-1:0]                  wrap_i,
    /// Routing table; constant after reset.
    input  route_row_t   [    Rows-1:0]                  table_i,
    /// A flit arrives.
    input  logic         [   Ports-1:0]                  flit_valid_i,
    /// The flit; its channel must have room.
    input  flit_t        [   Ports-1:0]                  flit_i,
    /// A place of our input buffer became free, one bit per channel.
    output logic         [   Ports-1:0][     MaxVcs-1:0] credit_o,
    /// A flit leaves.
    output logic         [   Ports-1:0]                  flit_valid_o,
    /// The flit; zero without.
    output flit_t        [   Ports-1:0]                  flit_o,
    /// A place of the buffer downstream became free, one bit per channel.
    input  logic         [   Ports-1:0][     MaxVcs-1:0] credit_i,
    /// A slot changes a static route; held until it is taken.
    input  logic         [NumSlots-1:0]                  route_write_valid_i,
    /// The change.
    input  route_write_t [NumSlots-1:0]                  route_write_i,
    /// It is taken.
    output logic         [NumSlots-1:0]                  route_write_ready_o,
    /// A branch of a static packet is left out, or it has none.
    output logic                                         route_refused_o,
    /// A word of a neighbour packet has come in through the port, and is taken.
    output logic         [    Taps-1:0]                  tap_valid_o,
    /// The word, header included; zero without.
    output flit_t        [    Taps-1:0]                  tap_flit_o,
    /// A word comes over the lane.
    input  logic                                         lane_valid_i,
    /// The word, of a neighbour packet for one port; there must be room.
    input  flit_t                                        lane_flit_i,
    /// A place of the lane's buffer became free.
    output logic                                         lane_credit_o,
    /// Low: a clock edge without inputs changes nothing.
    output logic                                         busy_o
);

  localparam int unsigned NumVcs = NumClasses * (Dateline ? 2 : 1);
  localparam int unsigned Channels = Ports * NumVcs;
  // The lane comes after all input channels.
  localparam int unsigned Inputs = Channels + (DirectLinks ? 1 : 0);
  localparam bit StaticPackets = NumRoutes != 0 || DirectLinks;

  if (StaticPackets && (StaticFlits < 1 || StaticFlits > BufferFlits)) begin : gen_static_check
    $error("StaticFlits must be 1 to %0d, not %0d", BufferFlits, StaticFlits);
  end
  if (DirectLinks && Dims == 0) begin : gen_direct_check
    $error("DirectLinks need network ports: Dims must not be 0");
  end
  if (TableRows != 0 && (Dims != 0 || StaticPackets)) begin : gen_table_check
    $error("A routing table excludes dimensions, static routes and direct links");
  end
  if (NumClasses == 0 || NumVcs > MaxVcs) begin : gen_vcs_check
    $error("NumClasses must be 1 to %0d, not %0d", MaxVcs / (Dateline ? 2 : 1), NumClasses);
  end

  // Input channels, numbered port * NumVcs + vc, then the lane.
  logic [Inputs-1:0] valid, last, owner, with_branches, pop;
  vc_t [Inputs-1:0] vc;
  logic [Inputs-1:0][Ports-1:0] wanted;
  word_t [Inputs-1:0] word;
  word_t [Channels-1:0] data;
  logic [Channels-1:0] claim;
  logic [Ports-1:0] neighbour, input_busy;

  for (genvar p = 0; p < Ports; p++) begin : gen_input
    localparam int unsigned First = p * NumVcs;
    logic  tap_valid;
    flit_t tap_flit;
    router_input #(
        .Dims(Dims),
        .NumPorts(NumPorts),
        .TableRows(TableRows),
        .NumSlots(NumSlots),
        .NumClasses(NumClasses),
        .Dateline(Dateline),
        .BufferFlits(p < NumPorts ? BufferFlits : SlotBufferFlits),
        .Port(p),
        .StaticRoutes(NumRoutes != 0),
        .DirectLinks(DirectLinks),
        .Pipeline(Pipeline),
        .TurnCycle(TurnCycle)
    ) u_input (
        .clk_i,
        .rst_ni,
        .node_id_i,
        .radix_i,
        .wrap_i,
        .table_i,
        .flit_valid_i(flit_valid_i[p]),
        .flit_i(flit_i[p]),
        .credit_o(credit_o[p]),
        .pop_i(pop[First+:NumVcs]),
        .claim_i(claim[First+:NumVcs]),
        .valid_o(valid[First+:NumVcs]),
        .last_o(last[First+:NumVcs]),
        .data_o(data[First+:NumVcs]),
        .vc_o(vc[First+:NumVcs]),
        .ports_o(wanted[First+:NumVcs]),
        .owner_o(owner[First+:NumVcs]),
        .static_o(with_branches[First+:NumVcs]),
        .neighbour_o(neighbour[p]),
        .word_o(word[First+:NumVcs]),
        .tap_valid_o(tap_valid),
        .tap_flit_o(tap_flit),
        .busy_o(input_busy[p])
    );
    if (p < Taps) begin : gen_tap
      assign tap_valid_o[p] = tap_valid;
      assign tap_flit_o[p]  = tap_flit;
    end else begin : gen_no_tap
      logic unused;
      assign unused = ^{tap_valid, tap_flit};
    end
  end

  if (DirectLinks) begin : gen_lane
    input_channel #(
        .Dims(Dims),
        .NumPorts(NumPorts),
        .TableRows(TableRows),
        .NumSlots(NumSlots),
        .NumClasses(NumClasses),
        .Dateline(Dateline),
        .BufferFlits(SlotBufferFlits),
        .Dimension(MaxDims),
        .Lane(1'b1),
        .Pipeline(Pipeline)
    ) u_lane (
        .clk_i,
        .rst_ni,
        .node_id_i,
        .radix_i,
        .wrap_i,
        .table_i,
        .push_i     (lane_valid_i),
        .last_i     (lane_flit_i.last),
        .data_i     (lane_flit_i.data),
        .pop_i      (pop[Channels]),
        .claim_i    (1'b0),
        .valid_o    (valid[Channels]),
        .last_o     (last[Channels]),
        .data_o     (),
        .vc_o       (vc[Channels]),
        .ports_o    (wanted[Channels]),
        .owner_o    (owner[Channels]),
        .static_o   (with_branches[Channels]),
        .neighbour_o(),
        .word_o     (word[Channels]),
        .turning_o  ()
    );
    assign lane_credit_o = pop[Channels];
    logic unused;
    assign unused = ^lane_flit_i.vc;
  end else begin : gen_no_lane
    assign lane_credit_o = 1'b0;
    logic unused;
    assign unused = ^{lane_valid_i, lane_flit_i};
  end

  // ---------------------------------------------------------------- packets with branches
  logic [Ports-1:0][MaxVcs-1:0] free, has_credit, has_room;
  logic [Inputs-1:0][Ports-1:0] ask, granted, spare, released, stay;
  logic [Inputs-1:0][Ports-1:0] behind;
  logic [Inputs-1:0] taking;
  logic static_busy;

  if (StaticPackets) begin : gen_static
    router_static #(
        .Dims(Dims),
        .NumSlots(NumSlots),
        .NumClasses(NumClasses),
        .Dateline(Dateline),
        .NumRoutes(NumRoutes),
        .DirectLinks(DirectLinks),
        .Pipeline(Pipeline)
    ) u_static (
        .clk_i,
        .rst_ni,
        .node_id_i,
        .radix_i,
        .wrap_i,
        .route_write_valid_i,
        .route_write_i,
        .route_write_ready_o,
        .valid_i    (valid[Channels-1:0]),
        .static_i   (with_branches[Channels-1:0]),
        .wanted_i   (wanted[Channels-1:0]),
        .neighbour_i(neighbour[NumPorts]),
        .last_i     (last[Channels-1:0]),
        .data_i     (data),
        .free_i     (free),
        .credit_i   (has_credit),
        .room_i     (has_room),
        .moves_i    (|granted),
        .returned_i (credit_i),
        .ask_o      (ask[Channels-1:0]),
        .behind_o   (behind[Channels-1:0]),
        .taking_o   (taking[Channels-1:0]),
        .grant_i    (granted[Channels-1:0]),
        .spare_o    (spare[Channels-1:0]),
        .release_o  (released[Channels-1:0]),
        .stay_o     (stay[Channels-1:0]),
        .pop_o      (pop[Channels-1:0]),
        .claim_o    (claim),
        .busy_o     (static_busy),
        .refused_o  (route_refused_o)
    );
  end else begin : gen_no_static
    assign route_write_ready_o = '1;
    assign claim = '0;
    assign static_busy = 1'b0;
    assign route_refused_o = 1'b0;
    logic unused;
    assign unused = ^{node_id_i, radix_i, wrap_i, route_write_valid_i, route_write_i, data, free,
                      has_credit, has_room};
  end

  // A word that goes one way is popped when it is granted.
  for (genvar c = StaticPackets ? Channels : 0; c < Inputs; c++) begin : gen_one_way
    assign ask[c] = wanted[c];
    assign behind[c] = '0;
    assign taking[c] = 1'b0;
    assign spare[c] = '0;
    assign released[c] = '0;
    assign stay[c] = '0;
    assign pop[c] = |granted[c];
  end

  // ---------------------------------------------------------------- allocation and crossbar
  // The same by output port. Loops over the few channels with a flit simulate fast, and are plain gates
  // in hardware.
  logic [Ports-1:0] used;
  logic [Inputs-1:0] port_ask[Ports], port_behind[Ports], port_release[Ports], port_grant[Ports];
  logic [Inputs-1:0] users[Ports], senders[Ports];

  always_comb begin : by_port
    for (int unsigned p = 0; p < Ports; p++) begin
      port_ask[p] = '0;
      port_behind[p] = '0;
      port_release[p] = '0;
    end
    for (int unsigned c = 0; c < Inputs; c++) begin
      if (ask[c] != '0) begin
        for (int unsigned p = 0; p < Ports; p++) port_ask[p][c] = ask[c][p];
      end
      for (int unsigned p = 0; p < Ports; p++) begin
        port_behind[p][c]  = behind[c][p];
        port_release[p][c] = released[c][p];
      end
    end
  end

  always_comb begin : by_input
    granted = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (port_grant[p] != '0) begin
        for (int unsigned c = 0; c < Inputs; c++) granted[c][p] = port_grant[p][c];
      end
    end
  end

  always_comb begin : use_grants
    for (int unsigned p = 0; p < Ports; p++) begin
      users[p]   = '0;
      senders[p] = '0;
      if (port_grant[p] != '0) begin
        for (int unsigned c = 0; c < Inputs; c++) begin
          users[p][c]   = port_grant[p][c] && !spare[c][p];
          senders[p][c] = port_grant[p][c] && !stay[c][p];
        end
      end
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_output
    vc_t sent_vc;
    assign used[p] = |users[p];

    router_allocator #(
        .Inputs       (Inputs),
        .NumClasses   (NumClasses),
        .NumVcs       (p < NumPorts ? NumVcs : NumClasses),
        .BufferFlits  (p < NumPorts ? BufferFlits : SlotBufferFlits),
        // A slot takes all words in the end.
        .RoomFlits    (p < NumPorts && StaticPackets ? StaticFlits : 0),
        .FixedPriority(FixedPriority)
    ) u_allocator (
        .clk_i,
        .rst_ni,
        .credit_i (credit_i[p]),
        .ask_i    (port_ask[p]),
        .vc_i     (vc),
        .static_i (with_branches),
        .behind_i (port_behind[p]),
        .owner_i  (owner),
        .taking_i (taking),
        .grant_o  (port_grant[p]),
        .use_i    (users[p]),
        .send_i   (senders[p]),
        .release_i(port_release[p]),
        .last_i   (last),
        .vc_o     (sent_vc),
        .free_o   (free[p]),
        .credit_o (has_credit[p]),
        .room_o   (has_room[p])
    );

    router_crossbar #(
        .Inputs  (Inputs),
        .Pipeline(Pipeline)
    ) u_crossbar (
        .clk_i,
        .rst_ni,
        .send_i      (senders[p]),
        .vc_i        (sent_vc),
        .last_i      (last),
        .word_i      (word),
        .flit_valid_o(flit_valid_o[p]),
        .flit_o      (flit_o[p])
    );
  end

  // Without a flit to send or to drop, a channel to take and a route to look up, only inputs can change a
  // register.
  assign busy_o = |used || static_busy || |input_busy || (Pipeline && |flit_valid_o);

  logic unused;
  assign unused = ^{valid, neighbour};

endmodule

`default_nettype wire
