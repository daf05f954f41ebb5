// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Driver calls of the engine `stream`, on a machine of twins: the bus boundary here is a handle per slot of it.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "drivers/stream.h"
#include "sim/cycle/machine_fabric.h"
#include "sim/machine/machine.h"

namespace {

using namespace tidings;

constexpr std::uint32_t kSlots = 3, kMemory = 1U << 14, kStoreWords = 18;
constexpr std::uint32_t kQueueBase = 0, kQueueLog2 = 2, kTransmitBase = 4096, kTransmitSlots = 2;
constexpr std::uint64_t kPatience = 100'000;

std::unique_ptr<Machine> machine;
std::vector<std::byte> memory;

/// Let time pass until a read is answered, or the line of a slot is high.
std::uint32_t run(std::optional<Endpoint> line) {
  if (line) machine->watch(*line, machine->now());
  const RunResult result = machine->run_until(machine->now() + kPatience);
  if (!result.reads.empty()) return result.reads.front().data;
  if (result.interrupts.empty()) throw std::runtime_error("nothing happens any more");
  return 0;
}

}  // namespace

struct tidings_bus {
  Endpoint endpoint;
  std::byte* memory;
};

extern "C" {

tidings_bus* tidings_bus_open(std::uint32_t slot) {
  static std::array<tidings_bus, kSlots> buses;
  buses.at(slot) = {machine->topology().endpoint(slot), memory.data() + std::size_t{slot} * kMemory};
  return &buses.at(slot);
}
void tidings_bus_close(tidings_bus*) {}
std::uint32_t tidings_bus_read(tidings_bus* bus, std::uint32_t address) {
  machine->bus_read(bus->endpoint, machine->now(), static_cast<std::uint16_t>(address));
  return run(std::nullopt);
}
void tidings_bus_write(tidings_bus* bus, std::uint32_t address, std::uint32_t value) {
  machine->bus_write(bus->endpoint, machine->now(), static_cast<std::uint16_t>(address), value);
}
void tidings_bus_wait(tidings_bus* bus) {
  if (!machine->interrupt(bus->endpoint)) run(bus->endpoint);
}
tidings_memory tidings_bus_memory(tidings_bus* bus) { return {bus->memory, kMemory}; }
}

namespace {

/// Slots 0 and 1 of a router have the engine, slot 2 does not.
MachineConfig one_router() {
  MachineConfig config;
  config.topology = {TopologyKind::kCrossbar, {}, kSlots};
  config.node.stream_slots = 0b011;
  return config;
}

class StreamDriver : public testing::Test {
 protected:
  struct Side {
    tidings_driver driver{};
    tidings_stream stream{};
    tidings_endpoint address{};
  };

  explicit StreamDriver(MachineConfig config = one_router()) {
    config.node.stream_store_words = kStoreWords;
    machine = std::make_unique<Machine>(config, kSlots, cycle::machine_fabric_factory());
    memory.assign(std::size_t{kSlots} * kMemory, std::byte{0});
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      const Endpoint endpoint = machine->topology().endpoint(slot);
      machine->attach_memory(endpoint, std::span(memory).subspan(std::size_t{slot} * kMemory, kMemory));
      Side& side = sides_[slot];
      side.address.node = endpoint.node.value;
      side.address.slot = endpoint.slot.value;
      EXPECT_EQ(tidings_driver_open(&side.driver, tidings_bus_open(slot), kQueueBase, kQueueLog2, kTransmitBase,
                                    kTransmitSlots),
                0);
      EXPECT_EQ(tidings_stream_open(&side.stream, &side.driver),
                (config.node.stream_slots >> endpoint.slot.value & 1U) != 0 ? 0 : -1);
    }
  }

  static std::vector<std::uint32_t> words(std::uint32_t count, std::uint32_t first) {
    std::vector<std::uint32_t> words(count);
    std::iota(words.begin(), words.end(), first);
    return words;
  }
  static bool send(Side& side, std::uint32_t row, std::uint32_t tag, const std::vector<std::uint32_t>& words) {
    return tidings_stream_send(&side.stream, row, tag, words.data(), static_cast<std::uint32_t>(words.size()));
  }
  /// The next packet of a queue, whose tag and source are checked.
  static std::vector<std::uint32_t> receive(Side& side, std::uint32_t queue, std::uint32_t tag, const Side& from) {
    EXPECT_TRUE(tidings_stream_wait(&side.stream, 1U << queue));
    tidings_stream_packet packet{};
    std::vector<std::uint32_t> words(TIDINGS_STREAM_LONGEST_PACKET);
    EXPECT_TRUE(tidings_stream_receive(&side.stream, queue, &packet, words.data(), TIDINGS_STREAM_LONGEST_PACKET));
    EXPECT_EQ(packet.tag, tag);
    EXPECT_EQ(packet.source.node, from.address.node);
    EXPECT_EQ(packet.source.slot, from.address.slot);
    words.resize(packet.words);
    return words;
  }
  static std::uint32_t credits(Side& side, std::uint32_t row) {
    return tidings_bus_read(side.driver.bus, TIDINGS_REG_STREAM_CREDITS(row));
  }
  static bool ready(Side& side) {
    return (tidings_bus_read(side.driver.bus, TIDINGS_REG_STREAM_STATUS) & TIDINGS_REG_STREAM_STATUS_READY) != 0;
  }

  std::array<Side, kSlots> sides_;
  Side& a_ = sides_[0];
  Side& b_ = sides_[1];
};

TEST_F(StreamDriver, ATagChoosesTheQueue) {
  tidings_stream_connect(&a_.stream, 3, b_.address, kStoreWords);
  tidings_stream_match(&b_.stream, 0, 7);
  tidings_stream_match(&b_.stream, 3, 200);
  ASSERT_TRUE(send(a_, 3, 200, words(2, 10)));
  ASSERT_TRUE(send(a_, 3, 7, words(3, 20)));
  ASSERT_TRUE(send(a_, 3, 8, words(1, 30)));
  EXPECT_EQ(receive(b_, TIDINGS_STREAM_CATCH_ALL, 8, a_), words(1, 30));
  EXPECT_EQ(receive(b_, 0, 7, a_), words(3, 20));
  EXPECT_EQ(receive(b_, 3, 200, a_), words(2, 10));
  tidings_stream_packet packet{};
  for (std::uint32_t queue = 0; queue <= TIDINGS_STREAM_CATCH_ALL; ++queue) {
    EXPECT_FALSE(tidings_stream_receive(&b_.stream, queue, &packet, nullptr, 0));
  }
}

TEST_F(StreamDriver, ASlotReachesItselfAndPacketsGoBothWays) {
  tidings_stream_connect(&a_.stream, 0, b_.address, kStoreWords / 2);
  tidings_stream_connect(&b_.stream, 0, a_.address, kStoreWords / 2);
  tidings_stream_connect(&a_.stream, 1, a_.address, kStoreWords / 2);
  for (std::uint32_t round = 0; round < 40; ++round) {
    const std::uint32_t count = 1 + round % 7;
    ASSERT_TRUE(send(a_, 0, round, words(count, round)));
    EXPECT_EQ(receive(b_, TIDINGS_STREAM_CATCH_ALL, round, a_), words(count, round));
    ASSERT_TRUE(send(b_, 0, round, words(count, 2 * round)));
    EXPECT_EQ(receive(a_, TIDINGS_STREAM_CATCH_ALL, round, b_), words(count, 2 * round));
    ASSERT_TRUE(send(a_, 1, round, words(count, 3 * round)));
    EXPECT_EQ(receive(a_, TIDINGS_STREAM_CATCH_ALL, round, a_), words(count, 3 * round));
  }
}

TEST_F(StreamDriver, APacketWaitsForRoomAtItsPeerAndTheRoomComesBack) {
  constexpr std::uint32_t kGranted = 9;
  tidings_stream_connect(&a_.stream, 0, b_.address, kGranted);
  ASSERT_TRUE(send(a_, 0, 1, words(6, 100)));
  ASSERT_TRUE(send(a_, 0, 1, words(4, 200)));
  ASSERT_TRUE(machine->run_until(machine->now() + kPatience).quiescent);
  EXPECT_FALSE(ready(a_));
  EXPECT_EQ(credits(a_, 0), kGranted - 7);
  EXPECT_EQ(receive(b_, TIDINGS_STREAM_CATCH_ALL, 1, a_), words(6, 100));
  EXPECT_EQ(receive(b_, TIDINGS_STREAM_CATCH_ALL, 1, a_), words(4, 200));
  ASSERT_TRUE(machine->run_until(machine->now() + kPatience).quiescent);
  EXPECT_TRUE(ready(a_));
  EXPECT_EQ(credits(a_, 0), kGranted);
}

TEST_F(StreamDriver, APacketWithoutRoomIsDroppedAndReported) {
  tidings_stream_connect(&a_.stream, 0, b_.address, 4 * kStoreWords);
  ASSERT_TRUE(send(a_, 0, 1, words(kStoreWords - 1, 0)));
  ASSERT_TRUE(send(a_, 0, 1, words(1, 0)));
  EXPECT_FALSE(tidings_stream_wait(&b_.stream, 1));
  const tidings_stream_errors errors = tidings_stream_take_errors(&b_.stream);
  EXPECT_TRUE(errors.overflow);
  EXPECT_FALSE(errors.refused);
  EXPECT_EQ(receive(b_, TIDINGS_STREAM_CATCH_ALL, 1, a_), words(kStoreWords - 1, 0));
  EXPECT_FALSE(tidings_stream_take_errors(&b_.stream).overflow);
}

TEST_F(StreamDriver, QueuesShareTheStore) {
  tidings_stream_connect(&a_.stream, 0, b_.address, 4 * kStoreWords);
  tidings_stream_match(&b_.stream, 0, 7);
  tidings_stream_match(&b_.stream, 2, 9);
  ASSERT_TRUE(send(a_, 0, 7, words(7, 10)));
  ASSERT_TRUE(send(a_, 0, 9, words(kStoreWords - 9, 20)));
  ASSERT_TRUE(machine->run_until(machine->now() + kPatience).quiescent);
  EXPECT_FALSE(tidings_stream_take_errors(&b_.stream).overflow);
  // The store is full: a queue that is empty takes nothing before words of another have been read.
  ASSERT_TRUE(send(a_, 0, 5, words(1, 30)));
  ASSERT_TRUE(machine->run_until(machine->now() + kPatience).quiescent);
  EXPECT_TRUE(tidings_stream_take_errors(&b_.stream).overflow);
  EXPECT_EQ(receive(b_, 0, 7, a_), words(7, 10));
  ASSERT_TRUE(send(a_, 0, 5, words(7, 40)));
  EXPECT_EQ(receive(b_, TIDINGS_STREAM_CATCH_ALL, 5, a_), words(7, 40));
  EXPECT_EQ(receive(b_, 2, 9, a_), words(kStoreWords - 9, 20));
}

TEST_F(StreamDriver, APacketThatDoesNotFitInTheStoreIsRefused) {
  tidings_stream_connect(&a_.stream, 0, b_.address, kStoreWords);
  ASSERT_TRUE(send(a_, 0, 1, words(kStoreWords, 0)));
  EXPECT_TRUE(tidings_stream_take_errors(&a_.stream).refused);
  EXPECT_TRUE(ready(a_));
}

/// Three routers in a row, whose slots have the engine with a network of its own.
MachineConfig row_of_routers() {
  MachineConfig config;
  config.topology = {TopologyKind::kMesh, {kSlots}, 1};
  config.node.stream_slots = 1;
  config.node.stream_own_network = 1;
  config.node.buffer_flits = 4;
  config.node.slot_buffer_flits = 4;
  return config;
}

class StreamNetworkDriver : public StreamDriver {
 protected:
  StreamNetworkDriver() : StreamDriver(row_of_routers()) {}
  Side& c_ = sides_[2];
};

TEST_F(StreamNetworkDriver, APacketMayBeLongerThanTheStore) {
  tidings_stream_connect(&a_.stream, 0, c_.address, 2 * TIDINGS_STREAM_LONGEST_PACKET);
  tidings_stream_match(&c_.stream, 2, 9);
  ASSERT_TRUE(send(a_, 0, 9, words(TIDINGS_STREAM_LONGEST_PACKET, 1000)));
  EXPECT_EQ(receive(c_, 2, 9, a_), words(TIDINGS_STREAM_LONGEST_PACKET, 1000));
  ASSERT_TRUE(machine->run_until(machine->now() + kPatience).quiescent);
  EXPECT_EQ(credits(a_, 0), 2 * TIDINGS_STREAM_LONGEST_PACKET);
  ASSERT_TRUE(send(a_, 0, 9, words(TIDINGS_STREAM_LONGEST_PACKET + 1, 0)));
  EXPECT_TRUE(tidings_stream_take_errors(&a_.stream).refused);
}

TEST_F(StreamNetworkDriver, PacketsWaitInTheNetworkForRoom) {
  tidings_stream_connect(&a_.stream, 0, c_.address, 8 * kStoreWords);
  tidings_stream_connect(&b_.stream, 0, c_.address, 8 * kStoreWords);
  tidings_stream_match(&c_.stream, 0, 7);
  for (std::uint32_t packet = 0; packet < 2; ++packet) {
    ASSERT_TRUE(send(a_, 0, 7, words(kStoreWords, 100 * packet)));
    ASSERT_TRUE(machine->run_until(machine->now() + kPatience).quiescent);
  }
  ASSERT_TRUE(send(b_, 0, 8, words(3, 500)));
  // All stands still, and nothing is lost.
  ASSERT_TRUE(machine->run_until(machine->now() + kPatience).quiescent);
  EXPECT_FALSE(ready(a_));
  EXPECT_FALSE(ready(b_));
  EXPECT_EQ(receive(c_, 0, 7, a_), words(kStoreWords, 0));
  EXPECT_EQ(receive(c_, 0, 7, a_), words(kStoreWords, 100));
  EXPECT_EQ(receive(c_, TIDINGS_STREAM_CATCH_ALL, 8, b_), words(3, 500));
  ASSERT_TRUE(machine->run_until(machine->now() + kPatience).quiescent);
  EXPECT_TRUE(ready(a_));
  EXPECT_EQ(credits(a_, 0), 8 * kStoreWords);
  EXPECT_FALSE(tidings_stream_take_errors(&c_.stream).overflow);
}

TEST_F(StreamNetworkDriver, PacketsOfAllSlotsCross) {
  for (Side& side : sides_) {
    for (std::uint32_t to = 0; to < kSlots; ++to) {
      tidings_stream_connect(&side.stream, to, sides_[to].address, kStoreWords / kSlots);
    }
  }
  for (std::uint32_t round = 0; round < 20; ++round) {
    const std::uint32_t count = 1 + round % 5;
    for (std::uint32_t from = 0; from < kSlots; ++from) {
      for (std::uint32_t to = 0; to < kSlots; ++to) {
        tidings_stream_match(&sides_[to].stream, 0, 3);
        ASSERT_TRUE(send(sides_[from], to, 3, words(count, 10 * from + to)));
        EXPECT_EQ(receive(sides_[to], 0, 3, sides_[from]), words(count, 10 * from + to));
      }
    }
  }
}

TEST_F(StreamDriver, AWriteInASlotWithoutTheEngineIsAnError) {
  EXPECT_EQ(tidings_poll(&sides_[2].driver) & TIDINGS_IRQ_ERROR, 0U);
  tidings_bus_write(sides_[2].driver.bus, TIDINGS_REG_STREAM_WORD, 1);
  EXPECT_NE(tidings_poll(&sides_[2].driver) & TIDINGS_IRQ_ERROR, 0U);
}

}  // namespace
