// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Driver calls of static routes, on a single router of twins.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "drivers/route.h"
#include "sim/cycle/machine_fabric.h"
#include "tests/sim/slot_buses.h"

namespace {

using namespace tidings;
using namespace tidings::test;

constexpr std::uint32_t kQueueBase = 0, kQueueLog2 = 2, kTransmitBase = 4096, kTransmitSlots = 2;

/// A single router, and the drivers of its slots.
class RouteDriver : public testing::TestWithParam<std::uint32_t> {
 protected:
  RouteDriver() : slots_(GetParam()), drivers_(slots_) {
    MachineConfig config;
    config.topology = {TopologyKind::kCrossbar, {}, slots_};
    config.node.crosspoint = 1;
    config.node.num_routes = kRoutes;
    config.node.crosspoint_flits = 32;
    machine = std::make_unique<Machine>(config, slots_, cycle::machine_fabric_factory());
    write_cycles = 1;  // a change is written before the next one takes its place
    memory.assign(std::size_t{slots_} * kMemory, std::byte{0});
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      machine->attach_memory(machine->topology().endpoint(slot),
                             std::span(memory).subspan(std::size_t{slot} * kMemory, kMemory));
      if (tidings_driver_open(&drivers_[slot], tidings_bus_open(slot), kQueueBase, kQueueLog2, kTransmitBase,
                              kTransmitSlots) != 0) {
        throw std::runtime_error("no driver");
      }
    }
  }
  ~RouteDriver() override { machine.reset(); }

  [[nodiscard]] std::uint64_t all() const { return ~std::uint64_t{0} >> (64 - slots_); }

  /// Slots that get a message of a slot along a route, one bit each; its word is checked.
  std::uint64_t reached(std::uint32_t from, std::uint32_t route, std::uint32_t word) {
    std::memcpy(tidings_send_room(&drivers_[from]), &word, sizeof word);
    tidings_send_along(&drivers_[from], route, sizeof word);
    static_cast<void>(machine->run_until(machine->now() + kPatience));
    std::uint64_t slots = 0;
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      tidings_message message;
      if (!tidings_receive(&drivers_[slot], &message)) continue;
      slots |= std::uint64_t{1} << slot;
      EXPECT_EQ(message.bytes, sizeof word);
      EXPECT_EQ(std::memcmp(message.payload, &word, sizeof word), 0);
      EXPECT_EQ(tidings_slot_number(message.source), from);
      tidings_release(&drivers_[slot]);
      EXPECT_FALSE(tidings_receive(&drivers_[slot], &message)) << "slot " << slot << " got it twice";
    }
    return slots;
  }

  static constexpr std::uint32_t kRoutes = 4;
  std::uint32_t slots_;
  std::vector<tidings_driver> drivers_;
};

TEST_P(RouteDriver, SaysWhatTheRouterHas) {
  const struct tidings_routes routes = tidings_read_routes(&drivers_[slots_ - 1]);
  EXPECT_EQ(routes.routes, kRoutes);
  EXPECT_EQ(routes.message_bytes, 4 * (32 - 2));  // a crosspoint's flits, but two of the headers
}

TEST_P(RouteDriver, SendsToTheSlotsOfTheRouteThatWasSetLastAndToNoOthers) {
  const std::uint64_t some = 0x8001'4000'8002'0105U & all();
  const std::uint64_t others = 0x0000'0001'0000'8008U & all();
  tidings_route(&drivers_[1], 3, all());
  tidings_route(&drivers_[1], 2, some);
  EXPECT_EQ(reached(1, 2, 11), some);
  EXPECT_EQ(reached(0, 2, 12), some);
  tidings_route(&drivers_[0], 2, others);
  EXPECT_EQ(reached(1, 2, 13), others);
  EXPECT_EQ(reached(2, 3, 14), all());
}

TEST_P(RouteDriver, SetsARouteWhileAllOthersChangeTheirs) {
  for (std::uint32_t slot = 1; slot < slots_; ++slot) {
    const registers::Route change{.ports = 1, .index = 1};
    machine->bus_write(machine->topology().endpoint(slot), machine->now() + 2, registers::Route::kAddress,
                       change.encode());
  }
  tidings_route(&drivers_[0], 2, all());
  EXPECT_EQ(reached(1, 2, 15), all());
}

INSTANTIATE_TEST_SUITE_P(Slots, RouteDriver, testing::Values(4U, 20U, 64U));

}  // namespace
