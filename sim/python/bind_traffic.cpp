// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "sim/python/bindings.h"
#include "sim/traffic/bounds.h"
#include "sim/traffic/run_traffic.h"

namespace nb = nanobind;

namespace tidings {
namespace {

using traffic::ExchangeResult;
using traffic::LatencySummary;
using traffic::Pattern;
using traffic::SimulationWork;
using traffic::TrafficBounds;
using traffic::TrafficConfig;
using traffic::TrafficProgress;
using traffic::TrafficResult;

/// Without the interpreter lock, which is taken now and then to say how far it is, and for Ctrl-C.
template <typename Result>
Result run_with(Result (*run)(const TrafficConfig&), const TrafficConfig& given,
                const std::optional<nb::callable>& progress) {
  TrafficConfig config = given;
  config.progress = [&progress](const TrafficProgress& far) {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress) (*progress)(far.cycle, far.cycles);
  };
  const nb::gil_scoped_release release;
  return run(config);
}

void bind_config(nb::module_& module) {
  nb::enum_<Pattern>(module, "Pattern")
      .value("UNIFORM", Pattern::kUniform)
      .value("TRANSPOSE", Pattern::kTranspose)
      .value("BIT_COMPLEMENT", Pattern::kBitComplement)
      .value("HOTSPOT", Pattern::kHotspot)
      .value("NEIGHBOUR", Pattern::kNeighbour)
      .value("TORNADO", Pattern::kTornado)
      .value("ALLTOALL", Pattern::kAllToAll);
  nb::class_<TrafficConfig>(module, "TrafficConfig")
      .def(nb::init<>())
      .def_rw("machine", &TrafficConfig::machine)
      .def_rw("classes", &TrafficConfig::classes)
      .def_prop_rw(
          "pattern", [](const TrafficConfig& config) { return config.pattern.kind; },
          [](TrafficConfig& config, Pattern pattern) { config.pattern.kind = pattern; })
      .def_prop_rw(
          "hot_endpoints", [](const TrafficConfig& config) { return config.pattern.hot_endpoints; },
          [](TrafficConfig& config, const std::vector<std::uint32_t>& hot) { config.pattern.hot_endpoints = hot; })
      .def_prop_rw(
          "hot_share", [](const TrafficConfig& config) { return config.pattern.hot_share; },
          [](TrafficConfig& config, double share) { config.pattern.hot_share = share; })
      .def_rw("load", &TrafficConfig::load)
      .def_rw("packet_flits", &TrafficConfig::packet_flits)
      .def_rw("seed", &TrafficConfig::seed)
      .def_rw("warmup_cycles", &TrafficConfig::warmup_cycles)
      .def_rw("measure_cycles", &TrafficConfig::measure_cycles)
      .def_rw("drain_cycles", &TrafficConfig::drain_cycles)
      .def_rw("threads", &TrafficConfig::threads)
      .def_prop_ro("usable_threads", [](const TrafficConfig& config) { return traffic::usable_threads(config); })
      .def("validate", [](const TrafficConfig& config) { validate(config); });
}

void bind_results(nb::module_& module) {
  nb::class_<LatencySummary>(module, "LatencySummary")
      .def_ro("packets", &LatencySummary::packets)
      .def_ro("mean", &LatencySummary::mean)
      .def_ro("half_width", &LatencySummary::half_width)
      .def_ro("min", &LatencySummary::min)
      .def_ro("p50", &LatencySummary::p50)
      .def_ro("p99", &LatencySummary::p99)
      .def_ro("max", &LatencySummary::max);
  nb::class_<SimulationWork>(module, "SimulationWork")
      .def_ro("cycles", &SimulationWork::cycles)
      .def_ro("flit_hops", &SimulationWork::flit_hops)
      .def_ro("wall_seconds", &SimulationWork::wall_seconds);
  nb::class_<TrafficResult>(module, "TrafficResult")
      .def_ro("endpoints", &TrafficResult::endpoints)
      .def_ro("offered", &TrafficResult::offered)
      .def_ro("accepted", &TrafficResult::accepted)
      .def_ro("saturated", &TrafficResult::saturated)
      .def_ro("latency", &TrafficResult::latency)
      .def_ro("network_latency", &TrafficResult::network_latency)
      .def_ro("batch_means", &TrafficResult::batch_means)
      .def_ro("drain_cycles", &TrafficResult::drain_cycles)
      .def_ro("link_flits", &TrafficResult::link_flits)
      .def_ro("window", &TrafficResult::window)
      .def_ro("total", &TrafficResult::total);
  nb::class_<ExchangeResult>(module, "ExchangeResult")
      .def_ro("cycles", &ExchangeResult::cycles)
      .def_ro("bound", &ExchangeResult::bound)
      .def_ro("work", &ExchangeResult::work);
  nb::class_<TrafficBounds>(module, "TrafficBounds")
      .def_ro("channel_loads", &TrafficBounds::channel_loads)
      .def_prop_ro("busiest_node", [](const TrafficBounds& bounds) { return bounds.busiest_node.value; })
      .def_prop_ro("busiest_port", [](const TrafficBounds& bounds) { return bounds.busiest_port.value; })
      .def_ro("channel_bound", &TrafficBounds::channel_bound)
      .def_ro("port_bound", &TrafficBounds::port_bound)
      .def_ro("capacity", &TrafficBounds::capacity)
      .def_ro("bisection_bound", &TrafficBounds::bisection_bound)
      .def_ro("mean_hops", &TrafficBounds::mean_hops)
      .def_ro("zero_load_latency", &TrafficBounds::zero_load_latency);
}

}  // namespace

void bind_traffic(nb::module_& module) {
  bind_config(module);
  bind_results(module);
  module.def(
      "run_traffic",
      [](const TrafficConfig& config, const std::optional<nb::callable>& progress) {
        return run_with(&traffic::run_traffic, config, progress);
      },
      nb::arg("config"), nb::arg("progress") = nb::none());
  module.def(
      "run_exchange",
      [](const TrafficConfig& config, const std::optional<nb::callable>& progress) {
        return run_with(&traffic::run_exchange, config, progress);
      },
      nb::arg("config"), nb::arg("progress") = nb::none());
  module.def("traffic_bounds", &traffic::bounds_of, nb::arg("config"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tidings
