// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file text.h
/// Texts in the program's arrays.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace tidings {

/// Copy as much of a text as fits into `size` characters, with the end of the string. @return its length there.
inline int copy_text(std::string_view text, char* to, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t kept = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), kept);
  to[kept] = '\0';
  return static_cast<int>(kept);
}

}  // namespace tidings
