// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Barriers over wires (`rtl/regs/barrier.rdl`), without packets: between neighbouring routers, or between the slots of a
/// single router, by way of its `barrier_hub`.
///
/// Software says once which groups the slot is a member of and where the others are. Then a barrier is a
/// write to `arrive`, and a bit of `status` that is set when all members have written theirs.
///
/// An arrival can wait until the engine `rma` of the slot is idle. As its PUTs are acknowledged when they have been written,
/// nobody is released then as long as a word of a member is on its way.
module barrier_engine #(
    /// The slot is at a single router: `token_o[0]` is high from its arrivals to `token_i[0]`, the hub's releases.
    parameter bit Hub = 1'b0,
    /// Network ports that have a tap; 0: none.
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
    /// The flit; zero without.
    output tidings_pkg::flit_t lane_flit_o,
    /// Room for one more flit on the lane.
    input logic lane_credit_i,
    /// A change of a static route of the router is asked for.
    output logic route_valid_o,
    /// The change; zero without.
    output tidings_pkg::route_write_t route_o,
    /// It is taken.
    input logic route_ready_i,
    /// Tokens of barriers from neighbours.
    input tidings_pkg::barrier_tokens_t token_i,
    /// Tokens to neighbours.
    output tidings_pkg::barrier_tokens_t token_o,
    /// From the neighbours' static switches.
    input tidings_pkg::switch_links_t switch_i,
    /// To the neighbours' static switches.
    output tidings_pkg::switch_links_t switch_o,
    /// Slots of a single router that are members of a barrier with this one.
    output tidings_pkg::barrier_mates_t mates_o,
    /// The engine `rma` of the slot is idle from the next cycle on, unless a command comes now.
    input logic quiet_i,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic busy_o
);

  import tidings_pkg::*;
  import engine_pkg::*;

  typedef logic [BarrierGroups-1:0] groups_t;

  // The engine has no packets, and knows neither memory nor direct links.
  assign rx_ready_o = '1;
  assign tx_valid_o = '0;
  assign tx_flit_o = '0;
  assign read_valid_o = 1'b0;
  assign read_address_o = '0;
  assign write_valid_o = 1'b0;
  assign write_o = '0;
  assign lane_valid_o = 1'b0;
  assign lane_flit_o = '0;
  assign route_valid_o = 1'b0;
  assign route_o = '0;
  assign switch_o = '0;

  // ---------------------------------------------------------------- registers
  barrier_regs_pkg::barrier__in_t  to_regs;
  barrier_regs_pkg::barrier__out_t from_regs;

  barrier_regs u_regs (
      .clk     (clk_i),
      .rst_n   (rst_ni),
      .bus_valid_i,
      .bus_i,
      .bus_data_o,
      .hwif_in (to_regs),
      .hwif_out(from_regs)
  );

  register_words_pkg::barrier_arrive_word_t arrive_word;
  register_words_pkg::barrier_status_word_t status_word;
  assign arrive_word = bus_i.data;
  assign status_word = bus_i.data;

  // ---------------------------------------------------------------- groups
  groups_t arrives, accepted, held, entering, arrived, done, member, stray, cleared, set;

  assign arrives  = from_regs.arrive.groups.swmod ? arrive_word.groups : '0;
  assign accepted = arrives & member & ~arrived & ~held;

  barrier_gate u_gate (
      .clk_i,
      .rst_ni,
      .arrive_i(accepted),
      .wait_i  (arrive_word.quiet),
      .quiet_i,
      .clear_i (set),
      .enter_o (entering),
      .held_o  (held)
  );

  for (genvar g = 0; g < BarrierGroups; g++) begin : gen_group
    logic [BarrierPorts-1:0] token_in, token_out;
    logic [BarrierMates-1:0] mates;

    assign member[g] = from_regs.group[g].member.value;
    assign set[g] = from_regs.group[g].member.swmod;
    assign mates = from_regs.group[g].mates.value;
    for (genvar p = 0; p < BarrierPorts; p++) begin : gen_port
      assign token_in[p]   = token_i[p][g];
      assign token_o[p][g] = token_out[p];
    end

    if (Hub) begin : gen_spoke
      barrier_spoke u_spoke (
          .clk_i,
          .rst_ni,
          .member_i (member[g]),
          .clear_i  (set[g]),
          .arrive_i (entering[g]),
          .release_i(token_in[0]),
          .arrived_o(arrived[g]),
          .done_o   (done[g])
      );
      assign token_out  = BarrierPorts'(arrived[g]);
      assign mates_o[g] = mates;
      assign stray[g]   = 1'b0;
      logic unused_tokens;
      assign unused_tokens = ^token_in;
    end else begin : gen_share
      barrier_group u_group (
          .clk_i,
          .rst_ni,
          .member_i (member[g]),
          .mates_i  (mates[BarrierPorts-1:0]),
          .clear_i  (set[g]),
          .arrive_i (entering[g]),
          .arrived_o(arrived[g]),
          .done_o   (done[g]),
          .token_i  (token_in),
          .token_o  (token_out),
          .stray_o  (stray[g])
      );
      assign mates_o[g] = '0;
      logic unused_mates;
      assign unused_mates = ^mates;
    end
  end

  // ---------------------------------------------------------------- what software sees
  logic refused, failed_q;

  assign cleared = accepted | (from_regs.status.done.swmod ? status_word.done : '0);
  assign refused = arrives != accepted;
  assign to_regs.sizes.groups.next = 8'(BarrierGroups);
  assign to_regs.status.done.we = 1'b1;
  assign to_regs.status.done.next = (from_regs.status.done.value & ~cleared) | done;
  assign to_regs.status.arrived.next = arrived | held;
  assign to_regs.error.stray.hwset = |stray;
  assign to_regs.error.refused.hwset = refused;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) failed_q <= 1'b0;
    else failed_q <= refused || |stray;
  end
  assign events_o = '{
          failed: failed_q,
          done: 1'b0,
          waiting: |(from_regs.status.done.value & from_regs.enable.groups.value),
          idle: 1'b0,
          quiet: 1'b1
      };

  // All that can happen without inputs has happened: tokens leave in the cycle after what they wait for. Those for a hub
  // stay, and wait for it, as arrivals wait for the slot.
  assign busy_o = (!Hub && |token_o) || failed_q || (quiet_i && |held);

  logic unused;
  assign unused = ^{
    node_id_i, slot_id_i, rx_valid_i, rx_i, tx_ready_i, read_ready_i, data_valid_i, data_i,
    write_ready_i, tap_valid_i, tap_flit_i, lane_credit_i, route_ready_i, switch_i,
    arrive_word, status_word
  };

`ifndef SYNTHESIS
  // No packet is for this engine.
  NoPackets :
  assert property (@(posedge clk_i) disable iff (!rst_ni) rx_valid_i == '0);
`endif

endmodule

`default_nettype wire
