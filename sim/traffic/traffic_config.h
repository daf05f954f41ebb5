// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file traffic_config.h
/// What synthetic traffic is sent through which machine, and for how long.
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/machine/machine_config.h"

namespace tidings::traffic {

/// Who sends to whom (Dally and Towles, "Principles and Practices of Interconnection Networks", 2004, table 3.1).
/// An endpoint is a slot; coordinates are those of its router, and of a crossbar the slot's number.
/// Patterns of coordinates send to the slot of the same number.
enum class Pattern {
  kUniform,        ///< every endpoint is equally likely, the sender too
  kTranspose,      ///< the halves of the router's number change places: (x, y) to (y, x)
  kBitComplement,  ///< x to k - 1 - x in every dimension
  kHotspot,        ///< a share goes to hot endpoints, the rest is uniform
  kNeighbour,      ///< x to x + 1 mod k in every dimension
  kTornado,        ///< x to x + ceil(k / 2) - 1 mod k in every dimension
  kUnbalanced,     ///< a share goes to the sender itself, the rest is uniform (Rojas-Cessa et al. 2001, CIXB-1)
  kAllToAll,       ///< each endpoint sends to all others in turn, beginning with the next one
};

struct PatternConfig {
  Pattern kind = Pattern::kUniform;
  std::vector<std::uint32_t> hot_endpoints{};  ///< kHotspot: router * slots + slot
  double hot_share = 0;                        ///< kHotspot, kUnbalanced: of the packets, more than 0, at most 1
};

/// How far a run has come.
struct TrafficProgress {
  std::uint64_t cycle = 0;
  std::uint64_t cycles = 0;  ///< of warm-up and measurement: later cycles are the drain's
};

struct TrafficConfig {
  MachineConfig machine;
  /// Message classes, 1 to 4: virtual channels of a network port, half of them where channels are doubled.
  /// Each packet is of any class, all equally likely.
  std::uint32_t classes = 1;
  PatternConfig pattern;
  double load = 0.1;  ///< flits that an endpoint offers in a cycle, more than 0, at most 1
  std::uint32_t packet_flits = 1;
  std::uint32_t burst_packets = 1;  ///< that an endpoint creates at once, all for one destination; at least 1
  std::uint64_t seed = 1;
  std::uint64_t warmup_cycles = 5000;
  std::uint64_t measure_cycles = 20000;
  std::uint64_t drain_cycles = 200000;  ///< at most, until all measured packets have arrived
  std::uint32_t threads = 1;            ///< that simulate it, at least 1; results do not depend on it
  /// Called about every half second of wall time; an exception that it throws ends the run.
  std::function<void(const TrafficProgress&)> progress;
};

/// Check that such traffic can be sent.
/// @throws std::invalid_argument naming what is wrong, with its value.
void validate(const TrafficConfig& config);

/// Cycles that parts of the network can be apart in time, at least 1: what leaves one arrives in another no earlier.
[[nodiscard]] std::uint64_t look_ahead_cycles(const TrafficConfig& config);

/// Threads that simulate it: one where there is no look-ahead, for they would have to meet in every cycle.
[[nodiscard]] std::uint32_t usable_threads(const TrafficConfig& config);

/// The routers of such a machine.
[[nodiscard]] NodeParameters node_parameters(const TrafficConfig& config);

}  // namespace tidings::traffic
