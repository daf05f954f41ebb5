// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/slot.h"

namespace tidings::cycle {
namespace {

/// The parameters of a slot's engines: a neighbour packet that forks must fit where static packets do.
MpeParameters mpe_parameters(const SlotParameters& slot) {
  const bool fits = slot.static_flits >= slot.node.mpe_packet_words + 1;
  return {.node = slot.node,
          .direct_links = slot.direct_links,
          .multicast = slot.node.mpe_multicast != 0 && slot.direct_links != 0 && fits};
}

RmaParameters rma_parameters(const SlotParameters& slot) {
  constexpr std::uint32_t kHeaders = 2;
  const bool none = slot.node.num_routes == 0 || slot.static_flits < kHeaders;
  return {.node = slot.node, .static_bytes = none ? 0 : 4 * (slot.static_flits - kHeaders)};
}

}  // namespace

Slot::Slot(const SlotParameters& parameters, NodeId node, SlotId slot)
    : registers_(mpe_parameters(parameters), parameters.has_mpe, parameters.static_flits, node, slot),
      receivers_{SlotReceiver(parameters.node.slot_buffer_flits, parameters.has_mpe),
                 SlotReceiver(parameters.node.slot_buffer_flits, parameters.has_mpe)},
      transmitter_(parameters.node),
      initiator_(rma_parameters(parameters), node, slot),
      target_(rma_parameters(parameters), node, slot),
      has_mpe_(parameters.has_mpe),
      mpe_(mpe_parameters(parameters), node, slot),
      lane_credits_(parameters.node.slot_buffer_flits) {
  evaluate();
}

MemoryWrite Slot::memory_write() const {
  if (signals_.write_ready == kInitiator) return initiator_.write(signals_.received[kReply]);
  if (signals_.write_ready == kTarget) return target_.write(signals_.received[kRequest], registers_.queue());
  return mpe_.memory_write();
}

std::uint32_t Slot::read_address() const {
  if (signals_.read_ready == kInitiator) return initiator_.read_address();
  if (signals_.read_ready == kTarget) return target_.read_address();
  return mpe_.memory_read_address();
}

void Slot::evaluate() {
  Signals& s = signals_;
  for (unsigned c = 0; c < kClasses; ++c) s.received[c] = receivers_[c].rma_word();
  const ReceivedWord& request = s.received[kRequest];
  const ReceivedWord& reply = s.received[kReply];

  s.read_ready = memory_.read_ready((initiator_.read_valid() ? kInitiator : 0) | (target_.read_valid() ? kTarget : 0) |
                                    (mpe_.memory_read_valid() ? kMpe : 0));
  s.write_ready = memory_.write_ready((initiator_.write_valid(reply) ? kInitiator : 0) |
                                      (target_.write_valid(request, registers_.queue()) ? kTarget : 0) |
                                      (mpe_.memory_write_valid() ? kMpe : 0));
  const bool target_writes =
      target_.to_routes() ? routes_.rma_ready(registers_.route_valid()) : (s.write_ready & kTarget) != 0;
  s.pop[kRequest] =
      receivers_[kRequest].pop(target_.request_ready(request, registers_.queue(), target_writes), mpe_.rx_ready());
  s.pop[kReply] = receivers_[kReply].pop(initiator_.reply_ready((s.write_ready & kInitiator) != 0), true);
  s.sent_by[kRequest] =
      transmitter_.ready(kRequest, (initiator_.request_valid() ? kFromRma : 0) | (mpe_.request_valid() ? kFromMpe : 0));
  s.sent_by[kReply] =
      transmitter_.ready(kReply, (target_.reply_valid() ? kFromRma : 0) | (mpe_.reply_valid() ? kFromMpe : 0));
  s.leaving = transmitter_.leaving();
  lane_.reset();
  if (lane_credits_.available() && mpe_.lane_valid(registers_.links())) lane_ = mpe_.lane_flit(registers_.links());
  s.status = {.queue_tail = target_.queue_tail(),
              .rma_error = initiator_.error(),
              .rma_completed = initiator_.completed(),
              .rma_unacknowledged = initiator_.unacknowledged(),
              .rma_idle = initiator_.idle(),
              .mpe_completed = mpe_.completed(),
              .mpe_error = mpe_.error()};
  if (mpe_dropped_) s.status.mpe_error.unsupported = true;

  port_.flit_valid = s.leaving != 0;
  port_.flit = port_.flit_valid ? transmitter_.flit(s.leaving) : Flit{};
  port_.credits = static_cast<std::uint8_t>((s.pop[kRequest] ? 1U : 0) | (s.pop[kReply] ? 2U : 0));
  outputs_.bus_read_valid = registers_.bus_read_valid();
  outputs_.bus_read_data = registers_.bus_read_data();
  outputs_.interrupt = registers_.interrupt(s.status);
  outputs_.memory_read_valid = s.read_ready != 0;
  outputs_.memory_read_address = outputs_.memory_read_valid ? read_address() : 0;
  outputs_.memory_write_valid = s.write_ready != 0;
  outputs_.memory_write = outputs_.memory_write_valid ? memory_write() : MemoryWrite{};
  busy_ = registers_.busy() || transmitter_.busy() || initiator_.busy() || target_.busy() ||
          (has_mpe_ ? mpe_.busy(registers_.links()) : mpe_failed_) || receivers_[kRequest].busy() ||
          receivers_[kReply].busy() || routes_.write().has_value();
}

void Slot::send(unsigned message_class) {
  const std::uint32_t source = signals_.sent_by[message_class];
  if (source == 0) return;
  const bool request = message_class == kRequest;
  const Flit flit = source == kFromRma
                        ? (request ? initiator_.request_flit() : target_.reply_flit())
                        : (request ? mpe_.request_flit(registers_.links()) : mpe_.reply_flit(registers_.links()));
  transmitter_.take(message_class, source, flit);
}

void Slot::edge(const PortInput& port, const SlotInput& inputs, RouteSignals routes, const DirectInput& direct) {
  const Signals& s = signals_;
  const std::uint32_t answered = memory_.data_valid(inputs.memory_data_valid);

  // Flits are taken from the engines as they are before the edge.
  transmitter_.clock(s.leaving, port.credits);
  for (unsigned c = 0; c < kClasses; ++c) send(c);
  memory_.clock(s.read_ready, s.write_ready, inputs.memory_data_valid);

  SlotEvents events{.rma_notify = false, .mpe_done = mpe_.done(), .failed = mpe_.failed()};
  std::uint8_t tapped = 0;
  std::array<MpeTap, kMaxLinks> taps;
  for (std::size_t tap = 0; tap < taps.size(); ++tap) taps[tap] = taps_[tap].quiet();
  for (unsigned rest = direct.tapped; rest != 0; rest &= rest - 1) {
    const auto tap = static_cast<unsigned>(std::countr_zero(rest));
    taps[tap] = taps_[tap].take(direct.taps[tap]);
    if (taps[tap].valid) tapped |= static_cast<std::uint8_t>(1U << tap);
  }
  lane_credits_.clock(lane_.has_value(), direct.lane_credit);
  const Header1 stream = receivers_[kRequest].header1();
  const Header1 credit = receivers_[kReply].header1();
  const bool mpe_command = registers_.mpe_command_valid();
  events.failed = events.failed || mpe_failed_;
  mpe_failed_ = !has_mpe_ && mpe_command;
  mpe_dropped_ = mpe_dropped_ || mpe_failed_;
  if (has_mpe_)
    mpe_.clock({.command_valid = mpe_command,
                .command = mpe_command ? registers_.mpe_command() : MpeCommand{},
                .rx_valid = receivers_[kRequest].mpe_payload_valid(),
                .rx_info = MpeInfo::decode(stream.info),
                .rx_data = receivers_[kRequest].data(),
                .credit_valid = receivers_[kReply].mpe_header_valid(),
                .credit_info = MpeInfo::decode(credit.info),
                .credit_count = credit.length,
                .tapped = tapped,
                .taps = taps,
                .lane_ready = lane_.has_value(),
                .request_ready = s.sent_by[kRequest] == kFromMpe,
                .reply_ready = s.sent_by[kReply] == kFromMpe,
                .memory_read_ready = s.read_ready == kMpe,
                .memory_data_valid = answered == kMpe,
                .memory_data = inputs.memory_data,
                .memory_write_ready = s.write_ready == kMpe},
               registers_.links());
  const bool bus_route = registers_.route_valid();
  events.route_error = routes.refused || routes_.lost(bus_route, routes.write_taken);
  const ReceivedWord& request = s.received[kRequest];
  const bool to_routes = target_.to_routes();
  const bool route_ready = routes_.rma_ready(bus_route);
  std::optional<RouteWrite> software, network;
  if (bus_route) software = registers_.route();
  if (to_routes && target_.route_valid(request, registers_.queue())) network = RouteWrite::decode(request.data);
  routes_.clock(software, network, routes.write_taken);
  const RmaInitiator::Events rma = initiator_.clock(
      s.received[kReply], {.command_valid = registers_.rma_command_valid(),
                           .command = registers_.rma_command_valid() ? registers_.rma_command() : RmaCommand{},
                           .error_clear = registers_.rma_error_clear(),
                           .request_ready = s.sent_by[kRequest] == kFromRma,
                           .read_ready = s.read_ready == kInitiator,
                           .data_valid = answered == kInitiator,
                           .data = inputs.memory_data,
                           .write_ready = s.write_ready == kInitiator});
  target_.clock(s.received[kRequest], registers_.regions(), registers_.queue(),
                {.reply_ready = s.sent_by[kReply] == kFromRma,
                 .read_ready = s.read_ready == kTarget,
                 .data_valid = answered == kTarget,
                 .data = inputs.memory_data,
                 .write_ready = to_routes ? route_ready : s.write_ready == kTarget});
  events.rma_notify = rma.notify;
  events.failed = events.failed || rma.failed;
  registers_.clock(inputs.bus_valid ? &inputs.bus : nullptr, s.status, events);
  for (unsigned c = 0; c < kClasses; ++c) {
    const bool arrives = port.flit_valid && port.flit.vc == c;
    receivers_[c].clock(s.pop[c], arrives ? &port.flit : nullptr);
  }
}

}  // namespace tidings::cycle
