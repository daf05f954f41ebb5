// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The ten primitives of rma.h on machines of twins. Each processor is a thread, and one of them runs at a time: they
// take turns at their accesses to the bus, so that every run is the same. The bus boundary here is a handle per slot.
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "drivers/rma.h"
#include "sim/cycle/machine_fabric.h"
#include "sim/machine/machine.h"

namespace {

using namespace tidings;

constexpr std::uint32_t kMostSlots = 16, kMemory = 1U << 14;
constexpr std::uint32_t kQueueBase = 0, kQueueLog2 = 4, kTransmitBase = 8192, kTransmitSlots = 2;
constexpr std::uint32_t kOwn = 10240, kShared = 12288;  ///< behind the buffers
constexpr std::uint64_t kPatience = 200'000;

/// One processor runs at a time, and the next one when it accesses the bus or has come to its end.
class Turns {
 public:
  void begin(std::uint32_t processors) {
    here_.assign(processors, true);
    current_ = 0;
  }
  /// Wait for the first turn.
  void enter(std::uint32_t me) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return current_ == me; });
  }
  /// Let all others run until their next access. Before processors run there are no turns.
  void pass(std::uint32_t me) {
    if (here_.empty()) return;
    std::unique_lock<std::mutex> lock(mutex_);
    next();
    changed_.wait(lock, [&] { return current_ == me; });
  }
  void leave(std::uint32_t me) {
    const std::lock_guard<std::mutex> lock(mutex_);
    here_[me] = false;
    next();
  }
  void end() { here_.clear(); }

 private:
  void next() {
    for (std::size_t tried = 0; tried < here_.size(); ++tried) {
      current_ = (current_ + 1) % static_cast<std::uint32_t>(here_.size());
      if (here_[current_]) break;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> here_;
  std::uint32_t current_ = 0;
};

Turns turns;
std::unique_ptr<Machine> machine;
std::vector<std::byte> memory;

}  // namespace

struct tidings_bus {
  std::uint32_t slot;
  Endpoint endpoint;
  std::byte* memory;
};

extern "C" {

tidings_bus* tidings_bus_open(std::uint32_t slot) {
  static std::array<tidings_bus, kMostSlots> buses;
  buses.at(slot) = {slot, machine->topology().endpoint(slot), memory.data() + std::size_t{slot} * kMemory};
  return &buses.at(slot);
}
void tidings_bus_close(tidings_bus*) {}
std::uint32_t tidings_bus_read(tidings_bus* bus, std::uint32_t address) {
  turns.pass(bus->slot);
  if (machine->now().value > kPatience) throw std::runtime_error("the processors do not come to an end");
  machine->bus_read(bus->endpoint, machine->now(), static_cast<std::uint16_t>(address));
  return machine->run_until(machine->now() + kPatience).reads.at(0).data;
}
void tidings_bus_write(tidings_bus* bus, std::uint32_t address, std::uint32_t value) {
  turns.pass(bus->slot);
  machine->bus_write(bus->endpoint, machine->now(), static_cast<std::uint16_t>(address), value);
  static_cast<void>(machine->run_until(machine->now() + 1));
}
void tidings_bus_wait(tidings_bus* bus) {
  while (true) {
    turns.pass(bus->slot);
    if (machine->interrupt(bus->endpoint)) return;
    if (machine->now().value > kPatience) throw std::runtime_error("an interrupt never comes");
    // Time passes while everyone waits, too.
    machine->bus_write(bus->endpoint, machine->now() + 1, TIDINGS_REG_IRQ_STATUS, 0);
    static_cast<void>(machine->run_until(machine->now() + 4));
  }
}
tidings_memory tidings_bus_memory(tidings_bus* bus) { return {bus->memory, kMemory}; }
}

namespace {

/// What one processor of a program knows.
struct Processor {
  tidings_driver driver{};
  tidings_rma rma{};
  std::byte* memory = nullptr;

  [[nodiscard]] std::uint32_t word(std::uint32_t address) const {
    std::uint32_t value = 0;
    std::memcpy(&value, memory + address, sizeof value);
    return value;
  }
  void set(std::uint32_t address, std::uint32_t value) const { std::memcpy(memory + address, &value, sizeof value); }
  [[nodiscard]] std::uint32_t pid() const { return tidings_rma_pid(&rma); }
  [[nodiscard]] std::uint32_t nprocs() const { return tidings_rma_nprocs(&rma); }
};

/// Run a program of `nprocs` processors from BEGIN on, each in a thread. What a thread throws, this throws.
/// @param names that a slot gives; 0: software fills rows itself.
void run(std::uint32_t nprocs, const std::function<void(Processor&)>& program, std::uint32_t names = 0,
         bool atomics = false) {
  MachineConfig config;
  config.node.rma_names = names;
  config.node.rma_atomics = atomics;
  config.topology = {TopologyKind::kCrossbar, {}, kMostSlots};
  machine = std::make_unique<Machine>(config, nprocs, cycle::machine_fabric_factory());
  memory.assign(std::size_t{kMostSlots} * kMemory, std::byte{0});
  std::vector<tidings_endpoint> endpoints;
  std::vector<Processor> processors(nprocs);
  for (std::uint32_t pid = 0; pid < nprocs; ++pid) {
    const Endpoint endpoint = machine->topology().endpoint(pid);
    machine->attach_memory(endpoint, std::span(memory).subspan(std::size_t{pid} * kMemory, kMemory));
    endpoints.push_back({endpoint.node.value, static_cast<std::uint8_t>(endpoint.slot.value)});
    tidings_driver& driver = processors[pid].driver;
    ASSERT_EQ(
        tidings_driver_open(&driver, tidings_bus_open(pid), kQueueBase, kQueueLog2, kTransmitBase, kTransmitSlots), 0);
    processors[pid].memory = memory.data() + std::size_t{pid} * kMemory;
  }
  std::vector<std::exception_ptr> failures(nprocs);
  std::vector<std::thread> threads;
  turns.begin(nprocs);
  for (std::uint32_t pid = 0; pid < nprocs; ++pid) {
    threads.emplace_back([&, pid] {
      turns.enter(pid);
      try {
        Processor& me = processors[pid];
        const tidings_rma_status begun = tidings_rma_begin(&me.rma, &me.driver, pid, nprocs, endpoints.data());
        // Another one may have begun, and called ABORT already.
        const bool runs = begun == TIDINGS_RMA_OK || begun == TIDINGS_RMA_ABORTED;
        EXPECT_TRUE(runs);
        if (runs) program(me);
      } catch (...) {
        failures[pid] = std::current_exception();
      }
      turns.leave(pid);
    });
  }
  for (std::thread& thread : threads) thread.join();
  turns.end();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

std::uint32_t registered(Processor& me, std::uint32_t base, std::uint32_t bytes) {
  std::uint32_t name = ~0U;
  EXPECT_EQ(tidings_rma_register(&me.rma, base, bytes, &name), TIDINGS_RMA_OK);
  return name;
}

/// The benchmark of the paper. Any number of processors: the tree is not always complete.
TEST(RmaDriver, TotalExchangeMovesEveryWord) {
  for (const std::uint32_t nprocs : {1U, 2U, 3U, 5U, 8U}) {
    SCOPED_TRACE(nprocs);
    run(nprocs, [nprocs](Processor& me) {
      EXPECT_EQ(me.nprocs(), nprocs);
      const std::uint32_t name = registered(me, kShared, 4 * nprocs);
      ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
      for (std::uint32_t other = 0; other < nprocs; ++other) {
        me.set(kOwn + 4 * other, 100 * (me.pid() + 1) + other);
        EXPECT_EQ(tidings_rma_put(&me.rma, other, kOwn + 4 * other, name, 4 * me.pid(), 4), TIDINGS_RMA_OK);
      }
      ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
      for (std::uint32_t other = 0; other < nprocs; ++other) {
        EXPECT_EQ(me.word(kShared + 4 * other), 100 * (other + 1) + me.pid());
      }
      EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
    });
  }
}

TEST(RmaDriver, APutOfAWordWritesItsBytesAlone) {
  run(2, [](Processor& me) {
    constexpr std::uint32_t kBefore = 0x5a5a5a5a, kWord = 0x87654321;
    const std::uint32_t name = registered(me, kShared, 64);
    for (std::uint32_t word = 0; word < 8; ++word) me.set(kShared + 4 * word, kBefore);
    ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
    const std::uint32_t other = 1 - me.pid();
    for (std::uint32_t bytes = 1; bytes <= 4; ++bytes) {
      EXPECT_EQ(tidings_rma_put_inline(&me.rma, other, kWord + me.pid(), name, 4 * bytes, bytes), TIDINGS_RMA_OK);
    }
    for (const std::uint32_t bytes : {0U, 5U}) {
      EXPECT_EQ(tidings_rma_put_inline(&me.rma, other, kWord, name, 0, bytes), TIDINGS_RMA_INVALID);
    }
    EXPECT_EQ(tidings_rma_put_inline(&me.rma, other, kWord, name, 2, 4), TIDINGS_RMA_INVALID);
    ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
    EXPECT_EQ(me.word(kShared), kBefore);
    for (std::uint32_t bytes = 1; bytes <= 4; ++bytes) {
      const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << 8 * bytes) - 1);
      EXPECT_EQ(me.word(kShared + 4 * bytes), ((kWord + other) & mask) | (kBefore & ~mask)) << bytes;
    }
    EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
  });
}

TEST(RmaDriver, GetsHaveComeAfterAFence) {
  run(4, [](Processor& me) {
    const std::uint32_t name = registered(me, kShared, 64);
    for (std::uint32_t word = 0; word < 16; ++word) me.set(kShared + 4 * word, 1000 * me.pid() + word);
    ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
    const std::uint32_t next = (me.pid() + 1) % me.nprocs();
    EXPECT_EQ(tidings_rma_get(&me.rma, next, kOwn, name, 20, 40), TIDINGS_RMA_OK);
    EXPECT_EQ(tidings_rma_fence(&me.rma), TIDINGS_RMA_OK);
    for (std::uint32_t word = 0; word < 10; ++word) EXPECT_EQ(me.word(kOwn + 4 * word), 1000 * next + 5 + word);
    EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
  });
}

TEST(RmaDriver, EachProcessorTakesOtherNumbersOffACounter) {
  constexpr std::uint32_t kProcessors = 5, kNumbers = 20;
  std::vector<std::uint32_t> takers(kProcessors * kNumbers);
  run(
      kProcessors,
      [&](Processor& me) {
        const std::uint32_t name = registered(me, kShared, 64);
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        for (std::uint32_t number = 0; number < kNumbers; ++number) {
          me.set(kOwn, 1);
          EXPECT_EQ(tidings_rma_change(&me.rma, TIDINGS_ATOMIC_ADD, 0, kOwn, name, 8, 4), TIDINGS_RMA_OK);
          ASSERT_EQ(tidings_rma_fence(&me.rma), TIDINGS_RMA_OK);
          ++takers.at(me.word(kOwn));
        }
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        EXPECT_EQ(me.word(kShared + 8), me.pid() == 0 ? kProcessors * kNumbers : 0);
        EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
      },
      0, true);
  EXPECT_EQ(takers, std::vector<std::uint32_t>(kProcessors * kNumbers, 1));
}

TEST(RmaDriver, OneProcessorAloneSwapsWhatItHasSeen) {
  std::uint32_t winners = 0;
  run(
      4,
      [&](Processor& me) {
        const std::uint32_t name = registered(me, kShared, 64);
        if (me.pid() == 1) me.set(kShared + 20, 7);  // a number of 64 bits
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        me.set(kOwn, 100 + me.pid());
        me.set(kOwn + 4, 0);
        me.set(kOwn + 8, 0);
        me.set(kOwn + 12, 7);
        EXPECT_EQ(tidings_rma_change(&me.rma, TIDINGS_ATOMIC_COMPARE_SWAP, 1, kOwn, name, 16, 8), TIDINGS_RMA_OK);
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        const bool won = me.word(kOwn) == 0 && me.word(kOwn + 4) == 7;
        if (won) winners += 100 + me.pid();
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        if (me.pid() == 1) {
          EXPECT_EQ(me.word(kShared + 16), winners);
          EXPECT_EQ(me.word(kShared + 20), 0U);
        } else if (!won) {
          EXPECT_EQ(me.word(kOwn), winners);
        }
        EXPECT_EQ(tidings_rma_change(&me.rma, TIDINGS_ATOMIC_ADD, 1, kOwn, name, 12, 8), TIDINGS_RMA_INVALID);
        EXPECT_EQ(tidings_rma_change(&me.rma, TIDINGS_ATOMIC_ADD, 1, kOwn, name, 0, 12), TIDINGS_RMA_INVALID);
        EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
      },
      256, true);
  run(1, [](Processor& me) {
    const std::uint32_t name = registered(me, kShared, 64);
    EXPECT_EQ(tidings_rma_change(&me.rma, TIDINGS_ATOMIC_ADD, 0, kOwn, name, 0, 4), TIDINGS_RMA_INVALID);
    EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
  });
}

TEST(RmaDriver, NamesAreTheLowestOnesThatAreFree) {
  run(2, [](Processor& me) {
    for (std::uint32_t name = 0; name < me.driver.regions; ++name) EXPECT_EQ(registered(me, kShared, 64), name);
    std::uint32_t name = 0;
    EXPECT_EQ(tidings_rma_register(&me.rma, kShared, 64, &name), TIDINGS_RMA_FULL);
    ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
    EXPECT_EQ(tidings_rma_deregister(&me.rma, 5), TIDINGS_RMA_OK);
    EXPECT_EQ(tidings_rma_deregister(&me.rma, 2), TIDINGS_RMA_OK);
    EXPECT_EQ(tidings_rma_deregister(&me.rma, 2), TIDINGS_RMA_INVALID);
    EXPECT_EQ(registered(me, kShared + 64, 64), 2U);
    EXPECT_EQ(registered(me, kShared + 64, 64), 5U);
    EXPECT_EQ(tidings_rma_register(&me.rma, kShared + 2, 64, &name), TIDINGS_RMA_INVALID);
    EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
  });
}

TEST(RmaDriver, ASlotGivesAsManyNamesAsItsTableHas) {
  constexpr std::uint32_t kNames = 256, kLast = kNames - 1;
  run(
      2,
      [](Processor& me) {
        for (std::uint32_t name = 0; name < kNames; ++name) EXPECT_EQ(registered(me, kShared + 4 * name, 4), name);
        std::uint32_t name = 0;
        EXPECT_EQ(tidings_rma_register(&me.rma, kShared, 4, &name), TIDINGS_RMA_FULL);
        EXPECT_TRUE(tidings_find_name(&me.driver, kShared + 4 * 77, &name));
        EXPECT_EQ(name, 77U);
        EXPECT_FALSE(tidings_find_name(&me.driver, kOwn, &name));
        me.set(kOwn, 1000 + me.pid());
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        EXPECT_EQ(tidings_rma_put(&me.rma, 1 - me.pid(), kOwn, kLast, 0, 4), TIDINGS_RMA_OK);
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        EXPECT_EQ(me.word(kShared + 4 * kLast), 1000 + 1 - me.pid());
        // Nothing beyond the end of a region that has a name, and nothing of one that has none any more.
        EXPECT_EQ(tidings_rma_put(&me.rma, 1 - me.pid(), kOwn, kLast, 4, 4), TIDINGS_RMA_OK);
        EXPECT_EQ(tidings_rma_fence(&me.rma), TIDINGS_RMA_REFUSED);
        EXPECT_STREQ(tidings_error_text(&me.rma.error), "access outside the registered region");
        EXPECT_EQ(me.rma.other, 1 - me.pid());
        EXPECT_EQ(tidings_rma_deregister(&me.rma, 77), TIDINGS_RMA_OK);
        EXPECT_FALSE(tidings_find_name(&me.driver, kShared + 4 * 77, &name));
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        EXPECT_EQ(tidings_rma_get(&me.rma, 1 - me.pid(), kOwn, 77, 0, 4), TIDINGS_RMA_OK);
        EXPECT_EQ(tidings_rma_fence(&me.rma), TIDINGS_RMA_REFUSED);
        EXPECT_STREQ(tidings_error_text(&me.rma.error), "no region is registered there");
        // The other one has looked, too, before the name is given again.
        ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
        EXPECT_EQ(registered(me, kShared, 4), 77U);
        EXPECT_EQ(tidings_rma_get(&me.rma, 1 - me.pid(), kOwn, kNames, 0, 4), TIDINGS_RMA_INVALID);
        EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
        EXPECT_FALSE(tidings_find_name(&me.driver, kShared, &name));
      },
      kNames);
}

TEST(RmaDriver, AnOrderOfRegistrationsThatDiffersIsFoundAndBothProcessorsAreTold) {
  for (const std::uint32_t names : {0U, 256U}) {
    run(
        3,
        [](Processor& me) {
          const bool swaps = me.pid() == 2;
          EXPECT_EQ(registered(me, kShared, swaps ? 32 : 64), 0U);
          EXPECT_EQ(registered(me, kShared + 64, swaps ? 64 : 32), 1U);
          const tidings_rma_status status = tidings_rma_barrier(&me.rma);
          // A binomial tree: processor 2 meets processor 0 alone.
          if (status == TIDINGS_RMA_MISMATCH) {
            EXPECT_EQ(me.rma.other, 2 - me.pid());
            tidings_rma_abort(&me.rma, 5);
          } else {
            EXPECT_EQ(status, TIDINGS_RMA_ABORTED);
          }
        },
        names);
  }
}

TEST(RmaDriver, TagsAreComparedInPlaceOfSizes) {
  run(2, [](Processor& me) {
    std::uint32_t name = 0;
    EXPECT_EQ(tidings_rma_register_as(&me.rma, kShared, 4 + 4 * me.pid(), 17, &name), TIDINGS_RMA_OK);
    ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
    EXPECT_EQ(tidings_rma_register_as(&me.rma, kShared, 8, 18 + me.pid(), &name), TIDINGS_RMA_OK);
    const tidings_rma_status status = tidings_rma_barrier(&me.rma);
    EXPECT_TRUE(status == TIDINGS_RMA_MISMATCH || status == TIDINGS_RMA_ABORTED);
    tidings_rma_abort(&me.rma, 1);
  });
}

TEST(RmaDriver, RefusalsAreToldByTheNextFence) {
  run(2, [](Processor& me) {
    const std::uint32_t name = registered(me, kShared, 64);
    ASSERT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
    if (me.pid() == 0) {
      EXPECT_EQ(tidings_rma_put(&me.rma, 1, kOwn, name, 64, 4), TIDINGS_RMA_OK);
      EXPECT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_REFUSED);
      EXPECT_EQ(me.rma.error.endpoint.slot, 1U);
      EXPECT_STREQ(tidings_error_text(&me.rma.error), "access outside the registered region");
      EXPECT_EQ(tidings_rma_get(&me.rma, 1, kOwn, name + 1, 0, 4), TIDINGS_RMA_OK);
      EXPECT_EQ(tidings_rma_fence(&me.rma), TIDINGS_RMA_REFUSED);
      EXPECT_STREQ(tidings_error_text(&me.rma.error), "no region is registered there");
    }
    EXPECT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_OK);
    EXPECT_EQ(me.word(kShared + 64), 0U);
  });
}

TEST(RmaDriver, ArgumentsOutOfRangeDoNothing) {
  run(2, [](Processor& me) {
    const std::uint32_t issued = me.driver.rma_issued;
    EXPECT_EQ(tidings_rma_put(&me.rma, 2, kOwn, 0, 0, 4), TIDINGS_RMA_INVALID);
    EXPECT_EQ(tidings_rma_put(&me.rma, 1, kOwn + 1, 0, 0, 4), TIDINGS_RMA_INVALID);
    EXPECT_EQ(tidings_rma_get(&me.rma, 1, kOwn, 0, 2, 4), TIDINGS_RMA_INVALID);
    EXPECT_EQ(tidings_rma_get(&me.rma, 1, kOwn, me.driver.regions, 0, 4), TIDINGS_RMA_INVALID);
    EXPECT_EQ(me.driver.rma_issued, issued);
    tidings_rma other{};
    EXPECT_EQ(tidings_rma_begin(&other, &me.driver, 2, 2, nullptr), TIDINGS_RMA_INVALID);
    EXPECT_EQ(tidings_rma_begin(&other, &me.driver, 0, 17, nullptr), TIDINGS_RMA_INVALID);
  });
}

/// The paper's tables agree only if all register in the same order, which it does not check.
TEST(RmaDriver, NamesThatDifferAreFoundByABarrier) {
  /// Names that a processor frees when it has registered two.
  using Freed = std::vector<std::uint32_t>;
  struct Case {
    std::array<Freed, 2> freed;
    bool again;  ///< processor 1 registers what it has freed
  };
  const std::vector<Case> cases = {
      {{Freed{}, Freed{1}}, false},   // other names
      {{Freed{0}, Freed{1}}, false},  // other names by as many changes
      {{Freed{}, Freed{1}}, true},    // the same names by more changes
  };
  for (const Case& one : cases) {
    run(2, [&one](Processor& me) {
      registered(me, kShared, 64);
      registered(me, kShared, 64);
      for (const std::uint32_t name : one.freed.at(me.pid())) {
        EXPECT_EQ(tidings_rma_deregister(&me.rma, name), TIDINGS_RMA_OK);
        if (one.again) {
          EXPECT_EQ(registered(me, kShared, 64), name);
        }
      }
      const tidings_rma_status status = tidings_rma_barrier(&me.rma);
      if (status == TIDINGS_RMA_MISMATCH) {
        EXPECT_EQ(me.rma.error.endpoint.slot, 1 - me.pid());
        tidings_rma_abort(&me.rma, 3);
      } else {
        EXPECT_EQ(status, TIDINGS_RMA_ABORTED);
      }
      EXPECT_EQ(me.rma.abort_code, 3U);
    });
  }
}

TEST(RmaDriver, NothingIsRegisteredAfterEnd) {
  run(2, [](Processor& me) {
    const std::uint32_t name = registered(me, kShared, 64);
    EXPECT_EQ(tidings_rma_put(&me.rma, me.pid(), kOwn, name, 0, 4), TIDINGS_RMA_OK);
    EXPECT_EQ(tidings_rma_end(&me.rma), TIDINGS_RMA_OK);
    EXPECT_EQ(tidings_rma_put(&me.rma, me.pid(), kOwn, name, 0, 4), TIDINGS_RMA_OK);
    EXPECT_EQ(tidings_rma_fence(&me.rma), TIDINGS_RMA_REFUSED);
    EXPECT_STREQ(tidings_error_text(&me.rma.error), "no region is registered there");
    EXPECT_EQ(registered(me, kShared, 64), name);
  });
}

TEST(RmaDriver, AnAbortEndsWhatOthersWaitFor) {
  run(5, [](Processor& me) {
    if (me.pid() == 3) {
      tidings_rma_abort(&me.rma, 77);
      tidings_rma_abort(&me.rma, 78);
    } else {
      EXPECT_EQ(tidings_rma_barrier(&me.rma), TIDINGS_RMA_ABORTED);
    }
    EXPECT_EQ(me.rma.abort_code, 77U);
    EXPECT_EQ(tidings_rma_put(&me.rma, 0, kOwn, 0, 0, 4), TIDINGS_RMA_ABORTED);
    EXPECT_EQ(tidings_rma_fence(&me.rma), TIDINGS_RMA_ABORTED);
    std::uint32_t name = 0;
    EXPECT_EQ(tidings_rma_register(&me.rma, kShared, 4, &name), TIDINGS_RMA_ABORTED);
  });
}

}  // namespace
