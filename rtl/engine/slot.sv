// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A slot: the engines of one processor, and what they share.
///
///     router -> slot_receiver (request, reply) -> rma, mpe -> slot_transmitter -> router
///                              memory <- slot_memory <-> rma, mpe
///                                bus <-> slot_registers <-> rma, mpe
///
/// Direct links: words of neighbours go router -> slot_tap (each network port) -> mpe, and
/// mpe -> lane -> router, around the queues of the router port.
///
/// Channel 0 of the router port carries requests, channel 1 replies. All outputs depend on registered
/// state alone. `docs/architecture.md` has the rules that keep the engines from blocking the network.
module slot #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Engines that this slot has.
    parameter tidings_pkg::engines_t Engines = '1,
    /// Flits of the longest packet on a static route that forks.
    parameter int unsigned StaticFlits = 68,
    /// Network ports that links of `mpe` can be direct to; 0: none.
    parameter int unsigned DirectLinks = 0,
    /// Elements of the vectors of taps: without any one is left, tied off.
    localparam int unsigned D = DirectLinks == 0 ? 1 : DirectLinks
) (
    /// Clock.
    input  logic                                                 clk_i,
    /// Synchronous reset, active low.
    input  logic                                                 rst_ni,
    /// Router of this slot.
    input  tidings_pkg::node_id_t                                node_id_i,
    /// Number of this slot at its router.
    input  tidings_pkg::slot_id_t                                slot_id_i,
    /// A flit arrives from the router.
    input  logic                                                 flit_valid_i,
    /// The flit.
    input  tidings_pkg::flit_t                                   flit_i,
    /// Room for one more flit on a channel to this slot.
    output logic                       [tidings_pkg::MaxVcs-1:0] credit_o,
    /// A flit goes to the router.
    output logic                                                 flit_valid_o,
    /// The flit.
    output tidings_pkg::flit_t                                   flit_o,
    /// Room for one more flit on a channel to the router.
    input  logic                       [tidings_pkg::MaxVcs-1:0] credit_i,
    /// The processor accesses a register.
    input  logic                                                 bus_valid_i,
    /// The access.
    input  tidings_pkg::bus_request_t                            bus_i,
    /// A read is answered, two cycles after its request.
    output logic                                                 bus_read_valid_o,
    /// Word read.
    output tidings_pkg::word_t                                   bus_read_data_o,
    /// An enabled cause is pending.
    output logic                                                 interrupt_o,
    /// Read of node memory.
    output logic                                                 memory_read_valid_o,
    /// Byte address of the read.
    output logic                       [                   31:0] memory_read_address_o,
    /// Node memory answers the oldest read.
    input  logic                                                 memory_data_valid_i,
    /// Word read.
    input  tidings_pkg::word_t                                   memory_data_i,
    /// Write to node memory.
    output logic                                                 memory_write_valid_o,
    /// The write.
    output tidings_pkg::memory_write_t                           memory_write_o,
    /// A static route of the router is changed; held until that is done.
    output logic                                                 route_write_valid_o,
    /// The change.
    output tidings_pkg::route_write_t                            route_write_o,
    /// It is done.
    input  logic                                                 route_write_ready_i,
    /// The router has left out a branch of a static packet.
    input  logic                                                 route_refused_i,
    /// A flit of a neighbour packet comes in through the network port; it is taken.
    input  logic                       [                  D-1:0] tap_valid_i,
    /// The flit.
    input  tidings_pkg::flit_t         [                  D-1:0] tap_flit_i,
    /// A flit of a neighbour packet goes to the router over the lane.
    output logic                                                 lane_valid_o,
    /// The flit.
    output tidings_pkg::flit_t                                   lane_flit_o,
    /// Room for one more flit on the lane.
    input  logic                                                 lane_credit_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                                 busy_o
);

  import tidings_pkg::*;

  node_cfg_check #(.Cfg(Cfg)) u_check ();

  localparam int unsigned NumClasses = 2;
  localparam int unsigned ClassRequest = 0;
  localparam int unsigned ClassReply = 1;
  // Memory sources: initiator and target of rma, then mpe.
  localparam int unsigned NumSources = 3;
  localparam int unsigned SourceMpe = 2;

  // A neighbour packet that forks must fit where static packets do.
  localparam bit PacketFits = StaticFlits >= Cfg.mpe_packet_words + 1;
  localparam bit Multicast = Cfg.mpe_multicast && DirectLinks != 0 && PacketFits;

  logic registers_busy, transmitter_busy, rma_busy, mpe_busy;
  logic [NumClasses-1:0] receiver_busy;
  logic mpe_rx_ready;

  assign busy_o = registers_busy || transmitter_busy || rma_busy || mpe_busy || |receiver_busy ||
      route_write_valid_o;

  // ---------------------------------------------------------------- from the router
  logic [NumClasses-1:0] rx_credit, rx_rma_valid, rx_rma_ready, rx_last;
  logic [NumClasses-1:0] rx_mpe_header_valid, rx_mpe_payload_valid;
  word_t [NumClasses-1:0] rx_data;
  header1_t [NumClasses-1:0] rx_header1;

  for (genvar c = 0; c < NumClasses; c++) begin : gen_receiver
    slot_receiver #(
        .BufferFlits(Cfg.slot_buffer_flits),
        .Engines    (Engines)
    ) u_receiver (
        .clk_i,
        .rst_ni,
        .flit_valid_i       (flit_valid_i && flit_i.vc == vc_t'(c)),
        .flit_i,
        .credit_o           (rx_credit[c]),
        .rma_valid_o        (rx_rma_valid[c]),
        .data_o             (rx_data[c]),
        .last_o             (rx_last[c]),
        .rma_ready_i        (rx_rma_ready[c]),
        .mpe_header_valid_o (rx_mpe_header_valid[c]),
        .mpe_payload_valid_o(rx_mpe_payload_valid[c]),
        .mpe_ready_i        (c == ClassRequest ? mpe_rx_ready : 1'b1),
        .header1_o          (rx_header1[c]),
        .busy_o             (receiver_busy[c])
    );
  end
  assign credit_o = MaxVcs'(rx_credit);

  logic [D-1:0] tap_valid;
  mpe_pkg::context_id_t [D-1:0] tap_context;
  mpe_pkg::tap_left_t [D-1:0] tap_left;
  word_t [D-1:0] tap_data;
  for (genvar l = 0; l < D; l++) begin : gen_tap
    if (DirectLinks != 0) begin : gen_direct
      slot_tap u_tap (
          .clk_i,
          .rst_ni,
          .valid_i  (tap_valid_i[l]),
          .flit_i   (tap_flit_i[l]),
          .valid_o  (tap_valid[l]),
          .context_o(tap_context[l]),
          .left_o   (tap_left[l]),
          .data_o   (tap_data[l])
      );
    end else begin : gen_none
      assign tap_valid[l] = 1'b0;
      assign tap_context[l] = '0;
      assign tap_left[l] = '0;
      assign tap_data[l] = '0;
      logic unused;
      assign unused = ^{tap_valid_i[l], tap_flit_i[l]};
    end
  end

  // ---------------------------------------------------------------- to the router
  // Packet sources of each class: the engines.
  logic [NumClasses-1:0][NumEngines-1:0] tx_valid, tx_ready;
  flit_t [NumClasses-1:0][NumEngines-1:0] tx_flit;

  slot_transmitter #(
      .Cfg       (Cfg),
      .NumSources(NumEngines)
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

  // Over the lane, which only `mpe` uses, flits leave as they come.
  logic lane_valid, lane_ready;
  flit_t lane_flit;
  if (DirectLinks != 0) begin : gen_lane
    credit_counter #(
        .Credits(Cfg.slot_buffer_flits)
    ) u_credits (
        .clk_i,
        .rst_ni,
        .take_i     (lane_valid_o),
        .give_i     (lane_credit_i),
        .available_o(lane_ready),
        .room_o     ()
    );
  end else begin : gen_no_lane
    assign lane_ready = 1'b0;
    logic unused;
    assign unused = lane_credit_i;
  end
  assign lane_valid_o = lane_valid && lane_ready;
  assign lane_flit_o  = lane_valid_o ? '{vc: '0, last: lane_flit.last, data: lane_flit.data} : '0;

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
  rma_pkg::rma_region_t [Cfg.rma_regions-1:0] regions;
  rma_pkg::rma_queue_t queue;
  rma_pkg::rma_command_t rma_command;
  rma_pkg::rma_error_t rma_error;
  logic rma_command_valid, rma_error_clear, rma_failed, rma_notify, rma_idle;
  logic [15:0] queue_tail, rma_unacknowledged;
  logic [31:0] rma_completed;
  mpe_pkg::mpe_link_t [Cfg.mpe_contexts-1:0][Cfg.mpe_links-1:0] mpe_links;
  mpe_pkg::mpe_command_t mpe_command;
  mpe_pkg::mpe_error_t mpe_error;
  logic mpe_command_valid, mpe_command_ready, mpe_done, mpe_failed;
  logic bus_route_valid, rma_route_valid, rma_route_ready, route_lost;
  route_write_t bus_route;
  word_t mpe_completed;

  slot_registers #(
      .Cfg         (Cfg),
      .Engines     (Engines),
      .DirectLinks (DirectLinks),
      .MpeMulticast(Multicast),
      .StaticFlits (StaticFlits)
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
      .regions_o           (regions),
      .queue_o             (queue),
      .queue_tail_i        (queue_tail),
      .rma_command_valid_o (rma_command_valid),
      .rma_command_o       (rma_command),
      .rma_error_clear_o   (rma_error_clear),
      .rma_error_i         (rma_error),
      .rma_failed_i        (rma_failed),
      .rma_completed_i     (rma_completed),
      .rma_notify_i        (rma_notify),
      .rma_unacknowledged_i(rma_unacknowledged),
      .rma_idle_i          (rma_idle),
      .mpe_links_o         (mpe_links),
      .mpe_command_valid_o (mpe_command_valid),
      .mpe_command_o       (mpe_command),
      .mpe_completed_i     (mpe_completed),
      .mpe_done_i          (mpe_done),
      .mpe_error_i         (mpe_error),
      .mpe_failed_i        (mpe_failed),
      .route_valid_o       (bus_route_valid),
      .route_o             (bus_route),
      .route_error_i       (route_refused_i || route_lost),
      .busy_o              (registers_busy)
  );

  slot_routes u_routes (
      .clk_i,
      .rst_ni,
      .bus_valid_i(bus_route_valid),
      .bus_i      (bus_route),
      .rma_valid_i(rma_route_valid),
      .rma_i      (write[1].data[$bits(route_write_t)-1:0]),
      .rma_ready_o(rma_route_ready),
      .valid_o    (route_write_valid_o),
      .route_o    (route_write_o),
      .ready_i    (route_write_ready_i),
      .lost_o     (route_lost)
  );

  // ---------------------------------------------------------------- engines
  rma #(
      .Cfg        (Cfg),
      .StaticBytes(Cfg.num_routes == 0 || StaticFlits < 2 ? 0 : 4 * (StaticFlits - 2))
  ) u_rma (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .regions_i       (regions),
      .queue_i         (queue),
      .queue_tail_o    (queue_tail),
      .command_valid_i (rma_command_valid),
      .command_i       (rma_command),
      .error_clear_i   (rma_error_clear),
      .error_o         (rma_error),
      .failed_o        (rma_failed),
      .completed_o     (rma_completed),
      .notify_o        (rma_notify),
      .unacknowledged_o(rma_unacknowledged),
      .idle_o          (rma_idle),
      .request_valid_i (rx_rma_valid[ClassRequest]),
      .request_data_i  (rx_data[ClassRequest]),
      .request_last_i  (rx_last[ClassRequest]),
      .request_ready_o (rx_rma_ready[ClassRequest]),
      .reply_valid_i   (rx_rma_valid[ClassReply]),
      .reply_data_i    (rx_data[ClassReply]),
      .reply_last_i    (rx_last[ClassReply]),
      .reply_ready_o   (rx_rma_ready[ClassReply]),
      .request_valid_o (tx_valid[ClassRequest][EngineRma]),
      .request_flit_o  (tx_flit[ClassRequest][EngineRma]),
      .request_ready_i (tx_ready[ClassRequest][EngineRma]),
      .reply_valid_o   (tx_valid[ClassReply][EngineRma]),
      .reply_flit_o    (tx_flit[ClassReply][EngineRma]),
      .reply_ready_i   (tx_ready[ClassReply][EngineRma]),
      .read_valid_o    (read_valid[1:0]),
      .read_address_o  (read_address[1:0]),
      .read_ready_i    (read_ready[1:0]),
      .data_valid_i    (data_valid[1:0]),
      .data_i          (memory_data_i),
      .write_valid_o   (write_valid[1:0]),
      .write_o         (write[1:0]),
      .write_ready_i   (write_ready[1:0]),
      .route_valid_o   (rma_route_valid),
      .route_ready_i   (rma_route_ready),
      .busy_o          (rma_busy)
  );

  if (Engines[EngineMpe]) begin : gen_mpe
    mpe #(
        .Cfg        (Cfg),
        .DirectLinks(DirectLinks),
        .Multicast  (Multicast)
    ) u_mpe (
        .clk_i,
        .rst_ni,
        .node_id_i,
        .slot_id_i,
        .links_i              (mpe_links),
        .command_valid_i      (mpe_command_valid),
        .command_i            (mpe_command),
        .command_ready_o      (mpe_command_ready),
        .completed_o          (mpe_completed),
        .done_o               (mpe_done),
        .error_o              (mpe_error),
        .failed_o             (mpe_failed),
        .rx_valid_i           (rx_mpe_payload_valid[ClassRequest]),
        .rx_info_i            (rx_header1[ClassRequest].info),
        .rx_data_i            (rx_data[ClassRequest]),
        .rx_ready_o           (mpe_rx_ready),
        .tap_valid_i          (tap_valid),
        .tap_context_i        (tap_context),
        .tap_data_i           (tap_data),
        .tap_left_i           (tap_left),
        .credit_valid_i       (rx_mpe_header_valid[ClassReply]),
        .credit_info_i        (rx_header1[ClassReply].info),
        .credit_count_i       (rx_header1[ClassReply].length),
        .lane_valid_o         (lane_valid),
        .lane_flit_o          (lane_flit),
        .lane_ready_i         (lane_ready),
        .request_valid_o      (tx_valid[ClassRequest][EngineMpe]),
        .request_flit_o       (tx_flit[ClassRequest][EngineMpe]),
        .request_ready_i      (tx_ready[ClassRequest][EngineMpe]),
        .reply_valid_o        (tx_valid[ClassReply][EngineMpe]),
        .reply_flit_o         (tx_flit[ClassReply][EngineMpe]),
        .reply_ready_i        (tx_ready[ClassReply][EngineMpe]),
        .memory_read_valid_o  (read_valid[SourceMpe]),
        .memory_read_address_o(read_address[SourceMpe]),
        .memory_read_ready_i  (read_ready[SourceMpe]),
        .memory_data_valid_i  (data_valid[SourceMpe]),
        .memory_data_i,
        .memory_write_valid_o (write_valid[SourceMpe]),
        .memory_write_o       (write[SourceMpe]),
        .memory_write_ready_i (write_ready[SourceMpe]),
        .busy_o               (mpe_busy)
    );
  end else begin : gen_no_mpe
    // A collective is dropped, and software is told.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        mpe_failed <= 1'b0;
        mpe_error  <= '0;
      end else begin
        mpe_failed <= mpe_command_valid;
        if (mpe_command_valid) mpe_error.unsupported <= 1'b1;
      end
    end
    assign mpe_command_ready = 1'b1;
    assign mpe_completed = '0;
    assign mpe_done = 1'b0;
    assign mpe_rx_ready = 1'b1;
    assign lane_valid = 1'b0;
    assign lane_flit = '0;
    assign tx_valid[ClassRequest][EngineMpe] = 1'b0;
    assign tx_flit[ClassRequest][EngineMpe] = '0;
    assign tx_valid[ClassReply][EngineMpe] = 1'b0;
    assign tx_flit[ClassReply][EngineMpe] = '0;
    assign read_valid[SourceMpe] = 1'b0;
    assign read_address[SourceMpe] = '0;
    assign write_valid[SourceMpe] = 1'b0;
    assign write[SourceMpe] = '0;
    assign mpe_busy = mpe_failed;
    logic unused_mpe;
    assign unused_mpe = ^{
      mpe_links,
      mpe_command,
      tap_valid,
      tap_context,
      tap_data,
      tap_left,
      tx_ready,
      read_ready,
      data_valid,
      write_ready,
      rx_header1,
      rx_mpe_header_valid,
      rx_mpe_payload_valid,
      lane_ready
    };
  end

  // A collective that does not fit in its queue reports that itself; requests carry no credits of
  // streams, and replies no words of them.
  logic unused;
  assign unused = ^{
    mpe_command_ready,
    rx_mpe_header_valid[ClassRequest],
    rx_mpe_payload_valid[ClassReply],
    lane_flit.vc,
    rx_header1[ClassRequest].src_slot,
    rx_header1[ClassRequest].length,
    rx_header1[ClassReply].src_slot,
    credit_i[MaxVcs-1:NumClasses]
  };

`ifndef SYNTHESIS
  // The port has one channel for each class.
  ChannelExists :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      flit_valid_i |-> 32'(flit_i.vc) < NumClasses);
`endif

endmodule

`default_nettype wire
