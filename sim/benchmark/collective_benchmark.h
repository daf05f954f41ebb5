// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file collective_benchmark.h
/// How long the engines take for a collective, and that its result is right.
#include <cstdint>
#include <functional>
#include <vector>

#include "generated/mpe_pkg.h"
#include "sim/benchmark/slot_commands.h"
#include "sim/machine/fabric.h"
#include "sim/machine/machine_config.h"

namespace tidings {

/// One of a rank's links in the engine.
struct CollectiveLink {
  std::uint32_t rank = 0;
  std::uint32_t number = 0;
  std::uint32_t neighbour = 0;    ///< a rank
  std::uint32_t peer_number = 0;  ///< of the neighbour's link that leads back
  bool direct = false;            ///< the neighbour is behind the network port of this number, both in slot 0
};

/// Which of its links a rank uses.
struct CollectiveWay {
  static constexpr std::uint32_t kNoParent = mpe_pkg::kNoLink;
  std::uint32_t parent = kNoParent;  ///< link towards the root
  std::uint32_t children = 0;        ///< links away from it, one bit each; of an exchange, all links
  std::uint32_t swap = 0;            ///< of an exchange: pairs of links whose higher one comes first, one bit each
};

/// A stream of equal collectives, of all ranks, in context 0. Reductions sum.
struct CollectivePlan {
  tidings_pkg::Collective operation = tidings_pkg::Collective::kBarrier;
  bool exchange = false;  ///< in rounds over the links `children` of each way
  tidings_pkg::Element element = tidings_pkg::Element::kInt32;
  std::uint32_t root = 0;
  std::uint32_t count = 0;          ///< elements of a vector, or words of a broadcast
  std::uint32_t vectors = 1;        ///< collectives, one after the other as fast as the engines' command queues allow
  std::vector<CollectiveWay> ways;  ///< by rank
  std::vector<CollectiveLink> links;
  /// Called now and then with the cycle. May throw, which ends the measurement.
  std::function<void(std::uint64_t)> progress;
};

struct CollectiveTimes {
  /// Cycles from the one in which the first command's register write is on all ranks' buses to the one in which the
  /// last engine's interrupt line shows that it is done; one entry a vector.
  std::vector<std::uint64_t> done;
  std::uint64_t flit_hops = 0;  ///< flits that entered a link
};

/// Build a machine that holds the plan's ranks, with memories that hold its vectors, carry the plan out and compare
/// every memory with what must be there.
/// @throws std::invalid_argument where the plan is not possible.
/// @throws std::runtime_error where an engine never ends, or a result is wrong; it says which and where.
[[nodiscard]] CollectiveTimes benchmark_collective(const MachineConfig& config, const FabricFactory& factory,
                                                   const CollectivePlan& plan);

/// How long a barrier of the engine `barrier` takes.
/// @param mates of each rank, as the engine's register has them. All ranks arrive in the same cycle.
/// @return cycles from the one in which the write that arrives is on all ranks' buses to the last interrupt.
/// @throws std::runtime_error where an engine is never released.
[[nodiscard]] std::uint64_t benchmark_wires(const MachineConfig& config, const FabricFactory& factory,
                                            const std::vector<std::uint64_t>& mates);

}  // namespace tidings
