// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/combine_unit.h"

namespace tidings::cycle {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

/// Maps an element to an unsigned number of the same order (but for NaN and the signs of zeros).
constexpr std::uint64_t order_key(std::uint64_t x, bool floating) {
  return floating && (x & kSign) != 0 ? ~x : x ^ kSign;
}

/// More than infinity: the lower half of a 32-bit element is zero.
constexpr bool is_nan(std::uint64_t magnitude, bool wide) {
  return magnitude > (wide ? std::uint64_t{0x7ff} << 52 : std::uint64_t{0xff} << 55);
}

/// `x < y` as C understands it.
constexpr bool is_less(std::uint64_t x, std::uint64_t y, Element element) {
  const bool floating = is_floating(element);
  if (floating) {
    const bool wide = is_wide(element);
    const std::uint64_t x_magnitude = x & ~kSign;
    const std::uint64_t y_magnitude = y & ~kSign;
    if (is_nan(x_magnitude, wide) || is_nan(y_magnitude, wide)) return false;
    if (x_magnitude == 0 && y_magnitude == 0) return false;
  }
  return order_key(x, floating) < order_key(y, floating);
}

/// All but floating-point sums.
constexpr std::uint64_t simple_result(Element element, Combine combine, std::uint64_t a, std::uint64_t b) {
  switch (combine) {
    case Combine::kSum:
      return a + b;
    case Combine::kMin:
      return is_less(a, b, element) ? a : b;
    case Combine::kMax:
      return is_less(b, a, element) ? a : b;
    case Combine::kAnd:
      return a & b;
    case Combine::kOr:
      return a | b;
    default:
      return a ^ b;
  }
}

constexpr std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
constexpr std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }

constexpr bool uses_adder(CombineUnit::Operation operation) {
  return is_floating(operation.element) && operation.combine == Combine::kSum;
}

/// Each word of a 64-bit element is one of its own, but for the carry of a sum.
constexpr bool goes_by_words(CombineUnit::Operation operation) {
  return is_wide(operation.element) && !uses_adder(operation) && operation.combine != Combine::kMin &&
         operation.combine != Combine::kMax;
}

}  // namespace

CombineUnit::CombineUnit(std::uint32_t fpu_stages) : adder_(fpu_stages), tags_(fpu_stages) {}

inline std::uint64_t CombineUnit::result(Operation operation) const {
  return uses_adder(operation) ? adder_.result() : simple_;
}

inline void CombineUnit::show(Operation operation, Output& shown) const {
  shown.valid = high_valid_ || result_valid();
  if (!shown.valid) return;
  const bool by_words = goes_by_words(operation);
  shown.high = high_valid_ || (by_words && simple_high_);
  if (high_valid_) {
    shown.data = high_;
    shown.tag = high_tag_;
    return;
  }
  const std::uint64_t word = result(operation);
  shown.data = is_wide(operation.element) && !by_words ? low_word(word) : high_word(word);
  const std::size_t oldest = newest_tag_ + 1 == tags_.size() ? 0 : newest_tag_ + 1;
  shown.tag = tags_[uses_adder(operation) ? oldest : newest_tag_];
}

CombineUnit::Output CombineUnit::output(Operation operation) const {
  Output shown;
  show(operation, shown);
  return shown;
}

void CombineUnit::clock(Operation operation, const Inputs& inputs, Output& shown) {
  // What most programs do has code of its own: the compiler knows the operation.
  constexpr Operation kSumOfDoubles{Element::kDouble, Combine::kSum};
  if (operation == kSumOfDoubles) {
    clock_for(kSumOfDoubles, inputs, shown);
  } else if (operation == kUnchanged) {
    clock_for(kUnchanged, inputs, shown);
  } else {
    clock_for(operation, inputs, shown);
  }
}

inline void CombineUnit::clock_for(Operation operation, const Inputs& inputs, Output& shown) {
  const bool wide = is_wide(operation.element);
  const bool adder = uses_adder(operation);
  const bool by_words = goes_by_words(operation);
  const bool paired = wide && !by_words;

  show(operation, shown);
  const bool had_result = result_valid();
  if (had_result) {
    high_ = high_word(result(operation));
    // As two members: a structure cannot be loaded right after its parts are stored.
    high_tag_.last = shown.tag.last;
    high_tag_.final = shown.tag.final;
  }
  high_valid_ = had_result && paired;

  // A 32-bit element sits in the upper half, so that its sign is where a 64-bit element has its own. The sum of the
  // lower halves carries if the sum of the low words did.
  const std::uint32_t carries = by_words && low_held_ && carry_ ? 1 : 0;
  const std::uint64_t a = std::uint64_t{inputs.a} << 32 | (paired ? a_low_ : 0 - carries);
  const std::uint64_t b = std::uint64_t{inputs.b} << 32 | (paired ? b_low_ : carries);
  const bool element_valid = inputs.valid && (!paired || low_held_);
  simple_valid_ = element_valid && !adder;
  if (simple_valid_) {
    simple_ = simple_result(operation.element, operation.combine, a, b);
    simple_high_ = by_words && low_held_;
  }
  adder_.clock(element_valid && adder, !wide, a, b);
  newest_tag_ = newest_tag_ + 1 == tags_.size() ? 0 : newest_tag_ + 1;
  tags_[newest_tag_] = inputs.tag;

  if (inputs.valid) {
    low_held_ = wide && !low_held_;
    a_low_ = inputs.a;
    b_low_ = inputs.b;
    carry_ = a + b < a;
  }
}

}  // namespace tidings::cycle
