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
#include "sim/traffic/endpoint.h"
#include "sim/traffic/ledger.h"
#include "sim/traffic/sources.h"
#include "sim/traffic/traffic_config.h"

namespace tidings::traffic {

/// A part of the machine, with the packets that its endpoints create and the accounts of those that arrive at them.
/// Cycles in which nothing moves cost nothing.
class Part {
 public:
  /// @param parts of the machine. @param here the one that this is.
  Part(const TrafficConfig& config, const Topology& topology, const Destinations& destinations, Ledger::Window window,
       const std::vector<cycle::NodeRange>& parts, std::size_t here);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  [[nodiscard]] Ledger& ledger() { return ledger_; }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  [[nodiscard]] cycle::Fabric<TrafficEndpoint>& fabric() { return fabric_; }
  [[nodiscard]] const cycle::Fabric<TrafficEndpoint>& fabric() const { return fabric_; }

  /// No packets are created from now on, but by `create`.
  void stop_sources() { sources_.stop(); }
  /// A packet is created now. @param number of the endpoint in the machine.
  void create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class);
  /// Simulate up to `end`.
  void run(Cycle end);
  /// Take what has left another part for this one, number `here`. All parts have been simulated as far.
  void take_from(Part& other, std::size_t from, std::size_t here);

 private:
  Ledger::Range endpoints_;
  Ledger ledger_;
  Sources sources_;
  std::vector<std::uint32_t> addresses_;  ///< of all endpoints: the first word of a packet to each, without its source
  cycle::Fabric<TrafficEndpoint> fabric_;
};

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
