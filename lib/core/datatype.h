// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file datatype.h
/// Datatypes: where the bytes of an element are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attributes.h"

namespace tidings {

/// What the elements of a predefined datatype are, as far as reductions care.
enum class Basic : std::uint8_t {
  None,  ///< derived, or nothing that can be reduced
  Byte,
  Int8,
  Uint8,
  Int16,
  Uint16,
  Int32,
  Uint32,
  Int64,
  Uint64,
  Float,
  Double,
  LongDouble,
  ComplexFloat,
  ComplexDouble,
  ComplexLongDouble,
  Bool,
  Logical8,
  Logical16,
  Logical32,
  Logical64,
  FloatInt,
  DoubleInt,
  LongInt,
  TwoInt,
  ShortInt,
  LongDoubleInt,
  TwoFloat,
  TwoDouble,
};
/// How many there are.
inline constexpr unsigned kBasics = static_cast<unsigned>(Basic::TwoDouble) + 1;

/// Bytes of an element that lie together.
struct Segment {
  std::ptrdiff_t offset = 0;
  std::size_t bytes = 0;
  bool operator==(const Segment&) const = default;
};

/// A datatype, flattened: the segments of one element in the order in which they are packed.
class Datatype {
 public:
  /// A predefined type of `extent` bytes. @param segments empty for one that covers the extent.
  Datatype(std::string name, Basic basic, std::size_t extent, std::vector<Segment> segments = {});

  /// `count` elements of `old` one after another.
  static Datatype contiguous(std::size_t count, const Datatype& old);
  /// `count` blocks of `block_length` elements, the start of each `stride` elements behind the one before.
  static Datatype vector(std::size_t count, std::size_t block_length, std::ptrdiff_t stride, const Datatype& old);

  /// A type with the same elements, committed if `old` is; without its name and its attributes.
  static Datatype duplicate(const Datatype& old);

  [[nodiscard]] const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  /// What the program attaches to it.
  Attributes attributes;
  [[nodiscard]] Basic basic() const { return basic_; }
  /// Bytes of data in an element.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::ptrdiff_t lower_bound() const { return lower_; }
  /// Bytes from one element to the next.
  [[nodiscard]] std::ptrdiff_t extent() const { return upper_ - lower_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  /// Elements lie one behind the other without holes.
  [[nodiscard]] bool is_contiguous() const { return contiguous_; }

  [[nodiscard]] bool committed() const { return committed_; }
  void commit() { committed_ = true; }
  [[nodiscard]] bool predefined() const { return predefined_; }

  /// The handle, as user-defined reductions are told it.
  [[nodiscard]] std::intptr_t handle() const { return handle_; }
  void set_handle(std::intptr_t handle) { handle_ = handle; }

  /// Visit packed bytes [first, first + bytes) of an array of elements at `base`: calls visit(address, bytes) in order.
  template <class Byte, class Visit>
  void visit(Byte* base, std::size_t first, std::size_t bytes, Visit visit) const {
    if (bytes == 0) return;
    if (contiguous_) {
      visit(base + first, bytes);
      return;
    }
    std::size_t element = first / size_;
    const std::size_t within = first % size_;
    auto segment =
        static_cast<std::size_t>(std::upper_bound(packed_.begin(), packed_.end(), within) - packed_.begin()) - 1;
    std::size_t skip = within - packed_[segment];
    while (bytes > 0) {
      const Segment& s = segments_[segment];
      const std::size_t piece = std::min(bytes, s.bytes - skip);
      visit(base + static_cast<std::ptrdiff_t>(element) * extent() + s.offset + static_cast<std::ptrdiff_t>(skip),
            piece);
      bytes -= piece;
      skip = 0;
      if (++segment == segments_.size()) {
        segment = 0;
        ++element;
      }
    }
  }

 private:
  Datatype() = default;
  void append(const Datatype& old, std::ptrdiff_t displacement, std::size_t block_length);
  void finish();

  std::string name_;
  Basic basic_ = Basic::None;
  std::size_t size_ = 0;
  std::ptrdiff_t lower_ = 0;
  std::ptrdiff_t upper_ = 0;
  std::vector<Segment> segments_;
  std::vector<std::size_t> packed_;  ///< where each segment starts in the packed element
  bool contiguous_ = false;
  bool committed_ = false;
  bool predefined_ = false;
  bool bounded_ = false;  ///< the bounds have been set by a block
  std::intptr_t handle_ = 0;
};

using DatatypePointer = std::shared_ptr<const Datatype>;

/// An array of elements in memory. Whoever keeps it beyond the call keeps the datatype too.
struct Buffer {
  void* base = nullptr;
  std::size_t count = 0;
  const Datatype* type = nullptr;

  [[nodiscard]] std::size_t bytes() const { return count * type->size(); }
};

}  // namespace tidings
