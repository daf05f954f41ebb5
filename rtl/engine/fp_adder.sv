// Copyright Tidings contributors.
// Licensed under the Solderpad Hardware License, Version 2.1.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

/// Pipelined IEEE 754 adder of two formats, round to nearest, ties to even, with subnormals.
///
/// Takes an addition in every cycle; the sum follows `Stages` cycles later. A result that is not a
/// number is the canonical quiet NaN. Numbers of the short format stand in the upper bits of
/// operands and result, so that both formats share one path:
///
///     operands -> swap, align -> (cut 1) -> add -> (cut 3) -> normalise -> (cut 2) -> round -> result
///
/// Registers stand at operands, result and cut 1, with 4 stages at cut 2 too, with 5 at all.
module fp_adder #(
    /// Bits of the exponent.
    parameter int unsigned ExponentBits = 11,
    /// Bits of the fraction.
    parameter int unsigned FractionBits = 52,
    /// Bits of the exponent of short numbers.
    parameter int unsigned ShortExponentBits = 8,
    /// Bits of the fraction of short numbers.
    parameter int unsigned ShortFractionBits = 23,
    /// Cycles from operands to result, from 3 to 5.
    parameter int unsigned Stages = 4,
    /// Bits of an operand.
    localparam int unsigned Width = 1 + ExponentBits + FractionBits
) (
    /// Clock.
    input  logic             clk_i,
    /// Synchronous reset, active low.
    input  logic             rst_ni,
    /// Operands are valid.
    input  logic             valid_i,
    /// Operands and result are short numbers, in the upper bits; the bits below are zero.
    input  logic             short_i,
    /// First operand.
    input  logic [Width-1:0] a_i,
    /// Second operand.
    input  logic [Width-1:0] b_i,
    /// The second operand without its sign is the larger number; in the cycle of the operands.
    output logic             b_larger_o,
    /// Result is valid.
    output logic             valid_o,
    /// Sum.
    output logic [Width-1:0] result_o
);

  if (Stages < 3 || Stages > 5) begin : gen_stages_check
    $error("Stages must be from 3 to 5, not %0d", Stages);
  end
  if (ShortExponentBits > ExponentBits || ShortFractionBits > FractionBits) begin : gen_short_check
    $error("A short number must fit: %0d and %0d bits", ShortExponentBits, ShortFractionBits);
  end

  localparam int unsigned ShortWidth = 1 + ShortExponentBits + ShortFractionBits;
  // Bits below the fraction of a short number that stands at the upper end of the long one's.
  localparam int unsigned ShortGap = FractionBits - ShortFractionBits;
  // Hidden bit, fraction, guard, round and sticky bit.
  localparam int unsigned SumBits = FractionBits + 4;
  localparam int unsigned ShiftBits = $clog2(SumBits + 1);

  typedef logic [Width-1:0] number_t;
  typedef logic [ExponentBits-1:0] exponent_t;
  typedef logic [FractionBits-1:0] fraction_t;

  /// A number without its sign; the fraction of a short one stands at the upper end.
  typedef struct packed {
    exponent_t exponent;
    fraction_t fraction;
  } magnitude_t;

  /// Both operands with the exponent of the larger one.
  typedef struct packed {
    logic               is_short;
    logic               is_nan;
    logic               is_infinite;
    logic               sign;         // of the larger operand
    logic               subtract;
    exponent_t          exponent;     // of the larger operand; 1 for subnormals
    logic [SumBits-1:0] larger;
    logic [SumBits-1:0] smaller;      // its lowest bit stands for all that were shifted out
  } aligned_t;

  /// Their sum, before (with a carry) or after it was shifted to its place.
  typedef struct packed {
    logic             is_short;
    logic             is_nan;
    logic             is_infinite;
    logic             sign;
    exponent_t        exponent;
    logic [SumBits:0] digits;
  } sum_t;

  function automatic exponent_t largest_exponent(logic is_short);
    return is_short ? exponent_t'((1 << ShortExponentBits) - 1) : '1;
  endfunction

  function automatic magnitude_t unpack(logic [Width-2:0] x, logic is_short);
    unpack = x;
    if (is_short) begin
      unpack.exponent = exponent_t'(x[Width-2-:ShortExponentBits]);
      unpack.fraction = fraction_t'(x[Width-2-ShortExponentBits-:ShortFractionBits]) << ShortGap;
    end
  endfunction

  function automatic aligned_t align(number_t a, number_t b, logic b_larger, logic is_short);
    automatic magnitude_t x = unpack(b_larger ? b[Width-2:0] : a[Width-2:0], is_short);
    automatic magnitude_t y = unpack(b_larger ? a[Width-2:0] : b[Width-2:0], is_short);
    automatic logic x_normal = x.exponent != '0;
    automatic logic y_normal = y.exponent != '0;
    automatic exponent_t most = largest_exponent(is_short);
    // Subnormals have the exponent of the smallest normal numbers.
    automatic exponent_t distance = x.exponent - y.exponent - exponent_t'(x_normal && !y_normal);
    automatic logic [ShiftBits-1:0] shift = ShiftBits'(distance);
    automatic logic sticky = 1'b0;
    automatic logic [SumBits-1:0] smaller = {y_normal, y.fraction, 3'b0};
    if (32'(distance) >= SumBits) shift = ShiftBits'(SumBits);
    for (int unsigned i = 0; i < ShiftBits; i++) begin
      if (shift[i]) begin
        for (int unsigned j = 0; j < SumBits; j++) sticky = sticky || (j < (1 << i) && smaller[j]);
        smaller = smaller >> (1 << i);
      end
    end
    align.is_short = is_short;
    align.subtract = a[Width-1] != b[Width-1];
    align.sign = b_larger ? b[Width-1] : a[Width-1];
    align.is_nan = x.exponent == most &&
        (x.fraction != '0 || (y.exponent == most && align.subtract));
    align.is_infinite = x.exponent == most;
    align.exponent = x_normal ? x.exponent : exponent_t'(1);
    align.larger = {x_normal, x.fraction, 3'b0};
    align.smaller = {smaller[SumBits-1:1], smaller[0] || sticky};
  endfunction

  function automatic sum_t add(aligned_t x);
    add.is_short = x.is_short;
    add.is_nan = x.is_nan;
    add.is_infinite = x.is_infinite;
    add.exponent = x.exponent;
    add.digits = {1'b0, x.larger} + ({1'b0, x.smaller} ^ {SumBits + 1{x.subtract}}) +
        (SumBits + 1)'(x.subtract);
    // What cancels out is a positive zero.
    add.sign = x.sign && !(x.subtract && add.digits == '0);
  endfunction

  function automatic sum_t normalise(sum_t x);
    automatic logic shorter;
    normalise = x;
    if (x.digits[SumBits]) begin
      normalise.digits   = {1'b0, x.digits[SumBits:2], x.digits[1] || x.digits[0]};
      normalise.exponent = x.exponent + 1'b1;
    end else begin
      // To the left until the hidden bit is set, or as far as subnormals go.
      for (int unsigned i = ShiftBits; i > 0; i--) begin
        shorter = 1'b1;
        for (int unsigned j = 0; j < SumBits; j++) begin
          if (j >= SumBits - (1 << (i - 1)) && normalise.digits[j]) shorter = 1'b0;
        end
        if (shorter && 32'(normalise.exponent) > (1 << (i - 1))) begin
          normalise.digits   = normalise.digits << (1 << (i - 1));
          normalise.exponent = normalise.exponent - exponent_t'(1 << (i - 1));
        end
      end
    end
  endfunction

  function automatic number_t round(sum_t x);
    automatic exponent_t most = largest_exponent(x.is_short);
    automatic logic lowest = x.is_short ? x.digits[3+ShortGap] : x.digits[3];
    automatic logic guard = x.is_short ? x.digits[2+ShortGap] : x.digits[2];
    automatic logic rest = x.is_short ? x.digits[1+ShortGap:0] != '0 : x.digits[1:0] != '0;
    automatic logic up = guard && (lowest || rest);
    // A fraction that rounds up to two counts the exponent up; so a subnormal becomes normal, too.
    automatic
    magnitude_t
    magnitude = {
      x.digits[SumBits-1] ? x.exponent : '0, x.digits[SumBits-2:3]
    };
    for (int unsigned i = 0; i < ShortGap; i++) if (x.is_short) magnitude[i] = 1'b0;
    magnitude = magnitude + (ExponentBits + FractionBits)'(up && !x.is_short) +
        ((ExponentBits + FractionBits)'(up && x.is_short) << ShortGap);
    if (x.is_infinite || magnitude[FractionBits+:ExponentBits] >= most) begin
      magnitude = {most, {FractionBits{1'b0}}};
    end
    if (x.is_nan) magnitude = {most, 1'b1, {FractionBits - 1{1'b0}}};
    round = {x.sign && !x.is_nan, magnitude};
    if (x.is_short) begin
      round = '0;
      round[Width-1-:ShortWidth] = {
        x.sign && !x.is_nan, magnitude[FractionBits+ShortExponentBits-1-:ShortWidth-1]
      };
    end
  endfunction

  assign b_larger_o = b_i[Width-2:0] > a_i[Width-2:0];

  // Bit s: an addition is behind stage s.
  logic [Stages-1:0] stage_q;
  assign valid_o = stage_q[Stages-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) stage_q <= '0;
    else stage_q <= {stage_q[Stages-2:0], valid_i};
  end

  // Each step stands inside its register's condition, so that simulators skip it for empty stages.
  logic short_q, b_larger_q;
  number_t a_q, b_q;
  aligned_t aligned_q;
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      short_q <= short_i;
      b_larger_q <= b_larger_o;
      a_q <= a_i;
      b_q <= b_i;
    end
    if (stage_q[0]) aligned_q <= align(a_q, b_q, b_larger_q, short_q);
  end

  if (Stages == 3) begin : gen_cut_1
    always_ff @(posedge clk_i) begin
      if (stage_q[1]) result_o <= round(normalise(add(aligned_q)));
    end
  end else if (Stages == 4) begin : gen_cuts_1_2
    sum_t normal_q;
    always_ff @(posedge clk_i) begin
      if (stage_q[1]) normal_q <= normalise(add(aligned_q));
      if (stage_q[2]) result_o <= round(normal_q);
    end
  end else begin : gen_cuts_1_2_3
    sum_t sum_q, normal_q;
    always_ff @(posedge clk_i) begin
      if (stage_q[1]) sum_q <= add(aligned_q);
      if (stage_q[2]) normal_q <= normalise(sum_q);
      if (stage_q[3]) result_o <= round(normal_q);
    end
  end

endmodule

`default_nettype wire
