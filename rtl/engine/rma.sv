// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Remote memory access engine: PUT, GET and short messages between the node memories of slots.
///
/// `rma_initiator` runs this slot's commands, `rma_target` answers those of others. They share
/// nothing but the registers: each has memory ports and packet ports of its own, index 0 the
/// initiator's and index 1 the target's. Requests go out of the initiator and into the target,
/// replies the other way; the initiator takes replies in whatever else happens, so replies wait for
/// nothing but memory. `docs/architecture.md` has the packets. With `Cfg.rma_names` a `name_table` gives
/// registered regions their numbers.
module rma #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Payload bytes of the longest message along a static route; 0: there are none.
    parameter int unsigned StaticBytes = 248
) (
    /// Clock.
    input  logic                                                   clk_i,
    /// Synchronous reset, active low.
    input  logic                                                   rst_ni,
    /// Router of this slot.
    input  tidings_pkg::node_id_t                                  node_id_i,
    /// Number of this slot at its router.
    input  tidings_pkg::slot_id_t                                  slot_id_i,
    /// Registration table as software wrote it.
    input  rma_pkg::rma_region_t       [Cfg.rma_regions-1:0]       regions_i,
    /// A command for `name_table` comes.
    input  logic                                                   name_valid_i,
    /// The command.
    input  rma_pkg::name_command_t                                 name_i,
    /// What became of the last one; it finds nothing if there are no names.
    output rma_pkg::name_result_t                                  name_result_o,
    /// It is dropped in this cycle: another one is under way.
    output logic                                                   name_lost_o,
    /// Receive queue as software set it up.
    input  rma_pkg::rma_queue_t                                    queue_i,
    /// Messages received since reset.
    output logic                       [               15:0]       queue_tail_o,
    /// Queue `command_i`.
    input  logic                                                   command_valid_i,
    /// Command.
    input  rma_pkg::rma_command_t                                  command_i,
    /// Forget `error_o`.
    input  logic                                                   error_clear_i,
    /// First refusal since it was cleared; the code is zero without one.
    output rma_pkg::rma_error_t                                    error_o,
    /// There was a refusal in this cycle, also if it was not the first.
    output logic                                                   failed_o,
    /// Commands complete since reset.
    output logic                       [               31:0]       completed_o,
    /// A command that asked for notice is complete in this cycle.
    output logic                                                   notify_o,
    /// PUT commands that are queued, run, or lack their acknowledgement.
    output logic                       [               15:0]       unacknowledged_o,
    /// No command waits or runs and none lacks its acknowledgement.
    output logic                                                   idle_o,
    /// So it is from the next cycle on, unless a command comes now.
    output logic                                                   quiet_o,
    /// A word of a request packet is offered.
    input  logic                                                   request_valid_i,
    /// Word.
    input  tidings_pkg::word_t                                     request_data_i,
    /// It is the tail of its packet.
    input  logic                                                   request_last_i,
    /// It is taken.
    output logic                                                   request_ready_o,
    /// A word of a reply packet is offered.
    input  logic                                                   reply_valid_i,
    /// Word.
    input  tidings_pkg::word_t                                     reply_data_i,
    /// It is the tail of its packet.
    input  logic                                                   reply_last_i,
    /// It is taken.
    output logic                                                   reply_ready_o,
    /// A word of a request packet is offered.
    output logic                                                   request_valid_o,
    /// Word; the channel is left to the port.
    output tidings_pkg::flit_t                                     request_flit_o,
    /// It is taken.
    input  logic                                                   request_ready_i,
    /// A word of a reply packet is offered.
    output logic                                                   reply_valid_o,
    /// Word; the channel is left to the port.
    output tidings_pkg::flit_t                                     reply_flit_o,
    /// It is taken.
    input  logic                                                   reply_ready_i,
    /// Reads of memory are asked for.
    output logic                       [                1:0]       read_valid_o,
    /// Byte addresses of the reads.
    output logic                       [                1:0][31:0] read_address_o,
    /// The reads are taken.
    input  logic                       [                1:0]       read_ready_i,
    /// The oldest read of this index is answered.
    input  logic                       [                1:0]       data_valid_i,
    /// Word read.
    input  tidings_pkg::word_t                                     data_i,
    /// Writes to memory are asked for.
    output logic                       [                1:0]       write_valid_o,
    /// The writes.
    output tidings_pkg::memory_write_t [                1:0]       write_o,
    /// The writes are taken.
    input  logic                       [                1:0]       write_ready_i,
    /// The word of the target's write is for the router's table of static routes instead.
    output logic                                                   route_valid_o,
    /// It is taken.
    input  logic                                                   route_ready_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                                                   busy_o
);

  logic initiator_busy, target_busy, names_busy;
  assign busy_o = initiator_busy || target_busy || names_busy;

  logic named_lookup;
  logic [7:0] named_number;
  rma_pkg::rma_region_t named;

  if (Cfg.rma_names != 0) begin : gen_names
    logic [Cfg.rma_regions-1:0] filled;
    for (genvar r = 0; r < Cfg.rma_regions; r++) begin : gen_filled
      assign filled[r] = regions_i[r].valid;
    end
    name_table #(
        .Names(Cfg.rma_names),
        .Rows (Cfg.rma_regions)
    ) u_names (
        .clk_i,
        .rst_ni,
        .command_valid_i(name_valid_i),
        .command_i      (name_i),
        .filled_i       (filled),
        .result_o       (name_result_o),
        .lost_o         (name_lost_o),
        .lookup_i       (named_lookup),
        .number_i       (named_number),
        .row_o          (named),
        .busy_o         (names_busy)
    );
  end else begin : gen_no_names
    assign name_result_o = '0;
    assign name_lost_o = 1'b0;
    assign named = '0;
    assign names_busy = 1'b0;
    logic unused;
    assign unused = ^{name_valid_i, name_i, named_lookup, named_number};
  end

  rma_initiator #(
      .PacketWords (Cfg.rma_packet_words),
      .CommandDepth(Cfg.rma_command_depth),
      .MessageWords(Cfg.message_words),
      .StaticBytes (StaticBytes),
      .Atomics     (Cfg.rma_atomics)
  ) u_initiator (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .command_valid_i,
      .command_i,
      .error_clear_i,
      .error_o,
      .failed_o,
      .completed_o,
      .notify_o,
      .unacknowledged_o,
      .idle_o,
      .quiet_o,
      .reply_valid_i,
      .reply_data_i,
      .reply_last_i,
      .reply_ready_o,
      .request_valid_o,
      .request_flit_o,
      .request_ready_i,
      .read_valid_o  (read_valid_o[0]),
      .read_address_o(read_address_o[0]),
      .read_ready_i  (read_ready_i[0]),
      .data_valid_i  (data_valid_i[0]),
      .data_i,
      .write_valid_o (write_valid_o[0]),
      .write_o       (write_o[0]),
      .write_ready_i (write_ready_i[0]),
      .busy_o        (initiator_busy)
  );

  rma_target #(
      .Regions     (Cfg.rma_regions),
      .PacketWords (Cfg.rma_packet_words),
      .MessageWords(Cfg.message_words),
      .Atomics     (Cfg.rma_atomics)
  ) u_target (
      .clk_i,
      .rst_ni,
      .node_id_i,
      .slot_id_i,
      .regions_i,
      .named_lookup_o(named_lookup),
      .named_number_o(named_number),
      .named_i       (named),
      .queue_i,
      .queue_tail_o,
      .request_valid_i,
      .request_data_i,
      .request_last_i,
      .request_ready_o,
      .reply_valid_o,
      .reply_flit_o,
      .reply_ready_i,
      .read_valid_o  (read_valid_o[1]),
      .read_address_o(read_address_o[1]),
      .read_ready_i  (read_ready_i[1]),
      .data_valid_i  (data_valid_i[1]),
      .data_i,
      .write_valid_o (write_valid_o[1]),
      .write_o       (write_o[1]),
      .write_ready_i (write_ready_i[1]),
      .route_valid_o,
      .route_ready_i,
      .busy_o        (target_busy)
  );

endmodule

`default_nettype wire
