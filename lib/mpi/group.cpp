// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file group.cpp
/// Groups.
#include <string>
#include <utility>
#include <vector>

#include "mpi/call.h"

using namespace tidings;

int PMPI_Group_size(MPI_Group group, int* size) {
  return serve("MPI_Group_size", [&](Library& lib, Call&) { *size = lib.group(group)->size(); });
}

int PMPI_Group_rank(MPI_Group group, int* rank) {
  return serve("MPI_Group_rank", [&](Library& lib, Call&) {
    const int place = lib.group(group)->rank_of(lib.messages().rank());
    *rank = place < 0 ? static_cast<int>(MPI_UNDEFINED) : place;
  });
}

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return serve("MPI_Group_incl", [&](Library& lib, Call&) {
    const auto old = lib.group(group);
    if (n < 0) throw Error(MPI_ERR_ARG, "the number of ranks is " + std::to_string(n));
    std::vector<std::uint32_t> members;
    std::vector<bool> used(static_cast<std::size_t>(old->size()));
    for (int i = 0; i < n; ++i) {
      if (ranks[i] < 0 || ranks[i] >= old->size()) {
        throw Error(MPI_ERR_RANK,
                    "rank " + std::to_string(ranks[i]) + " is not in a group of " + std::to_string(old->size()));
      }
      const auto rank = static_cast<std::size_t>(ranks[i]);
      if (used[rank]) throw Error(MPI_ERR_RANK, "rank " + std::to_string(ranks[i]) + " is named twice");
      used[rank] = true;
      members.push_back(old->world_rank(ranks[i]));
    }
    *newgroup = n == 0 ? MPI_GROUP_EMPTY
                       : as_handle<MPI_Group>(lib.groups.add(std::make_shared<const Group>(std::move(members))));
  });
}

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  return serve("MPI_Group_translate_ranks", [&](Library& lib, Call&) {
    const auto from = lib.group(group1);
    const auto to = lib.group(group2);
    for (int i = 0; i < n; ++i) {
      if (ranks1[i] == MPI_PROC_NULL) {
        ranks2[i] = MPI_PROC_NULL;
        continue;
      }
      if (ranks1[i] < 0 || ranks1[i] >= from->size()) {
        throw Error(MPI_ERR_RANK,
                    "rank " + std::to_string(ranks1[i]) + " is not in a group of " + std::to_string(from->size()));
      }
      const int place = to->rank_of(from->world_rank(ranks1[i]));
      ranks2[i] = place < 0 ? static_cast<int>(MPI_UNDEFINED) : place;
    }
  });
}

int PMPI_Group_free(MPI_Group* group) {
  return serve("MPI_Group_free", [&](Library& lib, Call&) {
    static_cast<void>(lib.group(*group));
    if (number(*group) >= HandleTable<Group>::kFirst) lib.groups.remove(number(*group));
    *group = MPI_GROUP_NULL;
  });
}
