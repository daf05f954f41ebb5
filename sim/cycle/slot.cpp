// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/slot.h"

#include <bit>
#include <utility>

namespace tidings::cycle {
namespace {

RmaParameters rma_parameters(const SlotParameters& slot) {
  constexpr std::uint32_t kHeaders = 2;
  const bool none = slot.node.num_routes == 0 || slot.static_flits < kHeaders;
  return {.node = slot.node, .static_bytes = none ? 0 : 4 * (slot.static_flits - kHeaders)};
}

}  // namespace

Slot::Slot(const SlotParameters& parameters, NodeId node, SlotId slot)
    : registers_(parameters.node, parameters.engines, parameters.static_flits, node, slot),
      receivers_{SlotReceiver(parameters.node.slot_buffer_flits, parameters.engines),
                 SlotReceiver(parameters.node.slot_buffer_flits, parameters.engines)},
      transmitter_(parameters.node),
      initiator_(rma_parameters(parameters), node, slot),
      target_(rma_parameters(parameters), node, slot) {
  for (unsigned e = 1; e < kNumEngines; ++e) {
    const auto number = static_cast<Engine>(e);
    if ((parameters.engines & engine_bit(number)) == 0) continue;
    engines_[e] = make_engine(number, parameters, node, slot);
    present_ |= 1U << e;
    if (engines_[e]->busy()) awake_ |= 1U << e;
  }
  clocked_ = present_;
  evaluate();
}

MemoryWrite Slot::memory_write() const {
  if (signals_.write_ready == kInitiator) return initiator_.write(for_rma(kClassReply));
  if (signals_.write_ready == kTarget) return target_.write(for_rma(kClassRequest), registers_.queue());
  return engines_[static_cast<unsigned>(std::countr_zero(signals_.write_ready)) - 1]->write();
}

std::uint32_t Slot::read_address() const {
  if (signals_.read_ready == kInitiator) return initiator_.read_address();
  if (signals_.read_ready == kTarget) return target_.read_address();
  return engines_[static_cast<unsigned>(std::countr_zero(signals_.read_ready)) - 1]->read_address();
}

void Slot::ask(std::uint32_t engines) {
  Signals& s = signals_;
  for (std::uint32_t rest = engines; rest != 0; rest &= rest - 1) {
    const auto e = static_cast<unsigned>(std::countr_zero(rest));
    s.engines[e] = engines_[e]->outputs(s.received);
  }
  Asked asked;
  for (std::uint32_t rest = present_; rest != 0; rest &= rest - 1) {
    const auto e = static_cast<unsigned>(std::countr_zero(rest));
    const EngineOutputs& engine = s.engines[e];
    if (engine.read_valid) asked.reads |= memory_source(e);
    if (engine.write_valid) asked.writes |= memory_source(e);
    for (unsigned c = 0; c < kNumClasses; ++c) asked.offers[c] |= (engine.tx_valid >> c & 1U) << e;
    asked.waiting |= (engine.waiting ? 1U : 0U) << e;
    asked.failed = asked.failed || engine.failed;
    asked.done = asked.done || engine.done;
    if (engine.lane) asked.lane = engine.lane;
  }
  s.asked = asked;
}

void Slot::evaluate() {
  Signals& s = signals_;
  if (s.receivers != 0) s.words = {};
  s.receivers = 0;
  for (unsigned c = 0; c < kNumClasses; ++c) {
    if (!receivers_[c].busy()) continue;
    s.received[c] = receivers_[c].word();
    s.receiver[c] = receivers_[c].engine();
    const auto e = static_cast<unsigned>(s.receiver[c]);
    s.words[e] |= 1U << c;
    s.receivers |= 1U << e;
  }
  // An engine that was not clocked shows what it showed before.
  if (const std::uint32_t changed = (clocked_ | s.receivers) & present_; changed != 0) ask(changed);

  std::uint32_t reads = s.asked.reads;
  std::uint32_t writes = s.asked.writes;
  std::uint32_t requests = s.asked.offers[kClassRequest];
  std::uint32_t replies = s.asked.offers[kClassReply];
  if (!initiator_.sleeps()) {
    if (initiator_.read_valid()) reads |= kInitiator;
    if (initiator_.request_valid()) requests |= kFromRma;
  }
  if (!target_.sleeps()) {
    if (target_.read_valid()) reads |= kTarget;
    if (target_.reply_valid()) replies |= kFromRma;
  }
  if (s.words[0] != 0) {
    if (initiator_.write_valid(for_rma(kClassReply))) writes |= kInitiator;
    if (target_.write_valid(for_rma(kClassRequest), registers_.queue())) writes |= kTarget;
  }
  s.read_ready = memory_.read_ready(reads);
  s.write_ready = memory_.write_ready(writes);
  s.pop = {};
  if (s.receivers != 0) take_words();
  s.sent_by[kClassRequest] = transmitter_.ready(kClassRequest, requests);
  s.sent_by[kClassReply] = transmitter_.ready(kClassReply, replies);
  s.leaving = transmitter_.leaving();

  port_.flit_valid = s.leaving != 0;
  port_.flit = port_.flit_valid ? transmitter_.flit(s.leaving) : Flit{};
  port_.credits = static_cast<std::uint8_t>((s.pop[kClassRequest] ? 1U : 0) | (s.pop[kClassReply] ? 2U : 0));
  if (changed_) {
    outputs_.bus_read_valid = registers_.bus_read_valid();
    outputs_.bus_read_data = registers_.bus_read_data();
    outputs_.interrupt = registers_.interrupts() && registers_.interrupt(status());
  }
  outputs_.memory_read_valid = s.read_ready != 0;
  outputs_.memory_read_address = s.read_ready != 0 ? read_address() : 0;
  outputs_.memory_write_valid = s.write_ready != 0;
  outputs_.memory_write = s.write_ready != 0 ? memory_write() : MemoryWrite{};
  busy_ = s.leaving != 0 || s.receivers != 0 || awake_ != 0 || !initiator_.sleeps() || !target_.sleeps() ||
          registers_.busy() || routes_.write().has_value();
}

void Slot::take_words() {
  Signals& s = signals_;
  for (unsigned c = 0; c < kNumClasses; ++c) {
    const auto e = static_cast<unsigned>(s.receiver[c]);
    if ((s.words[e] >> c & 1U) == 0) continue;
    if (e != 0) {
      s.pop[c] = (s.engines[e].rx_ready >> c & 1U) != 0;
    } else if (c == kClassReply) {
      s.pop[c] = initiator_.reply_ready((s.write_ready & kInitiator) != 0);
    } else {
      const bool written =
          target_.to_routes() ? routes_.rma_ready(registers_.route_valid()) : (s.write_ready & kTarget) != 0;
      s.pop[c] = target_.request_ready(s.received[c], registers_.queue(), written);
    }
  }
}

void Slot::send(unsigned message_class) {
  const std::uint32_t source = signals_.sent_by[message_class];
  if (source == 0) return;
  if (source == kFromRma) {
    transmitter_.take(message_class, source,
                      message_class == kClassRequest ? initiator_.request_flit() : target_.reply_flit());
  } else {
    const auto engine = static_cast<unsigned>(std::countr_zero(source));
    transmitter_.take(message_class, source, engines_[engine]->flit(message_class));
  }
}

std::uint32_t Slot::clock_engines(std::uint32_t addressed, std::uint32_t answered, std::uint32_t data,
                                  const DirectInput& direct) {
  const Signals& s = signals_;
  std::uint32_t shown = 0;
  for (std::uint32_t rest = clocked_; rest != 0; rest &= rest - 1) {
    const auto e = static_cast<unsigned>(std::countr_zero(rest));
    const bool access = (addressed >> e & 1U) != 0;
    SlotEngine& engine = *engines_[e];
    if (access && !registers_.access().write) shown = engine.read_register(registers_.access().address);
    engine.clock({.rx = s.received,
                  .rx_valid = s.words[e],
                  .tx_ready = (s.sent_by[kClassRequest] >> e & 1U) << kClassRequest | (s.sent_by[kClassReply] >> e & 1U)
                                                                                          << kClassReply,
                  .read_ready = s.read_ready == memory_source(e),
                  .data_valid = answered == memory_source(e),
                  .data = data,
                  .write_ready = s.write_ready == memory_source(e),
                  .bus = access ? &registers_.access() : nullptr,
                  .direct = direct,
                  .lane_taken = s.engines[e].lane.has_value()});
    awake_ = (awake_ & ~(1U << e)) | (engine.busy() ? 1U : 0U) << e;
  }
  return shown;
}

void Slot::edge(const PortInput& port, const SlotInput& inputs, RouteSignals routes, const DirectInput& direct) {
  const Signals& s = signals_;
  const std::uint32_t answered = memory_.data_valid(inputs.memory_data_valid);

  // Flits are taken from the engines as they are before the edge.
  if (s.leaving != 0 || port.credits != 0) transmitter_.clock(s.leaving, port.credits);
  for (unsigned c = 0; c < kNumClasses; ++c) {
    if (s.sent_by[c] != 0) send(c);
  }
  if ((s.read_ready | s.write_ready) != 0 || inputs.memory_data_valid) {
    memory_.clock(s.read_ready, s.write_ready, inputs.memory_data_valid);
  }

  // Software sees what was shown before the edge.
  const bool access = registers_.busy();
  const SlotStatus shown = access ? status() : SlotStatus{};
  const std::uint32_t addressed = access ? registers_.addressed_engine() : 0;
  clocked_ = awake_ | s.receivers | addressed;
  if (direct.any()) clocked_ = present_;
  clocked_ &= present_;
  SlotEvents events{.done = s.asked.done, .failed = s.asked.failed};
  std::uint32_t engine_data = 0;
  if (clocked_ != 0) engine_data = clock_engines(addressed, answered, inputs.memory_data, direct);

  const bool to_routes = target_.to_routes();
  bool write_ready = s.write_ready == kTarget;
  if (access || to_routes || routes.refused || routes_.write()) {
    write_ready = clock_routes(routes, write_ready, events);
  }
  changed_ = access || clocked_ != 0;
  clock_rma(inputs, answered, write_ready, events);
  if (access || inputs.bus_valid || events.any()) {
    changed_ = true;
    registers_.clock(inputs.bus_valid ? &inputs.bus : nullptr, shown, events, engine_data);
  }
  for (unsigned c = 0; c < kNumClasses; ++c) {
    const bool arrives = port.flit_valid && port.flit.vc == c;
    if (s.pop[c] || arrives) receivers_[c].clock(s.pop[c], arrives ? &port.flit : nullptr);
  }
}

bool Slot::clock_routes(RouteSignals routes, bool write_ready, SlotEvents& events) {
  const bool bus_route = registers_.route_valid();
  events.route_error = routes.refused || routes_.lost(bus_route, routes.write_taken);
  const ReceivedWord& request = for_rma(kClassRequest);
  const bool to_routes = target_.to_routes();
  if (to_routes) write_ready = routes_.rma_ready(bus_route);
  if (bus_route || to_routes || routes.write_taken) {
    std::optional<RouteWrite> software, network;
    if (bus_route) software = registers_.route();
    if (to_routes && target_.route_valid(request, registers_.queue())) network = RouteWrite::decode(request.data);
    routes_.clock(software, network, routes.write_taken);
  }
  return write_ready;
}

void Slot::clock_rma(const SlotInput& inputs, std::uint32_t answered, bool write_ready, SlotEvents& events) {
  const Signals& s = signals_;
  const ReceivedWord& request = for_rma(kClassRequest);
  const ReceivedWord& reply = for_rma(kClassReply);
  const bool told = reply.valid || registers_.rma_command_valid() || registers_.rma_error_clear();
  const bool request_ready = s.sent_by[kClassRequest] == kFromRma;
  const bool initiator_answered = answered == kInitiator;
  if (!told && initiator_.sends_on(request_ready)) {
    initiator_.clock_words(request_ready, s.read_ready == kInitiator, initiator_answered, inputs.memory_data);
  } else if (told || initiator_answered || !initiator_.sleeps()) {
    changed_ = true;
    std::optional<RmaCommand> command;
    if (registers_.rma_command_valid()) command = registers_.rma_command();
    const RmaInitiator::Events rma = initiator_.clock(reply, {.command = command ? &*command : nullptr,
                                                              .error_clear = registers_.rma_error_clear(),
                                                              .request_ready = request_ready,
                                                              .read_ready = s.read_ready == kInitiator,
                                                              .data_valid = initiator_answered,
                                                              .data = inputs.memory_data,
                                                              .write_ready = s.write_ready == kInitiator});
    events.rma_notify = rma.notify;
    events.failed = events.failed || rma.failed;
  }

  const bool target_answered = answered == kTarget;
  if (!target_answered && !request.last && target_.receives_on()) {
    target_.clock_words(request, write_ready);
  } else if (request.valid || target_answered || !target_.sleeps()) {
    changed_ = true;
    target_.clock(request, registers_.regions(), registers_.queue(),
                  {.reply_ready = s.sent_by[kClassReply] == kFromRma,
                   .read_ready = s.read_ready == kTarget,
                   .data_valid = target_answered,
                   .data = inputs.memory_data,
                   .write_ready = write_ready});
  }
}

}  // namespace tidings::cycle
