// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The registers of a slot, between the processor's bus and the engines.
///
/// A request is taken in every cycle and takes effect one cycle later, in order: a write to a
/// command register hands the command to its engine in that very cycle, so a read that follows
/// sees it queued. A read is answered two cycles after its request. The interrupt line is the OR
/// of the enabled causes. `rtl/regs/slot.rdl` is the map of all registers: those that every slot has
/// are here, each other engine has its own in a window of the map, and gets the accesses to it.
module slot_registers #(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Engines of the slot.
    parameter tidings_pkg::engines_t Engines = node_cfg_pkg::engines_at(Cfg, 0),
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
    /// The access is to a register of the engine.
    output tidings_pkg::engines_t engine_valid_o,
    /// The access; the address counts from the engine's window.
    output tidings_pkg::bus_request_t engine_bus_o,
    /// Word read, in the same cycle; of engines that are not addressed it does not count.
    input tidings_pkg::word_t [tidings_pkg::NumEngines-1:0] engine_data_i,
    /// What happens in the engines.
    input engine_pkg::engine_events_t [tidings_pkg::NumEngines-1:0] engine_events_i,
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

  // ---------------------------------------------------------------- whose register it is
  localparam int unsigned WindowBits = $clog2(EngineWindow);
  localparam int unsigned FirstWindow = 2;  // of engine 1: what is below is everybody's
  typedef logic [BusAddressWidth-WindowBits-1:0] window_t;
  window_t window;
  logic common, present;

  assign window = bus_q.address[BusAddressWidth-1:WindowBits];
  assign common = window < window_t'(FirstWindow);

  always_comb begin : choose
    engine_valid_o = '0;
    for (int unsigned e = 1; e < NumEngines; e++) begin
      if (Engines[e]) engine_valid_o[e] = valid_q && 32'(window) == e + FirstWindow - 1;
    end
    engine_bus_o = bus_q;
    engine_bus_o.address = BusAddressWidth'(bus_q.address[WindowBits-1:0]);
  end
  assign present = common || |engine_valid_o;

  // ---------------------------------------------------------------- registers
  common_regs_pkg::common__in_t to_regs;
  common_regs_pkg::common__out_t from_regs;
  word_t common_data;

  common_regs u_regs (
      .clk        (clk_i),
      .rst_n      (rst_ni),
      .bus_valid_i(valid_q && common),
      .bus_i      (bus_q),
      .bus_data_o (common_data),
      .hwif_in    (to_regs),
      .hwif_out   (from_regs)
  );

  assign read_valid = valid_q && !bus_q.write;
  always_comb begin : read
    read_data = common ? common_data : '0;
    for (int unsigned e = 1; e < NumEngines; e++) begin
      if (engine_valid_o[e]) read_data = engine_data_i[e];
    end
  end

  // ---------------------------------------------------------------- where this is and what it has
  assign to_regs.address.node.next = node_id_i;
  assign to_regs.address.slot.next = slot_id_i;
  assign to_regs.sizes.regions.next = 8'(Cfg.rma_regions);
  assign to_regs.sizes.links.next = Engines[EngineMpe] ? 4'(Cfg.mpe_links) : '0;
  assign to_regs.sizes.command_depth.next = 8'(Cfg.rma_command_depth);
  assign to_regs.sizes.message_words.next = 12'(Cfg.message_words);
  assign to_regs.engines.present.next = 8'(Engines);

  // ---------------------------------------------------------------- interrupt
  logic message_held, failed, done;
  logic [ 7:0] waiting;
  logic [15:0] causes;

  always_comb begin : gather
    // A write to an engine that is not there is lost, and software is told.
    failed  = rma_failed_i || (valid_q && bus_q.write && !present);
    done    = 1'b0;
    waiting = '0;
    for (int unsigned e = 1; e < NumEngines; e++) begin
      failed |= engine_events_i[e].failed;
      done |= engine_events_i[e].done;
      waiting[e] = engine_events_i[e].waiting;
    end
  end

  assign message_held = queue_tail_i != from_regs.queue_head.count.value;
  assign to_regs.irq_status.message.next = message_held;
  assign to_regs.irq_status.rma_done.hwset = rma_notify_i;
  assign to_regs.irq_status.done.hwset = done;
  assign to_regs.irq_status.error.hwset = failed;
  assign to_regs.irq_status.rma_idle.next = rma_idle_i;
  assign to_regs.irq_status.route_error.hwset = route_error_i;
  assign to_regs.irq_status.engines.next = waiting;
  assign causes = {
    waiting,
    2'b00,
    from_regs.irq_status.route_error.value,
    rma_idle_i,
    from_regs.irq_status.error.value,
    from_regs.irq_status.done.value,
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
  assign unused_bits = ^{
    rma_word, rma_error_word, route_word, engine_data_i[0], engine_events_i[0]
  };

endmodule

`default_nettype wire
