// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// A node's share of the barriers of one group, whose members are some columns of some rows of a mesh.
///
/// Tokens go from router to router, a cycle for each link. In each row a token goes up and one goes down; each waits at
/// every member until that one has arrived. A member that both have reached knows that its row is complete, and the
/// columns do the same with rows. So all members know at the latest two sweeps after the last arrival.
///
/// A member sends one token each way for each barrier. A neighbour can be one barrier ahead, never two, as the next
/// one needs this member: two tokens are kept for each direction.
module barrier_group (
    /// Clock.
    input  logic                                 clk_i,
    /// Synchronous reset, active low.
    input  logic                                 rst_ni,
    /// The node has a member of the group; otherwise tokens go straight on.
    input  logic                                 member_i,
    /// Network ports behind which there are other members.
    input  logic [tidings_pkg::BarrierPorts-1:0] mates_i,
    /// Forget arrivals and tokens.
    input  logic                                 clear_i,
    /// The member arrives; ignored if it has.
    input  logic                                 arrive_i,
    /// It has arrived, and not all others have.
    output logic                                 arrived_o,
    /// All members have arrived, in this cycle at the latest.
    output logic                                 done_o,
    /// Tokens from neighbours.
    input  logic [tidings_pkg::BarrierPorts-1:0] token_i,
    /// Tokens to neighbours.
    output logic [tidings_pkg::BarrierPorts-1:0] token_o,
    /// A token has come that nobody can have sent.
    output logic                                 stray_o
);

  import tidings_pkg::*;

  typedef logic [BarrierPorts-1:0] ports_t;

  logic arrived, arrived_q, row_complete;
  ports_t one_q, two_q;  // a token is kept of a direction, and another one
  ports_t sent_q, token_q, ready, stray, send;

  // Port p ^ 1 is opposite to port p; ports 0 and 1 are of rows, 2 and 3 of columns.
  function automatic ports_t opposite(ports_t ports);
    return {ports[2], ports[3], ports[0], ports[1]};
  endfunction

  assign arrived = arrived_q || (arrive_i && member_i);
  assign ready = ~mates_i | one_q | token_i;
  assign row_complete = arrived && ready[0] && ready[1];
  assign done_o = row_complete && ready[2] && ready[3];
  assign send = {{2{row_complete}}, {2{arrived}}} & opposite(ready) & mates_i & ~sent_q;
  assign stray = member_i ? token_i & (~mates_i | (two_q & {BarrierPorts{!done_o}})) : '0;

  assign arrived_o = arrived_q;
  assign token_o = token_q;
  assign stray_o = |stray;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) token_q <= '0;
    else if (clear_i) token_q <= '0;
    else token_q <= member_i ? send : opposite(token_i);
  end

  ports_t come;
  assign come = token_i & mates_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || !member_i) begin
      arrived_q <= 1'b0;
      sent_q    <= '0;
      one_q     <= '0;
      two_q     <= '0;
    end else if (done_o) begin
      // One token of each direction is used up.
      arrived_q <= 1'b0;
      sent_q    <= '0;
      one_q     <= two_q | (one_q & come);
      two_q     <= two_q & come;
    end else begin
      arrived_q <= arrived;
      sent_q    <= sent_q | send;
      one_q     <= one_q | come;
      two_q     <= two_q | (one_q & come);
    end
  end

endmodule

`default_nettype wire
