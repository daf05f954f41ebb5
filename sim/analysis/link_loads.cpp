// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/analysis/link_loads.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/analysis/routes.h"

namespace tidings {
namespace {

/// Adds up the messages of one step after another.
class Adder {
 public:
  Adder(const MachineConfig& machine, const Topology& topology)
      : topology_(topology),
        routes_(node_parameters(machine), machine.link.latency_cycles, topology),
        loads_(std::size_t{topology.nodes()} * topology.ports()),
        sent_(topology.endpoints()),
        received_(topology.endpoints()) {}

  void add(StepLoad& step, const Flow& flow) {
    const std::uint32_t slots = topology_.endpoints();
    if (flow.from >= slots || flow.to >= slots) {
      throw std::invalid_argument("there are " + std::to_string(slots) + " slots: none for a message from " +
                                  std::to_string(flow.from) + " to " + std::to_string(flow.to));
    }
    ++step.messages;
    step.port_words = std::max({step.port_words, sent_[flow.from] += flow.words, received_[flow.to] += flow.words});
    const NodeId target = topology_.endpoint(flow.to).node;
    const std::uint32_t end = topology_.index(target).value;
    std::uint64_t way = 0;
    for (std::uint32_t node = topology_.index(topology_.endpoint(flow.from).node).value; node != end;) {
      const std::uint8_t port = routes_.port(node, target);
      LinkLoad& load = loads_[std::size_t{node} * topology_.ports() + port];
      load.router = node;
      load.port = port;
      ++load.messages;
      load.words += flow.words;
      way += routes_.latency(node, port);
      node = routes_.neighbour(node, port);
    }
    step.longest_way = std::max(step.longest_way, way);
  }

  void finish(StepLoad& step) {
    for (LinkLoad& load : loads_) {
      if (load.messages == 0) continue;
      step.conflicts += load.messages > 1 ? 1 : 0;
      step.most_messages = std::max(step.most_messages, load.messages);
      step.link_words = std::max(step.link_words, load.words);
      step.links.push_back(load);
      load = {};
    }
    std::fill(sent_.begin(), sent_.end(), 0);
    std::fill(received_.begin(), received_.end(), 0);
  }

 private:
  const Topology& topology_;
  Routes routes_;
  std::vector<LinkLoad> loads_;  ///< node * ports + port
  std::vector<std::uint64_t> sent_;
  std::vector<std::uint64_t> received_;
};

}  // namespace

std::uint64_t StepLoad::cycles() const {
  const std::uint64_t words = std::max(link_words, port_words);
  return longest_way + (words == 0 ? 0 : words - 1);
}

std::vector<StepLoad> step_loads(const MachineConfig& machine, const Topology& topology,
                                 const std::vector<Flow>& flows) {
  Adder adder(machine, topology);
  std::vector<StepLoad> steps;
  for (const Flow& flow : flows) {
    if (steps.empty() || steps.back().step != flow.step) {
      if (!steps.empty()) adder.finish(steps.back());
      steps.push_back({.step = flow.step});
    }
    adder.add(steps.back(), flow);
  }
  if (!steps.empty()) adder.finish(steps.back());
  return steps;
}

}  // namespace tidings
