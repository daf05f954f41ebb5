// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file communicators.h
/// How communicators are made.
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/call.h"
#include "mpi/system_messages.h"
#include "mpi/vote.h"

namespace tidings {

/// What this rank offers when all members of a communicator make another.
[[nodiscard]] Collectives::Offer offer(const Library& lib, std::uint32_t id, std::int64_t color = 0,
                                       std::int64_t key = 0);
/// The id that all members of the parent agree on for what they are making: the highest that one of them offers.
[[nodiscard]] std::uint32_t agreed_id(const std::vector<Collectives::Offer>& all);
/// Tell all members of the parent what this rank offers for what they are making, and hear what they do. What all
/// offer as id is the one that they have agreed on, which no communicator of a member has.
[[nodiscard]] std::vector<Collectives::Offer> exchange_offers(Library& lib, Communicator& parent, Collective kind,
                                                              std::int64_t color = 0, std::int64_t key = 0);
/// A vote on the id of what a call makes that blocks. @param parent what communicates.
[[nodiscard]] inline Vote vote_of_call(const Communicator& parent) {
  return {ids_of_calls(), parent.id(), !several_threads};
}
/// A round of such a vote is over. @return whether all have agreed. @throws Error if no id is left.
[[nodiscard]] bool agreed(Vote& vote, std::uint32_t highest);
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
