// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The branches of the static packet at the head of one input channel.
///
/// In one cycle the route is looked up. Then the output channels of all branches are taken, and words
/// leave: each word to every branch, one a cycle where all branches have a credit and their ports are
/// free; a branch that is ahead waits for the others with the next word. The head leaves in the cycle
/// in which the last channel is taken. A branch that breaks the rules of `router` is left out, and one
/// that leads nowhere. A packet without any branch is dropped, a word a cycle.
///
///     route_table ---> branches ---> request ---> arbiter of each port
///                      taken, served <--- grant <---+
///
/// Channels are taken in the order of the ports: one is asked for only when those of all lower ports
/// of the route are taken or being taken, and have room for a whole packet. `router` says why.
module static_route
  import tidings_pkg::*;
#(
    /// Network ports of the router.
    parameter int unsigned NumPorts = 6,
    /// All its ports.
    parameter int unsigned Ports = 7,
    /// Port of the input channel.
    parameter int unsigned Port = 0,
    /// The input channel is one behind the dateline.
    parameter bit BehindDateline = 1'b0
) (
    /// Clock.
    input  logic             clk_i,
    /// Synchronous reset, active low.
    input  logic             rst_ni,
    /// A word of a static packet is there.
    input  logic             valid_i,
    /// It is the tail.
    input  logic             last_i,
    /// The word is a head whose route is to be looked up.
    output logic             lookup_o,
    /// That happens in this cycle.
    input  logic             served_i,
    /// Where the route leads.
    input  logic [Ports-1:0] ports_i,
    /// The route may take any turn.
    input  logic             switched_i,
    /// There is a link at the port, or a slot.
    input  logic [Ports-1:0] linked_i,
    /// The link is a wrap-around link.
    input  logic [Ports-1:0] wraps_i,
    /// The branch's output channel belongs to nobody; zero without a word.
    input  logic [Ports-1:0] free_i,
    /// It has a credit; zero without a word.
    input  logic [Ports-1:0] credit_i,
    /// It has room for a whole packet, or needs none.
    input  logic [Ports-1:0] room_i,
    /// A port is asked for.
    output logic [Ports-1:0] request_o,
    /// It is granted in this cycle.
    input  logic [Ports-1:0] grant_i,
    /// The grant is used: the output channel is taken, or a word leaves, or both.
    output logic [Ports-1:0] use_o,
    /// A word leaves.
    output logic [Ports-1:0] send_o,
    /// The word has left to all branches.
    output logic             pop_o,
    /// Something changes even if no port is granted.
    output logic             active_o,
    /// A branch of the packet is left out, or it has none.
    output logic             refused_o
);

  typedef enum logic [1:0] {
    StateLookup,
    StateTake,
    StateLeave
  } state_e;

  state_e state_q;
  logic switched_q;
  logic [Ports-1:0] branches_q;
  logic [Ports-1:0] pending_q;  // channel not yet taken; once words leave: the word has not left
  logic [Ports-1:0] allowed, room, taken, left;
  logic leave, go;

  assign lookup_o = valid_i && state_q == StateLookup;
  branch_rules #(
      .NumPorts      (NumPorts),
      .Ports         (Ports),
      .Port          (Port),
      .BehindDateline(BehindDateline)
  ) u_rules (
      .switched_i,
      .linked_i,
      .wraps_i,
      .allowed_o(allowed)
  );
  assign refused_o = served_i && (ports_i == '0 || (ports_i & ~allowed) != '0);

  assign leave = state_q == StateLeave;
  assign room = room_i | {Ports{switched_q}};

  always_comb begin : request
    automatic logic lower = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      request_o[p] = pending_q[p] && (leave ? credit_i[p] : lower && free_i[p]);
      lower &= !branches_q[p] || (room[p] && (!pending_q[p] || free_i[p]));
    end
  end

  // Of the ports granted, those whose lower ports are taken as well.
  always_comb begin : take
    automatic logic lower = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      taken[p] = lower && grant_i[p];
      lower &= !pending_q[p] || grant_i[p];
    end
    // With room behind all of them the head may leave.
    go = valid_i && state_q == StateTake && lower && (branches_q & ~room) == '0;
  end

  assign active_o = lookup_o || go || pop_o;
  assign use_o = leave ? grant_i : taken;
  assign send_o = leave ? grant_i : go ? grant_i & credit_i : '0;
  assign left = (leave ? pending_q : branches_q) & ~send_o;
  assign pop_o = valid_i && (leave || go) && left == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateLookup;
    else if (served_i) state_q <= StateTake;
    else if (pop_o && last_i) state_q <= StateLookup;
    else if (go) state_q <= StateLeave;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) pending_q <= '0;
    else if (served_i) pending_q <= ports_i & allowed;
    else if (pop_o) pending_q <= last_i ? '0 : branches_q;
    else if (leave || go) pending_q <= left;
    else pending_q <= pending_q & ~taken;
  end

  always_ff @(posedge clk_i) begin
    if (served_i) begin
      branches_q <= ports_i & allowed;
      switched_q <= switched_i;
    end
  end

`ifndef SYNTHESIS
  // Only what is asked for is granted, so what is taken is free.
  GrantImpliesRequest :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (grant_i & ~request_o) == '0);
  // No word leaves before every branch has its channel.
  AllOrNothing :
  assert property (@(posedge clk_i) disable iff (!rst_ni) send_o != '0 |-> leave || go);
`endif

endmodule

`default_nettype wire
