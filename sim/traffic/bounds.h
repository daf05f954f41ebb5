// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file bounds.h
/// What a machine can do at best under a pattern, computed from its routes.
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/types.h"
#include "sim/traffic/traffic_config.h"

namespace tidings::traffic {

/// Loads in flits per endpoint per cycle. No arrangement of buffers and arbiters can carry more than `capacity`.
struct TrafficBounds {
  /// A router's outgoing link: flits on it while every endpoint offers one flit per cycle; node * ports + port.
  std::vector<double> channel_loads;
  NodeIndex busiest_node;  ///< of the link with the most flits, if there is one
  PortId busiest_port;
  double channel_bound = 0;  ///< 1 / greatest channel load; infinite where no packet takes a link
  double port_bound = 0;     ///< 1 / greatest load of a slot's port, in or out
  double capacity = 0;       ///< the lower of both
  /// What uniform traffic allows by any routing: links that cross the middle of a dimension, over the traffic that must
  /// (Dally and Towles, section 3.3); infinite without links.
  double bisection_bound = 0;
  double mean_hops = 0;          ///< links of a packet's way
  double zero_load_latency = 0;  ///< mean of the pattern's packets, each alone in the machine
};

[[nodiscard]] TrafficBounds bounds_of(const TrafficConfig& config);

/// Cycles from the beginning of the cycle in which a packet is created to the end of the one in which its tail arrives,
/// if nothing else is under way: `2 + hops * L + (P - 1)`. If a buffer of B flits is smaller than the round trip 2 L of
/// its credits, a pause of `2 L - B` follows every B flits.
[[nodiscard]] std::uint64_t zero_load_latency(const TrafficConfig& config, std::uint64_t hops);

/// The links of a packet's way.
struct Way {
  std::uint64_t hops = 0;
  std::uint64_t cycles = 0;   ///< latencies of all of them
  std::uint64_t slowest = 0;  ///< the greatest latency
};
/// The same where links differ in latency.
[[nodiscard]] std::uint64_t zero_load_latency(const TrafficConfig& config, const Way& way);

/// Flits that cross the busiest link or port while every endpoint sends one packet to each other one: the exchange
/// cannot take fewer cycles. On a mesh of k x k, `max((k^2 - 1) P, k^3 P / 4)`.
[[nodiscard]] std::uint64_t exchange_bound(const TrafficConfig& config);

}  // namespace tidings::traffic
