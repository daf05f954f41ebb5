// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// All packets with branches in a router: the table of static routes, and a `static_route` for each
/// input channel that may have such packets. Words of other packets ask for the port that they want.
///
/// Static packets come on the channels of class 0, and look their branches up. Neighbour packets come
/// on channel 0 of slot 0, and bring their branches along.
module router_static
  import tidings_pkg::*;
#(
    /// Dimensions of the machine.
    parameter int unsigned Dims = 3,
    /// Slots of the router.
    parameter int unsigned NumSlots = 1,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Channels are doubled.
    parameter bit Dateline = 1'b1,
    /// Static routes; 0: none.
    parameter int unsigned NumRoutes = 16,
    /// Slot 0 has direct links.
    parameter bit DirectLinks = 1'b0,
    /// Words leave a cycle after their grants.
    parameter bit Pipeline = 1'b0,
    /// Network ports, then slots.
    localparam int unsigned Ports = 2 * Dims + NumSlots,
    /// Input channels, numbered port * channels of a port + channel.
    localparam int unsigned Channels = Ports * NumClasses * (Dateline ? 2 : 1)
) (
    /// Clock.
    input  logic                                         clk_i,
    /// Synchronous reset, active low.
    input  logic                                         rst_ni,
    /// This router's address.
    input  node_id_t                                     node_id_i,
    /// Routers in each dimension.
    input  logic         [ MaxDims-1:0][NodeIdWidth-1:0] radix_i,
    /// Dimension has wrap-around links.
    input  logic         [ MaxDims-1:0]                  wrap_i,
    /// A slot changes a static route; held until it is taken.
    input  logic         [NumSlots-1:0]                  route_write_valid_i,
    /// The change.
    input  route_write_t [NumSlots-1:0]                  route_write_i,
    /// It is taken.
    output logic         [NumSlots-1:0]                  route_write_ready_o,
    /// Input channels with a word.
    input  logic         [Channels-1:0]                  valid_i,
    /// Those whose word is of a packet with branches; any value without a word.
    input  logic         [Channels-1:0]                  static_i,
    /// Ports that words of other packets want.
    input  logic         [Channels-1:0][      Ports-1:0] wanted_i,
    /// The one at slot 0's channel 0 is of a neighbour packet.
    input  logic                                         neighbour_i,
    /// Words that are tails.
    input  logic         [Channels-1:0]                  last_i,
    /// The words.
    input  word_t        [Channels-1:0]                  data_i,
    /// Output channels that belong to nobody.
    input  logic         [   Ports-1:0][     MaxVcs-1:0] free_i,
    /// Those with a credit.
    input  logic         [   Ports-1:0][     MaxVcs-1:0] credit_i,
    /// Those with room for a whole packet; a slot needs none.
    input  logic         [   Ports-1:0][     MaxVcs-1:0] room_i,
    /// A port is granted in this cycle, to any input channel; with `Pipeline`, where all grants are used.
    input  logic                                         moves_i,
    /// A place of the buffer behind an output channel became free.
    input  logic         [   Ports-1:0][     MaxVcs-1:0] returned_i,
    /// Ports that an input channel asks for.
    output logic         [Channels-1:0][      Ports-1:0] ask_o,
    /// Those of its branches whose output channel is the one behind the dateline.
    output logic         [Channels-1:0][      Ports-1:0] behind_o,
    /// It asks for output channels, not for sending.
    output logic         [Channels-1:0]                  taking_o,
    /// Ports that are granted to it.
    input  logic         [Channels-1:0][      Ports-1:0] grant_i,
    /// Ports for which it does not use a grant.
    output logic         [Channels-1:0][      Ports-1:0] spare_o,
    /// Ports whose output channel it gives back.
    output logic         [Channels-1:0][      Ports-1:0] release_o,
    /// Ports through which no word leaves with a grant.
    output logic         [Channels-1:0][      Ports-1:0] stay_o,
    /// Its word has left, to all branches.
    output logic         [Channels-1:0]                  pop_o,
    /// It has not, but the output channels of all branches are taken.
    output logic         [Channels-1:0]                  claim_o,
    /// Something changes even if no port is granted.
    output logic                                         busy_o,
    /// A branch of a static packet is left out, or it has none.
    output logic                                         refused_o
);

  localparam int unsigned NumPorts = 2 * Dims;
  localparam int unsigned NumVcs = NumClasses * (Dateline ? 2 : 1);
  localparam int unsigned FieldWidth = Dims == 0 ? NodeIdWidth : NodeIdWidth / Dims;
  // Channels of class 0 look routes up.
  localparam int unsigned Readers = Channels / NumClasses;
  // Input channel of neighbour packets.
  localparam int unsigned Slot0 = NumPorts * NumVcs;

  // ---------------------------------------------------------------- links
  // Those at the edge of the coordinates wrap around, or there is none.
  logic [Ports-1:0] wraps, linked, at_edge, has_link;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    if (p < NumPorts) begin : gen_link
      logic [FieldWidth-1:0] here;
      assign here = node_id_i[p/2*FieldWidth+:FieldWidth];
      assign at_edge[p] = p % 2 == 0 ? NodeIdWidth'(here) + 1'b1 == radix_i[p/2] : here == '0;
      assign has_link[p] = wrap_i[p/2] || !at_edge[p];
    end else begin : gen_slot
      assign at_edge[p]  = 1'b0;
      assign has_link[p] = 1'b1;
    end
  end
  if (Pipeline) begin : gen_late_links
    // They are constant after reset: registers take them off the way of a packet.
    logic [Ports-1:0] wraps_q, linked_q;
    always_ff @(posedge clk_i) begin
      wraps_q  <= at_edge;
      linked_q <= has_link;
    end
    assign wraps  = wraps_q;
    assign linked = linked_q;
  end else begin : gen_links
    assign wraps  = at_edge;
    assign linked = has_link;
  end

  // Output channels of branches, before the dateline and behind it: static packets are of class 0,
  // neighbour packets on channel 0.
  logic [1:0][Ports-1:0] free, credit, room;
  for (genvar p = 0; p < Ports; p++) begin : gen_branch
    for (genvar b = 0; b < 2; b++) begin : gen_side
      localparam int unsigned Vc = b == 1 && Dateline ? NumClasses : 0;
      assign free[b][p]   = free_i[p][Vc];
      assign credit[b][p] = credit_i[p][Vc];
      assign room[b][p]   = room_i[p][Vc];
    end
  end

  logic unused_dimensions;
  assign unused_dimensions = ^{node_id_i, radix_i, wrap_i};

  // ---------------------------------------------------------------- table
  route_id_t [Readers-1:0] looked_up;
  logic [Readers-1:0] lookup, served;
  logic switched;
  logic [Ports-1:0] branches;

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
    assign unused = ^{route_write_valid_i, route_write_i, lookup, looked_up, served};
  end

  // ---------------------------------------------------------------- packets
  logic [Channels-1:0] active, refused, look_up;
  assign busy_o = |active;

  // The output channels of branches change after a grant is used or a credit comes; and once more if a packet
  // then gives back what it took. Nobody gives back because of that: it only adds to what is within reach.
  logic stirred;
  if (Pipeline) begin : gen_stirred
    // Credits with which there may be room for a whole packet: those of the channels of branches at links.
    logic [Ports-1:0] returned;
    always_comb begin : at_links
      returned = '0;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        returned[p] = returned_i[p][0] || returned_i[p][Dateline?NumClasses : 0];
      end
    end
    logic [1:0] stirred_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) stirred_q <= '0;
      else stirred_q <= {stirred_q[0], moves_i || |returned || |look_up};
    end
    assign stirred = |stirred_q;
  end else begin : gen_not_stirred
    assign stirred = 1'b0;
    logic unused;
    assign unused = ^{moves_i, returned_i, look_up};
  end
  assign refused_o = |refused;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    localparam int unsigned Port = c / NumVcs;
    localparam int unsigned Reader = c / NumClasses;
    localparam bit Exists = c % NumVcs < NumClasses || Port < NumPorts;
    localparam bit BehindDateline = c % NumVcs >= NumClasses;
    localparam bit Neighbours = DirectLinks && c == Slot0;
    localparam bit Reads = c % NumClasses == 0;

    if (Exists && (Reads && NumRoutes != 0 || Neighbours)) begin : gen_static
      // Ports of the dimension in which a packet has passed the dateline.
      localparam logic [Ports-1:0] Stays =
          BehindDateline && Port < NumPorts ? Ports'(3) << (Port / 2 * 2) : '0;
      logic [Ports-1:0] behind;
      assign behind = !Dateline ? '0 : Neighbours && neighbour_i ? Stays : Stays | wraps;
      assign behind_o[c] = behind;

      logic serve, may_turn;
      logic [Ports-1:0] ways;
      header0_t header;
      assign header = header0_t'(data_i[c]);
      assign looked_up[Reader] = header.dst_node[RouteIdWidth-1:0];
      if (Neighbours) begin : gen_neighbour
        neighbour_header_t neighbour_header;
        assign neighbour_header = neighbour_header_t'(data_i[c]);
        assign lookup[Reader] = look_up[c] && !neighbour_i;
        assign serve = neighbour_i ? look_up[c] : served[Reader];
        assign may_turn = switched && !neighbour_i;
        assign ways = neighbour_i ? Ports'(neighbour_header.ports[NumPorts-1:0]) : branches;
        logic unused;
        assign unused = ^neighbour_header;
      end else begin : gen_routed
        assign lookup[Reader] = look_up[c];
        assign serve = served[Reader];
        assign may_turn = switched;
        assign ways = branches;
      end
      logic unused;
      assign unused = ^header;

      static_route #(
          .NumPorts      (NumPorts),
          .Ports         (Ports),
          .Port          (Port),
          .BehindDateline(BehindDateline),
          .Pipeline      (Pipeline)
      ) u_route (
          .clk_i,
          .rst_ni,
          .valid_i   (valid_i[c]),
          .static_i  (static_i[c]),
          .last_i    (last_i[c]),
          .lookup_o  (look_up[c]),
          .served_i  (serve),
          .wanted_i  (wanted_i[c]),
          .ports_i   (ways),
          .switched_i(may_turn),
          .linked_i  (linked),
          .wraps_i   (wraps),
          .free_i    ((behind & free[1]) | (~behind & free[0])),
          .credit_i  ((behind & credit[1]) | (~behind & credit[0])),
          .room_i    ((behind & room[1]) | (~behind & room[0])),
          .stirred_i (stirred),
          .ask_o     (ask_o[c]),
          .taking_o  (taking_o[c]),
          .grant_i   (grant_i[c]),
          .spare_o   (spare_o[c]),
          .release_o (release_o[c]),
          .stay_o    (stay_o[c]),
          .pop_o     (pop_o[c]),
          .claim_o   (claim_o[c]),
          .active_o  (active[c]),
          .refused_o (refused[c])
      );
    end else begin : gen_none
      if (Reads) begin : gen_no_reader
        assign looked_up[Reader] = '0;
        assign lookup[Reader] = 1'b0;
        logic unused_reader;
        assign unused_reader = served[Reader];
      end
      assign behind_o[c] = '0;
      assign ask_o[c] = wanted_i[c];
      assign taking_o[c] = 1'b0;
      assign spare_o[c] = '0;
      assign release_o[c] = '0;
      assign stay_o[c] = '0;
      assign pop_o[c] = |grant_i[c];
      assign claim_o[c] = 1'b0;
      assign active[c] = 1'b0;
      assign look_up[c] = 1'b0;
      assign refused[c] = 1'b0;
      logic unused;
      assign unused = ^{valid_i[c], static_i[c], last_i[c], data_i[c]};
    end
  end

endmodule

`default_nettype wire
