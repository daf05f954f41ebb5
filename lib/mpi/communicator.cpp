// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file communicator.cpp
/// Communicators.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mpi/attributes.h"
#include "mpi/call.h"
#include "mpi/communicators.h"
#include "mpi/intercommunicator.h"
#include "mpi/system_messages.h"

using namespace tidings;

namespace {

/// Contexts of the engine that are free at all members (world ranks) of a new communicator.
std::uint64_t free_at_all(const std::vector<Collectives::Offer>& all, const Communicator& parent,
                          const std::vector<std::uint32_t>& members) {
  std::uint64_t free = ~std::uint64_t{0};
  for (const std::uint32_t member : members) {
    free &= all[static_cast<std::size_t>(parent.group()->rank_of(member))].contexts;
  }
  return free;
}

/// Key of the algorithms that a program names for a communicator: "allreduce=ring,bcast=chain".
constexpr const char* kAlgorithmsKey = "tidings_algorithms";

/// Key of the promise that Communicator::in_order is.
constexpr const char* kInOrderKey = "tidings_in_order";

/// Whether a program promises it; nothing if it does not say.
std::optional<bool> promised_order(const Info& hints) {
  const std::string* const value = hints.find(kInOrderKey);
  if (value == nullptr) return std::nullopt;
  if (*value != "true" && *value != "false") {
    throw Error(MPI_ERR_INFO_VALUE, std::string(kInOrderKey) + ": " + *value + " is neither true nor false",
                "Give one of them.");
  }
  return *value == "true";
}

/// Topology and attributes of a communicator for the copy that has been made of it, which is gone if one of their
/// functions fails.
void copy_attributes(Library& lib, MPI_Comm from, MPI_Comm to) {
  const CommunicatorPointer copy = lib.communicator(to);
  copy->topology = lib.communicator(from)->topology;
  try {
    tidings::copy_attributes(from, lib.communicator(from)->attributes, copy->attributes);
  } catch (const Error&) {
    lib.communicators.remove(number(to));
    throw;
  }
}

void check_subset(const Group& members, const Communicator& parent) {
  for (const std::uint32_t member : members.ranks()) {
    if (parent.group()->rank_of(member) < 0) {
      throw Error(MPI_ERR_GROUP, "the group is not a subset of the communicator's",
                  "Give a group of ranks of the communicator.");
    }
  }
}

/// What all ranks must give alike of the hints.
std::int64_t fingerprint(const std::string& choices, std::optional<bool> in_order) {
  return tidings::fingerprint(choices) + (in_order ? 1 + static_cast<std::int64_t>(*in_order) : 0);
}

void check_equal_hints(const std::vector<Collectives::Offer>& all) {
  for (const auto& one : all) {
    if (one.key != all.front().key) {
      throw Error(MPI_ERR_INFO_VALUE, unequal_choices() + " or " + kInOrderKey, "Give the same value at all ranks.");
    }
  }
}

enum class Likeness { Congruent, Similar, Unequal };

Likeness compare(const Group& a, const Group& b) {
  auto mine = a.ranks();
  auto theirs = b.ranks();
  if (mine == theirs) return Likeness::Congruent;
  std::sort(mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  return mine == theirs ? Likeness::Similar : Likeness::Unequal;
}

}  // namespace

namespace tidings {

std::string checked_choices(const Info& hints) {
  const std::string* const choices = hints.find(kAlgorithmsKey);
  if (choices == nullptr) return {};
  try {
    static_cast<void>(Selection::built_in().with_choices(*choices));
  } catch (const std::invalid_argument& error) {
    throw Error(MPI_ERR_INFO_VALUE, std::string(kAlgorithmsKey) + ": " + error.what(),
                "`tidings algorithms` lists what can be named.");
  }
  return *choices;
}

std::int64_t fingerprint(const std::string& choices) {
  constexpr std::uint64_t kOffset = 14695981039346656037ULL;  // FNV-1a
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  std::uint64_t hash = kOffset;
  for (const char character : choices) hash = (hash ^ static_cast<unsigned char>(character)) * kPrime;
  return static_cast<std::int64_t>(hash);
}

std::string unequal_choices() { return std::string("the ranks name different ") + kAlgorithmsKey; }

std::uint32_t agreed_id(const std::vector<Collectives::Offer>& all) {
  std::int64_t id = 0;
  for (const auto& one : all) id = std::max(id, one.id);
  return static_cast<std::uint32_t>(id);
}

bool agreed(Vote& vote, std::uint32_t highest) {
  const Vote::State state = vote.hear(highest);
  if (state == Vote::State::NoneLeft) {
    throw Error(MPI_ERR_OTHER, "too many communicators: no context is left",
                "Call MPI_Comm_free for those that are no longer used.");
  }
  if (state == Vote::State::Agreed && several_threads) {
    // Until the call is over, it is as though a communicator had it.
    CommunicatorIds::take(vote.id());
    Threads::when_over(CommunicatorIds::give_back, vote.id());
  }
  return state == Vote::State::Agreed;
}

Collectives::Offer offer(const Library& lib, std::uint32_t id, std::int64_t color, std::int64_t key) {
  return {id, color, key, lib.collectives().free_contexts()};
}

std::vector<Collectives::Offer> exchange_offers(Library& lib, Communicator& parent, Collective kind, std::int64_t color,
                                                std::int64_t key) {
  Vote vote = vote_of_call(parent);
  auto all = lib.collectives().exchange(parent, kind, offer(lib, vote.say(), color, key));
  std::uint32_t highest = agreed_id(all);
  while (!agreed(vote, highest)) {
    highest = agreed_id(lib.collectives().exchange(parent, kind, offer(lib, vote.say(), color, key)));
  }
  for (auto& one : all) one.id = vote.id();
  return all;
}

MPI_Comm make_communicator(Library& lib, const char* label, const Communicator& parent,
                           const std::vector<Collectives::Offer>& all, std::vector<std::uint32_t> members,
                           const std::string& choices) {
  auto algorithms = lib.collectives().algorithms_of(members, free_at_all(all, parent, members), choices);
  return lib.add_communicator(agreed_id(all), label, parent, std::move(members), std::move(algorithms));
}

MPI_Comm make_of_group(Library& lib, const Communicator& parent, const Group& members, GroupTag tag,
                       const char* label) {
  const SystemChannel channel{parent.collective(), system_tag(tag.kind, tag.number),
                              std::string(Library::current()->name()) + ", communicator " + parent.name()};
  const auto highest_of = [&](std::uint32_t id) {
    if (members.rank_of(lib.messages().rank()) != 0) {
      send_value(lib, channel, members.world_rank(0), id);
      receive_value(lib, channel, members.world_rank(0), id);
      return id;
    }
    for (int i = 1; i < members.size(); ++i) {
      std::uint32_t theirs = 0;
      receive_value(lib, channel, members.world_rank(i), theirs);
      id = std::max(id, theirs);
    }
    for (int i = 1; i < members.size(); ++i) send_value(lib, channel, members.world_rank(i), id);
    return id;
  };
  Vote vote = vote_of_call(parent);
  while (!agreed(vote, highest_of(vote.say()))) {
  }
  // Others take no part, so the engine's contexts stay as they are: who has which must be known to all.
  return lib.add_communicator(vote.id(), label, parent, members.ranks(),
                              lib.collectives().algorithms_of(members.ranks(), 0));
}

void begin_exchange(Call& call, Collective kind, const Communicator& communicator) {
  CollectiveDescriptor descriptor;
  descriptor.kind = kind;
  call.collective(descriptor);
  call.begin_collective(communicator);
  call.end({communicator.size() == 1 ? TIDINGS_PATH_NONE : TIDINGS_PATH_SOFTWARE, nullptr});
}

}  // namespace tidings

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
    if ((a->inter == nullptr) != (b->inter == nullptr)) {
      *result = MPI_UNEQUAL;
      return;
    }
    const Likeness likeness = std::max(compare(*a->group(), *b->group()), compare(*a->peers(), *b->peers()));
    constexpr int kResults[] = {MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL};
    *result = kResults[static_cast<int>(likeness)];
  });
}

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  return serve("MPI_Comm_test_inter", comm,
               [&](Library& lib, Call&) { *flag = lib.communicator(comm)->inter != nullptr; });
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return serve("MPI_Comm_dup", comm, [&](Library& lib, Call& call) {
    const auto& parent = lib.communicator(comm);
    *newcomm = MPI_COMM_NULL;  // if a function that copies an attribute fails
    if (const auto inter = parent->inter) {
      const MPI_Comm copy = inter->duplicate(lib, call, *parent, "communicator % (from MPI_Comm_dup)");
      copy_attributes(lib, comm, copy);
      *newcomm = copy;
      return;
    }
    begin_exchange(call, Collective::CommDup, *parent);
    const auto all = exchange_offers(lib, *parent, Collective::CommDup);
    MPI_Comm copy =
        make_communicator(lib, "communicator % (from MPI_Comm_dup)", *parent, all, parent->group()->ranks());
    copy_attributes(lib, comm, copy);
    *newcomm = copy;
  });
}

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return serve("MPI_Comm_dup_with_info", comm, [&](Library& lib, Call& call) {
    const auto& parent = lib.communicator(comm);
    *newcomm = MPI_COMM_NULL;  // if a function that copies an attribute fails
    const std::string choices = info == MPI_INFO_NULL ? std::string() : checked_choices(*lib.info(info));
    const auto in_order = info == MPI_INFO_NULL ? std::nullopt : promised_order(*lib.info(info));
    if (const auto inter = parent->inter) {
      const MPI_Comm copy = inter->duplicate(lib, call, *parent, "communicator % (from MPI_Comm_dup_with_info)");
      copy_attributes(lib, comm, copy);
      *newcomm = copy;
      return;
    }
    begin_exchange(call, Collective::CommDup, *parent);
    const auto all = exchange_offers(lib, *parent, Collective::CommDup, 0, fingerprint(choices, in_order));
    check_equal_hints(all);
    MPI_Comm copy = make_communicator(lib, "communicator % (from MPI_Comm_dup_with_info)", *parent, all,
                                      parent->group()->ranks(), choices);
    lib.communicator(copy)->in_order = in_order.value_or(false);
    copy_attributes(lib, comm, copy);
    *newcomm = copy;
  });
}

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  return serve("MPI_Comm_set_info", comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    const auto hints = lib.info(info);
    // Hints for others are ignored, as the standard wants it.
    const bool chooses = hints->find(kAlgorithmsKey) != nullptr;
    const auto in_order = promised_order(*hints);
    if ((!chooses && !in_order) || communicator->inter != nullptr) return;
    const std::string choices = checked_choices(*hints);
    begin_exchange(call, Collective::CommSetInfo, *communicator);
    const auto all = lib.collectives().exchange(*communicator, Collective::CommSetInfo,
                                                offer(lib, 0, 0, fingerprint(choices, in_order)));
    check_equal_hints(all);
    communicator->in_order = in_order.value_or(communicator->in_order);
    if (!chooses) return;
    const auto& members = communicator->group()->ranks();
    communicator->algorithms =
        lib.collectives().algorithms_of(members, free_at_all(all, *communicator, members), choices);
  });
}

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  return serve("MPI_Comm_get_info", comm, [&](Library& lib, Call&) {
    const auto& communicator = lib.communicator(comm);
    auto hints = std::make_shared<Info>();
    const std::string& choices = communicator->algorithms->choices;
    if (!choices.empty()) hints->set(kAlgorithmsKey, choices);
    if (communicator->in_order) hints->set(kInOrderKey, "true");
    *info_used = as_handle<MPI_Info>(lib.infos.add(std::move(hints)));
  });
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return serve("MPI_Comm_split", comm, [&](Library& lib, Call& call) {
    const auto& parent = lib.communicator(comm);
    if (color < 0 && color != MPI_UNDEFINED)
      throw Error(MPI_ERR_ARG, "the color is " + std::to_string(color),
                  "Give a color that is not negative, or MPI_UNDEFINED.");
    if (const auto inter = parent->inter) {
      *newcomm = inter->split(lib, call, *parent, color, key);
      return;
    }
    begin_exchange(call, Collective::CommSplit, *parent);
    const auto all = exchange_offers(lib, *parent, Collective::CommSplit, color, key);
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
    *newcomm = make_communicator(lib, "communicator % (from MPI_Comm_split)", *parent, all, std::move(members));
  });
}

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  return serve("MPI_Comm_split_type", comm, [&](Library& lib, Call& call) {
    const auto& parent = lib.communicator(comm);
    // Each rank has a memory of its own, so it shares memory with itself alone.
    bool alone = split_type == MPI_COMM_TYPE_SHARED;
    switch (split_type) {
      case MPI_COMM_TYPE_HW_GUIDED:
      case MPI_COMM_TYPE_RESOURCE_GUIDED: {
        const std::string* const wanted =
            info == MPI_INFO_NULL ? nullptr : lib.info(info)->find("mpi_hw_resource_type");
        alone = wanted != nullptr && *wanted == "mpi_shared_memory";
        break;
      }
      case MPI_COMM_TYPE_SHARED:
      case MPI_COMM_TYPE_HW_UNGUIDED:
      case MPI_UNDEFINED:
        break;
      default:
        throw Error(MPI_ERR_ARG, "the split type is " + std::to_string(split_type),
                    "Give a constant whose name begins with MPI_COMM_TYPE_.");
    }
    if (const auto inter = parent->inter) {  // nothing is shared with a rank of the other group
      *newcomm = inter->split(lib, call, *parent, MPI_UNDEFINED, key);
      return;
    }
    begin_exchange(call, Collective::CommSplit, *parent);
    const int color = alone ? parent->rank() : static_cast<int>(MPI_UNDEFINED);
    const auto all = exchange_offers(lib, *parent, Collective::CommSplit, color, key);
    *newcomm = alone ? make_communicator(lib, "communicator % (from MPI_Comm_split_type)", *parent, all,
                                         {parent->world_rank(parent->rank())})
                     : MPI_COMM_NULL;
  });
}

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return serve("MPI_Comm_create_group", comm, [&](Library& lib, Call& call) {
    const auto& parent = lib.intracommunicator(comm);
    const auto members = lib.group(group);
    check_subset(*members, *parent);
    if (tag < 0) throw Error(MPI_ERR_TAG, "the tag is " + std::to_string(tag));
    call.begin();
    *newcomm = MPI_COMM_NULL;
    if (members->rank_of(lib.messages().rank()) < 0) return;
    *newcomm = make_of_group(lib, *parent, *members, {SystemTag::CreateGroup, tag},
                             "communicator % (from MPI_Comm_create_group)");
  });
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return serve("MPI_Comm_create", comm, [&](Library& lib, Call& call) {
    const auto& parent = lib.communicator(comm);
    const auto members = lib.group(group);
    check_subset(*members, *parent);
    if (const auto inter = parent->inter) {
      *newcomm = inter->create(lib, call, *parent, *members);
      return;
    }
    begin_exchange(call, Collective::CommCreate, *parent);
    const auto all = exchange_offers(lib, *parent, Collective::CommCreate);
    *newcomm = members->rank_of(lib.messages().rank()) < 0
                   ? MPI_COMM_NULL
                   : make_communicator(lib, "communicator % (from MPI_Comm_create)", *parent, all, members->ranks());
  });
}

int tidings::free_communicator(const char* name, MPI_Comm* comm) {
  return serve(name, *comm, [&](Library& lib, Call&) {
    const CommunicatorPointer freed = lib.communicator(*comm);
    if (number(*comm) < HandleTable<Communicator>::kFirst) {
      throw Error(MPI_ERR_COMM, "a predefined communicator cannot be freed", "Free what the program itself has made.");
    }
    delete_attributes(*comm, freed->attributes);
    lib.communicators.remove(number(*comm));
    *comm = MPI_COMM_NULL;
  });
}

int PMPI_Comm_free(MPI_Comm* comm) { return free_communicator("MPI_Comm_free", comm); }
