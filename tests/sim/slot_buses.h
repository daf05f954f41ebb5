// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_buses.h
/// The bus boundary of drivers on a machine in this process: a handle per slot. It defines
/// what drivers call, so that one source of a test includes it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "drivers/driver.h"
#include "sim/machine/machine.h"

namespace tidings::test {

inline constexpr std::uint32_t kMostSlots = 64, kMemory = 1U << 16;
inline constexpr std::uint64_t kPatience = 50'000;  ///< cycles until a read is answered

inline std::unique_ptr<Machine> machine;
inline std::vector<std::byte> memory;   ///< `kMemory` bytes per slot
inline std::uint64_t delay = 0;         ///< cycles until what is written next is written
inline std::uint64_t write_cycles = 0;  ///< that pass with each write

}  // namespace tidings::test

struct tidings_bus {
  tidings::Endpoint endpoint;
  std::byte* memory;
};

extern "C" {

tidings_bus* tidings_bus_open(std::uint32_t slot) {
  using namespace tidings::test;
  static std::array<tidings_bus, kMostSlots> buses;
  buses.at(slot) = {machine->topology().endpoint(slot), memory.data() + std::size_t{slot} * kMemory};
  return &buses.at(slot);
}
void tidings_bus_close(tidings_bus*) {}
std::uint32_t tidings_bus_read(tidings_bus* bus, std::uint32_t address) {
  using namespace tidings::test;
  machine->bus_read(bus->endpoint, machine->now(), static_cast<std::uint16_t>(address));
  const tidings::RunResult result = machine->run_until(machine->now() + kPatience);
  if (result.reads.empty()) throw std::runtime_error("a read has no answer");
  return result.reads.front().data;
}
void tidings_bus_write(tidings_bus* bus, std::uint32_t address, std::uint32_t value) {
  using namespace tidings::test;
  machine->bus_write(bus->endpoint, machine->now() + delay, static_cast<std::uint16_t>(address), value);
  if (write_cycles != 0) static_cast<void>(machine->run_until(machine->now() + write_cycles));
}
void tidings_bus_wait(tidings_bus*) { throw std::logic_error("nobody waits here"); }
tidings_memory tidings_bus_memory(tidings_bus* bus) { return {bus->memory, tidings::test::kMemory}; }
}
