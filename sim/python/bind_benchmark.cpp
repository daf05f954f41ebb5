// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include "sim/benchmark/link_benchmark.h"
#include "sim/benchmark/machine_benchmark.h"
#include "sim/python/bindings.h"
#include "sim/python/fidelity.h"

namespace nb = nanobind;

namespace tidings {
namespace {

/// Every slot of the whole machine is busy.
BenchmarkResult benchmark(const MachineConfig& config, const std::string& node_library, BenchmarkLoad load,
                          std::uint64_t cycles, std::uint32_t threads) {
  validate(config);
  const Topology whole(config.topology);
  const Fidelity fidelity = choose_fidelity(config, node_library, {}, threads);
  const nb::gil_scoped_release release;
  Machine machine(config, whole.nodes() * whole.slots(), fidelity.fabric);
  return benchmark_machine(machine, load, cycles);
}

}  // namespace

void bind_benchmark(nb::module_& module) {
  nb::enum_<BenchmarkLoad>(module, "BenchmarkLoad")
      .value("NEIGHBOUR", BenchmarkLoad::kNeighbour)
      .value("UNIFORM", BenchmarkLoad::kUniform)
      .value("ALLREDUCE", BenchmarkLoad::kAllreduce);
  nb::class_<BenchmarkResult>(module, "BenchmarkResult")
      .def_ro("cycles", &BenchmarkResult::cycles)
      .def_ro("node_evaluations", &BenchmarkResult::node_evaluations)
      .def_ro("flit_hops", &BenchmarkResult::flit_hops)
      .def_ro("seconds", &BenchmarkResult::seconds);
  nb::class_<LinkBenchmarkResult>(module, "LinkBenchmarkResult")
      .def_ro("cycles", &LinkBenchmarkResult::cycles)
      .def_ro("flits", &LinkBenchmarkResult::flits)
      .def_ro("mean_latency", &LinkBenchmarkResult::mean_latency)
      .def_ro("longest_latency", &LinkBenchmarkResult::longest_latency)
      .def_ro("damaged_frames", &LinkBenchmarkResult::damaged_frames)
      .def_ro("resent_frames", &LinkBenchmarkResult::resent_frames);
  module.def("benchmark_link", &benchmark_link, nb::arg("latency"), nb::arg("buffer_flits"), nb::arg("bit_error_rate"),
             nb::arg("load"), nb::arg("cycles"), nb::arg("seed"));
  module.def("benchmark", &benchmark, nb::arg("machine"), nb::arg("node_library"), nb::arg("load"), nb::arg("cycles"),
             nb::arg("threads") = 1);
}

}  // namespace tidings
