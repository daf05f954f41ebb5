// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_down.h
/// Twin of rtl/engine/mpe_down.sv.
#include <algorithm>
#include <cstdint>

#include "sim/cycle/fifo.h"
#include "sim/cycle/mpe_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Down unit: moves one stream to the children's block buffer and into memory.
class MpeDown {
 public:
  /// What the command asks; constant from start on.
  struct Task {
    DownSource source = DownSource::kParent;
    bool forward = false;
    bool store = false;
    std::uint32_t address = 0;
    std::uint32_t descriptor = 0;
    std::uint32_t words = 0;
  };

  /// What decides what the unit takes in this cycle.
  struct Offers {
    std::uint32_t available = 0;  ///< that the source has, or will have without waiting for anybody else
    std::uint32_t stream_count = 0;
    std::uint32_t stream_data = 0;  ///< taken in the cycle before
    bool own_valid = false;
    bool result_valid = false;
    bool block_room = false;
  };

  struct Inputs {
    bool start = false;
    bool stop = false;
    std::uint32_t own_data = 0;
    std::uint32_t result_data = 0;
    bool memory_write_ready = false;
  };

  explicit MpeDown(std::uint32_t packet_words) : packet_words_(packet_words) {}

  // Functions of the state.
  [[nodiscard]] bool memory_write_valid() const { return !store_.empty(); }
  void show_write(MemoryWrite& shown) const {
    shown.address = address_ << 2;
    shown.strobe = 0xf;
    shown.data = store_.front();
  }
  [[nodiscard]] bool done() const { return state_ == State::kIdle && !moved_ && store_.empty(); }
  /// The descriptor is compared in this cycle.
  [[nodiscard]] bool compares() const { return moved_ && first_; }

  /// Decide what happens in this cycle.
  void evaluate(const Task& task, const Offers& offers);
  // Valid between evaluate() and clock().
  [[nodiscard]] bool stream_read() const { return now_.stream_read; }
  [[nodiscard]] bool own_pop() const { return now_.own_pop; }
  [[nodiscard]] bool result_pop() const { return now_.result_pop; }
  [[nodiscard]] bool block_push() const { return now_.block_push; }
  [[nodiscard]] std::uint32_t block_data() const { return now_.data; }
  /// Words for the block that will come whatever happens, as far as they fill a packet.
  [[nodiscard]] std::uint32_t block_coming() const { return now_.coming; }
  [[nodiscard]] bool mismatch() const { return now_.mismatch; }
  [[nodiscard]] bool active() const { return now_.move || moved_; }

  /// Task as in evaluate().
  void clock(const Task& task, const Inputs& inputs);

  // Parts of both, which are all of it in a cycle without start and stop in which no descriptor is compared.
  /// A word is taken from the source. @param source_valid there is one, as far as it is not the descriptor.
  /// @param room the block has room, or the task does not forward.
  [[nodiscard]] bool takes(const Task& task, bool source_valid, bool room) const {
    return state_ != State::kIdle && (source_valid || (task.source == DownSource::kOwn && takes_descriptor())) &&
           room && may_store(task);
  }
  [[nodiscard]] bool takes_descriptor() const { return state_ == State::kDescriptor; }
  /// A word was taken in the cycle before, which goes to the block and into the memory.
  [[nodiscard]] bool moved() const { return moved_; }
  [[nodiscard]] std::uint32_t word(const Task& task, std::uint32_t stream_data) const {
    return task.source == DownSource::kParent ? stream_data : held_;
  }
  /// What block_coming() is if the task forwards. @param available as in Offers.
  // The descriptor is compared before anything is promised.
  [[nodiscard]] std::uint32_t coming(std::uint32_t available) const {
    const std::uint32_t words = state_ == State::kStream ? std::min({left_, available, packet_words_}) : 0;
    return moved_ && words < packet_words_ ? words + 1 : words;
  }
  /// The clock edge. @param takes as takes() said. @param word as word() said. @param source_data the word taken,
  /// unless it is the parent's or the descriptor.
  void flow(const Task& task, bool takes, std::uint32_t word, std::uint32_t source_data, bool memory_write_ready) {
    if (memory_write_valid() && memory_write_ready) {
      store_.pop();
      ++address_;
    }
    if (moved_ && task.store && !first_) store_.push(word);
    moved_ = takes;
    if (!takes) return;
    first_ = takes_descriptor();
    if (task.source != DownSource::kParent)
      held_ = first_ && task.source == DownSource::kOwn ? task.descriptor : source_data;
    if (first_) {
      state_ = left_ == 0 ? State::kIdle : State::kStream;
    } else if (left_-- == 1) {
      state_ = State::kIdle;
    }
  }

 private:
  enum class State : std::uint8_t { kIdle, kDescriptor, kStream };

  /// Wires of the current cycle.
  struct Now {
    bool move = false;
    bool stream_read = false;
    bool own_pop = false;
    bool result_pop = false;
    bool block_push = false;
    std::uint32_t coming = 0;
    std::uint32_t data = 0;
    bool mismatch = false;
  };

  static constexpr std::uint32_t kStoreDepth = 4;

  /// Its store has room for a word that is taken now, with the one before, or none is stored.
  [[nodiscard]] bool may_store(const Task& task) const { return !task.store || store_.count() <= kStoreDepth - 2; }

  std::uint32_t packet_words_;
  Now now_;
  State state_ = State::kIdle;
  std::uint32_t left_ = 0;
  bool moved_ = false;
  bool first_ = false;
  std::uint32_t held_ = 0;
  Fifo<std::uint32_t> store_{kStoreDepth};
  std::uint32_t address_ = 0;  ///< words; its upper two bits do not count
};

}  // namespace tidings::cycle
