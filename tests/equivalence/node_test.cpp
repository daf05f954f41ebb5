// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The node's twin and the Verilated node agree on every output in every cycle.
#include "sim/cycle/node.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "sim/rtl/verilated_node.h"
#include "sim/verify/lockstep_node.h"
#include "sim/verify/neighbours.h"
#include "tests/sim/libraries.h"
#include "tests/sim/traffic.h"

namespace tidings {
namespace {

/// A compiled node and a machine of such nodes.
struct Case {
  const char* name;
  bool in_sim;  ///< built by tests/sim, not by tests/equivalence
  std::vector<std::uint32_t> size;
  bool wrapped;
  std::uint32_t latency;

  [[nodiscard]] std::string library() const {
    return in_sim ? test::library_path(std::string(name) + ".node.so")
                  : std::string(TIDINGS_ENGINE_LIBRARIES) + "/node_" + name + ".so";
  }
};

void PrintTo(const Case& tested, std::ostream* stream) { *stream << tested.name; }

const std::array<Case, 8>& cases() {
  static const std::array<Case, 8> kCases{{{"ring3_latency5", true, {3}, true, 5},
                                           {"mesh2x2_latency1", true, {3, 4}, false, 1},
                                           {"torus2x2x2_latency5", true, {2, 3, 2}, true, 2},
                                           {"crossbar3", true, {}, false, 1},
                                           {"torus3d", false, {4, 2, 3}, true, 1},
                                           {"torus4d", false, {2, 3, 1, 2}, true, 3},
                                           {"torus2d", false, {3, 4}, true, 2},
                                           {"crosspoint", false, {}, false, 1}}};
  return kCases;
}

class NodeTwin : public testing::TestWithParam<Case> {
 protected:
  NodeTwin()
      : parameters_(LoadedNodeLibrary(GetParam().library())->parameters),
        config_(test::config_of(parameters_, GetParam().size, GetParam().latency)) {}

  /// Both nodes in one.
  [[nodiscard]] NodeFactory lockstep() const {
    return verify::lockstep_factory(VerilatedSession::load(GetParam().library(), parameters_)->factory(),
                                    cycle::cycle_node_factory(parameters_));
  }

  NodeParameters parameters_;
  MachineConfig config_;
};

TEST_P(NodeTwin, HasTheOutputsOfTheRtlUnderRandomPacketsAndBackPressure) {
  constexpr std::uint32_t kCycles = 6000, kQuiet = 3000;
  const Topology topology(config_.topology);
  if (topology.ports() == 0) GTEST_SKIP() << "a crossbar has no network ports";
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const NodeIndex index{(seed * 5) % topology.nodes()};
    const std::unique_ptr<Node> node = lockstep()(index, topology.place(index));
    verify::Neighbours neighbours(parameters_, topology, index, seed);
    NodeInputs inputs{.ports = std::vector<PortInput>(topology.ports()),
                      .slots = std::vector<SlotInput>(topology.slots())};
    std::uint64_t flits = 0;
    for (std::uint32_t cycle = 0; cycle < kCycles + kQuiet; ++cycle) {
      neighbours.drive(node->outputs(), inputs, cycle >= kCycles);
      node->step(inputs);
      for (const PortOutput& port : node->outputs().ports) flits += port.flit_valid ? 1 : 0;
    }
    EXPECT_GT(flits, kCycles / 4);
    EXPECT_FALSE(node->outputs().busy) << "packets were left over";
  }
}

TEST_P(NodeTwin, HasTheOutputsOfTheRtlInAMachineWithAllEnginesAtWork) {
  const std::uint32_t slots = Topology(config_.topology).nodes() * config_.topology.slots;
  Machine machine(config_, slots, lockstep());
  test::Traffic(machine, 7).run(1000);
  EXPECT_GT(machine.counters().cycles_stepped, 5000U);
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeTwin, testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tidings
