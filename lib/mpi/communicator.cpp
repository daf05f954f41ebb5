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
std::uint32_t agreed_id(const std::vector<Collectives::Offer>& all) {
  std::int64_t id = 0;
  for (const auto& one : all) id = std::max(id, one.id);
  return static_cast<std::uint32_t>(id);
}

/// Contexts of the engine that are free at all members (world ranks) of a new communicator.
std::uint64_t free_at_all(const std::vector<Collectives::Offer>& all, const Communicator& parent,
                          const std::vector<std::uint32_t>& members) {
  std::uint64_t free = ~std::uint64_t{0};
  for (const std::uint32_t member : members) {
    free &= all[static_cast<std::size_t>(parent.group()->rank_of(member))].contexts;
  }
  return free;
}

Collectives::Offer offer(Library& lib, int color = 0, int key = 0) {
  return {lib.next_communicator(), color, key, lib.collectives().free_contexts()};
}

/// Make a communicator for this rank, which is a member.
MPI_Comm make(Library& lib, const char* maker, const Communicator& parent, const std::vector<Collectives::Offer>& all,
              std::vector<std::uint32_t> members) {
  const auto context = lib.collectives().context_of(members, free_at_all(all, parent, members));
  return lib.add_communicator(agreed_id(all), maker, parent, std::move(members), context);
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
    const auto all = lib.collectives().exchange(parent, Collective::CommDup, offer(lib));
    lib.use_communicator(agreed_id(all));
    *newcomm = make(lib, "MPI_Comm_dup", *parent, all, parent->group()->ranks());
  });
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return serve("MPI_Comm_split", comm, [&](Library& lib, Call& call) {
    const auto parent = lib.communicator(comm);
    if (color < 0 && color != MPI_UNDEFINED) throw Error(MPI_ERR_ARG, "the color is " + std::to_string(color));
    name_collective(call, Collective::CommSplit, *parent);
    const auto all = lib.collectives().exchange(parent, Collective::CommSplit, offer(lib, color, key));
    lib.use_communicator(agreed_id(all));
    if (color == MPI_UNDEFINED) {
      *newcomm = MPI_COMM_NULL;
      return;
    }
    std::vector<std::pair<std::int64_t, int>> chosen;  // key, rank in the parent
    for (int rank = 0; rank < parent->size(); ++rank) {
      const Collectives::Offer& theirs = all[static_cast<std::size_t>(rank)];
      if (theirs.color == color) chosen.emplace_back(theirs.key, rank);
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<std::uint32_t> members;
    for (const auto& [unused, rank] : chosen) members.push_back(parent->world_rank(rank));
    *newcomm = make(lib, "MPI_Comm_split", *parent, all, std::move(members));
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
    const auto all = lib.collectives().exchange(parent, Collective::CommCreate, offer(lib));
    lib.use_communicator(agreed_id(all));
    *newcomm = members->rank_of(lib.engine().rank()) < 0 ? MPI_COMM_NULL
                                                         : make(lib, "MPI_Comm_create", *parent, all, members->ranks());
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
