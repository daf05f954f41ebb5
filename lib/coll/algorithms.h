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

}  // namespace tidings
