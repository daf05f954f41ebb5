// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file intercommunicator.cpp
/// Intercommunicators, and communicators of groups alone.
#include "mpi/intercommunicator.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coll/inter.h"
#include "mpi/collective_arguments.h"
#include "mpi/communicators.h"
#include "mpi/error_handlers.h"
#include "mpi/system_messages.h"

using namespace tidings;

namespace {

using Ranks = std::vector<std::uint32_t>;

/// What an intercommunicator is made of.
struct Made {
  std::uint32_t id = 0;
  const char* label = nullptr;
  Ranks local;
  Ranks remote;
  std::shared_ptr<ErrorHandler> error_handler;
};
CommunicatorPointer build(Library& lib, const Made& what);
MPI_Comm make(Library& lib, const Made& what) { return as_handle<MPI_Comm>(lib.communicators.add(build(lib, what))); }

RootedPart part_of(int root) {
  if (root == MPI_ROOT) return RootedPart::Root;
  return root == MPI_PROC_NULL ? RootedPart::Bystander : RootedPart::Partner;
}

class Between final : public Intercommunicator {
 public:
  Between(CommunicatorPointer all_ranks, const TwoGroups& groups)
      : Intercommunicator(std::move(all_ranks)), groups_(groups) {}

  void run(Library& lib, Call& call, const Communicator& self, const VectorArguments& arguments) const override {
    Blocking{}(lib, call, plan(lib, call, self, arguments));
  }

  [[nodiscard]] PlannedCollective plan(Library& lib, Call& call, const Communicator& self,
                                       const VectorArguments& arguments) const override {
    const Collective kind = arguments.kind;
    if (kind == Collective::Scan || kind == Collective::Exscan) {
      throw Error(MPI_ERR_COMM, "the communicator is an intercommunicator, which has no prefix reductions",
                  "Give a communicator of one group.");
    }
    const Buffer none{nullptr, 0, &lib.bytes()};
    const Role role = has_root(kind) ? Role(self, arguments.root) : Role(self, 0);
    const bool significant = has_data(kind) && (role.is_root || role.has_part);
    if (significant && (in_place(arguments.send) || in_place(arguments.receive))) check_in_place(self, false);
    Buffer input;
    Buffer output;
    const auto buffer = [&](const void* base) { return lib.buffer(base, arguments.count, arguments.type); };
    if (significant && has_operation(kind) && role.has_part) input = buffer(arguments.send);
    if (significant && (!has_operation(kind) || role.is_root || kind == Collective::Allreduce)) {
      output = buffer(arguments.receive);
    }
    const Buffer& shown = input.type != nullptr ? input : output.type != nullptr ? output : none;
    PlannedCollective planned{all(), {}, nullptr, {}};
    planned.call.descriptor = describe(kind, 0, shown, shown.bytes());
    planned.call.input = Blocks::one(input);
    planned.call.output = Blocks::one(output);
    if (significant && has_operation(kind)) {
      const auto& operation = lib.operation(arguments.operation);
      check_reduction(*operation, *shown.type);
      planned.call.operation = operation.get();
      planned.call.descriptor.operation = operation->code();
      planned.keep(OperationPointer(operation));
    }
    planned.keep(lib, arguments.type);
    begin(call, self, planned.call.descriptor, shown.bytes());
    prepare(lib, planned, arguments.root);
    return planned;
  }

  void prepare(const Library& lib, PlannedCollective& planned, int root) const override {
    planned.communicator = all();
    auto made = std::make_shared<OwnSchedule>();
    const CollectiveCall& call = planned.call;
    MessageCollective& ready = made->ready;
    const View nothing = View::uniform(nullptr, 0, &lib.bytes());
    const auto view = [&](const Blocks& blocks) { return blocks.type == nullptr ? nothing : blocks.view(); };
    ready.views = {view(call.input), view(call.output), nothing};
    const RootedPart part = part_of(root);
    const bool commutative = call.operation == nullptr || call.operation->commutative();
    switch (family_of(call.descriptor.kind)) {
      case Collective::Barrier:
        made->schedule = barrier_dissemination(all()->rank(), all()->size());
        break;
      case Collective::Bcast:
        made->schedule = inter_broadcast(groups_, part, root);
        break;
      case Collective::Reduce:
        made->schedule = inter_reduce(groups_, part, root, commutative);
        if (part == RootedPart::Partner) {
          ready.views.output = View::whole(temporary(ready, call.input.whole(), 1));
          ready.views.scratch = scratch_of(ready, call.input.whole(), scratch_blocks(made->schedule));
        }
        break;
      case Collective::Allreduce:
        made->schedule = inter_allreduce(groups_, commutative);
        ready.views.scratch = scratch_of(ready, call.input.whole(), scratch_blocks(made->schedule));
        break;
      case Collective::Gather:
        made->schedule = inter_gather(groups_, part, root);
        break;
      case Collective::Scatter:
        made->schedule = inter_scatter(groups_, part, root);
        break;
      case Collective::Allgather:
        made->schedule = inter_allgather(groups_);
        break;
      case Collective::Alltoall:
        made->schedule = inter_alltoall(groups_);
        break;
      default:
        prepare_reduce_scatter(planned, *made, commutative);
    }
    planned.own = std::move(made);
  }

  [[nodiscard]] MPI_Comm duplicate(Library& lib, Call& call, const Communicator& self,
                                   const char* label) const override {
    const auto offers = exchange(lib, call, Collective::CommDup, 0, 0);
    return as_handle<MPI_Comm>(lib.communicators.add(copy(lib, self, agreed_id(offers), label)));
  }

  [[nodiscard]] CommunicatorPointer copy(Library& lib, const Communicator& self, std::uint32_t id,
                                         const char* label) const override {
    return build(lib, {id, label, self.group()->ranks(), self.peers()->ranks(), self.error_handler});
  }

  [[nodiscard]] MPI_Comm split(Library& lib, Call& call, const Communicator& self, int color, int key) const override {
    const auto offers = exchange(lib, call, Collective::CommSplit, color, key);
    if (color == MPI_UNDEFINED) return MPI_COMM_NULL;
    const auto chosen = [&](const Group& group, int first) {
      std::vector<std::pair<std::int64_t, int>> members;  // key, rank
      for (int rank = 0; rank < group.size(); ++rank) {
        const auto& offer = offers[static_cast<std::size_t>(first + rank)];
        if (offer.color == color) members.emplace_back(offer.key, rank);
      }
      return in_order(group, std::move(members));
    };
    return make_unless_empty(
        lib, {agreed_id(offers), "communicator % (from MPI_Comm_split)", chosen(*self.group(), groups_.first_local),
              chosen(*self.peers(), groups_.first_remote), self.error_handler});
  }

  [[nodiscard]] MPI_Comm create(Library& lib, Call& call, const Communicator& self,
                                const Group& members) const override {
    // The places that ranks have in the groups of their side are what the other side has to know.
    const int place = members.rank_of(lib.messages().rank());
    const auto offers = exchange(lib, call, Collective::CommCreate, 0, place);
    if (place < 0) return MPI_COMM_NULL;
    const auto chosen = [&](const Group& group, int first) {
      std::vector<std::pair<std::int64_t, int>> places;
      for (int rank = 0; rank < group.size(); ++rank) {
        const auto& offer = offers[static_cast<std::size_t>(first + rank)];
        if (offer.key >= 0) places.emplace_back(offer.key, rank);
      }
      return in_order(group, std::move(places));
    };
    return make_unless_empty(
        lib, {agreed_id(offers), "communicator % (from MPI_Comm_create)", chosen(*self.group(), groups_.first_local),
              chosen(*self.peers(), groups_.first_remote), self.error_handler});
  }

  /// Tell all ranks of both groups something; they agree on an id for what they make.
  std::vector<Collectives::Offer> exchange(Library& lib, Call& call, Collective kind, std::int64_t color,
                                           std::int64_t key) const {
    begin_exchange(call, kind, *all());
    auto offers = exchange_offers(lib, *all(), kind, color, key);
    return offers;
  }
  [[nodiscard]] const TwoGroups& groups() const { return groups_; }

 private:
  static Ranks in_order(const Group& group, std::vector<std::pair<std::int64_t, int>> chosen) {
    std::sort(chosen.begin(), chosen.end());
    Ranks ranks;
    for (const auto& [unused, rank] : chosen) ranks.push_back(group.world_rank(rank));
    return ranks;
  }
  static MPI_Comm make_unless_empty(Library& lib, const Made& what) {
    return what.remote.empty() ? MPI_COMM_NULL : make(lib, what);
  }
  static Buffer temporary(MessageCollective& ready, const Buffer& like, std::size_t vectors) {
    const Buffer room = elements_in(ready.memory.emplace_back(), vectors * like.count, *like.type);
    return {room.base, like.count, like.type};
  }
  static View scratch_of(MessageCollective& ready, const Buffer& like, std::uint32_t vectors) {
    return View::uniform(temporary(ready, like, std::max(vectors, 1U)).base, like.count, like.type);
  }

  void prepare_reduce_scatter(PlannedCollective& planned, OwnSchedule& made, bool commutative) const {
    InterReduceScatter steps = inter_reduce_scatter(groups_, commutative);
    const Blocks& input = planned.call.input;
    const auto blocks = static_cast<std::size_t>(groups_.local);
    std::vector<std::size_t> of_ranks(blocks, input.count);
    if (input.counts != nullptr) of_ranks.assign(input.counts, input.counts + blocks);
    std::size_t total = 0;
    for (const std::size_t count : of_ranks) total += count;
    const Buffer whole{input.base, total, input.type};
    // The groups divide the same number of elements differently.
    planned.call.descriptor.bytes = whole.bytes();
    // Whole vectors, one after the other, and then the blocks of the last.
    std::vector<std::size_t> counts(steps.vectors, total);
    std::vector<std::ptrdiff_t> places;
    for (std::size_t i = 0; i < steps.vectors; ++i) places.push_back(static_cast<std::ptrdiff_t>(i * total));
    std::size_t at = (steps.vectors - 1) * total;
    for (const std::size_t count : of_ranks) {
      counts.push_back(count);
      places.push_back(static_cast<std::ptrdiff_t>(at));
      at += count;
    }
    const auto kept_counts = std::make_shared<const std::vector<std::size_t>>(std::move(counts));
    const auto kept_places = std::make_shared<const std::vector<std::ptrdiff_t>>(std::move(places));
    planned.kept.push_back(kept_counts);
    planned.kept.push_back(kept_places);
    const Buffer room = temporary(made.ready, whole, steps.vectors);
    made.ready.views = {View::whole(whole), View::whole(planned.call.output.whole()),
                        View::varying(room.base, kept_counts->data(), kept_places->data(), whole.type)};
    made.schedule = std::move(steps.schedule);
  }

  TwoGroups groups_;
};

const Between& between(const Communicator& communicator) { return static_cast<const Between&>(*communicator.inter); }

CommunicatorPointer build(Library& lib, const Made& what) {
  // The group that comes first in the communicator of both is the one with the lower rank 0, on both sides.
  const bool local_first = what.local.front() < what.remote.front();
  Ranks all = local_first ? what.local : what.remote;
  const auto first = static_cast<int>(all.size());
  const Ranks& second = local_first ? what.remote : what.local;
  all.insert(all.end(), second.begin(), second.end());
  const std::uint32_t me = lib.messages().rank();
  auto algorithms = lib.collectives().algorithms_of(all, 0);
  auto both = std::make_shared<Communicator>(what.id, what.label, std::make_shared<const Group>(std::move(all)), me,
                                             what.error_handler, algorithms);
  both->first_group = first;
  auto local = std::make_shared<const Group>(what.local);
  auto remote = std::make_shared<const Group>(what.remote);
  const TwoGroups groups{local->rank_of(me), local->size(), remote->size(), local_first ? 0 : first,
                         local_first ? first : 0};
  auto made = std::make_shared<Communicator>(what.id, what.label, std::move(local), me, what.error_handler,
                                             std::move(algorithms), std::move(remote));
  made->inter = std::make_shared<const Between>(std::move(both), groups);
  return made;
}

/// How the leaders of two groups reach each other.
struct Bridge {
  SystemChannel channel;
  std::uint32_t leader = 0;  ///< world rank of the other side's
};

/// A collective of the local group that gives all what its leader has.
void tell(Library& lib, Communicator& local, int leader, void* data, std::size_t bytes) {
  CollectiveCall call;
  call.descriptor = describe(Collective::Bcast, leader, {data, bytes, &lib.bytes()}, bytes);
  call.output = Blocks::one({data, bytes, &lib.bytes()});
  lib.collectives().run(local, call);
  lib.messages().name_last_collective(Collective::IntercommCreate);
}

/// Of numbers of all ranks of two groups, the highest. @param bridge of the leader; else null.
std::uint32_t highest_of_both(Library& lib, Communicator& local, int leader, const Bridge* bridge, std::uint32_t mine) {
  std::uint32_t highest = agreed_id(lib.collectives().exchange(local, Collective::IntercommCreate, offer(lib, mine)));
  if (bridge != nullptr) {
    std::uint32_t theirs = 0;
    send_value(lib, bridge->channel, bridge->leader, highest);  // short, so it travels unasked
    receive_value(lib, bridge->channel, bridge->leader, theirs);
    highest = std::max(highest, theirs);
  }
  tell(lib, local, leader, &highest, sizeof highest);
  return highest;
}

/// Make an intercommunicator of a local group and the one behind a bridge. @param bridge of the leader; else null.
MPI_Comm connect(Library& lib, Communicator& local, int leader, const Bridge* bridge, Vote& vote, std::uint32_t highest,
                 const char* label) {
  struct Introduction {
    std::uint32_t highest = 0;
    std::uint32_t ranks = 0;
  };
  const Introduction ours{highest, static_cast<std::uint32_t>(local.size())};
  Introduction theirs;
  Ranks remote;
  if (bridge != nullptr) {
    const Ranks& mine = local.group()->ranks();
    const auto send = [&] {
      send_value(lib, bridge->channel, bridge->leader, ours);
      send_bytes(lib, bridge->channel, bridge->leader, mine.data(), mine.size() * sizeof mine.front());
    };
    const auto receive = [&] {
      receive_value(lib, bridge->channel, bridge->leader, theirs);
      remote.resize(theirs.ranks);
      receive_bytes(lib, bridge->channel, bridge->leader, remote.data(), remote.size() * sizeof remote.front());
    };
    // One speaks first, as both may have more to say than travels unasked.
    if (lib.messages().rank() < bridge->leader) {
      send();
      receive();
    } else {
      receive();
      send();
    }
    theirs.highest = std::max(theirs.highest, ours.highest);
  }
  tell(lib, local, leader, &theirs, sizeof theirs);
  remote.resize(theirs.ranks);
  tell(lib, local, leader, remote.data(), remote.size() * sizeof(std::uint32_t));
  highest = theirs.highest;
  while (!agreed(vote, highest)) highest = highest_of_both(lib, local, leader, bridge, vote.say());
  for (const std::uint32_t rank : remote) {
    if (local.group()->rank_of(rank) >= 0) {
      throw Error(MPI_ERR_COMM, "rank " + std::to_string(rank) + " of MPI_COMM_WORLD is in both groups",
                  "Give groups that have no process in common.");
    }
  }
  return make(lib, {vote.id(), label, local.group()->ranks(), std::move(remote), local.error_handler});
}

/// A number for the tag that a program names by a text.
int number_of(const char* stringtag) {
  if (stringtag == nullptr) throw Error(MPI_ERR_ARG, "the tag is a null pointer", "Give a text, which may be empty.");
  constexpr unsigned kTags = 1U << 20;
  constexpr unsigned kFactor = 31;
  unsigned number = 0;
  for (const char* at = stringtag; *at != '\0'; ++at) number = number * kFactor + static_cast<unsigned char>(*at);
  return static_cast<int>(number % kTags);
}

/// As serve() for what is made of groups alone: errors go to the handler that the new communicator is to have.
template <class Body>
int serve_groups(const char* name, MPI_Info info, MPI_Errhandler errhandler, Body body) {
  Library& lib = library();
  Call call(lib, name, MPI_COMM_WORLD);
  std::shared_ptr<ErrorHandler> handler;
  try {
    if (lib.phase() != Library::Phase::Running)
      throw Error(MPI_ERR_OTHER, "MPI is not running: no session is open", "Call MPI_Init or MPI_Session_init before.");
    handler = handler_for(lib, Object::Communicator, errhandler);
    if (info != MPI_INFO_NULL) static_cast<void>(lib.info(info));
    body(lib, call, handler);
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return handler == nullptr ? lib.raise(call, error) : lib.raise(call, error, *handler, MPI_COMM_NULL);
  }
}

const Communicator& checked_intercommunicator(const Library& lib, MPI_Comm comm) {
  const auto& found = lib.communicator(comm);
  if (found->inter == nullptr)
    throw Error(MPI_ERR_COMM, "the communicator is not an intercommunicator",
                "Give one: MPI_Comm_test_inter tells whether it is.");
  return *found;
}

void check_leader(const Group& group, int leader) {
  if (leader >= 0 && leader < group.size()) return;
  throw Error(MPI_ERR_RANK, "the leader is " + rank_text(leader) + " in a group of " + std::to_string(group.size()));
}

}  // namespace

int PMPI_Comm_remote_size(MPI_Comm comm, int* size) {
  return serve("MPI_Comm_remote_size", comm,
               [&](Library& lib, Call&) { *size = checked_intercommunicator(lib, comm).peers()->size(); });
}

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  return serve("MPI_Comm_remote_group", comm, [&](Library& lib, Call&) {
    *group = as_handle<MPI_Group>(lib.groups.add(checked_intercommunicator(lib, comm).peers()));
  });
}

int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                          MPI_Comm* newintercomm) {
  return serve("MPI_Intercomm_create", local_comm, [&](Library& lib, Call& call) {
    const CommunicatorPointer local = lib.intracommunicator(local_comm);
    check_leader(*local->group(), local_leader);
    if (tag < 0) throw Error(MPI_ERR_TAG, "the tag is " + std::to_string(tag));
    std::optional<Bridge> bridge;
    if (local->rank() == local_leader) {
      const auto& peers = lib.communicator(peer_comm);
      check_leader(*peers->peers(), remote_leader);
      const std::uint32_t leader = peers->peers()->world_rank(remote_leader);
      if (local->group()->rank_of(leader) >= 0) {
        throw Error(MPI_ERR_COMM, "the remote leader, " + rank_text(remote_leader) + ", is in the local group",
                    "Name a leader in the other group.");
      }
      bridge = {{peers->collective(), system_tag(SystemTag::Intercommunicator, tag),
                 "MPI_Intercomm_create, the other group's leader, tag " + std::to_string(tag)},
                leader};
    }
    begin_exchange(call, Collective::IntercommCreate, *local);
    Vote vote = vote_of_call(*local);
    const auto offers = lib.collectives().exchange(*local, Collective::IntercommCreate, offer(lib, vote.say()));
    *newintercomm = connect(lib, *local, local_leader, bridge ? &*bridge : nullptr, vote, agreed_id(offers),
                            "communicator % (from MPI_Intercomm_create)");
  });
}

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  return serve("MPI_Intercomm_merge", intercomm, [&](Library& lib, Call& call) {
    const Communicator& self = checked_intercommunicator(lib, intercomm);
    const Between& inter = between(self);
    const auto offers = inter.exchange(lib, call, Collective::IntercommMerge, high != 0 ? 1 : 0, 0);
    const auto flag = [&](int first, int ranks) {
      const std::int64_t color = offers[static_cast<std::size_t>(first)].color;
      for (int i = 1; i < ranks; ++i) {
        if (offers[static_cast<std::size_t>(first + i)].color != color) {
          throw Error(MPI_ERR_ARG, "the ranks of a group differ in whether it is the high one",
                      "Give the same value of high at all ranks of a group.");
        }
      }
      return color;
    };
    const TwoGroups& groups = inter.groups();
    const std::int64_t ours = flag(groups.first_local, groups.local);
    const std::int64_t theirs = flag(groups.first_remote, groups.remote);
    // If both say the same, the order is that of the communicator of both groups.
    const bool first = ours == theirs ? groups.first_local == 0 : ours < theirs;
    Ranks members = first ? self.group()->ranks() : self.peers()->ranks();
    const Ranks& rest = first ? self.peers()->ranks() : self.group()->ranks();
    members.insert(members.end(), rest.begin(), rest.end());
    *newintracomm =
        make_communicator(lib, "communicator % (from MPI_Intercomm_merge)", *inter.all(), offers, std::move(members));
  });
}

int PMPI_Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                MPI_Comm* newcomm) {
  return serve_groups("MPI_Comm_create_from_group", info, errhandler,
                      [&](Library& lib, Call& call, const std::shared_ptr<ErrorHandler>& handler) {
                        const auto members = lib.group(group);
                        const int tag = number_of(stringtag);
                        call.begin();
                        *newcomm = MPI_COMM_NULL;
                        if (members->rank_of(lib.messages().rank()) < 0) return;
                        *newcomm = make_of_group(lib, *lib.communicator(MPI_COMM_WORLD), *members,
                                                 {SystemTag::CreateFromGroup, tag},
                                                 "communicator % (from MPI_Comm_create_from_group)");
                        lib.communicator(*newcomm)->error_handler = handler;
                      });
}

int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group,
                                      int remote_leader, const char* stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
  return serve_groups(
      "MPI_Intercomm_create_from_groups", info, errhandler,
      [&](Library& lib, Call& call, const std::shared_ptr<ErrorHandler>& handler) {
        const auto local = lib.group(local_group);
        const int tag = number_of(stringtag);
        check_leader(*local, local_leader);
        const std::uint32_t me = lib.messages().rank();
        if (local->rank_of(me) < 0)
          throw Error(MPI_ERR_GROUP, "this rank is not in the local group",
                      "Make the call at the ranks of the local group alone.");
        const Communicator& world = *lib.communicator(MPI_COMM_WORLD);
        std::optional<Bridge> bridge;
        if (local->rank_of(me) == local_leader) {
          const auto remote = lib.group(remote_group);
          check_leader(*remote, remote_leader);
          bridge = {{world.collective(), system_tag(SystemTag::Intercommunicator, tag),
                     "MPI_Intercomm_create_from_groups, the other group's leader"},
                    remote->world_rank(remote_leader)};
        }
        call.begin();
        // A communicator of the local group, which the program has no handle of.
        const MPI_Comm made = make_of_group(lib, world, *local, {SystemTag::CreateFromGroup, tag},
                                            "communicator % (from MPI_Intercomm_create_from_groups)");
        const CommunicatorPointer group = lib.communicator(made);
        lib.communicators.remove(number(made));
        group->error_handler = handler;
        Vote vote = vote_of_call(*group);
        const auto offers = lib.collectives().exchange(*group, Collective::IntercommCreate, offer(lib, vote.say()));
        *newintercomm = connect(lib, *group, local_leader, bridge ? &*bridge : nullptr, vote, agreed_id(offers),
                                "communicator % (from MPI_Intercomm_create_from_groups)");
      });
}
