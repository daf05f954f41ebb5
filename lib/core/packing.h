// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file packing.h
/// Elements with holes to and from packed bytes. The processor makes the copies, so they take time.
#include <algorithm>
#include <cstddef>

#include "core/datatype.h"
#include "cost.h"

namespace tidings {

/// As pack() and unpack() for elements with holes.
void pack_pieces(const Buffer& buffer, std::size_t first, std::size_t bytes, std::byte* to);
void unpack_pieces(const Buffer& buffer, std::size_t first, const std::byte* from, std::size_t bytes);

/// Copy packed bytes [first, first + bytes) of the buffer to `to`.
inline void pack(const Buffer& buffer, std::size_t first, std::size_t bytes, std::byte* to) {
  if (bytes == 0) return;
  if (buffer.type->is_contiguous()) [[likely]] {
    tidings_copy(to, static_cast<const std::byte*>(buffer.base) + first, bytes);
    return;
  }
  pack_pieces(buffer, first, bytes, to);
}

/// Copy to packed bytes [first, first + bytes) of the buffer; what does not fit is dropped.
inline void unpack(const Buffer& buffer, std::size_t first, const std::byte* from, std::size_t bytes) {
  const std::size_t room = buffer.bytes();
  if (first >= room || bytes == 0) return;
  const std::size_t fits = std::min(bytes, room - first);
  if (buffer.type->is_contiguous()) [[likely]] {
    tidings_copy(static_cast<std::byte*>(buffer.base) + first, from, fits);
    return;
  }
  unpack_pieces(buffer, first, from, fits);
}

/// Copy between buffers of equal packed size, or as much as fits.
void copy_elements(const Buffer& from, const Buffer& to);

}  // namespace tidings
