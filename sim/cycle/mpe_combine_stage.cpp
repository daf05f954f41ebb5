// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_combine_stage.h"

namespace tidings::cycle {

MpeCombineStage::Result MpeCombineStage::clock(CombineUnit::Operation operation, bool child, const Inputs& inputs) {
  Result result;
  // An empty pipeline stands still.
  if (inflight_ != 0) {
    const CombineUnit::Operation used = effective(operation, child);
    const std::uint32_t stream = child ? inputs.stream_data : 0;
    CombineUnit::Output output;
    combine_.clock(used, {operands_valid_, swap_ ? stream : partial_, swap_ ? partial_ : stream, tag_}, output);
    // The tag of an element's last word comes with both of its words.
    result = {output.valid, output.data, output.tag.last && (!is_wide(used.element) || output.high), output.tag.final};
    if (output.valid) --inflight_;
  }
  operands_valid_ = take_;
  if (take_) {
    ++inflight_;
    partial_ = inputs.partial_data;
    swap_ = inputs.swap;
    tag_ = {ends_, inputs.final};
  }
  if (ends_) pass_ = false;
  if (inputs.start) pass_ = true;
  if (inputs.stop) pass_ = false;
  return result;
}

}  // namespace tidings::cycle
