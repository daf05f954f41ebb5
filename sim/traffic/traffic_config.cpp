// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/traffic_config.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/machine/topology.h"
#include "sim/traffic/destinations.h"
#include "sim/traffic/ledger.h"

namespace tidings::traffic {
namespace {

constexpr std::uint32_t kMostVcs = 4;  ///< MaxVcs of tidings_pkg
constexpr std::uint32_t kMostPacketFlits = 1 << 16;

void require(bool fine, const std::string& what, const std::string& value, const std::string& rule) {
  if (!fine) throw std::invalid_argument(what + " is " + value + "; it must be " + rule);
}

}  // namespace

NodeParameters node_parameters(const TrafficConfig& config) {
  NodeParameters parameters = tidings::node_parameters(config.machine);
  parameters.num_classes = config.classes;
  parameters.direct_links = 0;  // endpoints have no engine
  return parameters;
}

std::uint64_t look_ahead_cycles(const TrafficConfig& config) {
  return std::min<std::uint64_t>(shortest_link_cycles(config.machine), kMostLookAhead);
}

std::uint32_t usable_threads(const TrafficConfig& config) {
  return look_ahead_cycles(config) == 1 || !has_equal_links(config.machine)
             ? 1
             : std::min(config.threads, Topology(config.machine.topology).nodes());
}

void validate(const TrafficConfig& config) {
  tidings::validate(config.machine);
  const std::uint32_t most_classes = kMostVcs / (node_parameters(config).dateline != 0 ? 2 : 1);
  require(config.classes >= 1 && config.classes <= most_classes, "the number of message classes",
          std::to_string(config.classes), "1 to " + std::to_string(most_classes));
  require(config.packet_flits >= 1 && config.packet_flits <= kMostPacketFlits, "the length of a packet",
          std::to_string(config.packet_flits), "1 to " + std::to_string(kMostPacketFlits) + " flits");
  require(config.burst_packets >= 1 && config.burst_packets <= kMostPacketFlits, "the length of a burst",
          std::to_string(config.burst_packets), "1 to " + std::to_string(kMostPacketFlits) + " packets");
  require(config.load > 0 && config.load <= 1, "the load", std::to_string(config.load),
          "more than 0 and at most 1 flit per endpoint per cycle");
  require(config.measure_cycles >= 1, "the measurement", "0 cycles", "at least 1 cycle");
  require(config.threads >= 1, "the number of threads", "0", "at least 1");
  const Topology topology(config.machine.topology);
  const std::uint32_t endpoints = topology.endpoints();
  require(endpoints <= kMostEndpoints, "the number of endpoints", std::to_string(endpoints),
          "at most " + std::to_string(kMostEndpoints));
  static_cast<void>(Destinations(topology, config.pattern));
}

}  // namespace tidings::traffic
