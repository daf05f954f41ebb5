// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine_config.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/machine/graph.h"
#include "sim/machine/network_ports.h"
#include "sim/machine/topology.h"

namespace tidings {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& rule) {
  throw std::invalid_argument(key + ": is " + value + "; " + rule);
}

void require(bool condition, const std::string& key, std::uint64_t value, const std::string& rule) {
  if (!condition) refuse(key, std::to_string(value), rule);
}

/// Refuse what only a graph has.
void refuse_graph(const GraphConfig& given) {
  const GraphConfig none;
  const auto refuse_unless = [](bool equal, const char* key) {
    if (!equal) throw std::invalid_argument(std::string("topology.") + key + ": is for kind = \"graph\" alone");
  };
  refuse_unless(given.routers == none.routers, "routers");
  refuse_unless(given.hosts == none.hosts, "hosts");
  refuse_unless(given.links == none.links, "links");
  refuse_unless(given.routing == none.routing, "routing");
  refuse_unless(given.roots == none.roots, "roots");
  refuse_unless(given.next == none.next, "next");
  refuse_unless(given.layers == none.layers, "layers");
}

}  // namespace

void validate(const TopologyConfig& topology) {
  const std::size_t dims = topology.size.size();
  if (topology.kind != TopologyKind::kGraph) refuse_graph(topology.graph);
  switch (topology.kind) {
    case TopologyKind::kCrossbar:
      require(dims == 0, "topology.size", dims, "a crossbar is a single router: leave size out and set slots");
      break;
    case TopologyKind::kRing:
      require(dims == 1, "topology.size", dims, "a ring has one dimension: use a torus");
      break;
    case TopologyKind::kMesh:
    case TopologyKind::kTorus:
      require(dims >= 1, "topology.size", dims, "the routers in each dimension are needed, as in [4, 4]");
      require(dims <= kMaxDims, "topology.size", dims,
              "a mesh or torus has at most " + std::to_string(kMaxDims) + " dimensions");
      break;
    case TopologyKind::kGraph:
      require(dims == 0, "topology.size", dims, "a graph has no dimensions: leave size out and set links");
      break;
  }
  for (const std::uint32_t length : topology.size) {
    const std::uint64_t most = std::uint64_t{1} << (kNodeIdWidth / dims);
    require(length >= 1 && length <= most, "topology.size", length,
            "a router's address has " + std::to_string(kNodeIdWidth) + " bits, which leaves each of " +
                std::to_string(dims) + " dimensions at most " + std::to_string(most) + " routers");
  }
  const unsigned most = topology.kind == TopologyKind::kCrossbar ? kMaxCrosspointSlots : kMaxSlots;
  require(topology.slots >= 1 && topology.slots <= most, "topology.slots", topology.slots,
          "a router has 1 to " + std::to_string(kMaxSlots) + " slots, the single one of a crossbar with router." +
              "organisation = \"crosspoint\" up to " + std::to_string(kMaxCrosspointSlots));
  if (topology.kind == TopologyKind::kGraph) static_cast<void>(Graph(topology));
}

void validate(const MachineConfig& config) {
  validate(config.topology);
  if (config.topology.kind == TopologyKind::kGraph) {
    require(config.node.num_routes == 0, "router.routes", config.node.num_routes,
            "static routes follow dimension order, which a graph does not have: write routes = 0");
    if (config.link.reliable && !has_equal_links(config)) {
      throw std::invalid_argument("link.reliable: reliable links must all have the same latency");
    }
  }
  require(config.topology.slots <= kMaxSlots || config.node.crosspoint != 0, "topology.slots", config.topology.slots,
          "more than " + std::to_string(kMaxSlots) +
              " slots need crosspoint buffers: write router.organisation = \"crosspoint\"");
  if (config.node.crosspoint != 0) {
    if (config.topology.kind != TopologyKind::kCrossbar) {
      throw std::invalid_argument(
          "router.organisation: is \"crosspoint\", which is for a single router: topology.kind = \"crossbar\"");
    }
    require(config.node.router_pipeline == 0, "router.pipeline", config.node.router_pipeline,
            "a router with crosspoint buffers has no pipeline: write pipeline = false");
    require(config.node.voq_flits >= config.node.slot_buffer_flits, "router.voq_flits", config.node.voq_flits,
            "the queues have room for all flits of router.slot_buffer_flits: at least " +
                std::to_string(config.node.slot_buffer_flits));
  }
  if (config.node.barrier_slots != 0) {
    const bool alone = config.topology.kind == TopologyKind::kCrossbar;
    const std::size_t dims = config.topology.size.size();
    if (!alone && (dims == 0 || 2 * dims > tidings_pkg::kBarrierPorts)) {
      refuse("barrier.slots", "[0]",
             "the wires of barriers need a single router, or a mesh, torus or ring of one or two dimensions");
    }
    if (!alone && config.node.barrier_slots != 1) {
      refuse("barrier.slots", "other slots than [0]", "between routers the wires of barriers join slots 0 alone");
    }
    if (!alone && config.link.reliable) {
      refuse("barrier.slots", "[0]", "the wires of barriers do not repeat what bit errors change: reliable = false");
    }
  }
  if (config.node.alltoall_slots != 0) {
    const std::size_t dims = config.topology.size.size();
    if (dims == 0 || 2 * dims > tidings_pkg::kSwitchPorts) {
      refuse("alltoall.slots", "[0]", "static switches need a mesh, torus or ring of one to three dimensions");
    }
    const std::uint32_t ports = switch_ports(node_parameters(config));
    require(config.node.alltoall_adders <= ports, "alltoall.adders", config.node.alltoall_adders,
            "a static switch has an adder for each of its network ports at most: " + std::to_string(ports));
    if (config.link.reliable) {
      refuse("alltoall.slots", "[0]", "static switches do not repeat what bit errors change: reliable = false");
    }
  }
  if (config.node.stream_own_network != 0) {
    const std::size_t dims = config.topology.size.size();
    const auto refuse_own = [](const std::string& rule) { refuse("stream.network", "own", rule); };
    if (config.topology.kind != TopologyKind::kMesh || 2 * dims > tidings_pkg::kFlatSwitchPorts) {
      refuse_own("a network of its own needs a mesh of one or two dimensions");
    }
    if (config.node.stream_slots != 1) refuse_own("a network of its own needs stream.slots = [0]");
    if (config.link.reliable) refuse_own("its links do not repeat what bit errors change: reliable = false");
  }
  const auto fail = [](const std::string& key, auto value, const std::string& rule) {
    refuse(key, std::to_string(value), rule);
  };
  check_limits(config.fabric, fail);
  check_limits(node_parameters(config), fail);
  check_limits(config.link, fail);
  check_limits(config.memory, fail);
  check_limits(config.processor, fail);
  if (config.link.bit_error_rate > 0 && !config.link.reliable) {
    throw std::invalid_argument("link.bit_error_rate: needs reliable = true: other links have no errors");
  }
}

std::uint32_t shortest_link_cycles(const MachineConfig& config) {
  std::uint32_t shortest = config.link.latency_cycles;
  for (const GraphLink& link : config.topology.graph.links) {
    if (link.latency_cycles != 0) shortest = std::min(shortest, link.latency_cycles);
  }
  return shortest;
}

bool has_equal_links(const MachineConfig& config) {
  return std::ranges::all_of(config.topology.graph.links, [&](const GraphLink& link) {
    return link.latency_cycles == 0 || link.latency_cycles == config.link.latency_cycles;
  });
}

std::uint64_t look_ahead_cycles(const MachineConfig& config) {
  constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;
  const std::uint64_t reaction = config.processor.interrupt_ps * config.fabric.clock_khz / kPicosecondsTimesKilohertz;
  return std::clamp<std::uint64_t>(reaction, 1, std::min<std::uint64_t>(shortest_link_cycles(config), kMostLookAhead));
}

std::uint32_t usable_threads(const MachineConfig& config, std::uint32_t threads) {
  return look_ahead_cycles(config) == 1 || config.link.reliable || !has_equal_links(config) ? 1 : std::max(threads, 1U);
}

NodeParameters node_parameters(const MachineConfig& config) {
  const TopologyKind kind = config.topology.kind;
  NodeParameters parameters = config.node;
  parameters.dims = static_cast<std::uint32_t>(config.topology.size.size());
  parameters.num_slots = config.topology.slots;
  parameters.dateline = kind == TopologyKind::kTorus || kind == TopologyKind::kRing ? 1 : 0;
  parameters.graph_ports = parameters.table_rows = 0;
  if (kind == TopologyKind::kGraph) {
    const Topology topology(config.topology);
    parameters.dateline = topology.layers() > 1 ? 1 : 0;
    parameters.graph_ports = topology.ports();
    parameters.table_rows = topology.hosts();
  }
  if (parameters.crosspoint == 0) {
    // What the router does not have makes no other hardware.
    const NodeParameters built;
    parameters.voq_flits = built.voq_flits;
    parameters.crosspoint_flits = built.crosspoint_flits;
    parameters.fullest_first = built.fullest_first;
  }
  const bool slot0_has_mpe = (parameters.mpe_slots & 1U) != 0;
  if (parameters.dims == 0 || !slot0_has_mpe) parameters.direct_links = 0;
  return parameters;
}

}  // namespace tidings
