// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file registry.h
/// The algorithms of all collectives, by name.
///
/// A new algorithm is a function that returns its schedule (algorithms.h) and a row in registry.cpp; a new shape
/// (shape.h) becomes an algorithm of four collectives by itself. Help, error messages and documentation list what is
/// here.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "coll/schedule.h"
#include "coll/shape.h"
#include "core/descriptor.h"

namespace tidings {

/// What a call must be like for an algorithm.
struct Requirements {
  bool commutative = false;       ///< the operation commutes: it is not applied in rank order
  bool equal_blocks = false;      ///< all blocks are of one length
  bool element_per_rank = false;  ///< there are at least as many elements as ranks
};

/// How a vector is divided into the blocks of a schedule.
enum class Cut : std::uint8_t {
  Whole,    ///< a vector is one block
  PerRank,  ///< a vector is one block for each rank
};

struct Algorithm {
  Collective collective = Collective::None;  ///< MPI_Gatherv is a Gather here, and so on
  std::string name;
  std::string meaning;  ///< one line of help
  /// What a rank does if messages carry it out. Throws Impossible where the group has no such algorithm.
  std::function<Schedule(const Placement&, int rank, int root)> schedule;
  const Shape* shape = nullptr;  ///< by which the collective engine can carry it out; null: messages alone
  Requirements needs;            ///< by messages
  Cut cut = Cut::Whole;          ///< by messages
};

/// All algorithms, those of one collective together.
[[nodiscard]] const std::vector<Algorithm>& algorithms();
/// The collectives that have algorithms of their own, in the order of algorithms().
[[nodiscard]] const std::vector<Collective>& collectives_with_algorithms();

/// The collective whose algorithms a call of `kind` uses: Gather for MPI_Gatherv, Allgather for MPI_Comm_split.
[[nodiscard]] Collective family_of(Collective kind);
/// As a user writes it: "allreduce".
[[nodiscard]] const char* family_name(Collective family);

/// @throws std::invalid_argument naming what there is.
[[nodiscard]] Collective family_named(std::string_view name);
/// @throws std::invalid_argument naming what there is.
[[nodiscard]] const Algorithm& algorithm_named(Collective family, std::string_view name);

}  // namespace tidings
