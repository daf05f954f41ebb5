// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The receiving half of an end of a link that loses nothing: checks frames, delivers each payload once
/// and in order, and has frames acknowledged or asked for again.
///
/// A frame in cycle t is delivered in t + 1. Damaged frames and all that follow a missing one are
/// dropped; the first of them has the other end start again. That request may itself be lost: then the
/// other end's timeout helps. All outputs depend on registered state.
///
///     frame_i ---> check ---> frame, syndrome ---> whole? next? ---> flit_o, credit_o
///                                                      |
///                                                      +---> ack_o; expected_o, answer_o, refuse_o
///
/// Registers behind the check keep it out of everything else: flits and credits are delivered straight
/// from them, and what the sending half is told follows a cycle later.
module link_receiver
  import tidings_pkg::*;
  import link_pkg::*;
(
    /// Clock.
    input  logic                   clk_i,
    /// Synchronous reset, active low.
    input  logic                   rst_ni,
    /// A frame arrives.
    input  logic                   frame_valid_i,
    /// The frame, perhaps damaged.
    input  frame_t                 frame_i,
    /// A flit is delivered.
    output logic                   flit_valid_o,
    /// The flit; any value without.
    output flit_t                  flit_o,
    /// Credits that are delivered, one bit per channel.
    output logic      [MaxVcs-1:0] credit_o,
    /// A frame came, two cycles before, with the next two.
    output logic                   ack_valid_o,
    /// Number that the other end waits for.
    output sequence_t              ack_o,
    /// The other end asks for all from that number on.
    output logic                   resend_o,
    /// Number that this end waits for.
    output sequence_t              expected_o,
    /// The other end must be told that number.
    output logic                   answer_o,
    /// The other end must be asked to start again there.
    output logic                   refuse_o,
    /// Both are told in this cycle.
    input  logic                   answered_i,
    /// A damaged frame came in the cycle before.
    output logic                   damaged_o,
    /// Low: a clock edge without inputs changes nothing.
    output logic                   busy_o
);

  // The frame of the cycle before, and what is left of its check: zero if it is whole.
  logic frame_valid_q;
  link_content_t content_q;
  check_t syndrome_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) frame_valid_q <= 1'b0;
    else frame_valid_q <= frame_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (frame_valid_i) begin
      content_q  <= frame_i.content;
      syndrome_q <= frame_i.check ^ link_check(frame_i.content);
    end
  end

  sequence_t expected_q, distance;
  logic good, fits, ahead, missing;

  assign good = frame_valid_q && syndrome_q == '0;
  assign distance = content_q.number - expected_q;
  assign fits = good && content_q.numbered && content_q.number == expected_q;
  // A number that is not ahead is behind: it came before.
  assign ahead = good && content_q.numbered && distance != '0 && !distance[SequenceWidth-1];
  assign missing = (frame_valid_q && !good) || ahead;

  logic ack_valid_q, resend_q, answer_q, refuse_q, waiting_q;
  sequence_t ack_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      expected_q <= '0;
      ack_valid_q <= 1'b0;
      answer_q <= 1'b0;
      refuse_q <= 1'b0;
      waiting_q <= 1'b0;
    end else begin
      expected_q  <= expected_q + SequenceWidth'(fits);
      ack_valid_q <= good;
      // A frame of this cycle is acknowledged by a later one.
      if (good && content_q.numbered) answer_q <= 1'b1;
      else if (answered_i) answer_q <= 1'b0;
      // One request for each gap.
      if (fits) waiting_q <= 1'b0;
      else if (missing) waiting_q <= 1'b1;
      if (missing && !waiting_q) refuse_q <= 1'b1;
      else if (fits || answered_i) refuse_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    ack_q <= content_q.ack;
    resend_q <= content_q.resend;
  end

  assign flit_valid_o = fits && content_q.payload.flit_valid;
  assign flit_o = content_q.payload.flit;
  assign credit_o = fits ? content_q.payload.credit : '0;
  assign ack_valid_o = ack_valid_q;
  assign ack_o = ack_q;
  assign resend_o = resend_q;
  assign expected_o = expected_q;
  assign answer_o = answer_q;
  assign refuse_o = refuse_q;
  assign damaged_o = frame_valid_q && !good;
  assign busy_o = frame_valid_q || ack_valid_q || answer_q || refuse_q;

endmodule

`default_nettype wire
