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

/// Called with the cycle, and the cycles of warm-up and measurement.
using ProgressCallback = nb::typed<nb::callable, void(std::uint64_t, std::uint64_t)>;

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
                const std::optional<ProgressCallback>& progress) {
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
  nb::enum_<Pattern>(module, "Pattern", "Who sends to whom; see ``sim/traffic/traffic_config.h``.")
      .value("UNIFORM", Pattern::kUniform)
      .value("TRANSPOSE", Pattern::kTranspose)
      .value("BIT_COMPLEMENT", Pattern::kBitComplement)
      .value("HOTSPOT", Pattern::kHotspot)
      .value("NEIGHBOUR", Pattern::kNeighbour)
      .value("TORNADO", Pattern::kTornado)
      .value("UNBALANCED", Pattern::kUnbalanced)
      .value("ALLTOALL", Pattern::kAllToAll);
  nb::class_<TrafficConfig>(module, "TrafficConfig",
                            "What synthetic traffic is sent through which machine, and for how long.")
      .def(nb::init<>())
      .def_rw("machine", &TrafficConfig::machine)
      .def_rw("classes", &TrafficConfig::classes,
              "Message classes: virtual channels of a network port, half of them if channels are doubled.")
      .def_prop_rw(
          "pattern", [](const TrafficConfig& config) { return config.pattern.kind; },
          [](TrafficConfig& config, Pattern pattern) { config.pattern.kind = pattern; })
      .def_prop_rw(
          "hot_endpoints", [](const TrafficConfig& config) { return config.pattern.hot_endpoints; },
          [](TrafficConfig& config, const std::vector<std::uint32_t>& hot) { config.pattern.hot_endpoints = hot; },
          "Of ``Pattern.HOTSPOT``: router * slots + slot. Read and set as a whole.")
      .def_prop_rw(
          "hot_share", [](const TrafficConfig& config) { return config.pattern.hot_share; },
          [](TrafficConfig& config, double share) { config.pattern.hot_share = share; },
          "Share of the packets that go to them; of ``Pattern.UNBALANCED``, to the sender itself.")
      .def_rw("load", &TrafficConfig::load, "Flits that an endpoint offers in a cycle, more than 0, at most 1.")
      .def_rw("packet_flits", &TrafficConfig::packet_flits)
      .def_rw("burst_packets", &TrafficConfig::burst_packets,
              "Packets that an endpoint creates at once, all for one destination.")
      .def_rw("seed", &TrafficConfig::seed)
      .def_rw("warmup_cycles", &TrafficConfig::warmup_cycles)
      .def_rw("measure_cycles", &TrafficConfig::measure_cycles)
      .def_rw("drain_cycles", &TrafficConfig::drain_cycles, "At most, until all measured packets have arrived.")
      .def_rw("threads", &TrafficConfig::threads, "That simulate it; results do not depend on it.")
      .def_prop_ro(
          "usable_threads", [](const TrafficConfig& config) { return traffic::usable_threads(config); },
          "Of them, those that have something to do: one if links have one cycle, at most one per router.")
      .def("validate", [](const TrafficConfig& config) { validate(config); }, R"(Check that such traffic can be sent.

Raises
------
ValueError
    Saying what is wrong, with its value.
)");
}

void bind_results(nb::module_& module) {
  nb::class_<LatencySummary>(module, "LatencySummary", "What is said of many latencies, in cycles.")
      .def_ro("packets", &LatencySummary::packets)
      .def_ro("mean", &LatencySummary::mean)
      .def_ro("half_width", &LatencySummary::half_width,
              "Of the mean's 95 % confidence interval by batch means; not a number if a batch is empty.")
      .def_ro("min", &LatencySummary::min)
      .def_ro("p50", &LatencySummary::p50)
      .def_ro("p99", &LatencySummary::p99)
      .def_ro("max", &LatencySummary::max);
  nb::class_<SimulationWork>(module, "SimulationWork", "How fast and how much was simulated.")
      .def_ro("cycles", &SimulationWork::cycles)
      .def_ro("flit_hops", &SimulationWork::flit_hops, "Flits that entered a link.")
      .def_ro("wall_seconds", &SimulationWork::wall_seconds);
  nb::class_<TrafficResult>(module, "TrafficResult", "What came of one load.")
      .def_ro("endpoints", &TrafficResult::endpoints)
      .def_ro("offered", &TrafficResult::offered, "Flits created in the window, per endpoint and cycle.")
      .def_ro("accepted", &TrafficResult::accepted, "Flits that arrived in the window, per endpoint and cycle.")
      .def_ro("saturated", &TrafficResult::saturated,
              "The machine does not carry the load: latencies depend on the length of the run.")
      .def_ro("latency", &TrafficResult::latency,
              "Of the packets created in the window, from creation to arrival of the tail.")
      .def_ro("network_latency", &TrafficResult::network_latency, "From the departure of the head from its source.")
      .def_ro("batch_means", &TrafficResult::batch_means)
      .def_ro("drain_cycles", &TrafficResult::drain_cycles)
      .def_ro("link_flits", &TrafficResult::link_flits, "In the window: node * network ports + port.")
      .def_ro("window", &TrafficResult::window, "Warmed up: what speed is measured by.")
      .def_ro("total", &TrafficResult::total);
  nb::class_<ExchangeResult>(module, "ExchangeResult", "One exchange between all endpoints.")
      .def_ro("cycles", &ExchangeResult::cycles)
      .def_ro("bound", &ExchangeResult::bound, "No schedule takes fewer cycles.")
      .def_ro("work", &ExchangeResult::work);
  nb::class_<TrafficBounds>(
      module, "TrafficBounds",
      "What a machine can do at best under a pattern, computed from its routes; flits per endpoint per cycle.")
      .def_ro("channel_loads", &TrafficBounds::channel_loads,
              "Flits on each link while every endpoint offers one flit per cycle: node * network ports + port.")
      .def_prop_ro("busiest_node", [](const TrafficBounds& bounds) { return bounds.busiest_node.value; })
      .def_prop_ro("busiest_port", [](const TrafficBounds& bounds) { return bounds.busiest_port.value; })
      .def_ro("channel_bound", &TrafficBounds::channel_bound, "Infinite if no packet takes a link.")
      .def_ro("port_bound", &TrafficBounds::port_bound)
      .def_ro("capacity", &TrafficBounds::capacity, "The lower of both.")
      .def_ro("bisection_bound", &TrafficBounds::bisection_bound,
              "What uniform traffic allows by any routing; infinite without links.")
      .def_ro("mean_hops", &TrafficBounds::mean_hops)
      .def_ro("zero_load_latency", &TrafficBounds::zero_load_latency,
              "Mean of the pattern's packets, each alone in the machine.");
}

}  // namespace

void bind_traffic(nb::module_& module) {
  bind_config(module);
  bind_results(module);
  module.def(
      "run_traffic",
      [](const TrafficConfig& config, const std::optional<ProgressCallback>& progress) {
        return run_with(&traffic::run_traffic, config, progress);
      },
      nb::arg("config"), nb::arg("progress") = nb::none(),
      R"(Send traffic and measure it. The interpreter lock is released.

``progress`` is called about every half second with the cycle and the cycles of warm-up and measurement.

Raises
------
ValueError
    Where there is no such traffic.
)");
  module.def(
      "run_exchange",
      [](const TrafficConfig& config, const std::optional<ProgressCallback>& progress) {
        return run_with(&traffic::run_exchange, config, progress);
      },
      nb::arg("config"), nb::arg("progress") = nb::none(),
      "Let every endpoint send one packet to each other one, all created in the first cycle; see `run_traffic`.");
  module.def("traffic_bounds", &traffic::bounds_of, nb::arg("config"), nb::call_guard<nb::gil_scoped_release>(),
             "Compute what the machine can do at best; raises as `run_traffic` does.");
}

}  // namespace tidings
