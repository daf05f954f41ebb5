// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_engine.h"

namespace tidings::cycle {
namespace {

RmaParameters rma_parameters(const SlotParameters& slot) {
  constexpr std::uint32_t kHeaders = 2;
  const bool none = slot.node.num_routes == 0 || slot.static_flits < kHeaders;
  return {.node = slot.node, .static_bytes = none ? 0 : 4 * (slot.static_flits - kHeaders)};
}

/// The word of a class that is for the engine, if there is one.
const ReceivedWord& word_of(unsigned message_class, const ReceivedWords& rx, std::uint32_t rx_valid) {
  static constexpr ReceivedWord kNoWord{};
  return has(rx_valid, message_class) ? rx[message_class] : kNoWord;
}

}  // namespace

RmaEngine::RmaEngine(const SlotParameters& parameters, NodeId node, SlotId slot)
    : registers_(parameters.node),
      initiator_(rma_parameters(parameters), node, slot),
      target_(rma_parameters(parameters), node, slot),
      names_(parameters.node.rma_names) {}

void RmaEngine::show(const ReceivedWords& rx, std::uint32_t rx_valid, const BusRequest* bus,
                     EngineOutputs& shown) const {
  shown.tx_valid = shown.read_valid = shown.write_valid = 0;
  shown.waiting = target_.queue_tail() != registers_.queue().head;
  shown.idle = initiator_.idle();
  shown.quiet = initiator_.quiet(word_of(kClassReply, rx, rx_valid));
  shown.route.reset();
  const std::optional<RmaCommand> command = command_of(bus);
  if (command || !initiator_.sleeps()) {
    const RmaCommand* const begun = command ? &*command : nullptr;
    if (initiator_.read_valid(begun)) shown.read_valid |= 1U << kInitiator;
    if (initiator_.request_valid(begun)) shown.tx_valid |= 1U << kClassRequest;
  }
  if (!target_.sleeps()) {
    if (target_.read_valid(word_of(kClassRequest, rx, rx_valid))) shown.read_valid |= 1U << kTarget;
    if (target_.reply_valid()) shown.tx_valid |= 1U << kClassReply;
  }
  if (rx_valid != 0 || !target_.sleeps()) {
    const ReceivedWord& request = word_of(kClassRequest, rx, rx_valid);
    if (initiator_.write_valid(word_of(kClassReply, rx, rx_valid))) shown.write_valid |= 1U << kInitiator;
    if (target_.write_valid(request, registers_.queue())) shown.write_valid |= 1U << kTarget;
    if (target_.route_valid(request, registers_.queue())) shown.route = RouteWrite::decode(request.data);
  }
}

std::optional<RmaCommand> RmaEngine::command_of(const BusRequest* bus) const {
  if (!RmaRegisters::is_command(bus)) return std::nullopt;
  return registers_.command(bus->data);
}

Flit RmaEngine::flit(unsigned message_class, const BusRequest* bus) const {
  if (message_class == kClassReply) return target_.reply_flit();
  const std::optional<RmaCommand> command = command_of(bus);
  return initiator_.request_flit(command ? &*command : nullptr);
}

std::uint32_t RmaEngine::read_address(unsigned port, const BusRequest* bus) const {
  if (port == kTarget) return target_.read_address();
  const std::optional<RmaCommand> command = command_of(bus);
  return initiator_.read_address(command ? &*command : nullptr);
}

bool RmaEngine::takes(unsigned message_class, const ReceivedWord& word, std::uint32_t write_ready,
                      bool route_ready) const {
  if (message_class == kClassReply) return initiator_.reply_ready(has(write_ready, kInitiator));
  const bool written = target_.to_routes() ? route_ready : has(write_ready, kTarget);
  return target_.request_ready(word, registers_.queue(), written);
}

EngineReport RmaEngine::clock_initiator(const ReceivedWord& reply, const EngineInputs& inputs) {
  const std::optional<RmaCommand> command = command_of(inputs.bus);
  const bool error_clear = RmaRegisters::clears_error(inputs.bus);
  const bool told = reply.valid || command || error_clear;
  const bool request_ready = has(inputs.tx_ready, kClassRequest);
  const bool read_ready = has(inputs.read_ready, kInitiator);
  const bool answered = has(inputs.data_valid, kInitiator);
  if (!told && initiator_.sends_on(request_ready)) {
    initiator_.clock_words(request_ready, read_ready, answered, inputs.data);
    return {};
  }
  const RmaInitiator::Events events = initiator_.clock(reply, {.command = command ? &*command : nullptr,
                                                               .error_clear = error_clear,
                                                               .request_ready = request_ready,
                                                               .read_ready = read_ready,
                                                               .data_valid = answered,
                                                               .data = inputs.data,
                                                               .write_ready = has(inputs.write_ready, kInitiator)});
  return {.failed = events.failed, .done = events.notify};
}

void RmaEngine::clock_target(const ReceivedWord& request, const EngineInputs& inputs) {
  const bool written = target_.to_routes() ? inputs.route_ready : has(inputs.write_ready, kTarget);
  const bool answered = has(inputs.data_valid, kTarget);
  if (!answered && !request.last && target_.receives_on()) {
    target_.clock_words(request, written);
  } else {
    target_.clock(request, registers_.regions(), names_, registers_.queue(),
                  {.reply_ready = has(inputs.tx_ready, kClassReply),
                   .read_ready = has(inputs.read_ready, kTarget),
                   .data_valid = answered,
                   .data = inputs.data,
                   .write_ready = written});
  }
}

EngineReport RmaEngine::clock(const EngineInputs& inputs) {
  EngineReport report;
  const bool told = inputs.bus != nullptr || has(inputs.rx_valid, kClassReply) || has(inputs.data_valid, kInitiator);
  if (told || !initiator_.sleeps()) {
    report = clock_initiator(word_of(kClassReply, inputs.rx, inputs.rx_valid), inputs);
  }
  if (has(inputs.rx_valid, kClassRequest) || has(inputs.data_valid, kTarget) || !target_.sleeps()) {
    clock_target(word_of(kClassRequest, inputs.rx, inputs.rx_valid), inputs);
  }
  const bool names = RmaRegisters::is_name_command(inputs.bus);
  const bool lost = names && names_.loses();
  if (names || names_.busy()) {
    const NameCommand command = names ? registers_.name_command(inputs.bus->data) : NameCommand{};
    names_.clock(names ? &command : nullptr, registers_.regions());
  }
  if (inputs.bus != nullptr && inputs.bus->write) registers_.write(inputs.bus->address, inputs.bus->data);
  if (lost) registers_.set_name_lost();
  return report;
}

bool RmaEngine::stream(const StreamInputs& inputs) {
  const bool sends = !initiator_.sleeps();
  if (sends && !initiator_.sends_on(inputs.sent)) return false;
  if (!target_.sleeps() || target_.to_routes() || names_.busy()) return false;
  if (inputs.word.valid && (inputs.word.last || !target_.receives_on())) return false;
  if (sends) initiator_.clock_words(inputs.sent, inputs.read_ready, inputs.data_valid, inputs.data);
  target_.clock_words(inputs.word, inputs.written);
  return true;
}

bool RmaEngine::show_stream(const ReceivedWord& word, StreamOutputs& shown) const {
  if (word.valid) {
    if (!target_.receives_on() || !target_.write_valid(word, registers_.queue())) return false;
    shown.write_valid = 1U << kTarget;
    target_.write(word, registers_.queue(), shown.write);
  }
  if (initiator_.sleeps()) return true;
  if (initiator_.read_valid(nullptr)) {
    shown.read_valid = 1U << kInitiator;
    shown.read_address = initiator_.read_address(nullptr);
  }
  if (initiator_.request_valid(nullptr)) {
    shown.offers = true;
    shown.flit = initiator_.request_flit(nullptr);
  }
  return true;
}

std::uint32_t RmaEngine::steady_cycles(const SteadyStream& stream, std::uint32_t most) const {
  if (stream.sends == initiator_.sleeps() || !target_.sleeps() || target_.to_routes() || names_.busy()) return 0;
  if (!stream.sends && !stream.memory.empty()) return 0;
  if (stream.sends) most = initiator_.steady_cycles(stream.memory, stream.first, most);
  if (stream.receives) most = target_.steady_cycles(stream.memory, most);
  if (stream.sends && stream.receives) {
    // Words are not written before or after they would have been read.
    constexpr std::uint64_t kWordBytes = 4;
    const RmaSender& sender = initiator_.sender();
    const std::uint64_t read = sender.read_address(), written = target_.write_address();
    if (read < written + target_.bytes_left() && written < read + kWordBytes * sender.reads_left()) return 0;
  }
  return most;
}

}  // namespace tidings::cycle
