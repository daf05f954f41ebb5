// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/algorithms.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "coll/schedule_parts.h"

namespace tidings {
namespace parts {

std::vector<int> children_of(int rank, const Parents& parents, bool largest_first) {
  std::vector<std::uint32_t> behind(parents.size(), 1);
  for (Member member : parents) {
    for (; member != kNobody; member = parents[member]) ++behind[member];
  }
  std::vector<int> children;
  for (std::size_t member = 0; member < parents.size(); ++member) {
    if (parents[member] == index(rank)) children.push_back(static_cast<int>(member));
  }
  std::stable_sort(children.begin(), children.end(), [&](int a, int b) {
    return largest_first ? behind[index(a)] > behind[index(b)] : behind[index(a)] < behind[index(b)];
  });
  return children;
}

Schedule scatter_down(const Relative& me, int size) {
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
  return schedule;
}

}  // namespace parts

using namespace parts;

namespace {

/// What comes up to `rank` and goes on to its parent.
Schedule up_tree(int rank, const Parents& parents, Range partial, Range received, bool combines) {
  Schedule schedule;
  // The smallest subtree is ready first.
  for (const int child : children_of(rank, parents, false)) {
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
  for (const int child : children_of(rank, parents, true)) round.transfers.push_back(send(child, message));
  if (!round.transfers.empty()) schedule.push_back(std::move(round));
  return schedule;
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

Schedule barrier_dissemination(int rank, int size, int ways) {
  Schedule schedule;
  for (int distance = 1; distance < size; distance *= ways) {
    Round round;
    for (int way = distance; way < std::min(size, ways * distance); way += distance) {
      round.transfers.push_back(receive((rank - way + size) % size, kNothing));
      round.transfers.push_back(send((rank + way) % size, kNothing));
    }
    schedule.push_back(std::move(round));
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

Schedule broadcast_multicast(int rank, int size, int root) {
  if (rank != root) return {{{receive(root, kOutput)}, {}}};
  Round round{.transfers = {}, .steps = {}, .multicast = true};
  for (int other = 0; other < size; ++other) {
    if (other != root) round.transfers.push_back(send(other, kOutput));
  }
  return {round};
}

Schedule broadcast_scatter_ring(int rank, int size, int root) {
  const Relative me(rank, size, root);
  Schedule schedule = scatter_down(me, size);
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

Schedule allgather_bruck(int rank, int size, int ways) {
  // Scratch holds the blocks of this rank and those after it, around the circle.
  Schedule schedule{copy(kInput, kScratch)};
  for (int distance = 1; distance < size; distance *= ways) {
    Round round;
    for (int way = distance; way < std::min(size, ways * distance); way += distance) {
      const int count = std::min(distance, size - way);
      round.transfers.push_back(receive((rank + way) % size, blocks(Place::Scratch, way, count)));
      round.transfers.push_back(send((rank - way + size) % size, blocks(Place::Scratch, 0, count)));
    }
    schedule.push_back(std::move(round));
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

namespace {

/// Of the members on a line behind one that is at 0, the parent of the one at `place`: the line of `length` is cut into
/// `pieces`, whose first members are children of the one before it.
int parent_on_line(int place, int length, int pieces) {
  int parent = 0;
  int first = 1;
  int last = length;
  for (;;) {
    const int piece = (last - first + pieces) / pieces;
    const int start = first + (place - first) / piece * piece;
    if (start == place) return parent;
    parent = start;
    first = start + 1;
    last = std::min(start + piece - 1, last);
  }
}

/// The tree of barrier_mesh_tree().
Parents mesh_tree(const Rectangle& grid, int members, int arity) {
  const int centre_x = grid.width() / 2;
  const int centre_y = grid.height() / 2;
  // The coordinate of the parent of `place` on a line of `length`, which leads to `centre`.
  const auto towards = [](int place, int length, int centre, int pieces) {
    return place > centre ? centre + parent_on_line(place - centre, length - 1 - centre, pieces)
                          : centre - parent_on_line(centre - place, centre, pieces);
  };
  Parents parents(index(members), kNobody);
  for (int member = 0; member < members; ++member) {
    const int x = grid.x(member);
    const int y = grid.y(member);
    if (x != centre_x) {
      const int pieces = std::max(1, (arity + (x < centre_x ? 2 : 1)) / 3);
      parents[index(member)] = index(grid.at(towards(x, grid.width(), centre_x, pieces), y));
    } else if (y != centre_y) {
      parents[index(member)] = index(grid.at(x, towards(y, grid.height(), centre_y, std::max(1, arity / 3))));
    }
  }
  return parents;
}

/// Source or target of a message in a round of alltoall_in_rounds(): `hops` of a vector along x and y.
struct Vector {
  int x = 0;
  int y = 0;
};

/// All rounds of the messages over `way` and back: a source takes part in one of the subrounds.
class RoundsOfVector {
 public:
  RoundsOfVector(const Rectangle& grid, Vector way, bool latin)
      : grid_(grid),
        way_(way),
        turns_x_(std::min(way.x, grid.width() - way.x)),
        turns_y_(std::min(std::abs(way.y), grid.height() - std::abs(way.y))),
        latin_(latin && turns_x_ > 0 && turns_y_ > 0) {}

  [[nodiscard]] int number() const {
    return latin_ ? std::max(turns_x_, turns_y_) : std::max(turns_x_, 1) * std::max(turns_y_, 1);
  }
  [[nodiscard]] Round round(int rank, int number) const {
    Round round;
    const int x = grid_.x(rank);
    const int y = grid_.y(rank);
    for (const int sign : {1, -1}) {
      const Vector from{x - sign * way_.x, y - sign * way_.y};
      const Vector to{x + sign * way_.x, y + sign * way_.y};
      if (sends(from, number) && grid_.holds(from.x, from.y)) {
        const int peer = grid_.at(from.x, from.y);
        round.transfers.push_back(receive(peer, blocks(Place::Output, peer)));
      }
      if (sends({x, y}, number) && grid_.holds(to.x, to.y)) {
        const int peer = grid_.at(to.x, to.y);
        round.transfers.push_back(send(peer, blocks(Place::Input, peer)));
      }
    }
    return round;
  }

 private:
  [[nodiscard]] bool sends(Vector source, int number) const {
    if (latin_) return (source.x + source.y) % this->number() == number;
    const int across = std::max(turns_x_, 1);
    return (turns_x_ == 0 || source.x % turns_x_ == number % across) &&
           (turns_y_ == 0 || source.y % turns_y_ == number / across);
  }

  const Rectangle& grid_;
  Vector way_;
  int turns_x_;
  int turns_y_;
  bool latin_;
};

}  // namespace

Schedule barrier_mesh_tree(int rank, const Placement& placement, int arity) {
  return barrier_tree(rank, mesh_tree(Rectangle(placement), static_cast<int>(placement.size()), arity));
}

Schedule reduce_row_column(int rank, const Placement& placement, int root) {
  const Rectangle grid(placement);
  Parents parents(placement.size(), kNobody);
  for (int member = 0; member < static_cast<int>(placement.size()); ++member) {
    const int parent = grid.y(member) != grid.y(root) ? grid.at(grid.x(member), grid.y(root)) : root;
    if (member != root) parents[index(member)] = index(parent);
  }
  return reduce_tree(rank, parents);
}

Schedule allreduce_row_column(int rank, const Placement& placement, int /*root*/) {
  return both(reduce_row_column(rank, placement, 0), down_tree(rank, shape::dimension(placement, 0), kOutput));
}

Schedule alltoall_in_rounds(int rank, const Placement& placement, bool latin) {
  const Rectangle grid(placement);
  const Schedule barrier = barrier_mesh_tree(rank, placement, 3);
  Schedule schedule{copy(blocks(Place::Input, rank), blocks(Place::Output, rank))};
  const auto add = [&](Vector way) {
    const RoundsOfVector rounds(grid, way, latin);
    for (int number = 0; number < rounds.number(); ++number) {
      schedule.push_back(rounds.round(rank, number));
      schedule.insert(schedule.end(), barrier.begin(), barrier.end());
    }
  };
  for (int x = 1; x < grid.width(); ++x) add({x, 0});
  for (int y = 1; y < grid.height(); ++y) add({0, y});
  for (const int sign : {1, -1}) {
    for (int y = 1; y < grid.height(); ++y) {
      for (int x = 1; x < grid.width(); ++x) add({x, sign * y});
    }
  }
  return schedule;
}

Schedule alltoall_stages(int rank, int size) {
  Schedule schedule{copy(blocks(Place::Input, rank), blocks(Place::Output, rank))};
  // A tournament: two of an odd number meet where their sum is the stage; of an even one, the last rank meets the one
  // that would meet itself.
  const int circle = size % 2 == 0 ? size - 1 : size;
  for (int stage = 0; stage < circle && size > 1; ++stage) {
    int peer = (stage - rank + circle) % circle;
    if (rank == circle) {
      peer = stage % 2 == 0 ? stage / 2 : (stage + circle) / 2;
    } else if (peer == rank) {
      if (circle == size) continue;
      peer = circle;
    }
    Round sends{{send(peer, blocks(Place::Input, peer))}, {}};
    Round receives{{receive(peer, blocks(Place::Output, peer))}, {}};
    if (peer < rank) std::swap(sends, receives);
    schedule.push_back(std::move(sends));
    schedule.push_back(std::move(receives));
  }
  return schedule;
}

Schedule reduce_serial(int rank, int size, int root) {
  if (rank != root) return {{{send(root, kInput)}, {}}};
  Schedule schedule;
  for (int from = 0; from < size; ++from) {
    const Range& to = from == 0 ? kOutput : kScratch;
    schedule.push_back(from == root ? copy(kInput, to) : Round{{receive(from, to)}, {}});
    if (from != 0) schedule.back().steps.push_back({Kind::CombineAfter, kScratch, kOutput});
  }
  return schedule;
}

}  // namespace tidings
