// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file packed_bits.h
/// Fields of packed SystemVerilog ports, whichever C++ type Verilator chose for the port's width.
#include <concepts>
#include <cstdint>

#include "verilated.h"

namespace tidings {

constexpr std::uint32_t low_bits(unsigned width) { return width >= 32 ? ~0U : (1U << width) - 1; }

/// Bits [lsb + width - 1 : lsb] of a port of up to 64 bits.
template <std::unsigned_integral Port>
inline std::uint32_t get_bits(const Port& port, unsigned lsb, unsigned width) {
  return static_cast<std::uint32_t>(std::uint64_t{port} >> lsb) & low_bits(width);
}

/// The same of a wider port; at most 32 bits at once.
template <std::size_t Words>
inline std::uint32_t get_bits(const VlWide<Words>& port, unsigned lsb, unsigned width) {
  const unsigned word = lsb / 32;
  const unsigned shift = lsb % 32;
  std::uint32_t value = port[word] >> shift;
  if (shift + width > 32) value |= port[word + 1] << (32 - shift);
  return value & low_bits(width);
}

/// Replace bits [lsb + width - 1 : lsb] of a port of up to 64 bits.
template <std::unsigned_integral Port>
inline void set_bits(Port& port, unsigned lsb, unsigned width, std::uint32_t value) {
  const std::uint64_t mask = std::uint64_t{low_bits(width)} << lsb;
  port = static_cast<Port>((port & ~mask) | ((std::uint64_t{value} << lsb) & mask));
}

/// The same of a wider port; at most 32 bits at once.
template <std::size_t Words>
inline void set_bits(VlWide<Words>& port, unsigned lsb, unsigned width, std::uint32_t value) {
  const unsigned word = lsb / 32;
  const unsigned shift = lsb % 32;
  const std::uint32_t mask = low_bits(width);
  value &= mask;
  port[word] = (port[word] & ~(mask << shift)) | (value << shift);
  if (shift + width > 32) {
    port[word + 1] = (port[word + 1] & ~(mask >> (32 - shift))) | (value >> (32 - shift));
  }
}

/// Put a generated structure into a port, its lowest bit at `lsb`.
template <typename Port, typename Struct>
inline void store(Port& port, unsigned lsb, const Struct& value) {
  value.store([&](unsigned bit, unsigned width, std::uint32_t bits) { set_bits(port, bit, width, bits); }, lsb);
}

/// The generated structure whose lowest bit is at `lsb`.
template <typename Struct, typename Port>
inline Struct load(const Port& port, unsigned lsb) {
  return Struct::load([&](unsigned bit, unsigned width) { return get_bits(port, bit, width); }, lsb);
}

}  // namespace tidings
