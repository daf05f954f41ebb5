// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: sender with a `credit_counter`, `link`, receiver with a `fifo`: the buffer never overruns, no
/// credit is lost or invented, and every word arrives once and in order.
///
/// With `Latency` 0 the link is any link that keeps the order: each flit and each credit is under
/// way for as long as it likes, a time of its own. The links that the sender can fill are those with at
/// most `Credits` flits under way, whatever their latency: so this is all of them.
module credit_link_proof
  import tidings_pkg::*;
#(
    /// Latency of the link; 0: any, changing from flit to flit.
    parameter int unsigned Latency = 1,
    /// Places of the receiver's buffer.
    parameter int unsigned Credits = 4,
    /// Places that a packet of the sender may need.
    parameter int unsigned Room = 3
) (
    input logic       clk_i,
    input logic       send_i,
    input logic [3:0] data_i,
    input logic       take_i,
    input logic       flit_moves_i,
    input logic       credit_moves_i
);

  localparam int unsigned CountWidth = $clog2(Credits) + 1;
  localparam int unsigned IndexWidth = $clog2(Credits);
  typedef logic [CountWidth-1:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // ------------------------------------------------------------------ sender
  logic available, room, sent, credit;
  assign sent = send_i && available;
  credit_counter #(
      .Credits(Credits),
      .Room   (Room)
  ) u_credits (
      .clk_i,
      .rst_ni     (rst_n),
      .take_i     (sent),
      .give_i     (credit),
      .available_o(available),
      .room_o     (room)
  );

  // ------------------------------------------------------------------ receiver
  logic arrives, popped, empty;
  logic [3:0] arriving, oldest;
  count_t held;
  assign popped = take_i && !empty;
  fifo #(
      .T(logic [3:0]),
      .Depth(Credits)
  ) u_buffer (
      .clk_i,
      .rst_ni (rst_n),
      .push_i (arrives),
      .data_i (arriving),
      .pop_i  (popped),
      .data_o (oldest),
      .empty_o(empty),
      .full_o (),
      .count_o(held)
  );

  // ------------------------------------------------------------------ reference
  // Words sent and not yet taken, oldest first. The first `held` of them are in the buffer.
  logic [Credits-1:0][3:0] queue_q, rest;
  count_t count_q, left;
  assign rest = popped ? queue_q >> 4 : queue_q;
  assign left = count_q - count_t'(popped);
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      count_q <= '0;
    end else begin
      queue_q <= rest;
      if (sent) queue_q[left[IndexWidth-1:0]] <= data_i;
      count_q <= left + count_t'(sent);
    end
  end

  // ------------------------------------------------------------------ link
  count_t flying, returning;
  if (Latency == 0) begin : gen_any_latency
    // A word under way is the next one of the reference, or the one that is sent in this cycle.
    count_t flying_q, returning_q;
    assign flying = flying_q;
    assign returning = returning_q;
    assign arrives = flit_moves_i && (flying_q != '0 || sent);
    assign arriving = flying_q != '0 ? queue_q[held[IndexWidth-1:0]] : data_i;
    assign credit = credit_moves_i && (returning_q != '0 || popped);
    always_ff @(posedge clk_i) begin
      if (!rst_n) begin
        flying_q <= '0;
        returning_q <= '0;
      end else begin
        flying_q <= flying_q + count_t'(sent) - count_t'(arrives);
        returning_q <= returning_q + count_t'(popped) - count_t'(credit);
      end
    end
  end else begin : gen_link
    flit_t flit, flit_there;
    logic [MaxVcs-1:0] credits_there;
    assign flit = '{vc: '0, last: 1'b0, data: word_t'(data_i)};
    assign arriving = flit_there.data[3:0];
    assign credit = credits_there[0];
    link #(
        .Latency(Latency)
    ) u_link (
        .clk_i,
        .rst_ni      (rst_n),
        .flit_valid_i(sent),
        .flit_i      (flit),
        .credit_i    (MaxVcs'(popped)),
        .token_i     ('0),
        .switch_i    ('0),
        .flit_valid_o(arrives),
        .flit_o      (flit_there),
        .credit_o    (credits_there),
        .token_o     (),
        .switch_o    (),
        .busy_o      ()
    );
    if (Latency == 1) begin : gen_wires
      assign flying = '0;
      assign returning = '0;
    end else begin : gen_registers
      always_comb begin
        flying = '0;
        returning = '0;
        // From the receiver's end to the sender's, which is from the oldest to the youngest.
        for (int unsigned s = Latency - 1; s > 0; s--) begin
          if (u_link.gen_registers.valid_q[s-1]) begin
            // Lemma: what is under way is what the reference has behind the buffer.
            assert (!rst_n || u_link.gen_registers.flit_q[s-1].data[3:0] ==
                    queue_q[IndexWidth'(held+flying)]);
            flying = flying + 1'b1;
          end
          if (u_link.gen_registers.credit_q[s-1][0]) returning = returning + 1'b1;
        end
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      NeverOverrun : assert (!arrives || held != count_t'(Credits));
      CreditsConserved :
      assert (6'(u_credits.count_q) + 6'(flying) + 6'(held) + 6'(returning) == 6'(Credits));
      NothingLost : assert (6'(count_q) == 6'(flying) + 6'(held));
      InOrder : assert (empty || oldest == queue_q[0]);
      AvailableIsExact : assert (available == (u_credits.count_q != '0));
      RoomIsExact : assert (room == (32'(u_credits.count_q) >= Room));
      // Lemmas: the flag of the buffer says what the count does, the memory holds what arrived.
      assert (empty == (held == '0));
      for (int unsigned i = 0; i < Credits; i++) begin
        if (i < 32'(held)) assert (u_buffer.memory_q[IndexWidth'(u_buffer.read_q+i)] == queue_q[i]);
      end
      cover (count_q == count_t'(Credits) && !available);
      cover (held == count_t'(Credits));
      cover (sent && credit && popped);
    end
  end

endmodule

`default_nettype wire
