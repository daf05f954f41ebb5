// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "sim/python/bindings.h"
#include "sim/verify/compare_machines.h"

namespace nb = nanobind;

namespace tidings {
namespace {

using AccessTuple = std::tuple<std::uint32_t, std::uint32_t, bool, std::uint16_t, std::uint32_t>;
using OperationTuple = std::tuple<bool, std::uint32_t, std::vector<AccessTuple>>;

verify::Compared compare_machines(const MachineConfig& config, std::uint32_t ranks, const std::string& library,
                                  std::uint32_t seed, const std::vector<OperationTuple>& script) {
  validate(config);
  std::vector<verify::Operation> operations;
  for (const auto& [settle, advance, accesses] : script) {
    verify::Operation& operation = operations.emplace_back();
    operation.settle = settle;
    operation.advance = advance;
    for (const auto& [rank, delay, write, address, data] : accesses) {
      operation.accesses.push_back({rank, delay, write, address, data});
    }
  }
  return verify::compare_machines(config, ranks, library, seed, operations);
}

}  // namespace

void bind_verify(nb::module_& module) {
  nb::class_<verify::Difference>(module, "Difference")
      .def_ro("cycle", &verify::Difference::cycle)
      .def_ro("node", &verify::Difference::node)
      .def_ro("place", &verify::Difference::place)
      .def_ro("field", &verify::Difference::field)
      .def_ro("expected", &verify::Difference::expected)
      .def_ro("got", &verify::Difference::got);
  nb::class_<verify::Compared>(module, "Compared")
      .def_ro("cycles", &verify::Compared::cycles)
      .def_ro("flit_hops", &verify::Compared::flit_hops)
      .def_ro("bus_reads", &verify::Compared::bus_reads)
      .def_ro("interrupts", &verify::Compared::interrupts)
      .def_ro("memory_words", &verify::Compared::memory_words)
      .def_ro("difference", &verify::Compared::difference);
  module.def("compare_machines", &compare_machines, nb::arg("config"), nb::arg("ranks"), nb::arg("library"),
             nb::arg("seed"), nb::arg("script"), nb::call_guard<nb::gil_scoped_release>());
  module.def("compare_node", &verify::compare_node, nb::arg("config"), nb::arg("library"), nb::arg("node"),
             nb::arg("seed"), nb::arg("cycles"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tidings
