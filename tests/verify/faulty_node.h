// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file faulty_node.h
/// A twin whose outputs are changed, and machines of such.
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sim/cycle/node.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/node_fabric.h"

namespace tidings::test {

/// Called with the outputs after reset and after each step. It may change them, and may throw.
using Fault = std::function<void(NodeOutputs&)>;

class FaultyNode : public Node {
 public:
  FaultyNode(std::unique_ptr<Node> node, Fault fault)
      : node_(std::move(node)), fault_(std::move(fault)), outputs_(node_->outputs()) {
    fault_(outputs_);
  }

  [[nodiscard]] const NodeOutputs& outputs() const override { return outputs_; }
  void step(const NodeInputs& inputs) override {
    node_->step(inputs);
    outputs_ = node_->outputs();
    fault_(outputs_);
  }

 private:
  std::unique_ptr<Node> node_;
  Fault fault_;
  NodeOutputs outputs_;
};

/// Twins, of which the one at `place` is faulty.
inline NodeFactory faulty_factory(const MachineConfig& config, NodeIndex place, const Fault& fault) {
  const NodeFactory sound = cycle::cycle_node_factory(node_parameters(config));
  const NodeFactory faulty = [sound, fault](NodeIndex node, const NodePlace& where) {
    return std::make_unique<FaultyNode>(sound(node, where), fault);
  };
  return mixed_factory({place}, faulty, sound);
}

inline MachineConfig small_machine(TopologyKind kind, std::vector<std::uint32_t> size, std::uint32_t latency) {
  MachineConfig config;
  config.topology = {kind, std::move(size), 1};
  config.link.latency_cycles = latency;
  return config;
}

}  // namespace tidings::test
