// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/word_program.h"

#include <algorithm>

namespace tidings {
namespace {

constexpr std::uint8_t kNode = kSwitchSlot;

/// A word leaves one of the node's inputs by one of its outputs.
struct Move {
  std::uint32_t cycle;
  std::uint8_t input;
  std::uint8_t output;
  std::uint8_t from;
  std::uint8_t to;
};

/// The set of one output, as an input's order has it: a bit per port, of which the own one is the node's.
std::uint8_t set_of(std::uint8_t input, std::uint8_t output) {
  return static_cast<std::uint8_t>(1U << (output == kNode ? input : output));
}

/// A word can pass a node, along x in the row of the one, then along y, and so on, in that of the other.
bool on_the_way(const SwitchGrid& grid, std::uint32_t from, std::uint32_t to, std::uint32_t node) {
  bool arrived = true;  // in all dimensions so far
  for (std::uint32_t d = 0; d < SwitchGrid::kDimensions; ++d) {
    if (!arrived && grid.coordinate(node, d) != grid.coordinate(from, d)) return false;
    arrived = arrived && grid.coordinate(node, d) == grid.coordinate(to, d);
  }
  return true;
}

}  // namespace

WordProgram word_program(const WordSchedule& schedule, std::uint32_t node) {
  const SwitchGrid grid = schedule.grid();
  const std::uint32_t nodes = grid.nodes();
  std::vector<Move> moves;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      if (!on_the_way(grid, from, to, node)) continue;
      std::uint32_t here = from;
      std::uint32_t cycle = schedule.start[from * nodes + to];
      std::uint8_t input = kNode;
      while (here != node && here != to) {
        const std::uint32_t port = word_port(grid, from, to, here);
        here = grid.behind(here, port);
        // A word that goes up comes in where the way down leaves, and likewise.
        input = static_cast<std::uint8_t>(port ^ 1U);
        cycle += grid.hop;
      }
      if (here != node) continue;
      const std::uint32_t port = word_port(grid, from, to, here);
      moves.push_back({.cycle = cycle,
                       .input = input,
                       .output = port == kNoPort ? kNode : static_cast<std::uint8_t>(port),
                       .from = static_cast<std::uint8_t>(from),
                       .to = static_cast<std::uint8_t>(to)});
    }
  }
  std::ranges::stable_sort(moves, {}, &Move::cycle);
  WordProgram program;
  for (const Move& move : moves) {
    program[move.input].push_back(set_of(move.input, move.output));
    program[kOutputOrders + move.output].push_back(move.input);
    if (move.input == kNode) program[kTargetOrder].push_back(move.to);
    if (move.output == kNode) program[kSourceOrder].push_back(move.from);
  }
  return program;
}

WordProgram broadcast_program(const SwitchSize& size, std::uint32_t root, std::uint32_t node) {
  const SwitchGrid grid{.size = size};
  std::uint8_t input = kNode;
  std::vector<std::uint8_t> outputs;
  // From the last dimension down to the one along which the word comes.
  for (std::uint32_t d = SwitchGrid::kDimensions; d-- > 0 && input == kNode;) {
    const std::uint32_t here = grid.coordinate(node, d);
    const std::uint32_t there = grid.coordinate(root, d);
    const auto up = static_cast<std::uint8_t>(2 * d);
    const auto down = static_cast<std::uint8_t>(2 * d + 1);
    if (here != there) input = there < here ? down : up;
    if (here >= there && here + 1 < size[d]) outputs.push_back(up);
    if (here <= there && here > 0) outputs.push_back(down);
  }
  if (node != root) outputs.push_back(kNode);
  WordProgram program;
  std::uint8_t set = 0;
  for (const std::uint8_t output : outputs) {
    set |= set_of(input, output);
    program[kOutputOrders + output].push_back(input);
  }
  program[input].push_back(set);
  program[node == root ? kTargetOrder : kSourceOrder].push_back(0);
  return program;
}

WordProgram reduction_program(const SwitchSize& size, std::uint32_t root, std::uint32_t node, bool all) {
  const SwitchGrid grid{.size = size};
  // Ports to the neighbours whose sums come in, and to the one that gets ours: the sums of a dimension go on along the
  // next one.
  std::vector<std::uint8_t> children;
  std::uint8_t parent = kNode;
  for (std::uint32_t d = 0; d < SwitchGrid::kDimensions && parent == kNode; ++d) {
    const std::uint32_t here = grid.coordinate(node, d);
    const std::uint32_t there = grid.coordinate(root, d);
    const auto up = static_cast<std::uint8_t>(2 * d);
    const auto down = static_cast<std::uint8_t>(2 * d + 1);
    if (here >= there && here + 1 < size[d]) children.push_back(up);
    if (here <= there && here > 0) children.push_back(down);
    if (here != there) parent = here < there ? up : down;
  }
  WordProgram program;
  const auto bit = [](std::uint8_t side) { return static_cast<std::uint8_t>(1U << side); };
  const bool has_result = all || node == root;
  program[kTargetOrder].push_back(0);
  if (has_result) program[kSourceOrder].push_back(0);
  if (children.empty()) {
    program[kNode].push_back(set_of(kNode, parent));
    program[kOutputOrders + parent].push_back(kNode);
  } else {
    program.summands = bit(kNode);
    for (const std::uint8_t child : children) program.summands |= bit(child);
    program.outputs = bit(parent);
  }
  if (!all) return program;
  // The result goes back the way that the sums came.
  if (node == root) {
    for (const std::uint8_t child : children) program.outputs |= bit(child);
    return program;
  }
  std::uint8_t set = set_of(parent, kNode);
  program[kOutputOrders + kNode].push_back(parent);
  for (const std::uint8_t child : children) {
    set |= set_of(parent, child);
    program[kOutputOrders + child].push_back(parent);
  }
  program[parent].push_back(set);
  return program;
}

std::uint32_t most_summands(const SwitchSize& size) {
  std::uint32_t most = 1;
  for (const std::uint32_t routers : size) most += std::min(routers - 1, 2U);
  return most;
}

std::uint32_t central_root(const SwitchSize& size) {
  const SwitchGrid grid{.size = size};
  std::uint32_t root = 0;
  for (std::uint32_t d = 0; d < SwitchGrid::kDimensions; ++d) root += size[d] / 2 * grid.stride(d);
  return root;
}

}  // namespace tidings
