// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file roots.h
/// Finds members of a rooted collective that name different roots or call another one, before any of them goes on.
///
/// A root of a broadcast waits for nobody, so the library cannot see that there are two of them until something else
/// meets what the second one has sent. Therefore the member that calls first writes its root into a file of the
/// communicator, and the others compare theirs with it.
#include "check/place.h"

namespace tidings::check {

/// This rank is about to take part in a collective. @param root that it names
void compare_root(const Place& place, int root);

}  // namespace tidings::check
