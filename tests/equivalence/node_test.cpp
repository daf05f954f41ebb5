// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The node's twin and the Verilated node agree on every output in every cycle.
#include "sim/cycle/node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "sim/benchmark/slot_commands.h"
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

TEST(CrosspointNode, TakesMessagesAlongRoutesToAllTheirSlotsAndToNoOthersInTheOrderInWhichTheyWereSent) {
  constexpr std::uint32_t kMemory = 8192, kQueue = 4096, kMessageBytes = 256, kHeaderBytes = 8, kRounds = 2;
  constexpr std::uint32_t kRoutes = 3;
  constexpr std::array<std::uint32_t, kRoutes> kSlotsOf{0b110, 0b111, 0b001};
  const Case crosspoint{"crosspoint", false, {}, false, 1};
  const NodeParameters parameters = LoadedNodeLibrary(crosspoint.library())->parameters;
  // A header and the length; the rest of a crosspoint is payload.
  const std::uint32_t longest = 4 * (parameters.crosspoint_flits - 2);
  const std::uint32_t count = parameters.num_slots;
  const auto node = VerilatedSession::load(crosspoint.library(), parameters);
  Machine machine(test::config_of(parameters, {}, 1), count,
                  verify::lockstep_factory(node->factory(), cycle::cycle_node_factory(parameters)));
  std::vector<std::byte> memory(std::size_t{count} * kMemory);
  std::vector<SlotCommands> slots;
  const auto settle = [&] { ASSERT_TRUE(machine.run_until(machine.now() + 100'000).quiescent); };
  const auto read = [&](std::uint32_t slot, std::uint16_t address) {
    slots[slot].read(machine.now(), address);
    return machine.run_until(Cycle::max()).reads.at(0).data;
  };
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    machine.attach_memory(machine.topology().endpoint(slot), std::span(memory).subspan(slot * kMemory, kMemory));
    slots.emplace_back(machine, machine.topology().endpoint(slot));
    slots.back().set_queue(Cycle{0}, kQueue, 4);
  }
  for (std::uint32_t route = 0; route < kRoutes; ++route) {
    slots[0].route(machine.now(), route, kSlotsOf[route]);
    settle();
  }

  // Each slot sends along each route, all at once: as many as wait for an engine.
  std::vector<std::vector<std::byte>> sent(std::size_t{count} * count);  // from one slot to another: first bytes
  std::uint32_t number = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t route = 0; route < kRoutes; ++route) {
      for (std::uint32_t slot = 0; slot < count; ++slot) {
        const std::uint32_t local = (round * kRoutes + route) * kMessageBytes;
        const auto first = static_cast<std::byte>(++number);
        memory[slot * kMemory + local] = first;
        slots[slot].static_message(machine.now(), route, local, longest);
        for (std::uint32_t to = 0; to < count; ++to) {
          if ((kSlotsOf[route] >> to & 1U) != 0) sent[slot * count + to].push_back(first);
        }
      }
    }
    settle();
  }
  std::vector<std::vector<std::byte>> came(sent.size());
  for (std::uint32_t to = 0; to < count; ++to) {
    const std::uint32_t messages = read(to, registers::RmaQueueTail::kAddress);
    for (std::uint32_t i = 0; i < messages; ++i) {
      const std::byte first = memory[to * kMemory + kQueue + i * kMessageBytes + kHeaderBytes];
      for (std::uint32_t from = 0; from < count; ++from) {
        const std::vector<std::byte>& of = sent[from * count + to];
        if (std::find(of.begin(), of.end(), first) != of.end()) came[from * count + to].push_back(first);
      }
    }
    EXPECT_EQ(messages, kRounds * count * 2) << "slot " << to;
    EXPECT_EQ(read(to, registers::RmaError::kAddress), 0U) << "slot " << to;
  }
  EXPECT_EQ(came, sent);

  slots[1].static_message(machine.now(), 0, 0, longest + 1);
  settle();
  EXPECT_NE(read(1, registers::RmaError::kAddress), 0U) << "a packet that no crosspoint has room for is refused";
}

}  // namespace
}  // namespace tidings
