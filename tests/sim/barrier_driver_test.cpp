// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Driver calls of the engine `barrier`, on machines of twins.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "drivers/barrier.h"
#include "sim/cycle/machine_fabric.h"
#include "tests/sim/slot_buses.h"

namespace {

using namespace tidings;
using namespace tidings::test;

constexpr std::uint32_t kQueueBase = 0, kQueueLog2 = 2, kTransmitBase = 4096;

MachineConfig config_of(TopologyConfig topology, std::uint64_t slots) {
  MachineConfig config;
  config.topology = std::move(topology);
  config.node.barrier_slots = slots;
  config.processor.interrupt_ps = 1'000'000;
  return config;
}

/// Slots of a mesh, or of a single router, with what becomes of their barriers.
class Mesh {
 public:
  Mesh(std::uint32_t width, std::uint32_t height, std::uint32_t threads = 1)
      : Mesh(config_of({TopologyKind::kMesh, {width, height}, 1}, 1), width * height, threads) {
    width_ = width;
  }
  Mesh(const MachineConfig& config, std::uint32_t slots, std::uint32_t threads) {
    machine = std::make_unique<Machine>(config, slots, cycle::machine_fabric_factory(threads));
    memory.assign(std::size_t{slots} * kMemory, std::byte{0});
    drivers_.resize(slots);
    for (std::uint32_t slot = 0; slot < drivers_.size(); ++slot) {
      machine->attach_memory(machine->topology().endpoint(slot),
                             std::span(memory).subspan(std::size_t{slot} * kMemory, kMemory));
      EXPECT_EQ(tidings_driver_open(&drivers_[slot], tidings_bus_open(slot), kQueueBase, kQueueLog2, kTransmitBase, 2),
                0);
    }
  }

  [[nodiscard]] tidings_driver* driver(std::uint32_t slot) { return &drivers_[slot]; }
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(drivers_.size()); }

  /// Slots where these columns cross these rows, one bit each, become a group. @return its members.
  std::vector<std::uint32_t> join(std::uint32_t group, std::uint32_t columns, std::uint32_t rows) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t slot = 0; slot < slots(); ++slot) {
      const std::uint32_t x = slot % width_;
      const std::uint32_t y = slot / width_;
      if ((columns >> x & rows >> y & 1U) == 0) continue;
      const auto ways = [](std::uint32_t set, std::uint32_t place) {
        return (set >> place >> 1 != 0 ? 1U : 0U) | ((set & ((1U << place) - 1)) != 0 ? 2U : 0U);
      };
      tidings_barrier_join(&drivers_[slot], group, ways(columns, x) | ways(rows, y) << 2);
      tidings_barrier_await(&drivers_[slot], group);
      tidings_listen(&drivers_[slot], TIDINGS_IRQ_BARRIER);
      members.push_back(slot);
    }
    static_cast<void>(machine->run_until(machine->now() + 10));
    return members;
  }

  /// These slots of a single router, one bit each, become a group. @return its members.
  std::vector<std::uint32_t> join_slots(std::uint32_t group, std::uint64_t set) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t slot = 0; slot < slots(); ++slot) {
      if ((set >> slot & 1U) == 0) continue;
      tidings_barrier_join(&drivers_[slot], group, set & ~(std::uint64_t{1} << slot));
      tidings_barrier_await(&drivers_[slot], group);
      tidings_listen(&drivers_[slot], TIDINGS_IRQ_BARRIER);
      members.push_back(slot);
    }
    static_cast<void>(machine->run_until(machine->now() + 10));
    return members;
  }

  /// All members but one arrive, and then that one. @return cycles from its write to each interrupt.
  std::vector<std::uint64_t> barrier(const std::vector<std::uint32_t>& members, std::uint32_t group,
                                     std::uint32_t last) {
    for (const std::uint32_t member : members) {
      if (member != last) tidings_barrier_arrive(&drivers_[member], group);
    }
    // The interrupts of the barrier before end with the arrival.
    static_cast<void>(machine->run_until(machine->now() + 50));
    for (const std::uint32_t member : members) {
      const bool high = machine->interrupt(machine->topology().endpoint(member));
      EXPECT_TRUE(member == last || !high) << "member " << member << " was released early";
    }
    const Cycle begin = machine->now();
    tidings_barrier_arrive(&drivers_[last], group);
    static_cast<void>(machine->run_until(begin + 3));  // the write takes effect
    std::vector<std::uint64_t> cycles;
    std::vector<std::uint32_t> waiting = members;
    for (std::uint64_t left = kPatience; left > 0 && !waiting.empty(); --left) {
      std::erase_if(waiting, [&](std::uint32_t member) {
        if (!machine->interrupt(machine->topology().endpoint(member))) return false;
        cycles.push_back(machine->now().value - begin.value);
        return true;
      });
      static_cast<void>(machine->run_until(machine->now() + 1));
    }
    EXPECT_TRUE(waiting.empty()) << "some were never released";
    return cycles;
  }

 private:
  std::uint32_t width_ = 1;
  std::vector<tidings_driver> drivers_;
};

TEST(BarrierDriver, SlotsSayWhetherTheyHaveTheEngine) {
  Mesh mesh(2, 1);
  EXPECT_EQ(tidings_barrier_groups(mesh.driver(0)), 8U);
  MachineConfig config;
  config.topology = {TopologyKind::kMesh, {2, 1}, 1};
  machine = std::make_unique<Machine>(config, 2, cycle::machine_fabric_factory());
  EXPECT_EQ(tidings_barrier_groups(mesh.driver(0)), 0U);
}

/// Two sweeps of k - 1 links, and what registers take: the bound of the wires, and that with a processor around them.
TEST(BarrierDriver, LastReleaseIsTwoSweepsAfterTheLastArrival) {
  constexpr std::uint64_t kSoftware = 8;
  for (std::uint32_t k = 2; k <= 8; ++k) {
    SCOPED_TRACE(k);
    Mesh mesh(k, k);
    const std::vector<std::uint32_t> all = mesh.join(0, (1U << k) - 1, (1U << k) - 1);
    for (const std::uint32_t last : {0U, k - 1, k * k - 1, (k / 2) * k + k / 2}) {
      const std::vector<std::uint64_t> cycles = mesh.barrier(all, 0, last);
      ASSERT_EQ(cycles.size(), k * k);
      EXPECT_LE(std::ranges::max(cycles), 2 * (k - 1) + kSoftware);
      if (last == 0) {
        EXPECT_EQ(std::ranges::max(cycles), 2 * (k - 1) + 2);
      }
    }
  }
}

Mesh hub(std::uint32_t slots) {
  MachineConfig config = config_of({TopologyKind::kCrossbar, {}, slots}, ~std::uint64_t{0} >> (64 - slots));
  if (slots > kMaxSlots) {
    config.node.crosspoint = 1;
    config.node.num_routes = 0;
  }
  return {config, slots, 1};
}

/// From the last arrival's register write to everybody's interrupt.
TEST(BarrierDriver, AHubReleasesAllFourCyclesAfterTheLastArrival) {
  for (const std::uint32_t slots : {2U, 5U, 16U, 32U, 64U}) {
    SCOPED_TRACE(slots);
    Mesh router = hub(slots);
    const std::vector<std::uint32_t> all = router.join_slots(7, ~std::uint64_t{0} >> (64 - slots));
    for (const std::uint32_t last : {0U, slots - 1, slots / 2}) {
      EXPECT_EQ(router.barrier(all, 7, last), std::vector<std::uint64_t>(slots, 4));
    }
  }
}

/// What a slot has named before does not come back when its group has other members.
TEST(BarrierDriver, AGroupOfFewerSlotsForgetsTheOthers) {
  Mesh router = hub(40);
  static_cast<void>(router.join_slots(1, ~std::uint64_t{0} >> 24));
  const std::vector<std::uint32_t> far = router.join_slots(1, std::uint64_t{0b101} << 20 | std::uint64_t{1} << 39);
  EXPECT_EQ(router.barrier(far, 1, 22), std::vector<std::uint64_t>(3, 4));
  const std::vector<std::uint32_t> near = router.join_slots(1, 0b11);
  EXPECT_EQ(router.barrier(near, 1, 0), std::vector<std::uint64_t>(2, 4));
}

/// Communicators of different ranks may have groups of the same number.
TEST(BarrierDriver, GroupsOfOtherSlotsAreInNobodysWay) {
  Mesh router = hub(6);
  const std::vector<std::uint32_t> even = router.join_slots(2, 0b010101);
  const std::vector<std::uint32_t> odd = router.join_slots(2, 0b101010);
  tidings_barrier_arrive(router.driver(even[1]), 2);
  for (const std::uint32_t last : odd) {
    EXPECT_EQ(router.barrier(odd, 2, last), std::vector<std::uint64_t>(odd.size(), 4));
  }
  EXPECT_FALSE(tidings_barrier_done(router.driver(even[1]), 2));
  tidings_barrier_arrive(router.driver(even[0]), 2);
  EXPECT_FALSE(tidings_barrier_done(router.driver(even[0]), 2));
  tidings_barrier_arrive(router.driver(even[2]), 2);
  static_cast<void>(machine->run_until(machine->now() + 10));
  EXPECT_TRUE(tidings_barrier_done(router.driver(even[1]), 2));
}

/// Those who have been told of a quiet barrier find everything that others have PUT and GOT before it.
TEST(BarrierDriver, NoWordIsUnderWayAfterAQuietBarrier) {
  constexpr std::uint32_t kSlots = 4, kRegion = 0, kHalf = 8192, kBytes = 1024;
  Mesh router = hub(kSlots);
  const std::vector<std::uint32_t> all = router.join_slots(0, (1U << kSlots) - 1);
  const auto word = [](std::uint32_t slot, std::uint32_t address) -> std::uint32_t& {
    return *reinterpret_cast<std::uint32_t*>(memory.data() + std::size_t{slot} * kMemory + address);
  };
  for (const std::uint32_t slot : all) {
    tidings_register(router.driver(slot), kRegion, kHalf, 2 * kBytes, TIDINGS_READ | TIDINGS_WRITE);
  }
  static_cast<void>(machine->run_until(machine->now() + 20));
  for (std::uint32_t round = 1; round < 20; ++round) {
    const std::uint32_t bytes = round * 48;
    for (const std::uint32_t slot : all) {
      const std::uint32_t next = (slot + 1) % kSlots;
      for (std::uint32_t at = 0; at < bytes; at += 4) word(slot, kHalf + kBytes + at) = round << 16 | slot << 12 | at;
      const tidings_endpoint to = {0, static_cast<std::uint8_t>(next)};
      tidings_put(router.driver(slot), kHalf + kBytes, to, kRegion, 0, bytes);
      tidings_get(router.driver(slot), kHalf + 2 * kBytes, to, kRegion, kBytes, bytes);
      tidings_barrier_arrive_quiet(router.driver(slot), 0);
    }
    // Commands leave at once; from the first release on everything must be there.
    while (!machine->interrupt(machine->topology().endpoint(0)))
      static_cast<void>(machine->run_until(machine->now() + 1));
    for (const std::uint32_t slot : all) {
      const std::uint32_t from = (slot + kSlots - 1) % kSlots;
      const std::uint32_t next = (slot + 1) % kSlots;
      for (const std::uint32_t at : {0U, bytes - 4}) {
        ASSERT_EQ(word(slot, kHalf + at), round << 16 | from << 12 | at) << "PUT, round " << round;
        ASSERT_EQ(word(slot, kHalf + 2 * kBytes + at), round << 16 | next << 12 | at) << "GET, round " << round;
      }
    }
    for (const std::uint32_t slot : all) tidings_barrier_acknowledge(router.driver(slot), 0);
    static_cast<void>(machine->run_until(machine->now() + 5));
  }
}

TEST(BarrierDriver, RoutersThatAreNoMembersArePassed) {
  Mesh mesh(5, 4);
  const std::vector<std::uint32_t> members = mesh.join(3, 0b10010, 0b1001);
  ASSERT_EQ(members, (std::vector<std::uint32_t>{1, 4, 16, 19}));
  for (const std::uint32_t last : members) EXPECT_EQ(mesh.barrier(members, 3, last).size(), members.size());
}

TEST(BarrierDriver, GroupsAreIndependent) {
  Mesh mesh(3, 3);
  const std::vector<std::uint32_t> all = mesh.join(0, 7, 7);
  const std::vector<std::uint32_t> row = mesh.join(1, 7, 2);
  tidings_barrier_arrive(mesh.driver(row[0]), 0);  // one waits in group 0 meanwhile
  for (const std::uint32_t last : row) EXPECT_EQ(mesh.barrier(row, 1, last).size(), row.size());
  EXPECT_FALSE(tidings_barrier_done(mesh.driver(row[0]), 0));
}

/// Members arrive again as soon as they are released: nobody is ever more than one barrier ahead.
TEST(BarrierDriver, BarriersFollowOneAnotherWithoutAPause) {
  constexpr std::uint32_t kBarriers = 400;
  for (const std::uint32_t threads : {1U, 2U}) {
    Mesh mesh(4, 4, threads);
    const std::vector<std::uint32_t> all = mesh.join(0, 15, 15);
    std::minstd_rand random(7);
    std::vector<std::uint32_t> released(all.size(), 0);
    for (const std::uint32_t member : all) tidings_barrier_arrive(mesh.driver(member), 0);
    std::vector<Cycle> again(all.size(), machine->now() + 3);
    for (std::uint32_t left = 100'000; std::ranges::min(released) < kBarriers; --left) {
      ASSERT_NE(left, 0U);
      for (const std::uint32_t member : all) {
        if (machine->now() < again[member] || !machine->interrupt(machine->topology().endpoint(member))) continue;
        ASSERT_EQ(released[member], std::ranges::min(released)) << "released before the others had arrived";
        ++released[member];
        const Cycle at = machine->now() + (random() % 4 == 0 ? random() % 20 : 0);
        machine->bus_write(machine->topology().endpoint(member), at, TIDINGS_REG_BARRIER_ARRIVE, 1);
        again[member] = at + 3;
      }
      static_cast<void>(machine->run_until(machine->now() + 1));
    }
  }
}

}  // namespace
