// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/run_traffic.h"

#include <algorithm>
#include <chrono>

#include "sim/machine/topology.h"
#include "sim/traffic/bounds.h"
#include "sim/traffic/destinations.h"
#include "sim/traffic/random.h"
#include "sim/traffic/simulation.h"

namespace tidings::traffic {
namespace {

using Clock = std::chrono::steady_clock;

/// As far as is simulated at least before the user's function may be called.
constexpr std::uint64_t kCyclesBetweenLooks = 64;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Calls the user's function now and then.
class Reporter {
 public:
  explicit Reporter(const TrafficConfig& config) : config_(config), next_(Clock::now() + kPeriod) {}

  void look(Cycle now) {
    if (!config_.progress || Clock::now() < next_) return;
    config_.progress({.cycle = now.value, .cycles = config_.warmup_cycles + config_.measure_cycles});
    next_ = Clock::now() + kPeriod;
  }

 private:
  static constexpr std::chrono::milliseconds kPeriod{500};

  const TrafficConfig& config_;
  Clock::time_point next_;
};

}  // namespace

TrafficResult run_traffic(const TrafficConfig& config) {
  validate(config);
  const Destinations destinations(Topology(config.machine.topology), config.pattern);
  const Cycle first{config.warmup_cycles};
  const Cycle end = first + config.measure_cycles;
  Simulation simulation(config, destinations, {.first = first, .cycles = config.measure_cycles});
  const std::uint64_t stretch = std::max(kCyclesBetweenLooks, simulation.look_ahead());
  Reporter reporter(config);
  const auto advance = [&](Cycle limit, std::uint64_t cycles) {
    simulation.run(std::min(limit, simulation.now() + cycles));
    reporter.look(simulation.now());
  };

  const Clock::time_point start = Clock::now();
  while (simulation.now() < first) advance(first, stretch);
  const std::vector<std::uint64_t> before = simulation.link_flits();
  const Counts waiting = simulation.counts();
  const Clock::time_point window_start = Clock::now();
  while (simulation.now() < end) advance(end, stretch);

  TrafficResult result;
  result.endpoints = destinations.endpoints();
  result.window.wall_seconds = seconds_since(window_start);
  result.window.cycles = config.measure_cycles;
  result.link_flits = simulation.link_flits();
  for (std::size_t i = 0; i < before.size(); ++i) {
    result.link_flits[i] -= before[i];
    result.window.flit_hops += result.link_flits[i];
  }
  const Counts counts = simulation.counts();
  const double slots = static_cast<double>(config.measure_cycles) * result.endpoints;
  const auto created = static_cast<double>(counts.window_created_flits);
  result.offered = created / slots;
  result.accepted = static_cast<double>(counts.window_arrived_flits) / slots;
  result.saturated =
      static_cast<double>(counts.waiting_flits()) > static_cast<double>(waiting.waiting_flits()) + kGrowth * created &&
      counts.waiting_packets() > waiting.waiting_packets() + result.endpoints;
  if (!result.saturated) {
    // Parts meet to know whether all have arrived, whatever their number: so the run ends in the same cycle.
    const Cycle limit = end + config.drain_cycles;
    while (simulation.now() < limit && simulation.counts().missing() != 0) advance(limit, simulation.look_ahead());
    result.saturated = simulation.counts().missing() != 0;
    result.drain_cycles = (result.saturated ? limit : std::max(end, simulation.counts().settled)) - end;
  }
  result.latency = simulation.latencies().summary();
  result.network_latency = simulation.network_latencies().summary();
  result.batch_means = simulation.latencies().batch_means();
  result.total = {
      .cycles = simulation.now().value, .flit_hops = simulation.flit_hops(), .wall_seconds = seconds_since(start)};
  return result;
}

ExchangeResult run_exchange(const TrafficConfig& config) {
  TrafficConfig exchange = config;
  exchange.pattern.kind = Pattern::kAllToAll;
  validate(exchange);
  const Destinations destinations(Topology(config.machine.topology), exchange.pattern);
  Simulation simulation(exchange, destinations, {.first = Cycle{0}, .cycles = 1});
  simulation.stop_sources();
  Reporter reporter(config);
  Random random(config.seed, 0);
  const Clock::time_point start = Clock::now();
  for (std::uint32_t number = 0; number < destinations.endpoints(); ++number) {
    for (std::uint32_t sent = 0; sent + 1 < destinations.endpoints(); ++sent) {
      simulation.create(number, destinations.draw(number, sent, random),
                        static_cast<std::uint8_t>(config.classes == 1 ? 0 : random.below(config.classes)));
    }
  }
  while (simulation.counts().missing() != 0) {
    simulation.run(simulation.now() + simulation.look_ahead());
    reporter.look(simulation.now());
  }
  return {
      .cycles = simulation.counts().settled.value,
      .bound = exchange_bound(config),
      .work = {
          .cycles = simulation.now().value, .flit_hops = simulation.flit_hops(), .wall_seconds = seconds_since(start)}};
}

}  // namespace tidings::traffic
