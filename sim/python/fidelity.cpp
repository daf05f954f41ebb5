// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/python/fidelity.h"

#include <stdexcept>

#include "sim/cycle/machine_fabric.h"
#include "sim/cycle/node.h"
#include "sim/cycle/reliable_links.h"
#include "sim/machine/node_fabric.h"

namespace tidings {

Fidelity choose_fidelity(const MachineConfig& config, const std::string& node_library,
                         const std::vector<std::uint32_t>& rtl_nodes, std::uint32_t threads) {
  if (node_library.empty()) {
    const std::uint32_t parts = usable_threads(config, threads);
    return {.fabric = cycle::machine_fabric_factory(parts),
            .whole = parts > 1 ? cycle::machine_fabric_factory() : nullptr,
            .session = nullptr};
  }
  const NodeParameters parameters = node_parameters(config);
  std::shared_ptr<VerilatedSession> session = VerilatedSession::load(node_library, parameters);
  // The ends of reliable links are twins: nodes do not contain them.
  const auto joined = [](const NodeFactory& nodes) {
    return fabric_of(nodes, NodeFabric::Stepping::kActiveNodes, cycle::links_factory());
  };
  if (rtl_nodes.empty()) return {.fabric = joined(session->factory()), .whole = nullptr, .session = session};
  std::vector<NodeIndex> places;
  for (const std::uint32_t node : rtl_nodes) places.push_back(NodeIndex{node});
  const FabricFactory mixed = joined(mixed_factory(places, session->factory(), cycle::cycle_node_factory(parameters)));
  return {.fabric =
              [mixed, places](const MachineConfig& machine, const Topology& topology) {
                for (const NodeIndex node : places) {
                  if (node.value < topology.nodes()) continue;
                  throw std::invalid_argument("node " + std::to_string(node.value) +
                                              " cannot be Verilated: there are " + std::to_string(topology.nodes()) +
                                              " nodes");
                }
                return mixed(machine, topology);
              },
          .whole = nullptr,
          .session = session};
}

}  // namespace tidings
