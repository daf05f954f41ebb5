// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Chooses one of several requests in the cycle they are made.
///
/// Round robin: the search starts above the last accepted winner and wraps around, so that each of
/// n steady requesters wins once in n accepted grants. Fixed priority: the lowest index wins.
/// Grants depend on the requests combinationally; only the starting point is registered.
module arbiter #(
    /// Requesters, at least one.
    parameter int unsigned NumRequests = 4,
    /// 0: round robin. 1: the lowest index wins.
    parameter bit FixedPriority = 1'b0,
    /// Bits of an index.
    localparam int unsigned IndexWidth = NumRequests > 1 ? $clog2(NumRequests) : 1
) (
    /// Clock.
    input  logic                   clk_i,
    /// Synchronous reset, active low.
    input  logic                   rst_ni,
    /// Who asks.
    input  logic [NumRequests-1:0] request_i,
    /// The grant is used in this cycle: the next search starts above its winner.
    input  logic                   accept_i,
    /// There is a winner.
    output logic                   valid_o,
    /// The winner, one-hot; zero without requests.
    output logic [NumRequests-1:0] grant_o,
    /// The winner's index; zero without requests.
    output logic [ IndexWidth-1:0] index_o
);

  if (NumRequests == 0) begin : gen_requests_check
    $error("NumRequests must be at least 1");
  end

  // Places above the last winner.
  logic [NumRequests-1:0] above;

  assign valid_o = |request_i;

  always_comb begin
    grant_o = '0;
    index_o = '0;
    if (valid_o) begin
      for (int unsigned i = 0; i < NumRequests; i++) begin
        grant_o[i] = request_i[i] &&
            (request_i & (above[i] ? above & below(i) : above | below(i))) == '0;
      end
      for (int unsigned bit_index = 0; bit_index < IndexWidth; bit_index++) begin
        index_o[bit_index] = |(grant_o & index_bit(bit_index));
      end
    end
  end

  // Requesters with a lower index than `i`.
  function automatic logic [NumRequests-1:0] below(int unsigned i);
    below = (NumRequests'(1) << i) - 1'b1;
  endfunction

  // Indices whose bit `bit_index` is set, as a mask of requesters.
  function automatic logic [NumRequests-1:0] index_bit(int unsigned bit_index);
    for (int unsigned i = 0; i < NumRequests; i++) index_bit[i] = ((i >> bit_index) & 1) != 0;
  endfunction

  if (FixedPriority) begin : gen_fixed_priority
    assign above = '1;
    logic unused;
    assign unused = ^{clk_i, rst_ni, accept_i};
  end else begin : gen_round_robin
    // Ones above the last winner.
    logic [NumRequests-1:0] above_q;
    assign above = above_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) above_q <= '0;
      else if (valid_o && accept_i) begin
        for (int unsigned i = 0; i < NumRequests; i++) above_q[i] <= |(grant_o & below(i));
      end
    end
  end

`ifndef SYNTHESIS
  // There is at most one winner.
  GrantOneHot :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(grant_o));
  // Only requesters win, and one does if anyone asks.
  GrantImpliesRequest :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (grant_o & ~request_i) == '0);
  RequestImpliesGrant :
  assert property (@(posedge clk_i) disable iff (!rst_ni) |request_i |-> grant_o[index_o]);
`endif

endmodule

`default_nettype wire
