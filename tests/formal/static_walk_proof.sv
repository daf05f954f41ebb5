// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `static_walk` takes the output channels of all branches one by one, in the order of the
/// ports, the next one only when there is room behind those it has; then each word leaves once on
/// each branch before it is popped. Branches that are refused are never asked for.
///
/// Reference and surroundings are those of `static_route_proof`; a port is granted when it is asked
/// for and its output channel is free, or has a credit.
module static_walk_proof #(
    /// Network ports of the router.
    parameter int unsigned NumPorts = 4,
    /// All its ports.
    parameter int unsigned Ports = 6,
    /// Port of the input channel.
    parameter int unsigned Port = 0,
    /// The input channel is one behind the dateline.
    parameter bit BehindDateline = 1'b0
) (
    input logic             clk_i,
    input logic             valid_i,
    input logic             last_i,
    input logic             served_i,
    input logic [Ports-1:0] ports_i,
    input logic             switched_i,
    input logic [Ports-1:0] free_i,
    input logic [Ports-1:0] room_i,
    input logic [Ports-1:0] grant_i
);

  typedef logic [Ports-1:0] ports_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // The place in the machine never changes, and is any.
  ports_t linked_q, wraps_q;
  always_ff @(posedge clk_i) begin
    linked_q <= linked_q;
    wraps_q  <= wraps_q;
  end

  logic lookup, served, pop, active, refused, taking, leaves, claim, finished, word;
  ports_t room, ask, grant, sends;
  static_walk #(
      .NumPorts      (NumPorts),
      .Ports         (Ports),
      .Port          (Port),
      .BehindDateline(BehindDateline)
  ) u_static (
      .clk_i,
      .rst_ni   (rst_n),
      .valid_i  (word),
      .last_i,
      .lookup_o (lookup),
      .served_i (served),
      .ports_i,
      .switched_i,
      .linked_i (linked_q),
      .wraps_i  (wraps_q),
      .room_i   (room),
      .ask_o    (ask),
      .taking_o (taking),
      .leaves_o (leaves),
      .grant_i  (grant),
      .done_i   (finished),
      .claim_o  (claim),
      .active_o (active),
      .refused_o(refused)
  );

  // ------------------------------------------------------------------ the rules of `router`
  // Back to where the packet came from, to a lower dimension, over a wrap-around link a second
  // time.
  ports_t breaks_rules, allowed;
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      breaks_rules[p] = Port < NumPorts && p < NumPorts &&
          (p == Port || p / 2 < Port / 2 || (BehindDateline && p / 2 == Port / 2 && wraps_q[p]));
    end
  end
  assign allowed = linked_q & (switched_i ? '1 : ~breaks_rules);

  // ------------------------------------------------------------------ surroundings
  // A word stays until it is popped. Routes are looked up, ports are granted when asked for, unless
  // the output channel is another packet's or has no credit. Nobody uses an output channel that
  // this packet has, and its room can only grow.
  logic waited_q, last_q;
  ports_t owned_q, roomy_q;
  assign word = rst_n && valid_i;
  assign served = served_i && lookup;
  assign room = word ? room_i | (owned_q & roomy_q) : '0;
  assign grant = word ? grant_i & ask : '0;
  assign finished = (ask & ~grant) == '0;
  assign pop = word && leaves && finished;
  assign sends = leaves ? grant : '0;
  always_ff @(posedge clk_i) begin
    waited_q <= word && !pop;
    last_q   <= last_i;
    roomy_q  <= room;
  end
  always_comb begin
    WordsStay : assume (!waited_q || (valid_i && last_i == last_q));
  end

  // ------------------------------------------------------------------ reference
  logic routed_q, switched_q, started_q;
  ports_t branches_q, sent_q, having, roomy;
  assign having = owned_q | (taking ? grant : '0);
  assign roomy  = room | {Ports{switched_q}};
  logic all_sent;
  assign all_sent = (sent_q | sends) == branches_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      routed_q <= 1'b0;
      started_q <= 1'b0;
      branches_q <= '0;
      owned_q <= '0;
      sent_q <= '0;
    end else begin
      if (served) begin
        routed_q   <= 1'b1;
        switched_q <= switched_i;
        branches_q <= ports_i & allowed;
      end
      if (claim) started_q <= 1'b1;
      owned_q <= having & ~(last_i ? sends : '0);
      sent_q  <= pop ? '0 : sent_q | sends;
      if (pop && last_i) begin
        routed_q   <= 1'b0;
        started_q  <= 1'b0;
        branches_q <= '0;
      end
    end
  end

  // Ports below each one.
  function automatic ports_t below(int unsigned port);
    for (int unsigned p = 0; p < Ports; p++) below[p] = p < port;
  endfunction

  for (genvar p = 0; p < Ports; p++) begin : gen_order
    ports_t lower;
    assign lower = branches_q & below(p);
    always_comb begin
      if (rst_n && taking) begin
        AskedInOrder : assert (!ask[p] || (lower & ~owned_q) == '0);
        TakenBehindRoom : assert (!grant[p] || (lower & ~roomy) == '0);
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      RouteIsLookedUpOnce : assert (lookup == (word && !routed_q));
      RefusalIsTold : assert (refused == (served && (ports_i == '0 || (ports_i & ~allowed) != '0)));
      NothingRefused : assert ((ask & ~branches_q) == '0);
      TakingOrLeaving : assert (taking == (routed_q && !started_q) && leaves == started_q);
      OneByOne : assert (!taking || ((ask & (ask - 1'b1)) == '0 && (ask & owned_q) == '0));
      AllTaken : assert (!claim || (branches_q & ~(having & roomy)) == '0);
      AllOrNothing : assert (!leaves || (branches_q & ~(owned_q | sent_q)) == '0);
      NothingDoubled : assert ((sends & sent_q) == '0);
      NothingLost : assert (!pop || all_sent);
      NothingHeldUp : assert (pop || !(word && leaves && all_sent));
      // Whoever looks at this output may stop the clock.
      ChangesAreTold : assert (active || grant != '0 || !(served || claim || pop));

      // Lemmas: the registers hold what the reference has.
      assert (u_static.state_q == (started_q ? 2'd2 : routed_q ? 2'd1 : 2'd0));
      if (routed_q) begin
        assert (u_static.branches_q == branches_q && u_static.switched_q == switched_q);
      end
      assert (!started_q || routed_q);
      assert (started_q || sent_q == '0);
      assert (!routed_q || started_q || waited_q);
      assert ((owned_q & ~branches_q) == '0 && (sent_q & ~branches_q) == '0);
      if (started_q) begin
        assert (ask == (branches_q & ~sent_q) && u_static.taking_q == '0);
        assert (owned_q == (branches_q & ~(waited_q && last_q ? sent_q : '0)));
        assert (waited_q || sent_q == '0);
      end else if (routed_q) begin
        assert (u_static.rest_q == (branches_q & ~owned_q & ~ask));
        assert ((u_static.taking_q & ~branches_q) == '0 && (ask & ~u_static.taking_q) == '0);
        assert ((u_static.taking_q & u_static.rest_q) == '0);
        assert ((u_static.taking_q & (u_static.taking_q - 1'b1)) == '0);
        // One is being taken or waits for room, those below it have it.
        assert ((owned_q & ~u_static.taking_q & ~(roomy_q |{Ports{switched_q}})) == '0);
        assert (u_static.taking_q != '0 || branches_q == '0);
        assert ((u_static.rest_q & (u_static.taking_q - 1'b1)) == '0);
        assert (u_static.taking_q == '0 || (owned_q & ~u_static.taking_q &
                ~(u_static.taking_q - 1'b1)) == '0);
      end else begin
        assert (ask == '0 && u_static.taking_q == '0);
        assert (owned_q == '0 && branches_q == '0);
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      // Three branches, taken one after the other, of which the words leave one after the other.
      cover (pop && last_i && sent_q == ports_t'('b110000) && branches_q == ports_t'('b111000));
      cover (started_q && !last_i && sent_q != '0 && owned_q == branches_q && pop);
      cover (taking && ask == '0 && branches_q != '0 && !claim);
      cover (pop && routed_q && branches_q == '0);
      cover (refused && (ports_i & allowed) != '0);
      cover (claim && switched_q && (room & branches_q) == '0 && branches_q != '0);
    end
  end

endmodule

`default_nettype wire
