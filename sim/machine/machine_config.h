// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file machine_config.h
/// Everything a machine file says, as plain values. `python/tidings/machine_file.py` reads the file.
#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/node_parameters.h"

namespace tidings {

/// Most dimensions of a machine; MaxDims of tidings_pkg.
inline constexpr std::size_t kMaxDims = 4;
/// Bits of a router's address; NodeIdWidth of tidings_pkg.
inline constexpr unsigned kNodeIdWidth = 12;
/// Most slots of a router: 2^SlotIdWidth of tidings_pkg.
inline constexpr unsigned kMaxSlots = 16;

enum class TopologyKind { kTorus, kMesh, kRing, kCrossbar };
enum class Arbiter { kRoundRobin, kFixedPriority };

struct TopologyConfig {
  TopologyKind kind = TopologyKind::kMesh;
  std::vector<std::uint32_t> size;  ///< routers in each dimension; empty for a crossbar
  std::uint32_t slots = 1;          ///< slots a router
};

struct RouterConfig {
  std::uint32_t buffer_flits = 8;  ///< a network input buffer, per virtual channel
  std::uint32_t slot_buffer_flits = 16;
  Arbiter arbiter = Arbiter::kRoundRobin;
  std::uint32_t routes = 16;  ///< static routes: a power of two, or 0
  bool pipeline = false;      ///< words leave a cycle after their grants
};

struct LinkConfig {
  std::uint32_t latency_cycles = 1;
  bool reliable = false;      ///< an end of reliable_link.sv at each port
  double bit_error_rate = 0;  ///< of the wires between such ends
  std::uint64_t seed = 1;     ///< of the errors
};

struct RmaConfig {
  std::uint32_t command_depth = 8;
};

struct MpeConfig {
  std::uint32_t buffer_words = 512;
  std::uint32_t combine_ports = 1;  ///< children of a tree combined in one pass
  bool direct_links = true;         ///< neighbours are reached around the slot ports' queues
  bool multicast = true;            ///< a packet goes to all such children at once, if the buffers hold a whole one
  std::uint32_t forward_words = 1;  ///< words at hand before a packet starts that is not the last of its stream
  bool wide_elements = true;        ///< elements of 64 bits are combined too
};

struct MemoryConfig {
  std::uint64_t size_bytes = std::uint64_t{4} << 20;  ///< of each slot
  std::uint32_t latency_cycles = 1;
};

/// What things cost a processor. The machine does not use these; the runtime does.
struct ProcessorConfig {
  std::uint64_t clock_khz = 1'000'000;
  std::uint64_t bus_write_ps = 0;
  std::uint64_t bus_read_ps = 0;
  std::uint64_t interrupt_ps = 0;
  std::uint64_t call_ps = 0;
  std::uint64_t match_ps = 0;
  std::uint64_t poll_ps = 0;
  std::uint64_t reduce_element_ps = 0;
  std::uint64_t copy_call_ps = 0;
  std::uint64_t copy_byte_ps = 0;
  std::uint64_t clock_read_ps = 0;
  double compute_scale = 1.0;
};

struct MachineConfig {
  std::string name;
  std::string summary;
  TopologyConfig topology;
  std::uint64_t clock_khz = 100'000;  ///< of the fabric
  RouterConfig router;
  LinkConfig link;
  RmaConfig rma;
  MpeConfig mpe;
  MemoryConfig memory;
  ProcessorConfig processor;
};

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

/// The node that such a machine is made of.
[[nodiscard]] NodeParameters node_parameters(const MachineConfig& config);

}  // namespace tidings
