// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/slot.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tidings::cycle {
namespace {

/// A memory port of a slot: the engine whose it is, and its number there.
struct Source {
  unsigned engine = 0;
  unsigned port = 0;
};

constexpr unsigned kNumSources = memory_ports_below(kNumEngines);

/// All memory ports of a slot.
constexpr std::array<Source, kNumSources> kSources = [] {
  std::array<Source, kNumSources> sources{};
  for (unsigned e = 0, number = 0; e < kNumEngines; ++e) {
    for (unsigned port = 0; port < memory_ports(static_cast<Engine>(e)); ++port) {
      sources[number++] = {.engine = e, .port = port};
    }
  }
  return sources;
}();

/// The first memory port of each engine.
constexpr std::array<unsigned, kNumEngines> kFirstSource = [] {
  std::array<unsigned, kNumEngines> first{};
  for (unsigned e = 0; e < kNumEngines; ++e) first[e] = memory_ports_below(e);
  return first;
}();

/// The memory ports of each engine, one bit each by their numbers in it.
constexpr std::array<std::uint32_t, kNumEngines> kPorts = [] {
  std::array<std::uint32_t, kNumEngines> ports{};
  for (unsigned e = 0; e < kNumEngines; ++e) ports[e] = (1U << memory_ports(static_cast<Engine>(e))) - 1;
  return ports;
}();

/// The memory ports of an engine, out of a set of those of all engines.
constexpr std::uint32_t ports_of(unsigned engine, std::uint32_t sources) {
  return sources >> kFirstSource[engine] & kPorts[engine];
}

/// The memory port of a set that has one.
constexpr const Source& source_of(std::uint32_t sources) {
  return kSources[static_cast<unsigned>(std::countr_zero(sources))];
}

/// What tells the router of words that are taken, by class.
constexpr std::uint8_t credits_of(const std::array<bool, kNumClasses>& pop) {
  return static_cast<std::uint8_t>((pop[kClassRequest] ? 1U << kClassRequest : 0) |
                                   (pop[kClassReply] ? 1U << kClassReply : 0));
}

/// Change what a set says of one engine.
constexpr void put(std::uint32_t& set, std::uint32_t mask, std::uint32_t bits, unsigned lsb) {
  set = (set & ~(mask << lsb)) | bits << lsb;
}

}  // namespace

Slot::Slot(const SlotParameters& parameters, NodeId node, SlotId slot)
    : registers_(parameters.node, parameters.engines, parameters.static_flits, node, slot),
      receivers_{SlotReceiver(parameters.node.slot_buffer_flits, parameters.engines),
                 SlotReceiver(parameters.node.slot_buffer_flits, parameters.engines)},
      transmitter_(parameters.node) {
  for (unsigned e = 0; e < kNumEngines; ++e) {
    const auto number = static_cast<Engine>(e);
    if ((parameters.engines & engine_bit(number)) == 0) continue;
    engines_[e] = make_engine(number, parameters, node, slot);
    present_ |= 1U << e;
    if (engines_[e]->has_streams()) streamers_ |= 1U << e;
    if (engines_[e]->busy()) awake_ |= 1U << e;
    if (number == Engine::kRma) rma_ = static_cast<RmaEngine*>(engines_[e].get());
    if (number == Engine::kMpe) mpe_ = static_cast<MpeEngine*>(engines_[e].get());
  }
  clocked_ = present_;
  evaluate();
}

void Slot::ask(std::uint32_t engines) {
  Signals& s = signals_;
  Asked& asked = s.asked;
  const SlotStatus before = asked.status;
  for (std::uint32_t rest = engines; rest != 0; rest &= rest - 1) {
    const auto e = static_cast<unsigned>(std::countr_zero(rest));
    EngineOutputs& shown = s.engines[e];
    engines_[e]->show(s.received, s.words[e], access_to(e), shown);
    put(asked.reads, kPorts[e], shown.read_valid, kFirstSource[e]);
    put(asked.writes, kPorts[e], shown.write_valid, kFirstSource[e]);
    for (unsigned c = 0; c < kNumClasses; ++c) put(asked.offers[c], 1, shown.tx_valid >> c & 1U, e);
    put(asked.status.waiting, 1, shown.waiting ? 1 : 0, e);
    put(asked.status.idle, 1, shown.idle ? 1 : 0, e);
    put(asked.lanes, 1, shown.lane ? 1 : 0, e);
    put(asked.routes, 1, shown.route ? 1 : 0, e);
  }
  changed_ = changed_ || asked.status != before;
}

template <typename Offer>
void Slot::show_port(Offer&& offer) {
  Signals& s = signals_;
  s.leaving = transmitter_.leaving(s.sent_by);
  s.direct = transmitter_.goes_past(s.leaving);
  port_.flit_valid = s.leaving != 0;
  port_.flit = {};
  if (s.direct) {
    const unsigned c = s.leaving >> 1;
    port_.flit = offer(c);
    port_.flit.vc = static_cast<std::uint8_t>(c);
  } else if (port_.flit_valid) {
    port_.flit = transmitter_.flit(s.leaving);
  }
  port_.credits = credits_of(s.pop);
}

bool Slot::stream(const PortInput& port, const SlotInput& inputs) {
  Signals& s = signals_;
  const std::uint32_t moving = awake_ | s.receivers;
  const auto e = static_cast<unsigned>(std::countr_zero(moving));
  const unsigned first = kFirstSource[e];
  const std::uint32_t ports = kPorts[e] << first;
  const std::uint32_t answered = memory_.data_valid(inputs.memory_data_valid);
  if (((s.asked.reads | s.asked.writes | answered) & ~ports) != 0) return false;

  const bool sent = s.sent_by[kClassRequest] != 0;
  const bool left = sent && s.direct && s.leaving >> 1 == kClassRequest;
  const Flit flit = sent && !left ? offered(kClassRequest) : port_.flit;
  const ReceivedWord none;
  SlotEngine& engine = *engines_[e];
  if (!engine.stream({.word = s.receivers != 0 ? s.received[kClassRequest] : none,
                      .taken = s.pop[kClassRequest],
                      .written = s.write_ready != 0,
                      .sent = sent,
                      .read_ready = s.read_ready != 0,
                      .data_valid = answered != 0,
                      .data = inputs.memory_data}))
    return false;
  clocked_ = moving;
  changed_ = false;
  if (s.leaving != 0 || port.credits != 0) transmitter_.clock(s.leaving, port_.flit.last, port.credits);
  if (sent) transmitter_.take(kClassRequest, s.sent_by[kClassRequest], flit, left);
  memory_.clock(s.read_ready, s.write_ready, inputs.memory_data_valid);
  SlotReceiver& receiver = receivers_[kClassRequest];
  if (s.pop[kClassRequest] || port.flit_valid)
    receiver.clock(s.pop[kClassRequest], port.flit_valid ? &port.flit : nullptr);

  if (!show_stream(e)) evaluate();
  return true;
}

bool Slot::show_stream(unsigned e) {
  Signals& s = signals_;
  const unsigned first = kFirstSource[e];
  const std::uint32_t moving = 1U << e;
  const SlotReceiver& receiver = receivers_[kClassRequest];
  const ReceivedWord word = receiver.word();
  outputs_.memory_write = {};
  StreamOutputs shown{.write = outputs_.memory_write};
  if ((word.valid && receiver.engine() != static_cast<Engine>(e)) || !engines_[e]->show_stream(word, shown))
    return false;
  s.received[kClassRequest] = word;
  s.receiver[kClassRequest] = static_cast<Engine>(e);
  s.words[e] = word.valid ? 1U << kClassRequest : 0;
  s.receivers = word.valid ? moving : 0;
  s.addressed = 0;
  s.asked.reads = shown.read_valid << first;
  s.asked.writes = shown.write_valid << first;
  s.asked.offers[kClassRequest] = shown.offers ? moving : 0;
  s.read_ready = memory_.read_ready(s.asked.reads);
  s.write_ready = memory_.write_ready(s.asked.writes);
  s.pop[kClassRequest] = word.valid && s.write_ready != 0;
  s.sent_by[kClassRequest] = transmitter_.ready(kClassRequest, s.asked.offers[kClassRequest]);
  show_port([&shown](unsigned) { return shown.flit; });
  outputs_.memory_read_valid = s.read_ready != 0;
  outputs_.memory_read_address = s.read_ready != 0 ? shown.read_address : 0;
  outputs_.memory_write_valid = s.write_ready != 0;
  busy_ = s.leaving != 0 || s.receivers != 0 || awake_ != 0;
  const bool tail = (word.valid && word.last) || (port_.flit_valid && port_.flit.last);
  const bool waits = (s.sent_by[kClassRequest] != 0) != s.direct || !transmitter_.empty();
  streams_ = e == kRma && !tail && !waits && rma_->moves_words() ? Streams::kWords : Streams::kYes;
  return true;
}

void Slot::move_words(const PortInput& port, const SlotInput& inputs) {
  Signals& s = signals_;
  const bool left = s.leaving != 0;
  transmitter_.clock_word(kClassRequest, left, port.credits != 0);
  memory_.clock(s.read_ready, s.write_ready, inputs.memory_data_valid);
  if (awake_ != 0)
    rma_->sender().clock_word(s.read_ready != 0, inputs.memory_data_valid ? &inputs.memory_data : nullptr, left);
  SlotReceiver& receiver = receivers_[kClassRequest];
  if (s.receivers != 0) {
    receiver.take_payload();
    rma_->target().clock_written();
  }
  if (port.flit_valid) receiver.arrive(port.flit);

  if (receiver.busy() && !rma_->target().writes_payload()) {
    if (!show_stream(kRma)) evaluate();
    return;
  }
  if (receiver.busy() || s.receivers != 0) show_word_received();
  if (awake_ != 0) show_words_sent();
  busy_ = s.receivers != 0 || awake_ != 0;
}

void Slot::show_word_received() {
  Signals& s = signals_;
  const SlotReceiver& receiver = receivers_[kClassRequest];
  const bool valid = receiver.busy();
  if (valid && s.receivers != 0) {
    s.received[kClassRequest].data = receiver.payload().data;
    s.received[kClassRequest].last = receiver.payload().last;
  } else {
    s.received[kClassRequest] = receiver.word();
    s.receiver[kClassRequest] = Engine::kRma;
    s.words[kRma] = valid ? 1U << kClassRequest : 0;
    s.receivers = valid ? 1U << kRma : 0;
    s.asked.writes = s.write_ready = valid ? kRmaWrites : 0;
    s.pop[kClassRequest] = valid;
    port_.credits = valid ? 1U << kClassRequest : 0;
    outputs_.memory_write_valid = valid;
  }
  if (!valid) {
    outputs_.memory_write = {};
    return;
  }
  rma_->target().write_payload(receiver.payload().data, outputs_.memory_write);
  if (receiver.payload().last) streams_ = Streams::kYes;
}

void Slot::show_words_sent() {
  Signals& s = signals_;
  const RmaSender& sender = rma_->sender();
  s.asked.reads = sender.read_valid() ? kRmaReads : 0;
  s.read_ready = memory_.read_ready(s.asked.reads);
  outputs_.memory_read_valid = s.read_ready != 0;
  outputs_.memory_read_address = s.read_ready != 0 ? sender.read_address() : 0;
  const bool offers = sender.has_word();
  const bool leaves = offers && transmitter_.credits(kClassRequest) != 0;
  s.asked.offers[kClassRequest] = s.sent_by[kClassRequest] = offers ? 1U << kRma : 0;
  s.leaving = leaves ? 1U << kClassRequest : 0;
  s.direct = leaves;
  port_.flit_valid = leaves;
  port_.flit.vc = kClassRequest;
  port_.flit.last = leaves && sender.is_tail();
  port_.flit.data = leaves ? sender.word() : 0;
  if (offers != leaves || port_.flit.last) streams_ = Streams::kYes;
}

Slot::Steady Slot::steady(const PortInput& port, MemoryPort& memory, Cycle first, std::uint32_t most) const {
  const Signals& s = signals_;
  const Steady nothing{.stream = {.memory = memory, .first = first}};
  if (!streamed() || !may_stream(port, {}) || !transmitter_.empty() || tokens() != 0 || shows_links()) return nothing;
  const auto e = static_cast<unsigned>(std::countr_zero(awake_ | s.receivers));
  const std::uint32_t ports = kPorts[e] << kFirstSource[e];
  if (((s.asked.reads | s.asked.writes) & ~ports) != 0 || !memory_.reads_only_for(ports) ||
      s.asked.reads != s.read_ready)
    return nothing;
  Steady found{.stream = {.memory = memory, .first = first, .sends = s.leaving != 0, .receives = s.receivers != 0}};
  // Every word that is offered is taken, and another comes.
  const bool sent = s.sent_by[kClassRequest] != 0;
  if (found.stream.sends != sent || (sent && !s.direct)) return nothing;
  if (found.stream.receives != s.pop[kClassRequest] || found.stream.receives != port.flit_valid) return nothing;
  if (found.stream.receives && (port.flit.last || !receivers_[kClassRequest].inside_packet())) return nothing;
  const bool credit = port.credits == 1U << kClassRequest;
  if (port.credits != 0 && (!credit || !sent)) return nothing;
  if (sent && !credit) most = std::min(most, transmitter_.credits(kClassRequest) - 1);
  found.cycles = engines_[e]->steady_cycles(found.stream, most);
  return found;
}

void Slot::send_on(const SteadyStream& stream, std::span<std::uint32_t> words, bool credit) {
  Signals& s = signals_;
  const auto e = static_cast<unsigned>(std::countr_zero(awake_));
  const SteadyReads done = engines_[e]->send_on(stream, words);
  memory_.clock_reads(1U << (kFirstSource[e] + done.port), done.asked, done.answered);
  const auto edges = static_cast<std::uint32_t>(words.size());
  transmitter_.clock_past(kClassRequest, s.sent_by[kClassRequest], credit, edges);
}

void Slot::receive_on(const SteadyStream& stream, std::span<const std::uint32_t> words) {
  const auto e = static_cast<unsigned>(std::countr_zero(signals_.receivers));
  steady_words_.resize(words.size());
  receivers_[kClassRequest].clock_inside(words, steady_words_);
  memory_.clock_writes(signals_.write_ready);
  engines_[e]->receive_on(stream, steady_words_);
}

void Slot::show_steady() {
  if (!show_stream(static_cast<unsigned>(std::countr_zero(awake_ | signals_.receivers)))) evaluate();
}

void Slot::show_memory() {
  Signals& s = signals_;
  s.read_ready = memory_.read_ready(s.asked.reads);
  s.write_ready = memory_.write_ready(s.asked.writes);
  outputs_.memory_read_valid = s.read_ready != 0;
  outputs_.memory_read_address = 0;
  if (s.read_ready != 0) {
    const Source reader = source_of(s.read_ready);
    outputs_.memory_read_address = engines_[reader.engine]->read_address(reader.port, access_to(reader.engine));
  }
  outputs_.memory_write_valid = s.write_ready != 0;
  if (s.write_ready != 0) {
    const Source writer = source_of(s.write_ready);
    engines_[writer.engine]->write(writer.port, s.received, outputs_.memory_write);
  } else {
    outputs_.memory_write = {};
  }
}

void Slot::show_sent() {
  Signals& s = signals_;
  if ((s.asked.offers[kClassRequest] | s.asked.offers[kClassReply]) == 0 && transmitter_.empty()) {
    s.sent_by = {};
    s.leaving = 0;
    s.direct = false;
    port_.flit_valid = false;
    port_.flit = {};
    port_.credits = credits_of(s.pop);
  } else {
    s.sent_by[kClassRequest] = transmitter_.ready(kClassRequest, s.asked.offers[kClassRequest]);
    s.sent_by[kClassReply] = transmitter_.ready(kClassReply, s.asked.offers[kClassReply]);
    show_port([this](unsigned message_class) { return offered(message_class); });
  }
}

void Slot::show_rest() {
  Signals& s = signals_;
  if (changed_) {
    outputs_.bus_read_valid = registers_.bus_read_valid();
    outputs_.bus_read_data = registers_.bus_read_data();
    outputs_.interrupt = registers_.interrupts() && registers_.interrupt(s.asked.status);
  }
  // What waited for `rma` to be quiet goes on.
  if (s.engines[static_cast<unsigned>(Engine::kRma)].quiet && s.engines[static_cast<unsigned>(Engine::kBarrier)].held)
    awake_ |= engine_bit(Engine::kBarrier);
  busy_ = s.leaving != 0 || s.receivers != 0 || awake_ != 0 || registers_.busy() || routes_.write().has_value();
}

bool Slot::clock_alone(const PortInput& port, const SlotInput& inputs, const DirectInput& direct) {
  Signals& s = signals_;
  Asked& asked = s.asked;
  const std::uint32_t awake = awake_;
  const auto e = static_cast<unsigned>(std::countr_zero(awake));
  SlotEngine& engine = *engines_[e];
  EngineOutputs& shown = s.engines[e];
  const unsigned first = kFirstSource[e];
  const std::uint32_t answered = memory_.data_valid(inputs.memory_data_valid);
  if ((answered & ~(kPorts[e] << first)) != 0) return false;
  if (s.leaving != 0 || port.credits != 0) transmitter_.clock(s.leaving, port_.flit.last, port.credits);
  for (unsigned c = 0; c < kNumClasses; ++c) {
    if (s.sent_by[c] != 0) send(c);
  }
  if ((s.read_ready | s.write_ready | answered) != 0) {
    memory_.clock(s.read_ready, s.write_ready, inputs.memory_data_valid);
  }
  clocked_ = awake;
  streams_ = Streams::kNo;
  changed_ = false;
  const EngineReport report = engine.clock({.rx = s.received,
                                            .tx_ready = (s.sent_by[kClassRequest] != 0 ? 1U << kClassRequest : 0) |
                                                        (s.sent_by[kClassReply] != 0 ? 1U << kClassReply : 0),
                                            .read_ready = s.read_ready >> first,
                                            .data_valid = answered >> first,
                                            .data = inputs.memory_data,
                                            .write_ready = s.write_ready >> first,
                                            .direct = direct,
                                            .lane_taken = shown.lane.has_value(),
                                            .route_ready = routes_.ready(false),
                                            .quiet = s.engines[static_cast<unsigned>(Engine::kRma)].quiet});
  if (report.failed || report.done) {
    changed_ = true;
    registers_.clock(nullptr, asked.status, {.done = report.done ? awake : 0, .failed = report.failed}, 0);
  }
  if (!engine.busy()) awake_ = 0;

  // Engines that sleep ask for nothing, and what they show of their state stays as it was.
  const bool waiting = shown.waiting;
  const bool idle = shown.idle;
  engine.show(s.received, 0, nullptr, shown);
  asked.reads = shown.read_valid << first;
  asked.writes = shown.write_valid << first;
  asked.offers[kClassRequest] = has(shown.tx_valid, kClassRequest) ? awake : 0;
  asked.offers[kClassReply] = has(shown.tx_valid, kClassReply) ? awake : 0;
  asked.lanes = shown.lane ? awake : 0;
  asked.routes = shown.route ? awake : 0;
  if (shown.waiting != waiting || shown.idle != idle) {
    put(asked.status.waiting, 1, shown.waiting ? 1 : 0, e);
    put(asked.status.idle, 1, shown.idle ? 1 : 0, e);
    changed_ = true;
  }
  show_memory();
  show_sent();
  show_rest();
  if (awake_ == kMpeBit && mpe_->flows()) streams_ = Streams::kFlows;
  return true;
}

// One piece, of which the compiler sees all.
[[gnu::flatten]] void Slot::flow(const PortInput& port, const SlotInput& inputs, const DirectInput& direct) {
  Signals& s = signals_;
  const bool request = s.sent_by[kClassRequest] != 0;
  const bool reply = s.sent_by[kClassReply] != 0;
  if (s.leaving != 0 || port.credits != 0) transmitter_.clock(s.leaving, port_.flit.last, port.credits);
  if (request) transmitter_.take(kClassRequest, kMpeBit, mpe_->flit(kClassRequest, nullptr), false);
  if (reply) transmitter_.take(kClassReply, kMpeBit, mpe_->flit(kClassReply, nullptr), false);
  const bool reads = s.read_ready != 0;
  const bool writes = s.write_ready != 0;
  if (reads || writes || inputs.memory_data_valid) memory_.clock(s.read_ready, s.write_ready, inputs.memory_data_valid);
  EngineOutputs& shown = s.engines[kMpe];
  mpe_->flow({.lane_ready = shown.lane.has_value(),
              .request_ready = request,
              .reply_ready = reply,
              .memory_read_ready = reads,
              .memory_data_valid = inputs.memory_data_valid,
              .memory_data = inputs.memory_data,
              .memory_write_ready = writes},
             direct);
  clocked_ = kMpeBit;
  changed_ = false;
  if (!mpe_->busy()) awake_ = 0;

  mpe_->show(shown);
  s.asked.reads = shown.read_valid != 0 ? kMpePort : 0;
  s.asked.writes = shown.write_valid != 0 ? kMpePort : 0;
  s.asked.offers[kClassRequest] = has(shown.tx_valid, kClassRequest) ? kMpeBit : 0;
  s.asked.offers[kClassReply] = has(shown.tx_valid, kClassReply) ? kMpeBit : 0;
  s.asked.lanes = shown.lane ? kMpeBit : 0;
  s.read_ready = memory_.read_ready(s.asked.reads);
  outputs_.memory_read_valid = s.read_ready != 0;
  outputs_.memory_read_address = s.read_ready != 0 ? mpe_->read_address(0, nullptr) : 0;
  s.write_ready = s.asked.writes;
  if (s.write_ready != 0) {
    mpe_->write(0, s.received, outputs_.memory_write);
  } else if (writes) {
    outputs_.memory_write = {};
  }
  outputs_.memory_write_valid = s.write_ready != 0;
  if (shown.tx_valid != 0 || s.leaving != 0 || request || reply || !transmitter_.empty()) show_sent();
  busy_ = s.leaving != 0 || awake_ != 0;
  if (awake_ == 0 || !mpe_->flows()) streams_ = Streams::kNo;
}

void Slot::evaluate() {
  streams_ = Streams::kNo;
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
  s.addressed = registers_.addressed_engine();
  if (const std::uint32_t changed = (clocked_ | s.receivers | s.addressed) & present_; changed != 0) ask(changed);

  show_memory();
  s.pop = {};
  if (s.receivers != 0) take_words();
  show_sent();
  show_rest();
}

void Slot::take_words() {
  Signals& s = signals_;
  for (unsigned c = 0; c < kNumClasses; ++c) {
    const auto e = static_cast<unsigned>(s.receiver[c]);
    if (!has(s.words[e], c)) continue;
    s.pop[c] =
        engines_[e]->takes(c, s.received[c], ports_of(e, s.write_ready), routes_.ready(registers_.route_valid()));
  }
}

void Slot::send(unsigned message_class) {
  const std::uint32_t source = signals_.sent_by[message_class];
  if (source == 0) return;
  const bool left = signals_.direct && signals_.leaving >> 1 == message_class;
  transmitter_.take(message_class, source, left ? port_.flit : offered(message_class), left);
}

Flit Slot::offered(unsigned message_class) const {
  const auto engine = static_cast<unsigned>(std::countr_zero(signals_.sent_by[message_class]));
  return engines_[engine]->flit(message_class, access_to(engine));
}

std::uint32_t Slot::clock_engines(std::uint32_t addressed, std::uint32_t answered, std::uint32_t data,
                                  const DirectInput& direct, SlotEvents& events) {
  const Signals& s = signals_;
  std::uint32_t shown = 0;
  const bool route_ready = routes_.ready(registers_.route_valid());
  const bool quiet = s.engines[static_cast<unsigned>(Engine::kRma)].quiet;
  for (std::uint32_t rest = clocked_; rest != 0; rest &= rest - 1) {
    const auto e = static_cast<unsigned>(std::countr_zero(rest));
    const bool access = has(addressed, e);
    SlotEngine& engine = *engines_[e];
    if (access && !registers_.access().write) shown = engine.read_register(registers_.access().address);
    const EngineReport report = engine.clock({.rx = s.received,
                                              .rx_valid = s.words[e],
                                              .tx_ready = (s.sent_by[kClassRequest] >> e & 1U) << kClassRequest |
                                                          (s.sent_by[kClassReply] >> e & 1U) << kClassReply,
                                              .read_ready = ports_of(e, s.read_ready),
                                              .data_valid = ports_of(e, answered),
                                              .data = data,
                                              .write_ready = ports_of(e, s.write_ready),
                                              .bus = access ? &registers_.access() : nullptr,
                                              .direct = direct,
                                              .lane_taken = s.engines[e].lane.has_value(),
                                              .route_ready = route_ready,
                                              .quiet = quiet});
    events.failed = events.failed || report.failed;
    events.done |= (report.done ? 1U : 0U) << e;
    awake_ = (awake_ & ~(1U << e)) | (engine.busy() ? 1U : 0U) << e;
  }
  return shown;
}

void Slot::edge(const PortInput& port, const SlotInput& inputs, RouteSignals routes, const DirectInput& direct) {
  const Signals& s = signals_;
  const std::uint32_t answered = memory_.data_valid(inputs.memory_data_valid);

  // Flits are taken from the engines as they are before the edge.
  if (s.leaving != 0 || port.credits != 0) transmitter_.clock(s.leaving, port_.flit.last, port.credits);
  for (unsigned c = 0; c < kNumClasses; ++c) {
    if (s.sent_by[c] != 0) send(c);
  }
  if ((s.read_ready | s.write_ready) != 0 || inputs.memory_data_valid) {
    memory_.clock(s.read_ready, s.write_ready, inputs.memory_data_valid);
  }

  // Software sees what was shown before the edge.
  const bool access = registers_.busy();
  const SlotStatus shown = s.asked.status;
  const std::uint32_t addressed = s.addressed;
  clocked_ = awake_ | s.receivers | addressed;
  if (answered != 0) clocked_ |= 1U << source_of(answered).engine;
  if (direct.tapped != 0 || direct.lane_credit) clocked_ |= engine_bit(Engine::kMpe);
  if (direct.tokens != 0) clocked_ |= engine_bit(Engine::kBarrier);
  if (direct.switched != 0) clocked_ |= engine_bit(Engine::kAlltoall) | engine_bit(Engine::kStream);
  clocked_ &= present_;
  SlotEvents events;
  std::uint32_t engine_data = 0;
  if (clocked_ != 0) engine_data = clock_engines(addressed, answered, inputs.memory_data, direct, events);
  if (access || s.asked.routes != 0 || routes.refused || routes_.write()) clock_routes(routes, events);
  changed_ = false;
  if (access || inputs.bus_valid || events.any()) {
    changed_ = true;
    registers_.clock(inputs.bus_valid ? &inputs.bus : nullptr, shown, events, engine_data);
  }
  for (unsigned c = 0; c < kNumClasses; ++c) {
    const bool arrives = port.flit_valid && port.flit.vc == c;
    if (s.pop[c] || arrives) receivers_[c].clock(s.pop[c], arrives ? &port.flit : nullptr);
  }
}

void Slot::clock_routes(RouteSignals routes, SlotEvents& events) {
  const bool bus_route = registers_.route_valid();
  events.route_error = routes.refused || routes_.lost(bus_route, routes.write_taken);
  const std::uint32_t asking = signals_.asked.routes;
  if (!bus_route && asking == 0 && !routes.write_taken) return;
  std::optional<RouteWrite> software, network;
  if (asking != 0) network = signals_.engines[static_cast<unsigned>(std::countr_zero(asking))].route;
  if (bus_route) software = registers_.route();
  routes_.clock(software, network, routes.write_taken);
}

}  // namespace tidings::cycle
