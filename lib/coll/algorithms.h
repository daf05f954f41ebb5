// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file algorithms.h
/// The collective algorithms. Each returns the schedule of `rank` out of `size`.
#include "coll/schedule.h"
#include "coll/shape.h"

namespace tidings {

/// Dissemination: each rank tells `ways` - 1 others in each round; transfers carry no blocks.
[[nodiscard]] Schedule barrier_dissemination(int rank, int size, int ways = 2);

/// Binomial tree; the message is block 0 of Output.
[[nodiscard]] Schedule broadcast_binomial(int rank, int size, int root);
/// The root sends to all others, at once if it can.
[[nodiscard]] Schedule broadcast_multicast(int rank, int size, int root);
/// Scatter along a binomial tree, then a ring; the message is `size` blocks of Output. For long messages.
[[nodiscard]] Schedule broadcast_scatter_ring(int rank, int size, int root);

/// Binomial tree from the root; for commutative operations. Contribution in Input 0, result in Output 0 of the root.
[[nodiscard]] Schedule reduce_binomial(int rank, int size, int root);
/// As reduce_binomial, combining strictly in rank order.
[[nodiscard]] Schedule reduce_ordered(int rank, int size, int root);

/// Recursive doubling, combining strictly in rank order. Contribution in Input 0, result in Output 0.
[[nodiscard]] Schedule allreduce_recursive_doubling(int rank, int size);
/// Reduce-scatter and allgather around a ring; for commutative operations and long vectors of `size` blocks.
[[nodiscard]] Schedule allreduce_ring(int rank, int size);

/// Prefix reduction in rank order, inclusive. Contribution in Input 0, result in Output 0.
[[nodiscard]] Schedule scan_doubling(int rank, int size);

/// As scan_doubling, exclusive: Output of rank 0 is left alone.
[[nodiscard]] Schedule exscan_doubling(int rank, int size);
/// Block i of Input is combined for rank i, in rank order; result in Output 0.
[[nodiscard]] Schedule reduce_scatter_pairwise(int rank, int size);

/// Contribution in Input 0, result in `size` blocks of Output at the root.
[[nodiscard]] Schedule gather_binomial(int rank, int size, int root);
[[nodiscard]] Schedule gather_linear(int rank, int size, int root);

/// Contributions in `size` blocks of Input at the root, result in Output 0.
[[nodiscard]] Schedule scatter_binomial(int rank, int size, int root);
[[nodiscard]] Schedule scatter_linear(int rank, int size, int root);

/// Contribution in Input 0, result in `size` blocks of Output.
[[nodiscard]] Schedule allgather_ring(int rank, int size);
/// `ways` times as many blocks in each round.
[[nodiscard]] Schedule allgather_bruck(int rank, int size, int ways = 2);

/// Block i of Input goes to rank i; block i of Output comes from rank i.
[[nodiscard]] Schedule alltoall_pairwise(int rank, int size);

// ---------------------------------------------------------------- those of other libraries
//
// What MPICH 5.0 or Open MPI 5.0 have beside the others here.

/// Twice around a ring.
[[nodiscard]] Schedule barrier_double_ring(int rank, int size);
/// As broadcast_scatter_ring, with the allgather at doubling distances.
[[nodiscard]] Schedule broadcast_scatter_doubling(int rank, int size, int root);
/// Along a heap of ranks from the root, in `size` blocks one after the other. A heap with one child each is a chain.
[[nodiscard]] Schedule broadcast_pipeline(int rank, int size, int root, int arity);
/// Half of the `size` blocks along one of two binary trees, one after the other. Then partners in both exchange halves.
[[nodiscard]] Schedule broadcast_split_binary(int rank, int size, int root);
/// As broadcast_pipeline, to the root; for commutative operations.
[[nodiscard]] Schedule reduce_pipeline(int rank, int size, int root, int arity);
/// A binary tree to the last rank, combining strictly in rank order.
[[nodiscard]] Schedule reduce_ordered_binary(int rank, int size, int root);
/// Rabenseifner: a reduce-scatter that halves the vector, of `size` blocks, and then a gather; for commutative
/// operations.
[[nodiscard]] Schedule reduce_halving(int rank, int size, int root);
/// The same with an allgather.
[[nodiscard]] Schedule allreduce_halving(int rank, int size);
/// Each rank gets all contributions and combines them in rank order.
[[nodiscard]] Schedule allreduce_gather(int rank, int size);
/// From rank to rank.
[[nodiscard]] Schedule scan_linear(int rank, int size);
[[nodiscard]] Schedule exscan_linear(int rank, int size);
/// Twice as many blocks in each round, in their places.
[[nodiscard]] Schedule allgather_doubling(int rank, int size);
/// Pairs of ranks exchange with the pairs beside them, two blocks in each round; around a ring if the ranks are odd.
[[nodiscard]] Schedule allgather_neighbours(int rank, int size);
/// At halving distances, with twice as many blocks in each round: W. Loch and G. Koslovski, "Sparbit: a new logarithmic
/// mapping-aware MPI allgather algorithm", 2021.
[[nodiscard]] Schedule allgather_sparbit(int rank, int size);
/// Each rank sends to all others.
[[nodiscard]] Schedule allgather_linear(int rank, int size);
/// Blocks travel at distances that grow by the factor `ways`, together with others.
[[nodiscard]] Schedule alltoall_bruck(int rank, int size, int ways);
/// Each rank's whole vector travels around a ring.
[[nodiscard]] Schedule alltoall_ring(int rank, int size);
/// All messages at once, or `most` to other ranks and as many from them.
[[nodiscard]] Schedule alltoall_at_once(int rank, int size, int most);
[[nodiscard]] inline Schedule alltoall_linear(int rank, int size) { return alltoall_at_once(rank, size, size); }
/// The vector is halved from round to round; for commutative operations.
[[nodiscard]] Schedule reduce_scatter_halving(int rank, int size);
/// Each block travels around a ring; for commutative operations.
[[nodiscard]] Schedule reduce_scatter_ring(int rank, int size);
/// Whole vectors are exchanged at doubling distances, and combined in rank order.
[[nodiscard]] Schedule reduce_scatter_doubling(int rank, int size);
/// A reduction to rank 0 in rank order, which gives each rank its block.
[[nodiscard]] Schedule reduce_scatter_reduce_first(int rank, int size);
/// Along a tree of ranks counted from the root, whose parents are without their lowest digit to the base that is not 0.
[[nodiscard]] Schedule gather_nomial(int rank, int size, int root, int base);
[[nodiscard]] Schedule scatter_nomial(int rank, int size, int root, int base);
/// `ways` ranks exchange all they have with one another in each round, combining in rank order.
[[nodiscard]] Schedule allreduce_in_ways(int rank, int size, int ways);
/// A vector is cut into `ways` parts in each round, for the ranks that exchange them; for commutative operations.
[[nodiscard]] Schedule reduce_scatter_in_ways(int rank, int size, int ways);
/// The vector is halved from round to round, combining in rank order: J. L. Träff, "An improved algorithm for
/// (non-commutative) reduce-scatter with an application", 2005.
[[nodiscard]] Schedule reduce_scatter_butterfly(int rank, int size);

// ---------------------------------------------------------------- any tree, any exchange

/// Up a tree and down again; transfers carry no blocks.
[[nodiscard]] Schedule barrier_tree(int rank, const Parents& parents);
/// From the root to the leaves, the largest subtree first; the message is block 0 of Output.
[[nodiscard]] Schedule broadcast_tree(int rank, const Parents& parents);
/// From the leaves to the root; for commutative operations. Contribution in Input 0, result in Output 0 of the root.
[[nodiscard]] Schedule reduce_tree(int rank, const Parents& parents);
/// To the root and back again. Contribution in Input 0, result in Output 0.
[[nodiscard]] Schedule allreduce_tree(int rank, const Parents& parents);
[[nodiscard]] Schedule barrier_exchange(int rank, const Partners& partners);
/// For commutative operations: the operand of the lower rank comes first, so that all have the same bits.
[[nodiscard]] Schedule allreduce_exchange(int rank, const Partners& partners);

/// Blocks travel along a tree, together with others.
[[nodiscard]] Schedule gather_tree(int rank, const Parents& parents);
[[nodiscard]] Schedule scatter_tree(int rank, const Parents& parents);

// ---------------------------------------------------------------- two levels: the ranks at a router, then routers

/// Within routers, then between them. If the ranks of a router do not follow one another, as scan_doubling.
[[nodiscard]] Schedule scan_two_level(int rank, const Placement& placement, int root);
[[nodiscard]] Schedule exscan_two_level(int rank, const Placement& placement, int root);
/// The first rank of each router collects blocks, a ring of these ranks passes them on, and each gives them to others.
[[nodiscard]] Schedule allgather_two_level(int rank, const Placement& placement, int root);
/// The first rank of each router sends and receives for all of them.
[[nodiscard]] Schedule alltoall_two_level(int rank, const Placement& placement, int root);

// ---------------------------------------------------------------- meshes: groups that fill a rectangle
//
// The collectives of NoCMsg and OperaMPI: K. Yagna, "Efficient collective communication for multi-core NOC
// interconnects", master's thesis, North Carolina State University, 2013. All throw Impossible for other groups.

/// Up and down a tree from the centre (Algorithm 2): along its column, from there along the rows.
/// @param arity children of a rank at most, but at least one for each of its directions.
[[nodiscard]] Schedule barrier_mesh_tree(int rank, const Placement& placement, int arity);
template <int kArity>
[[nodiscard]] Schedule barrier_mesh(int rank, const Placement& placement, int /*root*/) {
  return barrier_mesh_tree(rank, placement, kArity);
}
/// Columns reduce to their members in the root's row, which reduces to the root (Algorithm 5).
[[nodiscard]] Schedule reduce_row_column(int rank, const Placement& placement, int root);
/// reduce_row_column to rank 0, then a broadcast from router to router (Algorithms 3 and 4).
[[nodiscard]] Schedule allreduce_row_column(int rank, const Placement& placement, int root);
/// Messages over the same number of hops, in rounds with a barrier after each (Algorithm 1, which does not say in which
/// subrounds the sources of one vector take turns). Packets that travel x first share no link within a round.
/// @param latin sources of a subround differ in x + y; else in x and in y.
[[nodiscard]] Schedule alltoall_in_rounds(int rank, const Placement& placement, bool latin);
template <bool kLatin>
[[nodiscard]] Schedule alltoall_rounds(int rank, const Placement& placement, int /*root*/) {
  return alltoall_in_rounds(rank, placement, kLatin);
}
/// Every pair of ranks has a stage, in which the lower of both sends first: `size` stages, or one less if that is even
/// (section 2.2.2).
[[nodiscard]] Schedule alltoall_stages(int rank, int size);
/// All ranks send to the root, which combines in rank order (section 2.2.2).
[[nodiscard]] Schedule reduce_serial(int rank, int size, int root);

}  // namespace tidings
