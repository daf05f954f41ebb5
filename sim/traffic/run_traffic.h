// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file run_traffic.h
/// Synthetic traffic through a machine of the cycle model: latency and throughput as the field measures them.
#include <array>
#include <cstdint>
#include <vector>

#include "sim/traffic/latencies.h"
#include "sim/traffic/traffic_config.h"

namespace tidings::traffic {

/// How fast and how much was simulated.
struct SimulationWork {
  std::uint64_t cycles = 0;
  std::uint64_t flit_hops = 0;  ///< flits that entered a link
  double wall_seconds = 0;
};

struct TrafficResult {
  std::uint32_t endpoints = 0;
  double offered = 0;   ///< flits created in the window, per endpoint and cycle
  double accepted = 0;  ///< flits that arrived in the window, per endpoint and cycle
  /// The machine does not carry the load. Either what waits has grown, over the window, by more than kGrowth of what
  /// was created and by more than one packet per endpoint; or packets of the window were still missing at the end.
  bool saturated = false;
  /// Of the packets that were created in the window, from creation to arrival of the tail. Of a saturated machine it
  /// is that of those that have arrived, and depends on the length of the run.
  LatencySummary latency;
  LatencySummary network_latency;  ///< from the departure of the head from its source
  std::array<double, Latencies::kBatches> batch_means{};
  std::uint64_t drain_cycles = 0;         ///< after the window, until its last packet arrived
  std::vector<std::uint64_t> link_flits;  ///< in the window, node * ports + port
  SimulationWork window;                  ///< warmed up: what speed is measured by
  SimulationWork total;
};

/// The share of what was created in the window that may join what waits.
inline constexpr double kGrowth = 0.01;

/// Packets are created by independent Bernoulli processes, whatever the machine does with them ("open loop"). Those of
/// the window after the warm-up are measured. The drain, with traffic going on, lasts until all of them have arrived,
/// and is left out where the machine is saturated (Dally and Towles, section 24.3.2).
/// @throws std::invalid_argument where there is no such traffic.
[[nodiscard]] TrafficResult run_traffic(const TrafficConfig& config);

struct ExchangeResult {
  std::uint64_t cycles = 0;  ///< from the beginning to the last tail's arrival
  std::uint64_t bound = 0;   ///< no schedule takes fewer (exchange_bound)
  SimulationWork work;
};

/// Every endpoint sends one packet to each other one, beginning with the next, all created in the first cycle. Load and
/// lengths of phases in `config` do not matter.
/// @throws std::invalid_argument where there is no such traffic.
[[nodiscard]] ExchangeResult run_exchange(const TrafficConfig& config);

}  // namespace tidings::traffic
