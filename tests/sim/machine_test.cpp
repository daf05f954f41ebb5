// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/sim/mock_node.h"

namespace tidings {
namespace {

using mock::kAccesses;
using mock::kFlits;
using mock::kInterrupt;
using mock::kLastFlit;
using mock::kLoad;
using mock::kScratch;
using mock::kSendOnPort;
using mock::kStore;

/// Cycles from a bus read on the inputs of a mock node to its answer on the outputs.
constexpr std::uint64_t kReadCycles = 2;
constexpr Endpoint kFirst{NodeId{0}, SlotId{0}};
constexpr Endpoint kSecond{NodeId{1}, SlotId{0}};

MachineConfig ring(std::uint32_t latency) {
  MachineConfig config;
  config.topology = {TopologyKind::kRing, {4}, 2};
  config.link.latency_cycles = latency;
  config.memory.latency_cycles = 3;
  return config;
}

Machine make(const MachineConfig& config) { return {config, 8, mock::factory(config)}; }

/// The value of a register that is read at `at`; checks when the answer comes.
std::uint32_t read(Machine& machine, Endpoint endpoint, Cycle at, std::uint16_t address) {
  machine.bus_read(endpoint, at, address);
  const RunResult result = machine.run_until(Cycle::max());
  EXPECT_EQ(result.reads.size(), 1U);
  EXPECT_EQ(result.reads.at(0).endpoint, endpoint);
  EXPECT_EQ(result.reads.at(0).cycle, at + kReadCycles);
  return result.reads.at(0).data;
}

TEST(Machine, BusOperationsHappenInTheCycleOfTheirStamp) {
  Machine machine = make(ring(1));
  machine.bus_write(kFirst, Cycle{10}, kScratch, 42);
  machine.bus_read(kFirst, Cycle{20}, kScratch);
  const RunResult result = machine.run_until(Cycle::max());
  ASSERT_EQ(result.reads.size(), 1U);
  EXPECT_EQ(result.reads[0], (CompletedRead{kFirst, 42, Cycle{20 + kReadCycles}}));
  EXPECT_EQ(machine.now(), Cycle{20 + kReadCycles});
}

TEST(Machine, EachSlotTakesOneBusOperationACycleInOrder) {
  Machine machine = make(ring(1));
  for (std::uint32_t i = 0; i < 3; ++i) machine.bus_write(kFirst, Cycle{5}, kScratch, i);
  machine.bus_read(kFirst, Cycle{5}, kScratch);      // cycle 8
  machine.bus_write(kFirst, Cycle{5}, kScratch, 9);  // cycle 9: after the read though before its answer
  machine.bus_read(kFirst, Cycle{2}, kAccesses);     // its own stamp is early, its turn comes last
  const RunResult first = machine.run_until(Cycle::max());
  ASSERT_EQ(first.reads.size(), 1U);
  EXPECT_EQ(first.reads[0], (CompletedRead{kFirst, 2, Cycle{8 + kReadCycles}}));
  const RunResult second = machine.run_until(Cycle::max());
  ASSERT_EQ(second.reads.size(), 1U);
  EXPECT_EQ(second.reads[0], (CompletedRead{kFirst, 5, Cycle{10 + kReadCycles}}));
}

TEST(Machine, SlotsAndNodesHaveBusesOfTheirOwn) {
  Machine machine = make(ring(1));
  const std::array<Endpoint, 3> slots{kFirst, Endpoint{NodeId{0}, SlotId{1}}, kSecond};
  for (std::uint32_t i = 0; i < slots.size(); ++i) machine.bus_write(slots[i], Cycle{5}, kScratch, i + 1);
  for (const Endpoint slot : slots) machine.bus_read(slot, Cycle{6}, kScratch);
  const RunResult result = machine.run_until(Cycle::max());
  ASSERT_EQ(result.reads.size(), 3U);
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(result.reads[i], (CompletedRead{slots[i], i + 1, Cycle{6 + kReadCycles}}));
  }
}

TEST(Machine, StampsInThePastMeanNow) {
  Machine machine = make(ring(1));
  (void)read(machine, kFirst, Cycle{100}, kScratch);
  machine.bus_read(kFirst, Cycle{3}, kScratch);
  const RunResult result = machine.run_until(Cycle::max());
  ASSERT_EQ(result.reads.size(), 1U);
  EXPECT_EQ(result.reads[0].cycle, Cycle{102 + kReadCycles});
}

class MachineOfLatency : public testing::TestWithParam<std::uint32_t> {};

TEST_P(MachineOfLatency, FlitsReachTheNeighbourAfterTheLinkLatencyAndNotBefore) {
  const std::uint32_t latency = GetParam();
  // Written in cycle 10, on the wire in 11, in the neighbour's registers in 11 + latency.
  for (const auto& [at, flits] : {std::pair{10 + latency, 0U}, std::pair{11 + latency, 1U}}) {
    Machine machine = make(ring(latency));
    machine.bus_write(kFirst, Cycle{10}, kSendOnPort + 4 * 0, 77);
    EXPECT_EQ(read(machine, kSecond, Cycle{at}, kFlits), flits) << "cycle " << at;
  }
  Machine machine = make(ring(latency));
  machine.bus_write(kFirst, Cycle{10}, kSendOnPort + 4 * 0, 77);
  EXPECT_EQ(read(machine, kSecond, Cycle{1000}, kLastFlit), 77U);
  EXPECT_EQ(machine.counters().flit_hops, 1U);
}

TEST_P(MachineOfLatency, FlitsGoRoundTheRing) {
  Machine machine = make(ring(GetParam()));
  machine.watch(kFirst, Cycle{0});
  machine.bus_write(kFirst, Cycle{0}, kSendOnPort + 4 * 1, 3U << 24 | 5);
  const RunResult result = machine.run_until(Cycle::max());
  ASSERT_EQ(result.interrupts.size(), 1U);
  EXPECT_EQ(machine.now(), Cycle{1 + 4 * GetParam()});
  EXPECT_EQ(machine.counters().flit_hops, 4U);
}

INSTANTIATE_TEST_SUITE_P(Latencies, MachineOfLatency, testing::Values(1, 2, 7, 80));

TEST(Machine, MemoryAnswersAfterItsLatencyAndNotBefore) {
  const MachineConfig config = ring(1);
  std::vector<std::byte> memory(4096);
  memory[8] = std::byte{0xab};
  // Written in cycle 10, the engine asks in 11, the answer is on its inputs in 11 + latency.
  const std::uint64_t arrives = 11 + config.memory.latency_cycles;
  for (const auto& [at, value] : {std::pair{arrives - 1, 0U}, std::pair{arrives, 0xabU}}) {
    Machine machine = make(config);
    machine.attach_memory(kFirst, memory);
    machine.bus_write(kFirst, Cycle{10}, kLoad, 8);
    EXPECT_EQ(read(machine, kFirst, Cycle{at}, kScratch), value) << "cycle " << at;
  }
}

TEST(Machine, MemoryIsWrittenLittleEndian) {
  Machine machine = make(ring(1));
  std::vector<std::byte> memory(4096);
  machine.attach_memory(kSecond, memory);
  machine.bus_write(kSecond, Cycle{0}, kScratch, 0x04030201);
  machine.bus_write(kSecond, Cycle{0}, kStore, 4092);
  EXPECT_TRUE(machine.run_until(Cycle::max()).quiescent);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(memory[4092 + i], static_cast<std::byte>(i + 1));
}

TEST(Machine, ReadSeesWritesOfEarlierCyclesOnly) {
  Machine machine = make(ring(1));
  std::vector<std::byte> memory(4096);
  machine.attach_memory(kFirst, memory);
  machine.bus_write(kFirst, Cycle{0}, kScratch, 5);
  machine.bus_write(kFirst, Cycle{1}, kStore, 0);
  machine.bus_write(kFirst, Cycle{2}, kScratch, 6);
  machine.bus_write(kFirst, Cycle{3}, kLoad, 0);
  EXPECT_EQ(read(machine, kFirst, Cycle{20}, kScratch), 5U);
}

TEST(Machine, EnginesThatReachOutsideMemoryAreReportedWithNodeAndAddress) {
  const std::function<void(Endpoint)> wait = [](Endpoint) { FAIL() << "waited"; };
  for (const std::uint32_t address : {4096U, 0xfffffffcU, 2U}) {
    for (const std::uint16_t operation : {std::uint16_t{kLoad}, std::uint16_t{kStore}}) {
      Machine machine = make(ring(1));
      std::vector<std::byte> memory(4096);
      machine.attach_memory(kSecond, memory);
      machine.hold_memory(kSecond, wait);
      machine.bus_write(kSecond, Cycle{0}, operation, address);
      try {
        (void)machine.run_until(Cycle::max());
        FAIL() << "accepted address " << address;
      } catch (const MemoryAccessError& error) {
        EXPECT_EQ(error.endpoint(), kSecond);
        EXPECT_EQ(error.address(), address);
        EXPECT_NE(std::string(error.what()).find("node 0x1, slot 0"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(Machine, EnginesWaitOnceForMemoryThatIsHeld) {
  Machine machine = make(ring(1));
  std::vector<std::byte> memory(4096);
  std::vector<std::byte> other(4096);
  machine.attach_memory(kFirst, memory);
  machine.attach_memory(kSecond, other);
  std::vector<Endpoint> waits;
  const std::function<void(Endpoint)> wait = [&](Endpoint endpoint) {
    waits.push_back(endpoint);
    EXPECT_EQ(memory[0], std::byte{0}) << "written before";
    memory[4] = std::byte{7};
  };
  machine.hold_memory(kFirst, wait);
  machine.bus_write(kSecond, Cycle{0}, kScratch, 4);
  machine.bus_write(kSecond, Cycle{1}, kStore, 0);
  machine.bus_write(kFirst, Cycle{2}, kScratch, 5);
  EXPECT_EQ(read(machine, kSecond, Cycle{10}, kScratch), 4U);
  EXPECT_EQ(waits, std::vector<Endpoint>{}) << "no engine has reached for it";

  machine.bus_write(kFirst, Cycle{20}, kStore, 0);
  machine.bus_write(kFirst, Cycle{21}, kLoad, 4);
  EXPECT_EQ(read(machine, kFirst, Cycle{80}, kScratch), 7U) << "what is there after the wait";
  EXPECT_EQ(waits, std::vector{kFirst});
  EXPECT_EQ(memory[0], std::byte{5});

  machine.hold_memory(kFirst, wait);
  machine.release_memories();
  machine.bus_write(kFirst, Cycle{100}, kStore, 8);
  EXPECT_EQ(read(machine, kFirst, Cycle{180}, kScratch), 7U);
  EXPECT_EQ(waits, std::vector{kFirst}) << "no longer held";
}

TEST(Machine, WatchedInterruptsEndTheRunInTheCycleTheyRise) {
  Machine machine = make(ring(1));
  machine.bus_write(kSecond, Cycle{30}, kInterrupt, 1);
  machine.watch(kFirst, Cycle{0});
  machine.watch(kSecond, Cycle{0});
  const RunResult result = machine.run_until(Cycle::max());
  EXPECT_EQ(result.interrupts, (std::vector{kSecond}));
  EXPECT_EQ(machine.now(), Cycle{31});
  EXPECT_TRUE(machine.interrupt(kSecond));
  EXPECT_FALSE(machine.interrupt(kFirst));
}

TEST(Machine, InterruptsCountFromTheCycleOfTheWatchOn) {
  Machine machine = make(ring(1));
  machine.bus_write(kFirst, Cycle{0}, kInterrupt, 1);
  machine.watch(kFirst, Cycle{50});
  EXPECT_EQ(machine.run_until(Cycle::max()).interrupts, (std::vector{kFirst}));
  EXPECT_EQ(machine.now(), Cycle{50});
}

TEST(Machine, InterruptsThatFellAgainBeforeTheWatchDoNotCount) {
  Machine machine = make(ring(1));
  machine.bus_write(kFirst, Cycle{0}, kInterrupt, 1);
  machine.bus_write(kFirst, Cycle{40}, kInterrupt, 0);
  machine.watch(kFirst, Cycle{50});
  const RunResult result = machine.run_until(Cycle::max());
  EXPECT_TRUE(result.interrupts.empty());
  EXPECT_TRUE(result.quiescent);
}

TEST(Machine, AnswersToWhichNoProcessorHasReactedYetComeTogether) {
  constexpr Endpoint kThird{NodeId{2}, SlotId{0}};
  for (const std::uint64_t reaction : {0U, 7U, 8U, 100U}) {
    Machine machine = make(ring(1));
    machine.react_after(reaction);
    machine.bus_write(kSecond, Cycle{5}, kScratch, 42);
    machine.bus_read(kFirst, Cycle{20}, kFlits);
    machine.bus_read(kSecond, Cycle{28}, kScratch);
    machine.bus_read(kThird, Cycle{100}, kFlits);
    const RunResult first = machine.run_until(Cycle::max());
    EXPECT_EQ(machine.now(), Cycle{22});
    ASSERT_EQ(first.reads.size(), reaction < 8 ? 1U : reaction < 100 ? 2U : 3U) << reaction;
    EXPECT_EQ(first.reads[0], (CompletedRead{kFirst, 0, Cycle{22}}));
    if (reaction < 8) continue;
    EXPECT_EQ(first.reads[1], (CompletedRead{kSecond, 42, Cycle{30}}));
    if (reaction == 100) continue;
    // The first processor reacts as soon as it can.
    machine.bus_write(kFirst, Cycle{30}, kScratch, 9);
    machine.bus_read(kFirst, Cycle{31}, kScratch);
    const RunResult second = machine.run_until(Cycle::max());
    ASSERT_EQ(second.reads.size(), 1U);
    EXPECT_EQ(second.reads[0], (CompletedRead{kFirst, 9, Cycle{33}}));
    EXPECT_EQ(machine.counters().cycles_stepped + machine.counters().cycles_skipped, 33U);
  }
}

TEST(Machine, InterruptsBetweenSuchAnswersShowInTheirCycle) {
  constexpr Endpoint kThird{NodeId{2}, SlotId{0}};
  Machine machine = make(ring(1));
  machine.react_after(10);
  machine.watch(kThird, Cycle{0});
  machine.bus_write(kThird, Cycle{23}, kInterrupt, 1);
  machine.bus_write(kFirst, Cycle{10}, kInterrupt, 1);
  machine.bus_read(kFirst, Cycle{20}, kFlits);
  machine.bus_read(kSecond, Cycle{30}, kFlits);
  EXPECT_EQ(machine.run_until(Cycle::max()).reads.size(), 2U);
  EXPECT_EQ(machine.now(), Cycle{22});
  // A line that is high when a processor begins to wait.
  machine.watch(kFirst, Cycle{26});
  const RunResult risen = machine.run_until(Cycle::max());
  EXPECT_EQ(risen.interrupts, std::vector{kThird});
  EXPECT_EQ(machine.now(), Cycle{24});
  const RunResult high = machine.run_until(Cycle::max());
  EXPECT_EQ(high.interrupts, std::vector{kFirst});
  EXPECT_EQ(machine.now(), Cycle{26});
  EXPECT_THROW(machine.bus_read(kSecond, Cycle{31}, kFlits), std::logic_error);
}

TEST(Machine, StopsAtTheLimitAndGoesOnFromThere) {
  Machine machine = make(ring(1));
  machine.bus_read(kFirst, Cycle{20}, kScratch);
  const RunResult before = machine.run_until(Cycle{15});
  EXPECT_TRUE(before.reads.empty());
  EXPECT_FALSE(before.quiescent);
  EXPECT_EQ(machine.now(), Cycle{15});
  EXPECT_TRUE(machine.run_until(Cycle{20 + kReadCycles - 1}).reads.empty());
  EXPECT_EQ(machine.run_until(Cycle{20 + kReadCycles}).reads.size(), 1U);
}

TEST(Machine, IsQuiescentWhenNothingIsUnderWay) {
  Machine machine = make(ring(80));
  EXPECT_TRUE(machine.run_until(Cycle::max()).quiescent);
  machine.bus_write(kFirst, Cycle{10}, kSendOnPort, 1);
  EXPECT_FALSE(machine.run_until(Cycle{50}).quiescent);  // a flit is on a wire
  EXPECT_TRUE(machine.run_until(Cycle::max()).quiescent);
  EXPECT_EQ(read(machine, kSecond, Cycle{5000}, kFlits), 1U);
}

TEST(Machine, IdleTimeAndIdleNodesAreNotEvaluated) {
  Machine machine = make(ring(80));
  machine.bus_write(kFirst, Cycle{1'000'000'000}, kSendOnPort, 1);
  EXPECT_TRUE(machine.run_until(Cycle::max()).quiescent);
  // The write, the flit leaving; the flit arriving, the credit leaving; the credit arriving.
  EXPECT_EQ(machine.counters().cycles_stepped, 5U);
  EXPECT_EQ(machine.counters().node_evaluations, 5U);
  EXPECT_EQ(machine.counters().cycles_stepped + machine.counters().cycles_skipped, machine.now().value);
}

TEST(Machine, RefusesEndpointsThatItDoesNotHave) {
  Machine machine = make(ring(1));
  EXPECT_THROW(machine.bus_read({NodeId{4}, SlotId{0}}, Cycle{0}, 0), std::out_of_range);
  EXPECT_THROW(machine.bus_read({NodeId{0}, SlotId{2}}, Cycle{0}, 0), std::out_of_range);
}

/// Everything that can be seen of a run of random operations: answers with their cycles, and memory.
struct Record {
  std::vector<CompletedRead> reads;
  std::vector<std::byte> memory;
  std::uint64_t flit_hops = 0;
  bool operator==(const Record&) const = default;
};

Record random_run(Machine::Stepping stepping, std::uint32_t seed) {
  MachineConfig config;
  config.topology = {TopologyKind::kTorus, {3, 3}, 2};
  config.link.latency_cycles = 1 + seed % 7;
  config.memory.latency_cycles = 1 + seed % 3;
  Machine machine(config, 18, mock::factory(config), stepping);
  Record record;
  constexpr std::size_t kBytes = 256;
  record.memory.resize(18 * kBytes);
  for (std::uint32_t rank = 0; rank < 18; ++rank) {
    machine.attach_memory(machine.topology().endpoint(rank), std::span(record.memory).subspan(rank * kBytes, kBytes));
  }
  std::minstd_rand generator(seed);
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  constexpr std::array<std::uint16_t, 6> kWrites{kScratch, kInterrupt, kSendOnPort, kSendOnPort + 12, kLoad, kStore};
  constexpr std::array<std::uint16_t, 4> kReads{kLastFlit, kFlits, mock::kCredits, kScratch};
  for (int i = 0; i < 400; ++i) {
    const Endpoint endpoint = machine.topology().endpoint(random() % 18);
    const Cycle at = machine.now() + random() % 200;
    if (random() % 4 == 0) {
      machine.bus_read(endpoint, at, kReads[random() % kReads.size()]);
    } else {
      const std::uint16_t address = kWrites[random() % kWrites.size()];
      const bool memory = address == kLoad || address == kStore;
      const std::uint32_t word = memory ? random() % (kBytes / 4) * 4 : (random() % 6) << 24 | random() % 1000;
      machine.bus_write(endpoint, at, address, word);
    }
    if (random() % 8 == 0) {
      const RunResult result = machine.run_until(machine.now() + random() % 300);
      record.reads.insert(record.reads.end(), result.reads.begin(), result.reads.end());
    }
  }
  for (;;) {
    const RunResult result = machine.run_until(Cycle::max());
    record.reads.insert(record.reads.end(), result.reads.begin(), result.reads.end());
    if (result.quiescent) break;
  }
  record.flit_hops = machine.counters().flit_hops;
  EXPECT_GT(record.reads.size(), 50U);
  EXPECT_GT(record.flit_hops, 200U);
  return record;
}

TEST(Machine, SkippingIdleNodesAndIdleTimeChangesNothing) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(random_run(Machine::Stepping::kActiveNodes, seed), random_run(Machine::Stepping::kEveryNode, seed))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidings
