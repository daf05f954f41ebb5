// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_fabric.h
/// A fabric of nodes of any kind, which may differ from place to place.
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "sim/machine/fabric.h"
#include "sim/machine/index_set.h"
#include "sim/machine/links.h"
#include "sim/machine/node.h"

namespace tidings {

/// Makes the node of one place; called once for each router.
using NodeFactory = std::function<std::unique_ptr<Node>(NodeIndex, const NodePlace&)>;

class NodeFabric : public Fabric {
 public:
  /// All nodes are stepped in every cycle of kEveryNode, for comparison; results do not differ.
  enum class Stepping { kActiveNodes, kEveryNode };

  NodeFabric(const Topology& topology, std::unique_ptr<Links> links, const NodeFactory& factory, Stepping stepping);

  [[nodiscard]] SlotInput& slot_input(std::size_t slot) override;
  [[nodiscard]] std::span<const NodeInputs> inputs(Cycle cycle) override;
  Stepped step(Cycle cycle) override;
  [[nodiscard]] bool busy() const override { return !busy_.empty(); }
  [[nodiscard]] std::optional<Cycle> next_arrival() const override { return links_->next(); }
  [[nodiscard]] const SlotOutput& slot_output(std::size_t slot) const override {
    return nodes_[slot / slots_]->outputs().slots[slot % slots_];
  }
  [[nodiscard]] const NodeOutputs& outputs(NodeIndex node, Cycle /*cycle*/) const override {
    return nodes_[node.value]->outputs();
  }
  [[nodiscard]] std::size_t slots() const override { return hosts_ * slots_; }
  [[nodiscard]] std::uint64_t node_evaluations() const override { return node_evaluations_; }
  [[nodiscard]] std::uint64_t flit_hops() const override {
    return std::accumulate(link_flits_.begin(), link_flits_.end(), std::uint64_t{0});
  }
  [[nodiscard]] std::uint64_t link_flits(NodeIndex node, PortId port) const override {
    return link_flits_[std::size_t{node.value} * ports_ + port.value];
  }
  [[nodiscard]] std::uint32_t nodes() const override { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  /// Put what arrives over links in `cycle` on the nodes' inputs.
  void deliver(Cycle cycle);
  /// Take what a node shows on its links in `cycle`.
  void collect(NodeIndex node, Cycle cycle);

  std::uint32_t slots_;  ///< of one router
  std::size_t hosts_;    ///< routers whose slots count
  std::size_t ports_;    ///< network ports of a router
  Stepping stepping_;
  std::unique_ptr<Links> links_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<NodeInputs> inputs_;          ///< empty but for what comes in in the cycle that is stepped next
  NodeSet busy_;                            ///< nodes that change without inputs
  NodeSet active_;                          ///< busy nodes and those with inputs
  std::vector<std::size_t> stepped_slots_;  ///< of nodes that had an edge in the last step
  std::uint64_t node_evaluations_ = 0;
  std::vector<std::uint64_t> link_flits_;  ///< node * ports + port
};

/// Makes the nodes in `places` with `inside` and all others with `outside`.
[[nodiscard]] NodeFactory mixed_factory(std::vector<NodeIndex> places, NodeFactory inside, NodeFactory outside);

/// Links without errors.
/// @throws std::invalid_argument where a machine is to have others.
[[nodiscard]] LinksFactory plain_links();

/// Makes fabrics of such nodes.
[[nodiscard]] FabricFactory fabric_of(NodeFactory factory,
                                      NodeFabric::Stepping stepping = NodeFabric::Stepping::kActiveNodes,
                                      LinksFactory links = plain_links());

}  // namespace tidings
