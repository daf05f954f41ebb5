// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Machines of the cycle model are the same with their own fabric and as nodes behind the interface of all nodes.
#include "sim/cycle/machine_fabric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/benchmark/machine_benchmark.h"
#include "sim/cycle/node.h"
#include "sim/machine/machine.h"
#include "tests/sim/traffic.h"

namespace tidings {
namespace {

/// Everything that a machine shows, cycle by cycle, as one number for each cycle.
class Digest : public CycleObserver {
 public:
  explicit Digest(const Machine& machine) : machine_(machine) {}

  [[nodiscard]] const std::vector<std::uint64_t>& cycles() const { return cycles_; }

  void before_edge(Cycle cycle, std::span<const NodeInputs> inputs) override {
    digest_ = cycle.value;
    for (const NodeInputs& node : inputs) {
      for (const PortInput& port : node.ports) add(port.flit_valid, port.flit, port.credits);
      for (const SlotInput& slot : node.slots) {
        add(slot.bus_valid);
        if (slot.bus_valid) add(slot.bus.write), add(slot.bus.address), add(slot.bus.data);
        add(slot.memory_data_valid);
        if (slot.memory_data_valid) add(slot.memory_data);
      }
    }
  }

  void after_edge(Cycle /*cycle*/) override {
    for (std::uint32_t n = 0; n < machine_.topology().nodes(); ++n) {
      const NodeOutputs& node = machine_.outputs(NodeIndex{n});
      add(node.busy);
      for (const PortOutput& port : node.ports) add(port.flit_valid, port.flit, port.credits);
      for (const SlotOutput& slot : node.slots) {
        add(slot.bus_read_valid), add(slot.bus_read_data), add(slot.interrupt);
        add(slot.memory_read_valid), add(slot.memory_read_address);
        add(slot.memory_write_valid), add(slot.memory_write.address);
        add(slot.memory_write.strobe), add(slot.memory_write.data);
      }
    }
    cycles_.push_back(digest_);
  }

 private:
  void add(std::uint64_t value) { digest_ = (digest_ ^ value) * 0x100000001b3; }  // FNV-1a's prime
  void add(bool valid, const Flit& flit, std::uint8_t credits) {
    add(valid), add(flit.data), add(flit.vc), add(flit.last), add(credits);
  }

  const Machine& machine_;
  std::uint64_t digest_ = 0;
  std::vector<std::uint64_t> cycles_;
};

struct Case {
  const char* name;
  TopologyConfig topology;
  std::uint32_t latency;
  bool pipeline = false;  ///< of the routers
};

MachineConfig config_of(const Case& machine) {
  MachineConfig config;
  config.topology = machine.topology;
  config.link.latency_cycles = machine.latency;
  config.node.router_pipeline = machine.pipeline ? 1 : 0;
  return config;
}

void PrintTo(const Case& machine, std::ostream* stream) { *stream << machine.name; }

class CycleMachine : public testing::TestWithParam<Case> {};

TEST_P(CycleMachine, IsTheSameInEveryCycleWithEitherFabric) {
  MachineConfig config = config_of(GetParam());
  config.memory.latency_cycles = 3;
  const std::uint32_t slots = Topology(config.topology).nodes() * config.topology.slots;
  std::vector<std::vector<std::uint64_t>> cycles;
  std::vector<MachineCounters> counters;
  for (const FabricFactory& fabric :
       {cycle::machine_fabric_factory(), fabric_of(cycle::cycle_node_factory(node_parameters(config)))}) {
    Machine machine(config, slots, fabric);
    Digest digest(machine);
    machine.observe(&digest);
    test::Traffic(machine, 3).run(200);
    cycles.push_back(digest.cycles());
    counters.push_back(machine.counters());
  }
  ASSERT_EQ(cycles[0].size(), cycles[1].size());
  for (std::size_t i = 0; i < cycles[0].size(); ++i) ASSERT_EQ(cycles[0][i], cycles[1][i]) << "step " << i;
  EXPECT_GT(counters[0].cycles_stepped, 2000U);
  EXPECT_EQ(counters[0].cycles_stepped, counters[1].cycles_stepped);
  EXPECT_EQ(counters[0].cycles_skipped, counters[1].cycles_skipped);
  EXPECT_EQ(counters[0].node_evaluations, counters[1].node_evaluations);
  EXPECT_EQ(counters[0].flit_hops, counters[1].flit_hops);
}

TEST_P(CycleMachine, IsTheSameInAnyNumberOfThreads) {
  MachineConfig config = config_of(GetParam());
  config.memory.latency_cycles = 3;
  config.fabric.clock_khz = 1'000'000;
  config.processor.interrupt_ps = 60'000;  // cycles of look-ahead at most: 60
  const std::uint32_t slots = Topology(config.topology).nodes() * config.topology.slots;
  std::vector<CompletedRead> answers;
  std::vector<std::byte> memory;
  MachineCounters counters;
  Cycle end;
  for (const std::uint32_t parts : {1U, 2U, 3U, 5U}) {
    Machine machine(config, slots, cycle::machine_fabric_factory(parts));
    test::Traffic traffic(machine, 3);
    traffic.run(60);
    if (parts == 1) {
      answers = traffic.answers();
      memory = traffic.memory();
      counters = machine.counters();
      end = machine.now();
      EXPECT_GT(answers.size(), 8U);
      continue;
    }
    EXPECT_EQ(traffic.answers(), answers) << parts << " parts";
    EXPECT_EQ(traffic.memory(), memory) << parts << " parts";
    EXPECT_EQ(machine.now(), end);
    EXPECT_EQ(machine.counters().cycles_stepped, counters.cycles_stepped);
    EXPECT_EQ(machine.counters().cycles_skipped, counters.cycles_skipped);
    EXPECT_EQ(machine.counters().node_evaluations, counters.node_evaluations);
    EXPECT_EQ(machine.counters().flit_hops, counters.flit_hops);
  }
}

TEST_P(CycleMachine, IsTheSameWhileItIsSimulatedAsAWholeAndInPartsByTurns) {
  MachineConfig config = config_of(GetParam());
  config.memory.latency_cycles = 3;
  config.fabric.clock_khz = 1'000'000;
  config.processor.interrupt_ps = 60'000;
  constexpr int kRounds = 40;
  const std::uint32_t slots = Topology(config.topology).nodes() * config.topology.slots;
  Machine whole(config, slots, cycle::machine_fabric_factory());
  test::Traffic expected(whole, 5);
  for (int round = 0; round < kRounds; ++round) expected.run(1);
  std::vector<std::uint64_t> link_flits;
  whole.link_flits(link_flits);
  for (const std::uint32_t parts : {2U, 3U}) {
    Machine machine(config, slots, cycle::machine_fabric_factory());
    std::set<std::size_t> divisions;
    test::Traffic traffic(machine, 5);
    for (int round = 0; round < kRounds; ++round) {
      // In turn: hardly anything, and nothing, is worth parts.
      machine.use_threads(cycle::machine_fabric_factory(parts),
                          {.evaluations = round % 2 == 0 ? 1U : ~std::uint64_t{0}, .cycles = 1});
      traffic.run(1);
      divisions.insert(machine.parts());
    }
    EXPECT_EQ(divisions, (std::set<std::size_t>{1, std::min(parts, machine.topology().nodes())}));
    EXPECT_EQ(traffic.answers(), expected.answers()) << parts << " parts";
    EXPECT_EQ(traffic.memory(), expected.memory()) << parts << " parts";
    EXPECT_EQ(machine.now(), whole.now());
    EXPECT_EQ(machine.counters().cycles_stepped, whole.counters().cycles_stepped);
    EXPECT_EQ(machine.counters().cycles_skipped, whole.counters().cycles_skipped);
    EXPECT_EQ(machine.counters().node_evaluations, whole.counters().node_evaluations);
    EXPECT_EQ(machine.counters().flit_hops, whole.counters().flit_hops);
    std::vector<std::uint64_t> counts;
    machine.link_flits(counts);
    EXPECT_EQ(counts, link_flits);
  }
}

/// Sees nothing: a machine that is observed steps its cycles one by one.
class OneByOne : public CycleObserver {
 public:
  void before_edge(Cycle /*cycle*/, std::span<const NodeInputs> /*inputs*/) override {}
  void after_edge(Cycle /*cycle*/) override {}
};

/// What a machine has come to.
struct Outcome {
  Cycle end;
  std::vector<std::byte> memory;
  std::vector<CompletedRead> answers;
  std::vector<std::uint64_t> link_flits;
  MachineCounters counters;

  void take(const Machine& machine) {
    end = machine.now();
    counters = machine.counters();
    machine.link_flits(link_flits);
  }
};

void expect_same(const Outcome& at_once, const Outcome& one_by_one) {
  EXPECT_EQ(at_once.end, one_by_one.end);
  EXPECT_EQ(at_once.memory, one_by_one.memory);
  EXPECT_EQ(at_once.answers, one_by_one.answers);
  EXPECT_EQ(at_once.link_flits, one_by_one.link_flits);
  EXPECT_EQ(at_once.counters.cycles_stepped, one_by_one.counters.cycles_stepped);
  EXPECT_EQ(at_once.counters.cycles_skipped, one_by_one.counters.cycles_skipped);
  EXPECT_EQ(at_once.counters.node_evaluations, one_by_one.counters.node_evaluations);
  EXPECT_EQ(one_by_one.counters.cycles_at_once, 0U);
}

/// Several long PUTs of each of some slots to any others, or to itself, that begin at any time, with reads of
/// registers between.
Outcome put_at_random(const MachineConfig& config, std::uint32_t seed, CycleObserver* observer) {
  constexpr std::uint32_t kMemory = 1 << 16, kRegion = 1 << 15;
  const std::uint32_t slots = Topology(config.topology).nodes() * config.topology.slots;
  Machine machine(config, slots, cycle::machine_fabric_factory());
  machine.observe(observer);
  std::minstd_rand generator(seed);
  const auto random = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(generator() >> 4) % bound; };
  Outcome outcome;
  outcome.memory.resize(std::size_t{slots} * kMemory);
  for (std::byte& byte : outcome.memory) byte = static_cast<std::byte>(random(256));
  std::vector<SlotCommands> commands;
  for (std::uint32_t rank = 0; rank < slots; ++rank) {
    const Endpoint endpoint = machine.topology().endpoint(rank);
    machine.attach_memory(endpoint, std::span(outcome.memory).subspan(std::size_t{rank} * kMemory, kMemory));
    commands.emplace_back(machine, endpoint);
    commands.back().register_region(Cycle{0}, 0, kRegion, kRegion, true, true);
  }
  for (std::uint32_t i = 0; i < 8; ++i) {
    SlotCommands& from = commands[random(slots)];
    const Cycle at = machine.now() + random(50);
    // Some read what others write meanwhile.
    from.put(at, commands[random(slots)].endpoint(), random(kMemory / 8) * 4, 0, random(2000) * 4, 1 + random(20'000));
    if (random(2) == 0) from.read(at + random(3000), registers::RmaCompleted::kAddress);
    const Cycle end = machine.now() + random(4000);
    while (machine.now() < end) {
      const RunResult result = machine.run_until(end);
      outcome.answers.insert(outcome.answers.end(), result.reads.begin(), result.reads.end());
      if (result.quiescent) break;
    }
  }
  for (bool quiescent = false; !quiescent;) {
    const RunResult result = machine.run_until(machine.now() + 100'000);
    outcome.answers.insert(outcome.answers.end(), result.reads.begin(), result.reads.end());
    quiescent = result.quiescent;
  }
  outcome.take(machine);
  return outcome;
}

TEST_P(CycleMachine, StepsCyclesAtOnceAsItWouldOneByOne) {
  MachineConfig config = config_of(GetParam());
  config.node.buffer_flits = 256;  // for the way of a credit there and back
  std::uint64_t at_once = 0;
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    config.memory.latency_cycles = seed % 2 == 0 ? 3 : 20;
    OneByOne observer;
    const Outcome one_by_one = put_at_random(config, seed, &observer);
    const Outcome fast = put_at_random(config, seed, nullptr);
    expect_same(fast, one_by_one);
    at_once += fast.counters.cycles_at_once;
  }
  // No longer than a link's latency at once.
  if (GetParam().latency > 10) {
    EXPECT_GT(at_once, 2000U);
  }
}

TEST_P(CycleMachine, StepsAnyTrafficAtOnceAsItWouldOneByOne) {
  MachineConfig config = config_of(GetParam());
  config.memory.latency_cycles = 3;
  const std::uint32_t slots = Topology(config.topology).nodes() * config.topology.slots;
  OneByOne observer;
  std::vector<Outcome> outcomes;
  for (CycleObserver* const by : {static_cast<CycleObserver*>(nullptr), static_cast<CycleObserver*>(&observer)}) {
    Machine machine(config, slots, cycle::machine_fabric_factory());
    machine.observe(by);
    test::Traffic traffic(machine, 5);
    traffic.run(200);
    outcomes.push_back(
        {.end = {}, .memory = traffic.memory(), .answers = traffic.answers(), .link_flits = {}, .counters = {}});
    outcomes.back().take(machine);
  }
  expect_same(outcomes[0], outcomes[1]);
}

/// Each slot sends a message to the next one as soon as it has got one, an interrupt's time later.
std::vector<std::uint64_t> pass_messages_on(const MachineConfig& config, std::uint32_t parts) {
  constexpr std::uint32_t kQueue = 1024, kReaction = 60, kHops = 40;
  const std::uint32_t slots = Topology(config.topology).nodes() * config.topology.slots;
  Machine machine(config, slots, cycle::machine_fabric_factory(parts));
  std::vector<std::byte> memory(std::size_t{slots} * 8192);
  std::vector<SlotCommands> commands;
  std::vector<std::uint32_t> received(slots);
  for (std::uint32_t rank = 0; rank < slots; ++rank) {
    const Endpoint endpoint = machine.topology().endpoint(rank);
    machine.attach_memory(endpoint, std::span(memory).subspan(std::size_t{rank} * 8192, 8192));
    commands.emplace_back(machine, endpoint);
    commands.back().enable_interrupts(Cycle{0},
                                      registers::IrqStatus{.waiting = engine_bit(tidings_pkg::Engine::kRma)}.encode());
    commands.back().set_queue(Cycle{0}, kQueue, 4);
    machine.watch(endpoint, Cycle{10});
  }
  // Several at once, so that lines rise within one look-ahead.
  for (const std::uint32_t first : {0U, 1U, slots / 2}) {
    commands[first].message(Cycle{20 + first}, commands[(first + 1) % slots].endpoint(), 0, 40);
  }
  std::vector<std::uint64_t> trace;
  while (trace.size() < kHops) {
    const RunResult result = machine.run_until(machine.now() + 700);
    for (const Endpoint& endpoint : result.interrupts) {
      const std::uint32_t rank = machine.topology().number(endpoint);
      trace.push_back(machine.now().value << 8 | rank);
      const Cycle at = machine.now() + kReaction;
      commands[rank].set_queue_head(at, ++received[rank]);
      commands[rank].message(at, commands[(rank + 1) % slots].endpoint(), 0, 40);
      machine.watch(endpoint, at + 10);
    }
    if (result.quiescent) break;
  }
  return trace;
}

TEST_P(CycleMachine, WakesProcessorsInTheSameCyclesInAnyNumberOfThreads) {
  MachineConfig config = config_of(GetParam());
  config.fabric.clock_khz = 1'000'000;
  config.processor.interrupt_ps = 60'000;
  const std::vector<std::uint64_t> alone = pass_messages_on(config, 1);
  EXPECT_GE(alone.size(), 40U);
  for (std::uint32_t parts = 2; parts <= 4; ++parts) {
    EXPECT_EQ(pass_messages_on(config, parts), alone) << parts << " parts";
  }
}

/// In cycles from 5 on: a flit of each of some channels, whose word is 100 * channel + cycle, and credits of others.
cycle::InFlight flits_and_credits(const std::vector<std::vector<std::uint32_t>>& channels,
                                  const std::vector<std::vector<std::uint32_t>>& credits, std::uint32_t tail = ~0U) {
  cycle::InFlight wires;
  wires.reserve(16, 16);
  for (std::uint32_t cycle = 5; cycle < 5 + channels.size(); ++cycle) {
    wires.reserve(16, 16);
    for (const std::uint32_t channel : channels[cycle - 5])
      wires.send(channel, {.data = 100 * channel + cycle, .last = cycle == tail});
    for (const std::uint32_t channel : credits[cycle - 5]) wires.send_credit(channel);
    wires.close(Cycle{cycle});
  }
  return wires;
}

TEST(InFlight, CyclesAreAlikeInWhateverOrderTheirFlitsComeAndNotOtherwise) {
  const auto alike = [](const std::vector<std::vector<std::uint32_t>>& channels,
                        const std::vector<std::vector<std::uint32_t>>& credits, std::uint32_t tail = ~0U) {
    return flits_and_credits(channels, credits, tail).repeats(Cycle{5}, 9);
  };
  EXPECT_EQ(alike({{1, 2, 3}, {1, 2, 3}, {3, 1, 2}}, {{4, 5}, {5, 4}, {4, 5}}), 3U);
  EXPECT_EQ(alike({{1, 2, 3}, {1, 2, 3}, {3, 1, 4}}, {{4, 5}, {5, 4}, {4, 5}}), 2U);
  EXPECT_EQ(alike({{1, 2, 3}, {3, 2, 1}, {1, 2, 3}}, {{4, 5}, {5, 4}, {4, 6}}), 2U);
  EXPECT_EQ(alike({{1, 2, 3}, {3, 2}, {1, 2, 3}}, {{}, {}, {}}), 1U);
  EXPECT_EQ(alike({{1, 2, 3}, {3, 2, 1}, {2, 1, 3}}, {{}, {}, {}}, 7), 2U);
}

TEST(InFlight, WordsOfAlikeCyclesAreTakenByTheirChannels) {
  cycle::InFlight wires = flits_and_credits({{1, 2, 3}, {3, 1, 2}, {2, 3, 1}}, {{}, {}, {}});
  std::array<std::array<std::uint32_t, 3>, 3> words{};
  const std::array<std::uint32_t*, 3> places{words[0].data(), words[1].data(), words[2].data()};
  wires.take_alike(Cycle{5}, 3, places);
  EXPECT_EQ(words[0], (std::array<std::uint32_t, 3>{105, 106, 107}));
  EXPECT_EQ(words[1], (std::array<std::uint32_t, 3>{205, 206, 207}));
  EXPECT_EQ(words[2], (std::array<std::uint32_t, 3>{305, 306, 307}));
  EXPECT_TRUE(wires.empty());
}

TEST(SlotTransmitter, LetsRepliesGoFirstOnlyWhereItIsToldTo) {
  constexpr unsigned kRequest = 0, kReply = 1;
  for (const bool replies_first : {false, true}) {
    cycle::SlotTransmitter transmitter({.replies_first = replies_first ? 1U : 0U});
    for (std::uint32_t flit = 0; flit < 3; ++flit) {
      transmitter.take(kRequest, 1, {.last = true, .data = flit}, false);
      transmitter.take(kReply, 1, {.last = true, .data = flit}, false);
    }
    std::vector<std::uint32_t> left;
    while (transmitter.leaving({}) != 0) {
      left.push_back(transmitter.leaving({}));
      transmitter.clock(left.back(), transmitter.flit(left.back()).last, 0);
    }
    const std::vector<std::uint32_t> turns{1, 2, 1, 2, 1, 2}, replies{2, 2, 2, 1, 1, 1};
    EXPECT_EQ(left, replies_first ? replies : turns);
  }
}

TEST(SlotTransmitter, SendsPacketsWholeOnlyWhereItIsToldTo) {
  constexpr unsigned kRequest = 0, kReply = 1, kFlits = 3;
  for (const bool whole_packets : {false, true}) {
    cycle::SlotTransmitter transmitter({.slot_buffer_flits = 8, .whole_packets = whole_packets ? 1U : 0U});
    for (std::uint32_t flit = 0; flit < 2 * kFlits; ++flit) {
      transmitter.take(kRequest, 1, {.last = flit % kFlits == kFlits - 1, .data = flit}, false);
      transmitter.take(kReply, 1, {.last = flit % kFlits == kFlits - 1, .data = flit}, false);
    }
    std::vector<std::uint32_t> left;
    while (transmitter.leaving({}) != 0) {
      left.push_back(transmitter.leaving({}));
      transmitter.clock(left.back(), transmitter.flit(left.back()).last, 0);
    }
    const std::vector<std::uint32_t> turns{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
    const std::vector<std::uint32_t> packets{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2};
    EXPECT_EQ(left, whole_packets ? packets : turns);
  }
}

TEST(SlotTransmitter, LetsTheOtherClassGoWhileAWholePacketIsHeldUp) {
  constexpr unsigned kRequest = 0, kReply = 1, kRequestCredit = 1;
  cycle::SlotTransmitter transmitter({.slot_buffer_flits = 2, .whole_packets = 1});
  const auto offer = [&](unsigned message_class, bool last) {
    transmitter.take(message_class, 1, {.last = last}, false);
  };
  const auto leave = [&](std::uint8_t credits = 0) {
    const std::uint32_t left = transmitter.leaving({});
    transmitter.clock(left, left != 0 && transmitter.flit(left).last, credits);
    return left;
  };
  offer(kRequest, false);
  offer(kRequest, false);
  EXPECT_EQ(leave(), 1U);
  EXPECT_EQ(leave(), 1U);
  offer(kRequest, true);  // without a credit
  offer(kReply, false);
  offer(kReply, true);
  EXPECT_EQ(leave(kRequestCredit), 2U);
  EXPECT_EQ(leave(), 2U);  // its packet has begun, so it goes on although the request has a credit now
  EXPECT_EQ(leave(), 1U);
  EXPECT_EQ(transmitter.leaving({}), 0U);
}

TEST(SlotTransmitter, LetsFlitsOfADirectEngineGoPastAnEmptyFifo) {
  constexpr unsigned kRequest = 0;
  constexpr std::uint32_t kDirect = 1, kOther = 2;
  cycle::SlotTransmitter transmitter({.slot_buffer_flits = 2});
  EXPECT_EQ(transmitter.leaving({kOther, 0}), 0U);
  for (unsigned credit = 0; credit < 2; ++credit) {
    EXPECT_EQ(transmitter.leaving({kDirect, 0}), 1U);
    EXPECT_TRUE(transmitter.goes_past(1));
    transmitter.clock(1, true, 0);
    transmitter.take(kRequest, kDirect, {.last = true}, true);
  }
  // Without a credit it waits, and what comes behind it too.
  EXPECT_EQ(transmitter.leaving({kDirect, 0}), 0U);
  EXPECT_FALSE(transmitter.goes_past(0));
  transmitter.take(kRequest, kDirect, {.last = true, .data = 7}, false);
  transmitter.clock(0, false, 1);
  EXPECT_EQ(transmitter.leaving({kDirect, 0}), 1U);
  EXPECT_FALSE(transmitter.goes_past(1));
  EXPECT_EQ(transmitter.flit(1).data, 7U);
}

TEST(CycleMachineInThreads, CannotBeObservedInSeveralThreads) {
  MachineConfig config;
  config.topology = {TopologyKind::kMesh, {3, 2}, 1};
  Machine machine(config, 6, cycle::machine_fabric_factory(2));
  Digest digest(machine);
  EXPECT_THROW(machine.observe(&digest), std::logic_error);
}

TEST(CycleMachineInThreads, IsTheSameWhenAllNodesAreAtWork) {
  // Enough to do in a look-ahead that threads are used.
  MachineConfig config;
  config.topology = {TopologyKind::kTorus, {4, 4, 4}, 1};
  config.node.buffer_flits = 128;
  config.link.latency_cycles = 80;
  config.processor.interrupt_ps = 1'000'000;
  const auto run = [&](std::uint32_t parts) {
    Machine machine(config, 64, cycle::machine_fabric_factory(parts));
    const BenchmarkResult result = benchmark_machine(machine, BenchmarkLoad::kNeighbour, 500);
    std::vector<std::uint64_t> found;
    machine.link_flits(found);
    found.insert(found.end(), {result.cycles, result.node_evaluations, result.flit_hops});
    return found;
  };
  const std::vector<std::uint64_t> alone = run(1);
  EXPECT_GT(alone.back(), 10'000U);
  for (const std::uint32_t parts : {2U, 3U}) EXPECT_EQ(run(parts), alone) << parts << " parts";
}

INSTANTIATE_TEST_SUITE_P(Machines, CycleMachine,
                         testing::Values(Case{"torus_latency1", {TopologyKind::kTorus, {3, 4}, 2}, 1},
                                         Case{"torus_latency9", {TopologyKind::kTorus, {2, 3, 2}, 1}, 9},
                                         Case{"mesh_latency1", {TopologyKind::kMesh, {4, 3}, 1}, 1},
                                         Case{"mesh_latency80", {TopologyKind::kMesh, {2, 2, 2, 2}, 1}, 80},
                                         Case{"torus_pipeline", {TopologyKind::kTorus, {4, 3}, 1}, 4, true},
                                         Case{"ring_latency2", {TopologyKind::kRing, {5}, 3}, 2},
                                         Case{"crossbar", {TopologyKind::kCrossbar, {}, 16}, 1}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(CycleMachine, LosesWhatLeavesOverTheEdgeOfAMeshAsAnyMachineDoes) {
  MachineConfig config;
  config.topology = {TopologyKind::kMesh, {3, 2}, 1};
  for (const FabricFactory& fabric :
       {cycle::machine_fabric_factory(), fabric_of(cycle::cycle_node_factory(node_parameters(config)))}) {
    Machine machine(config, 6, fabric);
    std::vector<std::byte> memory(4096);
    machine.attach_memory(machine.topology().endpoint(0), memory);
    const Endpoint nobody{.node = NodeId{5}, .slot = SlotId{0}};
    SlotCommands(machine, machine.topology().endpoint(0)).message(Cycle{0}, nobody, 0, 4);
    EXPECT_TRUE(machine.run_until(Cycle{10'000}).quiescent);
    EXPECT_EQ(machine.counters().flit_hops, 9U);  // three flits over two links, and over the edge
  }
}

}  // namespace
}  // namespace tidings
