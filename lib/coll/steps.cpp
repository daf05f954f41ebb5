// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/steps.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace tidings {
namespace {

/// A rank on its way through its schedule.
struct Traveller {
  Schedule schedule;
  std::size_t round = 0;
  std::uint32_t step = 0;
  bool sent = false;

  [[nodiscard]] bool done() const { return round == schedule.size(); }
};

class Walk {
 public:
  Walk(const Algorithm& algorithm, const Placement& placement, int root) {
    for (Member rank = 0; rank < placement.size(); ++rank) {
      ranks_.push_back({algorithm.schedule(placement, static_cast<int>(rank), root)});
      for (const Round& round : ranks_.back().schedule) {
        for (const Transfer& transfer : round.transfers) carries_data_ |= transfer.range.blocks > 0;
      }
    }
  }

  Steps steps() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Member rank = 0; rank < ranks_.size(); ++rank) {
        while (go_on(rank)) moved = true;
      }
    }
    for (Member rank = 0; rank < ranks_.size(); ++rank) {
      if (!ranks_[rank].done()) throw std::logic_error("rank " + std::to_string(rank) + " waits for ever");
    }
    std::stable_sort(found_.messages.begin(), found_.messages.end(),
                     [](const StepMessage& a, const StepMessage& b) { return a.step < b.step; });
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::uint64_t wire(Member from, Member to, int channel) const {
    return (std::uint64_t{from} * ranks_.size() + to) * 2 + static_cast<unsigned>(channel);
  }

  void send(Member me, const Round& round) {
    Traveller& rank = ranks_[me];
    const std::uint32_t now = rank.step;
    for (const Transfer& transfer : round.transfers) {
      if (transfer.direction != Transfer::Direction::Send) continue;
      const auto peer = static_cast<Member>(transfer.peer);
      const bool counts = transfer.range.blocks > 0 || !carries_data_;
      if (counts) {
        found_.messages.push_back({now, me, peer, transfer.range.blocks});
        found_.number = std::max(found_.number, now + 1);
        rank.step = now + 1;
      } else {
        ++found_.synchronizing;
      }
      arrivals_[wire(me, peer, transfer.channel)].push_back(counts ? now + 1 : now);
    }
    rank.sent = true;
  }

  /// Send and complete a round, if that is possible.
  bool go_on(Member me) {
    Traveller& rank = ranks_[me];
    if (rank.done()) return false;
    const Round& round = rank.schedule[rank.round];
    if (!rank.sent) send(me, round);
    const auto each_receive = [&](auto visit) {
      for (const Transfer& transfer : round.transfers) {
        if (transfer.direction == Transfer::Direction::Receive) {
          visit(wire(static_cast<Member>(transfer.peer), me, transfer.channel));
        }
      }
    };
    std::unordered_map<std::uint64_t, std::size_t> needed;
    each_receive([&](std::uint64_t wire) { ++needed[wire]; });
    for (const auto& [wire, number] : needed) {
      if (arrivals_[wire].size() < number) return false;
    }
    each_receive([&](std::uint64_t wire) {
      std::deque<std::uint32_t>& waiting = arrivals_[wire];
      rank.step = std::max(rank.step, waiting.front());
      waiting.pop_front();
    });
    rank.sent = false;
    ++rank.round;
    return true;
  }

  std::vector<Traveller> ranks_;
  std::unordered_map<std::uint64_t, std::deque<std::uint32_t>> arrivals_;  ///< steps in which messages are there
  bool carries_data_ = false;
  Steps found_;
};

}  // namespace

Steps steps_of(const Algorithm& algorithm, const Placement& placement, int root) {
  return Walk(algorithm, placement, root).steps();
}

}  // namespace tidings
