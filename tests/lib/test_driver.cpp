// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "driver.h"
#include "fake_device.h"

namespace tidings {
namespace {

constexpr std::uint32_t kQueueBase = 0;
constexpr std::uint32_t kQueueLog2 = 2;
constexpr std::uint32_t kTransmitBase = 4096;
constexpr std::uint32_t kTransmitSlots = 2;
constexpr std::uint32_t kData = 8192;

class Opened {
 public:
  explicit Opened(std::uint32_t slot = 0, bool meet = true) {
    EXPECT_EQ(tidings_platform_read(&platform), nullptr);
    tidings_bus* const bus = tidings_bus_open(slot);
    EXPECT_EQ(tidings_driver_open(&driver, bus, kQueueBase, kQueueLog2, kTransmitBase, kTransmitSlots), 0);
    memory = static_cast<char*>(driver.memory.base);
    if (meet) fake::meet();
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() { tidings_driver_close(&driver); }

  /// Block for the next message and take its text.
  std::string receive(tidings_endpoint* from = nullptr) {
    tidings_message message{};
    while (!tidings_receive(&driver, &message)) tidings_wait(&driver, TIDINGS_IRQ_MESSAGE);
    std::string text(static_cast<const char*>(message.payload), message.bytes);
    if (from != nullptr) *from = message.source;
    tidings_release(&driver);
    return text;
  }
  void send(std::uint32_t rank, const std::string& text) {
    std::memcpy(tidings_send_room(&driver), text.data(), text.size());
    tidings_send(&driver, platform.endpoints[rank], static_cast<std::uint32_t>(text.size()));
  }

  tidings_platform platform{};
  tidings_driver driver{};
  char* memory = nullptr;
};

void expect_good(const fake::Result& result) {
  EXPECT_TRUE(result.bad_ranks.empty());
  EXPECT_EQ(result.failure, "");
}

TEST(Driver, WithoutALauncherThereAreNoSlots) {
  tidings_platform platform;
  EXPECT_STREQ(tidings_platform_read(&platform), "runs outside a test");
  EXPECT_EQ(tidings_bus_open(0), nullptr);
}

TEST(Driver, ProcessHasTheSlotsThatItWasGivenAndNoMore) {
  fake::Options options;
  options.slots = 2;
  expect_good(fake::run_ranks(2, options, [](std::uint32_t) {
    tidings_bus* const first = tidings_bus_open(0);
    tidings_bus* const second = tidings_bus_open(1);
    EXPECT_NE(first, second);
    EXPECT_EQ(tidings_bus_open(1), second);
    EXPECT_EQ(tidings_bus_open(2), nullptr);
    EXPECT_NE(tidings_bus_memory(first).base, tidings_bus_memory(second).base);
  }));
}

TEST(Driver, SlotsOfOneProcessHaveQueuesAndRegionsOfTheirOwn) {
  fake::Options options;
  options.slots = 2;
  expect_good(fake::run_ranks(2, options, [](std::uint32_t rank) {
    Opened slots[2] = {Opened(0, false), Opened(1, false)};
    for (Opened& slot : slots) tidings_register(&slot.driver, 3, kData, 64, TIDINGS_WRITE);
    fake::meet();
    // Each slot sends a text to both slots of the other rank, and writes it to their regions at a place of its own.
    const std::uint32_t other = 1 - rank;
    for (std::uint32_t from = 0; from < 2; ++from) {
      for (std::uint32_t to = 0; to < 2; ++to) {
        const tidings_endpoint there = slots[from].platform.endpoints[other * 2 + to];
        const std::string text{static_cast<char>('a' + from), static_cast<char>('0' + to)};
        std::memcpy(slots[from].memory + kData + 128, text.data(), text.size());
        const std::uint32_t put = tidings_put(&slots[from].driver, kData + 128, there, 3, 8 * from, 2);
        while (!tidings_rma_done(&slots[from].driver, put)) {
        }
        slots[from].send(other * 2 + to, text);
        tidings_rma_done(&slots[from].driver, slots[from].driver.rma_issued);
      }
    }
    for (std::uint32_t to = 0; to < 2; ++to) {
      const std::string number = std::to_string(to);
      std::set<std::string> texts;
      for (int i = 0; i < 2; ++i) {
        tidings_endpoint from{};
        const std::string text = slots[to].receive(&from);
        const auto& expected = slots[to].platform.endpoints[other * 2 + static_cast<std::uint32_t>(text[0] - 'a')];
        EXPECT_EQ(from.node, expected.node);
        EXPECT_EQ(from.slot, expected.slot);
        texts.insert(text);
      }
      EXPECT_EQ(texts, (std::set<std::string>{"a" + number, "b" + number}));
      EXPECT_EQ(std::string(slots[to].memory + kData, 2), "a" + number);
      EXPECT_EQ(std::string(slots[to].memory + kData + 8, 2), "b" + number);
    }
  }));
}

TEST(Driver, MessagesArriveInOrderWithTheirOrigin) {
  expect_good(fake::run_ranks(5, {}, [](std::uint32_t rank) {
    Opened self;
    if (rank == 4) {
      for (int i = 0; i < 40; ++i) {
        self.send(1, std::string(static_cast<std::size_t>(i % 7), 'x') + std::to_string(i));
        EXPECT_EQ(self.receive(), "go on");  // the ring has four slots
      }
    } else if (rank == 1) {
      for (int i = 0; i < 40; ++i) {
        tidings_endpoint from{};
        EXPECT_EQ(self.receive(&from), std::string(static_cast<std::size_t>(i % 7), 'x') + std::to_string(i));
        EXPECT_EQ(from.node, self.platform.endpoints[4].node);
        EXPECT_EQ(from.slot, self.platform.endpoints[4].slot);
        self.send(4, "go on");
      }
    }
  }));
}

TEST(Driver, LongestAndEmptyMessagesAreWhole) {
  expect_good(fake::run_ranks(1, {}, [](std::uint32_t) {
    Opened self;
    const std::string longest(TIDINGS_MESSAGE_BYTES, 'y');
    self.send(0, longest);
    self.send(0, "");
    EXPECT_EQ(self.receive(), longest);
    EXPECT_EQ(self.receive(), "");
    tidings_message message{};
    EXPECT_FALSE(tidings_receive(&self.driver, &message));
  }));
}

TEST(Driver, PutAndGetMoveBytesToAndFromARegion) {
  expect_good(fake::run_ranks(2, {}, [](std::uint32_t rank) {
    Opened self;
    if (rank == 0) {
      tidings_register(&self.driver, 3, kData, 64, TIDINGS_READ | TIDINGS_WRITE);
      std::memcpy(self.memory + kData, "get this", 8);
      self.send(1, "ready");
      EXPECT_EQ(self.receive(), "done");
      EXPECT_EQ(std::string(self.memory + kData + 16, 7), "put me!");
    } else {
      EXPECT_EQ(self.receive(), "ready");
      const auto there = self.platform.endpoints[0];
      const auto get = tidings_get(&self.driver, kData, there, 3, 0, 8);
      while (!tidings_rma_done(&self.driver, get)) {
      }
      EXPECT_EQ(std::string(self.memory + kData, 8), "get this");
      std::memcpy(self.memory + kData, "put me!", 7);
      tidings_put(&self.driver, kData, there, 3, 16, 7);
      while (!tidings_rma_quiet(&self.driver)) {
      }
      self.send(0, "done");
    }
  }));
}

TEST(Driver, RefusalsSayWhoAndWhyAndAreClearedOnce) {
  expect_good(fake::run_ranks(2, {}, [](std::uint32_t rank) {
    Opened self;
    if (rank == 0) {
      tidings_register(&self.driver, 3, kData, 64, TIDINGS_READ);
      self.send(1, "ready");
      EXPECT_EQ(self.receive(), "done");
      return;
    }
    EXPECT_EQ(self.receive(), "ready");
    const auto there = self.platform.endpoints[0];
    const auto expect_refused = [&](std::uint32_t code, const std::string& text) {
      tidings_error error{};
      EXPECT_NE(tidings_poll(&self.driver) & TIDINGS_IRQ_ERROR, 0U);
      ASSERT_TRUE(tidings_take_error(&self.driver, &error));
      EXPECT_EQ(error.engine, error.TIDINGS_ERROR_RMA);
      EXPECT_EQ(error.code, code);
      EXPECT_EQ(error.endpoint.node, there.node);
      EXPECT_EQ(error.endpoint.slot, there.slot);
      EXPECT_EQ(tidings_error_text(&error), text);
      EXPECT_FALSE(tidings_take_error(&self.driver, &error));
      EXPECT_EQ(tidings_poll(&self.driver) & TIDINGS_IRQ_ERROR, 0U);
    };
    tidings_put(&self.driver, kData, there, 4, 0, 8);
    expect_refused(1, "no region is registered there");
    tidings_get(&self.driver, kData, there, 3, 60, 8);
    expect_refused(2, "access outside the registered region");
    tidings_put(&self.driver, kData, there, 3, 0, 8);
    expect_refused(3, "the region's rights do not allow it");
    self.send(0, "done");
  }));
}

TEST(Driver, DeregisteredRegionIsRefused) {
  expect_good(fake::run_ranks(1, {}, [](std::uint32_t) {
    Opened self;
    tidings_register(&self.driver, 0, kData, 64, TIDINGS_READ | TIDINGS_WRITE);
    tidings_deregister(&self.driver, 0);
    tidings_put(&self.driver, kData, self.platform.endpoints[0], 0, 0, 8);
    tidings_error error{};
    ASSERT_TRUE(tidings_take_error(&self.driver, &error));
    EXPECT_EQ(error.code, 1U);
  }));
}

TEST(Driver, TwoCollectivesCanBeUnderWay) {
  expect_good(fake::run_ranks(2, {}, [](std::uint32_t rank) {
    Opened self;
    tidings_tree_link(&self.driver, 0, 5, self.platform.endpoints[1 - rank], 5, false);
    const std::int32_t mine = static_cast<std::int32_t>(rank) + 10;
    std::memcpy(self.memory + kData, &mine, 4);
    tidings_collective_command command{};
    command.operation = TIDINGS_COLLECTIVE_ALLREDUCE;
    command.parent = rank == 0 ? 15 : 5;
    command.children = rank == 0 ? 1U << 5 : 0;
    command.combine = TIDINGS_COMBINE_SUM;
    const auto first =
        tidings_collective_start(&self.driver, tidings_collective_word(&command), 0, {kData, kData + 64, 1});
    command.combine = TIDINGS_COMBINE_MAX;
    const auto second =
        tidings_collective_start(&self.driver, tidings_collective_word(&command), 0, {kData, kData + 128, 1});
    while (!tidings_collective_done(&self.driver, second)) tidings_wait(&self.driver, TIDINGS_IRQ_MPE_DONE);
    EXPECT_TRUE(tidings_collective_known_done(&self.driver, first));
    std::int32_t sum = 0;
    std::int32_t most = 0;
    std::memcpy(&sum, self.memory + kData + 64, 4);
    std::memcpy(&most, self.memory + kData + 128, 4);
    EXPECT_EQ(sum, 21);
    EXPECT_EQ(most, 11);
  }));
}

TEST(Driver, MismatchTellsTheNeighbourAndItsDescriptor) {
  expect_good(fake::run_ranks(2, {}, [](std::uint32_t rank) {
    Opened self;
    const auto sizes = tidings_open_collectives(&self.driver);
    EXPECT_EQ(sizes.contexts, 8U);
    EXPECT_EQ(sizes.exchange_words, 64U);
    EXPECT_EQ(sizes.direct_links, 0U);
    tidings_tree_link(&self.driver, 3, 0, self.platform.endpoints[1 - rank], 0, false);
    tidings_collective_command command{};
    command.context = 3;
    command.operation = TIDINGS_COLLECTIVE_BARRIER;
    command.parent = rank == 0 ? 15 : 0;
    command.children = rank == 0 ? 1 : 0;
    tidings_collective_start(&self.driver, tidings_collective_word(&command), 100 + rank, {});
    if (rank == 1) return;
    EXPECT_NE(tidings_wait(&self.driver, TIDINGS_IRQ_MPE_DONE) & TIDINGS_IRQ_ERROR, 0U);
    tidings_error error{};
    ASSERT_TRUE(tidings_take_error(&self.driver, &error));
    EXPECT_EQ(error.engine, error.TIDINGS_ERROR_MPE);
    EXPECT_EQ(error.descriptor, 101U);
    EXPECT_EQ(error.endpoint.slot, self.platform.endpoints[1].slot);
  }));
}

TEST(Driver, SendsThatFitTheBuffersReadNoRegister) {
  expect_good(fake::run_ranks(1, {}, [](std::uint32_t) {
    Opened self;
    const std::uint64_t before = fake::bus_reads();
    self.send(0, "one");
    self.send(0, "two");
    EXPECT_EQ(fake::bus_reads(), before);
    self.send(0, "three");  // its buffer was the first one's
    EXPECT_GT(fake::bus_reads(), before);
  }));
}

TEST(Driver, RegistersThatHoldTheirValueAreNotWrittenAgain) {
  expect_good(fake::run_ranks(1, {}, [](std::uint32_t) {
    Opened self;
    self.send(0, "one");
    const std::uint64_t before = fake::bus_writes();
    self.send(0, "two");  // to the same slot, as long: another buffer, and the command
    EXPECT_EQ(fake::bus_writes(), before + 2);
  }));
}

TEST(Driver, ABurstOfMessagesIsTakenWithOneReadOfTheTail) {
  expect_good(fake::run_ranks(1, {}, [](std::uint32_t) {
    Opened self;
    for (const char* text : {"a", "b", "c"}) self.send(0, text);
    const std::uint64_t before = fake::bus_reads();
    for (const char* text : {"a", "b", "c"}) EXPECT_EQ(self.receive(), text);
    EXPECT_EQ(fake::bus_reads(), before + 1);
  }));
}

}  // namespace
}  // namespace tidings
