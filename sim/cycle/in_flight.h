// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file in_flight.h
/// What is on the links of a machine, in the order of arrival: all links have the same latency.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/cycle/input_channel.h"
#include "sim/machine/queue.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

/// Flits and credits between `send` and `arrive`, each known by a number of its channel, below 2^31.
class InFlight {
  struct FlightFlit {
    std::uint32_t data = 0;
    std::uint32_t sideband = 0;  ///< channel, last
  };

 public:
  /// Make room for one more cycle with its flits and credits.
  void reserve(std::uint64_t flits, std::uint64_t credits) {
    flits_.reserve(flits);
    credits_.reserve(credits);
    batches_.reserve(1);
  }

  /// Puts flits and credits on links. Nothing else may use these until `end`.
  class Sender {
   public:
    explicit Sender(InFlight& wires) : flits_(wires.flits_), credits_(wires.credits_) {}
    void send(std::uint32_t channel, const BufferedWord& word) {
      flits_.push({.data = word.data, .sideband = channel << 1 | (word.last ? 1U : 0)});
    }
    void send_credit(std::uint32_t channel) { credits_.push(channel); }
    void end(InFlight& wires) const {
      flits_.end(wires.flits_);
      credits_.end(wires.credits_);
    }

   private:
    Queue<FlightFlit>::Pusher flits_;
    Queue<std::uint32_t>::Pusher credits_;
  };

  void send(std::uint32_t channel, const BufferedWord& word) {
    Sender sender(*this);
    sender.send(channel, word);
    sender.end(*this);
  }
  void send_credit(std::uint32_t channel) {
    Sender sender(*this);
    sender.send_credit(channel);
    sender.end(*this);
  }

  /// All that has been sent since the last time arrives in `cycle`, which rises from call to call.
  void close(Cycle cycle) {
    const std::uint64_t flits = batches_.empty() ? flits_.popped() : batches_.back().flits;
    const std::uint64_t credits = batches_.empty() ? credits_.popped() : batches_.back().credits;
    if (flits_.pushed() == flits && credits_.pushed() == credits) return;
    batches_.push({.cycle = cycle, .flits = flits_.pushed(), .credits = credits_.pushed()});
  }

  /// The same for what arrives in `cycle`, which does not fall from call to call. There is room; this closes.
  void send_for(Cycle cycle, std::uint32_t channel, const BufferedWord& word) {
    send(channel, word);
    extend(cycle);
  }
  void send_credit_for(Cycle cycle, std::uint32_t channel) {
    send_credit(channel);
    extend(cycle);
  }
  /// Nothing is under way.
  [[nodiscard]] bool empty() const { return batches_.empty(); }
  /// `look_new` would show anything.
  [[nodiscard]] bool has_new() const { return batches_.pushed() != new_batch_; }
  /// Make room for all that `look_new` of other wires would show.
  void reserve_new(const InFlight& other) {
    flits_.reserve(other.flits_.pushed() - other.new_flit_);
    credits_.reserve(other.credits_.pushed() - other.new_credit_);
    batches_.reserve(other.batches_.pushed() - other.new_batch_);
  }

  /// When the next arrival is due.
  [[nodiscard]] std::optional<Cycle> next() const {
    if (batches_.empty()) return std::nullopt;
    return batches_.front().cycle;
  }

  /// Something arrives in `cycle`.
  [[nodiscard]] bool due(Cycle cycle) const { return !batches_.empty() && batches_.front().cycle == cycle; }
  /// Take what is due in `cycle`: calls `flit(channel, BufferedWord)` and `credit(channel)`.
  template <typename FlitSink, typename CreditSink>
  void arrive(Cycle cycle, FlitSink&& flit, CreditSink&& credit) {
    if (!due(cycle)) return;
    flits_.pop_until(batches_.front().flits,
                     [&](const FlightFlit& entry) { flit(entry.sideband >> 1, word_of(entry)); });
    credits_.pop_until(batches_.front().credits, [&](std::uint32_t channel) { credit(channel); });
    batches_.pop();
    if (batches_.empty()) rewind();
  }

  /// Take what is due in as many cycles from `cycle` on, which are alike: `words[i]` gets the words of the flit that
  /// comes as number i in each.
  void take_alike(Cycle cycle, std::uint64_t cycles, std::span<std::uint32_t* const> words) {
    if (!due(cycle)) return;
    order_.clear();
    flits_.look(flits_.popped(), batches_.front().flits,
                [&](const FlightFlit& entry) { order_.push_back(entry.sideband); });
    for (std::uint64_t c = 0; c < cycles; ++c) {
      std::size_t i = 0;
      flits_.pop_until(batches_.front().flits, [&](const FlightFlit& entry) {
        std::size_t place = i++;
        if (order_[place] != entry.sideband)
          place = static_cast<std::size_t>(std::ranges::find(order_, entry.sideband) - order_.begin());
        words[place][c] = entry.data;
      });
      credits_.pop_until(batches_.front().credits, [](std::uint32_t) {});
      batches_.pop();
    }
    if (batches_.empty()) rewind();
  }
  /// A flit that is no tail on each of some channels, and a credit for each of others, in every cycle.
  struct Alike {
    struct Words {
      std::uint32_t channel;
      const std::uint32_t* words;  ///< of all cycles
    };
    std::span<const Words> flits;
    std::span<const std::uint32_t> credits;
  };
  /// Send that in as many cycles: it arrives from `first` on.
  void send_alike(const Alike& sent, Cycle first, std::uint64_t cycles) {
    if (sent.flits.empty() && sent.credits.empty()) return;
    flits_.reserve(sent.flits.size() * cycles);
    credits_.reserve(sent.credits.size() * cycles);
    batches_.reserve(cycles);
    Sender sender(*this);
    std::uint64_t flits = flits_.pushed();
    std::uint64_t credits = credits_.pushed();
    for (std::uint64_t c = 0; c < cycles; ++c) {
      for (const Alike::Words& one : sent.flits) sender.send(one.channel, {.data = one.words[c], .last = false});
      for (const std::uint32_t channel : sent.credits) sender.send_credit(channel);
      flits += sent.flits.size();
      credits += sent.credits.size();
      batches_.push({.cycle = first + c, .flits = flits, .credits = credits, .alike = c != 0});
    }
    sender.end(*this);
  }

  /// From `cycle` on, in how many cycles the same channels have a flit that is no tail, and the same have a credit, in
  /// any order; or nothing arrives in any of them. At most `most`.
  [[nodiscard]] std::uint64_t repeats(Cycle cycle, std::uint64_t most) const {
    std::uint64_t number = batches_.popped();
    if (batches_.empty()) return most;
    const Batch& first = batches_.front();
    if (first.cycle != cycle) return std::min<std::uint64_t>(most, first.cycle - cycle);
    const std::uint64_t flit = flits_.popped();
    const std::uint64_t credit = credits_.popped();
    for (std::uint64_t f = flit; f != first.flits; ++f) {
      if (word_of(flits_[f]).last) return 0;
    }
    std::uint64_t count = 1;
    for (; count < most && ++number != batches_.pushed(); ++count) {
      const Batch& batch = batches_[number];
      if (batch.alike) continue;
      const Batch& last = batches_[number - 1];
      const std::uint64_t flits = last.flits - flit;
      const std::uint64_t credits = last.credits - credit;
      if (batch.cycle != cycle + count || batch.flits - last.flits != first.flits - flit ||
          batch.credits - last.credits != first.credits - credit)
        break;
      const auto channel = [this](std::uint64_t f) { return flits_[f].sideband; };
      if (!are_same(flit, first.flits, flits, channel)) return count;
      if (!are_same(credit, first.credits, credits, [this](std::uint64_t c) { return credits_[c]; })) return count;
    }
    return count;
  }
  /// Calls `flit(channel)` and `credit(channel)` for what is due in `cycle`, the next.
  template <typename FlitSink, typename CreditSink>
  void look_next(Cycle cycle, FlitSink&& flit, CreditSink&& credit) const {
    if (!due(cycle)) return;
    for (std::uint64_t f = flits_.popped(); f != batches_.front().flits; ++f) flit(flits_[f].sideband >> 1);
    for (std::uint64_t c = credits_.popped(); c != batches_.front().credits; ++c) credit(credits_[c]);
  }

  /// Calls `flit(cycle, channel, BufferedWord)` and `credit(cycle, channel)` for all that has been closed since the
  /// last time, with the cycle in which it arrives. None of it may have arrived by now.
  template <typename FlitSink, typename CreditSink>
  void look_new(FlitSink&& flit, CreditSink&& credit) {
    std::uint64_t flits = new_flit_;
    std::uint64_t credits = new_credit_;
    batches_.look(new_batch_, batches_.pushed(), [&](const Batch& batch) {
      flits_.look(flits, batch.flits,
                  [&](const FlightFlit& entry) { flit(batch.cycle, entry.sideband >> 1, word_of(entry)); });
      credits_.look(credits, batch.credits, [&](std::uint32_t channel) { credit(batch.cycle, channel); });
      flits = batch.flits;
      credits = batch.credits;
    });
    new_flit_ = flits;
    new_credit_ = credits;
    new_batch_ = batches_.pushed();
  }

  /// All that `other` has becomes part of this, behind what is here. It must arrive no earlier, and all be closed.
  void take_over(InFlight& other) {
    batches_.reserve(other.batches_.pushed() - other.batches_.popped());
    const std::uint64_t flits = flits_.pushed() - other.flits_.popped();
    const std::uint64_t credits = credits_.pushed() - other.credits_.popped();
    flits_.take_over(other.flits_);
    credits_.take_over(other.credits_);
    other.batches_.pop_until(other.batches_.pushed(), [&](const Batch& batch) {
      batches_.push({.cycle = batch.cycle, .flits = batch.flits + flits, .credits = batch.credits + credits});
    });
    other.rewind();
  }

  /// Calls `flit(channel, BufferedWord)` and `credit(channel)` for all that is shown in `cycle`, the one after the last
  /// step.
  template <typename FlitSink, typename CreditSink>
  void look_shown(Cycle cycle, std::uint32_t latency, FlitSink&& flit, CreditSink&& credit) const {
    look(cycle + (latency - 1), flit, credit);
  }
  /// The same for all that is due in `cycle`.
  template <typename FlitSink, typename CreditSink>
  void look(Cycle cycle, FlitSink&& flit, CreditSink&& credit) const {
    std::uint64_t next_flit = flits_.popped();
    std::uint64_t next_credit = credits_.popped();
    for (std::uint64_t b = batches_.popped(); b != batches_.pushed(); ++b) {
      const Batch& batch = batches_[b];
      if (batch.cycle == cycle) {
        for (; next_flit != batch.flits; ++next_flit) {
          flit(flits_[next_flit].sideband >> 1, word_of(flits_[next_flit]));
        }
        for (; next_credit != batch.credits; ++next_credit) credit(credits_[next_credit]);
      }
      next_flit = batch.flits;
      next_credit = batch.credits;
    }
  }

 private:
  /// Entries from `begin` to before `end` are those that come as much later, in any order: all are different, and few.
  template <typename Entry>
  [[nodiscard]] static bool are_same(std::uint64_t begin, std::uint64_t end, std::uint64_t later, Entry&& entry) {
    constexpr std::uint64_t kFew = 32;
    for (std::uint64_t i = begin; i != end; ++i) {
      if (entry(i) == entry(i + later)) continue;
      if (end - begin > kFew) return false;
      std::uint64_t other = begin;
      while (other != end && entry(i) != entry(other + later)) ++other;
      if (other == end) return false;
    }
    return true;
  }

  /// What arrives in one cycle: everything up to these counts.
  struct Batch {
    Cycle cycle;
    std::uint64_t flits = 0;
    std::uint64_t credits = 0;
    bool alike = false;  ///< its channels are those of the batch of the cycle before, and it has no tail
  };

  /// The newest batch, which arrives in `cycle`, holds all that has been sent.
  void extend(Cycle cycle) {
    if (batches_.empty() || batches_.back().cycle != cycle) batches_.push({.cycle = cycle});
    batches_.back().flits = flits_.pushed();
    batches_.back().credits = credits_.pushed();
  }

  /// While nothing is under way. What is sent next lies where this did, in a cache.
  void rewind() {
    flits_.rewind();
    credits_.rewind();
    batches_.rewind();
    new_flit_ = new_credit_ = new_batch_ = 0;
  }

  [[nodiscard]] static BufferedWord word_of(const FlightFlit& flit) {
    return {.data = flit.data, .last = (flit.sideband & 1U) != 0};
  }

  Queue<FlightFlit> flits_;
  Queue<std::uint32_t> credits_;  ///< channels
  Queue<Batch> batches_;
  std::vector<std::uint32_t> order_;  ///< of `take_alike`: flits of the first cycle
  std::uint64_t new_flit_ = 0;        ///< counts of entries that `look_new` has shown
  std::uint64_t new_credit_ = 0;
  std::uint64_t new_batch_ = 0;
};

}  // namespace tidings::cycle
