// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/part.h"

#include <algorithm>

namespace tidings::traffic {
namespace {

/// The first word of a packet to each endpoint, without its source.
std::vector<std::uint32_t> header_addresses(const Topology& topology) {
  constexpr unsigned kNodeShift = 12, kSlotShift = 24;
  std::vector<std::uint32_t> addresses;
  for (std::uint32_t number = 0; number < topology.endpoints(); ++number) {
    const Endpoint endpoint = topology.endpoint(number);
    addresses.push_back(std::uint32_t{endpoint.slot.value} << kSlotShift | std::uint32_t{endpoint.node.value}
                                                                               << kNodeShift);
  }
  return addresses;
}

/// Endpoints of a part: routers without slots come last.
Ledger::Range endpoints_of(const cycle::NodeRange& nodes, const Topology& topology) {
  return {.first = std::min(nodes.first, topology.hosts()) * topology.slots(),
          .end = std::min(nodes.end, topology.hosts()) * topology.slots()};
}

/// Of all parts.
std::vector<Ledger::Range> endpoints_of(const std::vector<cycle::NodeRange>& parts, const Topology& topology) {
  std::vector<Ledger::Range> ranges;
  for (const cycle::NodeRange& nodes : parts) ranges.push_back(endpoints_of(nodes, topology));
  return ranges;
}

}  // namespace

Part::Part(const TrafficConfig& config, const Topology& topology, const Destinations& destinations,
           Ledger::Window window, const std::vector<cycle::NodeRange>& parts, std::size_t here)
    : nodes_(parts[here].end - parts[here].first),
      endpoints_(endpoints_of(parts[here], topology)),
      ledger_(endpoints_of(parts, topology), here, window),
      sources_(config, destinations, endpoints_),
      addresses_(header_addresses(topology)) {}

}  // namespace tidings::traffic
