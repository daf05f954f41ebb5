// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file inter.h
/// Schedules of collectives between two groups. Peers are ranks in a communicator of both.
///
/// Each group works among itself from or to its rank 0, which speaks for it; blocks go straight to whom they are for.
#include "coll/schedule.h"
#include "core/descriptor.h"

namespace tidings {

/// Two groups, as a member of one sees them.
struct TwoGroups {
  int rank = 0;  ///< in its own group
  int local = 0;
  int remote = 0;
  int first_local = 0;  ///< rank of the local group's rank 0 in the communicator of both
  int first_remote = 0;
};

/// What a rank is in a collective with a root.
enum class RootedPart {
  Root,       ///< the root
  Bystander,  ///< of the root's group
  Partner,    ///< of the other group
};

/// The message is block 0 of Output.
[[nodiscard]] Schedule inter_broadcast(const TwoGroups& groups, RootedPart part, int root);
/// Contribution in Input 0, result in Output 0 of the root. Partners' Output is scratch.
[[nodiscard]] Schedule inter_reduce(const TwoGroups& groups, RootedPart part, int root, bool commutative);
/// Contribution in Input 0, the other group's result in Output 0.
[[nodiscard]] Schedule inter_allreduce(const TwoGroups& groups, bool commutative);
/// Contribution in Input 0; block i of Output comes from rank i of the other group.
[[nodiscard]] Schedule inter_gather(const TwoGroups& groups, RootedPart part, int root);
/// Block i of Input goes to rank i of the other group; result in Output 0.
[[nodiscard]] Schedule inter_scatter(const TwoGroups& groups, RootedPart part, int root);
/// Input 0 goes to all of the other group; block i of Output comes from rank i of it.
[[nodiscard]] Schedule inter_allgather(const TwoGroups& groups);
/// Block i of Input goes to rank i of the other group, and block i of Output comes from it.
[[nodiscard]] Schedule inter_alltoall(const TwoGroups& groups);

/// Contribution in Input 0, result in Output 0. Scratch holds whole vectors, and behind them the blocks of the last
/// one.
struct InterReduceScatter {
  Schedule schedule;
  std::uint32_t vectors = 0;  ///< whole vectors in Scratch
};
[[nodiscard]] InterReduceScatter inter_reduce_scatter(const TwoGroups& groups, bool commutative);

}  // namespace tidings
