// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/word_schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
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
constexpr std::uint32_t kPorts = 4;     ///< of a router: +x, -x, +y, -y
constexpr std::uint32_t kInAndOut = 2;  ///< cycles of a word beside those on links
/// Cycles beyond the bound, and those into the mesh and out of it, that are too many for any mesh.
constexpr std::uint32_t kMostExtra = 32;
/// As many are few enough to look for a shorter period.
constexpr std::uint32_t kGoodExtra = 2;
/// What a word that has been displaced adds to its weight, as a part of it.
constexpr float kHarder = 0.02F;
/// Waiting words of which one is placed next.
constexpr int kEntrants = 4;
/// Words placed, per word, before a search begins anew.
constexpr std::uint64_t kSweeps = 1'000;
/// How often a search begins anew: all that small meshes need.
constexpr std::uint64_t kSeeds = 30;

/// A mesh seen through its reflections: a side of even length makes two halves alike. Words that are images of one
/// another start in the same cycle and never meet, so that one of them stands for all.
class Mesh {
 public:
  Mesh(std::uint32_t width, std::uint32_t height) : width_(width), height_(height) {}

  [[nodiscard]] std::uint32_t nodes() const { return width_ * height_; }
  /// Number of an entry, an exit or a link, the same for all images.
  [[nodiscard]] std::uint32_t entry(std::uint32_t node) const { return image(node).node; }
  [[nodiscard]] std::uint32_t exit(std::uint32_t node) const { return nodes() + image(node).node; }
  [[nodiscard]] std::uint32_t link(std::uint32_t node, std::uint32_t port) const {
    const Image of = image(node);
    const bool turned = port < 2 ? of.x_turned : of.y_turned;
    return 2 * nodes() + of.node * kPorts + (port ^ (turned ? 1U : 0U));
  }
  [[nodiscard]] std::uint32_t resources() const { return (2 + kPorts) * nodes(); }
  /// The node stands for its images.
  [[nodiscard]] bool is_first(std::uint32_t node) const { return image(node).node == node; }
  /// The image of a word that enters at a first node.
  [[nodiscard]] std::uint32_t first_word(std::uint32_t from, std::uint32_t to) const {
    const Image of = image(from);
    return of.node * nodes() + turned(to, of.x_turned, of.y_turned);
  }

 private:
  struct Image {
    std::uint32_t node = 0;
    bool x_turned = false;
    bool y_turned = false;
  };

  [[nodiscard]] std::uint32_t turned(std::uint32_t node, bool x, bool y) const {
    const std::uint32_t column = node % width_;
    const std::uint32_t row = node / width_;
    return (y ? height_ - 1 - row : row) * width_ + (x ? width_ - 1 - column : column);
  }
  [[nodiscard]] Image image(std::uint32_t node) const {
    const bool x = width_ % 2 == 0 && node % width_ >= width_ / 2;
    const bool y = height_ % 2 == 0 && node / width_ >= height_ / 2;
    return {turned(node, x, y), x, y};
  }

  std::uint32_t width_;
  std::uint32_t height_;
};

/// A word that stands for its images: the resources that it takes, one a cycle.
struct Word {
  std::uint32_t number = 0;  ///< from * nodes + to
  std::vector<std::uint32_t> way;
  std::uint32_t start = kNobodyYet;
  float hardness = 1;  ///< of finding it a start
  float weight = 1;    ///< how hard it is to displace
};

std::vector<Word> words_of(std::uint32_t width, const Mesh& mesh) {
  std::vector<Word> words;
  for (std::uint32_t from = 0; from < mesh.nodes(); ++from) {
    if (!mesh.is_first(from)) continue;
    for (std::uint32_t to = 0; to < mesh.nodes(); ++to) {
      if (to == from) continue;
      Word word{.number = from * mesh.nodes() + to, .way = {mesh.entry(from)}};
      for (std::uint32_t node = from; node != to;) {
        const bool along_x = node % width != to % width;
        const bool up = along_x ? node % width < to % width : node < to;
        word.way.push_back(mesh.link(node, (along_x ? 0U : 2U) + (up ? 0U : 1U)));
        const std::uint32_t stride = along_x ? 1 : width;
        node = up ? node + stride : node - stride;
      }
      word.way.push_back(mesh.exit(to));
      words.push_back(std::move(word));
    }
  }
  return words;
}

/// Search for a schedule of one period and one length.
///
/// Placing a word looks at each cycle in which it could start, for each resource of its way. So what would be displaced
/// lies in a row per resource, which goes on for more than a period: a word reads a piece of it, whatever its start.
class Search {
 public:
  Search(std::vector<Word> words, std::uint32_t resources, std::uint32_t period, std::uint32_t cycles,
         std::uint32_t seed)
      : words_(std::move(words)),
        period_(period),
        cycles_(cycles),
        row_(period + cycles),
        loads_(std::size_t{resources} * row_),
        taken_(std::size_t{resources} * period, kNobodyYet),
        when_(taken_.size()),
        random_(seed) {
    weigh(resources);
  }

  /// @return the words with their starts; nothing if `placements` did not do, or `go_on` said no.
  std::optional<std::vector<Word>> run(std::uint64_t placements, const std::function<bool()>& go_on) {
    std::vector<std::uint32_t> order(words_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    std::stable_sort(order.begin(), order.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return words_[a].way.size() > words_[b].way.size(); });
    for (const std::uint32_t word : order) {
      if (!go_on()) return std::nullopt;
      place(word, cheapest_start(words_[word]));
    }
    // In a fixed order, the same few words would displace one another for ever.
    for (std::uint64_t placed = order.size(); !waiting_.empty(); ++placed) {
      if (placed >= placements || !go_on()) return std::nullopt;
      std::swap(waiting_[next()], waiting_.back());
      const std::uint32_t word = waiting_.back();
      waiting_.pop_back();
      place(word, cheapest_start(words_[word]));
    }
    return std::move(words_);
  }

 private:
  /// The chance that a start is free is the product of those of its way's resources; hardness is its negative
  /// logarithm. A word that needs many resources with hardly an empty cycle is the last to be displaced: the square
  /// makes it dearer than all the easy ones it meets.
  void weigh(std::uint32_t resources) {
    std::vector<std::uint32_t> users(resources);
    for (const Word& word : words_) {
      for (const std::uint32_t resource : word.way) ++users[resource];
    }
    for (Word& word : words_) {
      double hardness = 0;
      for (const std::uint32_t resource : word.way) {
        hardness -= std::log(1 - static_cast<double>(users[resource]) / (cycles_ - 1));
      }
      word.hardness = static_cast<float>(hardness * hardness);
      word.weight = word.hardness;
    }
  }

  /// Which of the waiting words is placed: of some, the one that is hardest to displace.
  std::size_t next() {
    std::size_t chosen = random_() % waiting_.size();
    for (int i = 1; i < kEntrants; ++i) {
      const std::size_t other = random_() % waiting_.size();
      if (words_[waiting_[other]].weight > words_[waiting_[chosen]].weight) chosen = other;
    }
    return chosen;
  }

  [[nodiscard]] std::size_t slot(std::uint32_t resource, std::uint32_t cycle) const {
    return std::size_t{resource} * period_ + cycle % period_;
  }
  /// Visit the slots of a resource that a word in `cycle` excludes beside its own: those a period and more away,
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

  std::uint32_t cheapest_start(const Word& word) {
    const auto length = static_cast<std::uint32_t>(word.way.size());
    const std::uint32_t starts = cycles_ - length + 1;
    costs_.assign(starts, 0);
    for (std::uint32_t i = 0; i < length; ++i) {
      const float* const loads = &loads_[std::size_t{word.way[i]} * row_ + i % period_];
      for (std::uint32_t start = 0; start < starts; ++start) costs_[start] += loads[start];
      const auto add_far = [&](std::uint32_t start) {
        const std::uint32_t own = static_cast<std::uint32_t>(slot(word.way[i], start + i));
        each_far(word.way[i], start + i, [&](std::size_t other) {
          if (other != own && taken_[other] != kNobodyYet) costs_[start] += words_[taken_[other]].weight;
        });
      };
      // Only the first and the last cycles have any that far away.
      if (cycles_ <= period_ + 1) continue;
      const std::uint32_t ends = cycles_ - period_ - 1;
      for (std::uint32_t start = 0; start < starts && start + i < ends; ++start) add_far(start);
      const std::uint32_t first = std::max(period_ + 1, i + ends) - i;
      for (std::uint32_t start = first; start < starts; ++start) add_far(start);
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
    Word& word = words_[number];
    const auto displace_at = [this](std::size_t slot) {
      if (taken_[slot] != kNobodyYet) displace(taken_[slot]);
    };
    for (std::uint32_t i = 0; i < word.way.size(); ++i) {
      displace_at(slot(word.way[i], start + i));
      each_far(word.way[i], start + i, displace_at);
    }
    word.start = start;
    for (std::uint32_t i = 0; i < word.way.size(); ++i) {
      set(word.way[i], start + i, number, word.weight);
      when_[slot(word.way[i], start + i)] = start + i;
    }
  }

  void displace(std::uint32_t number) {
    Word& word = words_[number];
    word.weight += kHarder * word.hardness;
    for (std::uint32_t i = 0; i < word.way.size(); ++i) set(word.way[i], word.start + i, kNobodyYet, 0);
    word.start = kNobodyYet;
    waiting_.push_back(number);
  }

  void set(std::uint32_t resource, std::uint32_t cycle, std::uint32_t word, float load) {
    taken_[slot(resource, cycle)] = word;
    for (std::uint32_t place = cycle % period_; place < row_; place += period_) {
      loads_[std::size_t{resource} * row_ + place] = load;
    }
  }

  std::vector<Word> words_;
  std::uint32_t period_;
  std::uint32_t cycles_;
  std::uint32_t row_;                 ///< cycles of a row
  std::vector<float> loads_;          ///< by resource and cycle: weight of the word that took it
  std::vector<std::uint32_t> taken_;  ///< by resource and cycle within a period
  std::vector<std::uint32_t> when_;   ///< the cycle of the last word that took it
  std::vector<std::uint32_t> waiting_;
  std::vector<float> costs_;
  std::vector<std::uint32_t> best_;
  std::mt19937 random_;
};

/// A schedule out of the starts of words that stand for their images.
WordSchedule schedule_of(std::uint32_t width, std::uint32_t height, const Mesh& mesh, const std::vector<Word>& words,
                         std::uint32_t period, std::uint32_t cycles) {
  const std::uint32_t nodes = mesh.nodes();
  std::vector<std::uint32_t> starts(std::size_t{nodes} * nodes);
  for (const Word& word : words) starts[word.number] = word.start;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = 0; to < nodes; ++to) {
      if (from != to) starts[std::size_t{from} * nodes + to] = starts[mesh.first_word(from, to)];
    }
  }
  return {.width = width, .height = height, .period = period, .cycles = cycles, .start = std::move(starts)};
}

/// A word may be followed by that of the next repetition once every resource has had all words of this one.
std::uint32_t shortest_period(const std::vector<Word>& words, const Mesh& mesh) {
  struct Use {
    std::uint32_t first = kNobodyYet;
    std::uint32_t last = 0;
  };
  std::vector<Use> uses(mesh.resources());
  std::uint32_t longest = 0;
  for (const Word& word : words) {
    for (std::uint32_t i = 0; i < word.way.size(); ++i) {
      Use& use = uses[word.way[i]];
      use.first = std::min(use.first, word.start + i);
      use.last = std::max(use.last, word.start + i);
      longest = std::max(longest, use.last - use.first + 1);
    }
  }
  return longest;
}

void check_size(std::uint32_t width, std::uint32_t height) {
  const std::uint64_t size = std::uint64_t{width} * height;
  if (size >= 2 && size <= kMostNodes) return;
  throw std::invalid_argument("a schedule of words is for 2 to 256 nodes, not " + std::to_string(width) + " x " +
                              std::to_string(height));
}

}  // namespace

std::uint32_t word_schedule_bound(std::uint32_t width, std::uint32_t height) {
  return std::max({height * (width * width / 4), width * (height * height / 4), width * height - 1});
}

WordSchedule quick_word_schedule(std::uint32_t width, std::uint32_t height) {
  check_size(width, height);
  const Mesh mesh(width, height);
  std::vector<Word> words = words_of(width, mesh);
  std::mt19937 random;  // any order of equal ways is shorter than that of the nodes
  std::shuffle(words.begin(), words.end(), random);
  std::stable_sort(words.begin(), words.end(),
                   [](const Word& a, const Word& b) { return a.way.size() > b.way.size(); });
  // The first free start of the last word is never farther away: most resources have had as many words as the bound.
  const std::uint32_t row = 4 * (word_schedule_bound(width, height) + width + height);
  std::vector<std::uint8_t> taken(std::size_t{mesh.resources()} * row);
  std::vector<std::uint8_t> met(row);
  std::uint32_t cycles = 0;
  for (Word& word : words) {
    const auto length = static_cast<std::uint32_t>(word.way.size());
    std::ranges::fill(met, 0);
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint8_t* const busy = &taken[std::size_t{word.way[i]} * row + i];
      for (std::uint32_t start = 0; start < row - length; ++start) met[start] |= busy[start];
    }
    const auto free = std::find(met.begin(), met.end() - length, 0);
    if (free == met.end() - length) throw std::logic_error("a schedule of words takes more than four times the bound");
    word.start = static_cast<std::uint32_t>(free - met.begin());
    for (std::uint32_t i = 0; i < length; ++i) taken[std::size_t{word.way[i]} * row + word.start + i] = 1;
    cycles = std::max(cycles, word.start + length);
  }
  return schedule_of(width, height, mesh, words, cycles, cycles);
}

WordSchedule find_word_schedule(std::uint32_t width, std::uint32_t height, std::uint32_t effort,
                                const std::function<bool()>& go_on) {
  check_size(width, height);
  const Mesh mesh(width, height);
  const std::vector<Word> words = words_of(width, mesh);
  const std::uint32_t bound = word_schedule_bound(width, height);
  std::optional<WordSchedule> best;
  bool over = false;
  const auto proceed = [&] { return !(over = over || !go_on()); };
  const auto find = [&](std::uint32_t extra, std::uint32_t period) {
    const std::uint32_t cycles = bound + kInAndOut + extra;
    const std::uint64_t placements = std::max<std::uint64_t>(1, std::uint64_t{effort} * kMostNodes / mesh.nodes());
    const std::uint64_t once = std::min<std::uint64_t>(placements, kSweeps * words.size());
    for (std::uint32_t seed = 0; seed < std::min(placements / once, kSeeds) && !over; ++seed) {
      Search search(words, mesh.resources(), std::min(period, cycles), cycles, seed);
      if (const auto found = search.run(once, proceed)) {
        best = schedule_of(width, height, mesh, *found, std::min(period, shortest_period(*found, mesh)), cycles);
        return true;
      }
    }
    return false;
  };
  // In a square with even sides, one node would have to begin both a row's and a column's busiest link in cycle 0. In
  // larger meshes with odd sides, searches for fewer extra cycles have found nothing.
  const bool odd = width % 2 != 0 && height % 2 != 0 && width > 3 && height > 3;
  std::uint32_t least = odd ? 2 : (width == height && width % 2 == 0 ? 1 : 0);
  // A length that is longer than need be is found at once, so halves cost little.
  for (std::uint32_t most = kMostExtra; least < most;) {
    const std::uint32_t extra = least + (most - least) / 2;
    if (find(extra, kAnyPeriod)) {
      most = extra;
    } else {
      least = extra + 1;
    }
  }
  if (!best) {
    throw std::invalid_argument("no schedule of words found: more effort than " + std::to_string(effort) +
                                " is needed");
  }
  // A shorter period is worth a cycle more: each further word of a block takes a period. In larger meshes with odd
  // sides, searches for a period of the bound have found nothing.
  const std::uint32_t period = odd ? bound + 1 : bound;
  for (std::uint32_t extra = least; extra <= std::max(least, kGoodExtra) && best->period > period; ++extra) {
    find(extra, period);
  }
  return *best;
}

}  // namespace tidings
