// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file descriptor.h
/// What a rank called when it entered a collective, so that two ranks can notice that they do not agree.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/call_arguments.h"

namespace tidings {

/// The collective operations.
enum class Collective : std::uint8_t {
  None,
  Barrier,
  Bcast,
  Reduce,
  Allreduce,
  Gather,
  Gatherv,
  Scatter,
  Scatterv,
  Allgather,
  Allgatherv,
  Alltoall,
  Alltoallv,
  Scan,
  Exscan,
  ReduceScatter,
  ReduceScatterBlock,
  Alltoallw,
  CommDup,
  CommSplit,
  CommCreate,
  Finalize,
  Init,
  CommSetInfo,
  WinCreate,
  WinFence,
  IntercommCreate,
  IntercommMerge,
  NeighborAllgather,
  NeighborAllgatherv,
  NeighborAlltoall,
  NeighborAlltoallv,
  NeighborAlltoallw,
  FileOpen,
  FileClose,
  FileSetView,
  FileSetSize,
  FilePreallocate,
  FileSetInfo,
  FileSetAtomicity,
  FileSync,
  FileSeekShared,
  FileReadOrdered,
  FileWriteOrdered,
};

[[nodiscard]] const char* collective_name(Collective kind);
/// The collective has a root.
[[nodiscard]] bool has_root(Collective kind);
/// The program names a datatype.
[[nodiscard]] bool has_data(Collective kind);
/// The collective reduces.
[[nodiscard]] bool has_operation(Collective kind);

/// Travels in front of every message of a software collective. All ranks of one collective have equal ones, but for
/// `count` and `type`, which only explain.
struct CollectiveDescriptor {
  Collective kind = Collective::None;
  std::uint8_t operation = 0;   ///< low byte of the MPI_Op constant; 255 for a user's
  std::uint16_t root = 0;       ///< 0 if there is none
  std::uint16_t type = 0;       ///< constant of a predefined datatype; 0 for a derived one
  std::uint16_t receivers = 0;  ///< ranks that get `count` each, if the number depends on the group; else 0
  std::uint64_t bytes = 0;      ///< of one block; 0 where ranks may differ
  std::uint64_t count = 0;      ///< elements as the caller gave them

  /// Differs between descriptors that do not agree, unless their messages differ by a multiple of 4 GiB.
  [[nodiscard]] std::uint64_t signature() const {
    return static_cast<std::uint64_t>(kind) << 56 | static_cast<std::uint64_t>(operation) << 48 |
           static_cast<std::uint64_t>(root) << 32 | (bytes & 0xffffffffU);
  }
  bool operator==(const CollectiveDescriptor&) const = default;
  [[nodiscard]] bool agrees(const CollectiveDescriptor& other) const {
    return kind == other.kind && operation == other.operation && root == other.root && bytes == other.bytes;
  }
};
static_assert(sizeof(CollectiveDescriptor) == 24);

/// Add what people should know of it: "root 1", "4 x MPI_INT", "MPI_SUM".
void add_arguments(CallArguments& arguments, const CollectiveDescriptor& descriptor);
/// "MPI_Reduce(root 1, 4 x MPI_INT, MPI_SUM)".
[[nodiscard]] std::string to_string(const CollectiveDescriptor& descriptor);

}  // namespace tidings
