// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: slots at a `barrier_hub` are released when all members have arrived and nothing that these moved before is under
/// way, never before, at once, and once for each arrival; whatever sets of members the slots are in.
///
/// Each slot has a gate and a spoke per group as in `barrier_engine`, and a model of `rma`: it may be told to move
/// something in any cycle in which the slot does not arrive, and things are written in their order after any time.
module barrier_hub_proof
  import tidings_pkg::*;
#(
    /// Slots.
    parameter int unsigned NumSlots = 3,
    /// Groups that are looked at; the others are never used.
    parameter int unsigned Groups   = 2
) (
    input logic                            clk_i,
    /// Software arrives.
    input logic [NumSlots-1:0][Groups-1:0] arrive_i,
    /// These arrivals wait until the slot is quiet.
    input logic [NumSlots-1:0]             wait_i,
    /// Software tells `rma` to move something.
    input logic [NumSlots-1:0]             move_i,
    /// The oldest of what is under way is written.
    input logic [NumSlots-1:0]             written_i
);

  localparam int unsigned SetWidth = 2;
  /// Barriers of a slot, and things under way, modulo a number that is large enough.
  typedef logic [2:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // The members of a slot's barriers are the slots of the same set, which never changes.
  logic [NumSlots-1:0][Groups-1:0][SetWidth-1:0] set_q;
  always_ff @(posedge clk_i) set_q <= set_q;

  logic [NumSlots-1:0][BarrierGroups-1:0] accepted, entering, held, arrived, done, release_now;
  barrier_mates_t [NumSlots-1:0] mates;
  logic busy;
  count_t [NumSlots-1:0] moving_q;  // things under way
  logic [NumSlots-1:0] written, move;

  barrier_hub #(
      .NumSlots(NumSlots)
  ) u_hub (
      .clk_i,
      .rst_ni   (rst_n),
      .arrived_i(arrived),
      .mates_i  (mates),
      .release_o(release_now),
      .busy_o   (busy)
  );

  // Of each slot and group: barriers that it has arrived at and been released from; of its last arrival, whether it
  // waits for what was under way then, and how much of that still is.
  count_t [NumSlots-1:0][Groups-1:0] arrivals_q, releases_q, before_q;
  logic [NumSlots-1:0][Groups-1:0] waits_q;

  for (genvar s = 0; s < NumSlots; s++) begin : gen_slot
    assign written[s] = written_i[s] && moving_q[s] != '0;
    // A processor writes one register in a cycle.
    assign move[s] = rst_n && move_i[s] && arrive_i[s] == '0 && moving_q[s] != '1;
    always_ff @(posedge clk_i) begin
      if (!rst_n) moving_q[s] <= '0;
      else moving_q[s] <= moving_q[s] + count_t'(move[s]) - count_t'(written[s]);
    end

    barrier_gate u_gate (
        .clk_i,
        .rst_ni  (rst_n),
        .arrive_i(accepted[s]),
        .wait_i  (wait_i[s]),
        .quiet_i (moving_q[s] == count_t'(written[s])),
        .clear_i ('0),
        .enter_o (entering[s]),
        .held_o  (held[s])
    );

    for (genvar g = 0; g < BarrierGroups; g++) begin : gen_group
      if (g < Groups) begin : gen_used
        assign accepted[s][g] = rst_n && arrive_i[s][g] && !arrived[s][g] && !held[s][g];
        for (genvar t = 0; t < BarrierMates; t++) begin : gen_mate
          if (t < NumSlots) assign mates[s][g][t] = set_q[s][g] == set_q[t][g];
          else assign mates[s][g][t] = 1'b0;
        end
      end else begin : gen_unused
        assign accepted[s][g] = 1'b0;
        assign mates[s][g] = '0;
      end
      barrier_spoke u_spoke (
          .clk_i,
          .rst_ni   (rst_n),
          .member_i (1'b1),
          .clear_i  (1'b0),
          .arrive_i (entering[s][g]),
          .release_i(release_now[s][g]),
          .arrived_o(arrived[s][g]),
          .done_o   (done[s][g])
      );
    end

    for (genvar g = 0; g < Groups; g++) begin : gen_model
      always_ff @(posedge clk_i) begin
        if (!rst_n) begin
          arrivals_q[s][g] <= '0;
          releases_q[s][g] <= '0;
          before_q[s][g]   <= '0;
          waits_q[s][g]    <= 1'b0;
        end else begin
          arrivals_q[s][g] <= arrivals_q[s][g] + count_t'(accepted[s][g]);
          releases_q[s][g] <= releases_q[s][g] + count_t'(done[s][g]);
          if (accepted[s][g]) begin
            waits_q[s][g]  <= wait_i[s];
            before_q[s][g] <= moving_q[s] - count_t'(written[s]);
          end else if (written[s] && before_q[s][g] != '0) begin
            before_q[s][g] <= before_q[s][g] - 1'b1;
          end
        end
      end
    end
  end

  // ---------------------------------------------------------------- claims
  for (genvar s = 0; s < NumSlots; s++) begin : gen_claims
    for (genvar g = 0; g < Groups; g++) begin : gen_group
      logic [NumSlots-1:0] here;  // other members that have entered
      for (genvar t = 0; t < NumSlots; t++) begin : gen_other
        logic   member;
        count_t ahead;
        assign member  = mates[s][g][t];
        assign here[t] = !member || arrived[t][g];
        // Barriers that the other has arrived at and this one has not been released from.
        assign ahead   = arrivals_q[t][g] - releases_q[s][g];
        always_comb begin
          if (rst_n) begin
            NeverEarly : assert (!(done[s][g] && member) || ahead == count_t'(1));
            NothingInFlight :
            assert (!(done[s][g] && member && waits_q[t][g]) || before_q[t][g] == '0);
            AllAtOnce : assert (!member || done[s][g] == done[t][g]);
          end
        end
      end
      // All members have entered in the cycle before: this one is released now. So each arrival is answered.
      logic complete_q;
      always_ff @(posedge clk_i) complete_q <= rst_n && &here && !done[s][g];
      always_comb begin
        if (rst_n) begin
          InTheNextCycle : assert (!complete_q || done[s][g]);
          OncePerArrival :
          assert (arrivals_q[s][g] - releases_q[s][g] == count_t'(arrived[s][g] || held[s][g]));
          // A hub says nothing to a slot that waits for nothing.
          OnlyThoseWhoWait : assert (!release_now[s][g] || arrived[s][g]);
          // Lemmas: what has entered has nothing to wait for; what waits is not quiet.
          assert (!arrived[s][g] || !held[s][g]);
          assert (!(arrived[s][g] && waits_q[s][g]) || before_q[s][g] == '0);
          assert (!held[s][g] || waits_q[s][g]);
          assert (before_q[s][g] <= moving_q[s]);
        end
      end
      for (genvar t = 0; t < NumSlots; t++) begin : gen_lemma
        always_comb begin
          if (rst_n && mates[s][g][t]) begin
            assert (releases_q[s][g] == releases_q[t][g]);
            assert (release_now[s][g] == release_now[t][g]);
            assert (!release_now[s][g] || arrived[t][g]);
          end
        end
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      cover (releases_q[0][0] == count_t'(3) && releases_q[1][0] == count_t'(1));
      cover (done[0][0] && waits_q[0][0] && mates[0][0][1] && moving_q[1] != '0);
      cover (held[0][0] && arrived[0][1]);
    end
  end

  logic unused;
  assign unused = busy;

endmodule

`default_nettype wire
