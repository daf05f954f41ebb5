// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_recorder.h
/// Waveforms of one node, as RTL and as its twin, on one time base.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/clock.h"
#include "sim/machine/machine.h"
#include "sim/machine/topology.h"
#include "sim/rtl/verilated_node.h"
#include "sim/verify/port_waves.h"

namespace tidings::verify {

/// Which waveforms are asked for.
struct WaveRequest {
  std::uint32_t node = 0;
  std::uint64_t first = 0;  ///< cycle
  std::uint64_t last = 0;   ///< cycle
  std::string fst;          ///< file for those of the RTL
  bool of_fabric = false;   ///< as the node is in the cycle model's fabric, not beside the RTL with its inputs
};

/// Writes the waveforms of a Verilated node from a cycle on.
class RtlRecorder : public CycleObserver {
 public:
  RtlRecorder(std::shared_ptr<VerilatedSession> session, const Clock& clock, const Topology& topology,
              const WaveRequest& request);

  void before_edge(Cycle cycle, std::span<const NodeInputs> inputs) override;
  void after_edge(Cycle cycle) override;

 private:
  std::shared_ptr<VerilatedSession> session_;
  Clock clock_;
  Topology topology_;
  WaveRequest request_;
  std::optional<WaveRecorder> recorder_;
};

/// Keeps what shows at the ports of a node from a cycle on: inputs change at the falling edge of the clock, and where
/// time is skipped there are no edges, as in the waveforms of the RTL.
class PortRecorder : public CycleObserver {
 public:
  /// @param edge called in every cycle with the node's inputs.
  /// @param outputs those of the cycle after the last edge.
  PortRecorder(const Clock& clock, const Topology& topology, const WaveRequest& request,
               std::function<void(const NodeInputs&)> edge, std::function<const NodeOutputs&()> outputs);

  void before_edge(Cycle cycle, std::span<const NodeInputs> inputs) override;
  void after_edge(Cycle cycle) override;
  [[nodiscard]] const PortWaves& waves() const { return waves_; }

 private:
  void show_inputs(Cycle cycle, const NodeInputs& inputs);

  Clock clock_;
  std::uint32_t node_;
  Cycle first_;
  std::function<void(const NodeInputs&)> edge_;
  std::function<const NodeOutputs&()> outputs_;
  NodeInputs idle_;
  std::optional<Cycle> next_;  ///< the cycle after the last one recorded
  PortWaves waves_;
};

/// Tells several observers.
class Observers : public CycleObserver {
 public:
  explicit Observers(std::vector<CycleObserver*> observers) : observers_(std::move(observers)) {}

  void before_edge(Cycle cycle, std::span<const NodeInputs> inputs) override {
    for (CycleObserver* observer : observers_) observer->before_edge(cycle, inputs);
  }
  void after_edge(Cycle cycle) override {
    for (CycleObserver* observer : observers_) observer->after_edge(cycle);
  }

 private:
  std::vector<CycleObserver*> observers_;
};

}  // namespace tidings::verify
