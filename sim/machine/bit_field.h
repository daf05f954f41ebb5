// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file bit_field.h
/// How the headers that rtl/generate.py makes describe registers and packed structures.
#include <cstdint>
#include <span>
#include <string_view>

namespace tidings {

/// Some bits of a word, or of a wider structure.
struct BitField {
  std::string_view name;
  unsigned lsb = 0;
  unsigned width = 0;

  /// Largest value.
  [[nodiscard]] constexpr std::uint64_t most() const { return width >= 64 ? ~0ULL : (1ULL << width) - 1; }
  [[nodiscard]] constexpr std::uint64_t of(std::uint64_t word) const { return word >> lsb & most(); }
};

/// Bits of a register.
struct RegisterField : BitField {
  std::uint32_t reset = 0;
  bool readable = false;
  bool writable = false;  ///< writing it has an effect
  bool clears = false;    ///< writing one clears
};

/// A register, or an array of equal ones.
struct RegisterInfo {
  std::string_view name;
  std::uint16_t address = 0;  ///< of the first
  unsigned count = 1;
  unsigned stride = 4;  ///< bytes
  std::span<const RegisterField> fields;

  /// It is the address of one of these.
  [[nodiscard]] constexpr bool holds(std::uint16_t at) const {
    return at >= address && at < address + count * stride && (at - address) % stride == 0;
  }
};

/// A value of an enumeration.
struct EnumValue {
  std::string_view name;
  unsigned value = 0;
};

}  // namespace tidings
