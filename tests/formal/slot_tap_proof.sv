// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Proof: `slot_tap` hands on every word of a neighbour packet in the cycle in which it comes, tells its
/// context, and at all times tells how many words are still to come.
///
/// Packets have any length that a header can tell, and any context. A packet may be over with its
/// header.
module slot_tap_proof
  import tidings_pkg::*;
(
    input logic  clk_i,
    input logic  valid_i,
    input flit_t flit_i
);

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic valid, comes;
  neighbour_header_t header, header_q;
  mpe_pkg::context_id_t context_id;
  mpe_pkg::tap_left_t left, left_q;  // what the tap tells; what the header said, less what has come
  word_t data;
  assign valid  = rst_n && valid_i;
  assign header = neighbour_header_t'(flit_i.data);
  slot_tap u_tap (
      .clk_i,
      .rst_ni   (rst_n),
      .valid_i  (valid),
      .flit_i,
      .valid_o  (comes),
      .context_o(context_id),
      .left_o   (left),
      .data_o   (data)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_n) left_q <= '0;
    else if (valid && left_q != '0) left_q <= left_q - 1'b1;
    else if (valid) begin
      header_q <= header;
      left_q   <= flit_i.last ? '0 : header.length;
    end
  end

  always_comb begin
    HeaderSaysHowMany : assume (!valid || left_q != '0 || flit_i.last || header.length != '0);
    TailComesThen :
    assume (!valid || left_q == '0 || flit_i.last == (left_q == mpe_pkg::tap_left_t'(1)));
    if (rst_n) begin
      EveryWordAtOnce :
      assert (comes == (valid && left_q != '0) && (!comes || data == flit_i.data));
      ContextOfItsPacket :
      assert (left_q == '0 || context_id == header_q.context_id[mpe_pkg::ContextIdWidth-1:0]);
      LeftIsExact : assert (left == left_q);
      // Lemma.
      assert (u_tap.payload_q == (left_q != '0));
      cover (comes && flit_i.last && header_q.length > 12'd2);
      cover (valid && left_q == '0 && flit_i.last && header.length != '0);
    end
  end

endmodule

`default_nettype wire
