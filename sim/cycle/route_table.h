// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file route_table.h
/// Twin of rtl/network/route_table.sv: the static routes of a router.
#include <cstdint>
#include <vector>

#include "sim/cycle/arbiter.h"
#include "sim/cycle/tidings_pkg.h"

namespace tidings::cycle {

class RouteTable {
 public:
  /// @param ports of the router; others are ignored.
  RouteTable(std::uint32_t routes, unsigned ports) : rows_(routes), ports_((1U << ports) - 1) {}

  [[nodiscard]] std::size_t routes() const { return rows_.size(); }
  [[nodiscard]] RouteEntry look_up(std::uint32_t route) const {
    return route < rows_.size() ? rows_[route] : RouteEntry{};
  }
  /// The slot whose write is taken, one-hot.
  [[nodiscard]] std::uint64_t writer(std::uint64_t valid) const { return writers_.grant(valid); }
  /// The clock edge of a cycle in which the write of `writer` is taken.
  void write(std::uint64_t writer, RouteWrite write) {
    writers_.accept(writer);
    if (write.route >= rows_.size()) return;
    rows_[write.route] = write.entry;
    rows_[write.route].ports &= ports_;
  }

 private:
  std::vector<RouteEntry> rows_;
  std::uint32_t ports_;
  WideArbiter writers_;
};

}  // namespace tidings::cycle
