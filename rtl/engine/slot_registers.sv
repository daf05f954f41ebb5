// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The registers of a slot, between the processor's bus and the engines.
///
/// A request is taken in every cycle and takes effect one cycle later, in order: a write to a
/// command register hands the command to its engine in that very cycle, so a read that follows
/// sees it queued. A read is answered two cycles after its request. The interrupt line is the OR
/// of the enabled causes. `rtl/regs/slot.rdl` describes every register.
module slot_registers #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Engines of the slot.
    parameter tidings_pkg::engines_t Engines = '1,
    /// Network ports that links of `mpe` can be direct to.
    parameter int unsigned DirectLinks = 0,
    /// A packet of `mpe` goes to all its direct links at once.
    parameter bit MpeMulticast = 1'b0,
    /// Flits of the longest packet on a static route that forks.
    parameter int unsigned StaticFlits = 68
) (
    /// Clock.
    input logic clk_i,
    /// Synchronous reset, active low.
    input logic rst_ni,
    /// Router of this slot.
    input tidings_pkg::node_id_t node_id_i,
    /// Number of this slot at its router.
    input tidings_pkg::slot_id_t slot_id_i,
    /// The processor accesses a register.
    input logic bus_valid_i,
    /// The access.
    input tidings_pkg::bus_request_t bus_i,
    /// A read is answered.
    output logic bus_read_valid_o,
    /// Word read; zero while nothing is answered.
    output tidings_pkg::word_t bus_read_data_o,
    /// An enabled cause is pending.
    output logic interrupt_o,
    /// Registration table.
    output rma_pkg::rma_region_t [Cfg.rma_regions-1:0] regions_o,
    /// Receive queue.
    output rma_pkg::rma_queue_t queue_o,
    /// Messages received since reset.
    input logic [15:0] queue_tail_i,
    /// A command for `rma`.
    output logic rma_command_valid_o,
    /// The command.
    output rma_pkg::rma_command_t rma_command_o,
    /// Software clears `rma_error`.
    output logic rma_error_clear_o,
    /// First refusal.
    input rma_pkg::rma_error_t rma_error_i,
    /// `rma` was refused something.
    input logic rma_failed_i,
    /// Commands complete.
    input logic [31:0] rma_completed_i,
    /// A command that asked for notice is complete.
    input logic rma_notify_i,
    /// PUTs without acknowledgement.
    input logic [15:0] rma_unacknowledged_i,
    /// `rma` has nothing to do and to wait for.
    input logic rma_idle_i,
    /// Neighbours in the tree of each context.
    output mpe_pkg::mpe_link_t [Cfg.mpe_contexts-1:0][Cfg.mpe_links-1:0] mpe_links_o,
    /// A command for `mpe`.
    output logic mpe_command_valid_o,
    /// The command.
    output mpe_pkg::mpe_command_t mpe_command_o,
    /// Collectives complete.
    input tidings_pkg::word_t mpe_completed_i,
    /// A collective is complete.
    input logic mpe_done_i,
    /// What went wrong in collectives.
    input mpe_pkg::mpe_error_t mpe_error_i,
    /// Something went wrong in a collective.
    input logic mpe_failed_i,
    /// Software changes a static route.
    output logic route_valid_o,
    /// The change.
    output tidings_pkg::route_write_t route_o,
    /// A static packet was refused, or a change of a static route.
    input logic route_error_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic busy_o
);

  import tidings_pkg::*;

  localparam int unsigned MaxRegions = rma_pkg::MaxRegions;
  localparam bit HasMpe = Engines[EngineMpe];


  // ---------------------------------------------------------------- bus
  logic valid_q, read_valid_q, read_valid;
  bus_request_t bus_q;
  word_t read_data, read_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q      <= 1'b0;
      read_valid_q <= 1'b0;
      read_data_q  <= '0;
    end else begin
      valid_q      <= bus_valid_i;
      read_valid_q <= read_valid;
      // The block shows the register last addressed also without a request.
      read_data_q  <= read_valid ? read_data : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (bus_valid_i) bus_q <= bus_i;
  end

  assign bus_read_valid_o = read_valid_q;
  assign bus_read_data_o = read_data_q;
  assign busy_o = valid_q || read_valid_q;

  // ---------------------------------------------------------------- registers
  slot_regs_pkg::slot_regs__in_t  to_regs;
  slot_regs_pkg::slot_regs__out_t from_regs;
  logic unused_stalls, unused_errors, unused_written;
  logic stall_write, stall_read, read_error, write_error;

  slot_regs u_regs (
      .clk                 (clk_i),
      .rst_n               (rst_ni),
      .s_cpuif_req         (valid_q),
      .s_cpuif_req_is_wr   (bus_q.write),
      .s_cpuif_addr        (bus_q.address),
      .s_cpuif_wr_data     (bus_q.data),
      .s_cpuif_wr_biten    ('1),
      .s_cpuif_req_stall_wr(stall_write),
      .s_cpuif_req_stall_rd(stall_read),
      .s_cpuif_rd_ack      (read_valid),
      .s_cpuif_rd_err      (read_error),
      .s_cpuif_rd_data     (read_data),
      .s_cpuif_wr_ack      (unused_written),
      .s_cpuif_wr_err      (write_error),
      .hwif_in             (to_regs),
      .hwif_out            (from_regs)
  );
  assign unused_stalls = stall_write || stall_read;
  assign unused_errors = read_error || write_error;

  // ---------------------------------------------------------------- where this is and what it has
  assign to_regs.address.node.next = node_id_i;
  assign to_regs.address.slot.next = slot_id_i;
  assign to_regs.sizes.regions.next = 8'(Cfg.rma_regions);
  assign to_regs.sizes.links.next = HasMpe ? 4'(Cfg.mpe_links) : '0;
  assign to_regs.sizes.command_depth.next = 8'(Cfg.rma_command_depth);
  assign to_regs.sizes.message_words.next = 12'(Cfg.message_words);
  assign to_regs.mpe_sizes.contexts.next = HasMpe ? 4'(Cfg.mpe_contexts) : '0;
  assign to_regs.mpe_sizes.packet_words.next = HasMpe ? 8'(Cfg.mpe_packet_words) : '0;
  assign to_regs.mpe_sizes.combine_ports.next = HasMpe ? 4'(Cfg.mpe_combine_ports) : '0;
  assign to_regs.mpe_sizes.direct_links.next = 4'(DirectLinks);
  assign to_regs.mpe_sizes.multicast.next = MpeMulticast;
  assign to_regs.mpe_sizes.wide_elements.next = HasMpe && Cfg.mpe_wide_elements;

  // ---------------------------------------------------------------- interrupt
  logic message_held;
  logic [5:0] causes;

  assign message_held = queue_tail_i != from_regs.queue_head.count.value;
  assign to_regs.irq_status.message.next = message_held;
  assign to_regs.irq_status.rma_done.hwset = rma_notify_i;
  assign to_regs.irq_status.mpe_done.hwset = mpe_done_i;
  assign to_regs.irq_status.error.hwset = rma_failed_i || mpe_failed_i;
  assign to_regs.irq_status.rma_idle.next = rma_idle_i;
  assign to_regs.irq_status.route_error.hwset = route_error_i;
  assign causes = {
    from_regs.irq_status.route_error.value,
    rma_idle_i,
    from_regs.irq_status.error.value,
    from_regs.irq_status.mpe_done.value,
    from_regs.irq_status.rma_done.value,
    message_held
  };
  assign interrupt_o = |(causes & from_regs.irq_enable.enable.value);

  // ---------------------------------------------------------------- rma
  // The command as it is written; the stored fields follow a cycle too late.
  register_words_pkg::rma_command_word_t rma_word;
  register_words_pkg::rma_error_word_t   rma_error_word;
  assign rma_word = bus_q.data;
  assign rma_error_word = bus_q.data;

  assign queue_o = '{
          valid: from_regs.queue_size.valid.value,
          log2_slots: from_regs.queue_size.log2_slots.value,
          base: from_regs.queue_base.address.value,
          head: from_regs.queue_head.count.value
      };
  assign rma_command_valid_o = from_regs.rma_command.operation.swmod;
  assign rma_command_o = '{
          operation: rma_pkg::rma_operation_e'(rma_word.operation),
          notify: rma_word.notify,
          static_route: rma_word.static_route,
          local_address: from_regs.rma_local.address.value,
          node: from_regs.rma_remote.node.value,
          slot: from_regs.rma_remote.slot.value,
          region: from_regs.rma_remote.region.value,
          offset: from_regs.rma_offset.bytes.value,
          length: from_regs.rma_length.bytes.value
      };
  assign rma_error_clear_o = from_regs.rma_error.clear.swmod && rma_error_word.clear;

  assign to_regs.queue_tail.count.next = queue_tail_i;
  assign to_regs.rma_completed.count.next = rma_completed_i;
  assign to_regs.rma_unacknowledged.count.next = rma_unacknowledged_i;
  assign to_regs.rma_error.code.next = rma_error_i.code;
  assign to_regs.rma_error.node.next = rma_error_i.node;
  assign to_regs.rma_error.slot.next = rma_error_i.slot;

  for (genvar r = 0; r < MaxRegions; r++) begin : gen_region
    if (r < Cfg.rma_regions) begin : gen_row
      assign regions_o[r] = '{
              valid: from_regs.region[r].rights.valid.value,
              readable: from_regs.region[r].rights.read.value,
              writable: from_regs.region[r].rights.write.value,
              routes: from_regs.region[r].rights.routes.value,
              base: from_regs.region[r].base.address.value,
              length: from_regs.region[r].length.bytes.value
          };
    end
  end

  // ---------------------------------------------------------------- mpe
  register_words_pkg::mpe_command_word_t mpe_word;
  assign mpe_word = bus_q.data;

  assign mpe_command_valid_o = from_regs.mpe_command.operation.swmod;
  assign mpe_command_o = '{
          context_id: mpe_word.context_id,
          exchange: mpe_word.exchange,
          swap: mpe_word.swap,
          operation: collective_e'(mpe_word.operation),
          element: element_e'(mpe_word.element),
          combine: combine_e'(mpe_word.combine),
          parent: mpe_word.parent,
          children: mpe_word.children,
          source: from_regs.mpe_source.address.value,
          destination: from_regs.mpe_destination.address.value,
          count: from_regs.mpe_count.count.value,
          descriptor: from_regs.mpe_descriptor.value.value
      };
  assign to_regs.mpe_completed.count.next = mpe_completed_i;
  assign to_regs.mpe_error.mismatch.next = mpe_error_i.mismatch;
  assign to_regs.mpe_error.context_id.next = mpe_error_i.context_id;
  assign to_regs.mpe_error.link.next = mpe_error_i.link;
  assign to_regs.mpe_error.overflow.next = mpe_error_i.overflow;
  assign to_regs.mpe_error.unsupported.next = mpe_error_i.unsupported;
  assign to_regs.mpe_received.value.next = mpe_error_i.received;

  for (genvar c = 0; c < Cfg.mpe_contexts; c++) begin : gen_context
    for (genvar l = 0; l < Cfg.mpe_links; l++) begin : gen_link
      assign mpe_links_o[c][l] = '{
              direct: from_regs.mpe_link[c][l].direct.value,
              node: from_regs.mpe_link[c][l].node.value,
              slot: from_regs.mpe_link[c][l].slot.value,
              peer_link: from_regs.mpe_link[c][l].peer_link.value
          };
    end
  end

  // ---------------------------------------------------------------- static routes
  assign route_valid_o = from_regs.route.ports.swmod;
  register_words_pkg::route_word_t route_word;
  assign route_word = bus_q.data;
  assign route_o = '{
          route: route_word.index,
          entry: '{switched: route_word.switched, ports: route_word.ports}
      };
  assign to_regs.route_sizes.routes.next = 8'(Cfg.num_routes);
  assign to_regs.route_sizes.flits.next = Cfg.num_routes == 0 ? '0 : 16'(StaticFlits);

  logic unused_bits;
  assign unused_bits = ^{rma_word, rma_error_word, mpe_word, route_word};

`ifndef SYNTHESIS
  // The block answers in the cycle of the request; the fixed latency of reads rests on it.
  NeverStalls :
  assert property (@(posedge clk_i) disable iff (!rst_ni) !unused_stalls && !unused_errors);
`endif

endmodule

`default_nettype wire
