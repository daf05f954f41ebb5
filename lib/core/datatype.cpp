// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/datatype.h"

#include <utility>

namespace tidings {

Datatype::Datatype(std::string name, Basic basic, std::size_t extent, std::vector<Segment> segments)
    : name_(std::move(name)),
      basic_(basic),
      upper_(static_cast<std::ptrdiff_t>(extent)),
      segments_(std::move(segments)),
      committed_(true),
      predefined_(true) {
  if (segments_.empty()) segments_.push_back({0, extent});
  finish();
}

Datatype Datatype::contiguous(std::size_t count, const Datatype& old) {
  Datatype type;
  type.append(old, 0, count);
  type.finish();
  return type;
}

Datatype Datatype::vector(std::size_t count, std::size_t block_length, std::ptrdiff_t stride, const Datatype& old) {
  Datatype type;
  for (std::size_t i = 0; i < count; ++i) {
    type.append(old, static_cast<std::ptrdiff_t>(i) * stride * old.extent(), block_length);
  }
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
  const std::ptrdiff_t last = displacement + static_cast<std::ptrdiff_t>(block_length - 1) * old.extent();
  const std::ptrdiff_t lower = std::min(displacement, last) + old.lower_;
  const std::ptrdiff_t upper = std::max(displacement, last) + old.upper_;
  lower_ = bounded_ ? std::min(lower_, lower) : lower;
  upper_ = bounded_ ? std::max(upper_, upper) : upper;
  bounded_ = true;
}

void Datatype::finish() {
  for (const Segment& s : segments_) {
    packed_.push_back(size_);
    size_ += s.bytes;
  }
  contiguous_ = segments_.size() <= 1 && static_cast<std::ptrdiff_t>(size_) == extent() &&
                (segments_.empty() || segments_.front().offset == 0);
}

}  // namespace tidings
