// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine_config.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tidings {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& rule) {
  throw std::invalid_argument(key + " = " + value + ": " + rule);
}

void require(bool condition, const std::string& key, std::uint64_t value, const std::string& rule) {
  if (!condition) refuse(key, std::to_string(value), rule);
}

bool is_power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

void validate_topology(const TopologyConfig& topology) {
  const std::size_t dims = topology.size.size();
  switch (topology.kind) {
    case TopologyKind::kCrossbar:
      require(dims == 0, "topology.size", dims, "a crossbar has no dimensions");
      break;
    case TopologyKind::kRing:
      require(dims == 1, "topology.size", dims, "a ring has one dimension");
      break;
    case TopologyKind::kMesh:
    case TopologyKind::kTorus:
      require(dims >= 1 && dims <= kMaxDims, "topology.size", dims,
              "a mesh or torus has 1 to " + std::to_string(kMaxDims) + " dimensions");
      break;
  }
  for (const std::uint32_t length : topology.size) {
    const std::uint64_t most = std::uint64_t{1} << (kNodeIdWidth / dims);
    require(length >= 1 && length <= most, "topology.size", length,
            "a dimension of " + std::to_string(dims) + " has 1 to " + std::to_string(most) + " routers");
  }
  require(topology.slots >= 1 && topology.slots <= kMaxSlots, "topology.slots", topology.slots,
          "a router has 1 to " + std::to_string(kMaxSlots) + " slots");
}

}  // namespace

void validate(const MachineConfig& config) {
  // A buffer must hold the longest headers, and its depth is counted in 16 bits.
  constexpr std::uint32_t kMostFlits = 1U << 15;
  constexpr std::uint32_t kMostLatency = 1U << 20;
  constexpr std::uint32_t kMostRoutes = 64;     // MaxRoutes of tidings_pkg.sv
  constexpr std::uint32_t kMostCommands = 128;  // a FIFO's depth, and sizes.command_depth of slot.rdl has 8 bits
  constexpr std::uint32_t kMostMpeWords = 1U << 15;
  constexpr std::uint32_t kMostMpePorts = 8;
  constexpr std::uint32_t kMostForwardWords = 64;  // MpePacketWords of node.sv

  validate_topology(config.topology);
  require(config.clock_khz > 0, "fabric.clock_MHz", config.clock_khz, "the clock must run");
  const auto is_buffer = [](std::uint32_t flits) {
    return flits >= 2 && flits <= kMostFlits && is_power_of_two(flits);
  };
  require(is_buffer(config.router.buffer_flits), "router.buffer_flits", config.router.buffer_flits,
          "must be a power of two, 2 to " + std::to_string(kMostFlits));
  require(is_buffer(config.router.slot_buffer_flits), "router.slot_buffer_flits", config.router.slot_buffer_flits,
          "must be a power of two, 2 to " + std::to_string(kMostFlits));
  require(config.router.routes == 0 || (config.router.routes >= 2 && config.router.routes <= kMostRoutes &&
                                        is_power_of_two(config.router.routes)),
          "router.routes", config.router.routes, "must be 0 or a power of two, 2 to " + std::to_string(kMostRoutes));
  require(config.link.latency_cycles >= 1 && config.link.latency_cycles <= kMostLatency, "link.latency_cycles",
          config.link.latency_cycles, "must be 1 to " + std::to_string(kMostLatency));
  if (!(config.link.bit_error_rate >= 0 && config.link.bit_error_rate < 1)) {
    refuse("link.bit_error_rate", std::to_string(config.link.bit_error_rate), "must be at least 0 and less than 1");
  }
  if (config.link.bit_error_rate > 0 && !config.link.reliable) {
    refuse("link.bit_error_rate", std::to_string(config.link.bit_error_rate), "needs link.reliable");
  }
  require(config.rma.command_depth >= 2 && config.rma.command_depth <= kMostCommands &&
              is_power_of_two(config.rma.command_depth),
          "rma.command_depth", config.rma.command_depth,
          "must be a power of two, 2 to " + std::to_string(kMostCommands));
  require(config.mpe.buffer_words >= 64 && config.mpe.buffer_words <= kMostMpeWords &&
              is_power_of_two(config.mpe.buffer_words),
          "mpe.buffer_words", config.mpe.buffer_words,
          "must be a power of two, 64 to " + std::to_string(kMostMpeWords));
  require(config.mpe.combine_ports >= 1 && config.mpe.combine_ports <= kMostMpePorts, "mpe.combine_ports",
          config.mpe.combine_ports, "must be 1 to " + std::to_string(kMostMpePorts));
  require(config.mpe.forward_words >= 1 && config.mpe.forward_words <= kMostForwardWords, "mpe.forward_words",
          config.mpe.forward_words, "must be 1 to " + std::to_string(kMostForwardWords));
  require(config.memory.latency_cycles >= 1 && config.memory.latency_cycles <= kMostLatency, "memory.latency_cycles",
          config.memory.latency_cycles, "must be 1 to " + std::to_string(kMostLatency));
  require(config.memory.size_bytes >= 4096 && config.memory.size_bytes <= (std::uint64_t{1} << 32), "memory.size_MiB",
          config.memory.size_bytes, "must be 4 KiB to 4 GiB");
  require(config.processor.clock_khz > 0, "processor.clock_MHz", config.processor.clock_khz, "the clock must run");
  if (!(config.processor.compute_scale > 0)) {
    refuse("processor.compute_scale", std::to_string(config.processor.compute_scale), "must be positive");
  }
}

std::uint64_t look_ahead_cycles(const MachineConfig& config) {
  constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;
  const std::uint64_t reaction = config.processor.interrupt_ps * config.clock_khz / kPicosecondsTimesKilohertz;
  return std::clamp<std::uint64_t>(reaction, 1, std::min<std::uint64_t>(config.link.latency_cycles, kMostLookAhead));
}

std::uint32_t usable_threads(const MachineConfig& config, std::uint32_t threads) {
  return look_ahead_cycles(config) == 1 || config.link.reliable ? 1 : std::max(threads, 1U);
}

NodeParameters node_parameters(const MachineConfig& config) {
  const TopologyKind kind = config.topology.kind;
  return {.dims = static_cast<std::uint32_t>(config.topology.size.size()),
          .num_slots = config.topology.slots,
          .dateline = kind == TopologyKind::kTorus || kind == TopologyKind::kRing ? 1U : 0U,
          .buffer_flits = config.router.buffer_flits,
          .slot_buffer_flits = config.router.slot_buffer_flits,
          .fixed_priority = config.router.arbiter == Arbiter::kFixedPriority ? 1U : 0U,
          .mpe_buffer_words = config.mpe.buffer_words,
          .rma_command_depth = config.rma.command_depth,
          .mpe_combine_ports = config.mpe.combine_ports,
          .mpe_multicast = config.mpe.multicast ? 1U : 0U,
          .mpe_forward_words = config.mpe.forward_words,
          .mpe_wide_elements = config.mpe.wide_elements ? 1U : 0U,
          .num_routes = config.router.routes,
          .direct_links = config.mpe.direct_links && !config.topology.size.empty() ? 1U : 0U,
          .router_pipeline = config.router.pipeline ? 1U : 0U};
}

}  // namespace tidings
