// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_pkg.h
/// Twin of rtl/engine/rma_pkg.sv: what the parts of the remote memory access engine say to one another. Types and
/// constants are generated from it.
#include <algorithm>
#include <array>
#include <cstdint>

#include "generated/node_parameters.h"
#include "generated/rma_pkg.h"
#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

using namespace rma_pkg;

/// The parameters of rma.sv.
struct RmaParameters {
  NodeParameters node;
  std::uint32_t static_bytes = 264;  ///< payload of the longest message along a static route; 0: there are none
};

/// Payload bytes of the longest message.
constexpr std::uint32_t message_bytes(std::uint32_t message_words) { return 4 * (message_words - 2); }

/// There is such an atomic access.
constexpr bool is_atomic(const tidings_pkg::AtomicLength& access) {
  const bool known = std::ranges::any_of(tidings_pkg::kAtomicValues, [&](const auto& value) {
    return value.value == static_cast<std::uint32_t>(access.operation);
  });
  return known && access.reserved == 0 && (access.bytes == 4 || access.bytes == 8);
}

/// Words of its operands.
constexpr std::uint32_t operand_words(const tidings_pkg::AtomicLength& access) {
  return access.bytes / 4U * (access.operation == tidings_pkg::Atomic::kCompareSwap ? 2 : 1);
}

/// Strobes of a word of which `bytes` bytes are still to come, lowest first.
constexpr std::uint8_t tail_strobe(std::uint32_t bytes) {
  return static_cast<std::uint8_t>(bytes >= 4 ? 0xfU : (1U << bytes) - 1);
}

}  // namespace tidings::cycle
