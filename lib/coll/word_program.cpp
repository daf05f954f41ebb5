// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/word_program.h"

#include <algorithm>
#include <stdexcept>

namespace tidings {
namespace {

constexpr std::uint8_t kNode = 4;        ///< as an input, and as an output
constexpr std::size_t kFirstOutput = 5;  ///< order of the first output

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

}  // namespace

WordProgram word_program(const WordSchedule& schedule, std::uint32_t node) {
  const SwitchGrid grid = schedule.grid();
  const std::uint32_t nodes = grid.nodes();
  if (schedule.depth != 1) throw std::invalid_argument("a static switch has links along two dimensions");
  std::vector<Move> moves;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      // Along x in the row of the one, then along y in the column of the other.
      if (grid.coordinate(node, 1) != grid.coordinate(from, 1) && grid.coordinate(node, 0) != grid.coordinate(to, 0)) {
        continue;
      }
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
    program[kFirstOutput + move.output].push_back(move.input);
    if (move.input == kNode) program[kTargetOrder].push_back(move.to);
    if (move.output == kNode) program[kSourceOrder].push_back(move.from);
  }
  return program;
}

WordProgram broadcast_program(std::uint32_t width, std::uint32_t height, std::uint32_t root, std::uint32_t node) {
  const std::uint32_t x = node % width;
  const std::uint32_t y = node / width;
  const std::uint32_t root_x = root % width;
  const std::uint32_t root_y = root / width;
  std::uint8_t input = kNode;
  std::vector<std::uint8_t> outputs;
  if (y == root_y) {
    if (x != root_x) input = root_x < x ? 1 : 0;
    if (x >= root_x && x + 1 < width) outputs.push_back(0);
    if (x <= root_x && x > 0) outputs.push_back(1);
  } else {
    input = root_y < y ? 3 : 2;
  }
  if (y >= root_y && y + 1 < height) outputs.push_back(2);
  if (y <= root_y && y > 0) outputs.push_back(3);
  if (node != root) outputs.push_back(kNode);
  WordProgram program;
  std::uint8_t set = 0;
  for (const std::uint8_t output : outputs) {
    set |= set_of(input, output);
    program[kFirstOutput + output].push_back(input);
  }
  program[input].push_back(set);
  program[node == root ? kTargetOrder : kSourceOrder].push_back(0);
  return program;
}

WordProgram reduction_program(std::uint32_t width, std::uint32_t height, std::uint32_t root, std::uint32_t node,
                              bool all) {
  const std::uint32_t x = node % width;
  const std::uint32_t y = node / width;
  const std::uint32_t root_x = root % width;
  const std::uint32_t root_y = root / width;
  // Ports to the neighbours whose sums come in, and to the one that gets ours.
  std::vector<std::uint8_t> children;
  if (x >= root_x && x + 1 < width) children.push_back(0);
  if (x <= root_x && x > 0) children.push_back(1);
  if (x == root_x && y >= root_y && y + 1 < height) children.push_back(2);
  if (x == root_x && y <= root_y && y > 0) children.push_back(3);
  std::uint8_t parent = kNode;
  if (x != root_x) {
    parent = x < root_x ? 0 : 1;
  } else if (y != root_y) {
    parent = y < root_y ? 2 : 3;
  }
  WordProgram program;
  const auto bit = [](std::uint8_t side) { return static_cast<std::uint8_t>(1U << side); };
  const bool has_result = all || node == root;
  program[kTargetOrder].push_back(0);
  if (has_result) program[kSourceOrder].push_back(0);
  if (children.empty()) {
    program[kNode].push_back(set_of(kNode, parent));
    program[kFirstOutput + parent].push_back(kNode);
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
  program[kFirstOutput + kNode].push_back(parent);
  for (const std::uint8_t child : children) {
    set |= set_of(parent, child);
    program[kFirstOutput + child].push_back(parent);
  }
  program[parent].push_back(set);
  return program;
}

std::uint32_t most_summands(std::uint32_t width, std::uint32_t height) {
  const auto on_a_line = [](std::uint32_t routers) { return std::min(routers - 1, 2U); };
  return 1 + on_a_line(width) + on_a_line(height);
}

std::uint32_t central_root(std::uint32_t width, std::uint32_t height) { return height / 2 * width + width / 2; }

}  // namespace tidings
