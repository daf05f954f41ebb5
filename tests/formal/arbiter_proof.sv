// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: an `arbiter` has one winner among those who ask, and nobody waits for ever.
///
/// Round robin: the next requester above the last winner wins, so that a steady requester sees at
/// most NumRequests - 1 accepted grants of others. Fixed priority: the lowest index wins.
module arbiter_proof #(
    /// Requesters.
    parameter int unsigned NumRequests = 5,
    /// 0: round robin. 1: the lowest index wins.
    parameter bit FixedPriority = 1'b0,
    localparam int unsigned IndexWidth = NumRequests > 1 ? $clog2(NumRequests) : 1
) (
    input logic                   clk_i,
    input logic [NumRequests-1:0] request_i,
    input logic                   accept_i
);

  localparam int unsigned CountWidth = $clog2(NumRequests) + 1;
  typedef logic [CountWidth-1:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic valid;
  logic [NumRequests-1:0] grant;
  logic [IndexWidth-1:0] index;
  arbiter #(
      .NumRequests  (NumRequests),
      .FixedPriority(FixedPriority)
  ) u_arbiter (
      .clk_i,
      .rst_ni (rst_n),
      .request_i,
      .accept_i,
      .valid_o(valid),
      .grant_o(grant),
      .index_o(index)
  );

  // Accepted grants that each requester has seen go to others since it began to ask.
  count_t [NumRequests-1:0] waited_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumRequests; i++) begin
      if (!rst_n || !request_i[i]) waited_q[i] <= '0;
      else if (valid && accept_i) waited_q[i] <= grant[i] ? '0 : waited_q[i] + 1'b1;
    end
  end

  always_comb begin
    if (rst_n) begin
      GrantOneHot : assert ((grant & (grant - 1'b1)) == '0);
      WinnerAsked : assert ((grant & ~request_i) == '0);
      SomeoneWins : assert (valid == (request_i != '0) && valid == (grant != '0));
      IndexIsWinner : assert (valid ? grant[index] : index == '0);
      cover (valid && accept_i && !grant[0]);
    end
  end

  if (FixedPriority) begin : gen_fixed_priority
    always_comb begin
      if (rst_n) begin
        LowestWins : assert (grant == (request_i & (~request_i + 1'b1)));
      end
    end
  end else begin : gen_round_robin
    logic [NumRequests-1:0] above;
    count_t start;
    assign above = u_arbiter.gen_round_robin.above_q;

    // Places above the last winner whose grant was accepted, and who asks there.
    logic [NumRequests-1:0] behind_q, next;
    always_ff @(posedge clk_i) begin
      if (!rst_n) behind_q <= '0;
      else if (valid && accept_i) behind_q <= ~((grant << 1) - 1'b1);
    end
    assign next = (request_i & behind_q) != '0 ? request_i & behind_q : request_i;

    always_comb begin
      start = '0;
      for (int unsigned i = NumRequests; i > 0; i--) if (above[i-1]) start = count_t'(i - 1);
      if (rst_n) begin
        NextAboveTheLastWinner : assert (grant == (next & (~next + 1'b1)));
        // Lemmas: the search starts at one place, above the last winner, and wraps around.
        assert (above == behind_q);
        assert (above == '0 || (above | (above - 1'b1)) == '1);
        cover (32'(waited_q[0]) == NumRequests - 1);
      end
    end
    for (genvar i = 0; i < NumRequests; i++) begin : gen_requester
      always_comb begin
        if (rst_n) begin
          BoundedWait : assert (32'(waited_q[i]) < NumRequests);
          // Lemma: who has waited is near the start of the search.
          assert (32'(waited_q[i]) +
              (i >= 32'(start) ? i - 32'(start) : i + NumRequests - 32'(start)) < NumRequests);
        end
      end
    end
  end

endmodule

`default_nettype wire
