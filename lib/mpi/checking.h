// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file checking.h
/// What a tool that looks for mistakes (lib/check) asks the library beyond the standard.
#include <cstddef>
#include <cstdint>

#include "core/abi.h"
#include "core/datatype.h"

#pragma GCC visibility push(default)
extern "C" {

/// Have the library for the calling thread, if several use it. In between, none of them changes anything.
void tidings_mpi_enter();
void tidings_mpi_leave();

/// Visit the bytes of a buffer's elements, piece by piece, in the order in which they are packed.
void tidings_mpi_visit_buffer(const void* base, MPI_Count count, MPI_Datatype type,
                              void (*visit)(void* subject, const void* piece, std::size_t bytes), void* subject);

/// Visit the predefined types of one element of a datatype in the order in which they are packed: each with its name,
/// what it is, and how many there are in a row.
void tidings_mpi_visit_signature(MPI_Datatype type,
                                 void (*visit)(void* subject, MPI_Datatype predefined, const char* name,
                                               tidings::Basic basic, std::uint64_t number),
                                 void* subject);

/// A communicator as messages name it: equal on all of its members, and told apart from all others of a member.
struct tidings_mpi_communicator {
  std::uint32_t context;  ///< of its messages
  bool world;             ///< MPI_COMM_WORLD
  bool inter;             ///< an intercommunicator
  int rank;               ///< of this process, as others name it for a source
  int peers;              ///< members, or ranks of the remote group
};
struct tidings_mpi_communicator tidings_mpi_describe(MPI_Comm comm);
/// MPI is running, and the handle is a communicator's.
bool tidings_mpi_is_communicator(MPI_Comm comm);
/// Bytes of the data of an element; negative if the handle is no datatype's.
MPI_Count tidings_mpi_size(MPI_Datatype type);
/// Write the name of a communicator, with a zero. What does not fit is left out.
void tidings_mpi_name(MPI_Comm comm, char* name, std::size_t bytes);
/// World rank of a peer: of a member, or of the remote group.
int tidings_mpi_world_rank(MPI_Comm comm, int rank);

/// Visit the neighbours of this process in the topology of a communicator: the sources in their order, then the
/// destinations. MPI_PROC_NULL is among them. What a rank gives on a channel, its neighbour gets on the same.
void tidings_mpi_visit_neighbours(MPI_Comm comm, void (*visit)(void* subject, bool is_source, int rank, int channel),
                                  void* subject);

/// Wait until all ranks are in MPI_Finalize. What the caller does afterwards meets no call of a program.
void tidings_mpi_meet_at_end();

/// Take the messages of the program that have come and that nobody has received, for each communicator oldest first.
/// They are gone afterwards. @param source world rank.
void tidings_mpi_take_unreceived(void (*visit)(void* subject, std::uint32_t context, int source, int tag,
                                               std::uint64_t bytes),
                                 void* subject);
}
#pragma GCC visibility pop
