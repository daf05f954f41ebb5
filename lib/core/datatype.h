// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file datatype.h
/// Datatypes: where the bytes of an element are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

/// The element is a value with an index, two elements of a type signature.
[[nodiscard]] constexpr bool is_pair(Basic basic) { return basic >= Basic::FloatInt; }

/// Bytes of an element that lie together.
struct Segment {
  std::ptrdiff_t offset = 0;
  std::size_t bytes = 0;
  bool operator==(const Segment&) const = default;
};

class Datatype;
using DatatypePointer = std::shared_ptr<const Datatype>;

/// How a derived type was made: the arguments, in the standard's order (MPI 5.0, section 5.1.13).
struct Recipe {
  int combiner;
  std::vector<int> integers;
  std::vector<std::ptrdiff_t> addresses;
  std::vector<std::int64_t> counts;  ///< large ones
  std::vector<DatatypePointer> types;
};

/// A block of elements of a derived type. @param displacement in bytes.
struct Block {
  std::ptrdiff_t displacement;
  std::size_t length;
};
/// A block of a struct.
struct Field {
  std::ptrdiff_t displacement;
  std::size_t length;
  DatatypePointer type;
};

/// A datatype, flattened: the segments of one element in the order in which they are packed.
class Datatype {
 public:
  /// A predefined type of `extent` bytes. @param segments empty for one that covers the extent.
  Datatype(std::string name, Basic basic, std::size_t extent, std::vector<Segment> segments = {});

  /// `count` elements of `old` one after another.
  static Datatype contiguous(std::size_t count, const DatatypePointer& old);
  /// `count` blocks of `block_length` elements, the start of each `stride` bytes behind the one before.
  static Datatype vector(std::size_t count, std::size_t block_length, std::ptrdiff_t stride,
                         const DatatypePointer& old);
  /// Blocks of elements of one type.
  static Datatype indexed(const std::vector<Block>& blocks, const DatatypePointer& old);
  /// Blocks of elements of several types.
  static Datatype structure(const std::vector<Field>& fields);
  /// `old` with bounds of the program's choice.
  static Datatype resized(const DatatypePointer& old, std::ptrdiff_t lower, std::ptrdiff_t extent);

  /// A type with the same elements, committed if `old` is, made in the same way; without name and attributes.
  static Datatype duplicate(const Datatype& old);

  [[nodiscard]] const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  /// What the program attaches to it.
  Attributes attributes;
  [[nodiscard]] Basic basic() const { return basic_; }
  /// Bytes of data in an element.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::ptrdiff_t lower_bound() const { return lower_; }
  /// Where the data begins, and how far it extends; bounds of the program's choice play no part.
  [[nodiscard]] std::ptrdiff_t true_lower_bound() const;
  [[nodiscard]] std::ptrdiff_t true_extent() const;
  /// Addresses of elements are multiples of this.
  [[nodiscard]] std::size_t alignment() const { return alignment_; }
  /// Number of basic elements; a pair of a value and an index has two.
  [[nodiscard]] std::size_t elements() const { return elements_; }
  /// Basic elements in a number of packed bytes; nothing if the bytes end within an element.
  [[nodiscard]] std::optional<std::size_t> elements_of_bytes(std::size_t bytes) const;
  /// Packed bytes of the first basic elements.
  [[nodiscard]] std::size_t bytes_of_elements(std::size_t elements) const;
  /// Visit the predefined types of `count` elements in the order in which they are packed, until it returns false:
  /// visit(type, number of them in a row).
  template <class Visit>
  bool visit_signature(std::size_t count, Visit&& visit) const {
    if (parts_.empty()) return size_ == 0 || visit(*this, count);
    if (parts_.size() == 1) return parts_.front().type->visit_signature(count * parts_.front().count, visit);
    for (std::size_t i = 0; i < count; ++i) {
      for (const Part& part : parts_) {
        if (!part.type->visit_signature(part.count, visit)) return false;
      }
    }
    return true;
  }

  /// How it was made; null for a predefined type.
  [[nodiscard]] const std::shared_ptr<const Recipe>& recipe() const { return recipe_; }
  void set_recipe(Recipe recipe) { recipe_ = std::make_shared<const Recipe>(std::move(recipe)); }
  /// The program cannot free it, as one that the standard names.
  void set_predefined() { predefined_ = committed_ = true; }

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

  /// Visit packed bytes [first, first + bytes) of an array of elements at `base`: calls visit(place, bytes) in order.
  /// @param base a pointer to bytes, or what else counts in bytes.
  template <class Place, class Visit>
  void visit(Place base, std::size_t first, std::size_t bytes, Visit visit) const {
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
  /// Elements of a type signature that follow one another.
  struct Part {
    DatatypePointer type;
    std::size_t count;
  };
  void append(const Datatype& old, std::ptrdiff_t displacement, std::size_t block_length);
  void add_part(const DatatypePointer& old, std::size_t count);
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
  bool marked_ = false;   ///< the bounds are of the program's choice, or follow from such ones
  std::size_t alignment_ = 1;
  std::size_t elements_ = 0;
  std::vector<Part> parts_;
  std::shared_ptr<const Recipe> recipe_;
  std::intptr_t handle_ = 0;
};

/// An array of elements in memory. Whoever keeps it beyond the call keeps the datatype too.
struct Buffer {
  void* base = nullptr;
  std::size_t count = 0;
  const Datatype* type = nullptr;

  [[nodiscard]] std::size_t bytes() const { return count * type->size(); }
};

}  // namespace tidings
