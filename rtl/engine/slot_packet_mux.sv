// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Shares one stream of packets among several sources, a whole packet at a time.
///
/// The choice among waiting heads is round-robin. A source keeps the stream from its head to its
/// tail, so it should offer a packet only when the rest of it will follow soon.
module slot_packet_mux #(
    /// Sources.
    parameter int unsigned NumSources = 2
) (
    /// Clock.
    input  logic                                clk_i,
    /// Synchronous reset, active low.
    input  logic                                rst_ni,
    /// A source offers a flit.
    input  logic               [NumSources-1:0] valid_i,
    /// The flits offered.
    input  tidings_pkg::flit_t [NumSources-1:0] flit_i,
    /// The flit of this source is taken.
    output logic               [NumSources-1:0] ready_o,
    /// A flit is offered.
    output logic                                valid_o,
    /// The flit.
    output tidings_pkg::flit_t                  flit_o,
    /// It is taken.
    input  logic                                ready_i
);

  localparam int unsigned IndexWidth = NumSources > 1 ? $clog2(NumSources) : 1;

  logic inside_q;  // between head and tail of the owner's packet
  logic [IndexWidth-1:0] owner_q, winner, source;
  logic any, head_taken;

  arbiter #(
      .NumRequests(NumSources)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(valid_i),
      .accept_i (head_taken),
      .valid_o  (any),
      .grant_o  (),
      .index_o  (winner)
  );

  assign source = inside_q ? owner_q : winner;
  assign valid_o = inside_q ? valid_i[owner_q] : any;
  assign flit_o = flit_i[source];
  assign head_taken = !inside_q && any && ready_i;

  always_comb begin
    ready_o = '0;
    ready_o[source] = valid_o && ready_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) inside_q <= 1'b0;
    else if (valid_o && ready_i) inside_q <= !flit_o.last;
  end

  always_ff @(posedge clk_i) begin
    if (head_taken) owner_q <= winner;
  end

endmodule

`default_nettype wire
