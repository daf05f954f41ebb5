// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>

#include "sim/benchmark/collective_benchmark.h"
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

/// Without the interpreter lock, which is taken now and then to say how far it is, and for Ctrl-C.
CollectiveTimes collective(const MachineConfig& config, const std::string& node_library, const CollectivePlan& given,
                           const std::optional<nb::callable>& progress) {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{500};
  CollectivePlan plan = given;
  plan.progress = [&progress, said = Clock::now()](std::uint64_t cycle) mutable {
    if (Clock::now() - said < kPatience) return;
    said = Clock::now();
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress) (*progress)(cycle);
  };
  const Fidelity fidelity = choose_fidelity(config, node_library, {}, 1);
  const nb::gil_scoped_release release;
  return benchmark_collective(config, fidelity.fabric, plan);
}

void bind_collectives(nb::module_& module) {
  nb::enum_<CollectiveOperation>(module, "CollectiveOperation")
      .value("BARRIER", CollectiveOperation::kBarrier)
      .value("BROADCAST", CollectiveOperation::kBroadcast)
      .value("REDUCE", CollectiveOperation::kReduce)
      .value("ALLREDUCE", CollectiveOperation::kAllreduce);
  nb::enum_<ElementType>(module, "ElementType")
      .value("INT32", ElementType::kInt32)
      .value("INT64", ElementType::kInt64)
      .value("FLOAT", ElementType::kFloat)
      .value("DOUBLE", ElementType::kDouble);
  nb::class_<CollectiveLink>(module, "CollectiveLink")
      .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(), nb::arg("rank"), nb::arg("number"),
           nb::arg("neighbour"), nb::arg("peer_number"));
  nb::class_<CollectiveWay>(module, "CollectiveWay")
      .def(nb::init<std::uint32_t, std::uint32_t>(), nb::arg("parent"), nb::arg("children"))
      .def_ro_static("NO_PARENT", &CollectiveWay::kNoParent);
  nb::class_<CollectivePlan>(module, "CollectivePlan")
      .def(nb::init<>())
      .def_rw("operation", &CollectivePlan::operation)
      .def_rw("element", &CollectivePlan::element)
      .def_rw("root", &CollectivePlan::root)
      .def_rw("count", &CollectivePlan::count)
      .def_rw("vectors", &CollectivePlan::vectors)
      .def_rw("ways", &CollectivePlan::ways)
      .def_rw("links", &CollectivePlan::links);
  nb::class_<CollectiveTimes>(module, "CollectiveTimes")
      .def_ro("done", &CollectiveTimes::done)
      .def_ro("flit_hops", &CollectiveTimes::flit_hops);
  module.def("benchmark_collective", &collective, nb::arg("machine"), nb::arg("node_library"), nb::arg("plan"),
             nb::arg("progress") = nb::none());
}

}  // namespace

void bind_benchmark(nb::module_& module) {
  bind_collectives(module);
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
