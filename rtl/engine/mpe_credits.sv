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
    /// Room at each link in the context of the command; none where a link does not exist.
    output logic        [   MaxLinks-1:0][CreditWidth-1:0] credit_o
);

  localparam int unsigned ContextWidth = Contexts > 1 ? $clog2(Contexts) : 1;
  typedef logic [ContextWidth-1:0] context_t;
  typedef logic [CreditWidth-1:0] credit_t;

  context_t context_id, credit_context;
  assign context_id = context_t'(context_i & context_id_t'(Contexts - 1));
  assign credit_context = context_t'(credit_context_i & context_id_t'(Contexts - 1));

  credit_t credit_q[Contexts][Links];
  for (genvar l = 0; l < MaxLinks; l++) begin : gen_link
    if (l < Links) begin : gen_counted
      assign credit_o[l] = credit_q[context_id][l];
    end else begin : gen_no_link
      assign credit_o[l] = '0;
    end
  end

  logic change;
  assign change = credit_valid_i || lane_links_i != '0 || request_links_i != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned c = 0; c < Contexts; c++) begin
        for (int unsigned l = 0; l < Links; l++) credit_q[c][l] <= credit_t'(BufferWords);
      end
    end else if (change) begin
      for (int unsigned c = 0; c < Contexts; c++) begin
        for (int unsigned l = 0; l < Links; l++) begin
          credit_q[c][l] <= credit_q[c][l] -
              (context_id == context_t'(c) && lane_links_i[l] ? lane_words_i : '0) -
              (context_id == context_t'(c) && request_links_i[l] ? request_words_i : '0) +
              (credit_valid_i && credit_context == context_t'(c) && 32'(credit_link_i) == l ?
               credit_t'(credit_count_i) : '0);
        end
      end
    end
  end

  logic unused_contexts;
  assign unused_contexts = ^{context_i, credit_context_i};

`ifndef SYNTHESIS
  // No more room is ever told of than a buffer has.
  CreditsBounded :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      credit_valid_i |-> 32'(credit_link_i) < Links &&
      32'(credit_q[credit_context][$clog2(
      Links
  )'(credit_link_i)]) + 32'(credit_count_i) <= BufferWords);
  // A packet starts only where there is room for all of it.
  for (genvar l = 0; l < MaxLinks; l++) begin : gen_room
    RoomForPackets :
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        (lane_links_i[l] ? lane_words_i : '0) + (request_links_i[l] ? request_words_i : '0) <=
            credit_o[l]);
  end
`endif

endmodule

`default_nettype wire
