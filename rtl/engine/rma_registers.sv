// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The registers of the remote memory access engine (`rtl/regs/rma.rdl`), as `slot_registers` hands accesses on.
///
/// A write to the command register hands the command to the engine in that very cycle.
module rma_registers #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg
) (
    /// Clock.
    input logic clk_i,
    /// Synchronous reset, active low.
    input logic rst_ni,
    /// The processor accesses a register of the engine.
    input logic bus_valid_i,
    /// The access; the address counts from the engine's window.
    input tidings_pkg::bus_request_t bus_i,
    /// Word read, in the same cycle.
    output tidings_pkg::word_t bus_data_o,
    /// Registration table.
    output rma_pkg::rma_region_t [Cfg.rma_regions-1:0] regions_o,
    /// A command for `name_table`.
    output logic name_valid_o,
    /// The command.
    output rma_pkg::name_command_t name_o,
    /// What became of the last one.
    input rma_pkg::name_result_t name_result_i,
    /// One was dropped.
    input logic name_lost_i,
    /// Receive queue.
    output rma_pkg::rma_queue_t queue_o,
    /// Messages received since reset.
    input logic [15:0] queue_tail_i,
    /// The receive queue holds a message.
    output logic message_held_o,
    /// A command for `rma`.
    output logic command_valid_o,
    /// The command.
    output rma_pkg::rma_command_t command_o,
    /// Software clears the error.
    output logic error_clear_o,
    /// First refusal.
    input rma_pkg::rma_error_t error_i,
    /// Commands complete.
    input logic [31:0] completed_i,
    /// PUTs without acknowledgement.
    input logic [15:0] unacknowledged_i
);

  import tidings_pkg::*;

  rma_regs_pkg::rma__in_t  to_regs;
  rma_regs_pkg::rma__out_t from_regs;

  rma_regs u_regs (
      .clk     (clk_i),
      .rst_n   (rst_ni),
      .bus_valid_i,
      .bus_i,
      .bus_data_o,
      .hwif_in (to_regs),
      .hwif_out(from_regs)
  );

  assign to_regs.sizes.regions.next = 8'(Cfg.rma_regions);
  assign to_regs.sizes.command_depth.next = 8'(Cfg.rma_command_depth);
  assign to_regs.sizes.atomics.next = Cfg.rma_atomics;
  assign to_regs.sizes.message_words.next = 12'(Cfg.message_words);

  // The command as it is written; the stored fields follow a cycle too late.
  register_words_pkg::rma_command_word_t command_word;
  register_words_pkg::rma_error_word_t error_word;
  register_words_pkg::rma_name_command_word_t name_word;
  assign command_word = bus_i.data;
  assign error_word = bus_i.data;
  assign name_word = bus_i.data;

  assign queue_o = '{
          valid: from_regs.queue_size.valid.value,
          log2_slots: from_regs.queue_size.log2_slots.value,
          base: from_regs.queue_base.address.value,
          head: from_regs.queue_head.count.value
      };
  assign message_held_o = queue_tail_i != from_regs.queue_head.count.value;
  assign command_valid_o = from_regs.command.operation.swmod;
  assign command_o = '{
          operation: rma_pkg::rma_operation_e'(command_word.operation),
          notify: command_word.notify,
          static_route: command_word.static_route,
          inline_data: command_word.inline_data,
          local_address: from_regs.local_address.address.value,
          node: from_regs.remote.node.value,
          slot: from_regs.remote.slot.value,
          region: from_regs.remote.region.value,
          offset: from_regs.offset.bytes.value,
          length: from_regs.length.bytes.value
      };
  assign to_regs.name_sizes.names.next = 9'(Cfg.rma_names);
  assign name_valid_o = from_regs.name_command.operation.swmod;
  assign name_o = '{
          operation: rma_pkg::name_operation_e'(name_word.operation),
          number: name_word.index,
          readable: name_word.read,
          writable: name_word.write,
          base: from_regs.name_base.address.value,
          length: from_regs.name_length.bytes.value
      };
  assign to_regs.name_result.index.next = name_result_i.number;
  assign to_regs.name_result.found.next = name_result_i.found;
  assign to_regs.name_result.busy.next = name_result_i.busy;
  assign to_regs.name_result.lost.hwset = name_lost_i;
  assign error_clear_o = from_regs.error.clear.swmod && error_word.clear;

  assign to_regs.queue_tail.count.next = queue_tail_i;
  assign to_regs.completed.count.next = completed_i;
  assign to_regs.unacknowledged.count.next = unacknowledged_i;
  assign to_regs.error.code.next = error_i.code;
  assign to_regs.error.node.next = error_i.node;
  assign to_regs.error.slot.next = error_i.slot;

  for (genvar r = 0; r < Cfg.rma_regions; r++) begin : gen_region
    assign regions_o[r] = '{
            valid: from_regs.region[r].rights.valid.value,
            readable: from_regs.region[r].rights.read.value,
            writable: from_regs.region[r].rights.write.value,
            routes: from_regs.region[r].rights.routes.value,
            base: from_regs.region[r].base.address.value,
            length: from_regs.region[r].length.bytes.value
        };
  end

  logic unused;
  assign unused = ^{command_word, error_word, name_word};

endmodule

`default_nettype wire
