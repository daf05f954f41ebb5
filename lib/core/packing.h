// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file packing.h
/// Elements with holes to and from packed bytes. The processor makes the copies, so they take time.
#include <cstddef>

#include "core/datatype.h"

namespace tidings {

/// Copy packed bytes [first, first + bytes) of the buffer to `to`.
void pack(const Buffer& buffer, std::size_t first, std::size_t bytes, std::byte* to);

/// Copy to packed bytes [first, first + bytes) of the buffer; what does not fit is dropped.
void unpack(const Buffer& buffer, std::size_t first, const std::byte* from, std::size_t bytes);

/// Copy between buffers of equal packed size, or as much as fits.
void copy_elements(const Buffer& from, const Buffer& to);

}  // namespace tidings
