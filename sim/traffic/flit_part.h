// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file flit_part.h
/// A part of a machine with synthetic traffic, simulated flit by flit by the routers' cycle model.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/cycle/fabric.h"
#include "sim/traffic/endpoint.h"
#include "sim/traffic/part.h"

namespace tidings::traffic {

/// Cycles in which nothing moves cost nothing.
class FlitPart final : public Part {
 public:
  FlitPart(const TrafficConfig& config, const Topology& topology, const Destinations& destinations,
           Ledger::Window window, const std::vector<cycle::NodeRange>& parts, std::size_t here);

  void create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) override;
  void run(Cycle end) override;
  /// @param other is a FlitPart, too.
  void take_from(Part& other, std::size_t from, std::size_t here) override;
  [[nodiscard]] std::uint64_t link_flits(NodeIndex node, PortId port) const override {
    return fabric_.link_flits(node, port);
  }

 private:
  cycle::Fabric<TrafficEndpoint> fabric_;
};

}  // namespace tidings::traffic
