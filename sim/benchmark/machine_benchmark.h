// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file machine_benchmark.h
/// How fast a machine simulates while every slot is busy.
#include <cstdint>
#include <string>

#include "sim/machine/machine.h"

namespace tidings {

/// What all slots do, all the time.
enum class BenchmarkLoad {
  kNeighbour,  ///< PUTs of 4 KiB to the next rank
  kUniform,    ///< PUTs of 1 KiB to random ranks
  kAllreduce,  ///< sums of 512 doubles over a binary tree
};

struct BenchmarkResult {
  std::uint64_t cycles = 0;
  std::uint64_t node_evaluations = 0;
  std::uint64_t flit_hops = 0;
  double seconds = 0;
};

[[nodiscard]] std::string name_of(BenchmarkLoad load);

/// Step a fresh machine through `cycles` cycles under a load, after some cycles to warm up.
[[nodiscard]] BenchmarkResult benchmark_machine(Machine& machine, BenchmarkLoad load, std::uint64_t cycles);

}  // namespace tidings
