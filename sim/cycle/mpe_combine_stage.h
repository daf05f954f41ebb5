// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_combine_stage.h
/// Twin of rtl/engine/mpe_combine_stage.sv.
#include <cstdint>

#include "sim/cycle/combine_unit.h"
#include "sim/cycle/tidings_pkg.h"

namespace tidings::cycle {

/// One stage of the up unit: combines a stream of partial results with the stream of one child.
class MpeCombineStage {
 public:
  /// What decides whether the stage takes a word of both streams in this cycle.
  struct Offers {
    bool partial_valid = false;
    bool partial_last = false;  ///< of its pass
    bool child = false;         ///< there is one; without, partial results go through as they are
    bool stream_valid = false;
    std::uint32_t room = 0;  ///< results that have room where they go
  };

  struct Inputs {
    bool start = false;
    bool stop = false;
    bool final = false;  ///< results are final
    bool swap = false;   ///< the child's element is the first operand
    std::uint32_t partial_data = 0;
    std::uint32_t stream_data = 0;  ///< taken in the cycle before
  };

  struct Result {
    bool valid = false;
    std::uint32_t data = 0;
    bool last = false;
    bool final = false;
  };

  explicit MpeCombineStage(std::uint32_t fpu_stages) : combine_(fpu_stages) {}

  [[nodiscard]] bool done() const { return !pass_ && inflight_ == 0; }

  /// Decide what happens in this cycle.
  void evaluate(const Offers& offers) {
    take_ = pass_ && offers.partial_valid && (!offers.child || offers.stream_valid) && inflight_ < offers.room;
    ends_ = take_ && offers.partial_last;
  }
  // Valid between evaluate() and clock().
  [[nodiscard]] bool take() const { return take_; }
  /// The last word of the pass is taken in this cycle or has been.
  [[nodiscard]] bool ending() const { return !pass_ || ends_; }
  [[nodiscard]] bool active() const { return take_ || inflight_ != 0; }

  /// @param operation of the elements; constant while words are on their way.
  /// @return the result that was shown before the edge.
  Result clock(CombineUnit::Operation operation, bool child, const Inputs& inputs);

  /// `evaluate` and `clock` of a cycle without start and stop. @tparam kKnown the compiler knows the operation.
  /// @param take the stage takes a word of both streams in this cycle: see `may_take`. @param last of its pass.
  /// @param final,swap,stream as in Inputs. @return as `clock` does.
  template <bool kKnown>
  [[gnu::always_inline]] Result flow(CombineUnit::Operation operation, bool take, bool last, bool final, bool swap,
                                     std::uint32_t partial, std::uint32_t stream);
  /// It takes a word of both streams if these have one, and room is left.
  [[nodiscard]] bool may_take(std::uint32_t room) const { return pass_ && inflight_ < room; }
  [[nodiscard]] bool moves() const { return inflight_ != 0; }

 private:
  /// Without a child, contribution or nothing is the contribution.
  static CombineUnit::Operation effective(CombineUnit::Operation operation, bool child) {
    return child ? operation : kUnchanged;
  }

  bool take_ = false;
  bool ends_ = false;
  bool pass_ = false;
  std::uint32_t inflight_ = 0;  ///< words between taking and result
  bool operands_valid_ = false;
  bool swap_ = false;
  std::uint32_t partial_ = 0;
  CombineUnit::Tag tag_;
  CombineUnit combine_;
};

template <bool kKnown>
inline MpeCombineStage::Result MpeCombineStage::flow(CombineUnit::Operation operation, bool take, bool last, bool final,
                                                     bool swap, std::uint32_t partial, std::uint32_t stream) {
  Result result;
  // An empty pipeline stands still.
  if (inflight_ != 0) {
    CombineUnit::Output output;
    const CombineUnit::Inputs in{operands_valid_, swap_ ? stream : partial_, swap_ ? partial_ : stream, tag_};
    if (kKnown) {
      combine_.clock_for(operation, in, output);
    } else {
      combine_.clock(operation, in, output);
    }
    // The tag of an element's last word comes with both of its words.
    result = {output.valid, output.data, output.tag.last && (!is_wide(operation.element) || output.high),
              output.tag.final};
    if (output.valid) --inflight_;
  }
  operands_valid_ = take;
  if (take) {
    ++inflight_;
    partial_ = partial;
    swap_ = swap;
    tag_ = {last, final};
    if (last) pass_ = false;
  }
  return result;
}

inline MpeCombineStage::Result MpeCombineStage::clock(CombineUnit::Operation operation, bool child,
                                                      const Inputs& inputs) {
  const Result result = flow<false>(effective(operation, child), take_, ends_, inputs.final, inputs.swap,
                                    inputs.partial_data, child ? inputs.stream_data : 0);
  if (inputs.start) pass_ = true;
  if (inputs.stop) pass_ = false;
  return result;
}

}  // namespace tidings::cycle
