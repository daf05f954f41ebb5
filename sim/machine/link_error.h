// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file link_error.h
/// A link of the machine is dead.
#include <stdexcept>

namespace tidings {

/// Nothing that was sent over a link has been acknowledged, however often; the message names both ends.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tidings
