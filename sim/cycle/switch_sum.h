// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file switch_sum.h
/// Twin of rtl/engine/switch_sum.sv: combines words of several inputs of a static switch into one stream.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/cycle/combine_unit.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/static_switch.h"

namespace tidings::cycle {

class SwitchSum {
 public:
  /// @param adders stages, or 0: then it never starts.
  SwitchSum(std::uint32_t adders, std::uint32_t fpu_stages) : sums_(chain_words(fpu_stages)) {
    for (std::uint32_t s = 0; s < adders; ++s) stages_.emplace_back(fpu_stages, chain_words(fpu_stages));
  }

  /// Sums begin; none are under way. @param summands a bit per input. @param words of a summand.
  void start(std::uint32_t summands, std::uint32_t words, CombineUnit::Operation operation) {
    sides_.clear();
    if ((summands >> StaticSwitch::kSlot & 1U) != 0) sides_.push_back(StaticSwitch::kSlot);
    for (unsigned s = 0; s < StaticSwitch::kSlot; ++s) {
      if ((summands >> s & 1U) != 0) sides_.push_back(s);
    }
    left_ = sums_left_ = sides_.empty() ? 0 : words;
    operation_ = operation;
  }

  /// A sum has not been taken yet.
  [[nodiscard]] bool running() const { return sums_left_ != 0; }
  /// A clock edge without inputs changes something. @param fired its sum is taken.
  [[nodiscard]] bool busy(bool fired) const { return moving_ || fired; }
  /// Inputs whose words it takes, one bit each.
  [[nodiscard]] std::uint32_t takes() const { return takes_; }
  /// The sum that is there.
  [[nodiscard]] std::optional<std::uint32_t> sum() const { return sum_; }

  /// Decide what happens in this cycle.
  void evaluate(const StaticSwitch& from) {
    takes_ = 0;
    sum_.reset();
    moving_ = false;
    if (!running()) return;
    for (std::size_t s = 0; s < used(); ++s) {
      Stage& stage = stages_[s];
      const bool first = s == 0;
      const bool partial = first ? left_ != 0 && from.head(sides_[0]) != nullptr : !stage.partials.empty();
      const std::uint32_t room = is_final(s) ? sums_.room() : stages_[s + 1].partials.room();
      stage.takes = partial && from.head(sides_[s + 1]) != nullptr && stage.inflight < room;
      if (stage.takes) takes_ |= 1U << sides_[s + 1] | (first ? 1U << sides_[0] : 0);
      moving_ = moving_ || stage.takes || stage.inflight != 0;
    }
    if (!sums_.empty()) {
      sum_ = sums_.front();
    } else if (const CombineUnit::Output last = stages_[used() - 1].combine.output(operation_); last.valid) {
      sum_ = last.data;
    }
  }

  /// One clock edge, before that of the switch. @param fired its sum is taken.
  void clock(const StaticSwitch& from, bool fired) {
    if (!running()) return;
    if (stages_[0].takes) --left_;
    // A sum that finds nothing before it leaves at once.
    const bool passes = fired && sums_.empty();
    if (fired && !passes) sums_.pop();
    if (fired) --sums_left_;
    for (std::size_t s = 0; s < used(); ++s) {
      Stage& stage = stages_[s];
      CombineUnit::Inputs inputs{.valid = stage.takes, .a = 0, .b = 0, .tag = {}};
      if (stage.takes) {
        inputs.a = s == 0 ? *from.head(sides_[0]) : stage.partials.front();
        inputs.b = *from.head(sides_[s + 1]);
        if (s != 0) stage.partials.pop();
      }
      CombineUnit::Output result;
      stage.combine.clock(operation_, inputs, result);
      stage.inflight += (stage.takes ? 1U : 0U) - (result.valid ? 1U : 0U);
      if (!result.valid) continue;
      if (!is_final(s)) {
        // The stage behind has not popped yet, and has room for both.
        stages_[s + 1].arriving = result.data;
      } else if (!passes) {
        sums_.push(result.data);
      }
    }
    for (Stage& stage : stages_) {
      if (stage.arriving) stage.partials.push(*stage.arriving);
      stage.arriving.reset();
    }
  }

 private:
  struct Stage {
    Stage(std::uint32_t fpu_stages, std::uint32_t words) : combine(fpu_stages), partials(words) {}

    CombineUnit combine;
    Fifo<std::uint32_t> partials;  ///< of the stage before
    std::optional<std::uint32_t> arriving;
    std::uint32_t inflight = 0;  ///< words between taking and result
    bool takes = false;
  };

  static std::uint32_t chain_words(std::uint32_t fpu_stages) { return std::bit_ceil(fpu_stages + 5); }
  [[nodiscard]] std::size_t used() const { return sides_.size() - 1; }
  [[nodiscard]] bool is_final(std::size_t stage) const { return stage + 1 == used(); }

  std::vector<Stage> stages_;
  Fifo<std::uint32_t> sums_;
  std::vector<unsigned> sides_;  ///< summands in the order of the chain
  CombineUnit::Operation operation_;
  std::uint32_t left_ = 0;       ///< words that the first stage has not taken
  std::uint32_t sums_left_ = 0;  ///< sums that have not left
  std::uint32_t takes_ = 0;
  std::optional<std::uint32_t> sum_;
  bool moving_ = false;
};

}  // namespace tidings::cycle
