// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file block_program.h
/// Programs of static switches for gathers, scatters and all-gathers on a mesh of up to three dimensions.
///
/// Words move as in a schedule in which no two meet, which repeats after a cycle for each other node. So blocks of m
/// words take (N - 1) m cycles: as many words come to a slot, or leave it. Nothing has to be searched for.
#include <cstdint>

#include "coll/word_program.h"

namespace tidings {

/// The program of a node for one word that each other node has for a root, the nearest first. It is of block 0, and
/// comes to the block of its node.
[[nodiscard]] WordProgram gather_program(const SwitchSize& size, std::uint32_t root, std::uint32_t node);

/// The program of a node for one word that a root has for each other node, the farthest first. It is of the block of
/// its node, and comes to block 0.
[[nodiscard]] WordProgram scatter_program(const SwitchSize& size, std::uint32_t root, std::uint32_t node);

/// The program of a node for one word that each node has for all others. It is of block 0, and comes to the block of
/// its node.
///
/// Words go around a ring of neighbours; each node takes those that pass. An odd number of nodes has no such ring:
/// there one of all but a corner, whose neighbour sends on to it. The rows of a box go to and fro through its layers. A
/// line has no ring either: each word goes both ways, and again one way for those nodes whose slots take others when it
/// passes first.
[[nodiscard]] WordProgram allgather_program(const SwitchSize& size, std::uint32_t node);

}  // namespace tidings
