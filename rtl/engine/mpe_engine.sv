// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The message passing engine as an engine of a slot: `mpe` with its registers, taps and lane.
module mpe_engine #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Flits of the longest packet on a static route that forks.
    parameter int unsigned StaticFlits = 68,
    /// Network ports that links of `mpe` can be direct to; 0: none.
    parameter int unsigned DirectLinks = 0,
    /// Elements of the vectors of taps: without any one is left, tied off.
    localparam int unsigned D = DirectLinks == 0 ? 1 : DirectLinks
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
    /// A read of memory is asked for.
    output logic read_valid_o,
    /// Byte address of the read.
    output logic [31:0] read_address_o,
    /// The read is taken.
    input logic read_ready_i,
    /// The oldest read is answered.
    input logic data_valid_i,
    /// Word read.
    input tidings_pkg::word_t data_i,
    /// A write to memory is asked for.
    output logic write_valid_o,
    /// The write.
    output tidings_pkg::memory_write_t write_o,
    /// The write is taken.
    input logic write_ready_i,
    /// The processor accesses a register of the engine.
    input logic bus_valid_i,
    /// The access; the address counts from the engine's window.
    input tidings_pkg::bus_request_t bus_i,
    /// Word read, in the same cycle.
    output tidings_pkg::word_t bus_data_o,
    /// What happens in this cycle.
    output engine_pkg::engine_events_t events_o,
    /// A flit of a neighbour packet comes in through the network port; it is taken.
    input logic [D-1:0] tap_valid_i,
    /// The flit.
    input tidings_pkg::flit_t [D-1:0] tap_flit_i,
    /// A flit of a neighbour packet goes to the router over the lane.
    output logic lane_valid_o,
    /// The flit.
    output tidings_pkg::flit_t lane_flit_o,
    /// Room for one more flit on the lane.
    input logic lane_credit_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic busy_o
);

  import tidings_pkg::*;
  import engine_pkg::*;

  // A neighbour packet that forks must fit where static packets do.
  localparam bit PacketFits = StaticFlits >= Cfg.mpe_packet_words + 1;
  localparam bit Multicast = Cfg.mpe_multicast && DirectLinks != 0 && PacketFits;

  mpe_pkg::mpe_link_t [Cfg.mpe_contexts-1:0][Cfg.mpe_links-1:0] links;
  mpe_pkg::mpe_command_t command;
  mpe_pkg::mpe_error_t error;
  logic command_valid, command_ready;
  word_t completed;

  mpe_registers #(
      .Cfg        (Cfg),
      .DirectLinks(DirectLinks),
      .Multicast  (Multicast)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .bus_valid_i,
      .bus_i,
      .bus_data_o,
      .links_o        (links),
      .command_valid_o(command_valid),
      .command_o      (command),
      .completed_i    (completed),
      .error_i        (error)
  );

  // ---------------------------------------------------------------- direct links
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

  // Over the lane flits leave as they come.
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

  // ---------------------------------------------------------------- collectives
  // The engine takes words and credits without their headers.
  logic word_ready;
  assign rx_ready_o[ClassRequest] = rx_i[ClassRequest].place != PlacePayload || word_ready;
  assign rx_ready_o[ClassReply]   = 1'b1;
  assign events_o.waiting         = 1'b0;
  assign events_o.idle            = 1'b0;
  assign events_o.quiet           = 1'b1;

  mpe #(
      .Cfg        (Cfg),
      .DirectLinks(DirectLinks),
      .Multicast  (Multicast)
  ) u_mpe (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .links_i              (links),
      .command_valid_i      (command_valid),
      .command_i            (command),
      .command_ready_o      (command_ready),
      .completed_o          (completed),
      .done_o               (events_o.done),
      .error_o              (error),
      .failed_o             (events_o.failed),
      .rx_valid_i           (rx_valid_i[ClassRequest] && rx_i[ClassRequest].place == PlacePayload),
      .rx_info_i            (rx_i[ClassRequest].header1.info),
      .rx_data_i            (rx_i[ClassRequest].data),
      .rx_ready_o           (word_ready),
      .tap_valid_i          (tap_valid),
      .tap_context_i        (tap_context),
      .tap_data_i           (tap_data),
      .tap_left_i           (tap_left),
      .credit_valid_i       (rx_valid_i[ClassReply] && rx_i[ClassReply].place == PlaceHeader1),
      .credit_info_i        (rx_i[ClassReply].header1.info),
      .credit_count_i       (rx_i[ClassReply].header1.length),
      .lane_valid_o         (lane_valid),
      .lane_flit_o          (lane_flit),
      .lane_ready_i         (lane_ready),
      .request_valid_o      (tx_valid_o[ClassRequest]),
      .request_flit_o       (tx_flit_o[ClassRequest]),
      .request_ready_i      (tx_ready_i[ClassRequest]),
      .reply_valid_o        (tx_valid_o[ClassReply]),
      .reply_flit_o         (tx_flit_o[ClassReply]),
      .reply_ready_i        (tx_ready_i[ClassReply]),
      .memory_read_valid_o  (read_valid_o),
      .memory_read_address_o(read_address_o),
      .memory_read_ready_i  (read_ready_i),
      .memory_data_valid_i  (data_valid_i),
      .memory_data_i        (data_i),
      .memory_write_valid_o (write_valid_o),
      .memory_write_o       (write_o),
      .memory_write_ready_i (write_ready_i),
      .busy_o
  );

  // A collective that does not fit in its queue reports that itself; requests carry no credits of
  // streams, and replies no words of them.
  logic unused;
  assign unused = ^{command_ready, lane_flit.vc, rx_i};

endmodule

`default_nettype wire
