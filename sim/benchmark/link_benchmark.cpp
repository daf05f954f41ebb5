// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/benchmark/link_benchmark.h"

#include <algorithm>
#include <array>
#include <queue>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/cycle/reliable_wires.h"

namespace tidings {

LinkBenchmarkResult benchmark_link(std::uint32_t latency, std::uint32_t buffer_flits, double bit_error_rate,
                                   double load, std::uint64_t cycles, std::uint64_t seed) {
  cycle::ReliableWires wires({.link = cycle::link_parameters(latency, buffer_flits),
                              .latency = latency,
                              .bit_error_rate = bit_error_rate,
                              .seed = seed},
                             {1, 0}, [](std::uint32_t end) { return "end " + std::to_string(end); });
  std::mt19937_64 random(seed);
  std::bernoulli_distribution sends(load);
  std::array<std::uint32_t, 2> credits = {buffer_flits, buffer_flits};
  std::array<std::queue<std::uint64_t>, 2> sent;  // cycle of each flit on its way
  LinkBenchmarkResult result{.cycles = cycles};
  std::uint64_t sum = 0;
  for (Cycle now{}; now < Cycle{cycles}; ++now) {
    std::vector<std::uint32_t> freed;
    wires.arrive(
        now,
        [&](std::uint32_t from, const Flit& flit) {
          if (flit.data != static_cast<std::uint32_t>(sent[from].front())) throw std::logic_error("another flit came");
          const std::uint64_t took = now.value - sent[from].front();
          sent[from].pop();
          sum += took;
          result.longest_latency = std::max(result.longest_latency, took);
          ++result.flits;
          freed.push_back(1 - from);
        },
        [&](std::uint32_t from, unsigned) { ++credits[1 - from]; });
    // What is sent now is on the wire in the next cycle.
    for (std::uint32_t end = 0; end < 2; ++end) {
      if (credits[end] == 0 || !sends(random)) continue;
      --credits[end];
      sent[end].push((now + 1).value);
      wires.send(end, {.vc = 0, .last = false, .data = static_cast<std::uint32_t>((now + 1).value)});
    }
    for (const std::uint32_t end : freed) wires.send_credit(end, 0);
    wires.close(now + latency);
  }
  result.mean_latency = result.flits == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(result.flits);
  result.damaged_frames = wires.damaged_frames();
  result.resent_frames = wires.resent_frames();
  return result;
}

}  // namespace tidings
