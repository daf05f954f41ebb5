// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file latencies.h
/// Latencies of packets and what is said of them.
#include <array>
#include <cstdint>
#include <vector>

namespace tidings::traffic {

/// What is said of many latencies, in cycles.
struct LatencySummary {
  std::uint64_t packets = 0;
  double mean = 0;
  /// The mean of a run without end is within `mean` +- this with 95 % confidence, by batch means (Law, "Simulation
  /// Modeling and Analysis"); not a number where a batch is empty.
  double half_width = 0;
  std::uint64_t min = 0;
  std::uint64_t p50 = 0;
  std::uint64_t p99 = 0;
  std::uint64_t max = 0;
};

/// Counts each latency, so that quantiles are exact.
class Latencies {
 public:
  static constexpr std::size_t kBatches = 20;

  /// @param batch of the packet by its time of creation, less than kBatches.
  void add(std::uint64_t cycles, std::size_t batch);
  /// All that were added to `other`.
  void add(const Latencies& other);
  [[nodiscard]] LatencySummary summary() const;
  /// Mean latency of each batch; not a number where it is empty.
  [[nodiscard]] std::array<double, kBatches> batch_means() const;

 private:
  struct Batch {
    std::uint64_t packets = 0;
    std::uint64_t sum = 0;
  };

  /// The latency that the given share of the packets does not exceed.
  [[nodiscard]] std::uint64_t quantile(double share, std::uint64_t packets) const;

  std::vector<std::uint64_t> counts_;  ///< packets of each latency
  std::array<Batch, kBatches> batches_{};
};

}  // namespace tidings::traffic
