// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The remote memory access engine as an engine of a slot: `rma` and its registers.
///
/// It looks at no header beside its packet.
module rma_engine #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Flits of the longest packet on a static route that forks.
    parameter int unsigned StaticFlits = 68,
    /// Memory ports: the initiator's and the target's.
    localparam int unsigned Ports = engine_pkg::memory_ports(tidings_pkg::EngineRma)
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
    /// A read of memory is asked for, by port.
    output logic [Ports-1:0] read_valid_o,
    /// Byte addresses of the reads.
    output logic [Ports-1:0][31:0] read_address_o,
    /// The reads are taken.
    input logic [Ports-1:0] read_ready_i,
    /// The oldest read of this port is answered.
    input logic [Ports-1:0] data_valid_i,
    /// Word read.
    input tidings_pkg::word_t data_i,
    /// A write to memory is asked for, by port.
    output logic [Ports-1:0] write_valid_o,
    /// The writes.
    output tidings_pkg::memory_write_t [Ports-1:0] write_o,
    /// The writes are taken.
    input logic [Ports-1:0] write_ready_i,
    /// The processor accesses a register of the engine.
    input logic bus_valid_i,
    /// The access; the address counts from the engine's window.
    input tidings_pkg::bus_request_t bus_i,
    /// Word read, in the same cycle.
    output tidings_pkg::word_t bus_data_o,
    /// What happens in this cycle.
    output engine_pkg::engine_events_t events_o,
    /// A change of a static route of the router is asked for.
    output logic route_valid_o,
    /// The change; zero without.
    output tidings_pkg::route_write_t route_o,
    /// It is taken.
    input logic route_ready_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic busy_o
);

  import tidings_pkg::*;
  import engine_pkg::*;

  // ---------------------------------------------------------------- registers
  rma_pkg::rma_region_t [Cfg.rma_regions-1:0] regions;
  rma_pkg::rma_queue_t queue;
  rma_pkg::rma_command_t command;
  rma_pkg::rma_error_t error;
  rma_pkg::name_command_t name;
  rma_pkg::name_result_t name_result;
  logic command_valid, error_clear, name_valid, name_lost;
  logic [15:0] queue_tail, unacknowledged;
  logic [31:0] completed;

  rma_registers #(
      .Cfg(Cfg)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .bus_valid_i,
      .bus_i,
      .bus_data_o,
      .regions_o       (regions),
      .name_valid_o    (name_valid),
      .name_o          (name),
      .name_result_i   (name_result),
      .name_lost_i     (name_lost),
      .queue_o         (queue),
      .queue_tail_i    (queue_tail),
      .message_held_o  (events_o.waiting),
      .command_valid_o (command_valid),
      .command_o       (command),
      .error_clear_o   (error_clear),
      .error_i         (error),
      .completed_i     (completed),
      .unacknowledged_i(unacknowledged)
  );

  // ---------------------------------------------------------------- commands and answers
  rma #(
      .Cfg        (Cfg),
      .StaticBytes(Cfg.num_routes == 0 || StaticFlits < 2 ? 0 : 4 * (StaticFlits - 2))
  ) u_rma (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .regions_i       (regions),
      .name_valid_i    (name_valid),
      .name_i          (name),
      .name_result_o   (name_result),
      .name_lost_o     (name_lost),
      .queue_i         (queue),
      .queue_tail_o    (queue_tail),
      .command_valid_i (command_valid),
      .command_i       (command),
      .error_clear_i   (error_clear),
      .error_o         (error),
      .failed_o        (events_o.failed),
      .completed_o     (completed),
      .notify_o        (events_o.done),
      .unacknowledged_o(unacknowledged),
      .idle_o          (events_o.idle),
      .quiet_o         (events_o.quiet),
      .request_valid_i (rx_valid_i[ClassRequest]),
      .request_data_i  (rx_i[ClassRequest].data),
      .request_last_i  (rx_i[ClassRequest].last),
      .request_ready_o (rx_ready_o[ClassRequest]),
      .reply_valid_i   (rx_valid_i[ClassReply]),
      .reply_data_i    (rx_i[ClassReply].data),
      .reply_last_i    (rx_i[ClassReply].last),
      .reply_ready_o   (rx_ready_o[ClassReply]),
      .request_valid_o (tx_valid_o[ClassRequest]),
      .request_flit_o  (tx_flit_o[ClassRequest]),
      .request_ready_i (tx_ready_i[ClassRequest]),
      .reply_valid_o   (tx_valid_o[ClassReply]),
      .reply_flit_o    (tx_flit_o[ClassReply]),
      .reply_ready_i   (tx_ready_i[ClassReply]),
      .read_valid_o,
      .read_address_o,
      .read_ready_i,
      .data_valid_i,
      .data_i,
      .write_valid_o,
      .write_o,
      .write_ready_i,
      .route_valid_o,
      .route_ready_i,
      .busy_o
  );
  // The word of the target's write.
  assign route_o = route_valid_o ? write_o[1].data[$bits(route_write_t)-1:0] : '0;

  logic unused;
  assign unused = ^rx_i;

endmodule

`default_nettype wire
