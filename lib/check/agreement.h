// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file agreement.h
/// Finds members of a collective that name different roots or amounts, or call another one, before any of them goes on.
///
/// A root of a broadcast waits for nobody, so the library cannot see that there are two of them until something else
/// meets what the second one has sent. Static switches forward words and compare no calls at all. Therefore the member
/// that calls first writes down what it names, in a file of the communicator, and the others compare theirs with it.
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "check/place.h"

namespace tidings::check {

/// Bytes that are not known, and not compared.
inline constexpr std::int64_t kUnknownBytes = std::numeric_limits<std::int64_t>::min();

/// This rank is about to take part in a collective.
/// @param root that it names, if there is one
/// @param bytes that all members must name alike
void compare_with_others(const Place& place, std::optional<int> root, const std::vector<std::int64_t>& bytes);

}  // namespace tidings::check
