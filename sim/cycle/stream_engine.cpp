// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/stream_engine.h"

#include <bit>

namespace tidings::cycle {
namespace {

using namespace registers;

/// The element of an array of registers that an address is of.
template <typename Register>
constexpr unsigned element_of(std::uint16_t address) {
  return (address - Register::kAddress) / Register::kInfo.stride;
}

constexpr std::uint32_t kReplies = 1U << kClassReply;

}  // namespace

StreamEngine::StreamEngine(const NodeParameters& parameters, NodeId node, SlotId slot)
    : parameters_(parameters),
      node_(node),
      slot_(slot),
      out_(parameters.stream_own_network != 0 ? tidings_pkg::kStreamLongestPacket
                                              : std::bit_ceil(parameters.stream_store_words)),
      store_(kQueues, parameters.stream_store_words) {
  if (parameters.stream_own_network != 0) network_.emplace(parameters, node);
}

bool StreamEngine::busy() const {
  // A packet that stands still in a network of its own changes nothing.
  const bool moves = state_ == State::kIdle ? owed() != 0 || complete() : !network_ || network_->has_room();
  return moves || failed_ || (network_ && network_->busy(takes(network_->word())));
}

bool StreamEngine::takes(const ReceivedWord& word) const {
  return store_.count() < parameters_.stream_store_words || word.place == Place::kHeader0 ||
         (word.place == Place::kHeader1 && kind_ != Kind::kWords);
}

std::uint32_t StreamEngine::available() const {
  std::uint32_t queues = 0;
  for (unsigned q = 0; q < kQueues; ++q) queues |= (available(q) ? 1U : 0U) << q;
  return queues;
}

std::uint32_t StreamEngine::owed() const {
  std::uint32_t queues = 0;
  for (unsigned q = 0; q < kQueues; ++q) queues |= (queues_[q].owed ? 1U : 0U) << q;
  return queues;
}

unsigned StreamEngine::target(std::uint32_t tag) const {
  for (unsigned q = 0; q < kMatches; ++q) {
    if (matches_[q].enable && matches_[q].tag == tag) return q;
  }
  return kMatches;
}

bool StreamEngine::fits(const ReceivedWord& word) const {
  const Header1 header1 = Header1::decode(word.header1);
  return (network_ || store_.count() + header1.length < parameters_.stream_store_words) && header1.length != 0 &&
         !word.last;
}

void StreamEngine::show(const ReceivedWords&, std::uint32_t, const BusRequest*, EngineOutputs& shown) const {
  const std::uint32_t status = StreamStatus{.available = available(), .ready = !pending_}.encode();
  shown.tx_valid = state_ != State::kIdle && !network_ ? kReplies : 0;
  shown.packets = network_ ? network_->links() : nullptr;
  shown.waiting = (status & enable_.encode()) != 0;
}

Flit StreamEngine::flit(unsigned, const BusRequest*) const {
  const Queue& owner = queues_[static_cast<unsigned>(std::countr_zero(granted_ | 1U << kMatches))];
  const StreamPeer& to = peers_[peer()];
  switch (state_) {
    case State::kHeader0: {
      Header0 header{.kind = sends_credit_ ? Kind::kWordsCredit : Kind::kWords, .src_node = node_};
      header.dst_slot = sends_credit_ ? owner.origin.slot : SlotId{static_cast<std::uint8_t>(to.slot)};
      header.dst_node = sends_credit_ ? owner.origin.node : NodeId{static_cast<std::uint16_t>(to.node)};
      return {.vc = 0, .last = false, .data = header.encode()};
    }
    case State::kHeader1: {
      const std::uint32_t row = sends_credit_ ? owner.peer : peer();
      const std::uint32_t tag = sends_credit_ ? owner.origin.tag : send_.tag;
      const std::uint32_t length = sends_credit_ ? owner.origin.length + 1U : send_.length;
      const StreamInfo info{.peer = static_cast<std::uint8_t>(row), .tag = static_cast<std::uint8_t>(tag)};
      const Header1 header{.src_slot = slot_,
                           .info = static_cast<std::uint16_t>(info.encode()),
                           .length = static_cast<std::uint16_t>(length)};
      return {.vc = 0, .last = sends_credit_, .data = header.encode()};
    }
    case State::kPayload:
      return {.vc = 0, .last = left_ == 1, .data = out_.front()};
    case State::kIdle:
      break;
  }
  return {};
}

std::uint32_t StreamEngine::read_register(std::uint16_t address) const {
  if (StreamMatch::holds(address)) return matches_[element_of<StreamMatch>(address)].encode();
  if (StreamPeer::holds(address)) return peers_[element_of<StreamPeer>(address)].encode();
  if (StreamCredits::holds(address)) return credits_[element_of<StreamCredits>(address)];
  if (StreamReceive::holds(address)) {
    const unsigned q = element_of<StreamReceive>(address);
    return available(q) ? store_.front(q).word : 0;
  }
  if (StreamCount::holds(address)) return queues_[element_of<StreamCount>(address)].words;
  switch (address) {
    case StreamSizes::kAddress:
      return StreamSizes{.store_words = parameters_.stream_store_words,
                         .peers = kPeers,
                         .queues = kQueues,
                         .own_network = network_.has_value()}
          .encode();
    case StreamStatus::kAddress:
      return StreamStatus{.available = available(), .ready = !pending_}.encode();
    case StreamEnable::kAddress:
      return enable_.encode();
    case registers::StreamError::kAddress:
      return error_.encode();
    case StreamSend::kAddress:
      return written_send_.encode();
    case StreamWord::kAddress:
      return written_word_;
    default:
      return 0;
  }
}

void StreamEngine::write(std::uint16_t address, std::uint32_t data) {
  if (StreamMatch::holds(address)) {
    matches_[element_of<StreamMatch>(address)] = StreamMatch::decode(data);
    return;
  }
  if (StreamPeer::holds(address)) {
    const unsigned row = element_of<StreamPeer>(address);
    peers_[row] = StreamPeer::decode(data);
    credits_[row] = peers_[row].words;
    return;
  }
  switch (address) {
    case StreamEnable::kAddress:
      enable_ = StreamEnable::decode(data);
      break;
    case registers::StreamError::kAddress:
      error_ = registers::StreamError::decode(error_.encode() & ~data);
      break;
    case StreamSend::kAddress:
      written_send_ = StreamSend::decode(data);
      break;
    case StreamWord::kAddress:
      written_word_ = data;
      break;
    default:
      break;
  }
}

void StreamEngine::put(const Entry& entry) {
  ++queues_[target_].words;
  store_.push(target_, entry);
}

EngineReport StreamEngine::clock(const EngineInputs& inputs) {
  const EngineReport report{.failed = failed_};
  // What the parts tell each other, before the edge.
  ReceivedWord word = network_ ? network_->word() : inputs.rx[kClassReply];
  word.valid = network_ ? word.valid && takes(word) : has(inputs.rx_valid, kClassReply);
  const bool header1 = word.valid && word.place == Place::kHeader1;
  const Header1 header = Header1::decode(word.header1);
  const StreamInfo info = StreamInfo::decode(header.info);
  const bool words = header1 && kind_ == Kind::kWords;
  const bool has_room = words && fits(word);
  const bool overflow = words && !has_room;
  const bool writes = inputs.bus != nullptr && inputs.bus->write;
  const std::uint16_t address = inputs.bus != nullptr ? inputs.bus->address : std::uint16_t{0};
  const std::uint32_t data = inputs.bus != nullptr ? inputs.bus->data : 0;
  const bool send = writes && address == StreamSend::kAddress;
  const bool append = writes && address == StreamWord::kAddress;
  const StreamSend command = StreamSend::decode(data);
  const bool begin = send && begins(command.length);
  const bool appends = append && wanted_ != 0;
  const bool refused = (send && !begin) || (append && !appends);
  const bool taken = network_ ? state_ != State::kIdle && network_->has_room() : (inputs.tx_ready & kReplies) != 0;
  const bool starts = state_ == State::kIdle && owed() == 0 && complete();
  const unsigned row = peer();
  const bool reads = inputs.bus != nullptr && !writes && StreamReceive::holds(address) &&
                     available(element_of<StreamReceive>(address));

  if (network_) {
    const Flit sent = taken ? flit(kClassReply, nullptr) : Flit{};
    network_->clock(inputs.direct, taken ? &sent : nullptr, word.valid);
  }

  // Credits come back and are used; a write that sets them comes last.
  if (starts) credits_[row] = (credits_[row] - need()) & kCreditsMask;
  if (header1 && kind_ == Kind::kWordsCredit && info.peer < kPeers) {
    credits_[info.peer] = (credits_[info.peer] + header.length) & kCreditsMask;
  }

  // To the network.
  const bool ends = taken && state_ == State::kPayload && left_ == 1;
  if (state_ == State::kIdle) {
    granted_ = credit_turns_.grant(owed());
    sends_credit_ = granted_ != 0;
    credit_turns_.accept(granted_);
    left_ = send_.length;
    if (sends_credit_ || starts) state_ = State::kHeader0;
  } else if (taken && state_ == State::kHeader0) {
    state_ = State::kHeader1;
  } else if (taken && state_ == State::kHeader1) {
    if (sends_credit_) queues_[static_cast<unsigned>(std::countr_zero(granted_))].owed = false;
    state_ = sends_credit_ ? State::kIdle : State::kPayload;
  } else if (taken) {
    out_.pop();
    --left_;
    if (ends) state_ = State::kIdle;
  }

  // From software.
  if (begin) send_ = command;
  if (begin || ends) pending_ = begin;
  if (begin) {
    wanted_ = command.length;
  } else if (appends) {
    --wanted_;
    out_.push(data);
  }
  if (reads) {
    const unsigned q = element_of<StreamReceive>(address);
    Queue& queue = queues_[q];
    const Entry entry = store_.front(q);
    if (queue.unread == 0) {
      queue.origin = StreamOrigin::decode(entry.word);
      queue.peer = entry.peer;
      queue.unread = queue.origin.length;
      --queue.packets;
    } else if (--queue.unread == 0) {
      queue.owed = true;
    }
    --queue.words;
    store_.pop(q);
  }

  // From the network.
  if (word.valid && word.place == Place::kHeader0) kind_ = kind_of(word.data);
  if (header1) {
    accepted_ = has_room;
    target_ = target(info.tag);
  }
  const bool payload = word.valid && word.place == Place::kPayload && accepted_;
  if (has_room) {
    const StreamOrigin origin{.slot = header.src_slot,
                              .node = word.source,
                              .tag = info.tag,
                              .length = static_cast<std::uint8_t>(header.length)};
    put({.peer = info.peer, .word = origin.encode()});
  } else if (payload) {
    put({.peer = info.peer, .word = word.data});
    if (word.last) ++queues_[target_].packets;
  }

  if (writes) write(address, data);
  // A cause that arises in the cycle of a write stays set.
  error_.overflow |= overflow;
  error_.refused |= refused;
  failed_ = overflow || refused;
  return report;
}

}  // namespace tidings::cycle
