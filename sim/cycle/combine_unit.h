// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file combine_unit.h
/// Twin of rtl/engine/combine_unit.sv.
#include <cstdint>
#include <vector>

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

 private:
  [[nodiscard]] bool result_valid() const { return simple_valid_ || adder_.valid(); }
  [[nodiscard, gnu::always_inline]] std::uint64_t result(Operation operation) const;
  [[gnu::always_inline]] void show(Operation operation, Output& shown) const;
  [[gnu::always_inline]] void clock_for(Operation operation, const Inputs& inputs, Output& shown);

  bool low_held_ = false;
  std::uint32_t a_low_ = 0;
  std::uint32_t b_low_ = 0;
  bool carry_ = false;  ///< of the sum of the last words
  bool simple_valid_ = false;
  std::uint64_t simple_ = 0;
  bool simple_high_ = false;
  FpAdder adder_;
  std::vector<Tag> tags_;       ///< one a stage, in a ring
  std::size_t newest_tag_ = 0;  ///< its place; the oldest is behind it
  bool high_valid_ = false;
  std::uint32_t high_ = 0;
  Tag high_tag_;
};

/// Leaves words as they are if those of the other stream are zero.
inline constexpr CombineUnit::Operation kUnchanged{Element::kInt32, Combine::kOr};

}  // namespace tidings::cycle
