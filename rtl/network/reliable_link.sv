// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// One end of a link that loses nothing: between a router's port and a wire with bit errors.
///
///     router ---- flits, credits ----> link_sender ----> frames ----> wire to the other end
///     router <--- flits, credits ---- link_receiver <--- frames <---- wire from the other end
///
/// Every flit and credit arrives once, in order and correct, as long as no frame is damaged in more
/// than five bits unnoticed: bit errors cost time, never data. Without errors each flit and credit is
/// two cycles longer on its way than over `link`, and every cycle carries one. A damaged frame costs
/// about a round trip, in which the frames behind it are sent again. A link that stays silent or
/// damaged is given up: `dead_o`.
///
/// The round trip, from a frame to the room that its acknowledgement gives, is twice the wire's latency
/// and four cycles.
module reliable_link
  import tidings_pkg::*;
  import link_pkg::*;
#(
    /// Flits that the buffers at the other end hold, all channels together.
    parameter int unsigned QueueFlits = 64,
    /// Frames that can be on their way: a power of two, more than a round trip has cycles.
    parameter int unsigned Window = 64,
    /// Cycles without an acknowledgement until frames are sent again: more than a round trip.
    parameter int unsigned Timeout = 64,
    /// Times that frames are sent again in vain until the link is dead.
    parameter int unsigned MaxRetries = 16
) (
    /// Clock.
    input  logic                clk_i,
    /// Synchronous reset, active low; both ends are reset together.
    input  logic                rst_ni,
    /// The router sends a flit.
    input  logic                flit_valid_i,
    /// The flit.
    input  flit_t               flit_i,
    /// The router gives credits for what it took, one bit per channel.
    input  logic   [MaxVcs-1:0] credit_i,
    /// A flit for the router.
    output logic                flit_valid_o,
    /// The flit; any value without.
    output flit_t               flit_o,
    /// Credits for the router, one bit per channel.
    output logic   [MaxVcs-1:0] credit_o,
    /// A frame goes to the wire.
    output logic                frame_valid_o,
    /// The frame; zero without.
    output frame_t              frame_o,
    /// A frame comes from the wire.
    input  logic                frame_valid_i,
    /// The frame, perhaps damaged.
    input  frame_t              frame_i,
    /// The link is dead: nothing was acknowledged however often it was sent.
    output logic                dead_o,
    /// A frame is sent again.
    output logic                resent_o,
    /// A damaged frame came in the cycle before.
    output logic                damaged_o,
    /// Low: a clock edge without inputs changes nothing.
    output logic                busy_o
);

  logic ack_valid, resend, answer, refuse, answered, sender_busy, receiver_busy;
  sequence_t ack, expected;

  link_sender #(
      .QueueFlits(QueueFlits),
      .Window(Window),
      .Timeout(Timeout),
      .MaxRetries(MaxRetries)
  ) u_sender (
      .clk_i,
      .rst_ni,
      .flit_valid_i,
      .flit_i,
      .credit_i,
      .ack_valid_i(ack_valid),
      .ack_i      (ack),
      .resend_i   (resend),
      .expected_i (expected),
      .answer_i   (answer),
      .refuse_i   (refuse),
      .answered_o (answered),
      .frame_valid_o,
      .frame_o,
      .dead_o,
      .resent_o,
      .busy_o     (sender_busy)
  );

  link_receiver u_receiver (
      .clk_i,
      .rst_ni,
      .frame_valid_i,
      .frame_i,
      .flit_valid_o,
      .flit_o,
      .credit_o,
      .ack_valid_o(ack_valid),
      .ack_o      (ack),
      .resend_o   (resend),
      .expected_o (expected),
      .answer_o   (answer),
      .refuse_o   (refuse),
      .answered_i (answered),
      .damaged_o,
      .busy_o     (receiver_busy)
  );

  assign busy_o = sender_busy || receiver_busy;

endmodule

`default_nettype wire
