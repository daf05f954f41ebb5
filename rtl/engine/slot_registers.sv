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
/// are here; each engine has its own in a window of the map, and gets the accesses to it.
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

  // Slots whose numbers differ from one another.
  localparam int unsigned SlotNumbers = 1 << SlotIdWidth;
  localparam int unsigned SlotGroups = (int'(Cfg.num_slots) + SlotNumbers - 1) / SlotNumbers;

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
  localparam int unsigned FirstWindow = 1;  // of engine 0: what is below is everybody's
  typedef logic [BusAddressWidth-WindowBits-1:0] window_t;
  window_t window;
  logic common, present;

  assign window = bus_q.address[BusAddressWidth-1:WindowBits];
  assign common = window < window_t'(FirstWindow);

  always_comb begin : choose
    engine_valid_o = '0;
    for (int unsigned e = 0; e < NumEngines; e++) begin
      if (Engines[e]) engine_valid_o[e] = valid_q && 32'(window) == e + FirstWindow;
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
    for (int unsigned e = 0; e < NumEngines; e++) begin
      if (engine_valid_o[e]) read_data = engine_data_i[e];
    end
  end

  // ---------------------------------------------------------------- where this is and what it has
  assign to_regs.address.node.next = node_id_i;
  assign to_regs.address.slot.next = slot_id_i;
  assign to_regs.engines.present.next = 8'(Engines);

  // ---------------------------------------------------------------- interrupt
  logic failed;
  logic [7:0] done, waiting, idle, cleared;
  register_words_pkg::irq_status_word_t causes, clear_word;

  always_comb begin : gather
    // A write to an engine that is not there is lost, and software is told.
    failed  = valid_q && bus_q.write && !present;
    done    = '0;
    waiting = '0;
    idle    = '0;
    for (int unsigned e = 0; e < NumEngines; e++) begin
      failed |= engine_events_i[e].failed;
      done[e]    = engine_events_i[e].done;
      waiting[e] = engine_events_i[e].waiting;
      idle[e]    = engine_events_i[e].idle;
    end
  end

  assign clear_word = bus_q.data;
  assign cleared = from_regs.irq_status.done.swmod ? clear_word.done : '0;
  assign to_regs.irq_status.error.hwset = failed;
  assign to_regs.irq_status.route_error.hwset = route_error_i;
  assign to_regs.irq_status.done.we = |done;
  assign to_regs.irq_status.done.next = (from_regs.irq_status.done.value & ~cleared) | done;
  assign to_regs.irq_status.waiting.next = waiting;
  assign to_regs.irq_status.idle.next = idle;
  always_comb begin : show
    causes = '0;
    causes.error = from_regs.irq_status.error.value;
    causes.route_error = from_regs.irq_status.route_error.value;
    causes.done = from_regs.irq_status.done.value;
    causes.waiting = waiting;
    causes.idle = idle;
  end
  assign interrupt_o   = |(causes & from_regs.irq_enable.enable.value);

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
  assign to_regs.route_sizes.groups.next = Cfg.num_routes == 0 ? '0 : 3'(SlotGroups);

  logic unused_bits;
  assign unused_bits = ^{route_word, clear_word};

endmodule

`default_nettype wire
