// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file shape.h
/// Shapes: how the members of a group are joined, as a tree from any root or in rounds of exchange with partners.
///
/// A shape says who talks to whom. Algorithms turn it into messages; wiring.h turns it into links of the engines.
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "coll/placement.h"

namespace tidings {

/// Parent of each member of a tree; kNobody at the root.
using Parents = std::vector<Member>;
/// Partner of each member in each round of an exchange.
using Partners = std::vector<std::vector<Member>>;

struct Shape {
  enum class Kind : std::uint8_t { Tree, Exchange };
  Kind kind = Kind::Tree;
  std::string_view name;
  std::string_view meaning;  ///< the parent of a node, for help and documentation
  std::string_view where;    ///< which groups have it
  /// Parents in the tree from a root; null for an exchange. Throws Impossible.
  Parents (*parents)(const Placement&, Member root) = nullptr;
  /// Partners of an exchange; null for a tree. Throws Impossible.
  Partners (*partners)(const Placement&) = nullptr;
  /// The links join v and v ^ 2^k, and lead to any slot. (An exchange between neighbours uses their direct links.)
  bool by_number = false;
  /// `tidings bench collectives` measures it without being asked for it by name.
  bool usual = true;
  /// Left out of builds without TIDINGS_EXTRA_ALGORITHMS.
  bool extra = false;

  [[nodiscard]] constexpr bool is_tree() const { return kind == Kind::Tree; }
};

/// What the rows of the shapes call.
namespace shape {
Parents gray(const Placement& placement, Member root);
Parents dimension(const Placement& placement, Member root);
Parents binomial(const Placement& placement, Member root);
Parents hypercube(const Placement& placement, Member root);
Parents k_ary(const Placement& placement, Member root, std::uint32_t arity);
Parents k_nomial(const Placement& placement, Member root, std::uint32_t base);
Parents chain(const Placement& placement, Member root);
Parents star(const Placement& placement, Member root);
Parents two_level(const Placement& placement, Member root);
Partners exchange(const Placement& placement);
}  // namespace shape

template <std::uint32_t kArity>
constexpr Shape heap_row(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .meaning = meaning,
          .where = "anywhere",
          .parents = [](const Placement& placement, Member root) { return shape::k_ary(placement, root, kArity); },
          .usual = kArity == 2};
}

template <std::uint32_t kBase>
constexpr Shape nomial_row(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .meaning = meaning,
          .where = "as many children as the engine has links",
          .parents = [](const Placement& placement, Member root) { return shape::k_nomial(placement, root, kBase); },
          .usual = false,
          .extra = true};
}

/// All shapes, in the order in which they are shown. A new one is a function and a row here.
inline constexpr std::array kShapes{
    Shape{.name = "gray",
          .meaning =
              "binomial tree on a hypercube whose corners are placed in Gray code, so that every edge is a single hop: "
              "a ring of four routers is a square",
          .where = "dimensions of 1, 2 or (rings) 4 routers",
          .parents = shape::gray},
    Shape{.name = "dimension",
          .meaning =
              "one hop towards the root, in the lowest dimension in which it is away from it: along the columns, then "
              "the rows. Single hops and shortest ways on any mesh or torus",
          .where = "routers that are all joined",
          .parents = shape::dimension},
    Shape{.name = "binomial",
          .meaning = "the rank without its lowest bit, wherever it is",
          .where = "anywhere",
          .parents = shape::binomial},
    Shape{.name = "hypercube",
          .meaning =
              "as binomial, but from every root as deep as from rank 0, if the ranks are a power of two: all edges of "
              "the hypercube of ranks have links, which are never direct",
          .where = "up to 2 to the power of the engine's links",
          .parents = shape::hypercube,
          .by_number = true,
          .usual = false},
    heap_row<2>("binary", "heap order: (rank - 1) / 2"),
    heap_row<3>("3-ary", "heap order: (rank - 1) / 3"),
    heap_row<4>("4-ary", "heap order: (rank - 1) / 4"),
    heap_row<5>("5-ary", "heap order: (rank - 1) / 5"),
    heap_row<6>("6-ary", "heap order: (rank - 1) / 6"),
    heap_row<7>("7-ary", "heap order: (rank - 1) / 7"),
    nomial_row<4>("4-nomial", "the rank without its lowest digit that is not 0, in base 4"),
    nomial_row<8>("8-nomial", "the rank without its lowest digit that is not 0, in base 8"),
    Shape{.name = "chain",
          .meaning = "a line from router to neighbouring router",
          .where = "anywhere",
          .parents = shape::chain},
    Shape{.name = "star",
          .meaning = "the root",
          .where = "as many children as the engine has links",
          .parents = shape::star},
    Shape{.name = "two-level",
          .meaning = "the ranks of a router are a binomial tree, and so are the first ranks of all routers",
          .where = "as many children as the engine has links",
          .parents = shape::two_level,
          .usual = false,
          .extra = true},
    Shape{.kind = Shape::Kind::Exchange,
          .name = "exchange",
          .meaning = "no tree: rounds over the edges of a hypercube, that of gray if there is one, else of ranks",
          .where = "powers of two",
          .partners = shape::exchange,
          .by_number = true},
};

[[nodiscard]] constexpr std::span<const Shape> shapes() { return kShapes; }
/// @return null if there is none of that name.
[[nodiscard]] constexpr const Shape* find_shape(std::string_view name) {
  for (const Shape& one : kShapes) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

/// Root of a tree for what has none, an allreduce or a barrier: the member in the middle of those dimensions that do
/// not wrap around, or member 0 if its tree is as shallow. @throws Impossible if the group has no such tree.
[[nodiscard]] Member best_root(const Placement& placement, const Shape& tree);

/// The same tree seen from another root: the way between the two turns around.
[[nodiscard]] Parents from_root(Parents parents, Member root);

}  // namespace tidings
