// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file simulation.h
/// A machine whose slots are endpoints of synthetic traffic, simulated in one or more threads.
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/cycle/fabric.h"
#include "sim/machine/thread_team.h"
#include "sim/machine/topology.h"
#include "sim/traffic/destinations.h"
#include "sim/traffic/ledger.h"
#include "sim/traffic/part.h"
#include "sim/traffic/traffic_config.h"

namespace tidings::traffic {

/// All of the machine. Parts advance side by side, a link's latency at a time: what leaves one cannot arrive in another
/// before that. So everything that it shows is the same for any number of threads.
class Simulation {
 public:
  /// @param destinations must outlive the simulation.
  Simulation(const TrafficConfig& config, const Destinations& destinations, Ledger::Window window);

  [[nodiscard]] Cycle now() const { return now_; }
  /// Cycles that parts simulate at most before they meet.
  [[nodiscard]] std::uint64_t look_ahead() const { return look_ahead_; }

  void stop_sources();
  void create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class);
  /// Simulate up to `end`; of several parts at most a look-ahead.
  void run(Cycle end);

  [[nodiscard]] Counts counts() const;
  [[nodiscard]] Latencies latencies() const;
  [[nodiscard]] Latencies network_latencies() const;
  /// Of all links, node * ports + port.
  [[nodiscard]] std::vector<std::uint64_t> link_flits() const;
  [[nodiscard]] std::uint64_t flit_hops() const;

 private:
  Topology topology_;
  std::uint64_t look_ahead_;
  std::vector<cycle::NodeRange> ranges_;
  std::vector<std::unique_ptr<Part>> parts_;  ///< each made by the thread that runs it, to lie in memory of its own
  ThreadTeam team_;                           ///< a member a part
  Cycle now_;
};

}  // namespace tidings::traffic
