// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A slot: the engines of one processor, and what they share.
///
///     router -> slot_receiver (request, reply) -> engines -> slot_transmitter -> router
///                              memory <- slot_memory <-> engines
///                                bus <-> slot_registers <-> engines
///
/// Each engine is a bundle of the same shape: words of packets in, flits of packets out, memory ports,
/// a window of registers, events, taps and lane, changes of routes, busy. `engine` is the list of them.
/// Over direct links words of neighbours go router -> taps -> engine -> lane -> router, around the
/// queues of the router port.
///
/// Channel 0 of the router port carries requests, channel 1 replies. All outputs depend on registered
/// state alone. `docs/architecture.md` has the rules that keep the engines from blocking the network.
module slot #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Engines that this slot has.
    parameter tidings_pkg::engines_t Engines = node_cfg_pkg::engines_at(Cfg, 0),
    /// Flits of the longest packet on a static route that forks.
    parameter int unsigned StaticFlits = 68,
    /// Network ports that have a tap; 0: none.
    parameter int unsigned DirectLinks = 0,
    /// Elements of the vectors of taps: without any one is left, tied off.
    localparam int unsigned D = DirectLinks == 0 ? 1 : DirectLinks
) (
    /// Clock.
    input  logic                                                   clk_i,
    /// Synchronous reset, active low.
    input  logic                                                   rst_ni,
    /// Router of this slot.
    input  tidings_pkg::node_id_t                                  node_id_i,
    /// Number of this slot at its router.
    input  tidings_pkg::slot_id_t                                  slot_id_i,
    /// A flit arrives from the router.
    input  logic                                                   flit_valid_i,
    /// The flit.
    input  tidings_pkg::flit_t                                     flit_i,
    /// Room for one more flit on a channel to this slot.
    output logic                         [tidings_pkg::MaxVcs-1:0] credit_o,
    /// A flit goes to the router.
    output logic                                                   flit_valid_o,
    /// The flit.
    output tidings_pkg::flit_t                                     flit_o,
    /// Room for one more flit on a channel to the router.
    input  logic                         [tidings_pkg::MaxVcs-1:0] credit_i,
    /// The processor accesses a register.
    input  logic                                                   bus_valid_i,
    /// The access.
    input  tidings_pkg::bus_request_t                              bus_i,
    /// A read is answered, two cycles after its request.
    output logic                                                   bus_read_valid_o,
    /// Word read.
    output tidings_pkg::word_t                                     bus_read_data_o,
    /// An enabled cause is pending.
    output logic                                                   interrupt_o,
    /// Read of node memory.
    output logic                                                   memory_read_valid_o,
    /// Byte address of the read.
    output logic                         [                   31:0] memory_read_address_o,
    /// Node memory answers the oldest read.
    input  logic                                                   memory_data_valid_i,
    /// Word read.
    input  tidings_pkg::word_t                                     memory_data_i,
    /// Write to node memory.
    output logic                                                   memory_write_valid_o,
    /// The write.
    output tidings_pkg::memory_write_t                             memory_write_o,
    /// A static route of the router is changed; held until that is done.
    output logic                                                   route_write_valid_o,
    /// The change.
    output tidings_pkg::route_write_t                              route_write_o,
    /// It is done.
    input  logic                                                   route_write_ready_i,
    /// The router has left out a branch of a static packet.
    input  logic                                                   route_refused_i,
    /// A flit of a neighbour packet comes in through the network port; it is taken.
    input  logic                         [                  D-1:0] tap_valid_i,
    /// The flit.
    input  tidings_pkg::flit_t           [                  D-1:0] tap_flit_i,
    /// A flit of a neighbour packet goes to the router over the lane.
    output logic                                                   lane_valid_o,
    /// The flit.
    output tidings_pkg::flit_t                                     lane_flit_o,
    /// Room for one more flit on the lane.
    input  logic                                                   lane_credit_i,
    /// Tokens of barriers from neighbours.
    input  tidings_pkg::barrier_tokens_t                           token_i,
    /// Tokens to neighbours.
    output tidings_pkg::barrier_tokens_t                           token_o,
    /// Slots of a single router that are members of a barrier with this one.
    output tidings_pkg::barrier_mates_t                            mates_o,
    /// From the neighbours' static switches, and their routers of the network of `stream`.
    input  tidings_pkg::side_links_t                               switch_i,
    /// To the neighbours' static switches, and to those routers.
    output tidings_pkg::side_links_t                               switch_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                                   busy_o
);

  import tidings_pkg::*;
  import engine_pkg::*;

  node_cfg_check #(.Cfg(Cfg)) u_check ();

  // Memory sources: the ports of the engines, in the order of their numbers.
  localparam int unsigned NumSources = memory_ports_below(NumEngines);

  logic registers_busy, transmitter_busy;
  logic [NumClasses-1:0] receiver_busy;
  engines_t engine_busy;

  assign busy_o = registers_busy || transmitter_busy || |engine_busy || |receiver_busy ||
      route_write_valid_o;

  // ---------------------------------------------------------------- from the router
  logic [NumClasses-1:0] rx_credit;
  engines_t [NumClasses-1:0] rx_valid, rx_ready;
  engine_word_t [NumClasses-1:0] rx;

  for (genvar c = 0; c < NumClasses; c++) begin : gen_receiver
    slot_receiver #(
        .BufferFlits(Cfg.slot_buffer_flits),
        .Engines    (Engines)
    ) u_receiver (
        .clk_i,
        .rst_ni,
        .flit_valid_i(flit_valid_i && flit_i.vc == vc_t'(c)),
        .flit_i,
        .credit_o    (rx_credit[c]),
        .valid_o     (rx_valid[c]),
        .word_o      (rx[c]),
        .ready_i     (rx_ready[c]),
        .busy_o      (receiver_busy[c])
    );
  end
  assign credit_o = MaxVcs'(rx_credit);

  // ---------------------------------------------------------------- to the router
  // Packet sources of each class: the engines.
  logic [NumClasses-1:0][NumEngines-1:0] tx_valid, tx_ready;
  flit_t [NumClasses-1:0][NumEngines-1:0] tx_flit;

  slot_transmitter #(
      .Cfg       (Cfg),
      .NumSources(NumEngines),
      .Direct    (engines_t'(1 << EngineRma))
  ) u_transmitter (
      .clk_i,
      .rst_ni,
      .valid_i (tx_valid),
      .flit_i  (tx_flit),
      .ready_o (tx_ready),
      .flit_valid_o,
      .flit_o,
      .credit_i(credit_i[NumClasses-1:0]),
      .busy_o  (transmitter_busy)
  );

  // ---------------------------------------------------------------- memory
  logic [NumSources-1:0] read_valid, read_ready, data_valid, write_valid, write_ready;
  logic [NumSources-1:0][31:0] read_address;
  memory_write_t [NumSources-1:0] write;

  slot_memory #(
      .NumSources(NumSources)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .read_valid_i  (read_valid),
      .read_address_i(read_address),
      .read_ready_o  (read_ready),
      .data_valid_o  (data_valid),
      .write_valid_i (write_valid),
      .write_i       (write),
      .write_ready_o (write_ready),
      .memory_read_valid_o,
      .memory_read_address_o,
      .memory_data_valid_i,
      .memory_write_valid_o,
      .memory_write_o
  );

  // ---------------------------------------------------------------- registers
  logic bus_route_valid, engine_route_ready, route_lost;
  route_write_t bus_route, engine_route;
  engines_t engine_bus_valid;
  bus_request_t engine_bus;
  word_t [NumEngines-1:0] engine_bus_data;
  engine_events_t [NumEngines-1:0] engine_events;
  engines_t lane_valid, route_valid;
  route_write_t [NumEngines-1:0] route;
  flit_t [NumEngines-1:0] lane_flit;
  barrier_tokens_t [NumEngines-1:0] token;
  barrier_mates_t [NumEngines-1:0] mates;
  side_links_t [NumEngines-1:0] switch_links;

  slot_registers #(
      .Cfg        (Cfg),
      .Engines    (Engines),
      .StaticFlits(StaticFlits)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .bus_valid_i,
      .bus_i,
      .bus_read_valid_o,
      .bus_read_data_o,
      .interrupt_o,
      .engine_valid_o (engine_bus_valid),
      .engine_bus_o   (engine_bus),
      .engine_data_i  (engine_bus_data),
      .engine_events_i(engine_events),
      .route_valid_o  (bus_route_valid),
      .route_o        (bus_route),
      .route_error_i  (route_refused_i || route_lost),
      .busy_o         (registers_busy)
  );

  slot_routes u_routes (
      .clk_i,
      .rst_ni,
      .bus_valid_i   (bus_route_valid),
      .bus_i         (bus_route),
      .engine_valid_i(|route_valid),
      .engine_i      (engine_route),
      .engine_ready_o(engine_route_ready),
      .valid_o       (route_write_valid_o),
      .route_o       (route_write_o),
      .ready_i       (route_write_ready_i),
      .lost_o        (route_lost)
  );

  // ---------------------------------------------------------------- engines
  for (genvar e = 0; e < NumEngines; e++) begin : gen_engine
    localparam int unsigned Ports = memory_ports(engine_e'(e));
    localparam int unsigned First = memory_ports_below(e);
    logic [NumClasses-1:0] word_valid, word_ready, packet_valid, packet_ready;
    flit_t [NumClasses-1:0] packet_flit;
    for (genvar c = 0; c < NumClasses; c++) begin : gen_class
      assign word_valid[c]   = rx_valid[c][e];
      assign rx_ready[c][e]  = word_ready[c];
      assign tx_valid[c][e]  = packet_valid[c];
      assign tx_flit[c][e]   = packet_flit[c];
      assign packet_ready[c] = tx_ready[c][e];
    end

    engine #(
        .Cfg        (Cfg),
        .Number     (engine_e'(e)),
        .Present    (Engines[e]),
        .StaticFlits(StaticFlits),
        .DirectLinks(DirectLinks)
    ) u_engine (
        .clk_i,
        .rst_ni,
        .node_id_i,
        .slot_id_i,
        .rx_valid_i    (word_valid),
        .rx_i          (rx),
        .rx_ready_o    (word_ready),
        .tx_valid_o    (packet_valid),
        .tx_flit_o     (packet_flit),
        .tx_ready_i    (packet_ready),
        .read_valid_o  (read_valid[First+:Ports]),
        .read_address_o(read_address[First+:Ports]),
        .read_ready_i  (read_ready[First+:Ports]),
        .data_valid_i  (data_valid[First+:Ports]),
        .data_i        (memory_data_i),
        .write_valid_o (write_valid[First+:Ports]),
        .write_o       (write[First+:Ports]),
        .write_ready_i (write_ready[First+:Ports]),
        .bus_valid_i   (engine_bus_valid[e]),
        .bus_i         (engine_bus),
        .bus_data_o    (engine_bus_data[e]),
        .events_o      (engine_events[e]),
        .tap_valid_i,
        .tap_flit_i,
        .lane_valid_o  (lane_valid[e]),
        .lane_flit_o   (lane_flit[e]),
        .lane_credit_i,
        .route_valid_o (route_valid[e]),
        .route_o       (route[e]),
        .route_ready_i (engine_route_ready),
        .token_i,
        .token_o       (token[e]),
        .mates_o       (mates[e]),
        .switch_i,
        .switch_o      (switch_links[e]),
        .quiet_i       (engine_events[EngineRma].quiet),
        .busy_o        (engine_busy[e])
    );
  end

  // One engine alone uses the lane, and counts its credits; one alone changes routes.
  assign lane_valid_o = |lane_valid;
  always_comb begin : share
    lane_flit_o = '0;
    engine_route = '0;
    token_o = '0;
    mates_o = '0;
    switch_o = '0;
    for (int unsigned e = 0; e < NumEngines; e++) begin
      lane_flit_o |= lane_flit[e];
      engine_route |= route[e];
      token_o |= token[e];
      mates_o |= mates[e];
      switch_o |= switch_links[e];
    end
  end

  logic unused;
  assign unused = ^credit_i[MaxVcs-1:NumClasses];

`ifndef SYNTHESIS
  // The port has one channel for each class.
  ChannelExists :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      flit_valid_i |-> 32'(flit_i.vc) < NumClasses);
  // Engines do not share the lane or the way to the routes, and say nothing there without a flit.
  OneUsesLane :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(lane_valid));
  OneChangesRoutes :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(route_valid));
  LaneIsZeroWithout :
  assert property (@(posedge clk_i) disable iff (!rst_ni) !lane_valid_o |-> lane_flit_o == '0);
`endif

endmodule

`default_nettype wire
