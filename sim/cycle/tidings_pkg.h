// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file tidings_pkg.h
/// Twin of rtl/common/tidings_pkg.sv, from which types, constants and functions are generated.
#include "generated/tidings_pkg.h"

namespace tidings::cycle {

using namespace tidings_pkg;

/// The kind in a packet's first word.
constexpr Kind kind_of(std::uint32_t header) { return Header0::decode(header).kind; }

}  // namespace tidings::cycle
