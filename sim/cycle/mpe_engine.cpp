// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_engine.h"

#include <bit>

namespace tidings::cycle {
namespace {

/// A neighbour packet that forks must fit where static packets do.
MpeParameters mpe_parameters(const SlotParameters& slot) {
  const bool fits = slot.static_flits >= slot.node.mpe_packet_words + 1;
  return {.node = slot.node,
          .direct_links = slot.direct_links,
          .multicast = slot.node.mpe_multicast != 0 && slot.direct_links != 0 && fits};
}

}  // namespace

MpeEngine::MpeEngine(const SlotParameters& parameters, NodeId node, SlotId slot)
    : MpeEngine(mpe_parameters(parameters), node, slot) {}

MpeEngine::MpeEngine(const MpeParameters& parameters, NodeId node, SlotId slot)
    : registers_(parameters), mpe_(parameters, node, slot), lane_credits_(parameters.node.slot_buffer_flits) {}

void MpeEngine::show(const ReceivedWords&, std::uint32_t, const BusRequest*, EngineOutputs& shown) const {
  show(shown);
}

Flit MpeEngine::flit(unsigned message_class, const BusRequest*) const {
  return message_class == kClassRequest ? mpe_.request_flit(registers_.links()) : mpe_.reply_flit(registers_.links());
}

void MpeEngine::receive(const EngineInputs& inputs) {
  MpeInputs& in = inputs_;
  const ReceivedWord& word = inputs.rx[kClassRequest];
  const ReceivedWord& credit = inputs.rx[kClassReply];
  in.rx_valid = has(inputs.rx_valid, kClassRequest) && word.place == Place::kPayload;
  if (in.rx_valid) {
    in.rx_info = MpeInfo::decode(Header1::decode(word.header1).info);
    in.rx_data = word.data;
  }
  in.credit_valid = has(inputs.rx_valid, kClassReply) && credit.place == Place::kHeader1;
  if (in.credit_valid) {
    const Header1 credits = Header1::decode(credit.header1);
    in.credit_info = MpeInfo::decode(credits.info);
    in.credit_count = credits.length;
  }
}

EngineReport MpeEngine::clock(const EngineInputs& inputs) {
  const EngineReport report{.failed = mpe_.failed(), .done = mpe_.done()};
  MpeInputs& in = inputs_;
  for (unsigned rest = flits_ & ~unsigned{inputs.direct.tapped}; rest != 0; rest &= rest - 1) {
    const auto tap = static_cast<unsigned>(std::countr_zero(rest));
    taps_[tap].quiet(in.taps[tap]);
  }
  in.tapped = 0;
  flits_ = inputs.direct.tapped;
  for (unsigned rest = flits_; rest != 0; rest &= rest - 1) {
    const auto tap = static_cast<unsigned>(std::countr_zero(rest));
    taps_[tap].take(inputs.direct.taps[tap], in.taps[tap]);
    if (in.taps[tap].valid) in.tapped |= static_cast<std::uint8_t>(1U << tap);
  }
  lane_credits_.clock(inputs.lane_taken, inputs.direct.lane_credit);
  in.command_valid = MpeRegisters::is_command(inputs.bus);
  if (in.command_valid) in.command = registers_.command(inputs.bus->data);
  in.rx_valid = in.credit_valid = false;
  if (inputs.rx_valid != 0) receive(inputs);
  in.lane_ready = inputs.lane_taken;
  in.request_ready = has(inputs.tx_ready, kClassRequest);
  in.reply_ready = has(inputs.tx_ready, kClassReply);
  in.memory_read_ready = inputs.read_ready != 0;
  in.memory_data_valid = inputs.data_valid != 0;
  in.memory_data = inputs.data;
  in.memory_write_ready = inputs.write_ready != 0;
  mpe_.clock(in, registers_.links());
  if (inputs.bus != nullptr && inputs.bus->write) registers_.write(inputs.bus->address, inputs.bus->data);
  return report;
}

}  // namespace tidings::cycle
