// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/registry.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "coll/algorithms.h"

namespace tidings {
namespace {

struct Family {
  Collective collective;
  const char* name;
};
constexpr Family kFamilies[] = {
    {Collective::Barrier, "barrier"},     {Collective::Bcast, "bcast"},         {Collective::Reduce, "reduce"},
    {Collective::Allreduce, "allreduce"}, {Collective::Scan, "scan"},           {Collective::Gather, "gather"},
    {Collective::Scatter, "scatter"},     {Collective::Allgather, "allgather"}, {Collective::Alltoall, "alltoall"},
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// A schedule that has no root.
auto unrooted(Schedule (*algorithm)(int rank, int size)) {
  return [algorithm](int rank, int size, int) { return algorithm(rank, size); };
}

class Registry {
 public:
  Registry() {
    constexpr Requirements kCommutative{.commutative = true};
    constexpr Requirements kEqualBlocks{.equal_blocks = true};

    add(Collective::Barrier, "dissemination", "each rank tells the one at twice the distance of the round before",
        unrooted(barrier_dissemination));

    add(Collective::Bcast, "binomial", "binomial tree of ranks counted from the root", broadcast_binomial).shape =
        find_shape("binomial");
    add(Collective::Bcast, "scatter-ring", "scatter along a binomial tree, then a ring", broadcast_scatter_ring, {},
        Cut::PerRank);

    add(Collective::Reduce, "binomial", "binomial tree of ranks counted from the root", reduce_binomial, kCommutative)
        .shape = find_shape("binomial");
    add(Collective::Reduce, "ordered", "binomial tree from rank 0, combining strictly in rank order", reduce_ordered);

    add(Collective::Allreduce, "recursive-doubling", "exchange at doubling distances, combining in rank order",
        unrooted(allreduce_recursive_doubling));
    add(Collective::Allreduce, "ring", "reduce-scatter, then allgather around a ring", unrooted(allreduce_ring),
        {.commutative = true, .element_per_rank = true}, Cut::PerRank);

    add(Collective::Scan, "doubling", "prefixes of doubling length, combining in rank order", unrooted(scan_doubling));

    add(Collective::Gather, "binomial", "blocks travel along a binomial tree, together with others", gather_binomial,
        kEqualBlocks);
    add(Collective::Gather, "linear", "every rank sends to the root", gather_linear);
    add(Collective::Scatter, "binomial", "blocks travel along a binomial tree, together with others", scatter_binomial,
        kEqualBlocks);
    add(Collective::Scatter, "linear", "the root sends to every rank", scatter_linear);

    add(Collective::Allgather, "bruck", "twice as many blocks in each round", unrooted(allgather_bruck), kEqualBlocks);
    add(Collective::Allgather, "ring", "each block travels around a ring", unrooted(allgather_ring));

    add(Collective::Alltoall, "pairwise", "in each round a rank sends to one rank and receives from another",
        unrooted(alltoall_pairwise));

    for (const Shape& shape : shapes()) add_shape(shape);
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const Algorithm& a, const Algorithm& b) { return order(a.collective) < order(b.collective); });
  }

  [[nodiscard]] const std::vector<Algorithm>& rows() const { return rows_; }

 private:
  static std::size_t order(Collective collective) {
    return static_cast<std::size_t>(
        std::find_if(std::begin(kFamilies), std::end(kFamilies),
                     [collective](const Family& family) { return family.collective == collective; }) -
        std::begin(kFamilies));
  }

  template <class Function>
  Algorithm& add(Collective collective, std::string name, std::string meaning, Function algorithm,
                 Requirements needs = {}, Cut cut = Cut::Whole) {
    const auto schedule = [algorithm](const Placement& placement, int rank, int root) {
      return algorithm(rank, static_cast<int>(placement.size()), root);
    };
    rows_.push_back({collective, std::move(name), std::move(meaning), schedule, nullptr, needs, cut});
    return rows_.back();
  }

  /// The algorithms of a tree or an exchange, but for those that have been added by hand.
  void add_shape(const Shape& shape) {
    const auto add = [&](Collective collective, auto schedule, bool combines) {
      const bool known = std::any_of(rows_.begin(), rows_.end(), [&](const Algorithm& row) {
        return row.collective == collective && row.name == shape.name;
      });
      if (known) return;
      rows_.push_back({collective, shape.name, shape.meaning, schedule, &shape, {.commutative = combines}, Cut::Whole});
    };
    const auto rank_root = [&shape](auto algorithm) {
      return [&shape, algorithm](const Placement& placement, int rank, int root) {
        return algorithm(rank, shape.parents(placement, static_cast<Member>(root)));
      };
    };
    const auto rank_only = [&shape](auto algorithm) {
      return [&shape, algorithm](const Placement& placement, int rank, int) {
        return algorithm(rank, shape.partners(placement));
      };
    };
    if (shape.is_tree()) {
      add(Collective::Barrier, rank_root(barrier_tree), false);
      add(Collective::Bcast, rank_root(broadcast_tree), false);
      add(Collective::Reduce, rank_root(reduce_tree), true);
      add(Collective::Allreduce, rank_root(allreduce_tree), true);
    } else {
      add(Collective::Barrier, rank_only(barrier_exchange), false);
      add(Collective::Allreduce, rank_only(allreduce_exchange), true);
    }
  }

  std::vector<Algorithm> rows_;
};

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const Registry registry;
  return registry.rows();
}

const std::vector<Collective>& collectives_with_algorithms() {
  static const std::vector<Collective> all = [] {
    std::vector<Collective> made;
    for (const Family& family : kFamilies) made.push_back(family.collective);
    return made;
  }();
  return all;
}

Collective family_of(Collective kind) {
  switch (kind) {
    case Collective::Finalize:
    case Collective::Init:
      return Collective::Barrier;
    case Collective::Gatherv:
      return Collective::Gather;
    case Collective::Scatterv:
      return Collective::Scatter;
    case Collective::Allgatherv:
    case Collective::CommDup:
    case Collective::CommSplit:
    case Collective::CommCreate:
    case Collective::CommSetInfo:
      return Collective::Allgather;
    case Collective::Alltoallv:
      return Collective::Alltoall;
    default:
      return kind;
  }
}

const char* family_name(Collective family) {
  for (const Family& known : kFamilies) {
    if (known.collective == family) return known.name;
  }
  return "";
}

Collective family_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Family& family : kFamilies) {
    if (name == family.name) return family.collective;
    names.emplace_back(family.name);
  }
  throw std::invalid_argument("no collective '" + std::string(name) + "'; there are " + joined(names));
}

const Algorithm& algorithm_named(Collective family, std::string_view name) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != family) continue;
    if (algorithm.name == name) return algorithm;
    names.push_back(algorithm.name);
  }
  throw std::invalid_argument("no algorithm '" + std::string(name) + "' for " + family_name(family) + "; there are " +
                              joined(names));
}

}  // namespace tidings
