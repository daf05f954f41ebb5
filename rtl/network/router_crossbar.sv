// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Crossbar of a router, one output port: the word of the input channel that sends, as a flit.
///
/// With `Pipeline` the choice goes into registers, and the flit leaves a cycle after it was sent. Words
/// then come a cycle after they were chosen, so that no multiplexer waits for an arbiter.
module router_crossbar
  import tidings_pkg::*;
#(
    /// Input channels.
    parameter int unsigned Inputs = 10,
    /// Flits leave a cycle after they are sent.
    parameter bit Pipeline = 1'b0
) (
    /// Clock.
    input  logic               clk_i,
    /// Synchronous reset, active low.
    input  logic               rst_ni,
    /// The input channel that sends, one-hot.
    input  logic  [Inputs-1:0] send_i,
    /// Output channel that it sends on.
    input  vc_t                vc_i,
    /// Words at the heads of the input channels that are tails.
    input  logic  [Inputs-1:0] last_i,
    /// Those words; with `Pipeline` those of the cycle before.
    input  word_t [Inputs-1:0] word_i,
    /// A flit leaves.
    output logic               flit_valid_o,
    /// The flit; zero without.
    output flit_t              flit_o
);

  logic sent, last;
  assign sent = |send_i;
  assign last = |(send_i & last_i);

  logic [Inputs-1:0] chosen;
  logic chosen_last;
  vc_t chosen_vc;

  if (Pipeline) begin : gen_pipeline
    logic valid_q, last_q;
    logic [Inputs-1:0] send_q;
    vc_t vc_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) valid_q <= 1'b0;
      else valid_q <= sent;
    end
    always_ff @(posedge clk_i) begin
      send_q <= send_i;
      last_q <= last;
      vc_q   <= vc_i;
    end
    assign flit_valid_o = valid_q;
    assign chosen = send_q;
    assign chosen_last = last_q;
    assign chosen_vc = vc_q;
  end else begin : gen_at_once
    assign flit_valid_o = sent;
    assign chosen = send_i;
    assign chosen_last = last;
    assign chosen_vc = vc_i;
    logic unused;
    assign unused = ^{clk_i, rst_ni};
  end

  always_comb begin : multiplex
    flit_o = '0;
    if (flit_valid_o) begin
      for (int unsigned c = 0; c < Inputs; c++) if (chosen[c]) flit_o.data |= word_i[c];
      flit_o.last = chosen_last;
      flit_o.vc   = chosen_vc;
    end
  end

endmodule

`default_nettype wire
