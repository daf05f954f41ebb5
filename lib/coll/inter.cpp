// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/inter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "coll/algorithms.h"

namespace tidings {
namespace {

constexpr Range kInput{Place::Input, 0, 1};
constexpr Range kOutput{Place::Output, 0, 1};

Transfer send(int peer, Range range) { return {Transfer::Direction::Send, peer, range}; }
Transfer receive(int peer, Range range) { return {Transfer::Direction::Receive, peer, range}; }

Range block(Place place, int number) { return {place, static_cast<std::uint32_t>(number), 1}; }
Range scratch(std::uint32_t number) { return {Place::Scratch, number, 1}; }

/// A schedule of the local group alone. @param result takes the place of its Output.
Schedule among(const TwoGroups& groups, Schedule schedule, Range result = kOutput) {
  const auto place = [&result](Range& range) {
    if (range.place == Place::Output && range.blocks != 0) range = result;
  };
  for (Round& round : schedule) {
    for (Transfer& transfer : round.transfers) {
      transfer.peer += groups.first_local;
      place(transfer.range);
    }
    for (LocalStep& step : round.steps) {
      place(step.from);
      place(step.to);
    }
  }
  return schedule;
}

void append(Schedule& schedule, Schedule more) {
  schedule.insert(schedule.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// To the local group's rank 0.
Schedule reduced(const TwoGroups& groups, bool commutative, Range result) {
  return among(
      groups,
      commutative ? reduce_binomial(groups.rank, groups.local, 0) : reduce_ordered(groups.rank, groups.local, 0),
      result);
}

/// From the local group's rank 0.
Schedule spread(const TwoGroups& groups) { return among(groups, broadcast_binomial(groups.rank, groups.local, 0)); }

/// Each rank with each of the other group, one peer per round in each direction.
template <class Sent>
Schedule pairwise(const TwoGroups& groups, Sent sent) {
  Schedule schedule;
  const int turns = std::max(groups.local, groups.remote);
  for (int turn = 0; turn < turns; ++turn) {
    const int to = (groups.rank + turn) % turns;
    const int from = (groups.rank - turn + turns) % turns;
    Round round;
    if (from < groups.remote)
      round.transfers.push_back(receive(groups.first_remote + from, block(Place::Output, from)));
    if (to < groups.remote) round.transfers.push_back(send(groups.first_remote + to, sent(to)));
    if (!round.transfers.empty()) schedule.push_back(std::move(round));
  }
  return schedule;
}

}  // namespace

Schedule inter_broadcast(const TwoGroups& groups, RootedPart part, int root) {
  if (part == RootedPart::Bystander) return {};
  if (part == RootedPart::Root) return {{{send(groups.first_remote, kOutput)}, {}}};
  Schedule schedule;
  if (groups.rank == 0) schedule.push_back({{receive(groups.first_remote + root, kOutput)}, {}});
  append(schedule, spread(groups));
  return schedule;
}

Schedule inter_reduce(const TwoGroups& groups, RootedPart part, int root, bool commutative) {
  if (part == RootedPart::Bystander) return {};
  if (part == RootedPart::Root) return {{{receive(groups.first_remote, kOutput)}, {}}};
  Schedule schedule = reduced(groups, commutative, kOutput);
  if (groups.rank == 0) schedule.push_back({{send(groups.first_remote + root, kOutput)}, {}});
  return schedule;
}

Schedule inter_allreduce(const TwoGroups& groups, bool commutative) {
  Schedule schedule = reduced(groups, commutative, kOutput);
  if (groups.rank == 0) {
    const Range theirs = scratch(scratch_blocks(schedule));
    schedule.push_back({{receive(groups.first_remote, theirs), send(groups.first_remote, kOutput)},
                        {{LocalStep::Kind::Copy, theirs, kOutput}}});
  }
  append(schedule, spread(groups));
  return schedule;
}

Schedule inter_gather(const TwoGroups& groups, RootedPart part, int root) {
  if (part == RootedPart::Bystander) return {};
  if (part == RootedPart::Partner) return {{{send(groups.first_remote + root, kInput)}, {}}};
  Round round;
  for (int i = 0; i < groups.remote; ++i) {
    round.transfers.push_back(receive(groups.first_remote + i, block(Place::Output, i)));
  }
  return {std::move(round)};
}

Schedule inter_scatter(const TwoGroups& groups, RootedPart part, int root) {
  if (part == RootedPart::Bystander) return {};
  if (part == RootedPart::Partner) return {{{receive(groups.first_remote + root, kOutput)}, {}}};
  Round round;
  for (int i = 0; i < groups.remote; ++i) {
    round.transfers.push_back(send(groups.first_remote + i, block(Place::Input, i)));
  }
  return {std::move(round)};
}

Schedule inter_allgather(const TwoGroups& groups) {
  return pairwise(groups, [](int) { return kInput; });
}

Schedule inter_alltoall(const TwoGroups& groups) {
  return pairwise(groups, [](int to) { return block(Place::Input, to); });
}

InterReduceScatter inter_reduce_scatter(const TwoGroups& groups, bool commutative) {
  // What the reduction uses comes first, then its result, then the other group's.
  const std::uint32_t used = scratch_blocks(reduced(groups, commutative, kOutput));
  const Range ours = scratch(used);
  const Range theirs = scratch(used + 1);
  Schedule schedule = reduced(groups, commutative, ours);
  const auto part = [&](int rank) { return scratch(used + 2 + static_cast<std::uint32_t>(rank)); };
  if (groups.rank == 0) {
    schedule.push_back({{receive(groups.first_remote, theirs), send(groups.first_remote, ours)}, {}});
    Round round;
    for (int i = 1; i < groups.local; ++i) round.transfers.push_back(send(groups.first_local + i, part(i)));
    round.steps.push_back({LocalStep::Kind::Copy, part(0), kOutput});
    schedule.push_back(std::move(round));
  } else {
    schedule.push_back({{receive(groups.first_local, kOutput)}, {}});
  }
  return {std::move(schedule), used + 2};
}

}  // namespace tidings
