// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file sources.h
/// When endpoints create packets, and where they go.
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "sim/machine/types.h"
#include "sim/traffic/destinations.h"
#include "sim/traffic/ledger.h"
#include "sim/traffic/random.h"
#include "sim/traffic/traffic_config.h"

namespace tidings::traffic {

/// A calendar of creations. Each endpoint draws from a stream of its own, so it creates the same packets whatever
/// others do.
class Sources {
 public:
  /// @param destinations must outlive the sources. @param here the endpoints.
  Sources(const TrafficConfig& config, const Destinations& destinations, Ledger::Range here)
      : destinations_(destinations),
        classes_(config.classes),
        burst_packets_(config.burst_packets),
        log_failure_(std::log1p(-config.load / config.packet_flits / config.burst_packets)),
        first_(here.first) {
    for (std::uint32_t number = here.first; number < here.end; ++number) {
      Random& random = sources_.emplace_back(Source{.random = Random(config.seed, number)}).random;
      creations_.push({.cycle = Cycle{random.trials(log_failure_) - 1}, .number = number});
    }
  }

  /// Forget what has not been created.
  void stop() { creations_ = {}; }

  /// When the next packet is created.
  [[nodiscard]] Cycle next() const { return creations_.empty() ? Cycle::max() : creations_.top().cycle; }

  /// Take the next creation, of a burst. Calls `create(endpoint, destination, class)` for each packet.
  template <typename Create>
  void take(Create&& create) {
    const Creation creation = creations_.top();
    creations_.pop();
    Source& source = sources_[creation.number - first_];
    const std::uint32_t destination = destinations_.draw(creation.number, source.sent++, source.random);
    const auto message_class = static_cast<std::uint8_t>(classes_ == 1 ? 0 : source.random.below(classes_));
    for (std::uint32_t packet = 0; packet < burst_packets_; ++packet) {
      create(creation.number, destination, message_class);
    }
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
  std::uint32_t burst_packets_;
  double log_failure_;
  std::uint32_t first_;
  std::vector<Source> sources_;
  std::priority_queue<Creation, std::vector<Creation>, std::greater<>> creations_;
};

}  // namespace tidings::traffic
