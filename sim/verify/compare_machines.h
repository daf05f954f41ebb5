// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file compare_machines.h
/// The same bus operations on a machine of RTL and on the cycle model, compared in every cycle.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine_config.h"

namespace tidings::verify {

/// One access to the registers of a rank's slot.
struct Access {
  std::uint32_t rank = 0;
  std::uint32_t delay = 0;  ///< cycles from the start of its operation
  bool write = false;
  std::uint16_t address = 0;
  std::uint32_t data = 0;
};

/// What software does at one time. The answer to a read of queue_tail is written to queue_head: messages are consumed.
struct Operation {
  bool settle = false;        ///< begins when nothing is under way any more
  std::uint32_t advance = 0;  ///< cycles until the next operation
  std::vector<Access> accesses;
};

/// The first difference between two machines.
struct Difference {
  std::uint64_t cycle = 0;
  std::uint32_t node = 0;
  std::string place;  ///< port, slot or memory
  std::string field;
  std::uint64_t expected = 0;  ///< of the RTL
  std::uint64_t got = 0;       ///< of the cycle model
};

/// What was compared.
struct Compared {
  std::uint64_t cycles = 0;
  std::uint64_t flit_hops = 0;
  std::uint64_t bus_reads = 0;
  std::uint64_t interrupts = 0;  ///< rising edges
  std::uint64_t memory_words = 0;
  std::optional<Difference> difference;
};

/// Runs a script on a machine whose nodes are RTL with their twins beside them, and on the cycle model's own fabric.
/// @param library of the Verilated node.
/// @param seed of the memories' contents.
/// @throws std::runtime_error where the script does not come to rest.
[[nodiscard]] Compared compare_machines(const MachineConfig& config, std::uint32_t ranks, const std::string& library,
                                        std::uint32_t seed, const std::vector<Operation>& script);

/// One node and its twin under random packets, one-flit packets among them, and back-pressure from all neighbours.
[[nodiscard]] Compared compare_node(const MachineConfig& config, const std::string& library, std::uint32_t node,
                                    std::uint32_t seed, std::uint32_t cycles);

}  // namespace tidings::verify
