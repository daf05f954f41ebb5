// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file registry.h
/// The algorithms of all collectives, by name.
///
/// A new algorithm is a function that returns its schedule (algorithms.h) and a row here; a new shape
/// (shape.h) becomes an algorithm of four collectives by itself. Help, error messages and documentation list what is
/// here.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "coll/algorithms.h"
#include "coll/schedule.h"
#include "coll/shape.h"
#include "core/descriptor.h"

namespace tidings {

/// What a call must be like for an algorithm.
struct Requirements {
  bool commutative = false;       ///< the operation commutes: it is not applied in rank order
  bool equal_blocks = false;      ///< all blocks are of one length
  bool element_per_rank = false;  ///< there are at least as many elements as ranks
  bool rectangle = false;         ///< the ranks fill a rectangle or a line of routers, one each: class Rectangle
};

/// How a vector is divided into the blocks of a schedule.
enum class Cut : std::uint8_t {
  Whole,    ///< a vector is one block
  PerRank,  ///< a vector is one block for each rank
};

struct Algorithm {
  Collective collective = Collective::None;  ///< MPI_Gatherv is a Gather here, and so on
  std::string_view name;
  std::string_view meaning;  ///< one line of help
  Schedule (*function)(const Algorithm&, const Placement&, int rank, int root) = nullptr;
  const Shape* shape = nullptr;  ///< by which the collective engine can carry it out; null: messages alone
  Requirements needs{};          ///< by messages
  Cut cut = Cut::Whole;          ///< by messages
  bool extra = false;            ///< in no table, and left out of builds without TIDINGS_EXTRA_ALGORITHMS
  bool wires = false;            ///< by the engine `barrier` or `alltoall`, unasked if it can

  /// What a rank does if messages carry it out. Throws Impossible if the group has no such algorithm.
  [[nodiscard]] Schedule schedule(const Placement& placement, int rank, int root) const {
    return function(*this, placement, rank, root);
  }
};

/// A collective that has algorithms of its own, as a user writes it.
struct Family {
  Collective collective = Collective::None;
  const char* name = "";
};
inline constexpr std::array kFamilies{
    Family{Collective::Barrier, "barrier"},
    Family{Collective::Bcast, "bcast"},
    Family{Collective::Reduce, "reduce"},
    Family{Collective::Allreduce, "allreduce"},
    Family{Collective::Scan, "scan"},
    Family{Collective::Gather, "gather"},
    Family{Collective::Scatter, "scatter"},
    Family{Collective::Allgather, "allgather"},
    Family{Collective::Alltoall, "alltoall"},
    Family{Collective::Exscan, "exscan"},
    Family{Collective::ReduceScatter, "reduce_scatter"},
};
/// Arrays that are indexed by the collective of a family have this number of elements.
inline constexpr std::size_t kFamilyEnd = [] {
  std::size_t end = 0;
  for (const Family& family : kFamilies) end = std::max(end, static_cast<std::size_t>(family.collective) + 1);
  return end;
}();

/// Rows of algorithms. They are made when the library is built.
namespace rows {

/// A function of algorithms.h as a row has it.
template <auto kFunction>
Schedule ranked(const Algorithm& /*algorithm*/, const Placement& placement, int rank, int /*root*/) {
  return kFunction(rank, static_cast<int>(placement.size()));
}
template <auto kFunction>
Schedule rooted(const Algorithm& /*algorithm*/, const Placement& placement, int rank, int root) {
  return kFunction(rank, static_cast<int>(placement.size()), root);
}
/// With one more argument: how many children, ways, or messages at once.
template <auto kFunction, int kMany>
Schedule ranked_by(const Algorithm& /*algorithm*/, const Placement& placement, int rank, int /*root*/) {
  return kFunction(rank, static_cast<int>(placement.size()), kMany);
}
template <auto kFunction, int kMany>
Schedule rooted_by(const Algorithm& /*algorithm*/, const Placement& placement, int rank, int root) {
  return kFunction(rank, static_cast<int>(placement.size()), root, kMany);
}
template <auto kFunction>
Schedule in_two_levels(const Algorithm& /*algorithm*/, const Placement& placement, int rank, int root) {
  return kFunction(rank, shape::two_level(placement, static_cast<Member>(root)));
}
template <auto kFunction>
Schedule placed(const Algorithm& /*algorithm*/, const Placement& placement, int rank, int root) {
  return kFunction(rank, placement, root);
}
template <auto kFunction>
Schedule along_tree(const Algorithm& algorithm, const Placement& placement, int rank, int root) {
  return kFunction(rank, algorithm.shape->parents(placement, static_cast<Member>(root)));
}
template <auto kFunction>
Schedule in_rounds(const Algorithm& algorithm, const Placement& placement, int rank, int /*root*/) {
  return kFunction(rank, algorithm.shape->partners(placement));
}

inline constexpr Requirements kCommutative{.commutative = true};
inline constexpr Requirements kEqualBlocks{.equal_blocks = true};
inline constexpr Requirements kRectangle{.rectangle = true};
inline constexpr Requirements kCommutativeOnRectangle{.commutative = true, .rectangle = true};

inline constexpr std::array kByHand{
    Algorithm{.collective = Collective::Barrier,
              .name = "dissemination",
              .meaning = "each rank tells the one at twice the distance of the round before",
              .function = ranked_by<barrier_dissemination, 2>},
    Algorithm{.collective = Collective::Barrier,
              .name = "mesh-3-ary",
              .meaning = "from the centre of a mesh along its column, and from there along the rows, and back: three "
                         "children at most, the root four",
              .function = placed<barrier_mesh<3>>,
              .needs = kRectangle,
              .extra = true},
    Algorithm{.collective = Collective::Barrier,
              .name = "mesh-6-ary",
              .meaning = "as mesh-3-ary with six children, so that fewer of them wait for one another",
              .function = placed<barrier_mesh<6>>,
              .needs = kRectangle,
              .extra = true},

    Algorithm{.collective = Collective::Barrier,
              .name = "wires",
              .meaning =
                  "over wires, from a communicator's second barrier on, if its ranks are at a single router, or fill a "
                  "rectangle of routers; by messages as dissemination",
              .function = ranked_by<barrier_dissemination, 2>,
              .needs = kRectangle,
              .extra = true,
              .wires = true},
    Algorithm{.collective = Collective::Barrier,
              .name = "double-ring",
              .meaning = "twice around a ring of ranks",
              .function = ranked<barrier_double_ring>,
              .extra = true},
    Algorithm{.collective = Collective::Barrier,
              .name = "4-way",
              .meaning = "each rank tells three others in each round, at four times the distance of the round before",
              .function = ranked_by<barrier_dissemination, 4>,
              .extra = true},

    Algorithm{.collective = Collective::Bcast,
              .name = "binomial",
              .meaning = "binomial tree of ranks counted from the root",
              .function = rooted<broadcast_binomial>,
              .shape = find_shape("binomial")},
    Algorithm{.collective = Collective::Bcast,
              .name = "scatter-ring",
              .meaning = "scatter along a binomial tree, then a ring",
              .function = rooted<broadcast_scatter_ring>,
              .cut = Cut::PerRank},
    Algorithm{.collective = Collective::Bcast,
              .name = "scatter-doubling",
              .meaning = "scatter along a binomial tree, then exchanges at doubling distances",
              .function = rooted<broadcast_scatter_doubling>,
              .cut = Cut::PerRank,
              .extra = true},
    Algorithm{.collective = Collective::Bcast,
              .name = "switches",
              .meaning = "words without headers over static switches, to all sides of a router at once, if the ranks "
                         "fill a rectangle of routers that have them; by messages as binomial",
              .function = rooted<broadcast_binomial>,
              .needs = kRectangle,
              .extra = true,
              .wires = true},
    Algorithm{.collective = Collective::Bcast,
              .name = "multicast",
              .meaning =
                  "from the root to all others: at once along a static route, if a single router has one for each "
                  "of its slots and a packet has room for the message; else one after the other",
              .function = rooted<broadcast_multicast>,
              .extra = true},
    Algorithm{.collective = Collective::Bcast,
              .name = "pipeline",
              .meaning = "from rank to rank, in as many parts as there are ranks",
              .function = rooted_by<broadcast_pipeline, 1>,
              .cut = Cut::PerRank,
              .extra = true},
    Algorithm{.collective = Collective::Bcast,
              .name = "binary-pipeline",
              .meaning = "along a binary tree, in as many parts as there are ranks",
              .function = rooted_by<broadcast_pipeline, 2>,
              .cut = Cut::PerRank,
              .extra = true},
    Algorithm{.collective = Collective::Bcast,
              .name = "split-binary",
              .meaning = "one half along each of two binary trees, in parts; then pairs of ranks exchange halves",
              .function = rooted<broadcast_split_binary>,
              .cut = Cut::PerRank,
              .extra = true},

    Algorithm{.collective = Collective::Reduce,
              .name = "binomial",
              .meaning = "binomial tree of ranks counted from the root",
              .function = rooted<reduce_binomial>,
              .shape = find_shape("binomial"),
              .needs = kCommutative},
    Algorithm{.collective = Collective::Reduce,
              .name = "ordered",
              .meaning = "binomial tree from rank 0, combining strictly in rank order",
              .function = rooted<reduce_ordered>},
    Algorithm{.collective = Collective::Reduce,
              .name = "serial",
              .meaning = "every rank sends to the root, which combines strictly in rank order",
              .function = rooted<reduce_serial>,
              .extra = true},
    Algorithm{.collective = Collective::Reduce,
              .name = "row-column",
              .meaning = "each column of a mesh to its rank in the root's row, then this row to the root",
              .function = placed<reduce_row_column>,
              .needs = kCommutativeOnRectangle,
              .extra = true},
    Algorithm{.collective = Collective::Reduce,
              .name = "halving",
              .meaning = "Rabenseifner: a reduce-scatter that halves the vector, then a gather",
              .function = rooted<reduce_halving>,
              .needs = {.commutative = true, .element_per_rank = true},
              .cut = Cut::PerRank,
              .extra = true},
    Algorithm{.collective = Collective::Reduce,
              .name = "pipeline",
              .meaning = "from rank to rank, in as many parts as there are ranks",
              .function = rooted_by<reduce_pipeline, 1>,
              .needs = {.commutative = true, .element_per_rank = true},
              .cut = Cut::PerRank,
              .extra = true},
    Algorithm{.collective = Collective::Reduce,
              .name = "binary-pipeline",
              .meaning = "along a binary tree, in as many parts as there are ranks",
              .function = rooted_by<reduce_pipeline, 2>,
              .needs = {.commutative = true, .element_per_rank = true},
              .cut = Cut::PerRank,
              .extra = true},
    Algorithm{.collective = Collective::Reduce,
              .name = "ordered-binary",
              .meaning = "binary tree to the last rank, combining strictly in rank order",
              .function = rooted<reduce_ordered_binary>,
              .extra = true},

    Algorithm{.collective = Collective::Reduce,
              .name = "switches",
              .meaning =
                  "words without headers over static switches, which add them up on their way, if the ranks fill "
                  "a rectangle of routers that have them; by messages as binomial",
              .function = rooted<reduce_binomial>,
              .needs = kCommutativeOnRectangle,
              .extra = true,
              .wires = true},

    Algorithm{.collective = Collective::Allreduce,
              .name = "recursive-doubling",
              .meaning = "exchange at doubling distances, combining in rank order",
              .function = ranked<allreduce_recursive_doubling>},
    Algorithm{.collective = Collective::Allreduce,
              .name = "ring",
              .meaning = "reduce-scatter, then allgather around a ring",
              .function = ranked<allreduce_ring>,
              .needs = {.commutative = true, .element_per_rank = true},
              .cut = Cut::PerRank},
    Algorithm{.collective = Collective::Allreduce,
              .name = "row-column",
              .meaning = "columns of a mesh, then its first row to rank 0, which broadcasts from router to router",
              .function = placed<allreduce_row_column>,
              .needs = kCommutativeOnRectangle,
              .extra = true},
    Algorithm{.collective = Collective::Allreduce,
              .name = "switches",
              .meaning =
                  "words without headers over static switches, which add them up on their way to the middle of a "
                  "mesh, if the ranks fill a rectangle of routers that have them; by messages as "
                  "recursive-doubling",
              .function = ranked<allreduce_recursive_doubling>,
              .needs = kRectangle,
              .extra = true,
              .wires = true},
    Algorithm{.collective = Collective::Allreduce,
              .name = "halving",
              .meaning = "Rabenseifner: a reduce-scatter that halves the vector, then an allgather",
              .function = ranked<allreduce_halving>,
              .needs = {.commutative = true, .element_per_rank = true},
              .cut = Cut::PerRank,
              .extra = true},
    Algorithm{.collective = Collective::Allreduce,
              .name = "gather",
              .meaning = "each rank gets all contributions and combines them in rank order",
              .function = ranked<allreduce_gather>,
              .extra = true},
    Algorithm{.collective = Collective::Allreduce,
              .name = "4-way",
              .meaning = "four ranks exchange in each round, combining in rank order",
              .function = ranked_by<allreduce_in_ways, 4>,
              .extra = true},

    Algorithm{.collective = Collective::Scan,
              .name = "doubling",
              .meaning = "prefixes of doubling length, combining in rank order",
              .function = ranked<scan_doubling>},
    Algorithm{.collective = Collective::Scan,
              .name = "linear",
              .meaning = "from rank to rank",
              .function = ranked<scan_linear>,
              .extra = true},
    Algorithm{.collective = Collective::Scan,
              .name = "two-level",
              .meaning = "within routers, then between them, if the ranks of each follow one another; else as doubling",
              .function = placed<scan_two_level>,
              .extra = true},

    Algorithm{.collective = Collective::Gather,
              .name = "binomial",
              .meaning = "blocks travel along a binomial tree, together with others",
              .function = rooted<gather_binomial>,
              .needs = kEqualBlocks},
    Algorithm{.collective = Collective::Gather,
              .name = "linear",
              .meaning = "every rank sends to the root",
              .function = rooted<gather_linear>},
    Algorithm{.collective = Collective::Gather,
              .name = "4-nomial",
              .meaning = "as binomial, in base 4",
              .function = rooted_by<gather_nomial, 4>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Gather,
              .name = "8-nomial",
              .meaning = "as binomial, in base 8",
              .function = rooted_by<gather_nomial, 8>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Gather,
              .name = "two-level",
              .meaning = "the first rank of each router has the blocks of all ranks there",
              .function = in_two_levels<gather_tree>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Gather,
              .name = "switches",
              .meaning = "words without headers over static switches, if the ranks fill a rectangle of routers that "
                         "have them and the blocks are equal; others as linear",
              .function = rooted<gather_linear>,
              .needs = kRectangle,
              .extra = true,
              .wires = true},
    Algorithm{.collective = Collective::Scatter,
              .name = "binomial",
              .meaning = "blocks travel along a binomial tree, together with others",
              .function = rooted<scatter_binomial>,
              .needs = kEqualBlocks},
    Algorithm{.collective = Collective::Scatter,
              .name = "linear",
              .meaning = "the root sends to every rank",
              .function = rooted<scatter_linear>},
    Algorithm{.collective = Collective::Scatter,
              .name = "4-nomial",
              .meaning = "as binomial, in base 4",
              .function = rooted_by<scatter_nomial, 4>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Scatter,
              .name = "8-nomial",
              .meaning = "as binomial, in base 8",
              .function = rooted_by<scatter_nomial, 8>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Scatter,
              .name = "two-level",
              .meaning = "the first rank of each router has the blocks of all ranks there",
              .function = in_two_levels<scatter_tree>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Scatter,
              .name = "switches",
              .meaning = "words without headers over static switches, if the ranks fill a rectangle of routers that "
                         "have them and the blocks are equal; others as linear",
              .function = rooted<scatter_linear>,
              .needs = kRectangle,
              .extra = true,
              .wires = true},

    Algorithm{.collective = Collective::Allgather,
              .name = "bruck",
              .meaning = "twice as many blocks in each round",
              .function = ranked_by<allgather_bruck, 2>,
              .needs = kEqualBlocks},
    Algorithm{.collective = Collective::Allgather,
              .name = "ring",
              .meaning = "each block travels around a ring",
              .function = ranked<allgather_ring>},
    Algorithm{.collective = Collective::Allgather,
              .name = "doubling",
              .meaning = "twice as many blocks in each round, in their places",
              .function = ranked<allgather_doubling>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Allgather,
              .name = "neighbours",
              .meaning = "pairs of ranks exchange two blocks with the pairs beside them in each round",
              .function = ranked<allgather_neighbours>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Allgather,
              .name = "sparbit",
              .meaning = "twice as many blocks in each round at half the distance, in their places: most of them go to "
                         "ranks that are near",
              .function = ranked<allgather_sparbit>,
              .extra = true},
    Algorithm{.collective = Collective::Allgather,
              .name = "linear",
              .meaning = "each rank sends to all others at once",
              .function = ranked<allgather_linear>,
              .extra = true},
    Algorithm{.collective = Collective::Allgather,
              .name = "4-way",
              .meaning = "four times as many blocks in each round",
              .function = ranked_by<allgather_bruck, 4>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Allgather,
              .name = "two-level",
              .meaning = "the first rank of each router collects blocks, passes them around a ring, and gives them to "
                         "the others there",
              .function = placed<allgather_two_level>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Allgather,
              .name = "switches",
              .meaning = "words without headers over static switches, around a ring of routers, unasked if the ranks "
                         "fill a rectangle of routers that have them; others as ring",
              .function = ranked<allgather_ring>,
              .needs = kRectangle,
              .extra = true,
              .wires = true},

    Algorithm{.collective = Collective::Alltoall,
              .name = "pairwise",
              .meaning = "in each round a rank sends to one rank and receives from another",
              .function = ranked<alltoall_pairwise>},
    Algorithm{.collective = Collective::Alltoall,
              .name = "bruck",
              .meaning = "blocks travel at doubling distances, together with others",
              .function = ranked_by<alltoall_bruck, 2>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Alltoall,
              .name = "linear",
              .meaning = "all messages at once",
              .function = ranked<alltoall_linear>,
              .extra = true},
    Algorithm{.collective = Collective::Alltoall,
              .name = "scattered",
              .meaning = "32 messages at once",
              .function = ranked_by<alltoall_at_once, 32>,
              .extra = true},
    Algorithm{.collective = Collective::Alltoall,
              .name = "stages",
              .meaning = "pairs exchange in each stage: one half of the ranks sends to the other, then back",
              .function = ranked<alltoall_stages>,
              .extra = true},
    Algorithm{.collective = Collective::Alltoall,
              .name = "ring",
              .meaning = "whole vectors travel around a ring",
              .function = ranked<alltoall_ring>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Alltoall,
              .name = "4-way",
              .meaning = "as bruck, with three ranks in each round, at distances that grow by the factor 4",
              .function = ranked_by<alltoall_bruck, 4>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Alltoall,
              .name = "two-level",
              .meaning = "the first rank of each router sends and receives for all ranks there",
              .function = placed<alltoall_two_level>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::Alltoall,
              .name = "rounds-latin",
              .meaning = "rounds on a mesh in which no two messages share a link, with a barrier after each",
              .function = placed<alltoall_rounds<true>>,
              .needs = kRectangle,
              .extra = true},
    Algorithm{.collective = Collective::Alltoall,
              .name = "rounds-product",
              .meaning = "as rounds-latin; fewer messages in each of more rounds",
              .function = placed<alltoall_rounds<false>>,
              .needs = kRectangle,
              .extra = true},

    Algorithm{
        .collective = Collective::Alltoall,
        .name = "switches",
        .meaning =
            "words without headers over static switches, unasked if the ranks fill a rectangle of routers that have "
            "them, and for blocks of several lengths if they take less time so; others as pairwise",
        .function = ranked<alltoall_pairwise>,
        .needs = kRectangle,
        .extra = true,
        .wires = true},

    Algorithm{.collective = Collective::Exscan,
              .name = "doubling",
              .meaning = "prefixes of doubling length, combining in rank order",
              .function = ranked<exscan_doubling>},
    Algorithm{.collective = Collective::Exscan,
              .name = "linear",
              .meaning = "from rank to rank",
              .function = ranked<exscan_linear>,
              .extra = true},
    Algorithm{.collective = Collective::Exscan,
              .name = "two-level",
              .meaning = "within routers, then between them, if the ranks of each follow one another; else as doubling",
              .function = placed<exscan_two_level>,
              .extra = true},

    Algorithm{.collective = Collective::ReduceScatter,
              .name = "pairwise",
              .meaning = "each rank gets its block of all others and combines them in rank order",
              .function = ranked<reduce_scatter_pairwise>},
    Algorithm{.collective = Collective::ReduceScatter,
              .name = "halving",
              .meaning = "the vector is halved from round to round",
              .function = ranked<reduce_scatter_halving>,
              .needs = {.commutative = true, .equal_blocks = true},
              .extra = true},
    Algorithm{.collective = Collective::ReduceScatter,
              .name = "ring",
              .meaning = "each block travels around a ring of ranks",
              .function = ranked<reduce_scatter_ring>,
              .needs = {.commutative = true, .equal_blocks = true},
              .extra = true},
    Algorithm{.collective = Collective::ReduceScatter,
              .name = "doubling",
              .meaning = "whole vectors at doubling distances, combining in rank order",
              .function = ranked<reduce_scatter_doubling>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::ReduceScatter,
              .name = "reduce-first",
              .meaning = "to rank 0, combining in rank order, which sends each rank its block",
              .function = ranked<reduce_scatter_reduce_first>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::ReduceScatter,
              .name = "butterfly",
              .meaning = "the vector is halved from round to round, combining in rank order",
              .function = ranked<reduce_scatter_butterfly>,
              .needs = kEqualBlocks,
              .extra = true},
    Algorithm{.collective = Collective::ReduceScatter,
              .name = "4-way",
              .meaning = "the vector is quartered from round to round",
              .function = ranked_by<reduce_scatter_in_ways, 4>,
              .needs = {.commutative = true, .equal_blocks = true},
              .extra = true},
    Algorithm{.collective = Collective::ReduceScatter,
              .name = "switches",
              .meaning =
                  "words without headers over static switches, which add all blocks up on their way to the middle of a "
                  "mesh and send them to all, if the ranks fill a rectangle of routers that have them; by messages as "
                  "pairwise",
              .function = ranked<reduce_scatter_pairwise>,
              .needs = kCommutativeOnRectangle,
              .extra = true,
              .wires = true},
};

/// What trees and exchanges are to the collectives of the engine.
struct OfShapes {
  Collective collective = Collective::None;
  bool combines = false;
  Schedule (*along_tree)(const Algorithm&, const Placement&, int rank, int root) = nullptr;
  Schedule (*in_rounds)(const Algorithm&, const Placement&, int rank, int root) = nullptr;
};
inline constexpr std::array kOfShapes{
    OfShapes{Collective::Barrier, false, along_tree<barrier_tree>, in_rounds<barrier_exchange>},
    OfShapes{.collective = Collective::Bcast, .along_tree = along_tree<broadcast_tree>},
    OfShapes{.collective = Collective::Reduce, .combines = true, .along_tree = along_tree<reduce_tree>},
    OfShapes{Collective::Allreduce, true, along_tree<allreduce_tree>, in_rounds<allreduce_exchange>},
};

#ifdef TIDINGS_EXTRA_ALGORITHMS
inline constexpr bool kExtraAlgorithms = true;
#else
inline constexpr bool kExtraAlgorithms = false;
#endif

/// Visit all rows, those of one collective together: first those by hand, then those of shapes that are not among them.
template <class Visit>
constexpr void for_each(Visit visit) {
  for (const Family& family : kFamilies) {
    const auto is_known = [&family](std::string_view name) {
      return std::any_of(kByHand.begin(), kByHand.end(),
                         [&](const Algorithm& row) { return row.collective == family.collective && row.name == name; });
    };
    for (const Algorithm& row : kByHand) {
      if (row.collective == family.collective && (kExtraAlgorithms || !row.extra)) visit(row);
    }
    for (const OfShapes& of : kOfShapes) {
      if (of.collective != family.collective) continue;
      for (const Shape& shape : kShapes) {
        const bool exchanges = of.collective == Collective::Barrier || of.collective == Collective::Allreduce;
        if (is_known(shape.name) || !(shape.is_tree() || exchanges) || (shape.extra && !kExtraAlgorithms)) continue;
        visit(Algorithm{.collective = of.collective,
                        .name = shape.name,
                        .meaning = shape.meaning,
                        .function = shape.is_tree() ? of.along_tree : of.in_rounds,
                        .shape = &shape,
                        .needs = {.commutative = of.combines},
                        .extra = shape.extra});
      }
    }
  }
}

inline constexpr std::size_t kNumber = [] {
  std::size_t number = 0;
  for_each([&number](const Algorithm&) { ++number; });
  return number;
}();
inline constexpr auto kAll = [] {
  std::array<Algorithm, kNumber> all{};
  std::size_t next = 0;
  for_each([&](const Algorithm& row) { all[next++] = row; });
  return all;
}();

}  // namespace rows

/// All algorithms, those of one collective together.
[[nodiscard]] constexpr std::span<const Algorithm> algorithms() { return rows::kAll; }

/// The collective whose algorithms a call of `kind` uses: Gather for MPI_Gatherv, Allgather for MPI_Comm_split.
[[nodiscard]] Collective family_of(Collective kind);
/// As a user writes it: "allreduce".
[[nodiscard]] const char* family_name(Collective family);

[[noreturn]] void refuse_family(std::string_view name);
[[noreturn]] void refuse_algorithm(Collective family, std::string_view name);

/// @throws std::invalid_argument naming what there is.
[[nodiscard]] constexpr Collective family_named(std::string_view name) {
  for (const Family& family : kFamilies) {
    if (name == family.name) return family.collective;
  }
  refuse_family(name);
}
/// @throws std::invalid_argument naming what there is.
[[nodiscard]] constexpr const Algorithm& algorithm_named(Collective family, std::string_view name) {
  for (const Algorithm& algorithm : rows::kAll) {
    if (algorithm.collective == family && algorithm.name == name) return algorithm;
  }
  refuse_algorithm(family, name);
}

}  // namespace tidings
