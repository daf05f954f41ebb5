// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/port_waves.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "generated/tidings_pkg.h"

namespace tidings::verify {
namespace {

constexpr unsigned kWord = tidings_pkg::kWordWidth, kVc = tidings_pkg::kVcWidth, kFlit = tidings_pkg::Flit::kWidth;
constexpr unsigned kCredits = tidings_pkg::kMaxVcs, kTokens = tidings_pkg::kBarrierGroups;
constexpr unsigned kLink = tidings_pkg::SideLink::kWidth;
constexpr unsigned kBusAddress = tidings_pkg::kBusAddressWidth, kBus = tidings_pkg::BusRequest::kWidth;
constexpr unsigned kMemoryWrite = tidings_pkg::MemoryWrite::kWidth, kStrobe = kMemoryWrite - 2 * kWord;

std::string digits(std::uint64_t value, unsigned width) {
  std::string text;
  for (unsigned bit = width; bit-- > 0;) text += (value >> bit & 1U) != 0 ? '1' : '0';
  return text;
}

std::string digits_if(bool valid, std::uint64_t value, unsigned width) {
  return valid ? digits(value, width) : std::string(width, 'x');
}

std::string digits_of(bool valid, const Flit& flit) {
  if (!valid) return std::string(kFlit, 'x');
  return digits(flit.vc, kVc) + digits(flit.last, 1) + digits(flit.data, kWord);
}

std::string digits_of(bool valid, const BusRequest& bus) {
  if (!valid) return std::string(kBus, 'x');
  return digits(bus.write, 1) + digits(bus.address, kBusAddress) + digits_if(bus.write, bus.data, kWord);
}

std::string digits_of(const SideLink& link) {
  return digits(link.stream.encode(), tidings_pkg::StreamLink::kWidth) +
         digits(link.word.encode(), tidings_pkg::SwitchLink::kWidth);
}

std::string digits_of(bool valid, const MemoryWrite& write) {
  if (!valid) return std::string(kMemoryWrite, 'x');
  return digits(write.address, kWord) + digits(write.strobe, kStrobe) + digits(write.data, kWord);
}

/// A packed vector: element 0 is lowest. Without elements there is one that is tied off.
template <typename Elements, typename Digits>
std::string packed(const Elements& elements, Digits&& digits) {
  if (elements.empty()) return digits(typename Elements::value_type{});
  std::string text;
  for (std::size_t i = elements.size(); i-- > 0;) text += digits(elements[i]);
  return text;
}

}  // namespace

PortWaves::PortWaves(std::size_t ports, std::size_t slots) {
  const std::size_t p = std::max<std::size_t>(ports, 1);
  signals_ = {{"clk_i", 1},
              {"flit_valid_i", p},
              {"flit_i", p * kFlit},
              {"credit_i", p * kCredits},
              {"token_i", p * kTokens},
              {"switch_i", p * kLink},
              {"bus_valid_i", slots},
              {"bus_i", slots * kBus},
              {"memory_data_valid_i", slots},
              {"memory_data_i", slots * kWord},
              {"flit_valid_o", p},
              {"flit_o", p * kFlit},
              {"credit_o", p * kCredits},
              {"token_o", p * kTokens},
              {"switch_o", p * kLink},
              {"bus_read_valid_o", slots},
              {"bus_read_data_o", slots * kWord},
              {"interrupt_o", slots},
              {"memory_read_valid_o", slots},
              {"memory_read_address_o", slots * kWord},
              {"memory_write_valid_o", slots},
              {"memory_write_o", slots * kMemoryWrite},
              {"busy_o", 1}};
  shown_.resize(signals_.size());
}

void PortWaves::show_clock(Picoseconds time, bool high) { show(time, "clk_i", digits(high, 1)); }

void PortWaves::show_inputs(Picoseconds time, const NodeInputs& inputs) {
  const auto& ports = inputs.ports;
  const auto& slots = inputs.slots;
  show(time, "flit_valid_i", packed(ports, [](const PortInput& p) { return digits(p.flit_valid, 1); }));
  show(time, "flit_i", packed(ports, [](const PortInput& p) { return digits_of(p.flit_valid, p.flit); }));
  show(time, "credit_i", packed(ports, [](const PortInput& p) { return digits(p.credits, kCredits); }));
  show(time, "token_i", packed(ports, [](const PortInput& p) { return digits(p.tokens, kTokens); }));
  show(time, "switch_i", packed(ports, [](const PortInput& p) { return digits_of(p.link); }));
  show(time, "bus_valid_i", packed(slots, [](const SlotInput& s) { return digits(s.bus_valid, 1); }));
  show(time, "bus_i", packed(slots, [](const SlotInput& s) { return digits_of(s.bus_valid, s.bus); }));
  show(time, "memory_data_valid_i", packed(slots, [](const SlotInput& s) { return digits(s.memory_data_valid, 1); }));
  show(time, "memory_data_i",
       packed(slots, [](const SlotInput& s) { return digits_if(s.memory_data_valid, s.memory_data, kWord); }));
}

void PortWaves::show_outputs(Picoseconds time, const NodeOutputs& outputs) {
  const auto& ports = outputs.ports;
  const auto& slots = outputs.slots;
  show(time, "flit_valid_o", packed(ports, [](const PortOutput& p) { return digits(p.flit_valid, 1); }));
  show(time, "flit_o", packed(ports, [](const PortOutput& p) { return digits_of(p.flit_valid, p.flit); }));
  show(time, "credit_o", packed(ports, [](const PortOutput& p) { return digits(p.credits, kCredits); }));
  show(time, "token_o", packed(ports, [](const PortOutput& p) { return digits(p.tokens, kTokens); }));
  show(time, "switch_o", packed(ports, [](const PortOutput& p) { return digits_of(p.link); }));
  show(time, "bus_read_valid_o", packed(slots, [](const SlotOutput& s) { return digits(s.bus_read_valid, 1); }));
  show(time, "bus_read_data_o",
       packed(slots, [](const SlotOutput& s) { return digits_if(s.bus_read_valid, s.bus_read_data, kWord); }));
  show(time, "interrupt_o", packed(slots, [](const SlotOutput& s) { return digits(s.interrupt, 1); }));
  show(time, "memory_read_valid_o", packed(slots, [](const SlotOutput& s) { return digits(s.memory_read_valid, 1); }));
  show(time, "memory_read_address_o",
       packed(slots, [](const SlotOutput& s) { return digits_if(s.memory_read_valid, s.memory_read_address, kWord); }));
  show(time, "memory_write_valid_o",
       packed(slots, [](const SlotOutput& s) { return digits(s.memory_write_valid, 1); }));
  show(time, "memory_write_o",
       packed(slots, [](const SlotOutput& s) { return digits_of(s.memory_write_valid, s.memory_write); }));
  show(time, "busy_o", digits(outputs.busy, 1));
}

void PortWaves::show(Picoseconds time, const std::string& name, std::string bits) {
  const auto signal = std::ranges::find(signals_, name, &Signal::name);
  if (bits.size() != signal->width) throw std::logic_error(name + " has " + std::to_string(signal->width) + " bits");
  const auto index = static_cast<std::size_t>(signal - signals_.begin());
  if (shown_[index] == bits) return;
  shown_[index] = bits;
  changes_.push_back({.time = time, .signal = index, .bits = std::move(bits)});
}

}  // namespace tidings::verify
