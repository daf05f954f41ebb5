// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file in_flight.h
/// What is on the links of a machine, in the order of arrival: all links have the same latency.
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/node.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

/// First-in first-out buffer that grows on demand.
template <typename T>
class Queue {
 public:
  [[nodiscard]] bool empty() const { return write_ == read_; }
  [[nodiscard]] std::uint64_t pushed() const { return write_; }
  [[nodiscard]] std::uint64_t popped() const { return read_; }
  [[nodiscard]] const T& operator[](std::uint64_t number) const { return entries_[number & mask_]; }
  [[nodiscard]] const T& front() const { return entries_[read_ & mask_]; }
  [[nodiscard]] const T& back() const { return entries_[(write_ - 1) & mask_]; }

  /// Make room for so many entries more.
  void reserve(std::uint64_t entries) {
    if (write_ - read_ + entries <= entries_.size()) return;
    std::vector<T> larger(std::bit_ceil(2 * (write_ - read_ + entries)));
    for (std::uint64_t i = read_; i != write_; ++i) larger[i & (larger.size() - 1)] = entries_[i & mask_];
    entries_ = std::move(larger);
    mask_ = entries_.size() - 1;
  }
  /// There must be room.
  void push(const T& entry) { entries_[write_++ & mask_] = entry; }
  void pop() { ++read_; }
  /// All entries of another one, behind those that are here.
  void take_over(Queue& other) {
    reserve(other.write_ - other.read_);
    other.pop_until(other.write_, [this](const T& entry) { push(entry); });
  }
  /// Take all up to entry number `end`, oldest first.
  template <typename Take>
  void pop_until(std::uint64_t end, Take&& take) {
    const T* const entries = entries_.data();
    const std::uint64_t mask = mask_;
    for (std::uint64_t i = read_; i != end; ++i) take(entries[i & mask]);
    read_ = end;
  }

 private:
  std::vector<T> entries_;
  std::uint64_t mask_ = 0;
  std::uint64_t write_ = 0;  ///< counts of entries
  std::uint64_t read_ = 0;
};

/// Flits and credits between `send` and `arrive`, each known by the number of its link.
class InFlight {
 public:
  /// Make room for one more cycle, in which every link carries a flit and a credit for each of its channels.
  void reserve(std::uint64_t links, std::uint64_t channels) {
    flits_.reserve(links);
    credits_.reserve(links * channels);
    batches_.reserve(1);
  }

  void send(std::uint32_t link, const Flit& flit) {
    flits_.push({.data = flit.data, .sideband = link << kLinkShift | unsigned{flit.vc} << 1 | (flit.last ? 1U : 0)});
  }
  void send_credit(std::uint32_t link, unsigned channel) { credits_.push(link << kLinkShift | channel << 1); }

  /// All that has been sent since the last time arrives in `cycle`, which rises from call to call.
  void close(Cycle cycle) {
    const std::uint64_t flits = batches_.empty() ? flits_.popped() : batches_.back().flits;
    const std::uint64_t credits = batches_.empty() ? credits_.popped() : batches_.back().credits;
    if (flits_.pushed() == flits && credits_.pushed() == credits) return;
    batches_.push({.cycle = cycle, .flits = flits_.pushed(), .credits = credits_.pushed()});
  }

  /// When the next arrival is due.
  [[nodiscard]] std::optional<Cycle> next() const {
    if (batches_.empty()) return std::nullopt;
    return batches_.front().cycle;
  }

  /// Take what is due in `cycle`: calls `flit(link, Flit)` and `credit(link, channel)`.
  template <typename FlitSink, typename CreditSink>
  void arrive(Cycle cycle, FlitSink&& flit, CreditSink&& credit) {
    if (batches_.empty() || batches_.front().cycle != cycle) return;
    flits_.pop_until(batches_.front().flits,
                     [&](const FlightFlit& entry) { flit(entry.sideband >> kLinkShift, as_flit(entry)); });
    credits_.pop_until(batches_.front().credits,
                       [&](std::uint32_t entry) { credit(entry >> kLinkShift, channel_of(entry)); });
    batches_.pop();
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
  }

  /// Calls `show(link, PortOutput)` for each flit and each credit that is shown in `cycle`, the one after the last
  /// step.
  template <typename Show>
  void look_shown(Cycle cycle, std::uint32_t latency, Show&& show) const {
    look(cycle + (latency - 1), show);
  }
  /// Calls `show(link, PortOutput)` for each flit and each credit that is due in `cycle`.
  template <typename Show>
  void look(Cycle cycle, Show&& show) const {
    std::uint64_t flit = flits_.popped();
    std::uint64_t credit = credits_.popped();
    for (std::uint64_t b = batches_.popped(); b != batches_.pushed(); ++b) {
      const Batch& batch = batches_[b];
      if (batch.cycle == cycle) {
        for (; flit != batch.flits; ++flit) {
          show(flits_[flit].sideband >> kLinkShift,
               PortOutput{.flit_valid = true, .flit = as_flit(flits_[flit]), .credits = 0});
        }
        for (; credit != batch.credits; ++credit) {
          const auto credits = static_cast<std::uint8_t>(1U << channel_of(credits_[credit]));
          show(credits_[credit] >> kLinkShift, PortOutput{.flit_valid = false, .flit = {}, .credits = credits});
        }
      }
      flit = batch.flits;
      credit = batch.credits;
    }
  }

 private:
  static constexpr unsigned kLinkShift = 3;

  struct FlightFlit {
    std::uint32_t data = 0;
    std::uint32_t sideband = 0;  ///< link, channel, last
  };
  /// What arrives in one cycle: everything up to these counts.
  struct Batch {
    Cycle cycle;
    std::uint64_t flits = 0;
    std::uint64_t credits = 0;
  };

  [[nodiscard]] static unsigned channel_of(std::uint32_t sideband) { return sideband >> 1 & 3U; }
  [[nodiscard]] static Flit as_flit(const FlightFlit& flit) {
    return {.vc = static_cast<std::uint8_t>(channel_of(flit.sideband)),
            .last = (flit.sideband & 1U) != 0,
            .data = flit.data};
  }

  Queue<FlightFlit> flits_;
  Queue<std::uint32_t> credits_;  ///< link, channel
  Queue<Batch> batches_;
};

}  // namespace tidings::cycle
