// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file signature.h
/// Type signatures: the basic types of a message's elements, in their order (MPI 5.0, section 5.1).
#include <cstdint>
#include <string>
#include <vector>

#include "core/abi.h"

namespace tidings::check {

/// The type signature of elements of one datatype. Two match if their basic types are the same values in memory, by
/// kind and size: MPI_INT matches MPI_INT32_T, though the standard asks for equal names, but neither MPI_UNSIGNED nor
/// MPI_FLOAT. As section 3.3.1 says, MPI_BYTE matches itself alone, and MPI_PACKED matches all.
class Signature {
 public:
  /// What a signature with MPI_PACKED in it has for its number of basic elements: it matches all.
  static constexpr std::uint64_t kAnything = ~std::uint64_t{0};

  Signature(MPI_Count count, MPI_Datatype type);

  /// Number of basic elements, or kAnything.
  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  /// A number that differs if the first basic elements do. @param elements at most as many as there are
  [[nodiscard]] std::uint64_t hash(std::uint64_t elements) const;
  /// "MPI_INT", or "2 MPI_INT and MPI_DOUBLE" for an element of a derived type.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  /// Basic elements of one kind, one behind the other.
  struct Run {
    std::uint64_t code;
    std::uint64_t count;
  };
  std::vector<Run> runs_;   ///< of one element
  std::uint64_t each_ = 0;  ///< basic elements of one
  std::uint64_t elements_ = 0;
  std::string text_;
};

}  // namespace tidings::check
