// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "sim/analysis/channel_graph.h"
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

ChannelGraph graph_of(const MachineConfig& config, std::optional<std::uint32_t> ranks, bool dateline) {
  validate(config);
  const Topology topology = ranks ? Topology(config.topology, *ranks) : Topology(config.topology);
  constexpr std::uint32_t kClasses = 2;  // of slots: requests and replies
  return channel_graph(topology, node_parameters(config), kClasses, dateline);
}

}  // namespace

void bind_analysis(nb::module_& module) {
  nb::class_<ChannelGraph>(module, "ChannelGraph")
      .def_prop_ro("channels", &channels)
      .def_prop_ro("dependencies", &dependencies)
      .def_prop_ro("channel_count", [](const ChannelGraph& graph) { return graph.channels.size(); })
      .def_prop_ro("dependency_count", [](const ChannelGraph& graph) { return graph.dependencies.size(); })
      .def_ro("routes", &ChannelGraph::routes)
      .def_ro("longest_route", &ChannelGraph::longest_route)
      .def("numbering", &numbering, nb::call_guard<nb::gil_scoped_release>())
      .def("shortest_cycle", &shortest_cycle, nb::call_guard<nb::gil_scoped_release>());
  module.def("channel_graph", &graph_of, nb::arg("config"), nb::arg("ranks") = nb::none(), nb::arg("dateline") = true,
             nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tidings
