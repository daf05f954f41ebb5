// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "sim/machine/machine_config.h"
#include "sim/machine/topology.h"
#include "sim/python/bindings.h"

namespace nb = nanobind;

namespace tidings {

void bind_machine(nb::module_& module) {
  nb::enum_<TopologyKind>(module, "TopologyKind")
      .value("TORUS", TopologyKind::kTorus)
      .value("MESH", TopologyKind::kMesh)
      .value("RING", TopologyKind::kRing)
      .value("CROSSBAR", TopologyKind::kCrossbar);
  nb::enum_<Arbiter>(module, "Arbiter")
      .value("ROUND_ROBIN", Arbiter::kRoundRobin)
      .value("FIXED_PRIORITY", Arbiter::kFixedPriority);

  nb::class_<TopologyConfig>(module, "TopologyConfig")
      .def_rw("kind", &TopologyConfig::kind)
      .def_rw("size", &TopologyConfig::size)
      .def_rw("slots", &TopologyConfig::slots);
  nb::class_<RouterConfig>(module, "RouterConfig")
      .def_rw("buffer_flits", &RouterConfig::buffer_flits)
      .def_rw("slot_buffer_flits", &RouterConfig::slot_buffer_flits)
      .def_rw("arbiter", &RouterConfig::arbiter)
      .def_rw("routes", &RouterConfig::routes)
      .def_rw("pipeline", &RouterConfig::pipeline);
  nb::class_<LinkConfig>(module, "LinkConfig")
      .def_rw("latency_cycles", &LinkConfig::latency_cycles)
      .def_rw("reliable", &LinkConfig::reliable)
      .def_rw("bit_error_rate", &LinkConfig::bit_error_rate)
      .def_rw("seed", &LinkConfig::seed);
  nb::class_<RmaConfig>(module, "RmaConfig").def_rw("command_depth", &RmaConfig::command_depth);
  nb::class_<MpeConfig>(module, "MpeConfig")
      .def_rw("buffer_words", &MpeConfig::buffer_words)
      .def_rw("combine_ports", &MpeConfig::combine_ports)
      .def_rw("direct_links", &MpeConfig::direct_links)
      .def_rw("multicast", &MpeConfig::multicast)
      .def_rw("forward_words", &MpeConfig::forward_words)
      .def_rw("wide_elements", &MpeConfig::wide_elements);
  nb::class_<MemoryConfig>(module, "MemoryConfig")
      .def_rw("size_bytes", &MemoryConfig::size_bytes)
      .def_rw("latency_cycles", &MemoryConfig::latency_cycles);
  nb::class_<ProcessorConfig>(module, "ProcessorConfig")
      .def_rw("clock_khz", &ProcessorConfig::clock_khz)
      .def_rw("bus_write_ps", &ProcessorConfig::bus_write_ps)
      .def_rw("bus_read_ps", &ProcessorConfig::bus_read_ps)
      .def_rw("interrupt_ps", &ProcessorConfig::interrupt_ps)
      .def_rw("call_ps", &ProcessorConfig::call_ps)
      .def_rw("match_ps", &ProcessorConfig::match_ps)
      .def_rw("poll_ps", &ProcessorConfig::poll_ps)
      .def_rw("reduce_element_ps", &ProcessorConfig::reduce_element_ps)
      .def_rw("copy_call_ps", &ProcessorConfig::copy_call_ps)
      .def_rw("copy_byte_ps", &ProcessorConfig::copy_byte_ps)
      .def_rw("clock_read_ps", &ProcessorConfig::clock_read_ps)
      .def_rw("compute_scale", &ProcessorConfig::compute_scale);
  nb::class_<MachineConfig>(module, "MachineConfig")
      .def(nb::init<>())
      .def_rw("name", &MachineConfig::name)
      .def_rw("summary", &MachineConfig::summary)
      .def_rw("clock_khz", &MachineConfig::clock_khz)
      .def_rw("topology", &MachineConfig::topology)
      .def_rw("router", &MachineConfig::router)
      .def_rw("link", &MachineConfig::link)
      .def_rw("rma", &MachineConfig::rma)
      .def_rw("mpe", &MachineConfig::mpe)
      .def_rw("memory", &MachineConfig::memory)
      .def_rw("processor", &MachineConfig::processor)
      .def("validate", [](const MachineConfig& config) { validate(config); })
      .def_prop_ro("look_ahead_cycles", [](const MachineConfig& config) { return look_ahead_cycles(config); })
      .def(
          "usable_threads",
          [](const MachineConfig& config, std::uint32_t threads) { return usable_threads(config, threads); },
          nb::arg("threads"))
      .def(
          "routers_for",
          [](const MachineConfig& config, std::uint32_t ranks) { return Topology(config.topology, ranks).nodes(); },
          nb::arg("ranks"))
      .def(
          "size_for",
          [](const MachineConfig& config, std::uint32_t ranks) { return Topology(config.topology, ranks).radix(); },
          nb::arg("ranks"));
}

}  // namespace tidings
