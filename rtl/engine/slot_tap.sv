// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Takes the header off the neighbour packets that come in through one network port.
///
/// A payload word is handed on in the cycle in which it comes.
module slot_tap (
    /// Clock.
    input  logic                 clk_i,
    /// Synchronous reset, active low.
    input  logic                 rst_ni,
    /// A flit of a neighbour packet comes in.
    input  logic                 valid_i,
    /// The flit.
    input  tidings_pkg::flit_t   flit_i,
    /// A payload word is in `data_o`.
    output logic                 valid_o,
    /// Context that the packet under way is for.
    output mpe_pkg::context_id_t context_o,
    /// Its words that have not been handed on yet.
    output mpe_pkg::tap_left_t   left_o,
    /// The word.
    output tidings_pkg::word_t   data_o
);

  import tidings_pkg::*;

  neighbour_header_t header;
  logic payload_q;
  mpe_pkg::context_id_t context_q;
  mpe_pkg::tap_left_t left_q;

  assign header = neighbour_header_t'(flit_i.data);
  assign valid_o = valid_i && payload_q;
  assign context_o = context_q;
  assign left_o = left_q;
  assign data_o = flit_i.data;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) payload_q <= 1'b0;
    else if (valid_i) payload_q <= !flit_i.last;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) left_q <= '0;
    else if (valid_i && flit_i.last) left_q <= '0;
    else if (valid_i) left_q <= payload_q ? left_q - 1'b1 : header.length;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && !payload_q) context_q <= header.context_id[mpe_pkg::ContextIdWidth-1:0];
  end

  // The port chose this tap.
  logic unused;
  assign unused = ^{flit_i.vc, header};

`ifndef SYNTHESIS
  // The tail comes where the header said.
  LengthHolds :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && payload_q |-> flit_i.last == (left_q == mpe_pkg::tap_left_t'(1)));
  // Nothing else comes to a tap.
  NeighbourPacket :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_i && !payload_q |-> header.kind == KindNeighbour);
`endif

endmodule

`default_nettype wire
