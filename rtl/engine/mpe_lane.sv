// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Sends results of the up unit to the neighbour behind one network port, in neighbour packets.
///
/// A packet carries what is at hand when its header leaves, at most `PacketWords`. It starts only when
/// the neighbour has room for all of it. So words go on as they come, and the more are waiting, the
/// longer packets get. A header that waits may still grow, with the words that come meanwhile, or be
/// withdrawn, if the engine stops; once it is taken, valid does not fall before the tail.
module mpe_lane
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Most payload words of a packet: a power of two, at least 4.
    parameter  int unsigned PacketWords  = 64,
    /// Words at hand before a packet starts that is not the last, at most `PacketWords`.
    parameter  int unsigned ForwardWords = 1,
    /// Bits of a number of credits.
    parameter  int unsigned CreditWidth  = 10,
    /// Bits of a count of words at hand.
    localparam int unsigned CountWidth   = $clog2(PacketWords) + 2
) (
    /// Clock.
    input  logic                          clk_i,
    /// Synchronous reset, active low.
    input  logic                          rst_ni,
    /// Start no more packets.
    input  logic                          stop_i,
    /// Context of the command.
    input  context_id_t                   context_i,
    /// Network port of the neighbour.
    input  link_id_t                      link_i,
    /// Words for it at hand.
    input  logic        [ CountWidth-1:0] count_i,
    /// No more will come.
    input  logic                          complete_i,
    /// The oldest.
    input  word_t                         data_i,
    /// Take it.
    output logic                          pop_o,
    /// Room that the neighbour has.
    input  logic        [CreditWidth-1:0] credit_i,
    /// A packet starts, one bit for its link.
    output logic        [   MaxLinks-1:0] start_o,
    /// Its words.
    output logic        [CreditWidth-1:0] words_o,
    /// A flit.
    output logic                          valid_o,
    /// The flit.
    output flit_t                         flit_o,
    /// It is taken.
    input  logic                          ready_i,
    /// No packet is under way.
    output logic                          done_o
);

  typedef logic [CountWidth-1:0] count_t;
  typedef logic [CreditWidth-1:0] credit_t;

  logic   payload_q;
  count_t left_q;

  count_t length;
  logic enough, header;
  assign length = count_i > count_t'(PacketWords) ? count_t'(PacketWords) : count_i;
  assign enough = complete_i ? length != '0 : length >= count_t'(ForwardWords);
  assign header = !payload_q && enough && !stop_i && credit_i >= credit_t'(length);

  logic starts;
  assign starts  = header && ready_i;
  assign words_o = credit_t'(length);
  always_comb begin
    start_o = '0;
    for (int unsigned l = 0; l < MaxLinks; l++) start_o[l] = starts && link_i == link_id_t'(l);
  end

  assign pop_o = payload_q && ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) payload_q <= 1'b0;
    else if (starts) payload_q <= 1'b1;
    else if (pop_o && left_q == count_t'(1)) payload_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (starts) left_q <= length;
    else if (pop_o) left_q <= left_q - 1'b1;
  end

  neighbour_header_t first;
  assign first = '{
          kind: KindNeighbour,
          context_id: 4'(context_i),
          ports: 12'(1) << link_i,
          length: 12'(length)
      };
  assign valid_o = header || payload_q;
  assign flit_o = '{
          vc: vc_t'(is_reply(KindNeighbour)),
          last: payload_q && left_q == count_t'(1),
          data: payload_q ? data_i : first
      };
  assign done_o = !payload_q;

`ifndef SYNTHESIS
  // Words of a packet are at hand once it has started.
  WordAtHand :
  assert property (@(posedge clk_i) disable iff (!rst_ni) payload_q |-> count_i != '0);
  // What is sent has a receiver.
  LinkExists :
  assert property (@(posedge clk_i) disable iff (!rst_ni) header |-> 32'(link_i) < MaxLinks);
`endif

endmodule

`default_nettype wire
