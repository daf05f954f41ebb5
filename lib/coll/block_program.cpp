// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/block_program.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace tidings {
namespace {

constexpr std::uint8_t kNode = kSwitchSlot;

/// A word leaves one of a node's inputs by some of its outputs.
struct Move {
  std::uint32_t cycle = 0;
  std::uint8_t input = kNode;
  std::uint8_t outputs = 0;  ///< a bit each
  std::uint32_t from = 0;    ///< block that it comes to, if it comes to the node
  std::uint32_t to = 0;      ///< block that it is of, if it is the node's
};

std::uint8_t bit(std::uint32_t side) { return static_cast<std::uint8_t>(1U << side); }

WordProgram program_of(std::vector<Move> moves) {
  std::ranges::stable_sort(moves, {}, &Move::cycle);
  WordProgram program;
  for (const Move& move : moves) {
    // In a set, an input's own port is the node.
    const bool comes = (move.outputs & bit(kNode)) != 0;
    program[move.input].push_back(
        static_cast<std::uint8_t>((move.outputs & (bit(kNode) - 1)) | (comes ? bit(move.input) : 0)));
    for (std::uint8_t output = 0; output <= kNode; ++output) {
      if ((move.outputs & bit(output)) != 0) program[kOutputOrders + output].push_back(move.input);
    }
    if (move.input == kNode) program[kTargetOrder].push_back(static_cast<std::uint8_t>(move.to));
    if (comes) program[kSourceOrder].push_back(static_cast<std::uint8_t>(move.from));
  }
  return program;
}

class Mesh {
 public:
  explicit Mesh(const SwitchSize& size) : grid_{.size = size} {}

  [[nodiscard]] std::uint32_t nodes() const { return grid_.nodes(); }
  [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const { return grid_.hops(a, b); }
  /// The output towards a node, along x first.
  [[nodiscard]] std::uint8_t towards(std::uint32_t at, std::uint32_t to) const {
    const std::uint32_t port = word_port(grid_, at, to, at);
    return port == kNoPort ? kNode : static_cast<std::uint8_t>(port);
  }
  [[nodiscard]] std::uint32_t behind(std::uint32_t node, std::uint8_t port) const { return grid_.behind(node, port); }
  /// All nodes but one, the nearest to it first.
  [[nodiscard]] std::vector<std::uint32_t> by_distance(std::uint32_t from) const {
    std::vector<std::uint32_t> others(nodes());
    std::iota(others.begin(), others.end(), 0U);
    others.erase(others.begin() + from);
    std::ranges::stable_sort(others, {}, [&](std::uint32_t node) { return hops(from, node); });
    return others;
  }
  /// The move at a node of a word that enters the network in a cycle; nothing if it does not pass.
  [[nodiscard]] std::optional<Move> passes(std::uint32_t from, std::uint32_t to, std::uint32_t start,
                                           std::uint32_t node) const {
    std::uint8_t input = kNode;
    for (std::uint32_t at = from;; ++start) {
      const std::uint8_t output = towards(at, to);
      if (at == node) return Move{.cycle = start, .input = input, .outputs = bit(output)};
      if (output == kNode) return std::nullopt;
      at = behind(at, output);
      input = output ^ 1U;
    }
  }

 private:
  SwitchGrid grid_;
};

/// A ring of neighbours. If both sides are odd, the corner below the first node is not in it.
std::vector<std::uint32_t> ring_of(std::uint32_t width, std::uint32_t height) {
  const bool turned = height % 2 != 0 && width % 2 == 0;
  const std::uint32_t columns = turned ? height : width;
  const std::uint32_t rows = turned ? width : height;
  const bool even = rows % 2 == 0;
  std::vector<std::uint32_t> ring;
  const auto add = [&](std::uint32_t x, std::uint32_t y) { ring.push_back(turned ? x * width + y : y * width + x); };
  // Up along the first column, and to and fro in the rows. The last two of an odd number are gone along in columns.
  for (std::uint32_t y = even ? rows : rows - 1; y-- > 0;) add(0, y);
  for (std::uint32_t y = 0; y < (even ? rows : rows - 2); ++y) {
    for (std::uint32_t x = 1; x < columns; ++x) add(y % 2 == 0 ? x : columns - x, y);
  }
  if (even) return ring;
  for (std::uint32_t x = columns - 1; x > 0; --x) {
    const std::uint32_t down = x % 2 == 0 ? 1 : 0;
    add(x, rows - 1 - down);
    add(x, rows - 2 + down);
  }
  return ring;
}

WordProgram ring_program(const Mesh& mesh, const std::vector<std::uint32_t>& ring, std::uint32_t corner,
                         std::uint32_t node) {
  const auto length = static_cast<std::uint32_t>(ring.size());
  // A corner that is not in the ring stops words between the last node and the first: they wait there for a cycle,
  // and the first node serves it.
  const bool whole = length == mesh.nodes();
  std::vector<std::uint32_t> stops = ring;
  if (!whole) stops.push_back(corner);
  const auto number = static_cast<std::uint32_t>(stops.size());
  const auto place = static_cast<std::uint32_t>(std::ranges::find(stops, node) - stops.begin());
  const bool is_corner = place == length;
  const bool serves = !whole && place == 0;
  const std::uint8_t next = mesh.towards(node, ring[is_corner ? 0 : (place + 1) % length]);
  const std::uint8_t previous = mesh.towards(node, ring[is_corner ? 0 : (place + length - 1) % length]);
  const std::uint8_t aside = mesh.towards(node, corner);
  std::vector<Move> moves{{.cycle = 0, .outputs = bit(next)}};
  if (serves) moves.push_back({.cycle = 1, .outputs = bit(aside)});
  // The word of the stop before comes first. That of the next stop ends here.
  for (std::uint32_t back = 1; back < number; ++back) {
    const std::uint32_t from = stops[(place + number - back) % number];
    const bool of_server = !whole && from == ring.front();
    const bool ends = is_corner || back + 1 == number || (of_server && place + 1 == length);
    Move move{.cycle = back, .input = previous, .outputs = bit(kNode), .from = from};
    if (!ends) move.outputs |= bit(next);
    if (serves && from == corner) {
      move.input = aside;
    } else if (serves) {
      move.outputs |= bit(aside);
    }
    // The corner is told the server's own word before all others.
    if (is_corner && of_server) move.cycle = 0;
    moves.push_back(move);
  }
  return program_of(std::move(moves));
}

/// In a line each word goes both ways at once, and passes without a wait: so the words for both ends come one per
/// cycle. Where two pass at once, the slot takes the one that comes from the nearer end. The other one is sent again,
/// when the link has carried all words once.
///
/// Words to the first node from node s leave in cycle N + turn - s for those who have not taken them: the nodes from
/// s / 2 on. Node v misses words of nodes v + 1 to 2 v, and as many turns carry them.
WordProgram line_program(std::uint32_t nodes, std::uint8_t forward, std::uint32_t node) {
  const auto turn = [](std::uint32_t from) {
    while (from % 2 != 0) from = (from + 1) / 2;
    return from / 2 - 1;
  };
  const std::uint32_t last = nodes - 1;
  std::vector<Move> moves;
  const auto send = [&](std::uint32_t cycle, std::uint8_t outputs) {
    const auto known =
        std::ranges::find_if(moves, [&](const Move& move) { return move.input == kNode && move.cycle == cycle; });
    if (known == moves.end()) {
      moves.push_back({.cycle = cycle, .outputs = outputs});
    } else {
      known->outputs |= outputs;
    }
  };
  // Words that go back, and then those that go forward, in a line that is turned around.
  for (const bool turned : {false, true}) {
    const auto at = [&](std::uint32_t place) { return turned ? last - place : place; };
    const auto input = static_cast<std::uint8_t>(turned ? forward ^ 1U : forward);
    const std::uint8_t out = bit(input ^ 1U);
    const std::uint32_t place = at(node);
    const auto near = [&](std::uint32_t one) { return turned ? 2 * one < last : 2 * one <= last; };
    const auto goes_again = [&](std::uint32_t from) { return from >= 2 && near((from + 1) / 2); };
    if (place > 0) send(0, out);
    if (goes_again(place)) send(nodes + turn(place) - place, out);
    for (std::uint32_t from = place + 1; from < nodes; ++from) {
      const bool takes_later = near(place) && from <= 2 * place;
      Move move{.cycle = from - place, .input = input, .from = at(from)};
      if (place > 0) move.outputs |= out;
      if (!takes_later) move.outputs |= bit(kNode);
      moves.push_back(move);
      const std::uint32_t nearest = (from + 1) / 2;
      if (!goes_again(from) || place < nearest) continue;
      move.cycle = nodes + turn(from) - place;
      move.outputs = takes_later ? bit(kNode) : 0;
      if (place > nearest) move.outputs |= out;
      moves.push_back(move);
    }
  }
  return program_of(std::move(moves));
}

}  // namespace

WordProgram gather_program(const SwitchSize& size, std::uint32_t root, std::uint32_t node) {
  const Mesh mesh(size);
  std::vector<Move> moves;
  std::uint32_t arrival = 0;
  // Ways to the root are a tree: words that arrive in cycles of their own do not meet before.
  for (const std::uint32_t from : mesh.by_distance(root)) {
    ++arrival;
    if (auto move = mesh.passes(from, root, arrival - mesh.hops(from, root), node)) {
      move->from = from;
      moves.push_back(*move);
    }
  }
  return program_of(std::move(moves));
}

WordProgram scatter_program(const SwitchSize& size, std::uint32_t root, std::uint32_t node) {
  const Mesh mesh(size);
  std::vector<Move> moves;
  std::uint32_t start = mesh.nodes();
  for (const std::uint32_t to : mesh.by_distance(root)) {
    if (auto move = mesh.passes(root, to, --start, node)) {
      move->to = to;
      moves.push_back(*move);
    }
  }
  return program_of(std::move(moves));
}

WordProgram allgather_program(const SwitchSize& size, std::uint32_t node) {
  const auto is_side = [](std::uint32_t routers) { return routers > 1; };
  const auto longest = static_cast<std::uint8_t>(std::ranges::max_element(size) - size.begin());
  if (std::ranges::count_if(size, is_side) < 2) {
    return line_program(size[longest], static_cast<std::uint8_t>(2 * longest), node);
  }
  // A box is a mesh whose rows go to and fro through the layers; a layer that is a line, and layers of which there is
  // one, are rows as they are.
  const bool flat = size[2] == 1;
  const std::uint32_t width = flat ? size[0] : size[0] * size[1];
  const std::uint32_t height = flat ? size[1] : size[2];
  const auto place = [&](std::uint32_t number) {
    const std::uint32_t x = number % size[0];
    const std::uint32_t y = number / size[0] % size[1];
    return number / width * width + (flat ? x : y * size[0] + (y % 2 == 0 ? x : size[0] - 1 - x));
  };
  std::vector<std::uint32_t> ring = ring_of(width, height);
  std::ranges::transform(ring, ring.begin(), place);
  return ring_program(Mesh(size), ring, place((height - 1) * width), node);
}

}  // namespace tidings
