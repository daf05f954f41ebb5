// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/algorithms.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace tidings {
namespace {

using Kind = LocalStep::Kind;
constexpr Range kInput{Place::Input, 0, 1};
constexpr Range kOutput{Place::Output, 0, 1};
constexpr Range kScratch{Place::Scratch, 0, 1};
constexpr Range kNothing{Place::Output, 0, 0};

std::uint32_t index(int value) { return static_cast<std::uint32_t>(value); }

Range blocks(Place place, int first, int count = 1) { return {place, index(first), index(count)}; }

Transfer send(int peer, Range range) { return {Transfer::Direction::Send, peer, range}; }
Transfer receive(int peer, Range range) { return {Transfer::Direction::Receive, peer, range}; }

Round copy(Range from, Range to) { return {{}, {{Kind::Copy, from, to}}}; }

/// Ranks counted from the root, which trees are built on.
class Relative {
 public:
  Relative(int rank, int size, int root) : size_(size), root_(root), rank_((rank - root + size) % size) {}

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int actual(int relative) const { return (relative + root_) % size_; }
  /// Lowest bit of the rank: how many ranks the binomial subtree spans at most; at the root, all.
  [[nodiscard]] int span() const { return rank_ == 0 ? static_cast<int>(std::bit_ceil(index(size_))) : rank_ & -rank_; }
  /// Ranks in the subtree of `relative` that spans at most `span`.
  [[nodiscard]] int members(int relative, int span) const { return std::min(span, size_ - relative); }

 private:
  int size_;
  int root_;
  int rank_;
};

/// The children of a member, the one with the most members behind it first.
std::vector<int> children_of(int rank, const Parents& parents) {
  std::vector<std::uint32_t> behind(parents.size(), 1);
  for (Member member : parents) {
    for (; member != kNobody; member = parents[member]) ++behind[member];
  }
  std::vector<int> children;
  for (std::size_t member = 0; member < parents.size(); ++member) {
    if (parents[member] == index(rank)) children.push_back(static_cast<int>(member));
  }
  std::stable_sort(children.begin(), children.end(), [&](int a, int b) { return behind[index(a)] > behind[index(b)]; });
  return children;
}

/// What comes up to `rank` and goes on to its parent.
Schedule up_tree(int rank, const Parents& parents, Range partial, Range received, bool combines) {
  Schedule schedule;
  auto children = children_of(rank, parents);
  // The smallest subtree is ready first.
  std::reverse(children.begin(), children.end());
  for (const int child : children) {
    Round round{{receive(child, received)}, {}};
    if (combines) round.steps.push_back({Kind::CombineAfter, received, partial});
    schedule.push_back(std::move(round));
  }
  const Member parent = parents[index(rank)];
  if (parent != kNobody) schedule.push_back({{send(static_cast<int>(parent), partial)}, {}});
  return schedule;
}

/// What comes down to `rank` and goes on to its children.
Schedule down_tree(int rank, const Parents& parents, Range message) {
  Schedule schedule;
  const Member parent = parents[index(rank)];
  if (parent != kNobody) schedule.push_back({{receive(static_cast<int>(parent), message)}, {}});
  Round round;
  for (const int child : children_of(rank, parents)) round.transfers.push_back(send(child, message));
  if (!round.transfers.empty()) schedule.push_back(std::move(round));
  return schedule;
}

Schedule both(Schedule first, Schedule second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
  return first;
}

}  // namespace

std::uint32_t scratch_blocks(const Schedule& schedule) {
  std::uint32_t most = 0;
  const auto note = [&most](const Range& range) {
    if (range.place == Place::Scratch) most = std::max(most, range.first + range.blocks);
  };
  for (const Round& round : schedule) {
    for (const Transfer& transfer : round.transfers) note(transfer.range);
    for (const LocalStep& step : round.steps) {
      note(step.from);
      note(step.to);
    }
  }
  return most;
}

Schedule barrier_dissemination(int rank, int size) {
  Schedule schedule;
  for (int distance = 1; distance < size; distance *= 2) {
    schedule.push_back(
        {{receive((rank - distance + size) % size, kNothing), send((rank + distance) % size, kNothing)}, {}});
  }
  return schedule;
}

Schedule broadcast_binomial(int rank, int size, int root) {
  const Relative me(rank, size, root);
  Schedule schedule;
  if (me.rank() != 0) schedule.push_back({{receive(me.actual(me.rank() - me.span()), kOutput)}, {}});
  // The largest subtree first: it has the longest way to go.
  for (int span = me.span() / 2; span > 0; span /= 2) {
    const int child = me.rank() + span;
    if (child < size) schedule.push_back({{send(me.actual(child), kOutput)}, {}});
  }
  return schedule;
}

Schedule broadcast_scatter_ring(int rank, int size, int root) {
  const Relative me(rank, size, root);
  Schedule schedule;
  // Block i, counted from the root, is carried by rank i, counted from the root.
  if (me.rank() != 0) {
    const int count = me.members(me.rank(), me.span());
    schedule.push_back({{receive(me.actual(me.rank() - me.span()), blocks(Place::Output, me.rank(), count))}, {}});
  }
  for (int span = me.span() / 2; span > 0; span /= 2) {
    const int child = me.rank() + span;
    if (child >= size) continue;
    schedule.push_back({{send(me.actual(child), blocks(Place::Output, child, me.members(child, span)))}, {}});
  }
  const int right = me.actual((me.rank() + 1) % size);
  const int left = me.actual((me.rank() - 1 + size) % size);
  for (int step = 0; step < size - 1; ++step) {
    const int out = (me.rank() - step + size) % size;
    const int in = (me.rank() - step - 1 + size) % size;
    schedule.push_back({{receive(left, blocks(Place::Output, in)), send(right, blocks(Place::Output, out))}, {}});
  }
  return schedule;
}

Schedule reduce_binomial(int rank, int size, int root) {
  const Relative me(rank, size, root);
  Schedule schedule{copy(kInput, kOutput)};
  for (int distance = 1; distance < me.span(); distance *= 2) {
    const int child = me.rank() + distance;
    if (child >= size) break;
    schedule.push_back({{receive(me.actual(child), kScratch)}, {{Kind::CombineAfter, kScratch, kOutput}}});
  }
  if (me.rank() != 0) schedule.push_back({{send(me.actual(me.rank() - me.span()), kOutput)}, {}});
  return schedule;
}

Schedule reduce_ordered(int rank, int size, int root) {
  // Subtrees of the tree from rank 0 hold consecutive ranks, so every combination is of neighbours in order.
  Schedule schedule = reduce_binomial(rank, size, 0);
  if (root == 0) return schedule;
  if (rank == 0) schedule.push_back({{send(root, kOutput)}, {}});
  if (rank == root) schedule.push_back({{receive(0, kOutput)}, {}});
  return schedule;
}

Schedule allreduce_recursive_doubling(int rank, int size) {
  // The first 2·extra ranks fold in pairs, so that a power of two remains.
  const int power = static_cast<int>(std::bit_floor(index(size)));
  const int extra = size - power;
  const bool folded = rank < 2 * extra;
  Schedule schedule{copy(kInput, kOutput)};
  if (folded && rank % 2 == 0) {
    schedule.push_back({{send(rank + 1, kOutput)}, {}});
    schedule.push_back({{receive(rank + 1, kOutput)}, {}});
    return schedule;
  }
  if (folded) schedule.push_back({{receive(rank - 1, kScratch)}, {{Kind::CombineBefore, kScratch, kOutput}}});
  const int place = folded ? rank / 2 : rank - extra;
  for (int distance = 1; distance < power; distance *= 2) {
    const int partner_place = place ^ distance;
    const int partner = partner_place < extra ? 2 * partner_place + 1 : partner_place + extra;
    const Kind kind = partner < rank ? Kind::CombineBefore : Kind::CombineAfter;
    schedule.push_back({{receive(partner, kScratch), send(partner, kOutput)}, {{kind, kScratch, kOutput}}});
  }
  if (folded) schedule.push_back({{send(rank - 1, kOutput)}, {}});
  return schedule;
}

Schedule allreduce_ring(int rank, int size) {
  Schedule schedule{copy(blocks(Place::Input, 0, size), blocks(Place::Output, 0, size))};
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank - step + size) % size;
    const int in = (rank - step - 1 + size) % size;
    schedule.push_back({{receive(left, blocks(Place::Scratch, in)), send(right, blocks(Place::Output, out))},
                        {{Kind::CombineBefore, blocks(Place::Scratch, in), blocks(Place::Output, in)}}});
  }
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank + 1 - step + size) % size;
    const int in = (rank - step + size) % size;
    schedule.push_back({{receive(left, blocks(Place::Output, in)), send(right, blocks(Place::Output, out))}, {}});
  }
  return schedule;
}

Schedule scan_doubling(int rank, int size) {
  // Before the round of a distance, Output is the reduction of the last `distance` ranks up to this one.
  Schedule schedule{copy(kInput, kOutput)};
  for (int distance = 1; distance < size; distance *= 2) {
    Round round;
    if (rank >= distance) {
      round.transfers.push_back(receive(rank - distance, kScratch));
      round.steps.push_back({Kind::CombineBefore, kScratch, kOutput});
    }
    if (rank + distance < size) round.transfers.push_back(send(rank + distance, kOutput));
    schedule.push_back(std::move(round));
  }
  return schedule;
}

Schedule exscan_doubling(int rank, int size) {
  // Scratch 0 is what Output is in scan_doubling; Output is the same without this rank's contribution.
  const Range partial = blocks(Place::Scratch, 0);
  const Range received = blocks(Place::Scratch, 1);
  Schedule schedule{copy(kInput, partial)};
  for (int distance = 1; distance < size; distance *= 2) {
    Round round;
    if (rank >= distance) {
      round.transfers.push_back(receive(rank - distance, received));
      round.steps.push_back({distance == 1 ? Kind::Copy : Kind::CombineBefore, received, kOutput});
      round.steps.push_back({Kind::CombineBefore, received, partial});
    }
    if (rank + distance < size) round.transfers.push_back(send(rank + distance, partial));
    schedule.push_back(std::move(round));
  }
  return schedule;
}

Schedule reduce_scatter_pairwise(int rank, int size) {
  // The result may take the place of the input, so it is written when all has been sent.
  Schedule schedule{copy(blocks(Place::Input, rank), blocks(Place::Scratch, rank))};
  for (int distance = 1; distance < size; ++distance) {
    const int to = (rank + distance) % size;
    const int from = (rank - distance + size) % size;
    schedule.push_back({{receive(from, blocks(Place::Scratch, from)), send(to, blocks(Place::Input, to))}, {}});
  }
  Round last;
  last.steps.push_back({Kind::Copy, blocks(Place::Scratch, size - 1), kOutput});
  for (int i = size - 2; i >= 0; --i) {
    last.steps.push_back({Kind::CombineBefore, blocks(Place::Scratch, i), kOutput});
  }
  schedule.push_back(std::move(last));
  return schedule;
}

Schedule gather_binomial(int rank, int size, int root) {
  // Scratch holds the blocks of our subtree, our own first.
  const Relative me(rank, size, root);
  Schedule schedule{copy(kInput, kScratch)};
  for (int distance = 1; distance < me.span(); distance *= 2) {
    const int child = me.rank() + distance;
    if (child >= size) break;
    schedule.push_back(
        {{receive(me.actual(child), blocks(Place::Scratch, distance, me.members(child, distance)))}, {}});
  }
  if (me.rank() != 0) {
    const int count = me.members(me.rank(), me.span());
    schedule.push_back({{send(me.actual(me.rank() - me.span()), blocks(Place::Scratch, 0, count))}, {}});
    return schedule;
  }
  Round unpack;
  for (int i = 0; i < size; ++i) {
    unpack.steps.push_back({Kind::Copy, blocks(Place::Scratch, i), blocks(Place::Output, me.actual(i))});
  }
  schedule.push_back(std::move(unpack));
  return schedule;
}

Schedule gather_linear(int rank, int size, int root) {
  if (rank != root) return {{{send(root, kInput)}, {}}};
  Round round;
  round.steps.push_back({Kind::Copy, kInput, blocks(Place::Output, root)});
  for (int i = 0; i < size; ++i) {
    if (i != root) round.transfers.push_back(receive(i, blocks(Place::Output, i)));
  }
  return {round};
}

Schedule scatter_binomial(int rank, int size, int root) {
  const Relative me(rank, size, root);
  Schedule schedule;
  if (me.rank() == 0) {
    Round pack;
    for (int i = 0; i < size; ++i) {
      pack.steps.push_back({Kind::Copy, blocks(Place::Input, me.actual(i)), blocks(Place::Scratch, i)});
    }
    schedule.push_back(std::move(pack));
  } else {
    const int count = me.members(me.rank(), me.span());
    schedule.push_back({{receive(me.actual(me.rank() - me.span()), blocks(Place::Scratch, 0, count))}, {}});
  }
  for (int span = me.span() / 2; span > 0; span /= 2) {
    const int child = me.rank() + span;
    if (child >= size) continue;
    schedule.push_back({{send(me.actual(child), blocks(Place::Scratch, span, me.members(child, span)))}, {}});
  }
  schedule.push_back(copy(kScratch, kOutput));
  return schedule;
}

Schedule scatter_linear(int rank, int size, int root) {
  if (rank != root) return {{{receive(root, kOutput)}, {}}};
  Round round;
  for (int i = 0; i < size; ++i) {
    if (i != root) round.transfers.push_back(send(i, blocks(Place::Input, i)));
  }
  round.steps.push_back({Kind::Copy, blocks(Place::Input, root), kOutput});
  return {round};
}

Schedule allgather_ring(int rank, int size) {
  Schedule schedule{copy(kInput, blocks(Place::Output, rank))};
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank - step + size) % size;
    const int in = (rank - step - 1 + size) % size;
    schedule.push_back({{receive(left, blocks(Place::Output, in)), send(right, blocks(Place::Output, out))}, {}});
  }
  return schedule;
}

Schedule allgather_bruck(int rank, int size) {
  // Scratch holds the blocks of this rank and those after it, around the circle.
  Schedule schedule{copy(kInput, kScratch)};
  for (int distance = 1; distance < size; distance *= 2) {
    const int count = std::min(distance, size - distance);
    schedule.push_back({{receive((rank + distance) % size, blocks(Place::Scratch, distance, count)),
                         send((rank - distance + size) % size, blocks(Place::Scratch, 0, count))},
                        {}});
  }
  Round unpack;
  for (int i = 0; i < size; ++i) {
    unpack.steps.push_back({Kind::Copy, blocks(Place::Scratch, i), blocks(Place::Output, (rank + i) % size)});
  }
  schedule.push_back(std::move(unpack));
  return schedule;
}

Schedule alltoall_pairwise(int rank, int size) {
  Schedule schedule{copy(blocks(Place::Input, rank), blocks(Place::Output, rank))};
  for (int distance = 1; distance < size; ++distance) {
    const int to = (rank + distance) % size;
    const int from = (rank - distance + size) % size;
    schedule.push_back({{receive(from, blocks(Place::Output, from)), send(to, blocks(Place::Input, to))}, {}});
  }
  return schedule;
}

Schedule barrier_tree(int rank, const Parents& parents) {
  return both(up_tree(rank, parents, kNothing, kNothing, false), down_tree(rank, parents, kNothing));
}

Schedule broadcast_tree(int rank, const Parents& parents) { return down_tree(rank, parents, kOutput); }

Schedule reduce_tree(int rank, const Parents& parents) {
  return both({copy(kInput, kOutput)}, up_tree(rank, parents, kOutput, kScratch, true));
}

Schedule allreduce_tree(int rank, const Parents& parents) {
  return both(reduce_tree(rank, parents), down_tree(rank, parents, kOutput));
}

Schedule barrier_exchange(int rank, const Partners& partners) {
  Schedule schedule;
  for (const auto& round : partners) {
    const int partner = static_cast<int>(round[index(rank)]);
    schedule.push_back({{receive(partner, kNothing), send(partner, kNothing)}, {}});
  }
  return schedule;
}

Schedule allreduce_exchange(int rank, const Partners& partners) {
  Schedule schedule{copy(kInput, kOutput)};
  for (const auto& round : partners) {
    const int partner = static_cast<int>(round[index(rank)]);
    const Kind kind = partner < rank ? Kind::CombineBefore : Kind::CombineAfter;
    schedule.push_back({{receive(partner, kScratch), send(partner, kOutput)}, {{kind, kScratch, kOutput}}});
  }
  return schedule;
}

}  // namespace tidings
