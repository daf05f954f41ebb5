// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Combines two streams of elements, a word of each in a cycle.
///
/// 64-bit elements travel low word first. Results come in order, a fixed number of cycles after the
/// last word of their element; those of 64-bit elements fill two cycles, so that input in every
/// cycle is output in every cycle. Sums of 64-bit integers and bitwise results come word by word, each
/// in the cycle after its operands. Sums of integers wrap. Sums of floating-point elements are
/// IEEE 754's, rounded to nearest even. Minimum is `a < b ? a : b`, maximum `b < a ? a : b`: if an
/// operand is not a number, and if both are zeros, the result is `b`. Bitwise operations take
/// the bits of any element type.
module combine_unit
  import tidings_pkg::*;
#(
    /// Pipeline stages of a floating-point addition, from 3 to 5.
    parameter int unsigned FpuStages = 4,
    /// There are 64-bit elements.
    parameter bit WideElements = 1'b1,
    /// Type of what travels with an element.
    parameter type Tag = logic
) (
    /// Clock.
    input  logic     clk_i,
    /// Synchronous reset, active low.
    input  logic     rst_ni,
    /// Element type; constant while elements are on their way. One of 32 bits without `WideElements`.
    input  element_e element_i,
    /// Operation; constant while elements are on their way.
    input  combine_e combine_i,
    /// A word of each stream is valid.
    input  logic     valid_i,
    /// Word of the first stream.
    input  word_t    a_i,
    /// Word of the second stream.
    input  word_t    b_i,
    /// Travels with the last word of an element.
    input  Tag       tag_i,
    /// A word of the result is valid.
    output logic     valid_o,
    /// Word of the result.
    output word_t    data_o,
    /// Tag of the element.
    output Tag       tag_o,
    /// The word is the high half of a 64-bit element.
    output logic     high_o
);

  localparam int unsigned Width = WideElements ? 64 : 32;
  typedef logic [Width-1:0] element_t;

  // The low word of a 64-bit result does not depend on the high words: each word is an element of its own,
  // but for the carry of a sum.
  logic wide, floating, use_adder, by_words, paired;
  assign wide = WideElements && is_wide(element_i);
  assign floating = element_i == ElementFloat || element_i == ElementDouble;
  assign use_adder = floating && combine_i == CombineSum;
  assign by_words = wide && !use_adder && combine_i != CombineMin && combine_i != CombineMax;
  assign paired = wide && !by_words;

  // ------------------------------------------------------------------ words to elements
  logic low_held_q, carry;
  logic element_valid, simple_valid, adder_valid;
  element_t a, b;
  assign element_valid = valid_i && (!paired || low_held_q);
  assign simple_valid  = element_valid && !use_adder;
  assign adder_valid   = element_valid && use_adder;
  if (WideElements) begin : gen_low
    word_t a_low_q, b_low_q;
    logic carry_q;
    // A 32-bit element sits in the upper half, so that its sign is where a 64-bit element has its own. The
    // sum of the lower halves carries if the sum of the low words did.
    assign a = {a_i, paired ? a_low_q : {32{by_words && low_held_q && carry_q}}};
    assign b = {b_i, paired ? b_low_q : 32'(by_words && low_held_q && carry_q)};

    always_ff @(posedge clk_i) begin
      if (!rst_ni) low_held_q <= 1'b0;
      else if (valid_i) low_held_q <= wide && !low_held_q;
    end
    always_ff @(posedge clk_i) begin
      if (valid_i) begin
        a_low_q <= a_i;
        b_low_q <= b_i;
        carry_q <= carry;
      end
    end
  end else begin : gen_no_low
    assign low_held_q = 1'b0;
    logic unused_carry;
    assign unused_carry = carry;
    assign a = a_i;
    assign b = b_i;
  end

  // ------------------------------------------------------------------ all but floating-point sums
  // Not a number: the largest exponent, and a fraction. That of a 32-bit element begins three bits higher.
  function automatic logic is_nan(logic [Width-2:0] magnitude, logic is_double);
    automatic logic [2:0] middle = magnitude[Width-10-:3];
    automatic logic rest = magnitude[Width-13:0] != '0;
    return &magnitude[Width-2-:8] && (is_double ? &middle && rest : middle != '0 || rest);
  endfunction

  // `a < b`, and whether there is an order at all: not for NaN, and zeros of any sign are equal. What is
  // chosen of equal elements does not matter.
  logic b_larger, ordered, a_less, choose_a;
  assign ordered = !floating || (!is_nan(
      a[Width-2:0], wide
  ) && !is_nan(
      b[Width-2:0], wide
  ) && {a[Width-2:0], b[Width-2:0]} != '0);
  assign a_less = a[Width-1] != b[Width-1] ? a[Width-1] : b_larger ^ (floating && a[Width-1]);
  assign choose_a = ordered && (a_less ^ (combine_i == CombineMax));

  logic simple_valid_q, simple_high_q;
  element_t simple_q, simple_sum;
  assign {carry, simple_sum} = {1'b0, a} + {1'b0, b};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) simple_valid_q <= 1'b0;
    else simple_valid_q <= simple_valid;
  end
  always_ff @(posedge clk_i) begin
    if (simple_valid) begin
      simple_high_q <= by_words && low_held_q;
      unique case (combine_i)
        CombineSum: simple_q <= simple_sum;
        CombineMin, CombineMax: simple_q <= choose_a ? a : b;
        CombineAnd: simple_q <= a & b;
        CombineOr:  simple_q <= a | b;
        default:    simple_q <= a ^ b;
      endcase
    end
  end

  // ------------------------------------------------------------------ floating-point sums
  // Without 64-bit elements the adder's one format is the short one.
  logic sum_valid;
  element_t sum;
  fp_adder #(
      .ExponentBits     (WideElements ? 11 : 8),
      .FractionBits     (WideElements ? 52 : 23),
      .ShortExponentBits(8),
      .ShortFractionBits(23),
      .Stages           (FpuStages)
  ) u_adder (
      .clk_i,
      .rst_ni,
      .valid_i   (adder_valid),
      .short_i   (!wide),
      .a_i       (a),
      .b_i       (b),
      .b_larger_o(b_larger),
      .valid_o   (sum_valid),
      .result_o  (sum)
  );

  Tag tag_q[FpuStages];
  always_ff @(posedge clk_i) begin
    tag_q[0] <= tag_i;
    for (int unsigned i = 1; i < FpuStages; i++) tag_q[i] <= tag_q[i-1];
  end

  // ------------------------------------------------------------------ elements to words
  logic result_valid, high_valid_q;
  element_t result;
  word_t high_q;
  Tag high_tag_q;
  assign result_valid = simple_valid_q || sum_valid;
  assign result = use_adder ? sum : simple_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) high_valid_q <= 1'b0;
    else high_valid_q <= result_valid && paired;
  end
  always_ff @(posedge clk_i) begin
    if (result_valid) begin
      high_q <= result[Width-1-:32];
      high_tag_q <= tag_o;
    end
  end

  assign valid_o = result_valid || high_valid_q;
  assign high_o  = high_valid_q || (by_words && simple_high_q);
  always_comb begin
    if (high_valid_q) begin
      data_o = high_q;
      tag_o  = high_tag_q;
    end else begin
      data_o = paired ? result[31:0] : result[Width-1-:32];
      tag_o  = use_adder ? tag_q[FpuStages-1] : tag_q[0];
    end
  end

`ifndef SYNTHESIS
  // The high half of an element leaves before the next element's result is there.
  OneResultAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni) high_valid_q |-> !result_valid);
`endif

endmodule

`default_nettype wire
