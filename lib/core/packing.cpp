// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/packing.h"

#include <algorithm>

namespace tidings {

void pack_pieces(const Buffer& buffer, std::size_t first, std::size_t bytes, std::byte* to) {
  buffer.type->visit(static_cast<const std::byte*>(buffer.base), first, bytes,
                     [&to](const std::byte* piece, std::size_t size) {
                       tidings_copy(to, piece, size);
                       to += size;
                     });
}

void unpack_pieces(const Buffer& buffer, std::size_t first, const std::byte* from, std::size_t bytes) {
  buffer.type->visit(static_cast<std::byte*>(buffer.base), first, bytes, [&from](std::byte* piece, std::size_t size) {
    tidings_copy(piece, from, size);
    from += size;
  });
}

void copy_elements(const Buffer& from, const Buffer& to) {
  if (from.base == to.base && from.type == to.type) return;
  // Both sides have holes of their own: walk the pieces of one, and within each the pieces of the other.
  std::size_t done = 0;
  from.type->visit(static_cast<const std::byte*>(from.base), 0, std::min(from.bytes(), to.bytes()),
                   [&](const std::byte* source, std::size_t size) {
                     to.type->visit(static_cast<std::byte*>(to.base), done, size,
                                    [&source](std::byte* target, std::size_t piece) {
                                      tidings_copy(target, source, piece);
                                      source += piece;
                                    });
                     done += size;
                   });
}

}  // namespace tidings
