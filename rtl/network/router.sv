// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Input-buffered wormhole router with virtual channels, credits and dimension-order routing.
///
/// Ports 2d and 2d + 1 lead to the neighbours at coordinate + 1 and - 1 of dimension d; slot s is
/// port 2 * Dims + s. Channel number = dateline * NumClasses + class; slots use dateline 0 alone.
///
///     flit_i ---> input_channel (port, vc) --- port wanted ---> arbiter (port) --+
///                   buffer, route, owner  <--- pop = grant ----------------------+
///                        +---------------- flit -----------------> multiplexer ---> flit_o
///
/// An output channel belongs to one input channel from the head flit to the tail. Each output port
/// sends one flit a cycle, of any input channel that has a flit for it, owns the output channel or
/// finds it free, and has a credit. Input channels are read independently. A flit that is written at
/// the end of cycle t may leave in t + 1. All outputs depend on registered state alone.
///
/// Pipeline. With `Pipeline` grants go into registers, and flits are multiplexed in the next cycle: one
/// that is written at the end of cycle t may leave in t + 2, still one a cycle. So do words for taps.
/// Credits are counted and given back at the grant. Static packets then take their output channels one
/// in a cycle (`static_walk`), so that grants decide less: a head that is written at the end of cycle t,
/// with b branches that are free and have room, leaves in t + 4 + b, and not in t + 2; one of a neighbour
/// packet, whose branches need no lookup, in t + 3 + b.
///
/// A packet must name a node that exists: one that does not blocks what comes behind it. A packet for
/// a slot that does not exist goes to slot 0.
///
/// Static routes. A request packet of a static kind names a route, and leaves through all output ports
/// that `route_table` has for it, a word to all of them in a cycle: a tree of any shape can be laid
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
/// Order all channels of the machine: first those in + direction of dimension 0, along the direction
/// (on a ring from its start before the dateline to its end behind it), then those in - direction,
/// then those of dimension 1, ..., at last those to slots. Whatever waits then waits for a later
/// channel, or for one that surely goes on: a packet that waits for its next channel, for a later one
/// (1); a packet that holds channels and waits for another, for a later one (3); a packet whose words
/// are leaving, for nothing at links (4) and for slots, which always take words in the end; and where
/// it has been split, its parts do not wait for each other's ways beyond this router, as nothing has
/// left before all channels were taken (2), and each next buffer holds all of it (4). So there is no
/// circle, and with fair arbiters everything goes on. A packet of another kind, or of a route without a
/// fork, may be of any length.
///
/// A route that is `switched` may take any turn and needs no room: a circuit that software sets up,
/// of packets of any length; then it is for software to see that circuits do not wait in a circle.
///
/// Direct links. Neighbour packets go from the engine of slot 0 over one link to the engine of slot 0
/// there, around the slot ports' queues. They come in on the request channel of slot 0's port, for any
/// network ports, and leave as on a static route, a word to all of them in a cycle; or on the lane,
/// for one port, at the same time. All leave on channel 0, also over wrap-around links. One that
/// arrives there goes to the tap of its port, a word a cycle, whatever other ports do.
/// They add no circle. A tap takes every word at once: what holds a link's channel 0 with a neighbour
/// packet waits for that link only, and where it is a wrap-around link, no other packets use its
/// channel 0. At slot 0's port they obey the rules 2 to 4, with each wrap-around link's channel 0 at the
/// start of its direction.
module router
  import tidings_pkg::*;
#(
    /// Dimensions of the machine; 0 for a single router.
    parameter int unsigned Dims = 3,
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
    /// Network ports, then slots.
    localparam int unsigned Ports = 2 * Dims + NumSlots,
    /// Elements of the vectors of taps: without network ports one is left, tied off.
    localparam int unsigned Taps = Dims == 0 ? 1 : 2 * Dims
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
    /// A flit arrives.
    input  logic         [   Ports-1:0]                  flit_valid_i,
    /// The flit; its channel must have room.
    input  flit_t        [   Ports-1:0]                  flit_i,
    /// A place of our input buffer became free, one bit a channel.
    output logic         [   Ports-1:0][     MaxVcs-1:0] credit_o,
    /// A flit leaves.
    output logic         [   Ports-1:0]                  flit_valid_o,
    /// The flit; zero without.
    output flit_t        [   Ports-1:0]                  flit_o,
    /// A place of the buffer downstream became free, one bit a channel.
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

  localparam int unsigned NumPorts = 2 * Dims;
  localparam int unsigned NumVcs = NumClasses * (Dateline ? 2 : 1);
  localparam int unsigned Channels = Ports * NumVcs;
  // The lane comes after all input channels.
  localparam int unsigned Inputs = Channels + (DirectLinks ? 1 : 0);
  // Input channel of neighbour packets that fork.
  localparam int unsigned Slot0 = NumPorts * NumVcs;
  localparam bit StaticPackets = NumRoutes != 0 || DirectLinks;

  if (StaticPackets && (StaticFlits < 1 || StaticFlits > BufferFlits)) begin : gen_static_check
    $error("StaticFlits must be 1 to %0d, not %0d", BufferFlits, StaticFlits);
  end
  if (DirectLinks && Dims == 0) begin : gen_direct_check
    $error("DirectLinks need network ports: Dims must not be 0");
  end
  if (NumClasses == 0 || NumVcs > MaxVcs) begin : gen_vcs_check
    $error("NumClasses must be 1 to %0d, not %0d", MaxVcs / (Dateline ? 2 : 1), NumClasses);
  end

  // Input channels, numbered port * NumVcs + vc.
  logic valid[Inputs];
  logic owner[Inputs];
  flit_t head[Inputs];
  logic [Ports-1:0] wanted[Inputs];
  word_t late[Inputs];  // of the cycle before
  logic [Inputs-1:0] pop, tapped;
  route_id_t route[Channels];

  // Output channels.
  logic [MaxVcs-1:0] has_credit[Ports];
  logic [MaxVcs-1:0] taken_q[Ports];

  logic [MaxVcs-1:0] room[Ports];
  logic [MaxVcs-1:0] has_room[Ports];

  // Who may send through each output port in this cycle, and who does.
  logic [Inputs-1:0] eligible[Ports];
  logic [Inputs-1:0] granted[Ports];
  logic [Ports-1:0] any_winner;
  // Those that take or keep the channel of an output port, and of these those whose word leaves.
  logic [Inputs-1:0] users[Ports];
  logic [Inputs-1:0] senders[Ports];
  vc_t channel[Ports];  // that the user has
  logic [Ports-1:0] sent, sent_last;  // a word, and it is a tail

  // Input channels with a word of a static packet, and for each what it does at each output port.
  logic [Inputs-1:0] static_word, static_pop, static_active;
  logic [Ports-1:0] static_request[Inputs];
  logic [Ports-1:0] static_use[Inputs];
  logic [Ports-1:0] static_send[Inputs];
  logic adjacent;  // at slot 0, that is a neighbour packet
  // The same with a pipeline: what it asks for; grants are for taking output channels; all are taken; the
  // word may not leave.
  logic [Ports-1:0] static_ask[Inputs];
  logic [Inputs-1:0] taking, claim, waits, done;
  // Wrap-around links; on these, packets go behind the dateline.
  logic [Ports-1:0] wraps;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    localparam bit IsSlot = p >= NumPorts;
    localparam int unsigned UsedVcs = IsSlot ? NumClasses : NumVcs;
    localparam int unsigned Flits = IsSlot ? SlotBufferFlits : BufferFlits;

    for (genvar v = 0; v < MaxVcs; v++) begin : gen_vc
      if (v < UsedVcs) begin : gen_channel
        localparam bit Direct = DirectLinks && v == 0 && p <= NumPorts;
        logic routed, neighbour;
        input_channel #(
            .Dims(Dims),
            .NumSlots(NumSlots),
            .NumClasses(NumClasses),
            .Dateline(Dateline),
            .BufferFlits(Flits),
            .Dimension(IsSlot ? MaxDims : p / 2),
            .Vc(v),
            .StaticRoutes(NumRoutes != 0 && v % NumClasses == 0),
            .Neighbours(Direct),
            .Pipeline(Pipeline)
        ) u_input (
            .clk_i,
            .rst_ni,
            .node_id_i,
            .radix_i,
            .wrap_i,
            .push_i(flit_valid_i[p] && flit_i[p].vc == VcWidth'(v)),
            .last_i(flit_i[p].last),
            .data_i(flit_i[p].data),
            .pop_i(pop[p*NumVcs+v]),
            .claim_i(claim[p*NumVcs+v]),
            .valid_o(valid[p*NumVcs+v]),
            .flit_o(head[p*NumVcs+v]),
            .ports_o(wanted[p*NumVcs+v]),
            .owner_o(owner[p*NumVcs+v]),
            .static_o(routed),
            .neighbour_o(neighbour),
            .route_o(route[p*NumVcs+v]),
            .late_o(late[p*NumVcs+v])
        );
        assign credit_o[p][v] = pop[p*NumVcs+v];
        assign static_word[p*NumVcs+v] = routed || (IsSlot && neighbour);
        assign tapped[p*NumVcs+v] = !IsSlot && neighbour;
        if (p * NumVcs + v == Slot0) begin : gen_adjacent
          assign adjacent = neighbour;
        end
        if (Direct && !IsSlot && Pipeline) begin : gen_late_tap
          logic neighbour_q, last_q;
          always_ff @(posedge clk_i) begin
            if (!rst_ni) neighbour_q <= 1'b0;
            else neighbour_q <= neighbour;
          end
          always_ff @(posedge clk_i) last_q <= head[p*NumVcs+v].last;
          assign tap_valid_o[p] = neighbour_q;
          assign tap_flit_o[p] = neighbour_q ?
              '{vc: '0, last: last_q, data: late[p*NumVcs+v]}
              : '0;
        end else if (Direct && !IsSlot) begin : gen_tap
          assign tap_valid_o[p] = neighbour;
          assign tap_flit_o[p] = neighbour ?
              '{vc: '0, last: head[p*NumVcs+v].last, data: head[p*NumVcs+v].data}
              : '0;
        end

        credit_counter #(
            .Credits(Flits),
            .Room(!IsSlot && (Direct || (NumRoutes != 0 && v % NumClasses == 0)) ? StaticFlits : 1)
        ) u_credits (
            .clk_i,
            .rst_ni,
            .take_i     (sent[p] && channel[p] == VcWidth'(v)),
            .give_i     (credit_i[p][v]),
            .available_o(has_credit[p][v]),
            .room_o     (room[p][v])
        );
        // A slot takes all words in the end.
        assign has_room[p][v] = IsSlot || room[p][v];
      end else begin : gen_no_channel
        if (v < NumVcs) begin : gen_tie_off
          assign valid[p*NumVcs+v] = 1'b0;
          assign owner[p*NumVcs+v] = 1'b0;
          assign head[p*NumVcs+v] = '0;
          assign late[p*NumVcs+v] = '0;
          assign wanted[p*NumVcs+v] = '0;
          assign static_word[p*NumVcs+v] = 1'b0;
          assign tapped[p*NumVcs+v] = 1'b0;
          assign route[p*NumVcs+v] = '0;
        end
        assign credit_o[p][v]   = 1'b0;
        assign has_credit[p][v] = 1'b0;
        assign room[p][v]       = 1'b0;
        assign has_room[p][v]   = 1'b0;
      end
    end

    arbiter #(
        .NumRequests  (Inputs),
        .FixedPriority(FixedPriority)
    ) u_arbiter (
        .clk_i,
        .rst_ni,
        .request_i(eligible[p]),
        .accept_i (|users[p]),
        .valid_o  (any_winner[p]),
        .grant_o  (granted[p]),
        .index_o  ()
    );

    if (Pipeline) begin : gen_late_send
      // A word is chosen by the grant in a register, from copies of all heads.
      logic valid_q, last_q;
      logic [Inputs-1:0] senders_q;
      vc_t channel_q;
      always_comb begin : last
        sent_last[p] = 1'b0;
        for (int unsigned c = 0; c < Inputs; c++) sent_last[p] |= senders[p][c] && head[c].last;
      end
      always_ff @(posedge clk_i) begin
        if (!rst_ni) valid_q <= 1'b0;
        else valid_q <= sent[p];
      end
      always_ff @(posedge clk_i) begin
        senders_q <= senders[p];
        channel_q <= channel[p];
        last_q    <= sent_last[p];
      end
      assign flit_valid_o[p] = valid_q;
      always_comb begin : send
        flit_o[p] = '0;
        if (valid_q) begin
          for (int unsigned c = 0; c < Inputs; c++) if (senders_q[c]) flit_o[p].data |= late[c];
          flit_o[p].last = last_q;
          flit_o[p].vc   = channel_q;
        end
      end
    end else begin : gen_send
      assign flit_valid_o[p] = sent[p];
      assign sent_last[p] = flit_o[p].last;
      always_comb begin : send
        flit_o[p] = '0;
        if (sent[p]) begin
          for (int unsigned c = 0; c < Inputs; c++) if (senders[p][c]) flit_o[p] |= head[c];
          flit_o[p].vc = channel[p];
        end
      end
    end

    // An output channel is taken from the head's departure until the tail's; by a static packet it
    // may be taken before.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) taken_q[p] <= '0;
      else if (|users[p]) taken_q[p][channel[p]] <= !(sent[p] && sent_last[p]);
    end
  end

  // Loops over the few channels with a flit simulate fast, and are plain gates in hardware.
  always_comb begin : request
    for (int unsigned p = 0; p < Ports; p++) eligible[p] = '0;
    for (int unsigned c = 0; c < Inputs; c++) begin
      if (valid[c]) begin
        for (int unsigned p = 0; p < Ports; p++) begin
          automatic vc_t vc = Pipeline && static_word[c] ? branch_channel(c, p) : head[c].vc;
          if (Pipeline) begin
            eligible[p][c] = (wanted[c][p] || static_ask[c][p]) && (owner[c] || !taken_q[p][vc]) &&
                (taking[c] || has_credit[p][vc]);
          end else begin
            eligible[p][c] = static_word[c] ? static_request[c][p] :
                wanted[c][p] && has_credit[p][vc] && (owner[c] || !taken_q[p][vc]);
          end
        end
      end
    end
  end

  always_comb begin : grant
    pop = static_pop | tapped;
    for (int unsigned p = 0; p < Ports; p++) begin
      users[p]   = Pipeline ? granted[p] : granted[p] & ~static_word;
      senders[p] = Pipeline ? granted[p] & ~taking : users[p];
      pop |= users[p];
      channel[p] = '0;
      if (any_winner[p]) begin
        for (int unsigned c = 0; c < Inputs; c++) begin
          if (static_word[c] && !Pipeline) begin
            users[p][c]   = static_use[c][p];
            senders[p][c] = static_send[c][p];
          end
          if (granted[p][c]) channel[p] |= static_word[c] ? branch_channel(c, p) : head[c].vc;
        end
      end
      sent[p] = |senders[p];
    end
    // With a pipeline all packets are alike: done when all that is asked for is granted.
    done = '1;
    if (Pipeline) begin
      for (int unsigned c = 0; c < Inputs; c++) begin
        for (int unsigned p = 0; p < Ports; p++) begin
          if ((wanted[c][p] || static_ask[c][p]) && !granted[p][c]) done[c] = 1'b0;
        end
        pop[c] = valid[c] && !waits[c] && done[c];
      end
    end
  end

  logic used;
  always_comb begin
    used = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) used |= |users[p];
  end

  // Without a flit to send or to drop, a channel to take and a route to look up, only inputs can change a
  // register.
  assign busy_o = used || |static_active || |tapped || (Pipeline && |{flit_valid_o, tap_valid_o});

  if (!Pipeline) begin : gen_no_late
    logic [Inputs-1:0] unused;
    for (genvar c = 0; c < Inputs; c++) begin : gen_channel
      assign unused[c] = ^late[c];
    end
  end

  // ---------------------------------------------------------------- direct links
  if (DirectLinks) begin : gen_lane
    logic unused_static, unused_neighbour;
    route_id_t unused_route;
    input_channel #(
        .Dims(Dims),
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
        .push_i     (lane_valid_i),
        .last_i     (lane_flit_i.last),
        .data_i     (lane_flit_i.data),
        .pop_i      (pop[Channels]),
        .claim_i    (claim[Channels]),
        .valid_o    (valid[Channels]),
        .flit_o     (head[Channels]),
        .ports_o    (wanted[Channels]),
        .owner_o    (owner[Channels]),
        .static_o   (unused_static),
        .neighbour_o(unused_neighbour),
        .route_o    (unused_route),
        .late_o     (late[Channels])
    );
    assign lane_credit_o = pop[Channels];
    assign static_word[Channels] = 1'b0;
    assign tapped[Channels] = 1'b0;
    logic unused;
    assign unused = ^lane_flit_i.vc;
  end else begin : gen_no_lane
    assign lane_credit_o = 1'b0;
    assign tap_valid_o   = '0;
    assign tap_flit_o    = '0;
    logic unused;
    assign unused = ^{lane_valid_i, lane_flit_i};
  end

  // ---------------------------------------------------------------- static routes
  // A packet that came in behind the dateline of the port's dimension.
  function automatic logic behind_dateline(int unsigned c, int unsigned p);
    automatic int unsigned port = c / NumVcs;
    return c % NumVcs >= NumClasses && p < NumPorts && port / 2 == p / 2;
  endfunction

  // Channel of a static packet's branch: static packets are requests, class 0.
  function automatic vc_t branch_channel(int unsigned c, int unsigned p);
    automatic logic over_wrap = wraps[p] && !(c == Slot0 && adjacent);
    return Dateline && (over_wrap || behind_dateline(c, p)) ? VcWidth'(NumClasses) : '0;
  endfunction

  if (!StaticPackets) begin : gen_no_routes
    assign static_pop = '0;
    assign static_active = '0;
    for (genvar c = 0; c < Inputs; c++) begin : gen_channel
      assign static_request[c] = '0;
      assign static_use[c] = '0;
      assign static_send[c] = '0;
      assign static_ask[c] = '0;
    end
    assign taking = '0;
    assign claim = '0;
    assign waits = '0;
    assign wraps = '0;
    assign route_write_ready_o = '1;
    logic [Channels-1:0] unused_channels;
    logic [Ports-1:0] unused_ports;
    for (genvar c = 0; c < Channels; c++) begin : gen_unused_channel
      assign unused_channels[c] = ^route[c];
    end
    for (genvar p = 0; p < Ports; p++) begin : gen_unused_port
      assign unused_ports[p] = ^{granted[p], has_room[p]};
    end
    logic unused;
    assign unused = ^{route_write_valid_i, route_write_i, unused_channels, unused_ports};
    assign route_refused_o = 1'b0;
  end else begin : gen_routes
    localparam int unsigned FieldWidth = Dims == 0 ? NodeIdWidth : NodeIdWidth / Dims;
    localparam int unsigned Readers = Channels / NumClasses;

    route_id_t [Readers-1:0] looked_up;
    logic [Readers-1:0] lookup, served, refused;
    logic switched;
    logic [Ports-1:0] branches;

    // Links at the edge of the coordinates: they wrap around, or there is none.
    logic [Ports-1:0] linked;
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      if (p < NumPorts) begin : gen_link
        logic [FieldWidth-1:0] here;
        assign here = node_id_i[p/2*FieldWidth+:FieldWidth];
        assign wraps[p] = p % 2 == 0 ? NodeIdWidth'(here) + 1'b1 == radix_i[p/2] : here == '0;
        assign linked[p] = wrap_i[p/2] || !wraps[p];
      end else begin : gen_slot
        assign wraps[p]  = 1'b0;
        assign linked[p] = 1'b1;
      end
    end

    if (NumRoutes != 0) begin : gen_table
      route_table #(
          .NumRoutes (NumRoutes),
          .NumSlots  (NumSlots),
          .Ports     (Ports),
          .NumReaders(Readers),
          .Pipeline  (Pipeline)
      ) u_table (
          .clk_i,
          .rst_ni,
          .write_valid_i(route_write_valid_i),
          .write_i      (route_write_i),
          .write_ready_o(route_write_ready_o),
          .lookup_i     (lookup),
          .route_i      (looked_up),
          .served_o     (served),
          .switched_o   (switched),
          .ports_o      (branches)
      );
    end else begin : gen_no_table
      assign route_write_ready_o = '1;
      assign served = '0;
      assign switched = 1'b0;
      assign branches = '0;
      logic unused;
      assign unused = ^{route_write_valid_i, route_write_i, lookup, looked_up};
    end

    assign route_refused_o = |refused;

    for (genvar c = 0; c < Inputs; c++) begin : gen_channel
      localparam int unsigned Reader = c / NumClasses;
      localparam bit Exists = c < Channels && (c % NumVcs < NumClasses || c / NumVcs < NumPorts);
      // A neighbour packet brings its branches along.
      localparam bit Direct = DirectLinks && c == Slot0;

      if (Exists && (c % NumClasses == 0 && NumRoutes != 0 || Direct)) begin : gen_static
        // The branches' output channels as this input channel would use them.
        logic [Ports-1:0] free, credit, channel_room, grants;
        always_comb begin : look
          free = '0;
          credit = '0;
          channel_room = '0;
          if (static_word[c]) begin
            for (int unsigned p = 0; p < Ports; p++) begin
              automatic vc_t vc = branch_channel(c, p);
              free[p] = !taken_q[p][vc];
              credit[p] = has_credit[p][vc];
              channel_room[p] = has_room[p][vc];
            end
          end
        end
        always_comb begin : listen
          grants = '0;
          if (static_word[c] || Pipeline) begin
            for (int unsigned p = 0; p < Ports; p++) grants[p] = granted[p][c];
          end
        end

        logic look_up, serve, may_turn;
        logic [Ports-1:0] ways;
        if (Direct) begin : gen_direct
          neighbour_header_t header;
          assign header = neighbour_header_t'(head[c].data);
          assign lookup[Reader] = look_up && !adjacent;
          assign serve = adjacent ? look_up : served[Reader];
          assign may_turn = switched && !adjacent;
          assign ways = adjacent ? Ports'(header.ports[NumPorts-1:0]) : branches;
          logic unused;
          assign unused = ^header;
        end else begin : gen_routed
          assign lookup[Reader] = look_up;
          assign serve = served[Reader];
          assign may_turn = switched;
          assign ways = branches;
        end

        assign looked_up[Reader] = route[c];
        if (Pipeline) begin : gen_walk
          logic leaves;
          static_walk #(
              .NumPorts      (NumPorts),
              .Ports         (Ports),
              .Port          (c / NumVcs),
              .BehindDateline(c % NumVcs >= NumClasses)
          ) u_static (
              .clk_i,
              .rst_ni,
              .valid_i   (static_word[c]),
              .last_i    (head[c].last),
              .lookup_o  (look_up),
              .served_i  (serve),
              .ports_i   (ways),
              .switched_i(may_turn),
              .linked_i  (linked),
              .wraps_i   (wraps),
              .room_i    (channel_room),
              .ask_o     (static_ask[c]),
              .taking_o  (taking[c]),
              .leaves_o  (leaves),
              .grant_i   (grants),
              .done_i    (done[c]),
              .claim_o   (claim[c]),
              .active_o  (static_active[c]),
              .refused_o (refused[Reader])
          );
          assign waits[c] = static_word[c] && !leaves;
          assign static_request[c] = '0;
          assign static_use[c] = '0;
          assign static_send[c] = '0;
          assign static_pop[c] = 1'b0;
          logic unused;
          assign unused = ^{free, credit};
        end else begin : gen_at_once
          static_route #(
              .NumPorts      (NumPorts),
              .Ports         (Ports),
              .Port          (c / NumVcs),
              .BehindDateline(c % NumVcs >= NumClasses)
          ) u_static (
              .clk_i,
              .rst_ni,
              .valid_i   (static_word[c]),
              .last_i    (head[c].last),
              .lookup_o  (look_up),
              .served_i  (serve),
              .ports_i   (ways),
              .switched_i(may_turn),
              .linked_i  (linked),
              .wraps_i   (wraps),
              .free_i    (free),
              .credit_i  (credit),
              .room_i    (channel_room),
              .request_o (static_request[c]),
              .grant_i   (grants),
              .use_o     (static_use[c]),
              .send_o    (static_send[c]),
              .pop_o     (static_pop[c]),
              .active_o  (static_active[c]),
              .refused_o (refused[Reader])
          );
          assign static_ask[c] = '0;
          assign taking[c] = 1'b0;
          assign claim[c] = 1'b0;
          assign waits[c] = 1'b0;
        end
      end else begin : gen_none
        if (c < Channels && c % NumClasses == 0) begin : gen_no_reader
          assign looked_up[Reader] = '0;
          assign lookup[Reader] = 1'b0;
          assign refused[Reader] = 1'b0;
        end
        assign static_request[c] = '0;
        assign static_use[c] = '0;
        assign static_send[c] = '0;
        assign static_pop[c] = 1'b0;
        assign static_active[c] = 1'b0;
        assign static_ask[c] = '0;
        assign taking[c] = 1'b0;
        assign claim[c] = 1'b0;
        assign waits[c] = 1'b0;
      end
    end
  end

endmodule

`default_nettype wire
