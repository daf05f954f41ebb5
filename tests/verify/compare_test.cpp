// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// What `tidings verify` finds where one side is a twin that has been made faulty on purpose.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "generated/mpe_pkg.h"
#include "generated/registers.h"
#include "generated/rma_pkg.h"
#include "sim/cycle/machine_fabric.h"
#include "sim/cycle/reliable_links.h"
#include "sim/verify/compare_machines.h"
#include "sim/verify/compare_node.h"
#include "sim/verify/lockstep_node.h"
#include "tests/verify/faulty_node.h"

namespace tidings {
namespace {

using test::Fault;

constexpr registers::RmaCommand kPut{.operation = static_cast<std::uint32_t>(rma_pkg::RmaOperation::kPut)};
constexpr registers::MpeCommand kBarrierOfRoot{.parent = mpe_pkg::kNoLink, .children = 1};
constexpr NodeIndex kFaulty{1};
constexpr std::uint64_t kDelay = 50;  ///< the script does nothing for a while

MachineConfig ring() { return test::small_machine(TopologyKind::kRing, {4}, 3); }

/// Rank 0 sends a PUT to rank 2, through node 1 or 3; nothing is registered there, so it is refused.
std::vector<verify::Operation> put_script() {
  verify::Operation put{.settle = false, .advance = 0, .accesses = {}};
  for (const auto& [address, data] : std::vector<std::pair<std::uint16_t, std::uint32_t>>{
           {registers::RmaLocalAddress::kAddress, 0},
           {registers::RmaRemote::kAddress, registers::RmaRemote{.node = 2}.encode()},
           {registers::RmaOffset::kAddress, 0},
           {registers::RmaLength::kAddress, 16},
           {registers::RmaCommand::kAddress, kPut.encode()}}) {
    put.accesses.push_back({.rank = 0, .delay = kDelay, .write = true, .address = address, .data = data});
  }
  return {put};
}

/// Flips a bit of the flit number `count` that leaves through any port.
Fault wrong_flit(unsigned count) {
  return [count, seen = 0U](NodeOutputs& outputs) mutable {
    for (PortOutput& port : outputs.ports) {
      if (port.flit_valid && ++seen == count) port.flit.data ^= 1U;
    }
  };
}

/// When the flit number `count` of the faulty node shows in a machine that is sound.
class FlitWatch : public CycleObserver {
 public:
  FlitWatch(const Machine& machine, unsigned count) : machine_(machine), count_(count) {}
  void before_edge(Cycle /*cycle*/, std::span<const NodeInputs> /*inputs*/) override {}
  void after_edge(Cycle cycle) override {
    for (const PortOutput& port : machine_.outputs(kFaulty).ports) {
      if (port.flit_valid && ++seen_ == count_) shown = cycle.value;
    }
  }
  std::optional<std::uint64_t> shown;

 private:
  const Machine& machine_;
  unsigned count_;
  unsigned seen_ = 0;
};

std::uint64_t cycle_of_flit(unsigned count) {
  Machine machine(ring(), 4, cycle::machine_fabric_factory());
  FlitWatch watch(machine, count);
  machine.observe(&watch);
  const std::vector<verify::Operation> script = put_script();
  for (const verify::Access& access : script[0].accesses) {
    machine.bus_write(machine.topology().endpoint(0), Cycle{access.delay}, access.address, access.data);
  }
  std::vector<std::byte> memory(64);
  machine.attach_memory(machine.topology().endpoint(0), memory);
  while (!machine.run_until(Cycle::max()).quiescent) {
  }
  return watch.shown.value();
}

FabricFactory lockstep(const Fault& fault) {
  return fabric_of(verify::lockstep_factory(cycle::cycle_node_factory(node_parameters(ring())),
                                            test::faulty_factory(ring(), kFaulty, fault)));
}

const Fault kNoFault = [](NodeOutputs&) {};

TEST(CompareMachines, FindsNothingWhereBothSidesAreSound) {
  const verify::Compared compared =
      verify::compare_fabrics(ring(), lockstep(kNoFault), cycle::machine_fabric_factory(), {}, put_script());
  EXPECT_FALSE(compared.difference);
  EXPECT_FALSE(compared.stop);
  EXPECT_GT(compared.flit_hops, 10U);
}

TEST(CompareMachines, JoinsNodesByReliableLinksAsTheFabricDoes) {
  std::uint64_t cycles = 0;
  for (const double rate : {0.0, 1e-3, 1e-2}) {
    MachineConfig config = ring();
    config.link.reliable = true;
    config.link.bit_error_rate = rate;
    config.link.seed = 3;
    const FabricFactory nodes = fabric_of(cycle::cycle_node_factory(node_parameters(config)),
                                          NodeFabric::Stepping::kActiveNodes, cycle::links_factory());
    const verify::Compared compared =
        verify::compare_fabrics(config, nodes, cycle::machine_fabric_factory(), {}, put_script());
    EXPECT_FALSE(compared.difference) << rate;
    EXPECT_FALSE(compared.stop) << rate;
    EXPECT_GT(compared.flit_hops, 10U) << rate;
    EXPECT_GT(compared.cycles, cycles) << rate << ": errors cost time";
    cycles = compared.cycles;
  }
}

TEST(CompareMachines, NamesTheCycleInWhichANodeShowsAnotherFlit) {
  for (const unsigned count : {1U, 4U, 7U}) {
    const verify::Compared compared =
        verify::compare_fabrics(ring(), lockstep(wrong_flit(count)), cycle::machine_fabric_factory(), {}, put_script());
    ASSERT_TRUE(compared.difference) << count;
    EXPECT_EQ(compared.difference->cycle, cycle_of_flit(count));
    EXPECT_EQ(compared.difference->node, kFaulty.value);
    EXPECT_EQ(compared.difference->field, "flit.data");
    EXPECT_EQ(compared.difference->expected ^ compared.difference->got, 1U);
    EXPECT_FALSE(compared.difference->of_fabric);
  }
}

TEST(CompareMachines, NamesTheCycleInWhichTheFabricShowsAnotherFlit) {
  for (const unsigned count : {1U, 4U, 7U}) {
    const FabricFactory faulty = fabric_of(test::faulty_factory(ring(), kFaulty, wrong_flit(count)));
    const verify::Compared compared = verify::compare_fabrics(ring(), lockstep(kNoFault), faulty, {}, put_script());
    ASSERT_TRUE(compared.difference) << count;
    EXPECT_EQ(compared.difference->cycle, cycle_of_flit(count));
    EXPECT_EQ(compared.difference->node, kFaulty.value);
    EXPECT_TRUE(compared.difference->of_fabric);
  }
}

TEST(CompareMachines, FindsADifferenceRightAfterReset) {
  const Fault fault = [first = true](NodeOutputs& outputs) mutable {
    if (first) outputs.slots[0].interrupt = true;
    first = false;
  };
  const verify::Compared compared =
      verify::compare_fabrics(ring(), lockstep(fault), cycle::machine_fabric_factory(), {}, put_script());
  ASSERT_TRUE(compared.difference);
  EXPECT_EQ(compared.difference->cycle, 0U);
  EXPECT_EQ(compared.difference->field, "interrupt");
}

TEST(CompareMachines, SaysWhoIsBusyWhereAMachineDoesNotComeToRest) {
  const NodeFactory restless = test::faulty_factory(ring(), kFaulty, [](NodeOutputs& outputs) { outputs.busy = true; });
  const verify::Compared compared =
      verify::compare_fabrics(ring(), fabric_of(restless), fabric_of(restless), {.patience = 300}, put_script());
  EXPECT_FALSE(compared.difference);
  ASSERT_TRUE(compared.stop);
  EXPECT_EQ(compared.stop->node, kFaulty.value);
  EXPECT_EQ(compared.stop->reason, "the machine has not come to rest in 300 cycles; busy nodes: 1; no command waits");
}

TEST(CompareMachines, SaysWhichCommandsWaitWhereNothingMovesAnyMore) {
  const std::vector<verify::Operation> script{{.settle = true,
                                               .advance = 0,
                                               .accesses = {{.rank = 2,
                                                             .delay = 0,
                                                             .write = true,
                                                             .address = registers::MpeCommand::kAddress,
                                                             .data = kBarrierOfRoot.encode()}}}};
  const verify::Compared compared =
      verify::compare_fabrics(ring(), lockstep(kNoFault), cycle::machine_fabric_factory(), {}, script);
  EXPECT_FALSE(compared.difference);
  ASSERT_TRUE(compared.stop);
  EXPECT_EQ(compared.stop->node, 2U);
  EXPECT_EQ(compared.stop->reason, "nothing moves any more, and commands wait: rank 2: 0 of 1 collective complete");
}

TEST(CompareMachines, ReportsWhatANodeThrowsAndWhen) {
  const std::uint64_t cycle = cycle_of_flit(1);
  const Fault assertion = [](NodeOutputs& outputs) {
    for (const PortOutput& port : outputs.ports) {
      if (port.flit_valid) throw std::runtime_error("assertion failed at here:1");
    }
  };
  const verify::Compared compared =
      verify::compare_fabrics(ring(), lockstep(assertion), cycle::machine_fabric_factory(), {}, put_script());
  EXPECT_FALSE(compared.difference);
  ASSERT_TRUE(compared.stop);
  EXPECT_EQ(compared.stop->cycle, cycle);
  EXPECT_EQ(compared.stop->reason, "assertion failed at here:1");
}

TEST(CompareNode, NamesTheCycleOfADifferenceUnderRandomPackets) {
  const MachineConfig config = test::small_machine(TopologyKind::kTorus, {3, 3}, 1);
  std::uint64_t steps = 0, faulty_step = 0;
  const Fault fault = [&](NodeOutputs& outputs) {
    // The first call is after reset.
    if (steps++ == 777) {
      outputs.slots[0].interrupt = !outputs.slots[0].interrupt;
      faulty_step = steps - 1;
    }
  };
  std::vector<std::uint32_t> begun;
  const verify::Compared compared = verify::compare_nodes(config, cycle::cycle_node_factory(node_parameters(config)),
                                                          test::faulty_factory(config, NodeIndex{4}, fault),
                                                          {.node = 4, .seed = 3, .cycles = 2000}, begun);
  ASSERT_TRUE(compared.difference);
  EXPECT_EQ(compared.difference->cycle, faulty_step);
  EXPECT_EQ(compared.difference->field, "interrupt");
  EXPECT_FALSE(begun.empty());
}

TEST(CompareNode, SaysWherePacketsAreLeftOver) {
  const MachineConfig config = test::small_machine(TopologyKind::kMesh, {3, 3}, 1);
  const NodeFactory restless = test::faulty_factory(config, NodeIndex{4}, [](NodeOutputs& o) { o.busy = true; });
  std::vector<std::uint32_t> begun;
  const verify::Compared compared =
      verify::compare_nodes(config, restless, restless, {.node = 4, .seed = 3, .cycles = 2000}, begun);
  ASSERT_TRUE(compared.stop);
  EXPECT_EQ(compared.stop->reason, "packets are left over in the node 200000 cycles after the last one");
}

}  // namespace
}  // namespace tidings
