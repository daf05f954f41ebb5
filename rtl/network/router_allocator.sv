// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Allocation of one output port of a router: to whom its channels belong, and who sends in a cycle.
///
/// Of the input channels that ask for the port, one is granted it in a cycle: round robin, or by fixed
/// priority. One may ask successfully if it owns the output channel that it wants, or finds it free;
/// and if there is a credit, unless it asks in order to take the channel and not to send. A grant is
/// used to take the channel, to send a word, or both; one that is not used costs nobody his turn. An
/// output channel is free again when a tail has been sent.
module router_allocator
  import tidings_pkg::*;
#(
    /// Input channels.
    parameter int unsigned Inputs = 10,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Output channels of the port.
    parameter int unsigned NumVcs = 4,
    /// Flits of the buffer behind each output channel.
    parameter int unsigned BufferFlits = 256,
    /// Flits for which there must be room before a packet with branches may start; 0: none is needed.
    parameter int unsigned RoomFlits = 0,
    /// 0: round robin among input channels. 1: the lowest wins.
    parameter bit FixedPriority = 1'b0
) (
    /// Clock.
    input  logic              clk_i,
    /// Synchronous reset, active low.
    input  logic              rst_ni,
    /// A place of the buffer downstream became free, one bit per channel.
    input  logic [MaxVcs-1:0] credit_i,
    /// Input channels that ask for the port.
    input  logic [Inputs-1:0] ask_i,
    /// Output channel that each of them wants.
    input  vc_t  [Inputs-1:0] vc_i,
    /// Those with a packet with branches: it wants the first channel of class 0 instead, ...
    input  logic [Inputs-1:0] static_i,
    /// ... or that behind the dateline.
    input  logic [Inputs-1:0] behind_i,
    /// Those that own it.
    input  logic [Inputs-1:0] owner_i,
    /// Those that ask for the channel, and need no credit.
    input  logic [Inputs-1:0] taking_i,
    /// The input channel that is granted the port, one-hot.
    output logic [Inputs-1:0] grant_o,
    /// The same, if the grant is used: the channel is taken or kept.
    input  logic [Inputs-1:0] use_i,
    /// The same, if a word is sent.
    input  logic [Inputs-1:0] send_i,
    /// Packets with branches that give back the channel that they took.
    input  logic [Inputs-1:0] release_i,
    /// Words that are tails.
    input  logic [Inputs-1:0] last_i,
    /// Output channel of the input channel that is granted the port.
    output vc_t               vc_o,
    /// Output channels that belong to nobody.
    output logic [MaxVcs-1:0] free_o,
    /// Those with a credit.
    output logic [MaxVcs-1:0] credit_o,
    /// Those with room for a packet with branches.
    output logic [MaxVcs-1:0] room_o
);

  logic [MaxVcs-1:0] taken_q;
  logic [Inputs-1:0] eligible;
  logic sent, sent_last;

  function automatic vc_t wanted_vc(int unsigned c);
    if (static_i[c]) return behind_i[c] ? VcWidth'(NumClasses) : '0;
    return vc_i[c];
  endfunction

  // Most ports are idle most of the time: what is skipped then simulates fast, and hardware is the same.
  always_comb begin : request
    eligible = '0;
    if (ask_i != '0) begin
      for (int unsigned c = 0; c < Inputs; c++) begin
        if (ask_i[c]) begin
          automatic vc_t vc = wanted_vc(c);
          eligible[c] = (owner_i[c] || !taken_q[vc]) && (taking_i[c] || credit_o[vc]);
        end
      end
    end
  end

  arbiter #(
      .NumRequests  (Inputs),
      .FixedPriority(FixedPriority)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(eligible),
      .accept_i (|use_i),
      .valid_o  (),
      .grant_o,
      .index_o  ()
  );

  always_comb begin : choose
    vc_o = '0;
    if (grant_o != '0) begin
      for (int unsigned c = 0; c < Inputs; c++) if (grant_o[c]) vc_o |= wanted_vc(c);
    end
  end
  assign sent = |send_i;
  assign sent_last = |(send_i & last_i);

  logic [1:0] released;
  assign released = {|(release_i & behind_i), |(release_i & ~behind_i)};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) taken_q <= '0;
    else begin
      if (|use_i) taken_q[vc_o] <= !sent_last;
      if (released[0]) taken_q[0] <= 1'b0;
      if (released[1]) taken_q[VcWidth'(NumClasses)] <= 1'b0;
    end
  end
  assign free_o = ~taken_q;

  for (genvar v = 0; v < MaxVcs; v++) begin : gen_vc
    if (v < NumVcs) begin : gen_channel
      localparam bit Room = RoomFlits != 0 && v % NumClasses == 0;
      logic room;
      credit_counter #(
          .Credits(BufferFlits),
          .Room(Room ? RoomFlits : 1)
      ) u_credits (
          .clk_i,
          .rst_ni,
          .take_i     (sent && vc_o == VcWidth'(v)),
          .give_i     (credit_i[v]),
          .available_o(credit_o[v]),
          .room_o     (room)
      );
      assign room_o[v] = Room ? room : 1'b1;
    end else begin : gen_no_channel
      assign credit_o[v] = 1'b0;
      assign room_o[v]   = 1'b1;
      logic unused;
      assign unused = credit_i[v];
    end
  end

`ifndef SYNTHESIS
  // Only a grant can be used, and a word is sent on an output channel that its packet has or takes.
  UseImpliesGrant :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (use_i & ~grant_o) == '0);
  SendImpliesUse :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (send_i & ~use_i) == '0);
`endif

endmodule

`default_nettype wire
