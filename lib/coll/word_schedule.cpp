// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/word_schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

namespace tidings {
namespace {

constexpr std::uint32_t kMostNodes = 256;
constexpr std::uint32_t kNobodyYet = ~0U;
constexpr std::uint32_t kAnyPeriod = ~0U;
constexpr std::uint32_t kPorts = 2 * SwitchGrid::kDimensions;  ///< of a router
constexpr std::uint32_t kInAndOut = 2;                         ///< cycles of a word beside those on links of one cycle
/// Cycles beyond the bound, and those into the mesh and out of it, that are too many for any mesh.
constexpr std::uint32_t kMostExtra = 32;
/// As many are found on all meshes.
constexpr std::uint32_t kGoodExtra = 2;
/// On rings and tori: cycles beyond the least with which periods are searched, and cycles of the longest period's slack
/// for each cycle of the bound.
constexpr std::uint32_t kRingExtra = 8;
constexpr std::uint32_t kRingSlack = 4;
/// Searches of one period and length there, the part of the effort that goes into all of them, and as much as small
/// grids need: placements per word.
constexpr std::uint32_t kRingSeeds = 4;
constexpr std::uint32_t kPerRing = 8;
constexpr std::uint64_t kRingSweeps = 50'000;
/// As many are found at once.
constexpr std::uint32_t kEasyExtra = 8;
/// What a chain that has been displaced adds to its weight, as a part of it.
constexpr float kHarder = 0.02F;
/// The same of every second search: small meshes are done sooner with it, large ones never.
constexpr float kMuchHarder = 0.2F;
/// Waiting chains of which one is placed next; the one chain of every second search is any.
constexpr int kEntrants = 4;
/// Part of the effort that goes into a period of the bound.
constexpr std::uint32_t kPerPeriod = 2;
/// The effort for what only small meshes have is this part of all. A period that is longer than the bound by less than
/// this part of it is good enough.
constexpr std::uint32_t kLittle = 64;
/// Words placed, per word, before a search begins anew.
constexpr std::uint64_t kSweeps = 1'000;
/// How often a search begins anew: all that small meshes need.
constexpr std::uint64_t kSeeds = 30;

/// A grid seen through its symmetries. Words that are images of one another start in the same cycle and never meet, so
/// that one of them stands for all.
///
/// A line of even length makes two halves alike. Routers of a ring are alike; or every second one, if words that can go
/// either way do so by turns (`SwitchGrid::alternates`).
class Symmetry {
 public:
  explicit Symmetry(const SwitchGrid& grid) : grid_(grid) {}

  [[nodiscard]] std::uint32_t nodes() const { return grid_.nodes(); }
  /// Number of an entry, an exit or a link, the same for all images.
  [[nodiscard]] std::uint32_t entry(std::uint32_t node) const { return image(node).node; }
  [[nodiscard]] std::uint32_t exit(std::uint32_t node) const { return nodes() + image(node).node; }
  [[nodiscard]] std::uint32_t link(std::uint32_t node, std::uint32_t port) const {
    const Image of = image(node);
    return 2 * nodes() + of.node * kPorts + (port ^ (of.turned[port / 2] ? 1U : 0U));
  }
  [[nodiscard]] std::uint32_t resources() const { return (2 + kPorts) * nodes(); }
  /// The node stands for its images.
  [[nodiscard]] bool is_first(std::uint32_t node) const { return image(node).node == node; }
  /// The image of a word that enters at a first node.
  [[nodiscard]] std::uint32_t first_word(std::uint32_t from, std::uint32_t to) const {
    const Image of = image(from);
    std::uint32_t target = 0;
    for (std::uint32_t d = 0; d < SwitchGrid::kDimensions; ++d) {
      const std::uint32_t length = grid_.size[d];
      const std::uint32_t place = grid_.coordinate(to, d);
      target += (of.turned[d] ? length - 1 - place : (place + length - of.moved[d]) % length) * grid_.stride(d);
    }
    return of.node * nodes() + target;
  }

 private:
  struct Image {
    std::uint32_t node = 0;
    std::array<bool, SwitchGrid::kDimensions> turned{};
    std::array<std::uint32_t, SwitchGrid::kDimensions> moved{};  ///< upwards
  };

  [[nodiscard]] Image image(std::uint32_t node) const {
    Image of;
    for (std::uint32_t d = 0; d < SwitchGrid::kDimensions; ++d) {
      const std::uint32_t length = grid_.size[d];
      const std::uint32_t place = grid_.coordinate(node, d);
      const bool even = length % 2 == 0;
      of.turned[d] = !grid_.ring(d) && even && place >= length / 2;
      if (grid_.ring(d)) of.moved[d] = grid_.alternates(d) ? place - place % 2 : place;
      of.node += (of.turned[d] ? length - 1 - place : place - of.moved[d]) * grid_.stride(d);
    }
    return of;
  }

  SwitchGrid grid_;
};

/// A resource that is taken some cycles after a start.
struct Step {
  std::uint32_t resource = 0;
  std::uint32_t after = 0;
};

/// A word that stands for its images: the resources that it takes.
struct Word {
  std::uint32_t number = 0;  ///< from * nodes + to
  std::vector<Step> way;
};

/// Words whose starts are tied to one another, mostly a single one.
struct Chain {
  struct Member {
    std::uint32_t word = 0;  ///< number
    std::uint32_t after = 0;
  };
  std::vector<Member> members;
  std::vector<Step> steps;
  std::uint32_t length = 0;  ///< cycles from the start to the last step, both included
  std::uint32_t start = kNobodyYet;
  float hardness = 1;  ///< of finding it a start
  float weight = 1;    ///< how hard it is to displace
};

std::vector<Word> words_of(const SwitchGrid& grid, const Symmetry& symmetry) {
  std::vector<Word> words;
  for (std::uint32_t from = 0; from < grid.nodes(); ++from) {
    if (!symmetry.is_first(from)) continue;
    for (std::uint32_t to = 0; to < grid.nodes(); ++to) {
      if (to == from) continue;
      Word word{.number = from * grid.nodes() + to, .way = {{.resource = symmetry.entry(from), .after = 0}}};
      std::uint32_t after = 1;
      for (std::uint32_t node = from; node != to; after += grid.hop) {
        const std::uint32_t port = word_port(grid, from, to, node);
        word.way.push_back({symmetry.link(node, port), after});
        node = grid.behind(node, port);
      }
      word.way.push_back({symmetry.exit(to), after});
      words.push_back(std::move(word));
    }
  }
  return words;
}

/// Append a word to a chain.
void append(const Word& word, std::uint32_t after, Chain& chain) {
  chain.members.push_back({word.number, after});
  for (const Step& step : word.way) chain.steps.push_back({step.resource, after + step.after});
  chain.length = std::max(chain.length, after + word.way.back().after + 1);
}

std::vector<Chain> untied(const std::vector<Word>& words) {
  std::vector<Chain> chains(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) append(words[i], 0, chains[i]);
  return chains;
}

/// Ties between words of a square with odd sides.
///
/// Two links in succession are the busiest of a row: to the middle router and from there.
/// A word that ends its way along the row in the middle leaves the second one free, and a word that begins there could
/// follow at once. Searches hardly ever find that by chance for all such words. So each word of the first kind is tied
/// to one of the second kind, and the two links are busy in the same cycles, as if they were one. Columns are alike.
/// The middle row, in columns, and the middle column, in rows, are left alone, so that no more than three words are
/// tied, of which no two want one resource.
class Ties {
 public:
  Ties(const std::vector<Word>& words, std::uint32_t side, std::mt19937& random)
      : words_(words), side_(side), tied_(words.size()) {
    tie_lines(0, random);
    tie_lines(1, random);
  }

  [[nodiscard]] std::vector<Chain> chains() const {
    std::vector<Chain> chains;
    std::vector<bool> done(words_.size());
    for (std::uint32_t word = 0; word < words_.size(); ++word) {
      if (!done[word]) chains.push_back(chain_of(word, done));
    }
    return chains;
  }

 private:
  struct Tie {
    std::uint32_t word = 0;
    std::int32_t after = 0;
  };

  /// A word's way along a row (dimension 0) or a column: the line, and routers from and to which it goes.
  struct Run {
    std::uint32_t line, from, to;
  };
  [[nodiscard]] Run run(std::uint32_t word, int dimension) const {
    const std::uint32_t nodes = side_ * side_;
    const std::uint32_t from = words_[word].number / nodes;
    const std::uint32_t to = words_[word].number % nodes;
    return dimension == 0 ? Run{from / side_, from % side_, to % side_} : Run{to % side_, from / side_, to / side_};
  }

  void tie_lines(int dimension, std::mt19937& random) {
    const std::uint32_t middle = side_ / 2;
    struct Pair {
      std::vector<std::uint32_t> in, out;
    };
    std::vector<Pair> pairs(std::size_t{2} * side_);  // by line and direction
    for (std::uint32_t word = 0; word < words_.size(); ++word) {
      const auto [line, from, to] = run(word, dimension);
      if (from == to || line == middle) continue;
      Pair& pair = pairs[line * 2 + (from < to ? 0 : 1)];
      if (to == middle) pair.in.push_back(word);
      if (from == middle) pair.out.push_back(word);
    }
    for (Pair& pair : pairs) {
      std::shuffle(pair.in.begin(), pair.in.end(), random);
      std::shuffle(pair.out.begin(), pair.out.end(), random);
      for (std::size_t i = 0; i < pair.in.size(); ++i) tie(pair.in[i], pair.out[i], dimension);
    }
  }

  /// The one takes its last link along the line in the cycle before the other takes its first.
  void tie(std::uint32_t in, std::uint32_t out, int dimension) {
    const auto hops = [](const Run& run) { return run.from < run.to ? run.to - run.from : run.from - run.to; };
    const std::uint32_t before_in = dimension == 0 ? 0 : hops(run(in, 0));
    const std::uint32_t before_out = dimension == 0 ? 0 : hops(run(out, 0));
    const auto after =
        static_cast<std::int32_t>(before_in + hops(run(in, dimension))) - static_cast<std::int32_t>(before_out);
    tied_[in].push_back({out, after});
    tied_[out].push_back({in, -after});
  }

  [[nodiscard]] Chain chain_of(std::uint32_t first, std::vector<bool>& done) const {
    std::vector<Tie> members{{first, 0}};
    done[first] = true;
    std::int32_t earliest = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const Tie& tie : tied_[members[i].word]) {
        if (done[tie.word]) continue;
        done[tie.word] = true;
        members.push_back({tie.word, members[i].after + tie.after});
        earliest = std::min(earliest, members.back().after);
      }
    }
    Chain chain;
    for (const Tie& member : members) {
      append(words_[member.word], static_cast<std::uint32_t>(member.after - earliest), chain);
    }
    return chain;
  }

  const std::vector<Word>& words_;
  std::uint32_t side_;
  std::vector<std::vector<Tie>> tied_;
};

/// Search for a schedule of one period and one length.
///
/// Placing a word looks at each cycle in which it could start, for each resource of its way. So what would be displaced
/// lies in a row per resource, which goes on for more than a period: a word reads a piece of it, whatever its start.
class Search {
 public:
  Search(std::vector<Chain> chains, std::uint32_t resources, std::uint32_t period, std::uint32_t cycles, bool patient,
         std::mt19937& random)
      : chains_(std::move(chains)),
        period_(period),
        cycles_(cycles),
        harder_(patient ? kHarder : kMuchHarder),
        entrants_(patient ? kEntrants : 1),
        row_(period + cycles),
        loads_(std::size_t{resources} * row_),
        nothing_(row_),
        taken_(std::size_t{resources} * period, kNobodyYet),
        when_(taken_.size()),
        random_(random) {
    weigh(resources);
  }

  /// @return the chains with their starts; nothing if `placements` did not do, or `go_on` said no.
  std::optional<std::vector<Chain>> run(std::uint64_t placements, const std::function<bool()>& go_on) {
    if (std::ranges::any_of(chains_, [this](const Chain& chain) { return overtakes_itself(chain); })) {
      return std::nullopt;
    }
    std::vector<std::uint32_t> order(chains_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    std::stable_sort(order.begin(), order.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return chains_[a].hardness > chains_[b].hardness; });
    for (const std::uint32_t chain : order) {
      if (!go_on()) return std::nullopt;
      place(chain, cheapest_start(chains_[chain]));
    }
    // In a fixed order, the same few chains would displace one another for ever.
    for (std::uint64_t placed = order.size(); !waiting_.empty(); ++placed) {
      if (placed >= placements || !go_on()) return std::nullopt;
      std::swap(waiting_[next()], waiting_.back());
      const std::uint32_t chain = waiting_.back();
      waiting_.pop_back();
      place(chain, cheapest_start(chains_[chain]));
    }
    return std::move(chains_);
  }

 private:
  /// The chance that a start is free is the product of those of its way's resources; hardness is its negative
  /// logarithm. A chain that needs many resources with hardly an empty cycle is the last to be displaced: the square
  /// makes it dearer than all the easy ones it meets.
  void weigh(std::uint32_t resources) {
    std::vector<std::uint32_t> users(resources);
    for (const Chain& chain : chains_) {
      for (const Step& step : chain.steps) ++users[step.resource];
    }
    for (Chain& chain : chains_) {
      double hardness = 0;
      for (const Step& step : chain.steps) {
        hardness -= std::log(1 - static_cast<double>(users[step.resource]) / (cycles_ - 1));
      }
      chain.hardness = static_cast<float>(hardness * hardness);
      chain.weight = chain.hardness;
    }
  }

  /// Images take a link so far apart that the next repetition of one comes before this one of the other.
  [[nodiscard]] bool overtakes_itself(const Chain& chain) const {
    for (const Step& one : chain.steps) {
      for (const Step& other : chain.steps) {
        if (one.resource == other.resource && other.after >= one.after + period_) return true;
      }
    }
    return false;
  }

  /// Which of the waiting chains is placed: of some, the one that is hardest to displace.
  std::size_t next() {
    std::size_t chosen = random_() % waiting_.size();
    for (int i = 1; i < entrants_; ++i) {
      const std::size_t other = random_() % waiting_.size();
      if (chains_[waiting_[other]].weight > chains_[waiting_[chosen]].weight) chosen = other;
    }
    return chosen;
  }

  [[nodiscard]] std::size_t slot(std::uint32_t resource, std::uint32_t cycle) const {
    return std::size_t{resource} * period_ + cycle % period_;
  }
  /// Visit the slots of a resource that a chain in `cycle` excludes beside its own: those a period and more away,
  /// because words of the next repetition must come behind all of this one.
  template <class Visit>
  void each_far(std::uint32_t resource, std::uint32_t cycle, Visit visit) const {
    for (std::uint32_t later = cycle + period_ + 1; later < cycles_; ++later) {
      if (when_[slot(resource, later)] == later) visit(slot(resource, later));
    }
    for (std::uint32_t earlier = 0; earlier + period_ < cycle; ++earlier) {
      if (when_[slot(resource, earlier)] == earlier) visit(slot(resource, earlier));
    }
  }

  std::uint32_t cheapest_start(const Chain& chain) {
    const std::uint32_t starts = cycles_ - chain.length + 1;
    costs_.assign(starts, 0);
    // Four rows at once: costs are then read and written a fourth as often.
    constexpr std::size_t kRows = 4;
    for (std::size_t i = 0; i < chain.steps.size(); i += kRows) {
      std::array<const float*, kRows> loads;
      loads.fill(nothing_.data());
      for (std::size_t row = 0; row < std::min(kRows, chain.steps.size() - i); ++row) {
        const auto& [resource, after] = chain.steps[i + row];
        loads[row] = &loads_[std::size_t{resource} * row_ + after % period_];
      }
      const auto [first, second, third, fourth] = loads;
      float* const costs = costs_.data();
      for (std::uint32_t start = 0; start < starts; ++start) {
        costs[start] += (first[start] + second[start]) + (third[start] + fourth[start]);
      }
    }
    // Only the first and the last cycles have any that is a period away.
    const std::uint32_t ends = cycles_ > period_ + 1 ? cycles_ - period_ - 1 : 0;
    for (const auto& [resource, after] : chain.steps) {
      if (ends == 0) break;
      const auto add_far = [&](std::uint32_t start) {
        const std::size_t own = slot(resource, start + after);
        each_far(resource, start + after, [&](std::size_t other) {
          if (other != own && taken_[other] != kNobodyYet) costs_[start] += chains_[taken_[other]].weight;
        });
      };
      for (std::uint32_t start = 0; start < starts && start + after < ends; ++start) add_far(start);
      const std::uint32_t late = std::max(period_ + 1, after + ends) - after;
      for (std::uint32_t start = late; start < starts; ++start) add_far(start);
    }
    const float least = least_cost();
    best_.clear();
    for (std::uint32_t start = 0; start < starts; ++start) {
      if (costs_[start] == least) best_.push_back(start);
    }
    return best_[random_() % best_.size()];
  }

  /// Lanes of its own let the compiler compare several costs at once.
  [[nodiscard]] float least_cost() const {
    std::array<float, 8> least;
    least.fill(costs_.front());
    std::size_t start = 0;
    for (; start + least.size() <= costs_.size(); start += least.size()) {
      for (std::size_t lane = 0; lane < least.size(); ++lane) {
        least[lane] = costs_[start + lane] < least[lane] ? costs_[start + lane] : least[lane];
      }
    }
    for (; start < costs_.size(); ++start) least[0] = std::min(least[0], costs_[start]);
    return std::ranges::min(least);
  }

  void place(std::uint32_t number, std::uint32_t start) {
    Chain& chain = chains_[number];
    const auto displace_at = [this](std::size_t slot) {
      if (taken_[slot] != kNobodyYet) displace(taken_[slot]);
    };
    for (const auto& [resource, after] : chain.steps) {
      displace_at(slot(resource, start + after));
      each_far(resource, start + after, displace_at);
    }
    chain.start = start;
    for (const auto& [resource, after] : chain.steps) {
      set(resource, start + after, number, chain.weight);
      when_[slot(resource, start + after)] = start + after;
    }
  }

  void displace(std::uint32_t number) {
    Chain& chain = chains_[number];
    chain.weight += harder_ * chain.hardness;
    for (const auto& [resource, after] : chain.steps) set(resource, chain.start + after, kNobodyYet, 0);
    chain.start = kNobodyYet;
    waiting_.push_back(number);
  }

  void set(std::uint32_t resource, std::uint32_t cycle, std::uint32_t chain, float load) {
    taken_[slot(resource, cycle)] = chain;
    for (std::uint32_t place = cycle % period_; place < row_; place += period_) {
      loads_[std::size_t{resource} * row_ + place] = load;
    }
  }

  std::vector<Chain> chains_;
  std::uint32_t period_;
  std::uint32_t cycles_;
  float harder_;  ///< what a chain that has been displaced adds to its weight, as a part of it
  int entrants_;
  std::uint32_t row_;                 ///< cycles of a row
  std::vector<float> loads_;          ///< by resource and cycle: weight of the chain that took it
  std::vector<float> nothing_;        ///< a row of no loads
  std::vector<std::uint32_t> taken_;  ///< by resource and cycle within a period
  std::vector<std::uint32_t> when_;   ///< the cycle of the last chain that took it
  std::vector<std::uint32_t> waiting_;
  std::vector<float> costs_;
  std::vector<std::uint32_t> best_;
  std::mt19937& random_;
};

/// A schedule out of the starts of words that stand for their images.
WordSchedule schedule_of(const SwitchGrid& grid, const Symmetry& symmetry, const std::vector<Chain>& chains,
                         std::uint32_t period, std::uint32_t cycles) {
  const std::uint32_t nodes = grid.nodes();
  std::vector<std::uint32_t> starts(std::size_t{nodes} * nodes);
  for (const Chain& chain : chains) {
    for (const Chain::Member& member : chain.members) starts[member.word] = chain.start + member.after;
  }
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = 0; to < nodes; ++to) {
      if (from != to) starts[std::size_t{from} * nodes + to] = starts[symmetry.first_word(from, to)];
    }
  }
  return {.width = grid.size[0],
          .height = grid.size[1],
          .period = period,
          .cycles = cycles,
          .start = std::move(starts),
          .depth = grid.size[2],
          .rings = grid.rings,
          .hop = grid.hop};
}

/// A word may be followed by that of the next repetition once every resource has had all words of this one.
std::uint32_t shortest_period(const std::vector<Chain>& chains, const Symmetry& symmetry) {
  struct Use {
    std::uint32_t first = kNobodyYet;
    std::uint32_t last = 0;
  };
  std::vector<Use> uses(symmetry.resources());
  std::uint32_t longest = 0;
  for (const Chain& chain : chains) {
    for (const auto& [resource, after] : chain.steps) {
      Use& use = uses[resource];
      use.first = std::min(use.first, chain.start + after);
      use.last = std::max(use.last, chain.start + after);
      longest = std::max(longest, use.last - use.first + 1);
    }
  }
  return longest;
}

void check_size(const SwitchGrid& grid) {
  const auto [width, height, depth] = grid.size;
  const std::uint64_t size = std::uint64_t{width} * height * depth;
  if (size >= 2 && size <= kMostNodes) return;
  throw std::invalid_argument("a schedule of words is for 2 to 256 nodes, not " + std::to_string(width) + " x " +
                              std::to_string(height) + (depth == 1 ? "" : " x " + std::to_string(depth)));
}

/// Words that cross the busiest link of a dimension.
std::uint32_t busiest_link(const SwitchGrid& grid, std::uint32_t dimension) {
  const std::uint32_t length = grid.size[dimension];
  const std::uint32_t lines = grid.nodes() / length;
  if (!grid.ring(dimension)) return lines * (length * length / 4);
  return length % 2 != 0 ? lines * (length * length / 8) : (lines * length * length + 7) / 8;
}

bool has_ring(const SwitchGrid& grid) { return grid.ring(0) || grid.ring(1) || grid.ring(2); }

}  // namespace

std::uint32_t word_schedule_link(const SwitchGrid& grid) {
  return std::max({busiest_link(grid, 0), busiest_link(grid, 1), busiest_link(grid, 2)});
}

std::uint32_t word_schedule_bound(const SwitchGrid& grid) {
  return std::max(word_schedule_link(grid), grid.nodes() - 1);
}

namespace {

/// Links on the ways of all words. If all nodes are alike, this leaves the same remainder by N - 1 as one node's part.
std::uint64_t hops_of_all(const SwitchGrid& grid) {
  std::uint64_t sum = 0;
  for (std::uint32_t from = 0; from < grid.nodes(); ++from) {
    for (std::uint32_t to = 0; to < grid.nodes(); ++to) sum += grid.hops(from, to);
  }
  return sum;
}

/// Cycles in which the busiest links of rings must idle, each: a router begins and ends with a word per cycle, so that
/// N of its ports idle for N (N - 1) cycles together.
std::uint64_t idle_cycles(const SwitchGrid& grid, std::uint64_t words) {
  const std::uint64_t busiest = word_schedule_link(grid) * words;
  std::vector<std::uint64_t> spare;
  for (std::uint32_t d = 0; d < SwitchGrid::kDimensions; ++d) {
    if (grid.ring(d)) spare.push_back(2 * (busiest - busiest_link(grid, d) * words));
  }
  std::ranges::sort(spare);
  std::uint64_t most = 0;
  std::uint64_t sum = 0;
  std::uint64_t ports = 0;
  for (const std::uint64_t of_two : spare) {
    sum += of_two;
    ports += 2;
    const std::uint64_t lost = ports * (ports - 1);
    if (lost > sum) most = std::max(most, (lost - sum + ports - 1) / ports);
  }
  return most;
}

}  // namespace

std::uint64_t word_schedule_least(const SwitchGrid& grid, std::uint64_t words) {
  const std::uint64_t nodes = grid.nodes();
  std::uint64_t least = word_schedule_link(grid) * words + idle_cycles(grid, words) + grid.hop;
  // Entries and exits are busy in other cycles, which are as far apart as the words' ways are long on average.
  least = std::max(
      least, (nodes - 1) * words + (hops_of_all(grid) * grid.hop + nodes * (nodes - 1) - 1) / (nodes * (nodes - 1)));
  // Of the words that go so far or farther, the last one enters when all others have.
  for (std::uint32_t from = 0; from < nodes; ++from) {
    std::vector<std::uint64_t> far;
    for (std::uint32_t to = 0; to < nodes; ++to) {
      const std::uint32_t hops = grid.hops(from, to);
      far.resize(std::max<std::size_t>(far.size(), hops + 1));
      for (std::uint32_t d = 1; d <= hops; ++d) ++far[d];
    }
    for (std::uint32_t d = 1; d < far.size(); ++d) {
      least = std::max(least, far[d] * words + std::uint64_t{d} * grid.hop);
    }
  }
  return least + 1;
}

std::uint32_t word_schedule_period(const SwitchGrid& grid) {
  const std::uint32_t bound = word_schedule_bound(grid);
  // If entries and exits never idle, their cycles are all remainders once; then so are those of starts and ends.
  const bool never_idle = bound == grid.nodes() - 1;
  return never_idle && hops_of_all(grid) * grid.hop % bound != 0 ? bound + 1 : bound;
}

namespace {

/// Cycles beyond the bound and those into the mesh and out of it that every schedule has: docs/contention.md.
std::uint32_t least_extra(const SwitchGrid& grid) {
  const auto [width, height, depth] = grid.size;
  const std::uint32_t bound = word_schedule_bound(grid);
  const bool odd_row = width % 2 != 0 && busiest_link(grid, 0) == bound;
  const bool odd_column = height % 2 != 0 && busiest_link(grid, 1) == bound;
  if (odd_row && odd_column && width >= 5) return 2;
  return odd_row || odd_column || width == height ? 1 : 0;
}

}  // namespace

WordSchedule quick_word_schedule(const SwitchGrid& grid) {
  check_size(grid);
  const Symmetry symmetry(grid);
  std::vector<Chain> chains = untied(words_of(grid, symmetry));
  std::mt19937 random;  // any order of equal ways is shorter than that of the nodes
  std::shuffle(chains.begin(), chains.end(), random);
  std::ranges::stable_sort(chains, std::greater{}, &Chain::length);
  // The first free start of the last word is never farther away: most resources have had as many words as the bound.
  const auto row = static_cast<std::uint32_t>(4 * (word_schedule_least(grid, 1) + grid.size[0] + grid.size[1]));
  std::vector<std::uint8_t> taken(std::size_t{symmetry.resources()} * row);
  std::vector<std::uint8_t> met(row);
  std::uint32_t cycles = 0;
  for (Chain& chain : chains) {
    const std::uint32_t length = chain.length;
    std::ranges::fill(met, 0);
    for (const auto& [resource, after] : chain.steps) {
      const std::uint8_t* const busy = &taken[std::size_t{resource} * row + after];
      for (std::uint32_t start = 0; start < row - length; ++start) met[start] |= busy[start];
    }
    const auto free = std::find(met.begin(), met.end() - length, 0);
    if (free == met.end() - length) throw std::logic_error("a schedule of words takes more than four times the bound");
    chain.start = static_cast<std::uint32_t>(free - met.begin());
    for (const auto& [resource, after] : chain.steps) taken[std::size_t{resource} * row + chain.start + after] = 1;
    cycles = std::max(cycles, chain.start + length);
  }
  return schedule_of(grid, symmetry, chains, cycles, cycles);
}

namespace {

/// On rings all links can be busy at once, and many words are alike: so the search is for the shortest period, and then
/// for the shortest schedule that has it.
WordSchedule find_on_rings(const SwitchGrid& grid, std::uint32_t effort, const std::function<bool()>& go_on) {
  const Symmetry symmetry(grid);
  const std::vector<Word> words = words_of(grid, symmetry);
  const auto least = static_cast<std::uint32_t>(word_schedule_least(grid, 1));
  const std::uint32_t period = word_schedule_period(grid);
  std::optional<WordSchedule> best;
  bool over = false;
  const auto proceed = [&] { return !(over = over || !go_on()); };
  const auto find = [&](std::uint32_t slack, std::uint32_t extra, std::uint64_t placements) {
    const std::uint32_t cycles = least + extra;
    for (std::uint32_t seed = 0; seed < kRingSeeds && !over; ++seed) {
      std::mt19937 random(seed);
      Search search(untied(words), symmetry.resources(), std::min(period + slack, cycles), cycles, false, random);
      if (const auto found = search.run(placements / kRingSeeds, proceed)) {
        best = schedule_of(grid, symmetry, *found, shortest_period(*found, symmetry), cycles);
        return true;
      }
    }
    return false;
  };
  // A placement looks at all cycles.
  const std::uint64_t placements = std::uint64_t{effort} * kMostNodes / grid.nodes() / kPerRing * period / least;
  const std::uint64_t most = std::clamp<std::uint64_t>(placements, 1, kRingSweeps * words.size());
  // Words of one repetition come in a period, those from near and those from far; and as they enter in one, it is at
  // least half of the time between.
  const std::uint32_t apart = (grid.most_hops() - 1) * grid.hop;
  const std::uint32_t first = std::max(period, apart / 2 + 1) - period;
  const std::uint32_t longest = period / kRingSlack + apart;
  for (std::uint32_t slack = first; slack <= longest && !over; slack += std::max(1U, slack / 2)) {
    const std::uint32_t extra = kRingExtra + slack;
    if (!find(slack, extra, most)) continue;
    for (std::uint32_t less = 0; less < extra && !over; ++less) {
      if (find(slack, less, most)) break;
    }
    break;
  }
  return best ? *best : quick_word_schedule(grid);
}

}  // namespace

WordSchedule find_word_schedule(const SwitchGrid& grid, std::uint32_t effort, const std::function<bool()>& go_on) {
  check_size(grid);
  if (has_ring(grid) || grid.size[2] != 1 || grid.hop != 1) return find_on_rings(grid, effort, go_on);
  const Symmetry symmetry(grid);
  const std::vector<Word> words = words_of(grid, symmetry);
  const std::uint32_t bound = word_schedule_bound(grid);
  std::optional<WordSchedule> best;
  const std::uint32_t width = grid.size[0];
  const bool odd_square = width == grid.size[1] && width % 2 != 0;
  bool over = false;
  const auto proceed = [&] { return !(over = over || !go_on()); };
  const auto find = [&](std::uint32_t extra, std::uint32_t period, std::uint32_t words_placed) {
    const std::uint32_t cycles = bound + kInAndOut + extra;
    const std::uint64_t placements =
        std::max<std::uint64_t>(1, std::uint64_t{words_placed} * kMostNodes / grid.nodes());
    const std::uint64_t once = std::min<std::uint64_t>(placements, kSweeps * words.size());
    for (std::uint32_t seed = 0; seed < std::min(placements / once, kSeeds) && !over; ++seed) {
      std::mt19937 random(seed);
      const bool patient = seed % 2 == 0;
      Search search(odd_square && patient ? Ties(words, width, random).chains() : untied(words), symmetry.resources(),
                    std::min(period, cycles), cycles, patient, random);
      if (const auto found = search.run(once, proceed)) {
        best = schedule_of(grid, symmetry, *found, std::min(period, shortest_period(*found, symmetry)), cycles);
        return true;
      }
    }
    return false;
  };
  const std::uint32_t least = least_extra(grid);
  for (std::uint32_t extra = kMostExtra; extra >= kEasyExtra && find(extra, kAnyPeriod, effort);) extra /= 2;
  // Most meshes have a short schedule whose period is the bound, found as easily as one of any period.
  for (std::uint32_t extra = least; extra <= kGoodExtra; ++extra) {
    if (find(extra, bound, effort / kPerPeriod)) return *best;
  }
  std::uint32_t extra = least;
  for (; extra < kEasyExtra; ++extra) {
    if (find(extra, kAnyPeriod, extra < kGoodExtra ? effort / kLittle : effort)) break;
  }
  if (best && best->period > bound + 1 + bound / kLittle) find(extra, bound + 1, effort / kPerPeriod);
  if (!best) {
    throw std::invalid_argument("no schedule of words found: more effort than " + std::to_string(effort) +
                                " is needed");
  }
  return *best;
}

}  // namespace tidings
