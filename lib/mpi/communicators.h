// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file communicators.h
/// How communicators are made.
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/call.h"
#include "mpi/system_messages.h"

namespace tidings {

/// The highest id: contexts are 16 bits wide, two for each.
inline constexpr std::uint32_t kMostCommunicatorIds = 0x7fff;
/// From here on, ids are for copies that are made while the program goes on.
inline constexpr std::uint32_t kFirstCopyId = 0x4000;

/// What this rank offers when all members of a communicator make another.
[[nodiscard]] Collectives::Offer offer(const Library& lib, std::uint32_t id, std::int64_t color = 0,
                                       std::int64_t key = 0);
/// The id that all members of the parent agree on for what they are making: the highest that one of them offers.
[[nodiscard]] std::uint32_t agreed_id(const std::vector<Collectives::Offer>& all);
/// Tell all members of the parent what this rank offers for what they are making, and hear what they do. What all
/// offer as id is the one that they have agreed on, which no communicator of a member has.
[[nodiscard]] std::vector<Collectives::Offer> exchange_offers(Library& lib, Communicator& parent, Collective kind,
                                                              std::int64_t color = 0, std::int64_t key = 0);
/// Added to an id by a rank with several threads: others of its threads may make communicators meanwhile, so that the
/// highest id need not be free when all have agreed on it.
inline constexpr std::uint32_t kVote = 1U << 16;
/// What a rank offers first.
[[nodiscard]] inline std::uint32_t first_offer(const Library& lib) {
  return lib.next_communicator() + (several_threads ? kVote : 0);
}
/// Agree on an id that all can take. @param parent the id of what communicates.
template <class HighestOf>
std::uint32_t agree_by_vote(Library& lib, std::uint32_t parent, HighestOf highest_of) {
  // Those that are in each other's way go apart by their parents' ids, modulo this.
  constexpr std::uint32_t kSpread = 61;
  for (std::uint32_t attempt = 0;; ++attempt) {
    const std::uint32_t least = Communicator::kWorldId + 2 + attempt * (1 + parent % kSpread);
    const std::uint32_t id = highest_of(CommunicatorIds::free_from(least));
    if (id > kMostCommunicatorIds)
      throw Error(MPI_ERR_OTHER, "too many communicators: no context is left",
                  "Call MPI_Comm_free for those that are no longer used.");
    const bool free = CommunicatorIds::is_free(id);
    // Until the call is over, it is as though a communicator had it.
    if (free && several_threads) CommunicatorIds::take(id);
    const bool agreed = highest_of(free ? 0 : 1) == 0;
    if (free && several_threads) {
      if (agreed) {
        Threads::when_over(CommunicatorIds::give_back, id);
      } else {
        CommunicatorIds::give_back(id);
      }
    }
    if (!agreed) continue;
    if (id >= lib.next_communicator()) lib.use_communicator(id);
    return id;
  }
}
/// Agree on an id. @param parent the id of what communicates.
/// @param highest_of gives the highest of the numbers that all who agree give to it.
template <class HighestOf>
std::uint32_t agree_on_id(Library& lib, std::uint32_t parent, HighestOf highest_of) {
  // As long as there are ids that nobody has had, the first of them is free everywhere.
  std::uint32_t id = highest_of(first_offer(lib));
  if (kMayHaveThreads && id >= kVote) return agree_by_vote(lib, parent, highest_of);
  if (id < kFirstCopyId) {
    lib.use_communicator(id);
    return id;
  }
  // Then one that is free again: nobody can take less than the highest that somebody asks for.
  for (std::uint32_t least = 0;; least = id) {
    id = highest_of(CommunicatorIds::free_from(least));
    lib.use_communicator_again(id);
    if (id == least) return id;
  }
}
/// Make a communicator for this rank, which is a member. @param label as Communicator takes it.
[[nodiscard]] MPI_Comm make_communicator(Library& lib, const char* label, const Communicator& parent,
                                         const std::vector<Collectives::Offer>& all, std::vector<std::uint32_t> members,
                                         const std::string& choices = {});
/// The algorithms that hints name; empty if they name none.
[[nodiscard]] std::string checked_choices(const Info& hints);
/// A number that differs if the algorithms that ranks name do.
[[nodiscard]] std::int64_t fingerprint(const std::string& choices);
/// What is wrong if they do.
[[nodiscard]] std::string unequal_choices();
/// What the members of a group know a communicator by that they make alone.
struct GroupTag {
  SystemTag kind;
  int number;
};
/// As make_communicator() for the members of a group of the parent's ranks, of which this rank is one. Others take no
/// part.
[[nodiscard]] MPI_Comm make_of_group(Library& lib, const Communicator& parent, const Group& members, GroupTag tag,
                                     const char* label);
/// Serve a call that takes a communicator's handle away. @param name of the call.
int free_communicator(const char* name, MPI_Comm* comm);
/// Begin a call in which all members of a communicator tell each other something.
void begin_exchange(Call& call, Collective kind, const Communicator& communicator);

}  // namespace tidings
