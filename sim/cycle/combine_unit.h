// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file combine_unit.h
/// Twin of rtl/engine/combine_unit.sv.
#include <cstdint>

#include "sim/cycle/fp_adder.h"
#include "sim/cycle/tidings_pkg.h"

namespace tidings::cycle {

constexpr bool is_floating(Element element) { return element == Element::kFloat || element == Element::kDouble; }

/// Combines two streams of elements, a word of each in a cycle.
class CombineUnit {
 public:
  /// What travels with an element.
  struct Tag {
    bool last = false;   ///< of its pass
    bool final = false;  ///< the result is final
  };

  /// Constant while elements are on their way.
  struct Operation {
    Element element = Element::kInt32;
    Combine combine = Combine::kSum;
    bool operator==(const Operation&) const = default;
  };

  struct Inputs {
    bool valid = false;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    Tag tag;
  };

  struct Output {
    bool valid = false;
    std::uint32_t data = 0;
    Tag tag;
    bool high = false;  ///< the high half of a 64-bit element
  };

  explicit CombineUnit(std::uint32_t fpu_stages);

  /// What is shown before the next edge.
  [[nodiscard]] Output output(Operation operation) const;
  /// @param shown what was shown before the edge.
  void clock(Operation operation, const Inputs& inputs, Output& shown);
  /// The same, if the compiler knows the operation.
  [[gnu::always_inline]] void clock_for(Operation operation, const Inputs& inputs, Output& shown);

 private:
  [[nodiscard]] bool result_valid() const { return simple_valid_ || adder_.valid(); }
  [[nodiscard, gnu::always_inline]] std::uint64_t result(Operation operation) const;
  [[gnu::always_inline]] void show(Operation operation, Output& shown) const;

  // Tags as bits.
  static constexpr unsigned kTagBits = 2;
  static constexpr std::uint64_t bits_of(const Tag& tag) { return (tag.last ? 1U : 0U) | (tag.final ? 2U : 0U); }
  static constexpr Tag tag_of(std::uint64_t bits) { return {(bits & 1) != 0, (bits & 2) != 0}; }

  bool low_held_ = false;
  std::uint32_t a_low_ = 0;
  std::uint32_t b_low_ = 0;
  bool carry_ = false;  ///< of the sum of the last words
  bool simple_valid_ = false;
  std::uint64_t simple_ = 0;
  bool simple_high_ = false;
  FpAdder adder_;
  unsigned oldest_tag_;     ///< its lowest bit in `tags_`
  std::uint64_t tags_ = 0;  ///< one per stage of the adder, and those of before; the newest is the lowest
  bool high_valid_ = false;
  std::uint32_t high_ = 0;
  std::uint64_t high_tag_ = 0;
};

inline constexpr CombineUnit::Operation kSumOfDoubles{Element::kDouble, Combine::kSum};
/// Leaves words as they are if those of the other stream are zero.
inline constexpr CombineUnit::Operation kUnchanged{Element::kInt32, Combine::kOr};

namespace combining {

inline constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

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

}  // namespace combining

inline std::uint64_t CombineUnit::result(Operation operation) const {
  return combining::uses_adder(operation) ? adder_.result() : simple_;
}

inline void CombineUnit::show(Operation operation, Output& shown) const {
  shown.valid = high_valid_ || result_valid();
  if (!shown.valid) return;
  const bool by_words = combining::goes_by_words(operation);
  shown.high = high_valid_ || (by_words && simple_high_);
  if (high_valid_) {
    shown.data = high_;
    shown.tag = tag_of(high_tag_);
    return;
  }
  const std::uint64_t word = result(operation);
  shown.data = is_wide(operation.element) && !by_words ? combining::low_word(word) : combining::high_word(word);
  shown.tag = tag_of(combining::uses_adder(operation) ? tags_ >> oldest_tag_ : tags_);
}

inline void CombineUnit::clock_for(Operation operation, const Inputs& inputs, Output& shown) {
  const bool wide = is_wide(operation.element);
  const bool adder = combining::uses_adder(operation);
  const bool by_words = combining::goes_by_words(operation);
  const bool paired = wide && !by_words;

  show(operation, shown);
  const bool had_result = result_valid();
  if (had_result) {
    high_ = combining::high_word(result(operation));
    high_tag_ = bits_of(shown.tag);
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
    simple_ = combining::simple_result(operation.element, operation.combine, a, b);
    simple_high_ = by_words && low_held_;
  }
  adder_.clock(element_valid && adder, !wide, a, b);
  tags_ = tags_ << kTagBits | bits_of(inputs.tag);

  if (inputs.valid) {
    low_held_ = wide && !low_held_;
    a_low_ = inputs.a;
    b_low_ = inputs.b;
    if (by_words) carry_ = a + b < a;
  }
}

}  // namespace tidings::cycle
