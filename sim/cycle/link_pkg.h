// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file link_pkg.h
/// Twin of rtl/network/link_pkg.sv: frames on links that lose nothing, and their check.
#include <array>
#include <cstdint>

#include "generated/link_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

using namespace link_pkg;

inline constexpr unsigned kSequenceMask = (1U << kSequenceWidth) - 1;

/// What is on the wire, its content packed: checks and damage are about its bits.
struct PackedFrame {
  std::uint64_t content = 0;
  std::uint16_t check = 0;
  bool operator==(const PackedFrame&) const = default;
};

namespace detail {

constexpr std::array<std::uint16_t, 256> make_check_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8;
    for (unsigned bit = 0; bit < 8; ++bit) crc = crc << 1 ^ ((crc & 0x8000U) != 0 ? kCheckPolynomial : 0U);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}
inline constexpr std::array<std::uint16_t, 256> kCheckTable = make_check_table();

}  // namespace detail

/// CRC-16/DNP, inverted. The two leading zeros of the content change nothing.
constexpr std::uint16_t link_check(std::uint64_t content) {
  std::uint16_t crc = 0;
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto byte = static_cast<std::uint8_t>(content >> shift);
    crc = static_cast<std::uint16_t>(crc << 8 ^ detail::kCheckTable[crc >> 8 ^ byte]);
  }
  return static_cast<std::uint16_t>(~crc);
}

}  // namespace tidings::cycle
