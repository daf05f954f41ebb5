// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file machine_config.h
/// Everything a machine file says, as plain values. The sections are generated from rtl/machine/node.toml.
#include <cstdint>
#include <string>
#include <vector>

#include "generated/machine_sections.h"
#include "generated/node_parameters.h"
#include "generated/tidings_pkg.h"

namespace tidings {

using tidings_pkg::kMaxDims;
using tidings_pkg::kNodeIdWidth;
/// Most slots of a router with one address: all that a slot's number can be.
inline constexpr unsigned kMaxSlots = 1U << tidings_pkg::kSlotIdWidth;
/// Most slots of a router with crosspoint buffers, which has several addresses if they are more than kMaxSlots.
using tidings_pkg::kMaxCrosspointSlots;
/// Most routers of a machine.
inline constexpr std::uint32_t kMaxRouters = 1U << kNodeIdWidth;

using tidings_pkg::kMaxPorts;
/// Most cycles of a link or a memory.
inline constexpr std::uint32_t kMostLatency = 1U << 20;

enum class TopologyKind { kTorus, kMesh, kRing, kCrossbar, kGraph };
/// Where the routing tables of a graph come from.
enum class Routing {
  kUpDown,  ///< computed: up towards a root, then down
  kTable    ///< given: GraphConfig::next
};

struct GraphLink {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t latency_cycles = 0;  ///< 0: LinkConfig::latency_cycles
  bool operator==(const GraphLink&) const = default;
};

/// Routers joined in any way: what TopologyKind::kGraph needs.
struct GraphConfig {
  std::uint32_t routers = 0;
  std::uint32_t hosts = 0;  ///< routers with slots, which come first; 0: all
  std::vector<GraphLink> links{};
  Routing routing = Routing::kUpDown;
  std::vector<std::uint32_t> roots{};                ///< kUpDown; empty: the router with most links
  std::vector<std::vector<std::uint32_t>> next{};    ///< kTable: by router and host, the neighbour that is next
  std::vector<std::vector<std::uint32_t>> layers{};  ///< kTable: likewise the layer of channels, 0 or 1; empty: 0
  bool operator==(const GraphConfig&) const = default;
};

struct TopologyConfig {
  TopologyKind kind = TopologyKind::kMesh;
  std::vector<std::uint32_t> size{};  ///< routers in each dimension; empty for a crossbar or a graph
  std::uint32_t slots = 1;            ///< per router
  GraphConfig graph{};
};

struct MachineConfig {
  std::string name;
  std::string summary;
  TopologyConfig topology;
  FabricConfig fabric;
  /// Of all nodes. What the topology says (`dims`, `num_slots`, `dateline`) does not count here: see node_parameters().
  NodeParameters node;
  LinkConfig link;
  MemoryConfig memory;
  ProcessorConfig processor;
};

/// Check that there is such a topology.
/// @throws std::invalid_argument naming the key and what is wrong with its value.
void validate(const TopologyConfig& config);

/// Check that such a machine can be built.
/// @throws std::invalid_argument naming the key and its value.
void validate(const MachineConfig& config);

/// Parts of a machine are never farther apart in time: meeting so seldom costs nothing.
inline constexpr std::uint64_t kMostLookAhead = 1024;

/// Cycles that parts of a machine can be apart in time, at least 1: see Machine.
[[nodiscard]] std::uint64_t look_ahead_cycles(const MachineConfig& config);

/// Parts that it pays to simulate in `threads` threads: one where there is no look-ahead, for they would have to meet
/// in every cycle, or where links lose nothing, which are not cut. A machine of fewer routers has fewer.
[[nodiscard]] std::uint32_t usable_threads(const MachineConfig& config, std::uint32_t threads);

/// Cycles of the link that is shortest.
[[nodiscard]] std::uint32_t shortest_link_cycles(const MachineConfig& config);
/// All links have the same latency.
[[nodiscard]] bool has_equal_links(const MachineConfig& config);

/// The node that such a machine is made of: `config.node` with what the topology says.
[[nodiscard]] NodeParameters node_parameters(const MachineConfig& config);

}  // namespace tidings
