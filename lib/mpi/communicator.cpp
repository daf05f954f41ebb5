// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file communicator.cpp
/// Communicators.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mpi/call.h"

using namespace tidings;

namespace {

/// The id that all members of the parent agree on for what they are making: above any that one of them has used.
std::uint32_t agreed_id(const std::vector<Collectives::Word3>& all, std::size_t word) {
  std::int64_t id = 0;
  for (const auto& one : all) id = std::max(id, one[word]);
  return static_cast<std::uint32_t>(id);
}

void name_collective(Call& call, Collective kind, const Communicator& communicator) {
  CollectiveDescriptor descriptor;
  descriptor.kind = kind;
  call.collective(descriptor);
  call.begin_collective(communicator, 0);
  call.end({communicator.size() == 1 ? TIDINGS_PATH_NONE : TIDINGS_PATH_SOFTWARE, nullptr});
}

}  // namespace

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  return serve("MPI_Comm_rank", comm, [&](Library& lib, Call&) { *rank = lib.communicator(comm)->rank(); });
}

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  return serve("MPI_Comm_size", comm, [&](Library& lib, Call&) { *size = lib.communicator(comm)->size(); });
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return serve("MPI_Comm_group", comm, [&](Library& lib, Call&) {
    *group = as_handle<MPI_Group>(lib.groups.add(lib.communicator(comm)->group()));
  });
}

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  return serve("MPI_Comm_compare", comm1, [&](Library& lib, Call&) {
    const auto a = lib.communicator(comm1);
    const auto b = lib.communicator(comm2);
    if (a == b) {
      *result = MPI_IDENT;
      return;
    }
    auto mine = a->group()->ranks();
    auto theirs = b->group()->ranks();
    if (mine == theirs) {
      *result = MPI_CONGRUENT;
      return;
    }
    std::sort(mine.begin(), mine.end());
    std::sort(theirs.begin(), theirs.end());
    *result = mine == theirs ? MPI_SIMILAR : MPI_UNEQUAL;
  });
}

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  return serve("MPI_Comm_test_inter", comm, [&](Library& lib, Call&) {
    static_cast<void>(lib.communicator(comm));
    *flag = 0;
  });
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return serve("MPI_Comm_dup", comm, [&](Library& lib, Call& call) {
    const auto parent = lib.communicator(comm);
    name_collective(call, Collective::CommDup, *parent);
    const auto all = lib.collectives().exchange(parent, Collective::CommDup, {lib.next_communicator(), 0, 0});
    const std::uint32_t id = agreed_id(all, 0);
    lib.use_communicator(id);
    *newcomm = lib.add_communicator(id, "MPI_Comm_dup", *parent, parent->group()->ranks());
  });
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return serve("MPI_Comm_split", comm, [&](Library& lib, Call& call) {
    const auto parent = lib.communicator(comm);
    if (color < 0 && color != MPI_UNDEFINED) throw Error(MPI_ERR_ARG, "the color is " + std::to_string(color));
    name_collective(call, Collective::CommSplit, *parent);
    const auto all = lib.collectives().exchange(parent, Collective::CommSplit, {lib.next_communicator(), color, key});
    const std::uint32_t id = agreed_id(all, 0);
    lib.use_communicator(id);
    if (color == MPI_UNDEFINED) {
      *newcomm = MPI_COMM_NULL;
      return;
    }
    std::vector<std::pair<std::int64_t, int>> chosen;  // key, rank in the parent
    for (int rank = 0; rank < parent->size(); ++rank) {
      const auto& [unused, their_color, their_key] = all[static_cast<std::size_t>(rank)];
      if (their_color == color) chosen.emplace_back(their_key, rank);
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<std::uint32_t> members;
    for (const auto& [unused, rank] : chosen) members.push_back(parent->world_rank(rank));
    *newcomm = lib.add_communicator(id, "MPI_Comm_split", *parent, std::move(members));
  });
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return serve("MPI_Comm_create", comm, [&](Library& lib, Call& call) {
    const auto parent = lib.communicator(comm);
    const auto members = lib.group(group);
    for (const std::uint32_t member : members->ranks()) {
      if (parent->group()->rank_of(member) < 0) {
        throw Error(MPI_ERR_GROUP, "the group is not a subset of the communicator's");
      }
    }
    name_collective(call, Collective::CommCreate, *parent);
    const auto all = lib.collectives().exchange(parent, Collective::CommCreate, {lib.next_communicator(), 0, 0});
    const std::uint32_t id = agreed_id(all, 0);
    lib.use_communicator(id);
    *newcomm = members->rank_of(lib.engine().rank()) < 0
                   ? MPI_COMM_NULL
                   : lib.add_communicator(id, "MPI_Comm_create", *parent, members->ranks());
  });
}

int PMPI_Comm_free(MPI_Comm* comm) {
  return serve("MPI_Comm_free", *comm, [&](Library& lib, Call&) {
    static_cast<void>(lib.communicator(*comm));
    if (number(*comm) < HandleTable<Communicator>::kFirst) {
      throw Error(MPI_ERR_COMM, "a predefined communicator cannot be freed");
    }
    lib.communicators.remove(number(*comm));
    *comm = MPI_COMM_NULL;
  });
}
