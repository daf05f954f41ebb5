// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file link_pkg.h
/// Twin of rtl/network/link_pkg.sv: frames on links that lose nothing, and their check.
#include <array>
#include <cstdint>

#include "sim/machine/node.h"

namespace tidings::cycle {

/// What is delivered once and in order: a flit, and the credits of the opposite direction.
struct LinkPayload {
  bool flit_valid = false;
  Flit flit;
  std::uint8_t credits = 0;  ///< one bit a channel
};

/// What is on the wire: 62 bits of content and 16 of check.
struct Frame {
  std::uint64_t content = 0;
  std::uint16_t check = 0;
  bool operator==(const Frame&) const = default;
};

inline constexpr unsigned kSequenceBits = 10;
inline constexpr unsigned kSequenceMask = (1U << kSequenceBits) - 1;
inline constexpr unsigned kCheckBits = 16;
inline constexpr unsigned kFrameBits = 78;

/// Places of the fields in the content.
inline constexpr unsigned kFrameFlit = 4, kFrameFlitLast = kFrameFlit + 32, kFrameFlitVc = kFrameFlit + 33;
inline constexpr unsigned kFrameFlitValid = 39, kFrameResend = 40, kFrameAck = 41, kFrameNumber = 51,
                          kFrameNumbered = 61;

namespace detail {

constexpr std::array<std::uint16_t, 256> make_check_table() {
  constexpr std::uint16_t kPolynomial = 0x3d65;
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8;
    for (unsigned bit = 0; bit < 8; ++bit) crc = crc << 1 ^ ((crc & 0x8000U) != 0 ? kPolynomial : 0U);
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

constexpr std::uint64_t pack(const LinkPayload& payload) {
  return std::uint64_t{payload.flit_valid} << kFrameFlitValid | std::uint64_t{payload.flit.vc} << kFrameFlitVc |
         std::uint64_t{payload.flit.last} << kFrameFlitLast | std::uint64_t{payload.flit.data} << kFrameFlit |
         payload.credits;
}

constexpr LinkPayload unpack(std::uint64_t content) {
  LinkPayload payload;
  payload.flit_valid = (content >> kFrameFlitValid & 1) != 0;
  payload.flit = {.data = static_cast<std::uint32_t>(content >> kFrameFlit),
                  .vc = static_cast<std::uint8_t>(content >> kFrameFlitVc & 3),
                  .last = (content >> kFrameFlitLast & 1) != 0};
  payload.credits = static_cast<std::uint8_t>(content & 15);
  return payload;
}

}  // namespace tidings::cycle
