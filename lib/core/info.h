// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file info.h
/// An info object: keys and values, in the order in which the keys were first set.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidings {

class Info {
 public:
  /// @return null if there is no such key.
  [[nodiscard]] const std::string* find(std::string_view key) const {
    const auto found = std::find_if(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.first == key; });
    return found == pairs_.end() ? nullptr : &found->second;
  }
  /// Add a key, or give it another value.
  void set(std::string_view key, std::string_view value) {
    for (auto& pair : pairs_) {
      if (pair.first == key) {
        pair.second = value;
        return;
      }
    }
    pairs_.emplace_back(key, value);
  }
  /// @return false if there is no such key.
  bool remove(std::string_view key) {
    return std::erase_if(pairs_, [&](const auto& pair) { return pair.first == key; }) != 0;
  }

  [[nodiscard]] std::size_t size() const { return pairs_.size(); }
  [[nodiscard]] const std::string& key(std::size_t index) const { return pairs_[index].first; }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace tidings
