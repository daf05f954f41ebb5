// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/datatype.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/located.h"

namespace tidings {
namespace {

/// The alignment of a predefined type of this size.
std::size_t alignment_of(Basic basic, std::size_t extent) {
  switch (basic) {
    case Basic::ComplexFloat:
    case Basic::ComplexDouble:
    case Basic::ComplexLongDouble:
      return extent / 2;
    case Basic::FloatInt:
    case Basic::TwoInt:
    case Basic::ShortInt:
    case Basic::TwoFloat:
      return alignof(int);
    case Basic::DoubleInt:
    case Basic::TwoDouble:
      return alignof(double);
    case Basic::LongInt:
      return alignof(long);
    case Basic::LongDoubleInt:
      return alignof(long double);
    default:
      return std::min(extent, alignof(std::max_align_t));
  }
}

/// Bytes of the value of a pair.
std::size_t value_bytes(const Datatype& pair) {
  const Basic basic = pair.basic();
  return basic == Basic::TwoFloat || basic == Basic::TwoDouble ? pair.size() / 2 : pair.size() - sizeof(int);
}

}  // namespace

Datatype::Datatype(std::string name, Basic basic, std::size_t extent, std::vector<Segment> segments)
    : name_(std::move(name)),
      basic_(basic),
      upper_(static_cast<std::ptrdiff_t>(extent)),
      segments_(std::move(segments)),
      committed_(true),
      predefined_(true),
      bounded_(true),
      alignment_(alignment_of(basic, extent)),
      elements_(is_pair(basic) ? 2 : 1) {
  if (segments_.empty()) segments_.push_back({0, extent});
  finish();
}

Datatype Datatype::contiguous(std::size_t count, const DatatypePointer& old) {
  Datatype type;
  type.append(*old, 0, count);
  type.add_part(old, count);
  type.finish();
  return type;
}

Datatype Datatype::vector(std::size_t count, std::size_t block_length, std::ptrdiff_t stride,
                          const DatatypePointer& old) {
  if (stride == static_cast<std::ptrdiff_t>(block_length) * old->extent()) return contiguous(count * block_length, old);
  Datatype type;
  for (std::size_t i = 0; i < count; ++i) type.append(*old, static_cast<std::ptrdiff_t>(i) * stride, block_length);
  type.add_part(old, count * block_length);
  type.finish();
  return type;
}

Datatype Datatype::indexed(const std::vector<Block>& blocks, const DatatypePointer& old) {
  Datatype type;
  std::size_t count = 0;
  for (const Block& block : blocks) {
    type.append(*old, block.displacement, block.length);
    count += block.length;
  }
  type.add_part(old, count);
  type.finish();
  return type;
}

Datatype Datatype::structure(const std::vector<Field>& fields) {
  Datatype type;
  for (const Field& field : fields) {
    type.append(*field.type, field.displacement, field.length);
    type.add_part(field.type, field.length);
  }
  type.finish();
  return type;
}

Datatype Datatype::resized(const DatatypePointer& old, std::ptrdiff_t lower, std::ptrdiff_t extent) {
  Datatype type;
  type.append(*old, 0, 1);
  type.add_part(old, 1);
  type.lower_ = lower;
  type.upper_ = lower + extent;
  type.bounded_ = type.marked_ = true;
  type.finish();
  return type;
}

Datatype Datatype::duplicate(const Datatype& old) {
  Datatype type = old;
  type.name_.clear();
  type.attributes = {};
  type.predefined_ = false;
  return type;
}

std::ptrdiff_t Datatype::true_lower_bound() const {
  std::ptrdiff_t lower = segments_.empty() ? 0 : segments_.front().offset;
  for (const Segment& s : segments_) lower = std::min(lower, s.offset);
  return lower;
}

std::ptrdiff_t Datatype::true_extent() const {
  std::ptrdiff_t upper = true_lower_bound();
  for (const Segment& s : segments_) upper = std::max(upper, s.offset + static_cast<std::ptrdiff_t>(s.bytes));
  return upper - true_lower_bound();
}

std::optional<std::size_t> Datatype::elements_of_bytes(std::size_t bytes) const {
  if (size_ == 0) return bytes == 0 ? std::optional<std::size_t>(0) : std::nullopt;
  std::size_t found = bytes / size_ * elements_;
  std::size_t rest = bytes % size_;
  const auto take = [&](std::size_t size, std::size_t count) {
    const std::size_t taken = std::min(count, rest / size);
    found += taken;
    rest -= taken * size;
    return taken == count && rest > 0;
  };
  visit_signature(1, [&](const Datatype& type, std::size_t count) {
    if (!is_pair(type.basic())) return take(type.size(), count);
    const std::size_t whole = std::min(count, rest / type.size());
    found += 2 * whole;
    rest -= whole * type.size();
    if (whole == count) return rest > 0;
    take(value_bytes(type), 1);
    return false;
  });
  return rest == 0 ? std::optional(found) : std::nullopt;
}

std::size_t Datatype::bytes_of_elements(std::size_t elements) const {
  if (elements_ == 0) return 0;
  std::size_t bytes = elements / elements_ * size_;
  std::size_t rest = elements % elements_;
  visit_signature(1, [&](const Datatype& type, std::size_t count) {
    const std::size_t whole = std::min(count, rest / type.elements());
    bytes += whole * type.size();
    rest -= whole * type.elements();
    if (whole < count && rest > 0) {
      bytes += value_bytes(type);
      rest = 0;
    }
    return rest > 0;
  });
  return bytes;
}

void Datatype::append(const Datatype& old, std::ptrdiff_t displacement, std::size_t block_length) {
  if (block_length == 0) return;
  const auto add = [this](std::ptrdiff_t offset, std::size_t bytes) {
    if (bytes == 0) return;
    if (!segments_.empty() && segments_.back().offset + static_cast<std::ptrdiff_t>(segments_.back().bytes) == offset) {
      segments_.back().bytes += bytes;
    } else {
      segments_.push_back({offset, bytes});
    }
  };
  if (old.contiguous_) {
    add(displacement, block_length * old.size_);
  } else {
    for (std::size_t i = 0; i < block_length; ++i) {
      for (const Segment& s : old.segments_) {
        add(displacement + static_cast<std::ptrdiff_t>(i) * old.extent() + s.offset, s.bytes);
      }
    }
  }
  if (!old.bounded_) return;  // nothing at all
  // Where there are bounds of the program's choice, they alone count (MPI 5.0, section 5.1.6).
  if (marked_ && !old.marked_) return;
  if (old.marked_ && !marked_) bounded_ = false;
  marked_ = old.marked_;
  const std::ptrdiff_t last = displacement + static_cast<std::ptrdiff_t>(block_length - 1) * old.extent();
  const std::ptrdiff_t lower = std::min(displacement, last) + old.lower_;
  const std::ptrdiff_t upper = std::max(displacement, last) + old.upper_;
  lower_ = bounded_ ? std::min(lower_, lower) : lower;
  upper_ = bounded_ ? std::max(upper_, upper) : upper;
  bounded_ = true;
}

void Datatype::add_part(const DatatypePointer& old, std::size_t count) {
  if (count == 0 || old->elements_ == 0) return;
  elements_ += count * old->elements_;
  alignment_ = std::max(alignment_, old->alignment_);
  if (!parts_.empty() && parts_.back().type == old) {
    parts_.back().count += count;
  } else {
    parts_.push_back({old, count});
  }
}

void Datatype::finish() {
  for (const Segment& s : segments_) {
    packed_.push_back(size_);
    size_ += s.bytes;
  }
  // Of a predefined type, and of one that another rank has described, the extent is given.
  if (!marked_ && !predefined_) {
    // An array of elements keeps the alignment of what is in them.
    const auto alignment = static_cast<std::ptrdiff_t>(alignment_);
    upper_ += (alignment - extent() % alignment) % alignment;
  }
  contiguous_ = segments_.size() <= 1 && static_cast<std::ptrdiff_t>(size_) == extent() &&
                (segments_.empty() || segments_.front().offset == 0);
}

}  // namespace tidings
