// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/machine/machine_config.h"
#include "sim/machine/topology.h"
#include "sim/python/bindings.h"

namespace nb = nanobind;

namespace tidings {
namespace {

/// Binds a structure that is generated from rtl/machine/node.toml.
template <typename Structure>
void bind_fields(nb::module_& module, const char* name) {
  nb::class_<Structure> bound(module, name);
  visit_fields(static_cast<const Structure*>(nullptr),
               [&](const char* field, auto member) { bound.def_rw(field, member); });
}

}  // namespace

namespace {

/// Router, router, cycles.
using LinkTuple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

std::vector<LinkTuple> links(const GraphConfig& config) {
  std::vector<LinkTuple> list;
  for (const GraphLink& link : config.links) list.emplace_back(link.a, link.b, link.latency_cycles);
  return list;
}

void set_links(GraphConfig& config, const std::vector<LinkTuple>& list) {
  config.links.clear();
  for (const auto& [a, b, latency] : list) config.links.push_back({.a = a, .b = b, .latency_cycles = latency});
}

NodeIndex router_of(const Topology& topology, std::uint32_t node) {
  if (node < topology.nodes()) return NodeIndex{node};
  throw std::out_of_range("routers are 0 to " + std::to_string(topology.nodes() - 1) + ", not " + std::to_string(node));
}

void bind_topology(nb::module_& module) {
  module.attr("NODE_ID_BITS") = kNodeIdWidth;
  module.attr("MAX_DIMENSIONS") = kMaxDims;
  module.attr("MAX_SLOTS") = kMaxCrosspointSlots;
  module.attr("SLOT_NUMBERS") = 1U << tidings_pkg::kSlotIdWidth;
  module.attr("BARRIER_PORTS") = tidings_pkg::kBarrierPorts;
  module.attr("SWITCH_PORTS") = tidings_pkg::kSwitchPorts;
  module.attr("FLAT_SWITCH_PORTS") = tidings_pkg::kFlatSwitchPorts;
  module.attr("MAX_ROUTERS") = kMaxRouters;
  module.attr("MAX_LATENCY") = kMostLatency;
  nb::enum_<Routing>(module, "Routing").value("UP_DOWN", Routing::kUpDown).value("TABLE", Routing::kTable);
  nb::class_<GraphConfig>(module, "GraphConfig", "Routers joined in any way. Lists are read and set as a whole.")
      .def(nb::init<>())
      .def_rw("routers", &GraphConfig::routers)
      .def_rw("hosts", &GraphConfig::hosts)
      .def_prop_rw("links", &links, &set_links)
      .def_rw("routing", &GraphConfig::routing)
      .def_rw("roots", &GraphConfig::roots)
      .def_rw("next", &GraphConfig::next)
      .def_rw("layers", &GraphConfig::layers);
  nb::class_<TopologyConfig>(module, "TopologyConfig", "Routers and slots. ``size`` is read and set as a whole list.")
      .def(nb::init<>())
      .def_rw("kind", &TopologyConfig::kind)
      .def_rw("size", &TopologyConfig::size)
      .def_rw("slots", &TopologyConfig::slots)
      .def_rw("graph", &TopologyConfig::graph);
  nb::class_<Topology>(module, "Topology",
                       "The graph of routers. ``ranks`` cuts a grid to the box that a run of that number uses.")
      .def(
          "__init__",
          [](Topology* self, const TopologyConfig& config, std::optional<std::uint32_t> ranks) {
            validate(config);
            new (self) Topology(ranks ? Topology(config, *ranks) : Topology(config));
          },
          nb::arg("config"), nb::arg("ranks") = nb::none())
      .def_prop_ro("routers", &Topology::nodes, "Number of routers.")
      .def_prop_ro("hosts", &Topology::hosts, "Routers with slots: the first ones.")
      .def_prop_ro("slots", &Topology::slots, "Slots of a router that has slots.")
      .def_prop_ro("endpoints", &Topology::endpoints, "Slots of all routers, which is the most ranks of a run.")
      .def_prop_ro("ports", &Topology::ports, "Network ports of a router; of the one that has most in a graph.")
      .def_prop_ro("layers", &Topology::layers, "Layers of virtual channels that routes use.")
      .def_prop_ro("size", &Topology::radix, "Routers in each dimension.")
      .def_prop_ro("wraps", &Topology::wrap, "Whether each dimension is closed to a ring.")
      .def_prop_ro(
          "diameter_hops", [](const Topology& topology) { return topology.hops().most; },
          "Most hops of a packet between two routers with slots.")
      .def_prop_ro(
          "mean_hops", [](const Topology& topology) { return topology.hops().mean; },
          "Mean hops of packets between two different routers with slots.")
      .def_prop_ro("bisection_links", &Topology::bisection_links,
                   "Links, counted once in each direction, that separate two halves of the machine.")
      .def(
          "coordinates",
          [](const Topology& topology, std::uint32_t router) {
            return topology.coordinates(router_of(topology, router));
          },
          nb::arg("router"), "Where a router is: one coordinate a dimension; in a graph its number.")
      .def(
          "address",
          [](const Topology& topology, std::uint32_t router) { return topology.id(router_of(topology, router)).value; },
          nb::arg("router"), "The address of a router in packets.")
      .def(
          "slot_address",
          [](const Topology& topology, std::uint32_t number) {
            const Endpoint endpoint = topology.endpoint(number);
            return std::tuple(endpoint.node.value, endpoint.slot.value);
          },
          nb::arg("number"), "The address of a slot in packets, router and slot, by its number among all of them.")
      .def(
          "router_at",
          [](const Topology& topology, const std::vector<std::uint32_t>& coordinates) {
            return topology.at(coordinates).value;
          },
          nb::arg("coordinates"), "The number of the router at coordinates.")
      .def(
          "neighbour",
          [](const Topology& topology, std::uint32_t router,
             std::uint8_t port) -> std::optional<std::tuple<std::uint32_t, std::uint32_t>> {
            const auto link = topology.neighbour(router_of(topology, router), PortId{port});
            if (!link) return std::nullopt;
            return std::tuple(link->node.value, link->port.value);
          },
          nb::arg("router"), nb::arg("port"), "Router and port at the other end of a link; None if a port has none.")
      .def(
          "name",
          [](const Topology& topology, std::uint32_t router) { return topology.name(router_of(topology, router)); },
          nb::arg("router"), "A router as messages name it.")
      .def(
          "port_name",
          [](const Topology& topology, std::uint32_t router, std::uint8_t port) {
            return topology.name(router_of(topology, router), PortId{port});
          },
          nb::arg("router"), nb::arg("port"), "A network port as messages name it.");
}

}  // namespace

void bind_machine(nb::module_& module) {
  nb::enum_<TopologyKind>(module, "TopologyKind")
      .value("TORUS", TopologyKind::kTorus)
      .value("MESH", TopologyKind::kMesh)
      .value("RING", TopologyKind::kRing)
      .value("CROSSBAR", TopologyKind::kCrossbar)
      .value("GRAPH", TopologyKind::kGraph);

  bind_topology(module);
  bind_fields<FabricConfig>(module, "FabricConfig");
  bind_fields<NodeParameters>(module, "NodeParameters");
  bind_fields<LinkConfig>(module, "LinkConfig");
  bind_fields<MemoryConfig>(module, "MemoryConfig");
  bind_fields<ProcessorConfig>(module, "ProcessorConfig");
  nb::class_<MachineConfig>(
      module, "MachineConfig",
      "Everything a machine file says. Nested parts are set in place: ``config.link.latency_cycles = 80``.")
      .def(nb::init<>())
      .def_rw("name", &MachineConfig::name)
      .def_rw("summary", &MachineConfig::summary)
      .def_rw("fabric", &MachineConfig::fabric)
      .def_rw("node", &MachineConfig::node)
      .def_rw("topology", &MachineConfig::topology)
      .def_rw("link", &MachineConfig::link)
      .def_rw("memory", &MachineConfig::memory)
      .def_rw("processor", &MachineConfig::processor)
      .def_prop_ro(
          "node_parameters", [](const MachineConfig& config) { return node_parameters(config); },
          "``node`` with what the topology says.")
      .def(
          "validate", [](const MachineConfig& config) { validate(config); }, R"(Check that such a machine can be built.

Raises
------
ValueError
    Naming the key and its value.
)")
      .def_prop_ro(
          "look_ahead_cycles", [](const MachineConfig& config) { return look_ahead_cycles(config); },
          "Cycles that parts of the machine can be apart in time while they are simulated, at least 1.")
      .def(
          "usable_threads",
          [](const MachineConfig& config, std::uint32_t threads) { return usable_threads(config, threads); },
          nb::arg("threads"),
          "Of the given threads, those that it pays to simulate the machine in: one if parts cannot be apart.");
}

}  // namespace tidings
