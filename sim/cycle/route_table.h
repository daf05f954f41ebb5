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
  /// @param ports of the router; others are ignored. @param group_ports those that one write names.
  RouteTable(std::uint32_t routes, unsigned ports, unsigned group_ports)
      : rows_(routes), ports_(ones(ports)), group_ports_(group_ports), grouped_(ports > group_ports) {}
  RouteTable(std::uint32_t routes, unsigned ports) : RouteTable(routes, ports, ports) {}

  /// What there is of a route.
  struct Row {
    bool switched = false;
    std::uint64_t ports = 0;
  };

  [[nodiscard]] std::size_t routes() const { return rows_.size(); }
  [[nodiscard]] Row look_up(std::uint32_t route) const { return route < rows_.size() ? rows_[route] : Row{}; }
  /// The slot whose write is taken, one-hot.
  [[nodiscard]] std::uint64_t writer(std::uint64_t valid) const { return writers_.grant(valid); }
  /// The clock edge of a cycle in which the write of `writer` is taken.
  void write(std::uint64_t writer, RouteWrite write) {
    writers_.accept(writer);
    if (write.route >= rows_.size()) return;
    const std::uint32_t group = grouped_ ? write.entry.ports >> group_ports_ & kGroups : 0;
    const std::uint64_t changed = ones(group_ports_) << group * group_ports_ & ports_;
    const std::uint64_t ports = std::uint64_t{write.entry.ports} << group * group_ports_;
    Row& row = rows_[write.route];
    row.ports = (row.ports & ~changed) | (ports & changed);
    if (group == 0) row.switched = write.entry.switched;
  }

 private:
  [[nodiscard]] static std::uint64_t ones(unsigned ports) {
    return ports < kWordBits ? (std::uint64_t{1} << ports) - 1 : ~std::uint64_t{0};
  }

  static constexpr unsigned kWordBits = 64;
  static constexpr std::uint32_t kGroups = (1U << tidings_pkg::kRouteGroupWidth) - 1;
  std::vector<Row> rows_;
  std::uint64_t ports_;
  unsigned group_ports_;
  bool grouped_;
  WideArbiter writers_;
};

}  // namespace tidings::cycle
