// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The branches of the static packet at the head of one input channel: what `static_route` is, for a
/// router with a pipeline.
///
/// In two cycles the route is looked up. Then the output channels of the branches are taken, one in a
/// cycle at most, in the order of the ports; each must have room for a whole packet before the next is
/// asked for. Then words leave: each word to every branch, one a cycle where all branches have a credit
/// and their ports are free; a branch that is ahead waits for the others with the next word. A branch
/// that breaks the rules of `router` is left out, and one that leads nowhere. A packet without any branch
/// is dropped, a word a cycle.
///
///     route_table ---> ways ---> ask ---> arbiter of each port
///                                 ^----------- grant <--+
///
/// What is asked for is at hand in registers, and grants say no more than what is asked for next.
module static_walk #(
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
    /// The branch's output channel has room for a whole packet, or needs none.
    input  logic [Ports-1:0] room_i,
    /// Ports that are asked for while there is a word.
    output logic [Ports-1:0] ask_o,
    /// The next grant is for taking the output channel.
    output logic             taking_o,
    /// The word may leave.
    output logic             leaves_o,
    /// A port is granted in this cycle. Ports that are not asked for do not count.
    input  logic [Ports-1:0] grant_i,
    /// All that are asked for are.
    input  logic             done_i,
    /// All output channels are taken.
    output logic             claim_o,
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
  logic [Ports-1:0] rest_q;  // not yet asked for
  logic [Ports-1:0] taking_q;  // whose channel is being taken, or waits for room
  logic [Ports-1:0] ask_q;
  logic [Ports-1:0] more;  // to be asked for when all that are have been granted
  logic [Ports-1:0] allowed, ways;
  logic room, proceeds, claims;

  function automatic logic [Ports-1:0] lowest(logic [Ports-1:0] some);
    automatic logic lower = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      lowest[p] = some[p] && !lower;
      lower |= some[p];
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

  assign lookup_o = valid_i && state_q == StateLookup;
  assign refused_o = served_i && (ports_i == '0 || ways != ports_i);
  assign ask_o = ask_q;
  assign taking_o = state_q == StateTake;
  assign leaves_o = state_q == StateLeave;
  assign active_o = valid_i && (state_q == StateLookup || (ask_q == '0 && room));

  // A channel that is taken gets no flits of others: room that it has remains.
  assign room = switched_q || (taking_q & ~room_i) == '0;
  assign proceeds = done_i && room;
  assign claims = state_q == StateTake && rest_q == '0;
  assign claim_o = claims && proceeds;

  always_comb begin : proceed
    unique case (state_q)
      StateLookup: more = served_i ? lowest(ways) : '0;
      StateTake: more = claims ? branches_q : lowest(rest_q);
      default: more = last_i ? '0 : branches_q;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateLookup;
    else if (served_i) state_q <= StateTake;
    else if (claim_o) state_q <= StateLeave;
    else if (valid_i && leaves_o && last_i && done_i) state_q <= StateLookup;
  end

  // Nothing is asked for while a route is looked up, so that this is done as well.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) ask_q <= '0;
    else if (proceeds) ask_q <= more;
    else ask_q <= ask_q & ~grant_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) taking_q <= '0;
    else if (served_i) taking_q <= lowest(ways);
    else if (state_q == StateTake && proceeds) taking_q <= lowest(rest_q);
  end

  always_ff @(posedge clk_i) begin
    if (served_i) rest_q <= ways & ~lowest(ways);
    else if (state_q == StateTake && proceeds) rest_q <= rest_q & ~lowest(rest_q);
  end

  always_ff @(posedge clk_i) begin
    if (served_i) begin
      branches_q <= ways;
      switched_q <= switched_i;
    end
  end

`ifndef SYNTHESIS
  // Channels are taken one by one.
  OneByOne :
  assert property (@(posedge clk_i) disable iff (!rst_ni) taking_o |-> $onehot0(ask_q));
  // A route is looked up with nothing asked for.
  LookupAlone :
  assert property (@(posedge clk_i) disable iff (!rst_ni) state_q == StateLookup |-> ask_q == '0);
`endif

endmodule

`default_nettype wire
