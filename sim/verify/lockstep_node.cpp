// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/lockstep_node.h"

#include <sstream>
#include <utility>

namespace tidings::verify {

namespace {

std::string describe(NodeIndex node, const std::string& place, const std::string& field, std::uint64_t expected,
                     std::uint64_t got) {
  std::ostringstream text;
  text << "node " << node.value << ' ' << place << (place.empty() ? "" : " ") << field << std::hex << ": expected 0x"
       << expected << ", got 0x" << got;
  return text.str();
}

/// Compares the fields of one place.
class Comparison {
 public:
  Comparison(NodeIndex node, std::string place) : node_(node), place_(std::move(place)) {}

  void operator()(const char* field, std::uint64_t expected, std::uint64_t got) const {
    if (expected != got) throw Divergence(node_, place_, field, expected, got);
  }

 private:
  NodeIndex node_;
  std::string place_;
};

void compare_port(NodeIndex node, std::size_t index, const PortOutput& expected, const PortOutput& got) {
  if (expected == got) return;
  const Comparison check(node, "port " + std::to_string(index));
  check("flit_valid", expected.flit_valid, got.flit_valid);
  check("flit.data", expected.flit.data, got.flit.data);
  check("flit.vc", expected.flit.vc, got.flit.vc);
  check("flit.last", expected.flit.last, got.flit.last);
  check("credits", expected.credits, got.credits);
  check("tokens", expected.tokens, got.tokens);
  check("switch", expected.link.word.encode(), got.link.word.encode());
  check("stream", expected.link.stream.encode(), got.link.stream.encode());
}

void compare_slot(NodeIndex node, std::size_t index, const SlotOutput& expected, const SlotOutput& got) {
  if (expected == got) return;
  const Comparison check(node, "slot " + std::to_string(index));
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

}  // namespace

Divergence::Divergence(NodeIndex node, std::string place, std::string field, std::uint64_t expected, std::uint64_t got)
    : std::runtime_error(describe(node, place, field, expected, got)),
      node_(node),
      place_(std::move(place)),
      field_(std::move(field)),
      expected_(expected),
      got_(got) {}

void compare(NodeIndex node, const NodeOutputs& expected, const NodeOutputs& got) {
  if (expected == got) return;
  const Comparison check(node, "");
  check("ports", expected.ports.size(), got.ports.size());
  check("slots", expected.slots.size(), got.slots.size());
  for (std::size_t p = 0; p < expected.ports.size(); ++p) compare_port(node, p, expected.ports[p], got.ports[p]);
  for (std::size_t s = 0; s < expected.slots.size(); ++s) compare_slot(node, s, expected.slots[s], got.slots[s]);
  check("busy", expected.busy, got.busy);
}

LockstepNode::LockstepNode(NodeIndex index, std::unique_ptr<Node> expected, std::unique_ptr<Node> got)
    : index_(index), expected_(std::move(expected)), got_(std::move(got)) {
  compare(index_, expected_->outputs(), got_->outputs());
}

void LockstepNode::step(const NodeInputs& inputs) {
  expected_->step(inputs);
  got_->step(inputs);
  compare(index_, expected_->outputs(), got_->outputs());
}

NodeFactory lockstep_factory(NodeFactory expected, NodeFactory got) {
  return [expected = std::move(expected), got = std::move(got)](NodeIndex node, const NodePlace& place) {
    return std::make_unique<LockstepNode>(node, expected(node, place), got(node, place));
  };
}

}  // namespace tidings::verify
