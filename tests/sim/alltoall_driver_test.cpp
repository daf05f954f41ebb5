// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Driver calls of the engine `alltoall`, on machines of twins.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "coll/word_program.h"
#include "coll/word_schedule.h"
#include "coll/word_schedule_check.h"
#include "drivers/alltoall.h"
#include "sim/cycle/machine_fabric.h"
#include "tests/sim/slot_buses.h"

namespace {

using namespace tidings;
using namespace tidings::test;

constexpr std::uint32_t kQueueBase = 0, kQueueLog2 = 2, kTransmitBase = 4096;
constexpr std::uint32_t kSource = 1U << 13, kDestination = 1U << 15;

MachineConfig config_of(std::uint32_t width, std::uint32_t height) {
  MachineConfig config;
  config.topology = {TopologyKind::kMesh, {width, height}, 1};
  config.node.alltoall_slots = 1;
  config.memory.latency_cycles = 8;
  config.processor.interrupt_ps = 1'000'000;
  return config;
}

/// A mesh whose routers have the program of a schedule.
class Mesh {
 public:
  Mesh(const MachineConfig& config, const WordSchedule& schedule, std::uint32_t threads = 1)
      : slots_(schedule.nodes()), drivers_(slots_) {
    machine = std::make_unique<Machine>(config, slots_, cycle::machine_fabric_factory(threads));
    memory.assign(std::size_t{slots_} * kMemory, std::byte{0});
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      machine->attach_memory(machine->topology().endpoint(slot),
                             std::span(memory).subspan(std::size_t{slot} * kMemory, kMemory));
      EXPECT_EQ(tidings_driver_open(&drivers_[slot], tidings_bus_open(slot), kQueueBase, kQueueLog2, kTransmitBase, 2),
                0);
      const WordProgram program = word_program(schedule, slot);
      const auto ports = tidings_alltoall_ports(static_cast<std::uint32_t>(config.topology.size.size()));
      for (std::uint32_t order = 0; order < program.size(); ++order) {
        tidings_alltoall_load(&drivers_[slot], ports, order, program[order].data(),
                              static_cast<std::uint32_t>(program[order].size()));
      }
      tidings_listen(&drivers_[slot], TIDINGS_IRQ_ALLTOALL);
    }
    static_cast<void>(machine->run_until(machine->now() + 2'000));
  }

  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  [[nodiscard]] tidings_driver* driver(std::uint32_t slot) { return &drivers_[slot]; }

  /// Give every block its own words, and forget what came before.
  void fill(std::uint32_t round, std::uint32_t words) {
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      for (std::uint32_t i = 0; i < slots_ * words; ++i) {
        word(slot, kSource, i) = round << 24 | slot << 16 | i;
        word(slot, kDestination, i) = ~0U;
      }
    }
  }
  /// Every word is where it must be; own blocks are left alone.
  void expect_exchanged(std::uint32_t round, std::uint32_t words) {
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      for (std::uint32_t i = 0; i < slots_ * words; ++i) {
        const std::uint32_t from = i / words;
        const std::uint32_t expected = from == slot ? ~0U : round << 24 | from << 16 | (slot * words + i % words);
        ASSERT_EQ(word(slot, kDestination, i), expected) << "slot " << slot << ", word " << i;
      }
    }
  }

  /// Start an all-to-all at all slots, at most `skew` cycles apart. @return cycles from the first start to the last
  /// interrupt.
  std::uint64_t exchange(std::uint32_t words, std::uint32_t skew = 0) {
    const Cycle begin = machine->now();
    std::minstd_rand random(5);
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      delay = skew == 0 ? 0 : random() % skew;
      tidings_alltoall_start(&drivers_[slot], kSource, kDestination, words);
    }
    delay = 0;
    std::vector<bool> done(slots_, false);
    Cycle last = begin;
    for (std::uint64_t left = kPatience; left > 0 && std::ranges::count(done, true) < slots_; --left) {
      for (std::uint32_t slot = 0; slot < slots_; ++slot) {
        if (done[slot] || !machine->interrupt(machine->topology().endpoint(slot))) continue;
        last = machine->now();
        done[slot] = true;
        tidings_bus_write(drivers_[slot].bus, TIDINGS_REG_IRQ_STATUS, TIDINGS_IRQ_ALLTOALL);
      }
      static_cast<void>(machine->run_until(machine->now() + 1));
    }
    EXPECT_EQ(std::ranges::count(done, true), slots_) << "some never completed";
    static_cast<void>(machine->run_until(machine->now() + 10));
    return last.value - begin.value;
  }

 private:
  static std::uint32_t& word(std::uint32_t slot, std::uint32_t base, std::uint32_t index) {
    return *reinterpret_cast<std::uint32_t*>(memory.data() + std::size_t{slot} * kMemory + base + 4 * index);
  }

  std::uint32_t slots_;
  std::vector<tidings_driver> drivers_;
};

TEST(AlltoallDriver, SlotsSayWhetherTheyHaveTheEngine) {
  const WordSchedule schedule = find_word_schedule(2, 2, 10'000);
  Mesh mesh(config_of(2, 2), schedule);
  EXPECT_EQ(tidings_alltoall_entries(mesh.driver(0)), 128U);
  MachineConfig config;
  config.topology = {TopologyKind::kMesh, {2, 1}, 1};
  machine = std::make_unique<Machine>(config, 2, cycle::machine_fabric_factory());
  EXPECT_EQ(tidings_alltoall_entries(mesh.driver(0)), 0U);
}

/// From the first start to the last interrupt, with memory that answers after 8 cycles: what the schedule takes, and no
/// more than 20 cycles beyond the bound of the links.
TEST(AlltoallDriver, EveryWordComesWithinTheBoundAndTwentyCycles) {
  for (const auto& [width, height] : {std::pair{2U, 1U}, {2U, 2U}, {4U, 4U}, {6U, 5U}, {8U, 4U}, {8U, 8U}}) {
    const WordSchedule schedule = find_word_schedule(width, height, 10'000);
    const std::uint32_t bound = word_schedule_bound(width, height);
    Mesh mesh(config_of(width, height), schedule);
    std::uint32_t round = 0;
    for (const std::uint32_t words : {1U, 2U, 5U}) {
      SCOPED_TRACE(testing::Message() << width << "x" << height << ", " << words << " words");
      mesh.fill(++round, words);
      const std::uint64_t cycles = mesh.exchange(words);
      mesh.expect_exchanged(round, words);
      RecordProperty("cycles", static_cast<int>(cycles));
      std::printf("%u x %u, %u words: %llu cycles, bound %u, schedule %u + %u\n", width, height, words,
                  static_cast<unsigned long long>(cycles), bound * words, schedule.cycles, schedule.period);
      const std::uint64_t limit = std::uint64_t{schedule.cycles - bound} + bound * words + 20;
      if (schedule.period == bound) {
        EXPECT_LE(cycles, limit);
      }
    }
  }
}

/// Words of a ring or a torus go the shorter way, over links that close it, too.
TEST(AlltoallDriver, RingsAndToriTakeNoLongerThanTheirSchedules) {
  for (const auto& [width, height] : {std::pair{3U, 1U}, {8U, 1U}, {2U, 2U}, {4U, 4U}, {5U, 4U}, {8U, 4U}}) {
    const SwitchGrid grid{.size = {width, height, 1}, .rings = 3};
    const WordSchedule schedule = find_word_schedule(grid, 100'000);
    MachineConfig config = config_of(width, height);
    config.topology.kind = TopologyKind::kTorus;
    Mesh torus(config, schedule);
    std::uint32_t round = 0;
    for (const std::uint32_t words : {1U, 2U, 5U, 20U}) {
      SCOPED_TRACE(testing::Message() << width << "x" << height << ", " << words << " words");
      torus.fill(++round, words);
      EXPECT_LE(torus.exchange(words, 0), schedule.cycles + (words - 1) * schedule.period + 16);
      torus.expect_exchanged(round, words);
      torus.fill(++round, words);
      torus.exchange(words, 90);
      torus.expect_exchanged(round, words);
    }
  }
}

/// Switches of six network ports, on short links and on those of an FPGA cluster: blocks of many words leave a link
/// idle only if inputs have too little room for what is under way.
TEST(AlltoallDriver, WordsGoAlongThreeDimensions) {
  struct Torus {
    SwitchSize size;
    std::uint32_t latency, room;
  };
  for (const auto& [size, latency, room] : {Torus{{2, 2, 2}, 1, 8}, Torus{{3, 3, 3}, 2, 8}, Torus{{4, 4, 4}, 1, 8},
                                            Torus{{4, 4, 4}, 4, 8}, Torus{{4, 4, 4}, 80, 256}}) {
    const SwitchGrid grid{.size = size, .rings = 7, .hop = latency};
    const WordSchedule schedule = find_word_schedule(grid, 100'000);
    EXPECT_EQ(word_schedule_mistake(schedule, 3, 2 * latency), "");
    MachineConfig config = config_of(size[0], size[1]);
    config.topology = {TopologyKind::kTorus, {size[0], size[1], size[2]}, 1};
    config.node.alltoall_buffer_words = room;
    config.link.latency_cycles = latency;
    Mesh torus(config, schedule);
    std::uint32_t round = 0;
    for (const std::uint32_t words : {1U, 2U, 20U}) {
      SCOPED_TRACE(testing::Message() << grid.nodes() << " nodes, " << latency << " cycles, " << words << " words");
      torus.fill(++round, words);
      EXPECT_LE(torus.exchange(words), schedule.cycles + (words - 1) * schedule.period + 16);
      torus.expect_exchanged(round, words);
      torus.fill(++round, words);
      torus.exchange(words, 90);
      torus.expect_exchanged(round, words);
    }
  }
}

/// Members start when they like: words wait for one another, and never for ever.
TEST(AlltoallDriver, SkewCostsNoMoreThanItself) {
  const WordSchedule schedule = find_word_schedule(4, 4, 10'000);
  Mesh mesh(config_of(4, 4), schedule);
  mesh.fill(1, 3);
  const std::uint64_t together = mesh.exchange(3);
  for (const std::uint32_t skew : {2U, 40U, 700U}) {
    mesh.fill(2, 3);
    const std::uint64_t apart = mesh.exchange(3, skew);
    mesh.expect_exchanged(2, 3);
    EXPECT_LE(apart, together + skew);
  }
}

TEST(AlltoallDriver, LinksOfManyCyclesAndPartsOfAMachineDoTheSame) {
  const WordSchedule schedule = find_word_schedule(4, 4, 10'000);
  for (const std::uint32_t threads : {1U, 2U}) {
    MachineConfig config = config_of(4, 4);
    config.link.latency_cycles = 3;
    Mesh mesh(config, schedule, threads);
    mesh.fill(7, 4);
    mesh.exchange(4);
    mesh.expect_exchanged(7, 4);
  }
}

TEST(AlltoallDriver, AStartThatComesTooEarlyIsRefused) {
  const WordSchedule schedule = find_word_schedule(2, 2, 10'000);
  Mesh mesh(config_of(2, 2), schedule);
  mesh.fill(1, 8);
  tidings_alltoall_start(mesh.driver(0), kSource, kDestination, 8);
  tidings_alltoall_start(mesh.driver(0), kSource, kDestination, 0);
  EXPECT_EQ(tidings_bus_read(mesh.driver(0)->bus, TIDINGS_REG_ALLTOALL_ERROR), 1U);
  for (std::uint32_t slot = 1; slot < 4; ++slot) {
    tidings_alltoall_start(mesh.driver(slot), kSource, kDestination, 8);
  }
  static_cast<void>(machine->run_until(machine->now() + 200));
  mesh.expect_exchanged(1, 8);
}

}  // namespace
