// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_up.h
/// Twin of rtl/engine/mpe_up.sv.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/cycle/fifo.h"
#include "sim/cycle/mpe_combine_stage.h"
#include "sim/cycle/mpe_pkg.h"
#include "sim/cycle/mpe_stream_buffers.h"

namespace tidings::cycle {

/// What the combine units of a command do.
inline CombineUnit::Operation combine_operation(const MpeCommand& command) {
  return {command.element, command.combine};
}

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
  /// @tparam kLeaf the command has no children.
  template <bool kLeaf>
  [[gnu::always_inline]] Flow flow(const MpeCommand& command, const MpeStreamBuffers& streams, bool own_valid,
                                   std::uint32_t own_data, bool result_pop);

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

  /// `flow` with an operation that the compiler knows. @param child there is any.
  [[gnu::always_inline]] Flow flow_for(CombineUnit::Operation operation, bool child, const MpeCommand& command,
                                       const MpeStreamBuffers& streams, bool own_valid, std::uint32_t own_data,
                                       bool result_pop);
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

template <bool kLeaf>
inline MpeUp::Flow MpeUp::flow(const MpeCommand& command, const MpeStreamBuffers& streams, bool own_valid,
                               std::uint32_t own_data, bool result_pop) {
  if (kLeaf) return flow_for(kUnchanged, false, command, streams, own_valid, own_data, result_pop);
  if (combine_operation(command) == kSumOfDoubles)
    return flow_for(kSumOfDoubles, true, command, streams, own_valid, own_data, result_pop);
  return flow_for(combine_operation(command), true, command, streams, own_valid, own_data, result_pop);
}

inline MpeUp::Flow MpeUp::flow_for(CombineUnit::Operation operation, bool child, const MpeCommand& command,
                                   const MpeStreamBuffers& streams, bool own_valid, std::uint32_t own_data,
                                   bool result_pop) {
  Flow flow;
  const std::size_t first_stream = streams.place(command.context_id, 0);
  std::uint32_t room = 2 * packet_words_ - results_.count();  // where the results of a stage go
  if (result_pop) results_.pop();
  const auto stage_flows = [&](unsigned s) __attribute__((always_inline)) {
    Stage& stage = stages_[s];
    const bool first = s == 0;
    const Partial partial = first ? Partial{false, own_data} : stage.chain.front();
    const bool take = stage.unit.may_take(room) && (first ? own_valid : !stage.chain.empty()) &&
                      (!child || streams.count(first_stream + stage.link) != 0);
    flow.active = flow.active || take || stage.unit.moves();
    if (!first) room = stage.chain.room();
    const MpeCombineStage::Result result = stage.unit.flow<true>(
        operation, take, partial.last, stage.final, false, partial.data, child ? streams.data(stage.stream_link) : 0);
    if (take) {
      if (child) {
        stage.stream_link = stage.link;
        flow.stream_read |= 1U << stage.link;
      }
      if (first) {
        flow.own_pop = true;
        --pass_left_;
      } else {
        stage.chain.pop();
      }
    }
    if (stage.unit.done()) live_ &= ~(1U << s);
    if (!result.valid) return;
    if (result.final) {
      results_.push(result.data);
    } else {
      stages_[s + 1].chain.push({result.last, result.data});
    }
  };
  // The last stage first: each has taken what the one before it gives afterwards.
  for (unsigned rest = live_ & ~1U; rest != 0 && child;) {
    const auto s = static_cast<unsigned>(std::bit_width(rest)) - 1;
    rest &= ~(1U << s);
    stage_flows(s);
  }
  if ((live_ & 1) != 0) stage_flows(0);
  return flow;
}

}  // namespace tidings::cycle
