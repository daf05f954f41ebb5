// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/latencies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidings::traffic {
namespace {

/// 97.5 % quantile of Student's distribution with kBatches - 1 degrees of freedom.
constexpr double kStudent = 2.093;

}  // namespace

void Latencies::add(std::uint64_t cycles, std::size_t batch) {
  if (cycles >= counts_.size()) counts_.resize(std::max<std::size_t>(cycles + 1, 2 * counts_.size()));
  ++counts_[cycles];
  ++batches_[batch].packets;
  batches_[batch].sum += cycles;
}

void Latencies::add(const Latencies& other) {
  counts_.resize(std::max(counts_.size(), other.counts_.size()));
  for (std::size_t cycles = 0; cycles < other.counts_.size(); ++cycles) counts_[cycles] += other.counts_[cycles];
  for (std::size_t b = 0; b < kBatches; ++b) {
    batches_[b].packets += other.batches_[b].packets;
    batches_[b].sum += other.batches_[b].sum;
  }
}

std::array<double, Latencies::kBatches> Latencies::batch_means() const {
  std::array<double, kBatches> means{};
  for (std::size_t b = 0; b < kBatches; ++b) {
    means[b] = batches_[b].packets == 0
                   ? std::numeric_limits<double>::quiet_NaN()
                   : static_cast<double>(batches_[b].sum) / static_cast<double>(batches_[b].packets);
  }
  return means;
}

std::uint64_t Latencies::quantile(double share, std::uint64_t packets) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(packets)));
  std::uint64_t below = 0;
  std::uint64_t cycles = 0;
  while ((below += counts_[cycles]) < rank) ++cycles;
  return cycles;
}

LatencySummary Latencies::summary() const {
  LatencySummary result;
  std::uint64_t sum = 0;
  for (const Batch& batch : batches_) {
    result.packets += batch.packets;
    sum += batch.sum;
  }
  if (result.packets == 0) return result;
  const auto first = std::find_if(counts_.begin(), counts_.end(), [](std::uint64_t n) { return n != 0; });
  const auto last = std::find_if(counts_.rbegin(), counts_.rend(), [](std::uint64_t n) { return n != 0; });
  result.min = static_cast<std::uint64_t>(first - counts_.begin());
  result.max = static_cast<std::uint64_t>(counts_.rend() - last - 1);
  result.p50 = quantile(0.5, result.packets);
  result.p99 = quantile(0.99, result.packets);
  result.mean = static_cast<double>(sum) / static_cast<double>(result.packets);
  const std::array<double, kBatches> means = batch_means();
  double mean = 0;
  for (const double batch : means) mean += batch / kBatches;
  double squares = 0;
  for (const double batch : means) squares += (batch - mean) * (batch - mean);
  result.half_width = kStudent * std::sqrt(squares / (kBatches - 1) / kBatches);
  return result;
}

}  // namespace tidings::traffic
