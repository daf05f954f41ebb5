// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// One stage of the up unit: combines a stream of partial results with the stream of one child.
///
/// A pass is one run of words through the stage; the word marked as last ends it. Results come in
/// order. The stage takes a word of either stream when both are there and the result has room.
module mpe_combine_stage
  import tidings_pkg::*;
  import mpe_pkg::*;
#(
    /// Configuration of the node.
    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg,
    /// Bits of a count of results.
    parameter int unsigned RoomWidth = 5
) (
    /// Clock.
    input  logic                     clk_i,
    /// Synchronous reset, active low.
    input  logic                     rst_ni,
    /// Begin a pass; none may be under way.
    input  logic                     start_i,
    /// Cease.
    input  logic                     stop_i,
    /// The pass: results are final.
    input  logic                     final_i,
    /// Element type; constant while words are on their way.
    input  element_e                 element_i,
    /// Operation; constant while words are on their way.
    input  combine_e                 combine_i,
    /// There is a child; without, partial results go through as they are.
    input  logic                     child_i,
    /// The pass: the child's element is the first operand.
    input  logic                     swap_i,
    /// A partial result is at hand.
    input  logic                     partial_valid_i,
    /// It is the last of the pass.
    input  logic                     partial_last_i,
    /// The word.
    input  word_t                    partial_data_i,
    /// A word of the child is at hand.
    input  logic                     stream_valid_i,
    /// The child's word taken in the cycle before.
    input  word_t                    stream_data_i,
    /// Take a word of both streams.
    output logic                     take_o,
    /// Results that have room where they go.
    input  logic     [RoomWidth-1:0] room_i,
    /// A result.
    output logic                     valid_o,
    /// The word.
    output word_t                    data_o,
    /// It is the last of the pass.
    output logic                     last_o,
    /// It is final.
    output logic                     final_o,
    /// The last word of the pass is taken in this cycle or has been.
    output logic                     ending_o,
    /// No pass is under way, and no result on its way.
    output logic                     done_o,
    /// State changes at the next edge without any input.
    output logic                     active_o
);

  typedef logic [RoomWidth-1:0] room_t;
  typedef struct packed {
    logic last;
    logic is_final;
  } tag_t;

  logic  pass_q;
  // Words between taking and result. There is always room for them.
  room_t inflight_q;
  logic operands_valid_q, high, wide;
  logic swap_q;
  word_t partial_q, stream;
  tag_t tag_q, result_tag;

  assign wide = Cfg.mpe_wide_elements && child_i && is_wide(element_i);
  assign take_o = pass_q && partial_valid_i && (!child_i || stream_valid_i) && inflight_q < room_i;
  assign ending_o = !pass_q || (take_o && partial_last_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) pass_q <= 1'b0;
    else if (start_i) pass_q <= 1'b1;
    else if (take_o && partial_last_i) pass_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      operands_valid_q <= 1'b0;
      inflight_q <= '0;
    end else begin
      operands_valid_q <= take_o;
      if (take_o != valid_o) inflight_q <= take_o ? inflight_q + 1'b1 : inflight_q - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take_o) begin
      partial_q <= partial_data_i;
      swap_q <= swap_i;
      tag_q <= '{last: partial_last_i, is_final: final_i};
    end
  end

  assign stream = child_i ? stream_data_i : '0;

  // Without a child, contribution or nothing is the contribution.
  combine_unit #(
      .FpuStages(Cfg.fpu_stages),
      .WideElements(Cfg.mpe_wide_elements),
      .Tag(tag_t)
  ) u_combine_unit (
      .clk_i,
      .rst_ni,
      .element_i(child_i ? element_i : ElementInt32),
      .combine_i(child_i ? combine_i : CombineOr),
      .valid_i  (operands_valid_q),
      .a_i      (swap_q ? stream : partial_q),
      .b_i      (swap_q ? partial_q : stream),
      .tag_i    (tag_q),
      .valid_o,
      .data_o,
      .tag_o    (result_tag),
      .high_o   (high)
  );
  // The tag of an element's last word comes with both of its words.
  assign last_o   = result_tag.last && (!wide || high);
  assign final_o  = result_tag.is_final;

  assign done_o   = !pass_q && inflight_q == '0;
  assign active_o = take_o || inflight_q != '0;

endmodule

`default_nettype wire
