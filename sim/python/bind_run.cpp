// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/python/bindings.h"
#include "sim/python/fidelity.h"
#include "sim/rtl/verilated_node.h"
#include "sim/runtime/runtime.h"

namespace nb = nanobind;

namespace tidings {
namespace {

/// RunOptions with what Python can name instead of what C++ would be handed.
struct PythonOptions {
  RunOptions options;
  std::string node_library;
  std::vector<std::uint32_t> rtl_nodes;
  std::uint32_t threads = 1;
  std::string wave_file;
  std::optional<std::uint32_t> wave_node;
  std::optional<nb::callable> progress;
};

RunReport run_with(const PythonOptions& given) {
  RunOptions options = given.options;
  const Fidelity fidelity = choose_fidelity(options.machine, given.node_library, given.rtl_nodes, given.threads);
  options.fabric = fidelity.fabric;
  if (!given.wave_file.empty()) {
    if (!fidelity.session) throw std::invalid_argument("waveforms are of Verilated nodes, and there are none");
    std::optional<NodeIndex> node;
    if (given.wave_node) node = NodeIndex{*given.wave_node};
    options.observer = [&fidelity, &given, node](const Machine& machine) {
      return std::make_unique<WaveRecorder>(fidelity.session, machine, given.wave_file, node);
    };
  }
  if (given.progress) {
    options.progress = [&given](const Progress& progress) {
      const nb::gil_scoped_acquire lock;
      (*given.progress)(progress);
    };
  }
  const nb::gil_scoped_release release;
  return run(options);
}

/// A field of the options that C++ has too.
template <typename Value>
auto getter(Value RunOptions::* member) {
  return [member](PythonOptions& self) -> Value& { return self.options.*member; };
}

template <typename Value>
auto setter(Value RunOptions::* member) {
  return [member](PythonOptions& self, const Value& value) { self.options.*member = value; };
}

void bind_options(nb::module_& module) {
  nb::enum_<Compute>(module, "Compute").value("NONE", Compute::kNone).value("MEASURED", Compute::kMeasured);
  nb::class_<Progress>(module, "Progress")
      .def_prop_ro("virtual_ps", [](const Progress& self) { return self.virtual_time.value; })
      .def_ro("cycles", &Progress::cycles)
      .def_ro("cycles_per_second", &Progress::cycles_per_second);
  nb::class_<PythonOptions>(module, "RunOptions")
      .def(nb::init<>())
      .def_prop_rw("program", getter(&RunOptions::program), setter(&RunOptions::program))
      .def_prop_rw("ranks", getter(&RunOptions::ranks), setter(&RunOptions::ranks))
      .def_prop_rw("machine", getter(&RunOptions::machine), setter(&RunOptions::machine),
                   nb::rv_policy::reference_internal)
      .def_rw("node_library", &PythonOptions::node_library)
      .def_rw("rtl_nodes", &PythonOptions::rtl_nodes)
      .def_rw("threads", &PythonOptions::threads)
      .def_prop_rw("rank_library", getter(&RunOptions::rank_library), setter(&RunOptions::rank_library))
      .def_prop_rw("library_directory", getter(&RunOptions::library_directory), setter(&RunOptions::library_directory))
      .def_prop_rw("environment", getter(&RunOptions::environment), setter(&RunOptions::environment))
      .def_prop_rw("compute", getter(&RunOptions::compute), setter(&RunOptions::compute))
      .def_prop_rw("hardware_collectives", getter(&RunOptions::hardware_collectives),
                   setter(&RunOptions::hardware_collectives))
      .def_rw("wave_file", &PythonOptions::wave_file)
      .def_rw("wave_node", &PythonOptions::wave_node, nb::arg().none())
      .def_prop_rw(
          "time_limit_ps", [](const PythonOptions& self) { return self.options.time_limit.value; },
          [](PythonOptions& self, std::uint64_t value) { self.options.time_limit = Picoseconds{value}; })
      .def_prop_rw("pin", getter(&RunOptions::pin), setter(&RunOptions::pin))
      .def_rw("progress", &PythonOptions::progress, nb::arg().none());
}

void bind_report(nb::module_& module) {
  nb::class_<OperationStatistics>(module, "OperationStatistics")
      .def_ro("name", &OperationStatistics::name)
      .def_ro("calls", &OperationStatistics::calls)
      .def_ro("bytes", &OperationStatistics::bytes)
      .def_ro("min_ps", &OperationStatistics::min_ps)
      .def_prop_ro("mean_ps", &OperationStatistics::mean_ps)
      .def_ro("max_ps", &OperationStatistics::max_ps)
      .def_ro("total_ps", &OperationStatistics::total_ps)
      .def_ro("hardware", &OperationStatistics::hardware)
      .def_ro("software", &OperationStatistics::software)
      .def_ro("fallback", &OperationStatistics::fallback)
      .def_ro("fallback_reasons", &OperationStatistics::fallback_reasons);
  nb::class_<RankReport>(module, "RankReport")
      .def_ro("rank", &RankReport::rank)
      .def_ro("elapsed_ps", &RankReport::elapsed_ps)
      .def_ro("communication_ps", &RankReport::communication_ps)
      .def_prop_ro("compute_ps", &RankReport::compute_ps)
      .def_ro("operations", &RankReport::operations);
  nb::class_<RunReport>(module, "RunReport")
      .def_ro("exit_status", &RunReport::exit_status)
      .def_ro("error", &RunReport::error)
      .def_prop_ro("elapsed_ps", &RunReport::elapsed_ps)
      .def_prop_ro("operations", &RunReport::operations)
      .def_ro("ranks", &RunReport::ranks)
      .def_prop_ro("communication_share", &RunReport::communication_share)
      .def_prop_ro("simulated_cycles", [](const RunReport& self) { return self.machine.cycles_stepped; })
      .def_prop_ro("skipped_cycles", [](const RunReport& self) { return self.machine.cycles_skipped; })
      .def_prop_ro("node_evaluations", [](const RunReport& self) { return self.machine.node_evaluations; })
      .def_prop_ro("flit_hops", [](const RunReport& self) { return self.machine.flit_hops; })
      .def_ro("wall_seconds", &RunReport::wall_seconds);
}

}  // namespace

void bind_run(nb::module_& module) {
  bind_options(module);
  bind_report(module);
  module.def("run", &run_with, nb::arg("options"));
}

}  // namespace tidings
