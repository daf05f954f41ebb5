// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/lockstep_node.h"

#include <sstream>
#include <utility>

namespace tidings::test {

LockstepNode::LockstepNode(std::string name, std::unique_ptr<Node> expected, std::unique_ptr<Node> got)
    : name_(std::move(name)), expected_(std::move(expected)), got_(std::move(got)) {
  compare();
}

void LockstepNode::step(const NodeInputs& inputs) {
  expected_->step(inputs);
  got_->step(inputs);
  ++steps_;
  compare();
}

void LockstepNode::diverge(const std::string& field, std::uint64_t expected, std::uint64_t got) const {
  std::ostringstream text;
  text << name_ << " after " << steps_ << " steps, " << field << std::hex << ": expected 0x" << expected << ", got 0x"
       << got;
  throw Divergence(text.str());
}

void LockstepNode::compare_port(std::size_t index, const PortOutput& expected, const PortOutput& got) const {
  const auto check = [&](const char* field, std::uint64_t a, std::uint64_t b) {
    if (a != b) diverge("port " + std::to_string(index) + " " + field, a, b);
  };
  check("flit_valid", expected.flit_valid, got.flit_valid);
  check("flit.data", expected.flit.data, got.flit.data);
  check("flit.vc", expected.flit.vc, got.flit.vc);
  check("flit.last", expected.flit.last, got.flit.last);
  check("credits", expected.credits, got.credits);
}

void LockstepNode::compare_slot(std::size_t index, const SlotOutput& expected, const SlotOutput& got) const {
  const auto check = [&](const char* field, std::uint64_t a, std::uint64_t b) {
    if (a != b) diverge("slot " + std::to_string(index) + " " + field, a, b);
  };
  check("bus_read_valid", expected.bus_read_valid, got.bus_read_valid);
  check("bus_read_data", expected.bus_read_data, got.bus_read_data);
  check("interrupt", expected.interrupt, got.interrupt);
  check("memory_read_valid", expected.memory_read_valid, got.memory_read_valid);
  check("memory_read_address", expected.memory_read_address, got.memory_read_address);
  check("memory_write_valid", expected.memory_write_valid, got.memory_write_valid);
  check("memory_write.address", expected.memory_write.address, got.memory_write.address);
  check("memory_write.strobe", expected.memory_write.strobe, got.memory_write.strobe);
  check("memory_write.data", expected.memory_write.data, got.memory_write.data);
}

void LockstepNode::compare() const {
  const NodeOutputs& expected = expected_->outputs();
  const NodeOutputs& got = got_->outputs();
  if (expected.ports.size() != got.ports.size()) diverge("ports", expected.ports.size(), got.ports.size());
  if (expected.slots.size() != got.slots.size()) diverge("slots", expected.slots.size(), got.slots.size());
  for (std::size_t p = 0; p < expected.ports.size(); ++p) compare_port(p, expected.ports[p], got.ports[p]);
  for (std::size_t s = 0; s < expected.slots.size(); ++s) compare_slot(s, expected.slots[s], got.slots[s]);
  if (expected.busy != got.busy) diverge("busy", expected.busy, got.busy);
}

NodeFactory lockstep_factory(NodeFactory expected, NodeFactory got) {
  return [expected = std::move(expected), got = std::move(got)](NodeIndex node, const NodePlace& place) {
    return std::make_unique<LockstepNode>("node " + std::to_string(node.value), expected(node, place),
                                          got(node, place));
  };
}

}  // namespace tidings::test
