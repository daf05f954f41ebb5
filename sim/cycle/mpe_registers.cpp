// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_registers.h"

namespace tidings::cycle {
namespace {

using namespace registers;

/// The element of an array of registers that an address is of.
template <typename Register>
constexpr unsigned element_of(std::uint16_t address) {
  return (address - Register::kAddress) / Register::kInfo.stride;
}

}  // namespace

mpe_pkg::MpeCommand MpeRegisters::command(std::uint32_t written) const {
  const auto word = registers::MpeCommand::decode(written);
  mpe_pkg::MpeCommand command = command_;
  command.context_id = static_cast<std::uint8_t>(word.context_id);
  command.exchange = word.exchange;
  command.swap = static_cast<std::uint8_t>(word.swap);
  command.operation = static_cast<Collective>(word.operation);
  command.element = static_cast<Element>(word.element);
  command.combine = static_cast<Combine>(word.combine);
  command.parent = static_cast<std::uint8_t>(word.parent);
  command.children = static_cast<std::uint8_t>(word.children);
  return command;
}

std::uint32_t MpeRegisters::read(std::uint16_t address, std::uint32_t completed, const mpe_pkg::MpeError& error) const {
  if (registers::MpeLink::holds(address)) {
    const mpe_pkg::MpeLink& link = links_[element_of<registers::MpeLink>(address)];
    return registers::MpeLink{
        .node = link.node.value, .slot = link.slot.value, .peer_link = link.peer_link, .direct = link.direct}
        .encode();
  }
  switch (address) {
    case MpeSizes::kAddress:
      return MpeSizes{.contexts = parameters_.node.mpe_contexts,
                      .combine_ports = parameters_.node.mpe_combine_ports,
                      .packet_words = parameters_.node.mpe_packet_words,
                      .direct_links = parameters_.direct_links,
                      .multicast = parameters_.multicast,
                      .wide_elements = parameters_.node.mpe_wide_elements != 0,
                      .links = parameters_.node.mpe_links}
          .encode();
    case MpeSource::kAddress:
      return command_.source;
    case MpeDestination::kAddress:
      return command_.destination;
    case MpeCount::kAddress:
      return command_.count;
    case MpeDescriptor::kAddress:
      return command_.descriptor;
    case registers::MpeCommand::kAddress:
      return command_word_;
    case MpeCompleted::kAddress:
      return completed;
    case registers::MpeError::kAddress:
      return registers::MpeError{.mismatch = error.mismatch,
                                 .link = error.link,
                                 .overflow = error.overflow,
                                 .unsupported = error.unsupported,
                                 .context_id = error.context_id}
          .encode();
    case MpeReceived::kAddress:
      return error.received;
    default:
      return 0;
  }
}

void MpeRegisters::write(std::uint16_t address, std::uint32_t data) {
  if (registers::MpeLink::holds(address)) {
    const auto word = registers::MpeLink::decode(data);
    links_[element_of<registers::MpeLink>(address)] = {.direct = word.direct,
                                                       .node = NodeId{static_cast<std::uint16_t>(word.node)},
                                                       .slot = SlotId{static_cast<std::uint8_t>(word.slot)},
                                                       .peer_link = static_cast<std::uint8_t>(word.peer_link)};
    return;
  }
  switch (address) {
    case MpeSource::kAddress:
      command_.source = data;
      break;
    case MpeDestination::kAddress:
      command_.destination = data;
      break;
    case MpeCount::kAddress:
      command_.count = data;
      break;
    case MpeDescriptor::kAddress:
      command_.descriptor = data;
      break;
    case registers::MpeCommand::kAddress:
      command_word_ = data & registers::MpeCommand::kWritable;
      break;
    default:
      break;
  }
}

}  // namespace tidings::cycle
