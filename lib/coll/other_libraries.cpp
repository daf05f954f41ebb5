// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// What MPICH 5.0 or Open MPI 5.0 have beside the algorithms of algorithms.cpp.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "coll/algorithms.h"
#include "coll/schedule_parts.h"

namespace tidings {

using namespace parts;

namespace {

/// From one block of Output for each rank to all of them everywhere, at doubling distances. Ranks beyond the last power
/// of two leave their blocks to others and get all at the end.
Schedule gather_by_doubling(const Relative& me, int size) {
  const int power = static_cast<int>(std::bit_floor(index(size)));
  const Range all = blocks(Place::Output, 0, size);
  const int rank = me.rank();
  Schedule schedule;
  if (rank >= power) {
    schedule.push_back({{send(me.actual(rank - power), blocks(Place::Output, rank))}, {}});
    schedule.push_back({{receive(me.actual(rank - power), all)}, {}});
    return schedule;
  }
  const bool has_more = rank + power < size;
  if (has_more) schedule.push_back({{receive(me.actual(rank + power), blocks(Place::Output, rank + power))}, {}});
  for (int distance = 1; distance < power; distance *= 2) {
    const int partner = rank ^ distance;
    Round round;
    const auto add = [&](int owner, auto transfer) {
      const int first = owner & ~(distance - 1);
      round.transfers.push_back(transfer(me.actual(partner), blocks(Place::Output, first, distance)));
      const int left = std::min(distance, size - power - first);
      if (left > 0) {
        round.transfers.push_back(transfer(me.actual(partner), blocks(Place::Output, first + power, left)));
      }
    };
    add(partner, receive);
    add(rank, send);
    schedule.push_back(std::move(round));
  }
  if (has_more) schedule.push_back({{send(me.actual(rank + power), all)}, {}});
  return schedule;
}

/// The ranks as a power of two of places: the first ones in pairs, of which the odd one acts for both.
class Places {
 public:
  Places(int rank, int size)
      : size_(size),
        number_(static_cast<int>(std::bit_floor(index(size)))),
        pairs_(size - number_),
        paired_(rank < 2 * pairs_),
        place_(place_of(rank)) {}

  [[nodiscard]] int number() const { return number_; }
  /// This rank is one of a pair, and whether it acts.
  [[nodiscard]] bool paired() const { return paired_; }
  [[nodiscard]] int place() const { return place_; }
  [[nodiscard]] int place_of(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  /// The rank that acts at a place.
  [[nodiscard]] int actor(int place) const { return place < pairs_ ? 2 * place + 1 : place + pairs_; }
  /// The first rank at a place.
  [[nodiscard]] int first(int place) const { return place < pairs_ ? 2 * place : place + pairs_; }
  /// Blocks of `size` for the places from `from` to `to`: for each those of its ranks.
  [[nodiscard]] Range of_ranks(Place array, int shift, int from, int to) const {
    return blocks(array, shift + first(from), first(to) - first(from));
  }
  /// The same in nearly equal shares.
  [[nodiscard]] Range shares(Place array, int from, int to) const {
    const int begin = from * size_ / number_;
    return blocks(array, begin, to * size_ / number_ - begin);
  }

 private:
  int size_;
  int number_;
  int pairs_;
  bool paired_;
  int place_;
};

/// Halve what a place combines from round to round. @param range(array, from, to) the blocks of places
template <class Ranges>
void halve(Schedule& schedule, const Places& me, Place partial, Place received, const Ranges& range) {
  for (int distance = me.number() / 2; distance > 0; distance /= 2) {
    const int partner = me.place() ^ distance;
    const int mine = me.place() & ~(distance - 1);
    const int theirs = partner & ~(distance - 1);
    const Range kept = range(partial, mine, mine + distance);
    const Range come = range(received, mine, mine + distance);
    const Kind kind = partner < me.place() ? Kind::CombineBefore : Kind::CombineAfter;
    schedule.push_back(
        {{receive(me.actor(partner), come), send(me.actor(partner), range(partial, theirs, theirs + distance))},
         {{kind, come, kept}}});
  }
}

/// The vector in `size` blocks: each place has combined a share of it in Output when this is over. Of a pair, only the
/// odd rank takes part. @return whether this rank does
bool reduce_shares(Schedule& schedule, const Places& me, int rank, int size) {
  const Range all = blocks(Place::Output, 0, size);
  const Range received = blocks(Place::Scratch, 0, size);
  schedule.push_back(copy(blocks(Place::Input, 0, size), all));
  if (me.paired() && rank % 2 == 0) {
    schedule.push_back({{send(rank + 1, all)}, {}});
    return false;
  }
  if (me.paired()) schedule.push_back({{receive(rank - 1, received)}, {{Kind::CombineBefore, received, all}}});
  halve(schedule, me, Place::Output, Place::Scratch,
        [&](Place array, int from, int to) { return me.shares(array, from, to); });
  return true;
}

/// A reduce-scatter of places: the blocks are combined in Scratch, and come behind those.
/// @param combine(schedule, places) what places that act do with one another.
template <class Combine>
Schedule reduce_scatter_of_places(int rank, int size, const Combine& combine) {
  const Places me(rank, size);
  const Range all = blocks(Place::Scratch, 0, size);
  const Range received = blocks(Place::Scratch, size, size);
  Schedule schedule{copy(blocks(Place::Input, 0, size), all)};
  if (me.paired() && rank % 2 == 0) {
    schedule.push_back({{send(rank + 1, all)}, {}});
    schedule.push_back({{receive(rank + 1, blocks(Place::Scratch, rank))}, {}});
  } else {
    if (me.paired()) schedule.push_back({{receive(rank - 1, received)}, {{Kind::CombineBefore, received, all}}});
    combine(schedule, me);
    if (me.paired()) schedule.push_back({{send(rank - 1, blocks(Place::Scratch, rank - 1))}, {}});
  }
  schedule.push_back(copy(blocks(Place::Scratch, rank), kOutput));
  return schedule;
}

constexpr int kNoRank = -1;

/// A heap of ranks counted from the root: each has `arity` children, and a single one is a chain.
Parents heap(int size, int root, int arity) {
  Parents parents(index(size), kNobody);
  for (int relative = 1; relative < size; ++relative) {
    parents[index((relative + root) % size)] = index(((relative - 1) / arity + root) % size);
  }
  return parents;
}

/// Blocks of Output from the root of a tree to its leaves: one comes while the one before it goes on.
void pipe_down(Schedule& schedule, int rank, const Parents& parents, int first, int count) {
  const std::vector<int> children = children_of(rank, parents, true);
  const Member parent = parents[index(rank)];
  for (int block = 0; block <= count; ++block) {
    Round round;
    if (parent != kNobody && block < count) {
      round.transfers.push_back(receive(static_cast<int>(parent), blocks(Place::Output, first + block)));
    }
    for (const int child : children) {
      if (block > 0) round.transfers.push_back(send(child, blocks(Place::Output, first + block - 1)));
    }
    schedule.push_back(std::move(round));
  }
}

/// The members of a subtree: its root, then the subtrees of its children, the largest first.
std::vector<int> subtree(int rank, const Parents& parents) {
  std::vector<int> members{rank};
  for (const int child : children_of(rank, parents, true)) {
    const std::vector<int> more = subtree(child, parents);
    members.insert(members.end(), more.begin(), more.end());
  }
  return members;
}

/// A tree of ranks counted from the root, whose parents are without their lowest digit that is not 0.
Parents nomial(int size, int root, int base) {
  Parents parents(index(size), kNobody);
  for (int relative = 1; relative < size; ++relative) {
    int digit = 1;
    while (relative / digit % base == 0) digit *= base;
    parents[index((relative + root) % size)] = index((relative - relative / digit % base * digit + root) % size);
  }
  return parents;
}

/// The ranks as a power of `ways` of teams of ranks that follow one another, whose first ones act for them.
class Teams {
 public:
  Teams(int rank, int size, int ways) : size_(size) {
    while (number_ * ways <= size) number_ *= ways;
    while (first(place_ + 1) <= rank) ++place_;
  }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int place() const { return place_; }
  /// The first rank of a team.
  [[nodiscard]] int first(int place) const { return place * size_ / number_; }
  [[nodiscard]] int leader() const { return first(place_); }
  [[nodiscard]] int end() const { return first(place_ + 1); }

 private:
  int size_;
  int number_ = 1;
  int place_ = 0;
};

/// Ranks by the routers that they are at.
class Nodes {
 public:
  Nodes(int rank, const Placement& placement) : node_of_(placement.size()) {
    std::map<std::uint16_t, std::size_t> found;
    for (Member member = 0; member < placement.size(); ++member) {
      const std::size_t node = found.emplace(placement.router(member), members_.size()).first->second;
      if (node == members_.size()) members_.emplace_back();
      node_of_[member] = static_cast<int>(node);
      members_[node].push_back(static_cast<int>(member));
    }
    int next = 0;
    for (const std::vector<int>& members : members_) {
      starts_.push_back(next);
      next += static_cast<int>(members.size());
    }
    mine_ = node_of_[index(rank)];
  }

  [[nodiscard]] int number() const { return static_cast<int>(members_.size()); }
  [[nodiscard]] int mine() const { return mine_; }
  [[nodiscard]] const std::vector<int>& members(int node) const { return members_[index(node)]; }
  [[nodiscard]] const std::vector<int>& members() const { return members(mine_); }
  [[nodiscard]] int ranks(int node) const { return static_cast<int>(members(node).size()); }
  [[nodiscard]] int leader(int node) const { return members(node).front(); }
  /// Ranks at nodes before this one.
  [[nodiscard]] int start(int node) const { return starts_[index(node)]; }
  /// The ranks of each node follow one another.
  [[nodiscard]] bool in_order() const { return std::is_sorted(node_of_.begin(), node_of_.end()); }

 private:
  std::vector<int> node_of_;
  std::vector<std::vector<int>> members_;
  std::vector<int> starts_;
  int mine_ = 0;
};

/// A scan within nodes, then one of nodes. @param inclusive a rank's own contribution is part of its result
Schedule scan_nodes(int rank, const Placement& placement, bool inclusive) {
  const Nodes nodes(rank, placement);
  const int size = static_cast<int>(placement.size());
  if (!nodes.in_order()) return inclusive ? scan_doubling(rank, size) : exscan_doubling(rank, size);
  const Range sum = blocks(Place::Scratch, 0);       // of this node's ranks up to this one
  const Range before = blocks(Place::Scratch, 1);    // the same without this one
  const Range lower = blocks(Place::Scratch, 2);     // of all lower nodes
  const Range received = blocks(Place::Scratch, 3);  // of some lower nodes
  const int node = nodes.mine();
  const bool is_first = rank == nodes.members().front();
  const int last = nodes.members().back();
  Schedule schedule{copy(kInput, sum)};
  if (!is_first) schedule.push_back({{receive(rank - 1, before)}, {{Kind::CombineBefore, before, sum}}});
  if (rank != last) schedule.push_back({{send(rank + 1, sum)}, {}});
  // The last rank of a node knows the sum of the node.
  for (int distance = 1; rank == last && distance < nodes.number(); distance *= 2) {
    Round round;
    if (node >= distance) {
      round.transfers.push_back(receive(nodes.members(node - distance).back(), received));
      round.steps.push_back({distance == 1 ? Kind::Copy : Kind::CombineBefore, received, lower});
      round.steps.push_back({Kind::CombineBefore, received, sum});
    }
    if (node + distance < nodes.number()) {
      round.transfers.push_back(send(nodes.members(node + distance).back(), sum));
    }
    schedule.push_back(std::move(round));
  }
  Round result;
  if (node > 0 && rank != last) result.transfers.push_back(receive(last, lower));
  for (const int member : nodes.members()) {
    if (node > 0 && rank == last && member != last) result.transfers.push_back(send(member, lower));
  }
  // The last rank's sum has those of the lower nodes already.
  const bool adds = node > 0 && (inclusive ? rank != last : !is_first);
  if (inclusive || !is_first) {
    result.steps.push_back({Kind::Copy, inclusive ? sum : before, kOutput});
  } else if (node > 0) {
    result.steps.push_back({Kind::Copy, lower, kOutput});
  }
  if (adds) result.steps.push_back({Kind::CombineBefore, lower, kOutput});
  schedule.push_back(std::move(result));
  return schedule;
}

}  // namespace

Schedule barrier_double_ring(int rank, int size) {
  if (size == 1) return {};
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  Schedule schedule;
  for (int turn = 0; turn < 2; ++turn) {
    Round come{{receive(left, kNothing)}, {}};
    Round go{{send(right, kNothing)}, {}};
    if (rank == 0) std::swap(come, go);
    schedule.push_back(std::move(come));
    schedule.push_back(std::move(go));
  }
  return schedule;
}

Schedule broadcast_scatter_doubling(int rank, int size, int root) {
  const Relative me(rank, size, root);
  return both(scatter_down(me, size), gather_by_doubling(me, size));
}

Schedule broadcast_pipeline(int rank, int size, int root, int arity) {
  Schedule schedule;
  pipe_down(schedule, rank, heap(size, root, arity), 0, size);
  return schedule;
}

Schedule broadcast_split_binary(int rank, int size, int root) {
  const Relative me(rank, size, root);
  // Odd ranks, counted from the root, are one tree, and even ones the other: the n-th of both are partners.
  const int half = (size + 1) / 2;
  const auto half_of = [=](int relative) {
    return relative % 2 != 0 ? blocks(Place::Output, 0, half) : blocks(Place::Output, half, size - half);
  };
  Parents parents(index(size), kNobody);
  for (int relative = 1; relative < size; ++relative) {
    const int place = (relative - 1) / 2;
    const int parent = place == 0 ? 0 : relative - 2 * (place - (place - 1) / 2);
    parents[index(me.actual(relative))] = index(me.actual(parent));
  }
  Schedule schedule;
  if (me.rank() == 0) {
    for (int block = 0; block < half; ++block) {
      Round round;
      for (int child = 1; child < std::min(3, size); ++child) {
        const Range mine = half_of(child);
        if (index(block) < mine.blocks) {
          round.transfers.push_back(
              send(me.actual(child), blocks(Place::Output, static_cast<int>(mine.first) + block)));
        }
      }
      schedule.push_back(std::move(round));
    }
    // The last odd rank may have no partner.
    if (size % 2 == 0) schedule.push_back({{send(me.actual(size - 1), half_of(0))}, {}});
    return schedule;
  }
  const Range mine = half_of(me.rank());
  pipe_down(schedule, rank, parents, static_cast<int>(mine.first), static_cast<int>(mine.blocks));
  const int partner = me.rank() % 2 != 0 ? me.rank() + 1 : me.rank() - 1;
  if (partner == size) {
    schedule.push_back({{receive(root, half_of(0))}, {}});
  } else {
    schedule.push_back({{receive(me.actual(partner), half_of(partner)), send(me.actual(partner), mine)}, {}});
  }
  return schedule;
}

Schedule reduce_pipeline(int rank, int size, int root, int arity) {
  const Parents parents = heap(size, root, arity);
  const std::vector<int> children = children_of(rank, parents, false);
  const Member parent = parents[index(rank)];
  Schedule schedule{copy(blocks(Place::Input, 0, size), blocks(Place::Output, 0, size))};
  for (int block = 0; block <= size; ++block) {
    Round up;
    if (parent != kNobody && block > 0) {
      up.transfers.push_back(send(static_cast<int>(parent), blocks(Place::Output, block - 1)));
    }
    // What comes from one child is combined before that of the next takes its place.
    const Range come = blocks(Place::Scratch, block);
    for (std::size_t child = 0; child < children.size() && block < size; ++child) {
      Round round;
      if (child == 0) std::swap(round, up);
      round.transfers.push_back(receive(children[child], come));
      round.steps.push_back({Kind::CombineAfter, come, blocks(Place::Output, block)});
      schedule.push_back(std::move(round));
    }
    if (!up.transfers.empty()) schedule.push_back(std::move(up));
  }
  return schedule;
}

Schedule reduce_ordered_binary(int rank, int size, int root) {
  // The last rank of a range combines those before it, which are cut into two.
  Schedule schedule{copy(kInput, kOutput)};
  const int top = size - 1;
  int parent = kNoRank;
  int first = 0;
  int last = top;
  while (last != rank) {
    parent = last--;
    const int middle = first + (last - first) / 2;
    if (rank <= middle && middle < last) {
      last = middle;
    } else if (middle < last) {
      first = middle + 1;
    }
  }
  // The ranges below this rank: the one next to it first, as it is combined first.
  const int below = last - 1;
  const int middle = first + (below - first) / 2;
  const auto take = [&](int child) {
    schedule.push_back({{receive(child, kScratch)}, {{Kind::CombineBefore, kScratch, kOutput}}});
  };
  if (first <= below) take(below);
  if (first <= below && middle < below) take(middle);
  if (parent != kNoRank) schedule.push_back({{send(parent, kOutput)}, {}});
  if (root != top && rank == top) schedule.push_back({{send(root, kOutput)}, {}});
  if (root != top && rank == root) schedule.push_back({{receive(top, kOutput)}, {}});
  return schedule;
}

Schedule reduce_halving(int rank, int size, int root) {
  const Places me(rank, size);
  const Range all = blocks(Place::Output, 0, size);
  const int goal = me.place_of(root);
  Schedule schedule;
  if (reduce_shares(schedule, me, rank, size)) {
    // The shares come together along a binomial tree of places.
    const int away = me.place() ^ goal;
    for (int distance = 1; distance < me.number(); distance *= 2) {
      const int partner = me.place() ^ distance;
      const auto share = [&](int place) {
        const int from = place & ~(distance - 1);
        return me.shares(Place::Output, from, from + distance);
      };
      if ((away & distance) != 0) {
        schedule.push_back({{send(me.actor(partner), share(me.place()))}, {}});
        break;
      }
      schedule.push_back({{receive(me.actor(partner), share(partner))}, {}});
    }
  }
  if (me.actor(goal) != root) {
    if (rank == me.actor(goal)) schedule.push_back({{send(root, all)}, {}});
    if (rank == root) schedule.push_back({{receive(me.actor(goal), all)}, {}});
  }
  return schedule;
}

Schedule allreduce_halving(int rank, int size) {
  const Places me(rank, size);
  const Range all = blocks(Place::Output, 0, size);
  Schedule schedule;
  if (!reduce_shares(schedule, me, rank, size)) {
    schedule.push_back({{receive(rank + 1, all)}, {}});
    return schedule;
  }
  for (int distance = 1; distance < me.number(); distance *= 2) {
    const int partner = me.place() ^ distance;
    const int mine = me.place() & ~(distance - 1);
    const int theirs = partner & ~(distance - 1);
    schedule.push_back({{receive(me.actor(partner), me.shares(Place::Output, theirs, theirs + distance)),
                         send(me.actor(partner), me.shares(Place::Output, mine, mine + distance))},
                        {}});
  }
  if (me.paired()) schedule.push_back({{send(rank - 1, all)}, {}});
  return schedule;
}

Schedule allreduce_gather(int rank, int size) {
  const Range own = blocks(Place::Scratch, rank);
  Schedule schedule{copy(kInput, own)};
  Round round;
  for (int i = 0; i < size; ++i) {
    if (i != rank) round.transfers.push_back(receive(i, blocks(Place::Scratch, i)));
  }
  for (int i = 0; i < size; ++i) {
    if (i != rank) round.transfers.push_back(send(i, own));
  }
  round.steps.push_back({Kind::Copy, blocks(Place::Scratch, size - 1), kOutput});
  for (int i = size - 2; i >= 0; --i) round.steps.push_back({Kind::CombineBefore, blocks(Place::Scratch, i), kOutput});
  schedule.push_back(std::move(round));
  return schedule;
}

Schedule scan_linear(int rank, int size) {
  Schedule schedule{copy(kInput, kOutput)};
  if (rank > 0) schedule.push_back({{receive(rank - 1, kScratch)}, {{Kind::CombineBefore, kScratch, kOutput}}});
  if (rank + 1 < size) schedule.push_back({{send(rank + 1, kOutput)}, {}});
  return schedule;
}

Schedule exscan_linear(int rank, int size) {
  const Range received = blocks(Place::Scratch, 1);
  Schedule schedule{copy(kInput, kScratch)};
  if (rank > 0) {
    schedule.push_back(
        {{receive(rank - 1, received)}, {{Kind::CombineBefore, received, kScratch}, {Kind::Copy, received, kOutput}}});
  }
  if (rank + 1 < size) schedule.push_back({{send(rank + 1, kScratch)}, {}});
  return schedule;
}

Schedule allgather_doubling(int rank, int size) {
  return both({copy(kInput, blocks(Place::Output, rank))}, gather_by_doubling(Relative(rank, size, 0), size));
}

Schedule allgather_neighbours(int rank, int size) {
  if (size % 2 != 0) return allgather_ring(rank, size);
  const bool even = rank % 2 == 0;
  const int peers[2] = {(even ? rank + 1 : rank - 1 + size) % size, (even ? rank - 1 + size : rank + 1) % size};
  Schedule schedule{copy(kInput, blocks(Place::Output, rank))};
  if (size == 1) return schedule;
  schedule.push_back(
      {{receive(peers[0], blocks(Place::Output, peers[0])), send(peers[0], blocks(Place::Output, rank))}, {}});
  // From now on pairs travel: of a pair, one rank hears from the pair above, the other from that below.
  int come[2] = {even ? rank : peers[0], even ? rank : peers[0]};
  int go = come[0];
  for (int turn = 1; turn < size / 2; ++turn) {
    const int side = turn % 2;
    const bool up = (side == 0) == even;
    come[side] = (come[side] + (up ? 2 : size - 2)) % size;
    schedule.push_back(
        {{receive(peers[side], blocks(Place::Output, come[side], 2)), send(peers[side], blocks(Place::Output, go, 2))},
         {}});
    go = come[side];
  }
  return schedule;
}

Schedule allgather_sparbit(int rank, int size) {
  Schedule schedule{copy(kInput, blocks(Place::Output, rank))};
  const auto behind = [=](int places) { return (rank + size - places % size) % size; };
  // Before a round, a rank has the blocks of the ranks that are even multiples of the distance behind it. It gets those
  // of the odd multiples.
  int held = 1;
  for (auto distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)) / 2); distance > 0; distance /= 2) {
    const int moved = (size + distance - 1) / distance - held;
    Round round;
    for (int i = 0; i < moved; ++i) {
      round.transfers.push_back(receive(behind(distance), blocks(Place::Output, behind((2 * i + 1) * distance))));
      round.transfers.push_back(send((rank + distance) % size, blocks(Place::Output, behind(2 * i * distance))));
    }
    held += moved;
    schedule.push_back(std::move(round));
  }
  return schedule;
}

Schedule allgather_linear(int rank, int size) {
  const Range own = blocks(Place::Output, rank);
  Schedule schedule{copy(kInput, own)};
  Round round;
  for (int distance = 1; distance < size; ++distance) {
    const int from = (rank - distance + size) % size;
    round.transfers.push_back(receive(from, blocks(Place::Output, from)));
  }
  for (int distance = 1; distance < size; ++distance) round.transfers.push_back(send((rank + distance) % size, own));
  if (size > 1) schedule.push_back(std::move(round));
  return schedule;
}

Schedule alltoall_bruck(int rank, int size, int ways) {
  // Scratch has a block for each distance, and behind them room for those that leave and for those that come.
  Round first;
  for (int i = 0; i < size; ++i) {
    first.steps.push_back({Kind::Copy, blocks(Place::Input, (rank + i) % size), blocks(Place::Scratch, i)});
  }
  Schedule schedule{std::move(first)};
  for (int distance = 1; distance < size; distance *= ways) {
    Round pack;
    Round exchange;
    int count = 0;
    for (int way = distance; way < std::min(size, ways * distance); way += distance) {
      const int before = count;
      for (int i = way; i < size; ++i) {
        if (i / distance % ways != way / distance) continue;
        pack.steps.push_back({Kind::Copy, blocks(Place::Scratch, i), blocks(Place::Scratch, size + count)});
        exchange.steps.push_back({Kind::Copy, blocks(Place::Scratch, 2 * size + count), blocks(Place::Scratch, i)});
        ++count;
      }
      exchange.transfers.push_back(
          receive((rank - way + size) % size, blocks(Place::Scratch, 2 * size + before, count - before)));
      exchange.transfers.push_back(send((rank + way) % size, blocks(Place::Scratch, size + before, count - before)));
    }
    schedule.push_back(std::move(pack));
    schedule.push_back(std::move(exchange));
  }
  Round last;
  for (int i = 0; i < size; ++i) {
    last.steps.push_back({Kind::Copy, blocks(Place::Scratch, i), blocks(Place::Output, (rank - i + size) % size)});
  }
  schedule.push_back(std::move(last));
  return schedule;
}

Schedule alltoall_ring(int rank, int size) {
  Range vector = blocks(Place::Input, 0, size);
  Schedule schedule{copy(blocks(Place::Input, rank), blocks(Place::Output, rank))};
  for (int turn = 1; turn < size; ++turn) {
    const int start = turn % 2 * size;
    const Range come = blocks(Place::Scratch, start, size);
    schedule.push_back(
        {{receive((rank - 1 + size) % size, come), send((rank + 1) % size, vector)},
         {{Kind::Copy, blocks(Place::Scratch, start + rank), blocks(Place::Output, (rank - turn + size) % size)}}});
    vector = come;
  }
  return schedule;
}

Schedule alltoall_at_once(int rank, int size, int most) {
  Schedule schedule{copy(blocks(Place::Input, rank), blocks(Place::Output, rank))};
  for (int begin = 1; begin < size; begin += most) {
    Round round;
    const int end = std::min(size, begin + most);
    for (int distance = begin; distance < end; ++distance) {
      const int from = (rank - distance + size) % size;
      round.transfers.push_back(receive(from, blocks(Place::Output, from)));
    }
    for (int distance = begin; distance < end; ++distance) {
      const int to = (rank + distance) % size;
      round.transfers.push_back(send(to, blocks(Place::Input, to)));
    }
    schedule.push_back(std::move(round));
  }
  return schedule;
}

Schedule reduce_scatter_halving(int rank, int size) {
  return reduce_scatter_of_places(rank, size, [=](Schedule& schedule, const Places& me) {
    // What comes lies as far behind as there are blocks.
    halve(schedule, me, Place::Scratch, Place::Input, [&](Place array, int from, int to) {
      return me.of_ranks(Place::Scratch, array == Place::Input ? size : 0, from, to);
    });
  });
}

Schedule reduce_scatter_ring(int rank, int size) {
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  Range partial = blocks(Place::Input, (rank - 1 + size) % size);
  if (size == 1) return {copy(partial, kOutput)};
  Schedule schedule;
  for (int turn = 0; turn < size - 1; ++turn) {
    const Range come = blocks(Place::Scratch, turn % 2);
    const int block = (rank - 2 - turn + 2 * size) % size;
    schedule.push_back(
        {{receive(left, come), send(right, partial)}, {{Kind::CombineBefore, blocks(Place::Input, block), come}}});
    partial = come;
  }
  schedule.push_back(copy(partial, kOutput));
  return schedule;
}

Schedule reduce_scatter_doubling(int rank, int size) {
  return reduce_scatter_of_places(rank, size, [=](Schedule& schedule, const Places& me) {
    const Range all = blocks(Place::Scratch, 0, size);
    const Range received = blocks(Place::Scratch, size, size);
    for (int distance = 1; distance < me.number(); distance *= 2) {
      const int partner = me.place() ^ distance;
      const Kind kind = partner < me.place() ? Kind::CombineBefore : Kind::CombineAfter;
      schedule.push_back(
          {{receive(me.actor(partner), received), send(me.actor(partner), all)}, {{kind, received, all}}});
    }
  });
}

Schedule reduce_scatter_reduce_first(int rank, int size) {
  const Relative me(rank, size, 0);
  const Range all = blocks(Place::Scratch, 0, size);
  const Range received = blocks(Place::Scratch, size, size);
  Schedule schedule{copy(blocks(Place::Input, 0, size), all)};
  for (int distance = 1; distance < me.span(); distance *= 2) {
    const int child = rank + distance;
    if (child >= size) break;
    schedule.push_back({{receive(child, received)}, {{Kind::CombineAfter, received, all}}});
  }
  if (rank != 0) {
    schedule.push_back({{send(rank - me.span(), all)}, {}});
    schedule.push_back({{receive(0, kOutput)}, {}});
    return schedule;
  }
  Round round;
  for (int i = 1; i < size; ++i) round.transfers.push_back(send(i, blocks(Place::Scratch, i)));
  round.steps.push_back({Kind::Copy, kScratch, kOutput});
  schedule.push_back(std::move(round));
  return schedule;
}

Schedule gather_nomial(int rank, int size, int root, int base) { return gather_tree(rank, nomial(size, root, base)); }

Schedule scatter_nomial(int rank, int size, int root, int base) { return scatter_tree(rank, nomial(size, root, base)); }

Schedule gather_tree(int rank, const Parents& parents) {
  // Scratch holds the blocks of our subtree, our own first.
  Schedule schedule{copy(kInput, kScratch)};
  Round come;
  int held = 1;
  for (const int child : children_of(rank, parents, true)) {
    const int count = static_cast<int>(subtree(child, parents).size());
    come.transfers.push_back(receive(child, blocks(Place::Scratch, held, count)));
    held += count;
  }
  if (!come.transfers.empty()) schedule.push_back(std::move(come));
  const Member parent = parents[index(rank)];
  if (parent != kNobody) {
    schedule.push_back({{send(static_cast<int>(parent), blocks(Place::Scratch, 0, held))}, {}});
    return schedule;
  }
  Round unpack;
  int block = 0;
  for (const int member : subtree(rank, parents)) {
    unpack.steps.push_back({Kind::Copy, blocks(Place::Scratch, block++), blocks(Place::Output, member)});
  }
  schedule.push_back(std::move(unpack));
  return schedule;
}

Schedule scatter_tree(int rank, const Parents& parents) {
  const std::vector<int> members = subtree(rank, parents);
  const Member parent = parents[index(rank)];
  Round come;
  if (parent != kNobody) {
    come.transfers.push_back(
        receive(static_cast<int>(parent), blocks(Place::Scratch, 0, static_cast<int>(members.size()))));
  } else {
    int block = 0;
    for (const int member : members) {
      come.steps.push_back({Kind::Copy, blocks(Place::Input, member), blocks(Place::Scratch, block++)});
    }
  }
  Schedule schedule{std::move(come)};
  Round go;
  int next = 1;
  for (const int child : children_of(rank, parents, true)) {
    const int count = static_cast<int>(subtree(child, parents).size());
    go.transfers.push_back(send(child, blocks(Place::Scratch, next, count)));
    next += count;
  }
  go.steps.push_back({Kind::Copy, kScratch, kOutput});
  schedule.push_back(std::move(go));
  return schedule;
}

Schedule allreduce_in_ways(int rank, int size, int ways) {
  const Teams team(rank, size, ways);
  Schedule schedule{copy(kInput, kOutput)};
  if (rank != team.leader()) {
    schedule.push_back({{send(team.leader(), kOutput)}, {}});
    schedule.push_back({{receive(team.leader(), kOutput)}, {}});
    return schedule;
  }
  for (int member = rank + 1; member < team.end(); ++member) {
    schedule.push_back({{receive(member, kScratch)}, {{Kind::CombineAfter, kScratch, kOutput}}});
  }
  for (int distance = 1; distance < team.number(); distance *= ways) {
    const int digit = team.place() / distance % ways;
    Round round;
    round.steps.push_back({Kind::Copy, kOutput, blocks(Place::Scratch, digit)});
    for (int other = 0; other < ways; ++other) {
      if (other == digit) continue;
      const int peer = team.first(team.place() + (other - digit) * distance);
      round.transfers.push_back(receive(peer, blocks(Place::Scratch, other)));
      round.transfers.push_back(send(peer, kOutput));
    }
    // All combine the same in the same order, so that they have the same bits.
    round.steps.push_back({Kind::Copy, blocks(Place::Scratch, ways - 1), kOutput});
    for (int other = ways - 2; other >= 0; --other) {
      round.steps.push_back({Kind::CombineBefore, blocks(Place::Scratch, other), kOutput});
    }
    schedule.push_back(std::move(round));
  }
  Round last;
  for (int member = rank + 1; member < team.end(); ++member) last.transfers.push_back(send(member, kOutput));
  if (!last.transfers.empty()) schedule.push_back(std::move(last));
  return schedule;
}

Schedule reduce_scatter_in_ways(int rank, int size, int ways) {
  const Teams team(rank, size, ways);
  // The blocks are combined in Scratch, and what comes is behind them.
  const Range all = blocks(Place::Scratch, 0, size);
  const Range received = blocks(Place::Scratch, size, size);
  if (rank != team.leader()) {
    return {{{send(team.leader(), blocks(Place::Input, 0, size))}, {}}, {{receive(team.leader(), kOutput)}, {}}};
  }
  Schedule schedule{copy(blocks(Place::Input, 0, size), all)};
  for (int member = rank + 1; member < team.end(); ++member) {
    schedule.push_back({{receive(member, received)}, {{Kind::CombineAfter, received, all}}});
  }
  for (int distance = team.number() / ways; distance > 0; distance /= ways) {
    const int digit = team.place() / distance % ways;
    const int mine = team.place() - team.place() % distance;
    const auto range_of = [&](int start, int place) {
      return blocks(Place::Scratch, start + team.first(place), team.first(place + distance) - team.first(place));
    };
    Round round;
    for (int other = 0; other < ways; ++other) {
      if (other == digit) continue;
      const int way = (other - digit) * distance;
      const int peer = team.first(team.place() + way);
      const Range come = range_of((1 + other) * size, mine);
      round.transfers.push_back(receive(peer, come));
      round.transfers.push_back(send(peer, range_of(0, mine + way)));
      round.steps.push_back({Kind::CombineAfter, come, range_of(0, mine)});
    }
    schedule.push_back(std::move(round));
  }
  Round last;
  for (int member = rank + 1; member < team.end(); ++member) {
    last.transfers.push_back(send(member, blocks(Place::Scratch, member)));
  }
  last.steps.push_back({Kind::Copy, blocks(Place::Scratch, rank), kOutput});
  schedule.push_back(std::move(last));
  return schedule;
}

Schedule reduce_scatter_butterfly(int rank, int size) {
  const Teams team(rank, size, 2);
  if (rank != team.leader()) {
    return {{{send(team.leader(), blocks(Place::Input, 0, size))}, {}}, {{receive(team.leader(), kOutput)}, {}}};
  }
  const Range all = blocks(Place::Scratch, 0, size);
  const Range received = blocks(Place::Scratch, size, size);
  Schedule schedule{copy(blocks(Place::Input, 0, size), all)};
  for (int member = rank + 1; member < team.end(); ++member) {
    schedule.push_back({{receive(member, received)}, {{Kind::CombineAfter, received, all}}});
  }
  // Neighbours exchange first, for the sake of the order, so the lowest bit of a place decides which half it keeps: at
  // its blocks it ends if they are where the place is with its bits turned around.
  std::vector<int> starts{0};
  Round permute;
  for (int at = 0; at < team.number(); ++at) {
    int place = 0;
    for (int bit = 1; bit < team.number(); bit *= 2) place = 2 * place + (at / bit) % 2;
    const int count = team.first(place + 1) - team.first(place);
    permute.steps.push_back({Kind::Copy, blocks(Place::Scratch, team.first(place), count),
                             blocks(Place::Scratch, 2 * size + starts.back(), count)});
    starts.push_back(starts.back() + count);
  }
  schedule.push_back(std::move(permute));
  int from = 0;
  int to = team.number();
  for (int distance = 1; distance < team.number(); distance *= 2) {
    const int partner = team.place() ^ distance;
    const int middle = (from + to) / 2;
    const bool low = partner > team.place();
    const auto range_of = [&](int start, bool lower) {
      const int first = starts[index(lower ? from : middle)];
      return blocks(Place::Scratch, start + first, starts[index(lower ? middle : to)] - first);
    };
    const Range kept = range_of(2 * size, low);
    const Range come = range_of(0, low);
    schedule.push_back({{receive(team.first(partner), come), send(team.first(partner), range_of(2 * size, !low))},
                        {{low ? Kind::CombineAfter : Kind::CombineBefore, come, kept}}});
    (low ? to : from) = middle;
  }
  const int mine = 2 * size + starts[index(from)];
  Round last;
  for (int member = rank + 1; member < team.end(); ++member) {
    last.transfers.push_back(send(member, blocks(Place::Scratch, mine + member - rank)));
  }
  last.steps.push_back({Kind::Copy, blocks(Place::Scratch, mine), kOutput});
  schedule.push_back(std::move(last));
  return schedule;
}

// ---------------------------------------------------------------- those that know which ranks share a router

Schedule scan_two_level(int rank, const Placement& placement, int /*root*/) {
  return scan_nodes(rank, placement, true);
}

Schedule exscan_two_level(int rank, const Placement& placement, int /*root*/) {
  return scan_nodes(rank, placement, false);
}

Schedule allgather_two_level(int rank, const Placement& placement, int /*root*/) {
  const Nodes nodes(rank, placement);
  const int size = static_cast<int>(placement.size());
  const int node = nodes.mine();
  const int leader = nodes.leader(node);
  // Scratch holds the blocks of all nodes.
  const Range all = blocks(Place::Scratch, 0, size);
  const auto of_node = [&](int which) { return blocks(Place::Scratch, nodes.start(which), nodes.ranks(which)); };
  Schedule schedule;
  if (rank != leader) {
    schedule.push_back({{send(leader, kInput)}, {}});
    schedule.push_back({{receive(leader, all)}, {}});
  } else {
    Round come;
    come.steps.push_back({Kind::Copy, kInput, blocks(Place::Scratch, nodes.start(node))});
    for (int i = 1; i < nodes.ranks(node); ++i) {
      come.transfers.push_back(receive(nodes.members()[index(i)], blocks(Place::Scratch, nodes.start(node) + i)));
    }
    schedule.push_back(std::move(come));
    const int number = nodes.number();
    for (int turn = 0; turn < number - 1; ++turn) {
      schedule.push_back(
          {{receive(nodes.leader((node - 1 + number) % number), of_node((node - turn - 1 + number) % number)),
            send(nodes.leader((node + 1) % number), of_node((node - turn + number) % number))},
           {}});
    }
    Round go;
    for (const int member : nodes.members()) {
      if (member != rank) go.transfers.push_back(send(member, all));
    }
    schedule.push_back(std::move(go));
  }
  for (int which = 0; which < nodes.number(); ++which) {
    for (int i = 0; i < nodes.ranks(which); ++i) {
      schedule.back().steps.push_back({Kind::Copy, blocks(Place::Scratch, nodes.start(which) + i),
                                       blocks(Place::Output, nodes.members(which)[index(i)])});
    }
  }
  return schedule;
}

Schedule alltoall_two_level(int rank, const Placement& placement, int /*root*/) {
  const Nodes nodes(rank, placement);
  const int size = static_cast<int>(placement.size());
  const int node = nodes.mine();
  const int leader = nodes.leader(node);
  if (rank != leader) {
    return {{{send(leader, blocks(Place::Input, 0, size))}, {}},
            {{receive(leader, blocks(Place::Output, 0, size))}, {}}};
  }
  // Scratch holds the vectors of the node's ranks, and behind them what leaves; then what comes, and behind it the
  // vectors that they get.
  const int own = nodes.ranks(node);
  const int behind = own * size;
  Round collect;
  collect.steps.push_back({Kind::Copy, blocks(Place::Input, 0, size), blocks(Place::Scratch, 0, size)});
  for (int i = 1; i < own; ++i) {
    collect.transfers.push_back(receive(nodes.members()[index(i)], blocks(Place::Scratch, i * size, size)));
  }
  // Of two nodes, those of one by those of the other: for each rank that gets them, in order of the ranks that give.
  const auto start_of = [&](int which) { return own * nodes.start(which); };
  for (int which = 0; which < nodes.number(); ++which) {
    int next = behind + start_of(which);
    for (const int to : nodes.members(which)) {
      for (int i = 0; i < own; ++i) {
        collect.steps.push_back({Kind::Copy, blocks(Place::Scratch, i * size + to), blocks(Place::Scratch, next++)});
      }
    }
  }
  Schedule schedule{std::move(collect)};
  const int number = nodes.number();
  const auto between = [&](int start, int which) {
    return blocks(Place::Scratch, start + start_of(which), own * nodes.ranks(which));
  };
  schedule.push_back(copy(between(behind, node), between(0, node)));
  for (int turn = 1; turn < number; ++turn) {
    const int from = (node - turn + number) % number;
    const int to = (node + turn) % number;
    schedule.push_back(
        {{receive(nodes.leader(from), between(0, from)), send(nodes.leader(to), between(behind, to))}, {}});
  }
  Round sort;
  for (int which = 0; which < number; ++which) {
    int next = start_of(which);
    for (int i = 0; i < own; ++i) {
      for (const int from : nodes.members(which)) {
        sort.steps.push_back(
            {Kind::Copy, blocks(Place::Scratch, next++), blocks(Place::Scratch, behind + i * size + from)});
      }
    }
  }
  schedule.push_back(std::move(sort));
  Round give;
  for (int i = 1; i < own; ++i) {
    give.transfers.push_back(send(nodes.members()[index(i)], blocks(Place::Scratch, behind + i * size, size)));
  }
  give.steps.push_back({Kind::Copy, blocks(Place::Scratch, behind, size), blocks(Place::Output, 0, size)});
  schedule.push_back(std::move(give));
  return schedule;
}

}  // namespace tidings
