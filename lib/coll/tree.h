// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file tree.h
/// The tree of MPI_COMM_WORLD that is loaded into the collective engines.
///
/// The binomial tree from rank 0: rank r is joined to r ^ 2^k by link k on both sides. Its links are not directed: seen
/// from any root, the parent is the link towards the root.
#include <cstdint>
#include <vector>

namespace tidings {

class WorldTree {
 public:
  WorldTree(std::uint32_t rank, std::uint32_t ranks);

  struct Link {
    std::uint32_t number = 0;  ///< here and at the neighbour
    std::uint32_t neighbour = 0;
  };
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  /// Links that a tree of `ranks` needs.
  [[nodiscard]] static std::uint32_t links_needed(std::uint32_t ranks);

  static constexpr std::uint32_t kNoParent = 15;
  /// Link towards the root; kNoParent at the root itself.
  [[nodiscard]] std::uint32_t parent(std::uint32_t root) const;
  /// Links away from the root, one bit each.
  [[nodiscard]] std::uint32_t children(std::uint32_t root) const;

 private:
  std::uint32_t rank_;
  std::vector<Link> links_;
};

}  // namespace tidings
