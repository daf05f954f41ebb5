// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The branches of the static packet at the head of one input channel.
///
/// First the route is looked up. Then the output channels of all branches are taken, and words leave.
/// Each word goes to every branch, one per cycle if all branches have a credit and their ports are free.
/// A branch that is ahead waits for the others with the next word. The head leaves in the cycle in which
/// the last channel is taken. A branch that breaks the rules of `router` is left out, and so is one that
/// leads nowhere. A packet without any branch is dropped, a word per cycle.
///
///     route_table ---> branches ---> ask ---> allocation of each port
///                      taken, sent <--- grant <---+
///
/// Channels are taken in the order of the ports: only when those of all lower branches are taken, and
/// have room for a whole packet. `router` says why. One is asked for only if nothing is seen that would
/// keep a lower one from being taken.
///
/// With `Pipeline` the lower ones are seen as they were in the cycle before, so that what is asked for
/// stands in registers in front of the arbiters. What is granted is taken, so that no arbiter waits for
/// one of a lower port. A channel is given back when one of a lower branch is seen to belong to another
/// packet, or to have no room. The head leaves in the cycle after the last channel was taken, so that what
/// is behind the arbiters does not depend on all grants together.
module static_route #(
    /// Network ports of the router.
    parameter int unsigned NumPorts = 6,
    /// All its ports.
    parameter int unsigned Ports = 7,
    /// Port of the input channel.
    parameter int unsigned Port = 0,
    /// The input channel is one behind the dateline.
    parameter bit BehindDateline = 1'b0,
    /// Registers before and behind the arbiters.
    parameter bit Pipeline = 1'b0
) (
    /// Clock.
    input  logic             clk_i,
    /// Synchronous reset, active low.
    input  logic             rst_ni,
    /// A word is at the head of the channel.
    input  logic             valid_i,
    /// It is of a static packet; any value without a word.
    input  logic             static_i,
    /// It is the tail.
    input  logic             last_i,
    /// The word is a head whose route is to be looked up.
    output logic             lookup_o,
    /// That happens in this cycle.
    input  logic             served_i,
    /// Port that the word wants if its packet has no branches; zero otherwise.
    input  logic [Ports-1:0] wanted_i,
    /// Where the route leads.
    input  logic [Ports-1:0] ports_i,
    /// The route may take any turn.
    input  logic             switched_i,
    /// There is a link at the port, or a slot.
    input  logic [Ports-1:0] linked_i,
    /// The link is a wrap-around link.
    input  logic [Ports-1:0] wraps_i,
    /// The branch's output channel belongs to nobody.
    input  logic [Ports-1:0] free_i,
    /// It has a credit.
    input  logic [Ports-1:0] credit_i,
    /// It has room for a whole packet, or needs none.
    input  logic [Ports-1:0] room_i,
    /// With `Pipeline`: these may have changed in one of the two cycles before, or a route was looked up.
    input  logic             stirred_i,
    /// Ports that are asked for: that one, or those of branches.
    output logic [Ports-1:0] ask_o,
    /// Grants are for taking output channels.
    output logic             taking_o,
    /// A port is granted in this cycle.
    input  logic [Ports-1:0] grant_i,
    /// A grant for this port is not used.
    output logic [Ports-1:0] spare_o,
    /// Its output channel is given back.
    output logic [Ports-1:0] release_o,
    /// No word leaves with a grant for this port.
    output logic [Ports-1:0] stay_o,
    /// The word has left, to all branches.
    output logic             pop_o,
    /// It has not, but all output channels are taken.
    output logic             claim_o,
    /// Something changes even if no port is granted.
    output logic             active_o,
    /// A branch of the packet is left out, or it has none.
    output logic             refused_o
);

  logic take_q, leave_q;  // channels are taken; words leave; neither: the route is looked up
  logic switched_q;
  logic [Ports-1:0] branches_q;
  logic [Ports-1:0] pending_q;  // channel not yet taken; once words leave: the word has not left
  logic [Ports-1:0] missing;  // the same after this cycle's grants
  logic [Ports-1:0] allowed, ways, room, reachable;
  logic go;

  // Ports of which all lower branches are ours or can be, and have room.
  function automatic logic [Ports-1:0] behind_lower(
      logic [Ports-1:0] branches, logic [Ports-1:0] lacking, logic [Ports-1:0] has_room);
    automatic logic lower = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      behind_lower[p] = lower;
      lower &= !branches[p] || (has_room[p] && !lacking[p]);
    end
  endfunction

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
  assign ways = ports_i & allowed;
  assign lookup_o = valid_i && static_i && !take_q && !leave_q;
  assign refused_o = served_i && (ports_i == '0 || ways != ports_i);

  assign room = room_i | {Ports{switched_q}};
  assign missing = pending_q & ~grant_i;
  assign go = take_q && missing == '0 && (branches_q & ~room) == '0;

  assign taking_o = take_q;

  if (Pipeline) begin : gen_pipeline
    // Those of `pending_q` that are reachable, as it was seen in the cycle before; those of `fresh`.
    logic [Ports-1:0] ask_q, fresh, seen, again, stays;
    logic done, proceeds;
    assign reachable = take_q ? behind_lower(branches_q, pending_q & ~free_i, room) : '1;
    assign ask_o = wanted_i | (valid_i ? ask_q : '0);

    // Packets with branches and without are alike in the end: what is asked for is granted.
    assign done = ((wanted_i | pending_q) & ~grant_i) == '0;
    assign spare_o = '0;
    assign release_o = take_q ? branches_q & ~pending_q & ~reachable : '0;
    assign stay_o = {Ports{take_q}};
    // One that turns wants nothing yet, and stays.
    assign pop_o = done && valid_i && (leave_q || (!static_i && wanted_i != '0));
    assign claim_o = go;
    // Grants are seen elsewhere. Without one, what is taken, given back and asked for can only change after
    // an output channel has; and words of a packet without branches are dropped. To compare what is within
    // reach with what is asked for would take more gates, behind those that find it.
    assign active_o = lookup_o || (take_q && stirred_i) || (leave_q && valid_i && pending_q == '0);

    logic unused;
    assign unused = ^credit_i;

    // All branches are done with the word, or with taking. Then nothing stays pending, so that what is
    // pending next is the sum of three cases that exclude one another.
    assign proceeds = done && (take_q ? (branches_q & ~room) == '0 : leave_q && valid_i);
    assign fresh = served_i ? ways : '0;
    assign again = leave_q && last_i ? '0 : branches_q;
    assign stays = (pending_q & ~grant_i) | release_o;
    assign seen = served_i ? ways & behind_lower(
        ways, ways & ~free_i, room_i | {Ports{switched_i}}
    ) : '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        take_q  <= 1'b0;
        leave_q <= 1'b0;
      end else begin
        take_q  <= served_i || (take_q && !proceeds);
        leave_q <= proceeds ? !(leave_q && last_i) : leave_q;
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        pending_q <= '0;
        ask_q <= '0;
      end else begin
        pending_q <= fresh | (proceeds ? again : '0) | stays;
        ask_q <= seen | (proceeds ? again : '0) | (stays & reachable);
      end
    end
  end else begin : gen_at_once
    logic [Ports-1:0] left;  // ports to which the word has not left
    assign reachable = take_q ? behind_lower(branches_q, pending_q & ~free_i, room) : '1;
    assign ask_o = wanted_i | (valid_i ? pending_q & reachable : '0);

    // Words leave through any port; a channel is taken only after all lower ones.
    assign spare_o = take_q ? ~behind_lower(branches_q, missing, room) : '0;
    assign release_o = '0;
    assign stay_o = take_q && !go ? '1 : take_q ? ~credit_i : '0;
    assign left = leave_q ? missing : branches_q & ~(grant_i & credit_i);
    logic unused;
    assign unused = stirred_i;
    assign pop_o = valid_i && (static_i ? (leave_q || go) && left == '0 : grant_i != '0);
    assign claim_o = go && !pop_o;
    assign active_o = lookup_o || go || pop_o;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        take_q  <= 1'b0;
        leave_q <= 1'b0;
      end else begin
        take_q  <= served_i || (take_q && !go);
        leave_q <= (leave_q || go) && !(pop_o && last_i);
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) pending_q <= '0;
      else if (served_i) pending_q <= ways;
      else if (static_i && pop_o) pending_q <= last_i ? '0 : branches_q;
      else if (go) pending_q <= left;
      else pending_q <= pending_q & ~(grant_i & ~spare_o);
    end
  end

  always_ff @(posedge clk_i) begin
    if (served_i) begin
      branches_q <= ways;
      switched_q <= switched_i;
    end
  end

`ifndef SYNTHESIS
  // Only what is asked for is granted, so what is taken is free.
  GrantImpliesAsk :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (grant_i & ~ask_o) == '0);
  // No word leaves before every branch has its channel.
  AllOrNothing :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      take_q && (grant_i & ~stay_o) != '0 |-> go);
  // A head stays where it is until its branches are known.
  HeadStays :
  assert property (@(posedge clk_i) disable iff (!rst_ni) take_q |-> valid_i && static_i);
`endif

endmodule

`default_nettype wire
