// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `static_route` takes the output channels of all branches in the order of the ports, and
/// only where there is room; then each word leaves once on each branch before it is popped.
/// Branches that are refused are never used, nor is a port that was not granted.
///
/// With a pipeline channels may be asked for and taken in any order. One is kept only as long as those of
/// all lower branches have room, and are the packet's or free; so nothing is kept while the packet waits for
/// another one. Words leave from the cycle after the last channel was taken.
///
/// The reference keeps for the packet at the head which branches its route has, which output
/// channels it has taken and on which of them its word has left. The other packets of the router
/// may take and free channels and use up credits as they like.
module static_route_proof #(
    /// Network ports of the router.
    parameter int unsigned NumPorts = 4,
    /// All its ports.
    parameter int unsigned Ports = 6,
    /// Port of the input channel.
    parameter int unsigned Port = 0,
    /// The input channel is one behind the dateline.
    parameter bit BehindDateline = 1'b0,
    /// Registers before and behind the arbiters.
    parameter bit Pipeline = 1'b0
) (
    input logic             clk_i,
    input logic             valid_i,
    input logic             last_i,
    input logic             served_i,
    input logic [Ports-1:0] ports_i,
    input logic             switched_i,
    input logic [Ports-1:0] free_i,
    input logic [Ports-1:0] credit_i,
    input logic [Ports-1:0] room_i,
    input logic             moves_i,
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

  logic lookup, served, pop, claim, active, refused, taking;
  logic [1:0] moved_q;
  ports_t free, credit, room, ask, request, grant, spare, released, stay, used, sends;
  static_route #(
      .NumPorts      (NumPorts),
      .Ports         (Ports),
      .Port          (Port),
      .BehindDateline(BehindDateline),
      .Pipeline      (Pipeline)
  ) u_static (
      .clk_i,
      .rst_ni   (rst_n),
      .valid_i  (rst_n && valid_i),
      .static_i (1'b1),
      .last_i,
      .lookup_o (lookup),
      .served_i (served),
      .wanted_i ('0),
      .ports_i,
      .switched_i,
      .linked_i (linked_q),
      .wraps_i  (wraps_q),
      .free_i   (free),
      .credit_i (credit),
      .room_i   (room),
      .stirred_i(|moved_q),
      .ask_o    (ask),
      .taking_o (taking),
      .grant_i  (grant),
      .spare_o  (spare),
      .release_o(released),
      .stay_o   (stay),
      .pop_o    (pop),
      .claim_o  (claim),
      .active_o (active),
      .refused_o(refused)
  );
  assign used  = grant & ~spare;
  assign sends = grant & ~stay;

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
  // A word stays until it is popped. Routes are looked up; ports that are asked for are granted, while
  // channels are taken those that are free, then those with a credit. Nobody frees or uses an output
  // channel that this packet has, and its room can only grow.
  logic waited_q, last_q;
  ports_t owned_q, roomy_q, free_q, released_q;
  assign served = served_i && lookup;
  assign free = valid_i ? free_i & ~owned_q : '0;
  assign credit = valid_i ? credit_i : '0;
  assign room = valid_i ? room_i | (owned_q & roomy_q) : '0;
  assign request = ask & (taking ? free : credit);
  assign grant = grant_i & request;
  always_ff @(posedge clk_i) begin
    waited_q <= rst_n && valid_i && !pop;
    last_q   <= last_i;
    roomy_q  <= room;
    free_q   <= free;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      moved_q <= '0;
      released_q <= '0;
    end else begin
      moved_q <= {moved_q[0], moves_i || used != '0 || lookup};
      released_q <= released;
    end
  end
  // What the packet waits for changes after a grant is used or a credit comes, here or elsewhere. Channels that
  // packets then give back, as `OnlyAfterMoves` has it, become free a cycle later.
  always_comb begin
    WordsStay : assume (!waited_q || (valid_i && last_i == last_q));
    if (waited_q && Pipeline) begin
      GivenBackIsFree : assume ((released_q & ~free) == '0);
      OnlyMovesChange : assume (moved_q[0] || (room == roomy_q && (free_q & ~free) == '0));
      ThenAtRest : assume (moved_q != '0 || free == free_q);
    end
  end

  // ------------------------------------------------------------------ reference
  logic routed_q, switched_q, started_q;
  ports_t branches_q, sent_q, having, roomy;
  assign having = owned_q | used;
  assign roomy  = room | {Ports{switched_q}};
  logic starts, leaves, all_sent;
  // The head leaves when all branches have their channels and room behind them.
  assign starts   = rst_n && valid_i && routed_q && branches_q == (branches_q & having & roomy);
  assign leaves   = started_q || (starts && !Pipeline);
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
      if (starts) started_q <= 1'b1;
      owned_q <= having & ~(last_i ? sends : '0) & ~released;
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
      if (rst_n && !started_q) begin
        if (Pipeline) begin
          KeptInOrder :
          assert (released[p] == (owned_q[p] && (lower & ~((owned_q | free) & roomy)) != '0));
        end else begin
          AskedInOrder : assert (!request[p] || (lower & ~((owned_q | request) & roomy)) == '0);
          TakenInOrder : assert (!used[p] || (lower & ~(having & roomy)) == '0);
        end
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      RouteIsLookedUpOnce : assert (lookup == (valid_i && !routed_q));
      RefusalIsTold : assert (refused == (served && (ports_i == '0 || (ports_i & ~allowed) != '0)));
      NothingUngranted : assert ((used & ~grant) == '0 && (sends & ~used) == '0);
      NothingRefused : assert (((request | used | sends) & ~branches_q) == '0);
      NothingWithoutWord : assert (valid_i || (request | sends) == '0);
      OnlyFreeIsTaken : assert ((used & ~owned_q & ~free) == '0);
      OnlyUnusedIsGivenBack :
      assert (released == '0 || (routed_q && !started_q && !starts && (released & used) == '0));
      AllOrNothing : assert (sends == '0 || leaves);
      OnlyWithCredit :
      assert ((sends & ~credit) == '0 && (started_q ? !taking : taking || !routed_q));
      ClaimedWhenAllAreTaken : assert (claim == (starts && !started_q && !pop));
      NothingDoubled : assert ((sends & sent_q) == '0);
      NothingLost : assert (!pop || all_sent);
      NothingHeldUp : assert (pop == (valid_i && leaves && all_sent));
      // Whoever looks at this output may stop the clock.
      ChangesAreTold :
      assert (active || used != '0 ||
              !(served || pop || sends != '0 || released != '0 || (starts && !started_q)));

      // Lemmas: the registers hold what the reference has.
      assert (u_static.take_q == (routed_q && !started_q) && u_static.leave_q == started_q);
      if (routed_q) begin
        assert (u_static.branches_q == branches_q && u_static.switched_q == switched_q);
      end
      assert (u_static.pending_q == (branches_q & (started_q ? ~sent_q : ~owned_q)));
      assert (!started_q || routed_q);
      assert (started_q || sent_q == '0);
      assert (!routed_q || started_q || waited_q);
      assert ((owned_q & ~branches_q) == '0 && (sent_q & ~branches_q) == '0);
      // What has begun to leave has every channel until its tail is gone there.
      if (started_q) begin
        assert (owned_q == (branches_q & ~(waited_q && last_q ? sent_q : '0)));
        assert (waited_q || sent_q == '0);
      end
      if (!routed_q) assert (owned_q == '0 && branches_q == '0);
      // Without a pipeline the channels taken are those of the lowest ports, and there is room behind
      // all but the last.
      for (int unsigned p = 0; p < Ports; p++) begin
        if (!Pipeline && owned_q[p] && !started_q) begin
          assert ((branches_q & below(p) & ~(owned_q & (roomy_q |{Ports{switched_q}}))) == '0);
        end
      end
    end
  end

  if (Pipeline) begin : gen_pipeline
    logic   reached_q;
    ports_t reachable_q;
    always_ff @(posedge clk_i) begin
      reached_q   <= rst_n && taking;
      reachable_q <= u_static.reachable;
    end
    always_comb begin
      if (rst_n && taking) begin
        ReachableIsTold :
        assert (active || (u_static.pending_q & u_static.reachable) == u_static.gen_pipeline.ask_q);
        // The assumption above, of others.
        OnlyAfterMoves : assert (released == '0 || moved_q[0]);
        // Lemma: what is ours and what is asked for was within reach in the cycle before.
        if (reached_q) begin
          assert (moved_q[0] || (owned_q & ~reachable_q) == '0);
          assert (u_static.gen_pipeline.ask_q == (u_static.pending_q & reachable_q));
        end
      end
      if (rst_n) begin
        // Lemma: nothing is asked for that is not pending, and when words leave all that is.
        assert ((u_static.gen_pipeline.ask_q & ~u_static.pending_q) == '0);
        assert (!started_q || u_static.gen_pipeline.ask_q == u_static.pending_q);
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      // Three branches, taken one after the other, of which the words leave one after the other.
      cover (pop && last_i && sent_q == ports_t'('b110000) && branches_q == ports_t'('b111000));
      cover (started_q && !last_i && sent_q != '0 && owned_q == branches_q && pop);
      cover (owned_q != '0 && !started_q && (branches_q & ~owned_q & ~free) != '0);
      cover (pop && routed_q && branches_q == '0);
      cover (refused && (ports_i & allowed) != '0);
      cover (starts && switched_q && (room & branches_q) == '0 && branches_q != '0);
      cover (Pipeline ? released != '0 : starts && sends != '0);
      // A channel that was taken before a lower one, and has been kept until that came, too.
      cover (!Pipeline || (starts && !started_q && owned_q == ports_t'('b110000) &&
          used == ports_t'('b001000)));
    end
  end

endmodule

`default_nettype wire
