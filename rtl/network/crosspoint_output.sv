// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Output port of a crosspoint router: a crosspoint for each input and class, and who of them sends.
///
/// The port of a class belongs to one input from the head flit to the tail. Each cycle the port sends
/// one flit of a class that has one and has a credit; classes go in turns. A flit that is written at
/// the end of cycle t may leave in t + 1. All outputs depend on registered state alone.
///
/// Free ports of a class go to the inputs in turns, or to the lowest. With `FullestFirst` they go to
/// the input with the fullest crosspoint, and equally full ones go in turns. Each eighth packet is
/// chosen without looking at that, in turns of their own, so that nobody waits for ever.
module crosspoint_output
  import tidings_pkg::*;
#(
    /// Inputs.
    parameter int unsigned NumInputs = 4,
    /// Message classes.
    parameter int unsigned NumClasses = 2,
    /// Flits of a crosspoint, for each class.
    parameter int unsigned CrosspointFlits = 16,
    /// Flits of the slot's buffer, for each class.
    parameter int unsigned SlotBufferFlits = 16,
    /// 0: round robin among inputs. 1: the lowest wins.
    parameter bit FixedPriority = 1'b0,
    /// The fullest crosspoints go first.
    parameter bit FullestFirst = 1'b0
) (
    /// Clock.
    input  logic                                  clk_i,
    /// Synchronous reset, active low.
    input  logic                                  rst_ni,
    /// Inputs whose word goes to a crosspoint.
    input  logic  [NumClasses-1:0][NumInputs-1:0] write_i,
    /// The word is the tail of its packet.
    input  logic  [ NumInputs-1:0]                last_i,
    /// The words on the buses of the inputs.
    input  word_t [ NumInputs-1:0]                data_i,
    /// A flit leaves the crosspoint.
    output logic  [NumClasses-1:0][NumInputs-1:0] freed_o,
    /// A flit leaves.
    output logic                                  flit_valid_o,
    /// The flit; zero without.
    output flit_t                                 flit_o,
    /// A place of the buffer downstream became free, one bit per class.
    input  logic  [    MaxVcs-1:0]                credit_i
);

  localparam int unsigned CountWidth = $clog2(CrosspointFlits) + 1;
  typedef struct packed {
    logic  last;
    word_t data;
  } entry_t;

  logic [NumClasses-1:0] ask, win;
  entry_t [NumClasses-1:0] sent;

  for (genvar c = 0; c < NumClasses; c++) begin : gen_class
    entry_t [NumInputs-1:0] head;
    logic [NumInputs-1:0] empty, owner_q, requests, favoured, favourite, winner;
    logic [NumInputs-1:0][CountWidth-1:0] count;
    // The next packet is chosen without looking at how full crosspoints are.
    logic plain;
    logic taken_q, credit;

    for (genvar i = 0; i < NumInputs; i++) begin : gen_crosspoint
      fifo #(
          .T    (entry_t),
          .Depth(CrosspointFlits)
      ) u_crosspoint (
          .clk_i,
          .rst_ni,
          .push_i (write_i[c][i]),
          .data_i ('{last: last_i[i], data: data_i[i]}),
          .pop_i  (freed_o[c][i]),
          .data_o (head[i]),
          .empty_o(empty[i]),
          .full_o (),
          .count_o(count[i]),
          .load_o (),
          .next_o ()
      );
    end

    assign requests = taken_q ? owner_q & ~empty : ~empty;
    assign ask[c]   = requests != '0 && credit;

    if (FullestFirst) begin : gen_fullest
      logic [TurnWidth-1:0] turn_q;
      logic [NumInputs-1:0] next;
      assign plain  = turn_q == '1 && !taken_q;
      assign winner = plain ? next : favourite;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) turn_q <= '0;
        else if (win[c] && !taken_q) turn_q <= turn_q + 1'b1;
      end
      always_comb begin : choose
        // Who has a bit that another one has not is fuller, from the highest bit on.
        favoured = requests;
        for (int b = int'(CountWidth) - 1; b >= 0; b--) begin
          automatic logic [NumInputs-1:0] fuller = '0;
          for (int unsigned i = 0; i < NumInputs; i++) fuller[i] = favoured[i] && count[i][b];
          if (fuller != '0) favoured = fuller;
        end
      end
      arbiter #(
          .NumRequests(NumInputs)
      ) u_turns (
          .clk_i,
          .rst_ni,
          .request_i(requests),
          .accept_i (win[c] && plain),
          .valid_o  (),
          .grant_o  (next),
          .index_o  ()
      );
    end else begin : gen_plain
      assign plain    = 1'b0;
      assign favoured = requests;
      assign winner   = favourite;
      logic unused;
      assign unused = ^count;
    end

    arbiter #(
        .NumRequests  (NumInputs),
        .FixedPriority(FixedPriority)
    ) u_arbiter (
        .clk_i,
        .rst_ni,
        .request_i(favoured),
        .accept_i (win[c] && !plain),
        .valid_o  (),
        .grant_o  (favourite),
        .index_o  ()
    );
    assign freed_o[c] = win[c] ? winner : '0;

    always_comb begin : select
      sent[c] = '0;
      for (int unsigned i = 0; i < NumInputs; i++) if (winner[i]) sent[c] |= head[i];
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) taken_q <= 1'b0;
      else if (win[c]) taken_q <= !sent[c].last;
    end
    always_ff @(posedge clk_i) if (win[c]) owner_q <= winner;

    credit_counter #(
        .Credits(SlotBufferFlits)
    ) u_credits (
        .clk_i,
        .rst_ni,
        .take_i     (win[c]),
        .give_i     (credit_i[c]),
        .available_o(credit),
        .room_o     ()
    );
  end

  arbiter #(
      .NumRequests(NumClasses)
  ) u_classes (
      .clk_i,
      .rst_ni,
      .request_i(ask),
      .accept_i (1'b1),
      .valid_o  (flit_valid_o),
      .grant_o  (win),
      .index_o  ()
  );

  always_comb begin : send
    flit_o = '0;
    for (int unsigned c = 0; c < NumClasses; c++) begin
      if (win[c]) flit_o |= flit_t'({VcWidth'(c), sent[c]});
    end
  end

  logic unused_credits;
  assign unused_credits = ^credit_i;

endmodule

`default_nettype wire
