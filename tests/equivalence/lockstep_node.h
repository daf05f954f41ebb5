// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file lockstep_node.h
/// Two nodes that must be equal, stepped as one.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "sim/machine/machine.h"
#include "sim/machine/node.h"

namespace tidings::test {

/// The first difference between two nodes.
class Divergence : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Gives two nodes the same inputs and compares all of their outputs in every cycle, also those right after reset.
class LockstepNode : public Node {
 public:
  /// @param name of the node, for messages.
  /// @throws Divergence here and in step(), with cycle of this node, port or slot, field, and both values.
  LockstepNode(std::string name, std::unique_ptr<Node> expected, std::unique_ptr<Node> got);

  [[nodiscard]] const NodeOutputs& outputs() const override { return expected_->outputs(); }
  void step(const NodeInputs& inputs) override;

 private:
  void compare() const;
  [[noreturn]] void diverge(const std::string& field, std::uint64_t expected, std::uint64_t got) const;
  void compare_port(std::size_t index, const PortOutput& expected, const PortOutput& got) const;
  void compare_slot(std::size_t index, const SlotOutput& expected, const SlotOutput& got) const;

  std::string name_;
  std::unique_ptr<Node> expected_;
  std::unique_ptr<Node> got_;
  std::uint64_t steps_ = 0;
};

/// Makes such nodes of two kinds.
[[nodiscard]] NodeFactory lockstep_factory(NodeFactory expected, NodeFactory got);

}  // namespace tidings::test
