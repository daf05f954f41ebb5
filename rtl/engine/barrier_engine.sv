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
    parameter bit Hub = 1'b0
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
    /// What happens in this cycle.
    output engine_pkg::engine_events_t events_o,
    /// Tokens of barriers from neighbours.
    input tidings_pkg::barrier_tokens_t token_i,
    /// Tokens to neighbours.
    output tidings_pkg::barrier_tokens_t token_o,
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

  groups_t arrives, accepted, held, entering, arrived, done, member, stray, cleared, set;

  // Mates that are not in a group's own register.
  localparam int unsigned NearMates = $bits(from_regs.group[0].mates.value);
  localparam int unsigned FarRegisters = BarrierMates / NearMates - 1;
  logic [FarRegisters-1:0][NearMates-1:0] far_mates;
  for (genvar r = 0; r < FarRegisters; r++) begin : gen_far
    assign far_mates[r] = from_regs.far_mates[r].slots.value;
    assign to_regs.far_mates[r].slots.hwclr = |set;
  end

  // ---------------------------------------------------------------- groups
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
    logic [NearMates-1:0] mates;

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
      assign token_out = BarrierPorts'(arrived[g]);
      logic [FarRegisters-1:0][NearMates-1:0] far_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) far_q <= '0;
        else if (set[g]) far_q <= far_mates;
      end
      assign mates_o[g] = {far_q, mates};
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
      assign unused_mates = ^{mates, far_mates};
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
  assign unused = ^{arrive_word, status_word};

endmodule

`default_nettype wire
