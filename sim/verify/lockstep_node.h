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

namespace tidings::verify {

/// The first difference between two nodes.
class Divergence : public std::runtime_error {
 public:
  /// @param place port or slot; empty for the node itself.
  Divergence(NodeIndex node, std::string place, std::string field, std::uint64_t expected, std::uint64_t got);

  [[nodiscard]] NodeIndex node() const { return node_; }
  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const std::string& field() const { return field_; }
  [[nodiscard]] std::uint64_t expected() const { return expected_; }
  [[nodiscard]] std::uint64_t got() const { return got_; }

 private:
  NodeIndex node_;
  std::string place_;
  std::string field_;
  std::uint64_t expected_;
  std::uint64_t got_;
};

/// Compares all that two nodes show.
/// @throws Divergence at the first difference.
void compare(NodeIndex node, const NodeOutputs& expected, const NodeOutputs& got);

/// Gives two nodes the same inputs and compares all of their outputs in every cycle, also those right after reset.
class LockstepNode : public Node {
 public:
  /// @throws Divergence here and in step().
  LockstepNode(NodeIndex index, std::unique_ptr<Node> expected, std::unique_ptr<Node> got);

  [[nodiscard]] const NodeOutputs& outputs() const override { return expected_->outputs(); }
  void step(const NodeInputs& inputs) override;

 private:
  NodeIndex index_;
  std::unique_ptr<Node> expected_;
  std::unique_ptr<Node> got_;
};

/// Makes such nodes of two kinds.
[[nodiscard]] NodeFactory lockstep_factory(NodeFactory expected, NodeFactory got);

}  // namespace tidings::verify
