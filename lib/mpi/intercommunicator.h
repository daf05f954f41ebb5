// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file intercommunicator.h
/// What intercommunicators do otherwise than communicators of one group.
///
/// The functions are virtual so that a program without intercommunicators need not link them.
#include "mpi/call.h"

namespace tidings {

struct PlannedCollective;

/// The arguments of a collective that has no blocks.
struct VectorArguments {
  Collective kind = Collective::Barrier;
  const void* send = nullptr;
  void* receive = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
  int root = 0;
};

class Intercommunicator {
 public:
  explicit Intercommunicator(CommunicatorPointer all) : all_(std::move(all)) {}
  Intercommunicator(const Intercommunicator&) = delete;
  Intercommunicator& operator=(const Intercommunicator&) = delete;
  virtual ~Intercommunicator() = default;

  /// A communicator of both groups, with the same id. Messages within collectives are its messages.
  [[nodiscard]] const CommunicatorPointer& all() const { return all_; }

  /// Carry out a collective without blocks; plan it.
  virtual void run(Library& lib, Call& call, const Communicator& self, const VectorArguments& arguments) const = 0;
  [[nodiscard]] virtual PlannedCollective plan(Library& lib, Call& call, const Communicator& self,
                                               const VectorArguments& arguments) const = 0;
  /// Give a collective that has been described its schedule. @param root as the program named it.
  virtual void prepare(const Library& lib, PlannedCollective& planned, int root) const = 0;

  /// Make other intercommunicators of its ranks. MPI_COMM_NULL if this rank is in none.
  [[nodiscard]] virtual MPI_Comm duplicate(Library& lib, Call& call, const Communicator& self,
                                           const char* label) const = 0;
  [[nodiscard]] virtual MPI_Comm split(Library& lib, Call& call, const Communicator& self, int color,
                                       int key) const = 0;
  /// A copy with an id that all ranks have agreed on.
  [[nodiscard]] virtual CommunicatorPointer copy(Library& lib, const Communicator& self, std::uint32_t id,
                                                 const char* label) const = 0;
  /// @param members of the local group.
  [[nodiscard]] virtual MPI_Comm create(Library& lib, Call& call, const Communicator& self,
                                        const Group& members) const = 0;

 private:
  CommunicatorPointer all_;
};

}  // namespace tidings
