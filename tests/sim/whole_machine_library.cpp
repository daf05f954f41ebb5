// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of a machine wired in SystemVerilog. Compiled by tests/sim/build_libraries.py.
#include "tests/sim/whole_machine_library.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include "Vmachine_top.h"
#include "generated/built_node.h"
#include "sim/rtl/library/node_ports.h"
#include "verilated.h"

namespace tidings {

struct WholeMachine {
  VerilatedContext context;
  std::unique_ptr<Vmachine_top> model;
  std::string error;
};

namespace {

constexpr std::array<std::uint32_t, 4> kRadix{TIDINGS_RADIX};

constexpr unsigned count_nodes() {
  unsigned nodes = 1;
  for (unsigned dim = 0; dim < kBuiltNode.dims; ++dim) nodes *= kRadix[dim];
  return nodes;
}

constexpr unsigned kNodes = count_nodes();
constexpr unsigned kPorts = kNodes * 2 * kBuiltNode.dims;
constexpr unsigned kSlots = kNodes * kBuiltNode.num_slots;

WholeMachine* open() {
  auto machine = std::make_unique<WholeMachine>();
  machine->model = std::make_unique<Vmachine_top>(&machine->context, "machine_top");
  const std::array<SlotInput, kSlots> slots{};
  set_slot_inputs<kSlots>(*machine->model, slots.data());
  reset(*machine->model);
  return machine.release();
}

void close(WholeMachine* machine) { delete machine; }

void outputs(const WholeMachine* machine, PortOutput* ports, SlotOutput* slots, bool* busy) {
  get_port_outputs<kPorts>(*machine->model, ports);
  get_sideband_outputs<kPorts>(*machine->model, ports);
  get_slot_outputs<kSlots>(*machine->model, slots);
  for (unsigned node = 0; node < kNodes; ++node) busy[node] = get_bits(machine->model->node_busy_o, node, 1) != 0;
}

const char* step(WholeMachine* machine, const SlotInput* slots) {
  try {
    set_slot_inputs<kSlots>(*machine->model, slots);
    clock_edge(*machine->model);
  } catch (const std::exception& exception) {
    machine->error = exception.what();
    return machine->error.c_str();
  }
  return nullptr;
}

constexpr WholeMachineLibrary kLibrary{.parameters = kBuiltNode,
                                       .radix = {TIDINGS_RADIX},
                                       .wrap = kBuiltNode.dateline != 0,
                                       .link_latency = TIDINGS_LINK_LATENCY,
                                       .open = open,
                                       .close = close,
                                       .outputs = outputs,
                                       .step = step};

}  // namespace
}  // namespace tidings

extern "C" __attribute__((visibility("default"))) const tidings::WholeMachineLibrary* tidings_whole_machine_library() {
  return &tidings::kLibrary;
}

// What Verilator calls where an assertion fails (VL_USER_FATAL); it has printed which one.
void vl_fatal(const char* file, int line, const char*, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("assertion failed at " + std::string(file) + ":" + std::to_string(line));
}
