// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_benchmark.h
/// How long PUTs, GETs and barriers behind them take in the engines, and that every word is where it belongs.
#include <cstdint>
#include <vector>

#include "sim/benchmark/collective_benchmark.h"
#include "sim/machine/fabric.h"
#include "sim/machine/machine_config.h"

namespace tidings {

/// What ranks do before the barrier.
enum class RmaPattern : std::uint8_t {
  kNothing,
  kPut,             ///< rank 0 PUTs a block into rank 1's memory
  kGet,             ///< rank 0 GETs a block out of rank 1's memory
  kPutInline,       ///< rank 0 PUTs `blocks` words that are in its commands into rank 1's memory
  kPutRow,          ///< rank 0 PUTs a block after the other into rank 1's memory, as fast as its engine takes commands
  kExchange,        ///< each rank PUTs a block of its own into every rank's memory, itself first and then the next one
  kRegistration,    ///< rank 0 registers a region
  kDeregistration,  ///< rank 0 deregisters it
  kAdd,             ///< rank 0 adds to a word of rank 1 and gets the old value, `blocks` times
};

/// How ranks meet when their PUTs have been acknowledged and their GETs have come.
enum class RmaBarrier : std::uint8_t { kNone, kEngine, kWires };

struct RmaPlan {
  RmaPattern pattern = RmaPattern::kNothing;
  std::uint32_t ranks = 2;
  std::uint32_t words = 1;   ///< of a block
  std::uint32_t blocks = 1;  ///< of a row
  RmaBarrier barrier = RmaBarrier::kNone;
  CollectivePlan engine_barrier;          ///< of the engine `mpe`: its links, ways and `exchange`
  std::vector<std::uint64_t> wire_mates;  ///< of each rank, for the engine `barrier`: as wire_mates() gives them
};

/// Cycles from the one in which rank 0's first command is on its bus; a rank that has none meets the others from then
/// on. Operands that differ from the command before are written in the cycles before a command, one per cycle.
struct RmaTimes {
  std::uint64_t first_write = 0;     ///< to the one in which a memory write is seen first
  std::uint64_t last_write = 0;      ///< and last
  std::uint64_t met = 0;             ///< to the one in which the last rank sees that all have met
  std::uint64_t memory_writes = 0;   ///< of all ranks
  std::uint32_t operand_writes = 0;  ///< register writes of the first command's operands, before it
};

/// Build a machine that holds the plan's ranks and carry the plan out, with processors that take no time and access one
/// register per cycle. Every memory is compared with what must be there.
/// @throws std::invalid_argument where the plan is not possible.
/// @throws std::runtime_error where it never ends, or a word is wrong; it says which and where.
[[nodiscard]] RmaTimes benchmark_rma(const MachineConfig& config, const FabricFactory& factory, const RmaPlan& plan);

/// Cycles for which each operation occupies the registration table.
struct NameTimes {
  std::uint32_t nothing = 0;         ///< no command
  std::uint32_t by_number = 0;       ///< the row of a number
  std::uint32_t by_address = 0;      ///< the number of a region
  std::uint32_t registration = 0;    ///< of a region
  std::uint32_t deregistration = 0;  ///< of a region
};

/// Let the twin of `name_table` carry each operation out.
/// @throws std::runtime_error where it does not find what it has been told.
[[nodiscard]] NameTimes benchmark_names();

}  // namespace tidings
