// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/engine.h"

#include <stdexcept>

#include "sim/cycle/alltoall_engine.h"
#include "sim/cycle/barrier_engine.h"
#include "sim/cycle/mpe_engine.h"
#include "sim/cycle/rma_engine.h"
#include "sim/cycle/stream_engine.h"

namespace tidings::cycle {

std::unique_ptr<SlotEngine> make_engine(Engine number, const SlotParameters& parameters, NodeId node, SlotId slot) {
  switch (number) {
    case Engine::kRma:
      return std::make_unique<RmaEngine>(parameters, node, slot);
    case Engine::kMpe:
      return std::make_unique<MpeEngine>(parameters, node, slot);
    case Engine::kStream:
      return std::make_unique<StreamEngine>(parameters.node, node, slot);
    case Engine::kBarrier:
      return std::make_unique<BarrierEngine>(parameters.node);
    case Engine::kAlltoall:
      return std::make_unique<AlltoallEngine>(parameters.node);
    default:
      throw std::logic_error("an engine without a line here");
  }
}

}  // namespace tidings::cycle
