// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_up.h
/// Twin of rtl/engine/mpe_up.sv.
#include <cstdint>
#include <vector>

#include "sim/cycle/combine_unit.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/mpe_pkg.h"

namespace tidings::cycle {

/// Up unit: combines the streams of the children with this node's contribution.
class MpeUp {
 public:
  /// What decides what the unit takes in this cycle.
  struct Offers {
    std::uint32_t stream_count = 0;  ///< in the buffer of stream_link()
    bool stream_grant = false;
    std::uint32_t stream_data = 0;  ///< taken in the cycle before
    bool own_valid = false;
  };

  struct Inputs {
    bool start = false;
    bool stop = false;
    std::uint32_t own_data = 0;
    bool result_pop = false;
  };

  MpeUp(std::uint32_t packet_words, std::uint32_t fpu_stages);

  // Functions of the state.
  [[nodiscard]] unsigned stream_link() const { return lowest_link(todo_); }
  [[nodiscard]] std::uint32_t result_count() const { return results_.count(); }
  [[nodiscard]] std::uint32_t result() const { return results_.front(); }
  [[nodiscard]] bool done() const { return state_ == State::kIdle && inflight_ == 0; }
  [[nodiscard]] unsigned mismatch_link() const { return check_link_; }

  /// Decide what happens in this cycle.
  void evaluate(const MpeCommand& command, const Offers& offers);
  // Valid between evaluate() and clock().
  [[nodiscard]] bool stream_read() const { return now_.stream_read; }
  [[nodiscard]] bool own_pop() const { return now_.issue && first_pass_; }
  [[nodiscard]] bool mismatch() const { return now_.mismatch; }
  [[nodiscard]] bool active() const {
    return now_.take || check_ || now_.block_starts || now_.push_descriptor || operands_valid_ || inflight_ != 0;
  }

  /// Command and offers as in evaluate(). @param words of each stream after the descriptor.
  void clock(const MpeCommand& command, std::uint32_t words, const Offers& offers, const Inputs& inputs);

 private:
  enum class State : std::uint8_t { kIdle, kDescriptor, kBlock, kPass };

  /// Wires of the current cycle.
  struct Now {
    bool stream_read = false;
    bool take = false;
    bool issue = false;
    bool pass_ends = false;
    bool mismatch = false;
    bool block_starts = false;
    bool push_descriptor = false;
    std::uint32_t block_words = 0;
  };

  [[nodiscard]] std::uint32_t next_block(const MpeCommand& command, std::uint32_t stream_count) const;

  std::uint32_t packet_words_;
  Now now_;
  State state_ = State::kIdle;
  std::uint8_t todo_ = 0;    ///< children not yet served in this round
  std::uint32_t left_ = 0;   ///< words that no block covers yet
  std::uint32_t block_ = 0;  ///< words of the block
  std::uint32_t index_ = 0;  ///< word of the pass
  bool first_pass_ = false;
  std::uint32_t reserved_ = 0;  ///< results at hand and on their way
  std::uint32_t inflight_ = 0;  ///< words between issue and result
  bool check_ = false;
  unsigned check_link_ = 0;
  std::vector<std::uint32_t> partial_;
  bool operands_valid_ = false;
  std::uint32_t a_ = 0;
  CombineUnit::Tag tag_;
  CombineUnit combine_;
  Fifo<std::uint32_t> results_;
};

}  // namespace tidings::cycle
