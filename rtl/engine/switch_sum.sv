// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Combines words of several inputs of a static switch into one stream, as they come.
///
/// A chain of stages, each with an adder: the first one combines words of the first two summands, each
/// other one what comes from the stage before with the words of one summand more. The slot is the first
/// summand, network ports follow in their order: so what is there early is combined early, and what comes
/// late passes one adder only.
///
/// ```
///      slot    port a         port b              port c
///        ▼        ▼              ▼                   ▼
///        └──► stage 0 ──► ▒ ── stage 1 ──► ▒ ... stage n ──► ▒ ──► sums
/// ```
///
/// A sum that finds nothing before it leaves in the cycle in which its adder is done. Words of 64-bit
/// elements come and leave low word first.
module switch_sum
  import tidings_pkg::*;
#(
    /// Stages.
    parameter  int unsigned Adders       = 3,
    /// Pipeline stages of a floating-point addition.
    parameter  int unsigned FpuStages    = 4,
    /// There are 64-bit elements.
    parameter  bit          WideElements = 1'b1,
    /// Network ports of the switch.
    parameter  int unsigned Ports        = FlatSwitchPorts,
    /// Its inputs.
    localparam int unsigned Sides        = Ports + 1
) (
    /// Clock.
    input  logic                              clk_i,
    /// Synchronous reset, active low.
    input  logic                              rst_ni,
    /// Sums begin; none are under way.
    input  logic                              start_i,
    /// In the cycle of the start: summands, of which there are from 2 to `Adders` + 1, or none.
    input  logic     [             Sides-1:0] summands_i,
    /// Likewise: words of a summand, whole elements.
    input  logic     [AlltoallWordsWidth-1:0] words_i,
    /// Element type; constant while sums are under way.
    input  element_e                          element_i,
    /// Operation; likewise.
    input  combine_e                          combine_i,
    /// The oldest word of each input is there.
    input  logic     [             Sides-1:0] valid_i,
    /// The word.
    input  word_t    [             Sides-1:0] data_i,
    /// It is taken.
    output logic     [             Sides-1:0] take_o,
    /// A sum is there.
    output logic                              valid_o,
    /// The sum.
    output word_t                             data_o,
    /// It is taken.
    input  logic                              ready_i,
    /// A sum has not been taken yet.
    output logic                              running_o,
    /// Low promises that a clock edge without inputs changes nothing.
    output logic                              busy_o
);

  // What is on its way through a stage, and to the front of the buffer behind it.
  localparam int unsigned ChainWords = 1 << $clog2(FpuStages + 5);
  localparam int unsigned Most = Adders + 1;
  typedef logic [$clog2(ChainWords):0] count_t;
  typedef logic [$clog2(Sides)-1:0] side_t;
  typedef logic [AlltoallWordsWidth-1:0] words_t;

  if (Adders < 1 || Most > Sides) begin : gen_check
    $error("Adders must be from 1 to %0d, not %0d", Sides - 1, Adders);
  end

  // Summands in the order of the chain, and how many there are.
  side_t [Most-1:0] side, side_q;
  logic [$clog2(Sides+1)-1:0] known, known_q;
  always_comb begin : arrange
    side  = '0;
    known = '0;
    for (int unsigned i = 0; i < Sides; i++) begin
      automatic side_t s = side_t'(i == 0 ? Sides - 1 : i - 1);
      if (summands_i[s]) begin
        for (int unsigned k = 0; k < Most; k++) begin
          if (32'(known) == k) side[k] = s;
        end
        known = known + 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) side_q <= side;
  end

  // Words that the first stage has not taken, and that have not left.
  words_t left_q, sums_left_q;
  logic fire;
  logic [Adders-1:0] take, result_valid, final_stage, moving;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      known_q <= '0;
      left_q <= '0;
      sums_left_q <= '0;
    end else if (start_i) begin
      known_q <= known;
      left_q <= known == '0 ? '0 : words_i;
      sums_left_q <= known == '0 ? '0 : words_i;
    end else begin
      if (take[0]) left_q <= left_q - 1'b1;
      if (fire) sums_left_q <= sums_left_q - 1'b1;
    end
  end

  // ------------------------------------------------------------------ chain of stages
  word_t [Adders-1:0] result, chain_data;
  logic [Adders-1:0] chain_valid;
  count_t [Adders-1:0] waiting;  // before the stage
  count_t sums_waiting;
  assign chain_valid[0] = left_q != '0 && valid_i[side_q[0]];
  assign chain_data[0] = data_i[side_q[0]];
  assign waiting[0] = '0;

  for (genvar s = 0; s < Adders; s++) begin : gen_stage
    // Words between taking and result; there is always room for them.
    count_t inflight_q, behind;
    logic used, unused_high, unused_tag;
    assign used = 32'(known_q) > s + 1;
    assign final_stage[s] = 32'(known_q) == s + 2;
    if (s == Adders - 1) begin : gen_last
      assign behind = sums_waiting;
    end else begin : gen_not_last
      assign behind = final_stage[s] ? sums_waiting : waiting[s+1];
    end
    assign take[s] = used && chain_valid[s] && valid_i[side_q[s+1]] &&
        inflight_q < count_t'(ChainWords) - behind;
    assign moving[s] = take[s] || inflight_q != '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) inflight_q <= '0;
      else inflight_q <= inflight_q + count_t'(take[s]) - count_t'(result_valid[s]);
    end

    if (s > 0) begin : gen_chain
      logic empty;
      fifo #(
          .T(word_t),
          .Depth(ChainWords)
      ) u_chain (
          .clk_i,
          .rst_ni,
          .push_i (result_valid[s-1] && !final_stage[s-1]),
          .data_i (result[s-1]),
          .pop_i  (take[s]),
          .data_o (chain_data[s]),
          .empty_o(empty),
          .full_o (),
          .count_o(waiting[s]),
          .load_o (),
          .next_o ()
      );
      assign chain_valid[s] = !empty;
    end

    combine_unit #(
        .FpuStages(FpuStages),
        .WideElements(WideElements)
    ) u_combine_unit (
        .clk_i,
        .rst_ni,
        .element_i,
        .combine_i,
        .valid_i(take[s]),
        .a_i    (chain_data[s]),
        .b_i    (data_i[side_q[s+1]]),
        .tag_i  (1'b0),
        .valid_o(result_valid[s]),
        .data_o (result[s]),
        .tag_o  (unused_tag),
        .high_o (unused_high)
    );
  end

  always_comb begin : taken
    take_o = '0;
    if (take[0]) take_o[side_q[0]] = 1'b1;
    for (int unsigned s = 0; s < Adders; s++) begin
      if (take[s]) take_o[side_q[s+1]] = 1'b1;
    end
  end

  // ------------------------------------------------------------------ sums
  logic final_valid, sums_empty;
  word_t final_data, oldest;
  always_comb begin
    final_valid = 1'b0;
    final_data  = '0;
    for (int unsigned s = 0; s < Adders; s++) begin
      if (result_valid[s] && final_stage[s]) begin
        final_valid = 1'b1;
        final_data  = result[s];
      end
    end
  end

  fifo #(
      .T(word_t),
      .Depth(ChainWords)
  ) u_sums (
      .clk_i,
      .rst_ni,
      .push_i (final_valid && !(sums_empty && ready_i)),
      .data_i (final_data),
      .pop_i  (fire && !sums_empty),
      .data_o (oldest),
      .empty_o(sums_empty),
      .full_o (),
      .count_o(sums_waiting),
      .load_o (),
      .next_o ()
  );

  assign valid_o = !sums_empty || final_valid;
  assign data_o = sums_empty ? final_data : oldest;
  assign fire = valid_o && ready_i;
  assign running_o = sums_left_q != '0;
  assign busy_o = |moving || fire;

  // Nothing waits before the first stage.
  logic unused;
  assign unused = ^waiting[0];

`ifndef SYNTHESIS
  // There are adders for all summands.
  SummandsFit :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i |-> known != 1 && 32'(known) <= Most);
  // Sums end before they begin again.
  StartNeedsEnd :
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !running_o && moving == '0);
  // No sum comes that was not asked for.
  SumsAreAskedFor :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o |-> running_o);
`endif

endmodule

`default_nettype wire
