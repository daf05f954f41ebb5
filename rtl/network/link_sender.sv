// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// The sending half of an end of a link that loses nothing: numbers frames, keeps them until they are
/// acknowledged, and sends them again when one was lost (go-back-N).
///
///     flit_i ---> queue ----+--> frame_o          one payload a frame: a flit, credits, or both
///     credit_i -> counters -+       ^
///                           +--> window           frames that are not acknowledged yet
///
/// A flit or credit shown in cycle t is in a frame in t + 1 when nothing is in its way. The queue never
/// overflows, because the flits that wait or are on their way are those that the router has spent
/// credits for. After a request to resend, or when nothing has been acknowledged for `Timeout` cycles,
/// all frames of the window are sent again. When that was done `MaxRetries` times and brought no
/// acknowledgement, the link is dead: it sends nothing any more. All outputs depend on registered state.
///
/// What is sent in a cycle is decided by flags in registers, so that a frame and its check are all that a
/// cycle is for. An acknowledgement moves the window in the cycle after it. Room for a new frame, or the
/// way back to the first, comes in the one after that.
module link_sender
  import tidings_pkg::*;
  import link_pkg::*;
#(
    /// Flits that can wait: as many as the buffers at the other end hold, all channels together.
    parameter int unsigned QueueFlits = 64,
    /// Frames that can be on their way: a power of two, more than a round trip has cycles.
    parameter int unsigned Window = 64,
    /// Cycles without an acknowledgement until frames are sent again: more than a round trip.
    parameter int unsigned Timeout = 64,
    /// Times that frames are sent again in vain until the link is dead.
    parameter int unsigned MaxRetries = 16
) (
    /// Clock.
    input  logic                   clk_i,
    /// Synchronous reset, active low.
    input  logic                   rst_ni,
    /// The router sends a flit.
    input  logic                   flit_valid_i,
    /// The flit.
    input  flit_t                  flit_i,
    /// The router gives credits for what it took from the other direction, one bit per channel.
    input  logic      [MaxVcs-1:0] credit_i,
    /// A frame came from the other end with the next two.
    input  logic                   ack_valid_i,
    /// Number that the other end waits for.
    input  sequence_t              ack_i,
    /// The other end asks for all from that number on.
    input  logic                   resend_i,
    /// Number that our end waits for.
    input  sequence_t              expected_i,
    /// The other end must be told that number.
    input  logic                   answer_i,
    /// The other end must be asked to start again there.
    input  logic                   refuse_i,
    /// Both are told in this cycle.
    output logic                   answered_o,
    /// A frame is sent.
    output logic                   frame_valid_o,
    /// The frame; zero without.
    output frame_t                 frame_o,
    /// The link has given up.
    output logic                   dead_o,
    /// A frame is sent that was sent before.
    output logic                   resent_o,
    /// Low: a clock edge without inputs changes nothing.
    output logic                   busy_o
);

  localparam int unsigned QueueDepth = 1 << $clog2(QueueFlits);
  localparam int unsigned IndexWidth = $clog2(Window);
  localparam int unsigned CreditWidth = $clog2(QueueFlits + 1);
  localparam int unsigned TimerWidth = $clog2(Timeout + 1);
  localparam int unsigned RetryWidth = $clog2(MaxRetries + 1);

  localparam int unsigned MaxWindow = 1 << (SequenceWidth - 1);

  if (Window < 2 || Window > MaxWindow || (Window & (Window - 1)) != 0) begin : gen_window_check
    $error("Window must be a power of two from 2 to %0d, not %0d", MaxWindow, Window);
  end
  if (Timeout == 0 || MaxRetries == 0) begin : gen_retry_check
    $error("Timeout and MaxRetries must be at least 1, not %0d and %0d", Timeout, MaxRetries);
  end

  // ---------------------------------------------------------------- what waits to be sent
  logic queue_empty, fresh;
  flit_t queue_flit;
  fifo #(
      .T(flit_t),
      .Depth(QueueDepth < 2 ? 2 : QueueDepth)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .push_i (flit_valid_i),
      .data_i (flit_i),
      .pop_i  (fresh && !queue_empty),
      .data_o (queue_flit),
      .empty_o(queue_empty),
      .full_o (),
      .count_o(),
      .load_o (),
      .next_o ()
  );

  logic [MaxVcs-1:0] credit_waits;
  for (genvar v = 0; v < MaxVcs; v++) begin : gen_credit
    logic [CreditWidth-1:0] count_q;
    logic given, taken, waits_q;
    assign given = credit_i[v] && !(fresh && waits_q);
    assign taken = !credit_i[v] && fresh && waits_q;
    assign credit_waits[v] = waits_q;  // there are any
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        count_q <= '0;
        waits_q <= 1'b0;
      end else if (given) begin
        count_q <= count_q + 1'b1;
        waits_q <= 1'b1;
      end else if (taken) begin
        count_q <= count_q - 1'b1;
        waits_q <= count_q != CreditWidth'(1);
      end
    end
  end

  link_payload_t fresh_payload;
  always_comb begin
    fresh_payload = '0;
    if (!queue_empty) fresh_payload = '{flit_valid: 1'b1, flit: queue_flit, credit: '0};
    fresh_payload.credit = credit_waits;
  end

  // ---------------------------------------------------------------- window
  // Numbers: the oldest that is not acknowledged, the next to be sent, the next that is new.
  sequence_t base_q, base_d, send_q, send_d, next_q, next_d, acknowledged, outstanding;
  logic progress, again, go_back;
  logic [TimerWidth-1:0] timer_q;
  logic [RetryWidth-1:0] retries_q;
  logic dead_q;
  // The next to be sent was sent before; the window is full; it is to be sent again from its start; what
  // was to be sent again has been acknowledged meanwhile.
  logic again_q, full_q, go_back_q, skip_q;

  assign outstanding = next_q - base_q;
  assign acknowledged = ack_i - base_q;
  assign progress = ack_valid_i && acknowledged != '0 && acknowledged <= outstanding;
  assign base_d = progress ? ack_i : base_q;
  assign go_back = (progress ? ack_i != next_q : base_q != next_q) &&
      ((ack_valid_i && resend_i) || (!progress && timer_q == TimerWidth'(Timeout)));

  assign again = !dead_q && !go_back_q && again_q;
  assign fresh = !dead_q && !go_back_q && !again_q && !full_q && (!queue_empty || |credit_waits);
  assign next_d = next_q + SequenceWidth'(fresh);

  sequence_t sent, passed;
  assign sent   = send_q + SequenceWidth'(again || fresh);
  assign passed = send_q - base_q + 1'b1;
  assign send_d = go_back_q || skip_q ? base_q : sent;

  // The frame to be sent again is read from the memory a cycle ahead.
  link_payload_t window_q[Window];
  link_payload_t again_payload_q;
  always_ff @(posedge clk_i) begin
    if (fresh) window_q[next_q[IndexWidth-1:0]] <= fresh_payload;
    again_payload_q <= window_q[send_d[IndexWidth-1:0]];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      base_q <= '0;
      send_q <= '0;
      next_q <= '0;
      again_q <= 1'b0;
      full_q <= 1'b0;
      go_back_q <= 1'b0;
      skip_q <= 1'b0;
      timer_q <= '0;
      retries_q <= '0;
      dead_q <= 1'b0;
    end else begin
      base_q <= base_d;
      send_q <= send_d;
      next_q <= next_d;
      // Without a frame to be sent again the next one is new, before and after.
      again_q <= go_back_q || (again_q && (skip_q ? base_q != next_q : sent != next_q));
      full_q <= outstanding >= SequenceWidth'(Window) - SequenceWidth'(fresh);
      go_back_q <= go_back;
      skip_q <= progress && (go_back_q || skip_q || (again_q && acknowledged > passed));
      timer_q <= progress || go_back || base_q == next_q ? '0 : timer_q + 1'b1;
      if (progress) retries_q <= '0;
      else if (go_back && !dead_q) retries_q <= retries_q + 1'b1;
      if (go_back && !progress && retries_q == RetryWidth'(MaxRetries - 1)) dead_q <= 1'b1;
    end
  end

  // ---------------------------------------------------------------- frame
  link_content_t content;
  always_comb begin
    content = '0;
    content.numbered = again || fresh;
    if (again || fresh) begin
      content.number  = send_q;
      content.payload = again ? again_payload_q : fresh_payload;
    end
    content.ack = expected_i;
    content.resend = refuse_i;
  end

  assign frame_valid_o = !dead_q && (again || fresh || answer_i || refuse_i);
  assign frame_o = frame_valid_o ? '{content: content, check: link_check(content)} : '0;
  assign answered_o = frame_valid_o;
  assign resent_o = again;
  assign dead_o = dead_q;
  assign busy_o = !dead_q && (!queue_empty || credit_waits != '0 || base_q != next_q || again_q ||
      full_q || answer_i || refuse_i);

`ifndef SYNTHESIS
  // Never more frames on their way than the window holds.
  WindowHolds :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      next_q - base_q <= SequenceWidth'(Window));
  // The next frame to be sent is in the window or new, but for a cycle after it was acknowledged.
  SendInWindow :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !skip_q |-> send_q - base_q <= next_q - base_q);
  // Without frames to be sent again the next one is new.
  AgainIsKnown :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !skip_q |-> again_q == (send_q != next_q));
`endif

endmodule

`default_nettype wire
