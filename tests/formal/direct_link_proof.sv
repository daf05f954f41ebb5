// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: over a direct link from `mpe_lane`, which asks `mpe_credits`, to `slot_tap` every word
/// comes once, in order and for its context. Never more of them are under way or kept than the
/// neighbour has room for, and credits are conserved.
///
/// The link keeps the order, and each flit and each credit is under way for as long as it likes.
/// The engine may stop, change its command between packets, and send to the other link at the same
/// time.
module direct_link_proof
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Words of a stream buffer of a neighbour.
    parameter int unsigned BufferWords = 4,
    /// Most payload words of a packet.
    parameter int unsigned PacketWords = 4,
    /// Words at hand before a packet starts that is not the last.
    parameter int unsigned ForwardWords = 1,
    /// Flits that can be under way; the lane waits where there are more. There are never more than
    /// two for each word that the neighbour has room for, in all contexts.
    parameter int unsigned Flits = 8
) (
    input logic        clk_i,
    input logic        stop_i,
    input logic        context_i,
    input logic        link_i,
    input logic  [2:0] more_i,
    input logic        complete_i,
    input word_t       data_i,
    input logic        ready_i,
    input logic        request_i,
    input logic  [2:0] request_words_i,
    input logic        arrives_i,
    input logic        take_i,
    input logic        credit_i,
    input logic        credit_context_i,
    input logic        credit_link_i,
    input logic        credit_lane_i,
    input logic  [2:0] credit_words_i
);

  localparam int unsigned Links = 2;
  localparam int unsigned Contexts = 2;
  localparam int unsigned CreditWidth = $clog2(BufferWords) + 1;
  localparam int unsigned CountWidth = $clog2(PacketWords) + 2;
  localparam int unsigned FlitsWidth = $clog2(Flits) + 1;
  localparam int unsigned IndexWidth = $clog2(Flits);
  typedef logic [CreditWidth-1:0] credit_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [FlitsWidth-1:0] flits_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // ------------------------------------------------------------------ sender
  // The link watched never changes, and is any.
  logic watched_q;
  always_ff @(posedge clk_i) watched_q <= watched_q;

  // Words at hand come when they like; a command lasts until its packets are done.
  count_t at_hand_q, left_q;  // and of the packet under way
  logic pop, valid, ready, done, context_q, link_q;
  flit_t flit;
  logic [MaxLinks-1:0] start, request_start;
  credit_t words;
  logic [MaxLinks-1:0][CreditWidth-1:0] credit;
  logic credited;
  mpe_lane #(
      .PacketWords (PacketWords),
      .ForwardWords(ForwardWords),
      .CreditWidth (CreditWidth)
  ) u_lane (
      .clk_i,
      .rst_ni   (rst_n),
      .stop_i,
      .context_i(context_id_t'(context_i)),
      .link_i   (link_id_t'(link_i)),
      .count_i  (at_hand_q),
      .complete_i,
      .data_i,
      .pop_o    (pop),
      .credit_i (credit[link_i]),
      .start_o  (start),
      .words_o  (words),
      .valid_o  (valid),
      .flit_o   (flit),
      .ready_i  (ready),
      .done_o   (done)
  );
  // Packets of the request port go to the other link, where there is room.
  assign request_start = MaxLinks'(rst_n && request_i &&
      credit_t'(request_words_i) <= credit[!link_i]) << !link_i;
  mpe_credits #(
      .Links      (Links),
      .Contexts   (Contexts),
      .BufferWords(BufferWords)
  ) u_credits (
      .clk_i,
      .rst_ni          (rst_n),
      .context_i       (context_id_t'(context_i)),
      .credit_valid_i  (credited),
      .credit_context_i(context_id_t'(credit_context_i)),
      .credit_link_i   (link_id_t'(credit_link_i)),
      .credit_count_i  (16'(credit_words_i)),
      .lane_links_i    (start),
      .lane_words_i    (words),
      .request_links_i (request_start),
      .request_words_i (credit_t'(request_words_i)),
      .credit_o        (credit)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_n) at_hand_q <= '0;
    else at_hand_q <= at_hand_q + count_t'(more_i) - count_t'(pop);
    context_q <= context_i;
    link_q <= link_i;
  end
  always_comb begin
    CommandStays : assume (left_q == '0 || (context_i == context_q && link_i == link_q));
    BufferHolds : assume (32'(at_hand_q) + 32'(more_i) <= 2 * PacketWords);
  end

  // ------------------------------------------------------------------ link
  // Flits under way to the watched neighbour, oldest first, each with what the sender says of it.
  typedef struct packed {
    flit_t  flit;
    logic   word;        // not a header
    logic   context_id;
    count_t left;        // words of its packet behind it, and itself
  } sent_t;
  sent_t queue_q[Flits];
  sent_t sent, oldest;
  flits_t flying_q, rest;
  logic sends, arrives;
  assign ready = rst_n && ready_i && flying_q != flits_t'(Flits);
  assign sends = valid && ready && link_i == watched_q;
  assign arrives = rst_n && arrives_i && flying_q != '0;
  assign oldest = queue_q[0];
  assign rest = flying_q - flits_t'(arrives);
  always_ff @(posedge clk_i) begin
    if (!rst_n) flying_q <= '0;
    else begin
      flying_q <= rest + flits_t'(sends);
      if (arrives) for (int unsigned i = 0; i + 1 < Flits; i++) queue_q[i] <= queue_q[i+1];
      if (sends) queue_q[IndexWidth'(rest)] <= sent;
    end
  end

  // ------------------------------------------------------------------ receiver
  logic comes;
  context_id_t tap_context;
  tap_left_t tap_left;
  word_t tap_data;
  slot_tap u_tap (
      .clk_i,
      .rst_ni   (rst_n),
      .valid_i  (arrives),
      .flit_i   (oldest.flit),
      .valid_o  (comes),
      .context_o(tap_context),
      .left_o   (tap_left),
      .data_o   (tap_data)
  );

  // ------------------------------------------------------------------ where the room is
  // Words announced that have not left; left and not arrived; in the neighbour's buffer; freed
  // there. Those of the request port, and of the lane on the other link, are all in one.
  logic header, taken, credited_lane;
  logic [Contexts-1:0][5:0] flying;
  credit_t held_q[Contexts], freed_q[Contexts], other_q[Contexts][Links];
  assign header = start != '0;
  assign sent = '{
          flit: flit,
          word: !header,
          context_id: context_i,
          left: header ? count_t'(words) : left_q
      };
  assign taken = rst_n && take_i && held_q[credit_context_i] != '0;
  assign credited_lane = credit_lane_i && credit_link_i == watched_q;
  assign credited = rst_n && credit_i && credit_t'(credit_words_i) <=
      (credited_lane ? freed_q[credit_context_i] : other_q[credit_context_i][credit_link_i]);
  always_ff @(posedge clk_i) begin
    if (!rst_n) left_q <= '0;
    else if (header) left_q <= count_t'(words);
    else if (pop) left_q <= left_q - 1'b1;
  end
  for (genvar c = 0; c < Contexts; c++) begin : gen_flying
    always_comb begin
      flying[c] = '0;
      for (int unsigned i = 0; i < Flits; i++) begin
        if (i < 32'(flying_q) && queue_q[i].word && 32'(queue_q[i].context_id) == c) begin
          flying[c] = flying[c] + 1'b1;
        end
      end
    end
  end

  for (genvar c = 0; c < Contexts; c++) begin : gen_context
    logic here, there;
    assign here  = 32'(context_i) == c;
    assign there = 32'(credit_context_i) == c;
    always_ff @(posedge clk_i) begin
      if (!rst_n) begin
        held_q[c]  <= '0;
        freed_q[c] <= '0;
      end else begin
        held_q[c] <= held_q[c] + credit_t'(comes && 32'(tap_context) == c) -
            credit_t'(taken && there);
        freed_q[c] <= freed_q[c] + credit_t'(taken && there) -
            (credited && credited_lane && there ? credit_t'(credit_words_i) : '0);
      end
    end
    for (genvar l = 0; l < Links; l++) begin : gen_link
      always_ff @(posedge clk_i) begin
        if (!rst_n) other_q[c][l] <= '0;
        else begin
          other_q[c][l] <= other_q[c][l] +
              (here && start[l] && 32'(watched_q) != l ? words : '0) +
              (here && request_start[l] ? credit_t'(request_words_i) : '0) -
              (credited && !credited_lane && there && 32'(credit_link_i) == l ?
               credit_t'(credit_words_i) : '0);
        end
      end
    end
    logic [5:0] announced;
    assign announced = here && link_i == watched_q ? 6'(left_q) : '0;
    always_comb begin
      if (rst_n) begin
        NeverOverrun : assert (6'(held_q[c]) + flying[c] <= 6'(BufferWords));
        CreditsConserved :
        assert (6'(u_credits.room[c][watched_q]) + announced + flying[c] + 6'(held_q[c]) +
                6'(freed_q[c]) + 6'(other_q[c][watched_q]) == 6'(BufferWords));
        CreditsConservedElsewhere :
        assert (6'(u_credits.room[c][!watched_q]) + 6'(other_q[c][!watched_q]) == 6'(BufferWords));
      end
    end
  end

  // ------------------------------------------------------------------ properties
  neighbour_header_t expected;
  assign expected = '{
          kind: KindNeighbour,
          context_id: 4'(context_i),
          ports: 12'(1) << link_i,
          length: 12'(words)
      };
  always_comb begin
    if (rst_n) begin
      HeaderFirst : assert (!header || (left_q == '0 && flit == {vc_t'(0), 1'b0, expected}));
      RoomForAllOfIt :
      assert (!header || (words != '0 && 32'(words) <= PacketWords && words <= credit[link_i] &&
              count_t'(words) <= at_hand_q));
      WaitsForWords : assert (!header || complete_i || 32'(words) >= ForwardWords);
      NothingLost : assert ((valid && ready) == (header || pop) && !(header && pop));
      WordIsSent :
      assert (!pop || (left_q != '0 && at_hand_q != '0 &&
              flit == {vc_t'(0), left_q == count_t'(1), data_i}));
      GoesOnToTheTail : assert (left_q == '0 || valid);
      DoneIsTold : assert (done == (left_q == '0));
      StopIsHeeded : assert (!(stop_i && left_q == '0) || !valid);
      EveryWordArrives :
      assert (comes == (arrives && oldest.word) && (!comes || (tap_data == oldest.flit.data &&
              tap_context == context_id_t'(oldest.context_id) &&
              tap_left == tap_left_t'(oldest.left))));

      // Lemmas: the lane counts as the proof does, and words announced are at hand.
      assert (u_lane.payload_q == (left_q != '0));
      assert (left_q == '0 || u_lane.left_q == left_q);
      assert (left_q <= at_hand_q && 32'(left_q) <= PacketWords);
      assert (32'(at_hand_q) <= 2 * PacketWords && 32'(flying_q) <= Flits);
    end
  end

  // Lemmas: what is under way is made of whole packets, but for the oldest and the youngest one.
  // What is to come next of the packet behind place i - 1, and what the tap and the sender make of
  // it.
  logic inside_tap, inside_lane;
  assign inside_tap  = u_tap.payload_q;
  assign inside_lane = left_q != '0 && link_i == watched_q;
  for (genvar i = 0; i <= Flits; i++) begin : gen_place
    logic after_word, begun;
    count_t after_left;
    logic   after_context;
    if (i == 0) begin : gen_tap
      assign begun = inside_tap;
      assign after_left = count_t'(u_tap.left_q);
      assign after_context = u_tap.context_q[0];
    end else begin : gen_flit
      assign begun = !queue_q[i-1].word || queue_q[i-1].left != count_t'(1);
      assign after_left = queue_q[i-1].left - count_t'(queue_q[i-1].word);
      assign after_context = queue_q[i-1].context_id;
    end
    assign after_word = i == Flits ? 1'b0 : queue_q[i%Flits].word;
    neighbour_header_t first;
    assign first = '{
            kind: KindNeighbour,
            context_id: 4'(queue_q[i%Flits].context_id),
            ports: 12'(1) << watched_q,
            length: 12'(queue_q[i%Flits].left)
        };
    always_comb begin
      if (rst_n && i < 32'(flying_q)) begin
        assert (after_word == begun && queue_q[i%Flits].left != '0);
        assert (queue_q[i%Flits].flit.last == (after_word && queue_q[i%Flits].left == count_t'(1)));
        assert (!after_word || (queue_q[i%Flits].left == after_left &&
                queue_q[i%Flits].context_id == after_context));
        assert (after_word || queue_q[i%Flits].flit.data == first);
        assert (32'(queue_q[i%Flits].left) <= PacketWords);
      end
      if (rst_n && i == 32'(flying_q)) begin
        assert (begun == inside_lane);
        assert (!begun || (after_left == left_q && after_context == context_i));
      end
    end
  end
  always_comb begin
    if (rst_n) begin
      if (u_tap.payload_q) begin
        assert (32'(u_tap.left_q) <= PacketWords && u_tap.left_q != '0);
        assert (u_tap.context_q[ContextIdWidth-1:1] == '0);
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      cover (comes && tap_left == tap_left_t'(1) && queue_q[1].word == 1'b0 && flying_q > 3);
      cover (held_q[0] == credit_t'(BufferWords) && at_hand_q != '0 && !valid && !stop_i);
      cover (held_q[0] != '0 && held_q[1] != '0 && other_q[0][watched_q] != '0);
      cover (header && 32'(words) == PacketWords && request_start != '0 && credited);
    end
  end

endmodule

`default_nettype wire
