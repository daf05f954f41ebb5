// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/estimate.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace tidings {
namespace {

std::uint64_t way(const Placement& placement, Member from, Member to, const EngineCosts& costs) {
  const std::uint64_t hops = placement.hops(from, to);
  return hops == 0 ? costs.router : hops * costs.hop;
}

/// Cycles to the farthest member.
std::uint64_t eccentricity(const Placement& placement, Member from, const EngineCosts& costs) {
  std::uint64_t most = 0;
  for (Member to = 0; to < placement.size(); ++to) {
    if (to != from) most = std::max(most, way(placement, from, to, costs));
  }
  return most;
}

std::uint64_t diameter(const Placement& placement, const EngineCosts& costs) {
  std::uint64_t most = 0;
  for (Member from = 0; from < placement.size(); ++from) most = std::max(most, eccentricity(placement, from, costs));
  return most;
}

/// Cycles from the member that is best in the middle to the one farthest from it.
std::uint64_t radius(const Placement& placement, const EngineCosts& costs) {
  std::uint64_t least = eccentricity(placement, 0, costs);
  for (Member from = 1; from < placement.size(); ++from) least = std::min(least, eccentricity(placement, from, costs));
  return least;
}

/// Cycles along a tree to its farthest member, and `level` for each edge.
std::uint64_t longest_way(const Placement& placement, const Parents& parents, const EngineCosts& costs,
                          std::uint64_t level) {
  std::uint64_t most = 0;
  for (Member member = 0; member < placement.size(); ++member) {
    std::uint64_t sum = 0;
    for (Member below = member; parents[below] != kNobody; below = parents[below]) {
      sum += way(placement, parents[below], below, costs) + level;
    }
    most = std::max(most, sum);
  }
  return most;
}

std::uint64_t stream_of(std::uint64_t words) { return words == 0 ? 0 : words - 1; }

bool combines(Collective family) { return family == Collective::Reduce || family == Collective::Allreduce; }

}  // namespace

std::uint64_t exchange_words(const Placement& placement) {
  const Grid& grid = placement.grid();
  std::uint64_t routers = 1;
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) routers *= grid.radix(d);
  const auto shared = [](std::uint64_t words, std::uint64_t links) { return (words + links - 1) / links; };
  std::uint64_t most = placement.size() - 1;  // of a slot
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    std::vector<std::uint64_t> members(grid.radix(d));  // by coordinate
    for (Member member = 0; member < placement.size(); ++member) ++members[placement.coordinate(member, d)];
    if (grid.wraps(d)) {
      // The links of the dimension, in both directions, share the hops of all words.
      std::uint64_t hops = 0;
      for (std::uint64_t a = 0; a < members.size(); ++a) {
        for (std::uint64_t b = 0; b < members.size(); ++b) {
          const std::uint64_t straight = std::max(a, b) - std::min(a, b);
          hops += members[a] * members[b] * std::min<std::uint64_t>(straight, members.size() - straight);
        }
      }
      most = std::max(most, shared(hops, 2 * routers));
      continue;
    }
    std::uint64_t below = 0;
    for (std::size_t cut = 0; cut + 1 < members.size(); ++cut) {
      below += members[cut];
      most = std::max(most, shared(below * (placement.size() - below), routers / members.size()));
    }
  }
  return most;
}

std::uint64_t least_cycles(const Placement& placement, Collective family, std::uint64_t words, const EngineCosts& costs,
                           bool exchanges) {
  const std::uint64_t others = placement.size() - 1;
  switch (family) {
    case Collective::Alltoall:
      return others == 0 ? 0 : costs.hop + stream_of(words * exchange_words(placement));
    case Collective::Allgather:
    case Collective::ReduceScatter:
      return std::max(diameter(placement, costs) + stream_of(words), costs.hop + stream_of(words * others));
    case Collective::Gather:
    case Collective::Scatter:
      return std::max(eccentricity(placement, 0, costs) + stream_of(words), costs.hop + stream_of(words * others));
    case Collective::Scan:
    case Collective::Exscan:
      return eccentricity(placement, static_cast<Member>(others), costs) + stream_of(words);
    default:
      break;
  }
  // Operands are summed two by two, in rounds.
  const auto steps = static_cast<std::uint64_t>(std::bit_width(placement.size() - 1));
  const std::uint64_t sums = combines(family) ? costs.adder * steps : 0;
  if (family == Collective::Barrier || exchanges) return diameter(placement, costs) + sums + stream_of(words);
  const bool allreduce = family == Collective::Allreduce;
  const std::uint64_t there = allreduce ? radius(placement, costs) : eccentricity(placement, 0, costs);
  return (allreduce ? 2 * there : there) + sums + stream_of(words);
}

std::uint64_t least_cycles(const Placement& placement, Collective family, std::uint64_t words, const EngineCosts& costs,
                           const Shape& shape) {
  const std::uint64_t adder = combines(family) ? costs.adder : 0;
  std::uint64_t cycles = stream_of(words);
  if (shape.is_tree()) {
    const bool rooted = family == Collective::Bcast || family == Collective::Reduce;
    const Parents parents = shape.parents(placement, rooted ? 0 : best_root(placement, shape));
    if (family != Collective::Bcast) cycles += longest_way(placement, parents, costs, adder);
    if (family != Collective::Reduce) cycles += longest_way(placement, parents, costs, 0);
  } else {
    for (const auto& round : shape.partners(placement)) {
      std::uint64_t most = 0;
      for (Member member = 0; member < placement.size(); ++member) {
        most = std::max(most, way(placement, member, round[member], costs));
      }
      cycles += most + adder;
    }
  }
  return std::max(cycles, least_cycles(placement, family, words, costs, !shape.is_tree()));
}

double message_time(const Algorithm& algorithm, const Placement& placement, int root, std::uint64_t bytes,
                    const MessageCosts& costs) {
  const std::size_t size = placement.size();
  const double block = static_cast<double>(bytes) / (algorithm.cut == Cut::PerRank ? static_cast<double>(size) : 1.0);
  const auto bytes_of = [block](const Range& range) { return block * range.blocks; };
  struct Rank {
    Schedule schedule;
    std::size_t round = 0;
    double clock = 0;
    bool sent = false;
  };
  std::vector<Rank> ranks(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    ranks[rank].schedule = algorithm.schedule(placement, static_cast<int>(rank), root);
  }
  std::map<std::pair<std::size_t, std::size_t>, std::deque<double>> arrivals;  // from, to
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t me = 0; me < size; ++me) {
      Rank& rank = ranks[me];
      if (rank.round == rank.schedule.size()) continue;
      const Round& round = rank.schedule[rank.round];
      std::map<std::size_t, std::size_t> needed;
      for (const Transfer& transfer : round.transfers) {
        const auto peer = static_cast<std::size_t>(transfer.peer);
        if (transfer.direction == Transfer::Direction::Receive) {
          ++needed[peer];
        } else if (!rank.sent) {
          rank.clock += costs.send + bytes_of(transfer.range) * costs.byte;
          const double flight = costs.hop * placement.hops(static_cast<Member>(me), static_cast<Member>(peer));
          arrivals[{me, peer}].push_back(rank.clock + flight);
        }
      }
      rank.sent = true;
      const bool ready = std::all_of(needed.begin(), needed.end(), [&](const auto& need) {
        return arrivals[{need.first, me}].size() >= need.second;
      });
      if (!ready) continue;
      for (const auto& [peer, count] : needed) {
        auto& queue = arrivals[{peer, me}];
        for (std::size_t i = 0; i < count; ++i) {
          rank.clock = std::max(rank.clock, queue.front()) + costs.receive;
          queue.pop_front();
        }
      }
      for (const LocalStep& step : round.steps) {
        if (step.kind != LocalStep::Kind::Copy) rank.clock += bytes_of(step.from) * costs.combine_byte;
      }
      rank.sent = false;
      ++rank.round;
      moved = true;
    }
  }
  double last = 0;
  for (const Rank& rank : ranks) last = std::max(last, rank.clock);
  return last;
}

}  // namespace tidings
