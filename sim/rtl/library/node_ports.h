// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_ports.h
/// The ports of rtl/machine/node.sv as Verilator shows them, and the structures of node.h.
/// `Model` is Verilator's class of any module with ports of these names.
#include <cstdint>

#include "sim/machine/node.h"
#include "sim/rtl/library/packed_bits.h"

namespace tidings {

inline constexpr unsigned kWordBits = tidings_pkg::kWordWidth;
inline constexpr unsigned kMaxVcs = tidings_pkg::kMaxVcs;
inline constexpr unsigned kGroups = tidings_pkg::kBarrierGroups;

template <unsigned Ports, typename Model>
void set_port_inputs(Model& model, const PortInput* ports) {
  for (unsigned p = 0; p < Ports; ++p) {
    const PortInput& input = ports[p];
    set_bits(model.flit_valid_i, p, 1, input.flit_valid ? 1 : 0);
    if (input.flit_valid) store(model.flit_i, p * Flit::kWidth, input.flit);
    set_bits(model.credit_i, p * kMaxVcs, kMaxVcs, input.credits);
  }
}

/// Of nodes, beside set_port_inputs(). A machine has no such inputs.
template <unsigned Ports, typename Model>
void set_sideband_inputs(Model& model, const PortInput* ports) {
  for (unsigned p = 0; p < Ports; ++p) {
    set_bits(model.token_i, p * kGroups, kGroups, ports[p].tokens);
    store(model.switch_i, p * SideLink::kWidth, ports[p].link);
  }
}

template <unsigned Slots, typename Model>
void set_slot_inputs(Model& model, const SlotInput* slots) {
  for (unsigned s = 0; s < Slots; ++s) {
    const SlotInput& input = slots[s];
    set_bits(model.bus_valid_i, s, 1, input.bus_valid ? 1 : 0);
    if (input.bus_valid) store(model.bus_i, s * BusRequest::kWidth, input.bus);
    set_bits(model.memory_data_valid_i, s, 1, input.memory_data_valid ? 1 : 0);
    if (input.memory_data_valid) set_bits(model.memory_data_i, s * kWordBits, kWordBits, input.memory_data);
  }
}

/// Sidebands and data that do not count in a cycle read as zero, so that outputs can be compared.
template <unsigned Ports, typename Model>
void get_port_outputs(const Model& model, PortOutput* ports) {
  for (unsigned p = 0; p < Ports; ++p) {
    PortOutput& output = ports[p];
    output.flit_valid = get_bits(model.flit_valid_o, p, 1) != 0;
    output.flit = {};
    if (output.flit_valid) output.flit = load<Flit>(model.flit_o, p * Flit::kWidth);
    output.credits = static_cast<std::uint8_t>(get_bits(model.credit_o, p * kMaxVcs, kMaxVcs));
  }
}

/// Of nodes and machines, after get_port_outputs().
template <unsigned Ports, typename Model>
void get_sideband_outputs(const Model& model, PortOutput* ports) {
  for (unsigned p = 0; p < Ports; ++p) {
    ports[p].tokens = static_cast<std::uint8_t>(get_bits(model.token_o, p * kGroups, kGroups));
    ports[p].link = load<SideLink>(model.switch_o, p * SideLink::kWidth);
  }
}

/// As get_port_outputs().
template <unsigned Slots, typename Model>
void get_slot_outputs(const Model& model, SlotOutput* slots) {
  for (unsigned s = 0; s < Slots; ++s) {
    SlotOutput& output = slots[s];
    output = {};
    output.interrupt = get_bits(model.interrupt_o, s, 1) != 0;
    output.bus_read_valid = get_bits(model.bus_read_valid_o, s, 1) != 0;
    if (output.bus_read_valid) output.bus_read_data = get_bits(model.bus_read_data_o, s * kWordBits, kWordBits);
    output.memory_read_valid = get_bits(model.memory_read_valid_o, s, 1) != 0;
    if (output.memory_read_valid) {
      output.memory_read_address = get_bits(model.memory_read_address_o, s * kWordBits, kWordBits);
    }
    output.memory_write_valid = get_bits(model.memory_write_valid_o, s, 1) != 0;
    if (output.memory_write_valid) {
      output.memory_write = load<MemoryWrite>(model.memory_write_o, s * MemoryWrite::kWidth);
    }
  }
}

/// One clock period; it ends with the clock high, so that waveforms show the edge.
template <typename Model>
void clock_edge(Model& model) {
  model.clk_i = 0;
  model.eval();
  model.clk_i = 1;
  model.eval();
}

/// Reset with inputs at rest.
template <typename Model>
void reset(Model& model) {
  constexpr unsigned kResetCycles = 4;
  model.rst_ni = 0;
  for (unsigned cycle = 0; cycle < kResetCycles; ++cycle) clock_edge(model);
  model.rst_ni = 1;
}

}  // namespace tidings
