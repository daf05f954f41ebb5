// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file link_benchmark.h
/// What bit errors cost on a link that loses nothing.
#include <cstdint>

namespace tidings {

struct LinkBenchmarkResult {
  std::uint64_t cycles = 0;
  std::uint64_t flits = 0;            ///< delivered, both directions
  double mean_latency = 0;            ///< cycles from the sender's output to the receiver's input
  std::uint64_t longest_latency = 0;  ///< in cycles
  std::uint64_t damaged_frames = 0;
  std::uint64_t resent_frames = 0;
};

/// Two routers send flits to each other over one link, each with the probability `load` in a cycle and as credits
/// allow.
/// @param latency of the wire in cycles.
/// @param buffer_flits of each router: credits come back as soon as a flit is there.
/// @throws LinkError if the errors kill the link.
[[nodiscard]] LinkBenchmarkResult benchmark_link(std::uint32_t latency, std::uint32_t buffer_flits,
                                                 double bit_error_rate, double load, std::uint64_t cycles,
                                                 std::uint64_t seed);

}  // namespace tidings
