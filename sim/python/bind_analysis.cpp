// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "sim/analysis/channel_graph.h"
#include "sim/analysis/link_loads.h"
#include "sim/machine/machine_config.h"
#include "sim/python/bindings.h"

namespace nb = nanobind;

namespace tidings {
namespace {

using ChannelTuple = std::tuple<std::uint32_t, std::string, std::uint32_t, std::uint32_t>;

const char* name_of(Channel::Kind kind) {
  switch (kind) {
    case Channel::Kind::kInjection:
      return "injection";
    case Channel::Kind::kEjection:
      return "ejection";
    default:
      return "link";
  }
}

std::vector<ChannelTuple> channels(const ChannelGraph& graph) {
  std::vector<ChannelTuple> list;
  list.reserve(graph.channels.size());
  for (const Channel& channel : graph.channels) {
    list.emplace_back(channel.node.value, name_of(channel.kind), channel.port, channel.channel);
  }
  return list;
}

std::vector<std::tuple<std::uint32_t, std::uint32_t>> dependencies(const ChannelGraph& graph) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t>> list;
  list.reserve(graph.dependencies.size());
  for (const Dependency& dependency : graph.dependencies) list.emplace_back(dependency.from, dependency.to);
  return list;
}

/// Router, route, output ports and whether any turn is allowed.
using EntryTuple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>;

StaticRule rule_of(const std::string& name) {
  if (name == "turns") return StaticRule::kTurns;
  if (name == "order") return StaticRule::kOrder;
  if (name == "room") return StaticRule::kRoom;
  throw std::invalid_argument("there is no rule '" + name + "' of static routes: turns, order or room");
}

StaticPackets packets_of(const Topology& topology, const std::optional<std::vector<EntryTuple>>& routes,
                         const std::optional<std::string>& without) {
  StaticPackets packets;
  if (without) packets.without = rule_of(*without);
  if (!routes) return packets;
  packets.routes.emplace();
  for (const auto& [router, route, ports, switched] : *routes) {
    if (router >= topology.nodes()) {
      throw std::invalid_argument("there are " + std::to_string(topology.nodes()) + " routers: no router " +
                                  std::to_string(router));
    }
    packets.routes->push_back({.node = NodeIndex{router}, .route = route, .ports = ports, .switched = switched});
  }
  return packets;
}

ChannelGraph graph_of(const MachineConfig& config, std::optional<std::uint32_t> ranks, bool dateline,
                      const std::optional<std::vector<EntryTuple>>& routes, const std::optional<std::string>& without) {
  validate(config);
  const Topology topology = ranks ? Topology(config.topology, *ranks) : Topology(config.topology);
  constexpr std::uint32_t kClasses = 2;  // of slots: requests and replies
  return channel_graph(topology, node_parameters(config), kClasses, dateline, packets_of(topology, routes, without));
}

/// Step, slot that sends, slot that receives, words.
using FlowTuple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;

std::vector<StepLoad> loads_of(const MachineConfig& config, std::uint32_t ranks, const std::vector<FlowTuple>& flows) {
  validate(config);
  std::vector<Flow> all;
  all.reserve(flows.size());
  for (const auto& [step, from, to, words] : flows) all.push_back({step, from, to, words});
  return step_loads(config, Topology(config.topology, ranks), all);
}

void bind_link_loads(nb::module_& module) {
  nb::class_<LinkLoad>(module, "LinkLoad", "What a link carries in a step.")
      .def_ro("router", &LinkLoad::router)
      .def_ro("port", &LinkLoad::port)
      .def_ro("messages", &LinkLoad::messages)
      .def_ro("words", &LinkLoad::words);
  nb::class_<StepLoad>(module, "StepLoad", "Messages that are under way together.")
      .def_ro("step", &StepLoad::step)
      .def_ro("messages", &StepLoad::messages)
      .def_ro("conflicts", &StepLoad::conflicts, "Links that more than one message takes.")
      .def_ro("most_messages", &StepLoad::most_messages, "On one link.")
      .def_ro("link_words", &StepLoad::link_words, "On the link that has most.")
      .def_ro("port_words", &StepLoad::port_words, "Into or out of the slot that has most.")
      .def_ro("longest_way", &StepLoad::longest_way, "Cycles of latency.")
      .def_prop_ro("cycles", &StepLoad::cycles, "Cycles that the step takes at least.")
      .def_ro("links", &StepLoad::links, "Links that messages take.");
  module.def("step_loads", &loads_of, nb::arg("config"), nb::arg("ranks"), nb::arg("flows"),
             nb::call_guard<nb::gil_scoped_release>(),
             R"(Send messages along a machine's routes, and return what each step puts on each link.

Parameters
----------
config
    The machine.
ranks
    Cut the machine to the box that holds them.
flows
    By step: step, slot that sends, slot that receives, words.

Raises
------
ValueError
    If the configuration is not valid, or there is no such slot.)");
}

}  // namespace

void bind_analysis(nb::module_& module) {
  bind_link_loads(module);
  nb::class_<ChannelGraph>(module, "ChannelGraph",
                           "The channel dependency graph of a machine; made by `channel_graph`.")
      .def_prop_ro("channels", &channels,
                   "Channels: router, kind (``injection``, ``link``, ``ejection``), port or slot, virtual channel.")
      .def_prop_ro("dependencies", &dependencies,
                   "Pairs of indices into ``channels``: who holds the first can wait for the second.")
      .def_prop_ro("channel_count", [](const ChannelGraph& graph) { return graph.channels.size(); })
      .def_prop_ro("dependency_count", [](const ChannelGraph& graph) { return graph.dependencies.size(); })
      .def_ro("routes", &ChannelGraph::routes, "Pairs of routers whose routes were followed.")
      .def_ro("longest_route", &ChannelGraph::longest_route, "Hops of the longest.")
      .def("numbering", &numbering, nb::call_guard<nb::gil_scoped_release>(),
           "Give each channel a number, rising along every dependency; empty if there is a cycle.")
      .def("shortest_cycle", &shortest_cycle, nb::call_guard<nb::gil_scoped_release>(),
           "Find the channels of a shortest cycle; empty if there is none.");
  module.def("channel_graph", &graph_of, nb::arg("config"), nb::arg("ranks") = nb::none(), nb::arg("dateline") = true,
             nb::arg("routes") = nb::none(), nb::arg("without") = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
             R"(Follow the route of every packet.

Parameters
----------
config
    The machine.
ranks
    Cut the machine to the box that holds them.
dateline
    False leaves the dateline channels out.
routes
    The static routes that there are: router, route, output ports as a mask, whether any turn is allowed. None
    stands for trees of all kinds at once.
without
    A rule of static packets that is left out: ``turns``, ``order`` or ``room``.

Raises
------
ValueError
    Where the configuration is not valid.
RuntimeError
    Where a route does not end at its destination by a shortest way.
)");
}

}  // namespace tidings
