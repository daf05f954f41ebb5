// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file group.cpp
/// Groups.
#include <string>
#include <utility>
#include <vector>

#include "mpi/call.h"

using namespace tidings;

namespace {

MPI_Group hand_out(Library& lib, std::vector<std::uint32_t> members) {
  if (members.empty()) return MPI_GROUP_EMPTY;
  return as_handle<MPI_Group>(lib.groups.add(std::make_shared<const Group>(std::move(members))));
}

/// Places in a group that an array names. @throws Error if one is not in it, or named twice.
class Chosen {
 public:
  explicit Chosen(const Group& group) : group_(group), used_(static_cast<std::size_t>(group.size())) {}

  void add(int rank) {
    if (rank < 0 || rank >= group_.size()) {
      throw Error(MPI_ERR_RANK,
                  "rank " + std::to_string(rank) + " is not in a group of " + std::to_string(group_.size()));
    }
    if (used_[static_cast<std::size_t>(rank)]) {
      throw Error(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is named twice", "Name each rank once.");
    }
    used_[static_cast<std::size_t>(rank)] = true;
    included_.push_back(group_.world_rank(rank));
  }
  void add(int n, const int ranks[]) {
    check(n, "ranks");
    for (int i = 0; i < n; ++i) add(ranks[i]);
  }
  /// Triplets of first rank, last rank and stride.
  void add(int n, int ranges[][3]) {
    check(n, "ranges");
    for (int i = 0; i < n; ++i) {
      const int first = ranges[i][0];
      const int last = ranges[i][1];
      const int stride = ranges[i][2];
      if (stride == 0)
        throw Error(MPI_ERR_ARG, "the stride of range " + std::to_string(i) + " is 0", "Give a stride that is not 0.");
      for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) add(rank);
    }
  }

  /// The members, in the order in which they were named.
  [[nodiscard]] std::vector<std::uint32_t> included() && { return std::move(included_); }
  /// All others, in the order of the group.
  [[nodiscard]] std::vector<std::uint32_t> others() const {
    std::vector<std::uint32_t> others;
    for (int rank = 0; rank < group_.size(); ++rank) {
      if (!used_[static_cast<std::size_t>(rank)]) others.push_back(group_.world_rank(rank));
    }
    return others;
  }

 private:
  static void check(int n, const char* what) {
    if (n < 0)
      throw Error(MPI_ERR_ARG, std::string("the number of ") + what + " is " + std::to_string(n),
                  "Give a number that is not negative.");
  }

  const Group& group_;
  std::vector<bool> used_;
  std::vector<std::uint32_t> included_;
};

/// Members of `from` that are (or are not) in `other`.
std::vector<std::uint32_t> filtered(const Group& from, const Group& other, bool wanted) {
  std::vector<std::uint32_t> members;
  for (const std::uint32_t member : from.ranks()) {
    if ((other.rank_of(member) >= 0) == wanted) members.push_back(member);
  }
  return members;
}

}  // namespace

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
    Chosen chosen(*lib.group(group));
    chosen.add(n, ranks);
    *newgroup = hand_out(lib, std::move(chosen).included());
  });
}

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return serve("MPI_Group_excl", [&](Library& lib, Call&) {
    Chosen chosen(*lib.group(group));
    chosen.add(n, ranks);
    *newgroup = hand_out(lib, chosen.others());
  });
}

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return serve("MPI_Group_range_incl", [&](Library& lib, Call&) {
    Chosen chosen(*lib.group(group));
    chosen.add(n, ranges);
    *newgroup = hand_out(lib, std::move(chosen).included());
  });
}

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return serve("MPI_Group_range_excl", [&](Library& lib, Call&) {
    Chosen chosen(*lib.group(group));
    chosen.add(n, ranges);
    *newgroup = hand_out(lib, chosen.others());
  });
}

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return serve("MPI_Group_union", [&](Library& lib, Call&) {
    const auto& first = *lib.group(group1);
    auto members = first.ranks();
    const auto more = filtered(*lib.group(group2), first, false);
    members.insert(members.end(), more.begin(), more.end());
    *newgroup = hand_out(lib, std::move(members));
  });
}

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return serve("MPI_Group_intersection", [&](Library& lib, Call&) {
    *newgroup = hand_out(lib, filtered(*lib.group(group1), *lib.group(group2), true));
  });
}

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return serve("MPI_Group_difference", [&](Library& lib, Call&) {
    *newgroup = hand_out(lib, filtered(*lib.group(group1), *lib.group(group2), false));
  });
}

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  return serve("MPI_Group_compare", [&](Library& lib, Call&) {
    const auto& first = *lib.group(group1);
    const auto& second = *lib.group(group2);
    if (first.ranks() == second.ranks()) {
      *result = MPI_IDENT;
    } else {
      const bool similar = first.size() == second.size() && filtered(first, second, false).empty();
      *result = similar ? MPI_SIMILAR : MPI_UNEQUAL;
    }
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
