// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file registration_table.h
/// Twin of rtl/engine/registration_table.sv: decides whether an access to a registered region is allowed.
#include <cstdint>
#include <span>

#include "sim/cycle/name_table.h"
#include "sim/cycle/rma_pkg.h"

namespace tidings::cycle {

/// A row is looked up at one clock edge and judged in the cycles after it.
class RegistrationTable {
 public:
  /// @param regions rows that software can fill itself. @param names rows that have names.
  void lookup(std::span<const RmaRegion> regions, const NameTable& names, std::uint8_t region) {
    row_ = region < regions.size() && regions[region].valid ? regions[region] : names.row(region);
  }

  /// What an access does with a region.
  struct Rights {
    bool write = false;
    bool read = false;
  };

  /// @param well_formed nothing speaks against the access beside what is judged here.
  [[nodiscard]] Nack judge(Rights rights, std::uint32_t offset, std::uint32_t bytes, bool well_formed = true) const {
    if (!row_.valid) return Nack::kNotRegistered;
    if (rights.write && !row_.writable) return Nack::kRights;
    if (rights.read && (!row_.readable || row_.routes)) return Nack::kRights;
    if (!well_formed || offset % 4 != 0 || bytes == 0) return Nack::kBadPacket;
    const std::uint64_t last_offset = std::uint64_t{offset} + (bytes - 1);
    const bool wraps = last_offset >> 32 != 0 || (base() + last_offset) >> 32 != 0;
    return wraps || last_offset >= row_.length ? Nack::kBounds : Nack::kNone;
  }

  /// The region stands for the router's table of static routes.
  [[nodiscard]] bool routes() const { return row_.routes; }
  /// Byte address in node memory of an allowed access.
  [[nodiscard]] std::uint32_t address(std::uint32_t offset) const { return base() + (offset & ~3U); }

 private:
  [[nodiscard]] std::uint32_t base() const { return row_.base & ~3U; }

  RmaRegion row_;
};

}  // namespace tidings::cycle
