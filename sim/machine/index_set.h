// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file index_set.h
/// A set of nodes, or of anything else that is numbered, that is cheap to fill, to walk in order and to empty.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sim/machine/types.h"

namespace tidings {

/// @tparam Index NodeIndex, or std::size_t.
template <typename Index>
class IndexSet {
 public:
  /// @param members at most, numbered from 0.
  explicit IndexSet(std::size_t members) : words_((members + kBits - 1) / kBits) {}

  void insert(Index index) { words_[number(index) / kBits] |= bit(index); }
  void erase(Index index) { words_[number(index) / kBits] &= ~bit(index); }
  [[nodiscard]] bool contains(Index index) const { return (words_[number(index) / kBits] & bit(index)) != 0; }
  [[nodiscard]] bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  /// Calls `function(index)` for each member in rising order. It may erase the one it is called with.
  template <typename Function>
  void for_each(Function&& function) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        function(index_of(i * kBits + static_cast<std::size_t>(std::countr_zero(rest))));
      }
    }
  }

  /// Members from number i * kBits on, one bit each.
  [[nodiscard]] std::uint64_t& word(std::size_t i) { return words_[i]; }
  [[nodiscard]] const std::uint64_t& word(std::size_t i) const { return words_[i]; }
  [[nodiscard]] std::size_t words() const { return words_.size(); }

  static constexpr std::uint32_t kBits = 64;

 private:
  static constexpr std::size_t number(Index index) {
    if constexpr (std::is_same_v<Index, NodeIndex>) {
      return index.value;
    } else {
      return index;
    }
  }
  static constexpr Index index_of(std::size_t number) {
    if constexpr (std::is_same_v<Index, NodeIndex>) {
      return NodeIndex{static_cast<std::uint32_t>(number)};
    } else {
      return number;
    }
  }
  static constexpr std::uint64_t bit(Index index) { return std::uint64_t{1} << (number(index) % kBits); }

  std::vector<std::uint64_t> words_;
};

using NodeSet = IndexSet<NodeIndex>;

}  // namespace tidings
