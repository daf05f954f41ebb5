// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/run_traffic.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <queue>

#include "sim/cycle/fabric.h"
#include "sim/machine/topology.h"
#include "sim/traffic/bounds.h"
#include "sim/traffic/destinations.h"
#include "sim/traffic/endpoint.h"
#include "sim/traffic/ledger.h"
#include "sim/traffic/random.h"

namespace tidings::traffic {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The first word of a packet to each endpoint, without its source.
std::vector<std::uint32_t> header_addresses(const Topology& topology) {
  constexpr unsigned kNodeShift = 12, kSlotShift = 24;
  std::vector<std::uint32_t> addresses;
  for (std::uint32_t number = 0; number < topology.nodes() * topology.slots(); ++number) {
    const Endpoint endpoint = topology.endpoint(number);
    addresses.push_back(std::uint32_t{endpoint.slot.value} << kSlotShift | std::uint32_t{endpoint.node.value}
                                                                               << kNodeShift);
  }
  return addresses;
}

/// When each endpoint creates packets, and where they go.
class Sources {
 public:
  Sources(const TrafficConfig& config, const Destinations& destinations)
      : destinations_(destinations),
        classes_(config.classes),
        log_failure_(std::log1p(-config.load / config.packet_flits)) {
    for (std::uint32_t number = 0; number < destinations.endpoints(); ++number) {
      sources_.push_back({.random = Random(config.seed, number)});
      creations_.push({.cycle = Cycle{sources_[number].random.trials(log_failure_) - 1}, .number = number});
    }
  }

  [[nodiscard]] Cycle next() const { return creations_.top().cycle; }

  /// Take the next creation. Calls `create(endpoint, destination, class)`.
  template <typename Create>
  void take(Create&& create) {
    const Creation creation = creations_.top();
    creations_.pop();
    Source& source = sources_[creation.number];
    const std::uint32_t destination = destinations_.draw(creation.number, source.sent++, source.random);
    const auto message_class = static_cast<std::uint8_t>(classes_ == 1 ? 0 : source.random.below(classes_));
    create(creation.number, destination, message_class);
    creations_.push({.cycle = creation.cycle + source.random.trials(log_failure_), .number = creation.number});
  }

 private:
  struct Source {
    Random random;
    std::uint64_t sent = 0;
  };
  struct Creation {
    Cycle cycle;
    std::uint32_t number = 0;
    bool operator>(const Creation& other) const {
      return cycle != other.cycle ? cycle > other.cycle : number > other.number;
    }
  };

  const Destinations& destinations_;
  std::uint32_t classes_;
  double log_failure_;
  std::vector<Source> sources_;
  std::priority_queue<Creation, std::vector<Creation>, std::greater<>> creations_;
};

/// The machine with its endpoints. Cycles in which nothing moves cost nothing.
class Simulation {
 public:
  Simulation(const TrafficConfig& config, const Topology& topology, Ledger& ledger)
      : topology_(topology),
        ledger_(ledger),
        addresses_(header_addresses(topology)),
        parameters_{.classes = config.classes,
                    .packet_flits = config.packet_flits,
                    .router_room = config.machine.router.slot_buffer_flits},
        fabric_(node_parameters(config), topology, config.machine.link.latency_cycles,
                [this](NodeIndex node, SlotId slot) {
                  return TrafficEndpoint(ledger_, addresses_, node.value * topology_.slots() + slot.value, parameters_);
                }) {}
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  void create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) {
    fabric_.slot(number).create(destination, message_class);
    fabric_.wake(number);
  }

  /// Simulate the cycle of the ledger, or go on to the next one in which anything happens, at most to `limit`.
  void step(Cycle limit) {
    if (fabric_.busy() || fabric_.next_arrival() == ledger_.now) {
      fabric_.step(ledger_.now);
      ++ledger_.now;
    } else {
      ledger_.now = std::min(limit, fabric_.next_arrival().value_or(limit));
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> link_flits() const {
    std::vector<std::uint64_t> result;
    for (std::uint32_t node = 0; node < topology_.nodes(); ++node) {
      for (std::uint8_t port = 0; port < topology_.ports(); ++port) {
        result.push_back(fabric_.link_flits(NodeIndex{node}, PortId{port}));
      }
    }
    return result;
  }
  [[nodiscard]] std::uint64_t flit_hops() const { return fabric_.flit_hops(); }

 private:
  const Topology& topology_;
  Ledger& ledger_;
  std::vector<std::uint32_t> addresses_;
  TrafficEndpoint::Parameters parameters_;
  cycle::Fabric<TrafficEndpoint> fabric_;
};

/// Calls the user's function now and then.
class Reporter {
 public:
  explicit Reporter(const TrafficConfig& config) : config_(config), next_(Clock::now() + kPeriod) {}

  void look(Cycle now) {
    if (!config_.progress || ++steps_ % kStepsBetweenLooks != 0 || Clock::now() < next_) return;
    config_.progress({.cycle = now.value, .cycles = config_.warmup_cycles + config_.measure_cycles});
    next_ = Clock::now() + kPeriod;
  }

 private:
  static constexpr std::uint64_t kStepsBetweenLooks = 64;
  static constexpr std::chrono::milliseconds kPeriod{500};

  const TrafficConfig& config_;
  Clock::time_point next_;
  std::uint64_t steps_ = 0;
};

}  // namespace

TrafficResult run_traffic(const TrafficConfig& config) {
  validate(config);
  const Topology topology(config.machine.topology);
  const Destinations destinations(topology, config.pattern);
  const Cycle first{config.warmup_cycles};
  const Cycle end = first + config.measure_cycles;
  Ledger ledger(destinations.endpoints(), {.first = first, .cycles = config.measure_cycles});
  Sources sources(config, destinations);
  Simulation simulation(config, topology, ledger);
  Reporter reporter(config);
  const auto advance = [&](Cycle limit, auto&& done) {
    while (ledger.now < limit && !done()) {
      while (sources.next() == ledger.now) {
        sources.take([&](std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) {
          simulation.create(number, destination, message_class);
        });
      }
      simulation.step(std::min(limit, sources.next()));
      reporter.look(ledger.now);
    }
  };
  const auto never = [] { return false; };

  const Clock::time_point start = Clock::now();
  advance(first, never);
  const std::vector<std::uint64_t> before = simulation.link_flits();
  const std::uint64_t waiting_packets = ledger.waiting_packets();
  const std::uint64_t waiting_flits = ledger.waiting_flits();
  const Clock::time_point window_start = Clock::now();
  advance(end, never);

  TrafficResult result;
  result.endpoints = destinations.endpoints();
  result.window.wall_seconds = seconds_since(window_start);
  result.window.cycles = config.measure_cycles;
  result.link_flits = simulation.link_flits();
  for (std::size_t i = 0; i < before.size(); ++i) {
    result.link_flits[i] -= before[i];
    result.window.flit_hops += result.link_flits[i];
  }
  const double slots = static_cast<double>(config.measure_cycles) * result.endpoints;
  const auto created = static_cast<double>(ledger.window_created_flits());
  result.offered = created / slots;
  result.accepted = static_cast<double>(ledger.window_arrived_flits()) / slots;
  result.saturated =
      static_cast<double>(ledger.waiting_flits()) > static_cast<double>(waiting_flits) + kGrowth * created &&
      ledger.waiting_packets() > waiting_packets + result.endpoints;
  if (!result.saturated) {
    advance(end + config.drain_cycles, [&] { return ledger.missing() == 0; });
    result.saturated = ledger.missing() != 0;
  }
  result.drain_cycles = ledger.now - end;
  result.latency = ledger.latencies().summary();
  result.network_latency = ledger.network_latencies().summary();
  result.batch_means = ledger.latencies().batch_means();
  result.total = {
      .cycles = ledger.now.value, .flit_hops = simulation.flit_hops(), .wall_seconds = seconds_since(start)};
  return result;
}

ExchangeResult run_exchange(const TrafficConfig& config) {
  TrafficConfig exchange = config;
  exchange.pattern.kind = Pattern::kAllToAll;
  validate(exchange);
  const Topology topology(config.machine.topology);
  const Destinations destinations(topology, exchange.pattern);
  Ledger ledger(destinations.endpoints(), {.first = Cycle{0}, .cycles = 1});
  Simulation simulation(exchange, topology, ledger);
  Reporter reporter(config);
  Random random(config.seed, 0);
  const Clock::time_point start = Clock::now();
  for (std::uint32_t number = 0; number < destinations.endpoints(); ++number) {
    for (std::uint32_t sent = 0; sent + 1 < destinations.endpoints(); ++sent) {
      simulation.create(number, destinations.draw(number, sent, random),
                        static_cast<std::uint8_t>(config.classes == 1 ? 0 : random.below(config.classes)));
    }
  }
  while (ledger.missing() != 0) {
    simulation.step(Cycle::max());
    reporter.look(ledger.now);
  }
  return {
      .cycles = ledger.now.value,
      .bound = exchange_bound(config),
      .work = {.cycles = ledger.now.value, .flit_hops = simulation.flit_hops(), .wall_seconds = seconds_since(start)}};
}

}  // namespace tidings::traffic
