// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/router.h"

namespace tidings::cycle {

Routers::Routers(const NodeParameters& parameters, const std::vector<NodePlace>& places)
    : plan_(std::make_unique<const RouterPlan>(parameters, places.front())),
      crosspoint_(parameters.crosspoint != 0 ? std::make_unique<CrosspointRouter>(parameters) : nullptr),
      inputs_(*plan_, places),
      allocator_(*plan_, places.size()),
      node_shift_(plan_->node_shift),
      passes_to_(plan_->pipeline ? kNothing : plan_->numbers.tap_channel),
      go_on_below_(plan_->pipeline ? 0 : plan_->numbers.static_channel + 1U),
      going_on_(std::make_unique<GoingOn[]>(places.size() << plan_->node_shift)),
      passed_(std::make_unique<std::uint32_t[]>(places.size() << plan_->node_shift)),
      active_(places.size()),
      branches_(std::make_unique<bool[]>(places.size())),
      crossbars_(plan_->pipeline ? places.size() : 0) {
  if (crosspoint_) return;  // which has static routes of its own
  statics_.reserve(places.size());
  for (const NodePlace& place : places) statics_.emplace_back(parameters, place, plan_->numbers);
}

void Routers::swap(std::uint32_t first, Routers& other, std::uint32_t others_first, std::uint32_t count) {
  inputs_.swap(first, other.inputs_, others_first, count);
  allocator_.swap(plan_->first_channel(first), other.allocator_, plan_->first_channel(others_first),
                  plan_->first_channel(count));
  for (std::uint32_t n = 0; n < count; ++n) std::swap(statics_[first + n], other.statics_[others_first + n]);
}

}  // namespace tidings::cycle
