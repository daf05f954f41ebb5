// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: in a mesh of `barrier_group`s nobody is released before all members have arrived, and everybody is when they
/// have; members arrive when they like, again and again.
///
/// The members are where the columns `Columns` cross the rows `Rows`, one bit each; others only hand tokens on.
module barrier_group_proof
  import tidings_pkg::*;
#(
    /// Columns of the mesh.
    parameter int unsigned Width = 2,
    /// Rows of the mesh.
    parameter int unsigned Height = 2,
    /// Columns that have members.
    parameter int unsigned Columns = 3,
    /// Rows that have members.
    parameter int unsigned Rows = 3,
    /// Also claim when the last one is released.
    parameter bit Timed = 1'b1
) (
    input logic                    clk_i,
    input logic [Width*Height-1:0] arrive_i
);

  localparam int unsigned Nodes = Width * Height;
  /// Barriers of a member, modulo a number that no two members are as far apart as.
  typedef logic [2:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [Nodes-1:0] member, arrive, arrived, done, stray;
  logic [Nodes-1:0][BarrierPorts-1:0] mates, token_in, token_out;
  count_t [Nodes-1:0] arrivals_q, releases_q;

  // Some bit of a set below or above one.
  function automatic logic below(int unsigned set, int unsigned bit_);
    return (set & ((1 << bit_) - 1)) != 0;
  endfunction
  function automatic logic above(int unsigned set, int unsigned bit_);
    return (set >> (bit_ + 1)) != 0;
  endfunction

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    localparam int unsigned X = n % Width;
    localparam int unsigned Y = n / Width;
    assign member[n] = Columns[X] && Rows[Y];
    assign mates[n] = member[n] ? {below(
        Rows, Y
    ), above(
        Rows, Y
    ), below(
        Columns, X
    ), above(
        Columns, X
    )} : '0;
    if (X + 1 < Width) assign token_in[n][0] = token_out[n+1][1];
    else assign token_in[n][0] = 1'b0;
    if (X > 0) assign token_in[n][1] = token_out[n-1][0];
    else assign token_in[n][1] = 1'b0;
    if (Y + 1 < Height) assign token_in[n][2] = token_out[n+Width][3];
    else assign token_in[n][2] = 1'b0;
    if (Y > 0) assign token_in[n][3] = token_out[n-Width][2];
    else assign token_in[n][3] = 1'b0;

    // Software arrives again when it has been told that the barrier is complete.
    assign arrive[n] = arrive_i[n] && member[n] && !arrived[n] && rst_n;

    barrier_group u_group (
        .clk_i,
        .rst_ni   (rst_n),
        .member_i (member[n]),
        .mates_i  (mates[n]),
        .clear_i  (1'b0),
        .arrive_i (arrive[n]),
        .arrived_o(arrived[n]),
        .done_o   (done[n]),
        .token_i  (token_in[n]),
        .token_o  (token_out[n]),
        .stray_o  (stray[n])
    );

    always_ff @(posedge clk_i) begin
      if (!rst_n) begin
        arrivals_q[n] <= '0;
        releases_q[n] <= '0;
      end else begin
        arrivals_q[n] <= arrivals_q[n] + count_t'(arrive[n]);
        releases_q[n] <= releases_q[n] + count_t'(done[n]);
      end
    end
  end

  // For how many cycles a member has waited although all others have arrived.
  logic [Nodes-1:0] late;
  logic [Nodes-1:0][3:0] age_q;
  for (genvar n = 0; n < Nodes; n++) begin : gen_age
    always_comb begin
      late[n] = arrived[n];
      for (int unsigned m = 0; m < Nodes; m++) begin
        if (member[m] && arrivals_q[m] == releases_q[n]) late[n] = 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_n || !late[n] || done[n]) age_q[n] <= '0;
      else age_q[n] <= age_q[n] + 1'b1;
    end
  end

  for (genvar n = 0; n < Nodes; n++) begin : gen_claims
    for (genvar m = 0; m < Nodes; m++) begin : gen_pair
      // Barriers at which the one has arrived, at the latest now, and which the other is not told of.
      count_t ahead;
      assign ahead = arrivals_q[m] + count_t'(arrive[m]) - releases_q[n] - count_t'(done[n]);
      always_comb begin
        if (rst_n) NeverEarly : assert (!member[m] || !member[n] || ahead <= count_t'(2));
      end
    end
    always_comb begin
      if (rst_n) begin
        NothingStray : assert (!stray[n]);
        // A sweep through a row, and one through a column, a cycle for each link.
        if (Timed) SoonEnough : assert (!late[n] || 32'(age_q[n]) + 1 <= Width + Height - 2);
      end
    end
  end
  always_comb begin
    if (rst_n) begin
      cover (releases_q[Nodes-1] == count_t'(3));
      cover (late[0] && 32'(age_q[0]) + 1 == Width + Height - 2);
    end
  end

  // ---------------------------------------------------------------- lemmas
  // If all routers are members, the claims hold for ever by these.
  if (Columns == (1 << Width) - 1 && Rows == (1 << Height) - 1) begin : gen_lemmas
    for (genvar n = 0; n < Nodes; n++) begin : gen_node_lemmas
      logic [BarrierPorts-1:0] one, two, sent, kept;
      assign one  = gen_node[n].u_group.one_q;
      assign two  = gen_node[n].u_group.two_q;
      assign sent = gen_node[n].u_group.sent_q;
      assign kept = one | ~mates[n];
      always_comb begin
        if (rst_n) begin
          assert (arrivals_q[n] == releases_q[n] + count_t'(arrived[n]));
          assert ((two & ~one) == '0 && ((one | sent | token_out[n]) & ~mates[n]) == '0);
          // What has been sent of this barrier still lies where it was waited for.
          assert (!sent[0] || (arrived[n] && kept[1]));
          assert (!sent[1] || (arrived[n] && kept[0]));
          assert (!sent[2] || (arrived[n] && kept[0] && kept[1] && kept[3]));
          assert (!sent[3] || (arrived[n] && kept[0] && kept[1] && kept[2]));
        end
      end
      for (genvar m = 0; m < Nodes; m++) begin : gen_spread
        count_t spread;
        assign spread = releases_q[m] - releases_q[n] + count_t'(1);
        always_comb if (rst_n) assert (spread <= count_t'(2));
      end
      for (genvar p = 0; p < BarrierPorts; p++) begin : gen_link
        localparam int unsigned X = n % Width;
        localparam int unsigned Y = n / Width;
        localparam bit Leads = p == 0 ? X + 1 < Width : p == 1 ? X > 0 :
            p == 2 ? Y + 1 < Height : Y > 0;
        if (Leads) begin : gen_leads
          localparam int unsigned There = p == 0 ? n + 1 : p == 1 ? n - 1 :
              p == 2 ? n + Width : n - Width;
          count_t under_way;
          assign under_way = count_t'(gen_node[There].u_group.one_q[p^1]) +
              count_t'(gen_node[There].u_group.two_q[p^1]) + count_t'(token_out[n][p]);
          always_comb begin
            if (rst_n) begin
              // No token is lost, and a neighbour is a barrier ahead at most.
              assert (releases_q[n] + count_t'(sent[p]) == releases_q[There] + under_way);
              assert (under_way <= count_t'(2));
            end
          end
        end
      end
    end
  end

endmodule

`default_nettype wire
