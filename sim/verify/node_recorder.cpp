// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/node_recorder.h"

#include <utility>

namespace tidings::verify {

RtlRecorder::RtlRecorder(std::shared_ptr<VerilatedSession> session, const Clock& clock, const Topology& topology,
                         const WaveRequest& request)
    : session_(std::move(session)), clock_(clock), topology_(topology), request_(request) {}

void RtlRecorder::before_edge(Cycle cycle, std::span<const NodeInputs> inputs) {
  if (cycle.value < request_.first) return;
  if (!recorder_) recorder_.emplace(session_, clock_, topology_, cycle, request_.fst, NodeIndex{request_.node});
  recorder_->before_edge(cycle, inputs);
}

void RtlRecorder::after_edge(Cycle cycle) {
  if (recorder_) recorder_->after_edge(cycle);
}

PortRecorder::PortRecorder(const Clock& clock, const Topology& topology, const WaveRequest& request,
                           std::function<void(const NodeInputs&)> edge, std::function<const NodeOutputs&()> outputs)
    : clock_(clock),
      node_(request.node),
      first_{request.first},
      edge_(std::move(edge)),
      outputs_(std::move(outputs)),
      idle_{.ports = std::vector<PortInput>(topology.ports()), .slots = std::vector<SlotInput>(topology.slots())},
      waves_(topology.ports(), topology.slots()) {}

void PortRecorder::before_edge(Cycle cycle, std::span<const NodeInputs> inputs) {
  if (cycle >= first_) {
    if (!next_) {
      waves_.show_clock(clock_.time_of(cycle), true);
      waves_.show_outputs(clock_.time_of(cycle), outputs_());
    } else if (cycle != *next_) {
      show_inputs(*next_, idle_);
    }
    show_inputs(cycle, inputs[node_]);
  }
  edge_(inputs[node_]);
}

void PortRecorder::after_edge(Cycle cycle) {
  if (cycle <= first_) return;
  waves_.show_clock(clock_.time_of(cycle), true);
  waves_.show_outputs(clock_.time_of(cycle), outputs_());
  next_ = cycle;
}

void PortRecorder::show_inputs(Cycle cycle, const NodeInputs& inputs) {
  const std::uint64_t begin = clock_.time_of(cycle).value;
  const std::uint64_t end = clock_.time_of(cycle + 1).value;
  const Picoseconds middle{begin + (end - begin) / 2};
  waves_.show_clock(middle, false);
  waves_.show_inputs(middle, inputs);
}

}  // namespace tidings::verify
