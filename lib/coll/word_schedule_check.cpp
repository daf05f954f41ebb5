// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/word_schedule_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tidings {
namespace {

/// A word of one repetition passes an output: of a router towards a neighbour, or towards its own node.
struct Event {
  std::uint32_t cycle = 0;
  std::uint32_t word = 0;  ///< from * nodes + to
  std::uint32_t repetition = 0;
  std::uint32_t input = 0;   ///< that it leaves: kFromNode, or the port through which it came
  std::int64_t before = -1;  ///< the same word at the output before, as an index
};

constexpr std::uint32_t kFromNode = 6;
constexpr std::uint32_t kOutputs = 7;  ///< +x, -x, +y, -y, +z, -z, own node
constexpr std::uint32_t kToNode = 6;

std::string name_of(std::uint32_t word, std::uint32_t nodes) {
  return "the word from " + std::to_string(word / nodes) + " to " + std::to_string(word % nodes);
}

class Check {
 public:
  Check(const WordSchedule& schedule, std::uint32_t repetitions, std::uint32_t room)
      : schedule_(schedule), nodes_(schedule.nodes()), repetitions_(repetitions), room_(room) {}

  std::string mistake() {
    if (schedule_.start.size() != std::size_t{nodes_} * nodes_) return "not every pair of nodes has a word";
    for (std::uint32_t repetition = 0; repetition < repetitions_; ++repetition) {
      for (std::uint32_t word = 0; word < schedule_.start.size(); ++word) {
        if (word / nodes_ != word % nodes_) follow(word, repetition);
      }
    }
    outputs_.resize(std::size_t{nodes_} * kOutputs);
    entries_.resize(nodes_);
    for (std::size_t event = 0; event < events_.size(); ++event) {
      outputs_[where_[event]].push_back(event);
      if (events_[event].before < 0) entries_[where_[event] / kOutputs].push_back(event);
    }
    for (auto* lists : {&outputs_, &entries_}) {
      for (auto& list : *lists) sort_by_cycle(list);
    }
    for (const auto step : {&Check::late, &Check::meeting, &Check::differing, &Check::circle}) {
      std::string found = (this->*step)();
      if (!found.empty()) return found;
    }
    return {};
  }

 private:
  void sort_by_cycle(std::vector<std::size_t>& list) const {
    std::stable_sort(list.begin(), list.end(),
                     [this](std::size_t a, std::size_t b) { return events_[a].cycle < events_[b].cycle; });
  }

  /// Add the events of a word: in cycle `start` it enters its router, passes an output in the next one, and another one
  /// each time that it has come over a link.
  void follow(std::uint32_t word, std::uint32_t repetition) {
    const std::array<std::uint32_t, 3> size{schedule_.width, schedule_.height, schedule_.depth};
    const std::array<std::uint32_t, 3> to = place_of(word % nodes_);
    const std::array<std::uint32_t, 3> from = place_of(word / nodes_);
    std::array<std::uint32_t, 3> here = from;
    // By dimension: links upwards to the target, and how far the others lead, which decides between equal ways.
    std::array<std::uint32_t, 3> ahead{};
    std::array<bool, 3> closed{};
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < size.size(); ++d) {
      closed[d] = (schedule_.rings >> d & 1U) != 0 && size[d] > 2;
      ahead[d] = to[d] >= from[d] ? to[d] - from[d] : closed[d] ? to[d] + size[d] - from[d] : from[d] - to[d];
      sum += ahead[d];
    }
    std::uint32_t cycle = schedule_.start[word] + repetition * schedule_.period + 1;
    std::uint32_t input = kFromNode;
    std::int64_t before = -1;
    const auto pass = [&](std::uint32_t output) {
      events_.push_back({cycle, word, repetition, input, before});
      where_.push_back(((here[2] * size[1] + here[1]) * size[0] + here[0]) * kOutputs + output);
      before = static_cast<std::int64_t>(events_.size()) - 1;
      input = output ^ 1U;  // the port through which it enters the next router
      cycle += schedule_.hop;
    };
    for (std::uint32_t d = 0; d < size.size(); ++d) {
      bool up = to[d] > from[d];
      if (closed[d] && 2 * ahead[d] == size[d]) {
        // As many words go up as down: either half of those in the other dimensions, or of those along this one.
        const bool by_place = nodes_ / size[d] % 2 != 0;
        up = (sum - ahead[d] + (by_place ? from[d] : 0)) % 2 == 0;
      } else if (closed[d]) {
        up = 2 * ahead[d] < size[d];
      }
      while (here[d] != to[d]) {
        pass(2 * d + (up ? 0U : 1U));
        const std::uint32_t edge = up ? size[d] - 1 : 0;
        here[d] = here[d] != edge ? here[d] + (up ? 1U : ~0U) : closed[d] ? size[d] - 1 - edge : ~0U;
      }
    }
    pass(kToNode);
  }
  [[nodiscard]] std::array<std::uint32_t, 3> place_of(std::uint32_t node) const {
    const std::uint32_t row = node / schedule_.width;
    return {node % schedule_.width, row % schedule_.height, row / schedule_.height};
  }

  [[nodiscard]] std::string late() const {
    const std::uint32_t end = schedule_.cycles + (repetitions_ - 1) * schedule_.period;
    for (const Event& event : events_) {
      if (event.cycle >= end) return name_of(event.word, nodes_) + " is under way after the last cycle";
    }
    return {};
  }

  [[nodiscard]] std::string meeting() const {
    const auto twice = [this](const std::vector<std::size_t>& list, const char* where) -> std::string {
      for (std::size_t i = 1; i < list.size(); ++i) {
        const Event& a = events_[list[i - 1]];
        const Event& b = events_[list[i]];
        if (a.cycle == b.cycle) {
          return name_of(a.word, nodes_) + " and " + name_of(b.word, nodes_) + " meet at " + where + " in cycle " +
                 std::to_string(a.cycle);
        }
      }
      return {};
    };
    for (const auto& output : outputs_) {
      if (std::string found = twice(output, "an output"); !found.empty()) return found;
    }
    for (const auto& entry : entries_) {
      if (std::string found = twice(entry, "an entry"); !found.empty()) return found;
    }
    return {};
  }

  /// The programs of outputs and the orders in which nodes send must be those of the first repetition, again and again.
  [[nodiscard]] std::string differing() const {
    for (const auto* lists : {&outputs_, &entries_}) {
      for (const auto& list : *lists) {
        const std::size_t once = list.size() / repetitions_;
        for (std::size_t i = 0; i < list.size(); ++i) {
          const Event& event = events_[list[i]];
          if (event.word != events_[list[i % once]].word || event.repetition != i / once) {
            return name_of(event.word, nodes_) + " overtakes words of another repetition";
          }
        }
      }
    }
    return {};
  }

  /// Events wait for: the same word at the output before; the event before at their output; the one before that leaves
  /// their input; and, for room, the one that leaves the next input `room` words earlier. A circle would be a deadlock.
  [[nodiscard]] std::string circle() const {
    std::vector<std::vector<std::size_t>> behind(events_.size());
    std::vector<std::uint32_t> waits(events_.size());
    const auto wait = [&](std::size_t event, std::size_t earlier) {
      behind[earlier].push_back(event);
      ++waits[event];
    };
    for (const auto& output : outputs_) {
      for (std::size_t i = 1; i < output.size(); ++i) wait(output[i], output[i - 1]);
    }
    std::vector<std::int64_t> after(events_.size(), -1);  // the same word at the next output
    for (std::size_t event = 0; event < events_.size(); ++event) {
      if (events_[event].before < 0) continue;
      wait(event, static_cast<std::size_t>(events_[event].before));
      after[static_cast<std::size_t>(events_[event].before)] = static_cast<std::int64_t>(event);
    }
    // Words come to an input in the order of the output, or of the node, that feeds it.
    const auto queue = [&](const std::vector<std::size_t>& leaving, const std::vector<std::size_t>* feeding) {
      for (std::size_t i = 0; i < leaving.size(); ++i) {
        if (i > 0) wait(leaving[i], leaving[i - 1]);
        if (feeding != nullptr && i + room_ < feeding->size()) wait((*feeding)[i + room_], leaving[i]);
      }
    };
    for (std::size_t place = 0; place < outputs_.size(); ++place) {
      if (place % kOutputs == kToNode) continue;
      std::vector<std::size_t> leaving;
      for (const std::size_t event : outputs_[place]) leaving.push_back(static_cast<std::size_t>(after[event]));
      queue(leaving, &outputs_[place]);
    }
    for (const auto& entry : entries_) queue(entry, nullptr);
    std::vector<std::size_t> free;
    for (std::size_t event = 0; event < events_.size(); ++event) {
      if (waits[event] == 0) free.push_back(event);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      for (const std::size_t next : behind[free[i]]) {
        if (--waits[next] == 0) free.push_back(next);
      }
    }
    return free.size() == events_.size() ? "" : "switches wait for one another in a circle";
  }

  const WordSchedule& schedule_;
  std::uint32_t nodes_;
  std::uint32_t repetitions_;
  std::uint32_t room_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> where_;               ///< output of each event: node * kOutputs + output
  std::vector<std::vector<std::size_t>> outputs_;  ///< events in the order of the program
  std::vector<std::vector<std::size_t>> entries_;  ///< first events of each node's words, in the order of sending
};

}  // namespace

std::string word_schedule_mistake(const WordSchedule& schedule, std::uint32_t repetitions, std::uint32_t room) {
  return Check(schedule, repetitions, room).mistake();
}

}  // namespace tidings
