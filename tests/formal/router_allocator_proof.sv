// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `router_allocator` grants its port to an input channel that may have it whenever there is one, and
/// to nobody else. It tells exactly which output channels are free, have a credit, and have room for a
/// packet with branches; one that is given back is free. Whoever may have the port sees at most as many
/// used grants go to others as there are others.
///
/// Input channels ask, own, use and give back as they like; only grants are used, only what is taken is
/// given back, and a word is sent with a credit.
module router_allocator_proof
  import tidings_pkg::*;
#(
    /// Input channels.
    parameter int unsigned Inputs = 4,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Output channels.
    parameter int unsigned NumVcs = 4,
    /// Flits of the buffer behind each.
    parameter int unsigned Flits = 3,
    /// Flits of the longest packet with branches.
    parameter int unsigned RoomFlits = 2,
    /// The lowest input channel wins.
    parameter bit FixedPriority = 1'b0
) (
    input logic              clk_i,
    input logic [MaxVcs-1:0] credit_i,
    input logic [Inputs-1:0] ask_i,
    input vc_t  [Inputs-1:0] vc_i,
    input logic [Inputs-1:0] static_i,
    input logic [Inputs-1:0] behind_i,
    input logic [Inputs-1:0] owner_i,
    input logic [Inputs-1:0] taking_i,
    input logic              use_i,
    input logic              send_i,
    input logic [Inputs-1:0] release_i,
    input logic [Inputs-1:0] last_i
);

  localparam int unsigned CountWidth = $clog2(Flits) + 1;
  localparam int unsigned WaitWidth = $clog2(Inputs) + 1;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [WaitWidth-1:0] wait_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [Inputs-1:0] ask, grant, used, sent, released;
  logic [MaxVcs-1:0] returned, free, has_credit, has_room;
  vc_t granted_vc;
  router_allocator #(
      .Inputs       (Inputs),
      .NumClasses   (NumClasses),
      .NumVcs       (NumVcs),
      .BufferFlits  (Flits),
      .RoomFlits    (RoomFlits),
      .FixedPriority(FixedPriority)
  ) u_allocator (
      .clk_i,
      .rst_ni   (rst_n),
      .credit_i (returned),
      .ask_i    (ask),
      .vc_i,
      .static_i,
      .behind_i,
      .owner_i,
      .taking_i,
      .grant_o  (grant),
      .use_i    (used),
      .send_i   (sent),
      .release_i(released),
      .last_i,
      .vc_o     (granted_vc),
      .free_o   (free),
      .credit_o (has_credit),
      .room_o   (has_room)
  );

  // ------------------------------------------------------------------ reference
  count_t room_q[MaxVcs];
  logic [MaxVcs-1:0] taken_q;
  vc_t [Inputs-1:0] wanted;
  logic [Inputs-1:0] may;
  vc_t vc;  // of the grant
  always_comb begin
    vc = '0;
    for (int unsigned c = 0; c < Inputs; c++) begin
      wanted[c] = !static_i[c] ? vc_i[c] : behind_i[c] ? vc_t'(NumClasses) : '0;
      may[c] = ask[c] && (owner_i[c] || !taken_q[wanted[c]]) &&
          (taking_i[c] || room_q[wanted[c]] != '0);
      if (grant[c]) vc = wanted[c];
    end
  end
  assign ask  = rst_n ? ask_i : '0;
  assign used = use_i ? grant : '0;
  assign sent = send_i && room_q[vc] != '0 ? used : '0;
  // A packet with branches gives back a channel that is taken, and with which nothing is done meanwhile.
  logic [MaxVcs-1:0] given_back;
  always_comb begin
    released   = '0;
    given_back = '0;
    for (int unsigned c = 0; c < Inputs; c++) begin
      released[c] = rst_n && release_i[c] && static_i[c] && taken_q[wanted[c]] &&
          !(used != '0 && vc == wanted[c]);
      if (released[c]) given_back[wanted[c]] = 1'b1;
    end
  end
  for (genvar v = 0; v < MaxVcs; v++) begin : gen_channel
    logic leaves;
    assign returned[v] = rst_n && v < NumVcs && credit_i[v] && room_q[v] != count_t'(Flits);
    assign leaves = sent != '0 && vc == vc_t'(v);
    always_ff @(posedge clk_i) begin
      if (!rst_n) begin
        room_q[v]  <= v < NumVcs ? count_t'(Flits) : '0;
        taken_q[v] <= 1'b0;
      end else begin
        room_q[v] <= room_q[v] + count_t'(returned[v]) - count_t'(leaves);
        if (used != '0 && vc == vc_t'(v)) taken_q[v] <= (sent & last_i) == '0;
        else if (given_back[v]) taken_q[v] <= 1'b0;
      end
    end
    always_comb begin
      if (rst_n) begin
        FreeIsExact : assert (free[v] == !taken_q[v]);
        CreditIsExact : assert (has_credit[v] == (room_q[v] != '0));
        RoomIsExact :
        assert (has_room[v] == (v >= NumVcs || v % NumClasses != 0 || 32'(room_q[v]) >= RoomFlits));
        // Lemma: nothing is beyond a buffer.
        assert (32'(room_q[v]) <= Flits);
      end
    end
    if (v < NumVcs) begin : gen_counted
      always_comb begin
        // Lemmas: the counter has the credits.
        if (rst_n) begin
          assert (u_allocator.gen_vc[v].gen_channel.u_credits.count_q == room_q[v]);
          assert (u_allocator.gen_vc[v].gen_channel.u_credits.room_q ==
                  (32'(room_q[v]) >= (v % NumClasses == 0 ? RoomFlits : 1)));
        end
      end
    end
  end

  // Used grants that each input channel has seen go to others since it may have the port.
  wait_t [Inputs-1:0] waited_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Inputs; c++) begin
      if (!rst_n || !may[c] || (grant[c] && used != '0)) waited_q[c] <= '0;
      else if (used != '0) waited_q[c] <= waited_q[c] + 1'b1;
    end
  end

  // ------------------------------------------------------------------ properties
  for (genvar c = 0; c < Inputs; c++) begin : gen_wanted
    always_comb ChannelExists : assume (32'(wanted[c]) < NumVcs);
  end
  always_comb begin
    if (rst_n) begin
      OneGrant : assert ((grant & (grant - 1'b1)) == '0);
      OnlyWhoMay : assert ((grant & ~may) == '0);
      NobodyWaitsInVain : assert (grant != '0 || may == '0);
      ChannelOfTheGrant : assert (granted_vc == vc);
      cover (used != '0 && sent == '0);
      cover (used != '0 && given_back == 4'b0101);
      cover (free == '0 && has_credit == 4'b0101);
    end
  end

  if (FixedPriority) begin : gen_fixed_priority
    always_comb begin
      if (rst_n) LowestWins : assert (grant == (may & (~may + 1'b1)));
    end
  end else begin : gen_round_robin
    // Lemmas: who has waited is near the start of the arbiter's search, which is at one place and wraps
    // around.
    logic [Inputs-1:0] above;
    wait_t start;
    assign above = u_allocator.u_arbiter.gen_round_robin.above_q;
    always_comb begin
      start = '0;
      for (int unsigned c = Inputs; c > 0; c--) if (above[c-1]) start = wait_t'(c - 1);
      if (rst_n) begin
        assert (above == '0 || (above | (above - 1'b1)) == '1);
      end
    end
    for (genvar c = 0; c < Inputs; c++) begin : gen_input
      always_comb begin
        if (rst_n) begin
          BoundedWait : assert (32'(waited_q[c]) < Inputs);
          assert (32'(waited_q[c]) + (c + Inputs - 32'(start)) % Inputs < Inputs);
        end
      end
    end
  end

endmodule

`default_nettype wire
