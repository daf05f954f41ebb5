// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The registers of the message passing engine (`rtl/regs/mpe.rdl`), as `slot_registers` hands accesses on.
///
/// A write to the command register hands the command to the engine in that very cycle.
module mpe_registers #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Network ports that links of `mpe` can be direct to.
    parameter int unsigned DirectLinks = 0,
    /// A packet of `mpe` goes to all its direct links at once.
    parameter bit Multicast = 1'b0
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
    /// Neighbours in the tree of each context.
    output mpe_pkg::mpe_link_t [Cfg.mpe_contexts-1:0][Cfg.mpe_links-1:0] links_o,
    /// A command for `mpe`.
    output logic command_valid_o,
    /// The command.
    output mpe_pkg::mpe_command_t command_o,
    /// Collectives complete.
    input tidings_pkg::word_t completed_i,
    /// What went wrong in collectives.
    input mpe_pkg::mpe_error_t error_i
);

  import tidings_pkg::*;

  mpe_regs_pkg::mpe__in_t  to_regs;
  mpe_regs_pkg::mpe__out_t from_regs;

  mpe_regs u_regs (
      .clk     (clk_i),
      .rst_n   (rst_ni),
      .bus_valid_i,
      .bus_i,
      .bus_data_o,
      .hwif_in (to_regs),
      .hwif_out(from_regs)
  );

  assign to_regs.sizes.contexts.next = 4'(Cfg.mpe_contexts);
  assign to_regs.sizes.links.next = 4'(Cfg.mpe_links);
  assign to_regs.sizes.packet_words.next = 8'(Cfg.mpe_packet_words);
  assign to_regs.sizes.combine_ports.next = 4'(Cfg.mpe_combine_ports);
  assign to_regs.sizes.direct_links.next = 4'(DirectLinks);
  assign to_regs.sizes.multicast.next = Multicast;
  assign to_regs.sizes.wide_elements.next = Cfg.mpe_wide_elements;

  // The command as it is written; the stored fields follow a cycle too late.
  register_words_pkg::mpe_command_word_t word;
  assign word = bus_i.data;

  assign command_valid_o = from_regs.command.operation.swmod;
  assign command_o = '{
          context_id: word.context_id,
          exchange: word.exchange,
          swap: word.swap,
          operation: collective_e'(word.operation),
          element: element_e'(word.element),
          combine: combine_e'(word.combine),
          parent: word.parent,
          children: word.children,
          source: from_regs.source.address.value,
          destination: from_regs.destination.address.value,
          count: from_regs.count.count.value,
          descriptor: from_regs.descriptor.value.value
      };
  assign to_regs.completed.count.next = completed_i;
  assign to_regs.error.mismatch.next = error_i.mismatch;
  assign to_regs.error.context_id.next = error_i.context_id;
  assign to_regs.error.link.next = error_i.link;
  assign to_regs.error.overflow.next = error_i.overflow;
  assign to_regs.error.unsupported.next = error_i.unsupported;
  assign to_regs.received.value.next = error_i.received;

  for (genvar c = 0; c < Cfg.mpe_contexts; c++) begin : gen_context
    for (genvar l = 0; l < Cfg.mpe_links; l++) begin : gen_link
      assign links_o[c][l] = '{
              direct: from_regs.link[c][l].direct.value,
              node: from_regs.link[c][l].node.value,
              slot: from_regs.link[c][l].slot.value,
              peer_link: from_regs.link[c][l].peer_link.value
          };
    end
  end

  logic unused;
  assign unused = ^word;

endmodule

`default_nettype wire
