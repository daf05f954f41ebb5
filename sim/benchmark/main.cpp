// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// machine_benchmark LIBRARY [CYCLES]: how fast machines of a compiled node simulate.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "sim/benchmark/machine_benchmark.h"
#include "sim/rtl/verilated_node.h"

namespace tidings {
namespace {

/// A machine of 64 routers (or one crossbar) with the node of the library: parameters are taken from the library.
MachineConfig config_for(const NodeParameters& node) {
  constexpr std::uint32_t kOffChipLatency = 80;
  MachineConfig config;
  switch (node.dims) {
    case 0:
      config.topology = {TopologyKind::kCrossbar, {}, node.num_slots};
      break;
    case 1:
      config.topology = {TopologyKind::kRing, {64}, node.num_slots};
      break;
    case 2:
      config.topology = {TopologyKind::kMesh, {8, 8}, node.num_slots};
      break;
    default:
      config.topology = {TopologyKind::kTorus, {4, 4, 4}, node.num_slots};
      config.link.latency_cycles = kOffChipLatency;
      break;
  }
  config.node = node;
  config.memory.latency_cycles = 8;
  return config;
}

int run(const std::string& library, std::uint64_t cycles) {
  const MachineConfig config = config_for(LoadedNodeLibrary(library)->parameters);
  const Topology whole(config.topology);
  const std::uint32_t ranks = whole.endpoints();
  std::printf("%u routers, %u slots\n%-10s %12s %14s %16s %12s\n", whole.nodes(), ranks, "load", "cycles/s",
              "evaluations/s", "flit-hops/cycle", "ns/evaluation");
  for (const BenchmarkLoad load : {BenchmarkLoad::kNeighbour, BenchmarkLoad::kUniform, BenchmarkLoad::kAllreduce}) {
    Machine machine(config, ranks, VerilatedSession::load(library, node_parameters(config))->factory());
    const BenchmarkResult result = benchmark_machine(machine, load, cycles);
    std::printf("%-10s %12.0f %14.0f %16.2f %12.0f\n", name_of(load).c_str(),
                static_cast<double>(result.cycles) / result.seconds,
                static_cast<double>(result.node_evaluations) / result.seconds,
                static_cast<double>(result.flit_hops) / static_cast<double>(result.cycles),
                result.seconds * 1e9 / static_cast<double>(result.node_evaluations));
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace tidings

int main(int argc, char** argv) {
  constexpr std::uint64_t kCycles = 20'000;
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: machine_benchmark LIBRARY [CYCLES]\n");
    return EXIT_FAILURE;
  }
  try {
    return tidings::run(argv[1], argc == 3 ? std::stoull(argv[2]) : kCycles);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "machine_benchmark: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
