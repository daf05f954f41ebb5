// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file call_arguments.h
/// Arguments of a call, as people read them.
#include <array>
#include <cstdint>
#include <string>

#include "trace.h"

namespace tidings {

/// Arguments for the trace and for messages. Nothing is put together before somebody reads it.
class CallArguments {
 public:
  /// @param text lives as long as the process; the value stands for a percent sign in it. What is more than
  /// TIDINGS_MAX_ARGUMENTS is left out.
  void add(const char* text, std::int64_t value = 0) {
    if (count_ < list_.size()) list_[count_++] = {text, value};
  }

  [[nodiscard]] const tidings_argument* data() const { return list_.data(); }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// "MPI_Recv(source 1, tag 7)".
  [[nodiscard]] std::string text(const char* name) const {
    constexpr std::size_t kLongest = 512;
    std::array<char, kLongest> text;  // NOLINT: filled by the next line
    return {text.data(), tidings_call_text(name, list_.data(), count_, text.data(), text.size())};
  }

 private:
  std::array<tidings_argument, TIDINGS_MAX_ARGUMENTS> list_;  // NOLINT: only what is counted is read
  std::uint32_t count_ = 0;
};

}  // namespace tidings
