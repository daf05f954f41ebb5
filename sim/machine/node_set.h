// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_set.h
/// A set of nodes that is cheap to fill, to walk in order and to empty.
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/machine/types.h"

namespace tidings {

class NodeSet {
 public:
  explicit NodeSet(std::uint32_t nodes) : words_((nodes + kBits - 1) / kBits) {}

  void insert(NodeIndex node) { words_[node.value / kBits] |= bit(node); }
  void erase(NodeIndex node) { words_[node.value / kBits] &= ~bit(node); }
  [[nodiscard]] bool contains(NodeIndex node) const { return (words_[node.value / kBits] & bit(node)) != 0; }
  [[nodiscard]] bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  /// Calls `function(NodeIndex)` for each member in rising order. It may erase the node it is called with.
  template <typename Function>
  void for_each(Function&& function) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        function(NodeIndex{static_cast<std::uint32_t>(i * kBits) + static_cast<std::uint32_t>(std::countr_zero(rest))});
      }
    }
  }

  /// The nodes from i * kBits on, one bit each.
  [[nodiscard]] std::uint64_t& word(std::size_t i) { return words_[i]; }
  [[nodiscard]] const std::uint64_t& word(std::size_t i) const { return words_[i]; }
  [[nodiscard]] std::size_t words() const { return words_.size(); }

  static constexpr std::uint32_t kBits = 64;

 private:
  static constexpr std::uint64_t bit(NodeIndex node) { return std::uint64_t{1} << (node.value % kBits); }

  std::vector<std::uint64_t> words_;
};

}  // namespace tidings
