// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Room that the neighbours have for words, in each context and at each link.
///
/// A packet takes its words' room when it starts; Credit packets give it back.
module mpe_credits
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Links, 2 to `MaxLinks`.
    parameter int unsigned Links = 8,
    /// Contexts: a power of two, at most `MaxContexts`.
    parameter int unsigned Contexts = 8,
    /// Words of a stream buffer of a neighbour: the credits of a link after reset.
    parameter int unsigned BufferWords = 512,
    /// Bits of a number of credits.
    localparam int unsigned CreditWidth = $clog2(BufferWords) + 1
) (
    /// Clock.
    input  logic                                           clk_i,
    /// Synchronous reset, active low.
    input  logic                                           rst_ni,
    /// Context of the command.
    input  context_id_t                                    context_i,
    /// A neighbour has freed words.
    input  logic                                           credit_valid_i,
    /// Its context.
    input  context_id_t                                    credit_context_i,
    /// Its link.
    input  link_id_t                                       credit_link_i,
    /// How many words.
    input  logic        [           15:0]                  credit_count_i,
    /// Links that a packet of the lane starts to, one bit each.
    input  logic        [   MaxLinks-1:0]                  lane_links_i,
    /// Its words.
    input  logic        [CreditWidth-1:0]                  lane_words_i,
    /// Links that a packet of the request port starts to, one bit each.
    input  logic        [   MaxLinks-1:0]                  request_links_i,
    /// Its words.
    input  logic        [CreditWidth-1:0]                  request_words_i,
    /// Room at each link in the context of the command; none if a link does not exist.
    output logic        [   MaxLinks-1:0][CreditWidth-1:0] credit_o
);

  typedef logic [CreditWidth-1:0] credit_t;

`ifdef FORMAL
  // Room in every context, for proofs.
  credit_t room[Contexts][Links];
`endif

  // Room is what has been freed, a whole buffer at first, less what has been sent, modulo 2 * BufferWords.
  for (genvar l = 0; l < MaxLinks; l++) begin : gen_link
    if (l < Links) begin : gen_counted
      logic sends, frees;
      credit_t words, sent, freed_before, freed;
      assign sends = lane_links_i[l] || request_links_i[l];
      assign frees = credit_valid_i && 32'(credit_link_i) == l;
      assign words = (lane_links_i[l] ? lane_words_i : '0) +
          (request_links_i[l] ? request_words_i : '0);
      assign credit_o[l] = freed - sent;

      mpe_counters #(
          .Contexts(Contexts),
          .Width   (CreditWidth)
      ) u_sent (
          .clk_i,
          .rst_ni,
          .write_i        (sends),
          .write_context_i(context_i),
          .value_i        (sent + words),
          .current_o      (sent),
          .read_context_i (context_i),
          .read_o         ()
      );
      mpe_counters #(
          .Contexts(Contexts),
          .Width   (CreditWidth),
          .Initial (CreditWidth'(BufferWords))
      ) u_freed (
          .clk_i,
          .rst_ni,
          .write_i        (frees),
          .write_context_i(credit_context_i),
          .value_i        (freed_before + credit_t'(credit_count_i)),
          .current_o      (freed_before),
          .read_context_i (context_i),
          .read_o         (freed)
      );

`ifdef FORMAL
      for (genvar c = 0; c < Contexts; c++) begin : gen_room
        assign room[c][l] =
            (u_freed.written_q[c] ? u_freed.memory_q[c] : credit_t'(BufferWords)) -
            (u_sent.written_q[c] ? u_sent.memory_q[c] : '0);
      end
`endif
`ifndef SYNTHESIS
      credit_t sent_there;
      assign sent_there = u_sent.written_q[u_freed.write_context] ?
          u_sent.memory_q[u_freed.write_context] : '0;
      // No more room is ever told of than a buffer has.
      CreditsBounded :
      assert property (@(posedge clk_i) disable iff (!rst_ni)
          frees |-> 32'(credit_t'(freed_before - sent_there)) + 32'(credit_count_i) <=
              BufferWords);
`endif
    end else begin : gen_no_link
      assign credit_o[l] = '0;
    end
  end

`ifndef SYNTHESIS
  // Only links that exist are told of.
  LinkExists :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      credit_valid_i |-> 32'(credit_link_i) < Links);
  // A packet starts only if there is room for all of it.
  for (genvar l = 0; l < MaxLinks; l++) begin : gen_room
    RoomForPackets :
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        (lane_links_i[l] ? lane_words_i : '0) + (request_links_i[l] ? request_words_i : '0) <=
            credit_o[l]);
  end
`endif

endmodule

`default_nettype wire
