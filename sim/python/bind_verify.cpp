// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "sim/python/bindings.h"
#include "sim/verify/compare_machines.h"
#include "sim/verify/compare_node.h"
#include "sim/verify/neighbours.h"

namespace nb = nanobind;

namespace tidings {
namespace {

using AccessTuple = std::tuple<std::uint32_t, std::uint32_t, bool, std::uint16_t, std::uint32_t>;
using OperationTuple = std::tuple<bool, std::uint32_t, std::vector<AccessTuple>>;
using Script = std::vector<OperationTuple>;

std::vector<verify::Operation> operations_of(const Script& script) {
  std::vector<verify::Operation> operations;
  for (const auto& [settle, advance, accesses] : script) {
    verify::Operation& operation = operations.emplace_back();
    operation.settle = settle;
    operation.advance = advance;
    for (const auto& [rank, delay, write, address, data] : accesses) {
      operation.accesses.push_back({rank, delay, write, address, data});
    }
  }
  return operations;
}

verify::Compared compare_machines(const MachineConfig& config, const std::string& library, std::uint32_t seed,
                                  const Script& script) {
  validate(config);
  return verify::compare_machines(config, library, seed, operations_of(script));
}

verify::PortWaves record_machines(const MachineConfig& config, const std::string& library, std::uint32_t seed,
                                  const Script& script, const verify::WaveRequest& request) {
  validate(config);
  return verify::record_machines(config, library, seed, operations_of(script), request);
}

std::pair<verify::Compared, std::vector<std::uint32_t>> compare_node(const MachineConfig& config,
                                                                     const std::string& library,
                                                                     const verify::NodeRun& run) {
  validate(config);
  std::vector<std::uint32_t> begun;
  const verify::Compared compared = verify::compare_node(config, library, run, begun);
  return {compared, begun};
}

std::string scope_of(const MachineConfig& config, std::uint32_t node) {
  const Topology topology(config.topology);
  return instance_name(topology.place(NodeIndex{node}));
}

std::vector<std::string> packet_kinds() {
  return {verify::packet_kind_names().begin(), verify::packet_kind_names().end()};
}

}  // namespace

void bind_verify(nb::module_& module) {
  nb::class_<verify::Difference>(module, "Difference",
                                 "The first difference between a machine of RTL (expected) and the cycle model (got).")
      .def_ro("cycle", &verify::Difference::cycle, "In which it shows.")
      .def_ro("node", &verify::Difference::node)
      .def_ro("place", &verify::Difference::place)
      .def_ro("field", &verify::Difference::field)
      .def_ro("expected", &verify::Difference::expected)
      .def_ro("got", &verify::Difference::got)
      .def_ro("of_fabric", &verify::Difference::of_fabric,
              "The cycle model's fabric differs, and the node beside the RTL with its inputs does not.");
  nb::enum_<verify::StopKind>(module, "StopKind", "Why a comparison stopped without a difference.")
      .value("BUSY", verify::StopKind::kBusy, "The machines do not come to rest.")
      .value("WAITING", verify::StopKind::kWaiting, "Nothing moves any more, and commands wait.")
      .value("FAILED", verify::StopKind::kFailed, "A machine cannot go on.");
  nb::class_<verify::Stop>(module, "Stop", "Both sides are the same, and cannot go on or do not come to their end.")
      .def_ro("kind", &verify::Stop::kind)
      .def_ro("cycle", &verify::Stop::cycle)
      .def_ro("node", &verify::Stop::node)
      .def_ro("reason", &verify::Stop::reason);
  nb::class_<verify::Compared>(module, "Compared", "What was compared.")
      .def_ro("cycles", &verify::Compared::cycles)
      .def_ro("flit_hops", &verify::Compared::flit_hops)
      .def_ro("bus_reads", &verify::Compared::bus_reads)
      .def_ro("interrupts", &verify::Compared::interrupts)
      .def_ro("memory_words", &verify::Compared::memory_words)
      .def_ro("packets", &verify::Compared::packets, "Random packets of each of ``packet_kinds()``.")
      .def_ro("headers", &verify::Compared::headers,
              "First two words of each of them, or of the packets of a machine; None if there is no second.")
      .def_prop_ro(
          "accesses",
          [](const verify::Compared& compared) {
            std::vector<std::tuple<bool, std::uint16_t, std::uint32_t>> accesses;
            for (const auto& access : compared.accesses) {
              accesses.emplace_back(access.write, access.address, access.data);
            }
            return accesses;
          },
          "Accesses of software to registers: write or not, address, and what was written or read back.")
      .def_ro("difference", &verify::Compared::difference)
      .def_ro("stop", &verify::Compared::stop);
  nb::class_<verify::NodeRun>(module, "NodeRun", "One run of a node under random packets.")
      .def(nb::init<>())
      .def_rw("node", &verify::NodeRun::node, "Its number, modulo nodes of the machine.")
      .def_rw("seed", &verify::NodeRun::seed)
      .def_rw("cycles", &verify::NodeRun::cycles, "In which packets come.")
      .def_rw("packets", &verify::NodeRun::packets, nb::arg().none(),
              "Numbers of those that are sent; all if it is None.");
  nb::class_<verify::WaveRequest>(module, "WaveRequest", "Which waveforms are asked for.")
      .def(nb::init<>())
      .def_rw("node", &verify::WaveRequest::node)
      .def_rw("first", &verify::WaveRequest::first, "Cycle.")
      .def_rw("last", &verify::WaveRequest::last, "Cycle.")
      .def_rw("fst", &verify::WaveRequest::fst, "File for those of the RTL.")
      .def_rw("of_fabric", &verify::WaveRequest::of_fabric,
              "As the node is in the cycle model's fabric, not beside the RTL with its inputs.");
  nb::class_<verify::PortWaves>(module, "PortWaves", "What shows at the ports of one node.")
      .def_prop_ro(
          "signals",
          [](const verify::PortWaves& waves) {
            std::vector<std::pair<std::string, std::size_t>> signals;
            for (const auto& signal : waves.signals()) signals.emplace_back(signal.name, signal.width);
            return signals;
          },
          "Names and widths.")
      .def_prop_ro(
          "changes",
          [](const verify::PortWaves& waves) {
            std::vector<std::tuple<std::uint64_t, std::size_t, std::string>> changes;
            for (const auto& change : waves.changes()) {
              changes.emplace_back(change.time.value, change.signal, change.bits);
            }
            return changes;
          },
          "Time in picoseconds, number of the signal, and its digits 0, 1 and x from then on, highest bit first.");
  module.def("compare_machines", &compare_machines, nb::arg("config"), nb::arg("library"), nb::arg("seed"),
             nb::arg("script"), nb::call_guard<nb::gil_scoped_release>(),
             R"(Run a script on a machine whose nodes are RTL and on the cycle model, and compare them in every cycle.

Parameters
----------
config
    The machine.
library
    The compiled node.
seed
    Of the memories' contents.
script
    Operations: wait until nothing is under way, cycles until the next one, and accesses, each of which is rank,
    delay, write, address and data.
)");
  module.def("record_machines", &record_machines, nb::arg("config"), nb::arg("library"), nb::arg("seed"),
             nb::arg("script"), nb::arg("request"), nb::call_guard<nb::gil_scoped_release>(),
             R"(Run a script once more without comparing, and keep the waveforms of one node.

``library`` is compiled with tracing; the others are those of ``compare_machines``.
)");
  module.def(
      "compare_node", &compare_node, nb::arg("config"), nb::arg("library"), nb::arg("run"),
      nb::call_guard<nb::gil_scoped_release>(),
      R"(Drive a node and its twin with random packets, malformed ones and back-pressure, and compare them in every cycle.

Returns
-------
compared, begun
    What was compared, and the numbers of the packets that were begun.
)");
  module.def("record_node", &verify::record_node, nb::arg("config"), nb::arg("library"), nb::arg("run"),
             nb::arg("request"), nb::call_guard<nb::gil_scoped_release>(),
             "Run a node once more without comparing, and keep the waveforms. ``library`` is compiled with tracing.");
  module.def("instance_name", &scope_of, nb::arg("config"), nb::arg("node"), "Return what waveforms call a node.");
  module.def("packet_kinds", &packet_kinds, "Return the kinds of random packets.");
}

}  // namespace tidings
