// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_up.h
/// Twin of rtl/engine/mpe_up.sv.
#include <array>
#include <cstdint>
#include <vector>

#include "sim/cycle/fifo.h"
#include "sim/cycle/mpe_combine_stage.h"
#include "sim/cycle/mpe_pkg.h"
#include "sim/cycle/mpe_stream_buffers.h"

namespace tidings::cycle {

/// Up unit: combines the streams of the children with this node's contribution.
class MpeUp {
 public:
  struct Inputs {
    bool start = false;
    bool stop = false;
    unsigned lower = 0;  ///< neighbours with lower addresses than ours, one bit per link
    std::uint32_t own_data = 0;
    bool result_pop = false;
  };

  MpeUp(std::uint32_t packet_words, std::uint32_t combine_ports, std::uint32_t fpu_stages);

  /// What `flow` has taken.
  struct Flow {
    unsigned stream_read = 0;  ///< links that a word is taken from, one bit each
    bool own_pop = false;
    bool active = false;
  };

  // Functions of the state.
  [[nodiscard]] std::uint32_t result_count() const { return results_.count(); }
  [[nodiscard]] std::uint32_t result() const { return results_.front(); }
  [[nodiscard]] bool done() const { return state_ == State::kIdle && stages_done(); }

  /// Decide what happens in this cycle. @param own_valid a word of the contribution is at hand.
  void evaluate(const MpeCommand& command, const MpeStreamBuffers& streams, bool own_valid);
  // Valid between evaluate() and clock().
  /// Links that a word is taken from, one bit each.
  [[nodiscard]] unsigned stream_read() const { return now_.stream_read; }
  [[nodiscard]] bool own_pop() const { return now_.own_pop; }
  [[nodiscard]] bool mismatch() const { return now_.differs != 0; }
  [[nodiscard]] unsigned mismatch_link() const { return lowest_link(now_.differs); }
  [[nodiscard]] bool active() const { return now_.active; }

  /// The stages do nothing but combine words, in the only pass of the command, and have at least two more to take.
  [[nodiscard]] bool flows() const {
    return state_ == State::kPass && first_pass_ && todo_ == 0 && check_ == 0 && pass_left_ > 1;
  }
  /// In such a cycle, or when it is done, without start and stop: what evaluate() and clock() do.
  Flow flow(const MpeCommand& command, const MpeStreamBuffers& streams, bool own_valid, std::uint32_t own_data,
            bool result_pop);

  /// Command and streams as in evaluate(). @param words of each stream after the descriptor.
  void clock(const MpeCommand& command, std::uint32_t words, const MpeStreamBuffers& streams, const Inputs& inputs);

 private:
  enum class State : std::uint8_t { kIdle, kDescriptor, kCopy, kBlock, kPass };

  /// A word between two stages.
  struct Partial {
    bool last = false;  ///< of its pass
    std::uint32_t data = 0;
  };

  struct Stage {
    MpeCombineStage unit;
    Fifo<Partial> chain;  ///< before it; not used by the first
    unsigned link = 0;
    unsigned stream_link = 0;  ///< of the word taken in the cycle before
    bool final = false;        ///< its results are final
  };

  /// Wires of the current cycle.
  struct Now {
    unsigned stream_read = 0;
    unsigned descriptor_read = 0;
    unsigned differs = 0;
    bool own_pop = false;
    bool copy = false;
    bool block_starts = false;
    bool pass_starts = false;
    bool pass_ends = false;
    bool push_descriptor = false;
    std::uint32_t block_words = 0;
    bool active = false;
  };

  /// Children that the pass which starts next does not serve.
  [[nodiscard]] unsigned rest_after(unsigned children) const;
  [[nodiscard]] std::uint32_t next_block(const MpeCommand& command, const MpeStreamBuffers& streams) const;
  void begin_pass(unsigned children);
  [[nodiscard]] bool stages_done() const { return live_ == 0; }
  [[nodiscard]] unsigned descriptors_to_read(const MpeCommand& command, const MpeStreamBuffers& streams) const;
  void next_state(const MpeCommand& command, const Inputs& inputs);

  std::uint32_t packet_words_;
  Now now_;
  State state_ = State::kIdle;
  unsigned todo_ = 0;            ///< children not yet served: of the descriptors, of the block
  std::uint32_t left_ = 0;       ///< words that no block covers yet
  std::uint32_t pass_left_ = 0;  ///< words that the first stage has not taken yet
  std::uint32_t block_ = 0;      ///< words of a block that takes several passes
  bool first_pass_ = false;
  bool await_ = false;       ///< exchange: the neighbour's descriptor is waited for
  unsigned round_link_ = 0;  ///< its link
  unsigned check_ = 0;       ///< links whose descriptor was taken in the cycle before
  unsigned live_ = 0;        ///< stages that are not done, one bit each: no other one moves
  std::vector<Stage> stages_;
  Fifo<std::uint32_t> partial_;
  Fifo<std::uint32_t> results_;
};

}  // namespace tidings::cycle
