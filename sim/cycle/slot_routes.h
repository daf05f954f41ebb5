// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_routes.h
/// Twin of rtl/engine/slot_routes.sv: changes of static routes on their way to the router.
#include <optional>

#include "sim/cycle/route_table.h"

namespace tidings::cycle {

class SlotRoutes {
 public:
  /// What is offered to the router.
  [[nodiscard]] const std::optional<RouteWrite>& write() const { return write_; }
  /// A change from the network is taken in this cycle. @param bus_valid software changes a route.
  [[nodiscard]] bool ready(bool bus_valid) const { return !write_ && !bus_valid; }
  /// A change of software is lost.
  [[nodiscard]] bool lost(bool bus_valid, bool taken) const { return bus_valid && write_ && !taken; }

  /// One clock edge. @param bus,network what software and the network change, if anything. @param taken by the router.
  void clock(const std::optional<RouteWrite>& bus, const std::optional<RouteWrite>& network, bool taken) {
    const bool taken_from_network = ready(bus.has_value());
    if (taken) write_.reset();
    if (bus) {
      write_ = bus;
    } else if (network && taken_from_network) {
      write_ = network;
    }
  }

 private:
  std::optional<RouteWrite> write_;
};

}  // namespace tidings::cycle
