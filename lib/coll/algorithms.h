// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file algorithms.h
/// The collective algorithms. Each returns the schedule of `rank` out of `size`.
#include "coll/schedule.h"
#include "coll/shape.h"

namespace tidings {

/// Dissemination: ⌈log2 size⌉ rounds; transfers carry no blocks.
[[nodiscard]] Schedule barrier_dissemination(int rank, int size);

/// Binomial tree; the message is block 0 of Output.
[[nodiscard]] Schedule broadcast_binomial(int rank, int size, int root);
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
[[nodiscard]] Schedule allgather_bruck(int rank, int size);

/// Block i of Input goes to rank i; block i of Output comes from rank i.
[[nodiscard]] Schedule alltoall_pairwise(int rank, int size);

// ---------------------------------------------------------------- those of other libraries
//
// What MPICH 5.0 or Open MPI 5.0 have beside the others here.

/// Twice around a ring.
[[nodiscard]] Schedule barrier_double_ring(int rank, int size);
/// As broadcast_scatter_ring, with the allgather at doubling distances.
[[nodiscard]] Schedule broadcast_scatter_doubling(int rank, int size, int root);
/// Along a chain of ranks from the root, in `size` blocks one after the other.
[[nodiscard]] Schedule broadcast_pipeline(int rank, int size, int root);
/// The same to the root; for commutative operations.
[[nodiscard]] Schedule reduce_pipeline(int rank, int size, int root);
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
/// Blocks travel at doubling distances, together with others.
[[nodiscard]] Schedule alltoall_bruck(int rank, int size);
/// All messages at once, or `most` to other ranks and as many from them.
[[nodiscard]] Schedule alltoall_at_once(int rank, int size, int most);
[[nodiscard]] inline Schedule alltoall_linear(int rank, int size) { return alltoall_at_once(rank, size, size); }
[[nodiscard]] inline Schedule alltoall_scattered(int rank, int size) {
  constexpr int kMost = 32;
  return alltoall_at_once(rank, size, kMost);
}
/// The vector is halved from round to round; for commutative operations.
[[nodiscard]] Schedule reduce_scatter_halving(int rank, int size);
/// Each block travels around a ring; for commutative operations.
[[nodiscard]] Schedule reduce_scatter_ring(int rank, int size);
/// Whole vectors are exchanged at doubling distances, and combined in rank order.
[[nodiscard]] Schedule reduce_scatter_doubling(int rank, int size);
/// A reduction to rank 0 in rank order, which gives each rank its block.
[[nodiscard]] Schedule reduce_scatter_reduce_first(int rank, int size);

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
