// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_engine.h"

#include <bit>

namespace tidings::cycle {

MpeEngine::MpeEngine(const MpeParameters& parameters, NodeId node, SlotId slot)
    : registers_(parameters), mpe_(parameters, node, slot), lane_credits_(parameters.node.slot_buffer_flits) {}

EngineOutputs MpeEngine::outputs(const ReceivedWords& rx) const {
  // The engine takes words and credits without their headers.
  const bool word_ready = rx[kClassRequest].place != Place::kPayload || mpe_.rx_ready();
  return {.rx_ready = (word_ready ? 1U << kClassRequest : 0) | 1U << kClassReply,
          .tx_valid = (mpe_.request_valid() ? 1U << kClassRequest : 0) | (mpe_.reply_valid() ? 1U << kClassReply : 0),
          .read_valid = mpe_.memory_read_valid(),
          .write_valid = mpe_.memory_write_valid(),
          .failed = mpe_.failed(),
          .waiting = false};
}

Flit MpeEngine::flit(unsigned message_class) const {
  return message_class == kClassRequest ? mpe_.request_flit(registers_.links()) : mpe_.reply_flit(registers_.links());
}

void MpeEngine::clock(const EngineInputs& inputs) {
  if (inputs.bus == nullptr && inputs.rx_valid == 0 && !direct_->any() && !busy()) return;
  std::uint8_t tapped = 0;
  std::array<MpeTap, kMaxLinks> taps;
  for (std::size_t tap = 0; tap < taps.size(); ++tap) taps[tap] = taps_[tap].quiet();
  for (unsigned rest = direct_->tapped; rest != 0; rest &= rest - 1) {
    const auto tap = static_cast<unsigned>(std::countr_zero(rest));
    taps[tap] = taps_[tap].take(direct_->taps[tap]);
    if (taps[tap].valid) tapped |= static_cast<std::uint8_t>(1U << tap);
  }
  lane_credits_.clock(lane_taken_, direct_->lane_credit);
  const ReceivedWord& word = inputs.rx[kClassRequest];
  const ReceivedWord& credit = inputs.rx[kClassReply];
  const Header1 credits = Header1::decode(credit.header1);
  const bool command = MpeRegisters::is_command(inputs.bus);
  mpe_.clock({.command_valid = command,
              .command = command ? registers_.command(inputs.bus->data) : MpeCommand{},
              .rx_valid = (inputs.rx_valid >> kClassRequest & 1U) != 0 && word.place == Place::kPayload,
              .rx_info = MpeInfo::decode(Header1::decode(word.header1).info),
              .rx_data = word.data,
              .credit_valid = (inputs.rx_valid >> kClassReply & 1U) != 0 && credit.place == Place::kHeader1,
              .credit_info = MpeInfo::decode(credits.info),
              .credit_count = credits.length,
              .tapped = tapped,
              .taps = taps,
              .lane_ready = lane_taken_,
              .request_ready = (inputs.tx_ready >> kClassRequest & 1U) != 0,
              .reply_ready = (inputs.tx_ready >> kClassReply & 1U) != 0,
              .memory_read_ready = inputs.read_ready,
              .memory_data_valid = inputs.data_valid,
              .memory_data = inputs.data,
              .memory_write_ready = inputs.write_ready},
             registers_.links());
  if (inputs.bus != nullptr && inputs.bus->write) registers_.write(inputs.bus->address, inputs.bus->data);
}

}  // namespace tidings::cycle
