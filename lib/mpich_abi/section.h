// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file section.h
/// Buffers of programs that were compiled with MPICH's module mpi_f08: a section of an array need not be contiguous.
///
/// A call that is over when it returns works on a copy. Other calls pass a datatype that describes the section.
#include <cstddef>
#include <vector>

#include "fortran/convert.h"

namespace tidings::fortran {

/// What gfortran passes for an argument of any type and rank, since version 9.
struct Descriptor {
  struct Dimension {
    std::ptrdiff_t stride;  ///< in spans
    std::ptrdiff_t lower;
    std::ptrdiff_t upper;
  };
  static constexpr int kMaxRank = 15;

  void* base;
  std::size_t offset;
  std::size_t element_bytes;
  int version;
  signed char rank;
  signed char type;
  short attribute;
  std::ptrdiff_t span;
  Dimension dimensions[kMaxRank];

  /// Elements along a dimension. The last one of an array of assumed size has a negative number.
  [[nodiscard]] std::ptrdiff_t extent(int dimension) const {
    return dimensions[dimension].upper - dimensions[dimension].lower + 1;
  }
  /// Bytes from an element to the next along a dimension.
  [[nodiscard]] std::ptrdiff_t step(int dimension) const { return dimensions[dimension].stride * span; }
  [[nodiscard]] bool contiguous() const;
};

/// A buffer that the library uses during the call alone.
class Section {
 public:
  /// Copies a section that is not contiguous.
  explicit Section(const Descriptor* given);
  /// The buffer for the library.
  operator void*() { return copy_.empty() ? buffer_of(given_->base) : copy_.data(); }
  /// Write back what the library has written.
  void back();

 private:
  const Descriptor* given_;
  std::vector<char> copy_;
};

/// A buffer that the library uses after the call has returned.
class LastingSection {
 public:
  /// @param count of elements of the datatype that the program passes
  LastingSection(const Descriptor* given, long long count, MPI_Datatype datatype);
  LastingSection(const LastingSection&) = delete;
  LastingSection& operator=(const LastingSection&) = delete;
  ~LastingSection();
  /// Whether there is a datatype for it.
  [[nodiscard]] bool known() const { return known_; }
  operator void*() const { return buffer_of(given_->base); }
  /// What the library gets instead of the program's count and datatype.
  [[nodiscard]] long long count() const { return count_; }
  [[nodiscard]] MPI_Datatype datatype() const { return datatype_; }

 private:
  bool describe();
  void replace(MPI_Datatype made, long long count);

  const Descriptor* given_;
  long long count_;
  MPI_Datatype datatype_;
  bool made_ = false;
  bool known_ = true;
};

/// End a call with a section that would have to be contiguous.
int refuse_section(const char* function);

}  // namespace tidings::fortran
