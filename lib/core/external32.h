// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file external32.h
/// The data representation "external32" (MPI 5.0, section 14.5.2): big-endian, with sizes of its own.
#include <cstddef>

#include "core/datatype.h"

namespace tidings {

/// Bytes of `count` elements in the representation.
[[nodiscard]] std::size_t external_size(const Datatype& type, std::size_t count);
/// Convert `count` elements from packed bytes to the representation, or back.
void to_external(const Datatype& type, std::size_t count, const std::byte* packed, std::byte* external);
void from_external(const Datatype& type, std::size_t count, const std::byte* external, std::byte* packed);

}  // namespace tidings
