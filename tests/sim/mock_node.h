// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mock_node.h
/// A node without RTL, just rich enough to see what a machine does with its wires, buses and memories.
#include <cstdint>
#include <memory>
#include <utility>

#include "sim/machine/machine.h"
#include "sim/machine/node.h"
#include "tests/sim/mock_registers.h"

namespace tidings::mock {

/// Registers of a slot, as mock_registers.h says. Reads take two cycles.
enum Register : std::uint16_t {
  kLastFlit = MOCK_LAST_FLIT,
  kFlits = MOCK_FLITS,
  kCredits = MOCK_CREDITS,
  kScratch = MOCK_SCRATCH,
  kInterrupt = MOCK_INTERRUPT,
  kLoad = MOCK_LOAD,
  kStore = MOCK_STORE,
  kAccesses = MOCK_ACCESSES,
  kDelay = MOCK_DELAY,
  kSendOnPort = MOCK_SEND_ON_PORT,
};

/// Every port passes a flit on to the opposite port while its top byte, which it counts down, is not zero.
/// Each flit that comes in is answered with a credit and raises the interrupt line of slot 0.
class MockNode : public Node {
 public:
  MockNode(std::size_t ports, std::size_t slots) : slots_(slots) {
    outputs_.ports.resize(ports);
    outputs_.slots.resize(slots);
  }

  [[nodiscard]] const NodeOutputs& outputs() const override { return outputs_; }

  void step(const NodeInputs& inputs) override {
    for (PortOutput& port : outputs_.ports) port = {};
    for (SlotOutput& slot : outputs_.slots) {
      const bool interrupt = slot.interrupt;
      slot = {};
      slot.interrupt = interrupt;
    }
    for (std::size_t s = 0; s < slots_.size(); ++s) step_slot(s, inputs.slots[s]);
    for (std::size_t p = 0; p < inputs.ports.size(); ++p) step_port(p, inputs.ports[p]);
    outputs_.busy = false;
    for (const PortOutput& port : outputs_.ports) outputs_.busy |= port.flit_valid || port.credits != 0;
    for (const SlotOutput& slot : outputs_.slots) {
      outputs_.busy |= slot.bus_read_valid || slot.memory_read_valid || slot.memory_write_valid;
    }
    for (const Slot& slot : slots_) outputs_.busy |= slot.answer_valid || slot.left != 0;
  }

 private:
  struct Slot {
    std::uint32_t scratch = 0;
    std::uint32_t accesses = 0;
    bool answer_valid = false;
    std::uint32_t answer = 0;
    std::uint32_t delay = 0;
    std::uint32_t left = 0;  ///< cycles until the delayed access
    BusRequest delayed;
  };

  static constexpr unsigned kHopShift = 24;

  void step_slot(std::size_t s, const SlotInput& input) {
    Slot& slot = slots_[s];
    SlotOutput& output = outputs_.slots[s];
    output.bus_read_valid = slot.answer_valid;
    output.bus_read_data = slot.answer_valid ? slot.answer : 0;
    slot.answer_valid = false;
    if (input.memory_data_valid) slot.scratch = input.memory_data;
    if (slot.left != 0 && --slot.left == 0) write(slot, output, slot.delayed);
    if (!input.bus_valid) return;
    if (input.bus.write && slot.delay != 0 && (input.bus.address == kLoad || input.bus.address == kStore)) {
      slot.left = std::exchange(slot.delay, 0);
      slot.delayed = input.bus;
    } else if (input.bus.write) {
      write(slot, output, input.bus);
    } else {
      slot.answer_valid = true;
      slot.answer = read(slot, input.bus.address);
    }
    ++slot.accesses;
  }

  std::uint32_t read(const Slot& slot, std::uint16_t address) const {
    switch (address) {
      case kLastFlit:
        return last_flit_;
      case kFlits:
        return flits_;
      case kCredits:
        return credits_;
      case kScratch:
        return slot.scratch;
      case kAccesses:
        return slot.accesses;
      default:
        return 0;
    }
  }

  void write(Slot& slot, SlotOutput& output, const BusRequest& bus) {
    if (bus.address == kScratch) slot.scratch = bus.data;
    if (bus.address == kDelay) slot.delay = bus.data;
    if (bus.address == kInterrupt) output.interrupt = bus.data != 0;
    if (bus.address == kLoad) {
      output.memory_read_valid = true;
      output.memory_read_address = bus.data;
    }
    if (bus.address == kStore) {
      output.memory_write_valid = true;
      output.memory_write = {.address = bus.data, .strobe = 0xf, .data = slot.scratch};
    }
    if (bus.address >= kSendOnPort) {
      outputs_.ports[(bus.address - kSendOnPort) / 4U] = {.flit_valid = true,
                                                          .flit = {.vc = 1, .last = true, .data = bus.data}};
    }
  }

  void step_port(std::size_t p, const PortInput& input) {
    credits_ += input.credits;
    if (!input.flit_valid) return;
    ++flits_;
    last_flit_ = input.flit.data;
    outputs_.slots[0].interrupt = true;
    outputs_.ports[p].credits = 1;
    if (input.flit.data >> kHopShift == 0) return;
    outputs_.ports[p ^ 1].flit_valid = true;
    outputs_.ports[p ^ 1].flit = {.vc = input.flit.vc, .last = true, .data = input.flit.data - (1U << kHopShift)};
  }

  std::vector<Slot> slots_;
  std::uint32_t last_flit_ = 0;
  std::uint32_t flits_ = 0;
  std::uint32_t credits_ = 0;
  NodeOutputs outputs_;
};

/// Makes mock nodes for a machine of this configuration.
inline NodeFactory factory(const MachineConfig& config) {
  return [ports = 2 * config.topology.size.size(), slots = config.topology.slots](NodeIndex, const NodePlace&) {
    return std::make_unique<MockNode>(ports, slots);
  };
}

}  // namespace tidings::mock
