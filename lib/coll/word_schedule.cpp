// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/word_schedule.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

namespace tidings {
namespace {

constexpr std::uint32_t kNobodyYet = ~0U;
constexpr std::uint32_t kPorts = 4;     ///< of a router: +x, -x, +y, -y
constexpr std::uint32_t kInAndOut = 2;  ///< cycles of a word beside those on links
/// Cycles beyond the bound that are tried: more than any mesh has needed.
constexpr std::uint32_t kMostExtra = 16;

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
  double weight = 1;  ///< how hard it is to displace
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
class Search {
 public:
  Search(std::vector<Word> words, std::uint32_t resources, std::uint32_t period, std::uint32_t cycles)
      : words_(std::move(words)),
        period_(period),
        cycles_(cycles),
        taken_(std::size_t{resources} * period, kNobodyYet),
        when_(taken_.size()) {}

  /// @return the words with their starts; nothing if `placements` did not do.
  std::optional<std::vector<Word>> run(std::uint64_t placements, const std::function<void()>& pause) {
    std::vector<std::uint32_t> order(words_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    std::stable_sort(order.begin(), order.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return words_[a].way.size() > words_[b].way.size(); });
    for (const std::uint32_t word : order) {
      pause();
      place(word, cheapest_start(words_[word]));
    }
    // Displaced words return in any order: in a fixed one, the same few displace one another for ever.
    for (std::uint64_t placed = order.size(); !waiting_.empty(); ++placed) {
      if (placed >= placements) return std::nullopt;
      pause();
      std::swap(waiting_[random_() % waiting_.size()], waiting_.back());
      const std::uint32_t word = waiting_.back();
      waiting_.pop_back();
      place(word, cheapest_start(words_[word]));
    }
    return std::move(words_);
  }

 private:
  [[nodiscard]] std::size_t slot(std::uint32_t resource, std::uint32_t cycle) const {
    return std::size_t{resource} * period_ + cycle % period_;
  }
  /// Visit the slots of a resource that a word in `cycle` excludes: its own, and those a period and more away, because
  /// words of the next repetition must come behind all of this one.
  template <class Visit>
  void each_excluded(std::uint32_t resource, std::uint32_t cycle, Visit visit) const {
    visit(slot(resource, cycle));
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
      const std::uint32_t* const taken = &taken_[slot(word.way[i], 0)];
      std::uint32_t place = i % period_;
      for (std::uint32_t start = 0; start < starts; ++start) {
        if (taken[place] != kNobodyYet) costs_[start] += words_[taken[place]].weight;
        if (++place == period_) place = 0;
      }
      if (cycles_ <= period_ + 1) continue;
      for (std::uint32_t start = 0; start < starts; ++start) {
        const std::uint32_t cycle = start + i;
        if (cycle + period_ + 1 >= cycles_ && cycle < period_ + 1) continue;
        each_excluded(word.way[i], cycle, [&](std::size_t other) {
          if (other != slot(word.way[i], cycle) && taken_[other] != kNobodyYet) {
            costs_[start] += words_[taken_[other]].weight;
          }
        });
      }
    }
    const double least = *std::min_element(costs_.begin(), costs_.end());
    best_.clear();
    for (std::uint32_t start = 0; start < starts; ++start) {
      if (costs_[start] == least) best_.push_back(start);
    }
    return best_[random_() % best_.size()];
  }

  void place(std::uint32_t number, std::uint32_t start) {
    Word& word = words_[number];
    for (std::uint32_t i = 0; i < word.way.size(); ++i) {
      each_excluded(word.way[i], start + i, [this](std::size_t slot) {
        if (taken_[slot] != kNobodyYet) displace(taken_[slot]);
      });
    }
    word.start = start;
    for (std::uint32_t i = 0; i < word.way.size(); ++i) {
      taken_[slot(word.way[i], start + i)] = number;
      when_[slot(word.way[i], start + i)] = start + i;
    }
  }

  void displace(std::uint32_t number) {
    Word& word = words_[number];
    word.weight += 1;
    for (std::uint32_t i = 0; i < word.way.size(); ++i) taken_[slot(word.way[i], word.start + i)] = kNobodyYet;
    word.start = kNobodyYet;
    waiting_.push_back(number);
  }

  std::vector<Word> words_;
  std::uint32_t period_;
  std::uint32_t cycles_;
  std::vector<std::uint32_t> taken_;  ///< by resource and cycle within a period
  std::vector<std::uint32_t> when_;   ///< the cycle of the last word that took it
  std::vector<std::uint32_t> waiting_;
  std::vector<double> costs_;
  std::vector<std::uint32_t> best_;
  std::mt19937 random_;
};

}  // namespace

std::uint32_t word_schedule_bound(std::uint32_t width, std::uint32_t height) {
  return std::max({height * (width * width / 4), width * (height * height / 4), width * height - 1});
}

WordSchedule find_word_schedule(std::uint32_t width, std::uint32_t height, std::uint32_t effort,
                                const std::function<void()>& pause) {
  constexpr std::uint64_t kMostNodes = 256;
  const std::uint64_t size = std::uint64_t{width} * height;
  if (size < 2 || size > kMostNodes) {
    throw std::invalid_argument("a schedule of words is for 2 to 256 nodes, not " + std::to_string(width) + " x " +
                                std::to_string(height));
  }
  const Mesh mesh(width, height);
  const std::vector<Word> words = words_of(width, mesh);
  const std::uint32_t bound = word_schedule_bound(width, height);
  const bool odd = width % 2 != 0 && height % 2 != 0 && width > 3 && height > 3;
  // In a square with even sides, one node would have to begin both a row's and a column's busiest link in cycle 0. In
  // larger meshes with odd sides, searches for fewer extra cycles, or for a period of the bound, have found nothing.
  const std::uint32_t least = odd ? 3 : (width == height && width % 2 == 0 ? 1 : 0);
  for (std::uint32_t extra = least; extra < kMostExtra; ++extra) {
    const std::uint32_t cycles = bound + kInAndOut + extra;
    for (const std::uint32_t period : {bound, cycles}) {
      if (odd && period == bound) continue;
      const auto found = Search(words, mesh.resources(), period, cycles).run(effort * size * size, pause);
      if (!found) continue;
      std::vector<std::uint32_t> starts(size * size);
      for (const Word& word : *found) starts[word.number] = word.start;
      for (std::uint32_t from = 0; from < size; ++from) {
        for (std::uint32_t to = 0; to < size; ++to) {
          if (from != to) starts[from * size + to] = starts[mesh.first_word(from, to)];
        }
      }
      return {.width = width, .height = height, .period = period, .cycles = cycles, .start = std::move(starts)};
    }
  }
  throw std::invalid_argument("no schedule of words found: more effort than " + std::to_string(effort) + " is needed");
}

}  // namespace tidings
