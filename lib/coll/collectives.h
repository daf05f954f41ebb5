// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file collectives.h
/// The collective operations: chooses the engine or an algorithm, and runs it.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "coll/executor.h"
#include "coll/hardware.h"

namespace tidings {

/// How a collective was carried out.
struct Outcome {
  tidings_path path = TIDINGS_PATH_NONE;
  const char* reason = nullptr;  ///< why the engine did not do it, where it was asked for
};

/// The blocks of a gather, scatter or all-to-all: uniform, or with counts and displacements.
struct Blocks {
  void* base = nullptr;
  DatatypePointer type;
  std::size_t count = 0;                      ///< elements in a block, where `counts` is empty
  std::vector<std::size_t> counts;            ///< elements in each block
  std::vector<std::ptrdiff_t> displacements;  ///< of each block, in elements

  [[nodiscard]] View view() const;
};

class Collectives {
 public:
  /// @param bytes the datatype MPI_BYTE.
  Collectives(Engine& engine, DatatypePointer bytes);

  /// MPI_Init: returns when every rank can receive. Always in the engine, which needs no software on the other side.
  void meet(const CommunicatorPointer& world);
  /// @param kind MPI_Barrier or MPI_Finalize.
  Outcome barrier(const CommunicatorPointer& communicator, Collective kind = Collective::Barrier);
  Outcome broadcast(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                    const Buffer& buffer);
  /// @param input the contribution, which may be `result`. @param result used at the root alone.
  Outcome reduce(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor, const Buffer& input,
                 const Buffer& result, const Operation& operation);
  Outcome allreduce(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                    const Buffer& input, const Buffer& result, const Operation& operation);
  Outcome scan(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor, const Buffer& input,
               const Buffer& result, const Operation& operation);
  /// @param all used at the root alone.
  Outcome gather(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor, const Buffer& mine,
                 const Blocks& all);
  Outcome scatter(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor, const Blocks& all,
                  const Buffer& mine);
  Outcome allgather(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor, const Buffer& mine,
                    const Blocks& all);
  Outcome alltoall(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor, const Blocks& out,
                   const Blocks& in);

  /// What every member of the communicator gives to every other when communicators are made.
  struct Offer {
    std::int64_t id = 0;  ///< least that this rank has not used for a communicator
    std::int64_t color = 0;
    std::int64_t key = 0;
    std::uint64_t contexts = 0;  ///< of the engine that are free at this rank, one bit each
  };
  std::vector<Offer> exchange(const CommunicatorPointer& communicator, Collective kind, const Offer& mine);
  /// Contexts of the engine that are free at this rank, one bit each; none where the engine is not asked for.
  [[nodiscard]] std::uint64_t free_contexts() const;
  /// Context of the engine for a new communicator. @param members world ranks. @param free at all of them.
  std::optional<std::uint32_t> context_of(const std::vector<std::uint32_t>& members, std::uint64_t free);

 private:
  /// The path that a collective takes. @param refusal why the engine cannot do this one; null where it can.
  [[nodiscard]] Outcome choose(const Communicator& communicator, const char* refusal) const;
  void software(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                const Schedule& schedule, Views views, const Operation* operation);
  /// Runs `body` as the communicator's next collective, with its messages checked against the descriptor.
  template <class Body>
  void inside(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor, Body body);

  Engine& engine_;
  DatatypePointer bytes_;
  std::optional<HardwareCollectives> hardware_;  ///< nothing where this rank is alone
};

}  // namespace tidings
