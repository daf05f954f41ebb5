// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_initiator.h"

#include <algorithm>

namespace tidings::cycle {

RmaInitiator::RmaInitiator(const RmaParameters& parameters, NodeId node, SlotId slot)
    : parameters_(parameters),
      node_(node),
      slot_(slot),
      commands_(parameters.node.rma_command_depth),
      under_way_(parameters.node.rma_command_depth),
      number_limit_(std::min(parameters.node.rma_command_depth, kMaxGets)),
      sender_(parameters.node.rma_packet_words, node, slot) {}

bool RmaInitiator::malformed(const RmaCommand& command) const {
  if (brings_data(command) ? command.length > 4 : command.local_address % 4 != 0) return true;
  switch (command.operation) {
    case RmaOperation::kMessage:
      return command.length == 0 || command.length > message_bytes(parameters_.node.message_words) ||
             (command.static_route && command.length > parameters_.static_bytes);
    case RmaOperation::kPut:
    case RmaOperation::kGet:
      return command.offset % 4 != 0 || command.static_route;
    case RmaOperation::kAtomic: {
      const AtomicLength length = access_of(command);
      return !parameters_.node.rma_atomics || command.length >> 16 != 0 || !is_atomic(length) ||
             command.offset % length.bytes != 0 || command.static_route;
    }
  }
  return true;
}

RmaInitiator::Begin RmaInitiator::begin_of(const RmaCommand* command) const {
  const bool is_void = malformed(*command) || command->length == 0;
  const bool atomic = command->operation == RmaOperation::kAtomic;
  if ((atomic || command->operation == RmaOperation::kGet) && !is_void) {
    const Get& get = gets_[number()];
    if (get.open || get.done) return Begin::kNothing;
    return atomic ? Begin::kSend : Begin::kGet;
  }
  if (!under_way_.empty()) return Begin::kNothing;
  return is_void ? Begin::kVoid : Begin::kSend;
}

RmaTransfer RmaInitiator::transfer_of(const RmaCommand& command) const {
  if (command.operation == RmaOperation::kAtomic) {
    const AtomicLength access = access_of(command);
    const GetInfo info{.atomic = true, .number = number(), .region = command.region};
    return {.kind = Kind::kGet,
            .node = command.node,
            .slot = command.slot,
            .info = 0,
            .last_info = static_cast<std::uint16_t>(info.encode()),
            .addressed = true,
            .whole = true,
            .atomic = true,
            .address = command.offset,
            .source = command.local_address,
            .bytes = 4U * operand_words(access),
            .access = access};
  }
  const bool put = command.operation == RmaOperation::kPut;
  const bool word = put && command.length <= 4 && command.offset >> (kWordOffsetWidth + 2) == 0;
  const PutInfo info{.region = command.region};
  PutInfo last_info{.word = word, .ack = true, .region = command.region};
  if (word) last_info.last = static_cast<std::uint8_t>(command.length - 1);
  const Kind message = command.static_route ? Kind::kStaticMessage : Kind::kMessage;
  return {.kind = put ? Kind::kPut : message,
          .node = command.node,
          .slot = command.slot,
          .info = put ? static_cast<std::uint16_t>(info.encode()) : std::uint16_t{0},
          .last_info = put ? static_cast<std::uint16_t>(last_info.encode()) : std::uint16_t{0},
          .addressed = put && !word,
          .whole = !put,
          .word = word,
          .inline_data = brings_data(command),
          .address = command.offset,
          .source = command.local_address,
          .bytes = command.length};
}

bool RmaInitiator::request_valid(const RmaCommand* command) const {
  if (state_ == State::kSend) return sender_.valid();
  if (state_ != State::kIdle) return true;
  const Begin first = begin(command);
  return first == Begin::kSend || first == Begin::kGet;
}

Flit RmaInitiator::request_flit(const RmaCommand* command) const {
  if (state_ == State::kSend) return sender_.flit();
  const RmaCommand& first = *head(command);
  const bool is_long = first.length > 0xffff;
  switch (state_) {
    case State::kSend:
      break;
    case State::kIdle:
      if (first.operation != RmaOperation::kGet) return sender_.first_flit(transfer_of(first));
      return {.vc = 0, .last = false, .data = Header0{Kind::kGet, first.slot, first.node, node_}.encode()};
    case State::kHeader1: {
      const GetInfo info{.number = number(), .region = first.region};
      const std::uint32_t length = is_long ? 0 : first.length;
      return {
          .vc = 0,
          .last = false,
          .data =
              Header1{slot_, static_cast<std::uint16_t>(info.encode()), static_cast<std::uint16_t>(length)}.encode()};
    }
    case State::kOffset:
      return {.vc = 0, .last = !is_long, .data = first.offset};
    case State::kBytes:
      return {.vc = 0, .last = true, .data = first.length};
  }
  return {};
}

RmaInitiator::ReplyEvents RmaInitiator::judge_reply(const ReceivedWord& reply, bool write_ready) const {
  ReplyEvents events;
  events.next = reply_;
  events.done_number = reply_number_;
  if (!reply.valid) return events;
  const Header1 header1 = Header1::decode(reply.data);
  events.word_written = write_valid(reply) && write_ready;
  switch (reply_) {
    case Reply::kHeader0:
      events.acknowledged = kind_of(reply.data) == Kind::kPutAck;
      events.next = events.acknowledged ? Reply::kDrop : Reply::kHeader1;
      break;
    case Reply::kHeader1:
      if (reply_kind_ == Kind::kNack) {
        events.nacked = true;
        const NackInfo info = NackInfo::decode(header1.info);
        events.acknowledged = info.put;
        events.get_done = info.get;
        events.done_number = info.number;
      } else if (reply_kind_ == Kind::kGetReply && gets_[GetReplyInfo::decode(header1.info).number].open &&
                 header1.length != 0) {
        events.next = Reply::kPayload;
      } else {
        events.unexpected = true;
        events.next = Reply::kDrop;
      }
      break;
    case Reply::kPayload:
      events.unexpected = !fits();
      events.get_done = events.word_written && get_left_ <= 4;
      if (events.unexpected || (events.word_written && reply_bytes_ <= 4)) events.next = Reply::kDrop;
      break;
    case Reply::kDrop:
      break;
  }
  if (reply.last && reply_ready(write_ready)) events.next = Reply::kHeader0;
  return events;
}

void RmaInitiator::clock_reply(const ReceivedWord& reply, const ReplyEvents& events) {
  if (reply.valid && reply_ == Reply::kHeader0) {
    reply_kind_ = kind_of(reply.data);
    reply_source_ = Header0::decode(reply.data).src_node;
  }
  if (reply.valid && reply_ == Reply::kHeader1) {
    const Header1 header1 = Header1::decode(reply.data);
    reply_number_ = GetReplyInfo::decode(header1.info).number;
    reply_bytes_ = header1.length;
    const Get& get = gets_[reply_number_];
    get_address_ = get.address + 4 * get.written;
    get_left_ = get.bytes - 4 * get.written;
  } else if (events.word_written) {
    reply_bytes_ = static_cast<std::uint16_t>(reply_bytes_ - 4);
    get_address_ += 4;
    get_left_ -= 4;
    ++gets_[reply_number_].written;
  }
  if (events.get_done) {
    gets_[events.done_number].open = false;
    gets_[events.done_number].done = true;
  }
  reply_ = events.next;
}

RmaInitiator::Events RmaInitiator::clock(const ReceivedWord& reply, const Inputs& inputs) {
  const ReplyEvents events = judge_reply(reply, inputs.write_ready);
  const Begin first = begin(inputs.command);
  RmaCommand command;
  if (const RmaCommand* const next = head(inputs.command); next != nullptr) command = *next;
  const bool is_long = command.length > 0xffff;
  State next = state_;
  bool issued = false;
  bool get_sent = false;
  switch (state_) {
    case State::kIdle:
      if (first == Begin::kVoid) issued = true;
      if (first == Begin::kSend) next = State::kSend;
      if (first == Begin::kGet && inputs.request_ready) next = State::kHeader1;
      break;
    case State::kSend:
      get_sent = sender_.done(inputs.request_ready) && command.operation == RmaOperation::kAtomic;
      issued = sender_.done(inputs.request_ready) && !get_sent;
      break;
    case State::kHeader1:
      if (inputs.request_ready) next = State::kOffset;
      break;
    case State::kOffset:
      if (inputs.request_ready) next = State::kBytes;
      get_sent = inputs.request_ready && !is_long;
      break;
    case State::kBytes:
      get_sent = inputs.request_ready;
      break;
  }
  const bool refused = first == Begin::kVoid && malformed(command);
  const bool get_complete =
      !under_way_.empty() &&
      (gets_[under_way_.front().number].done || (events.get_done && events.done_number == under_way_.front().number));
  const bool complete = issued || get_complete;
  const bool queue = inputs.command != nullptr && (!full() || complete);
  const bool overflow = inputs.command != nullptr && !queue;
  const bool put_queued = queue && inputs.command->operation == RmaOperation::kPut;
  const bool put_void = first == Begin::kVoid && command.operation == RmaOperation::kPut;
  const Events result{.notify = (issued && command.notify) || (get_complete && under_way_.front().notify),
                      .failed = events.nacked || refused || events.unexpected || overflow};

  // Of several refusals in one cycle the one from the network counts.
  if (result.failed && (inputs.error_clear || error_.code == Nack::kNone)) {
    error_ = {.slot = slot_, .node = node_, .code = Nack::kOverflow};
    if (events.nacked) {
      const Header1 header1 = Header1::decode(reply.data);
      error_ = {.slot = header1.src_slot, .node = reply_source_, .code = NackInfo::decode(header1.info).code};
    } else if (refused || events.unexpected) {
      error_.code = Nack::kBadPacket;
    }
  } else if (inputs.error_clear) {
    error_ = {};
  }

  const RmaTransfer transfer = first == Begin::kSend ? transfer_of(command) : RmaTransfer{};
  sender_.clock({.start = first == Begin::kSend ? &transfer : nullptr,
                 .read_ready = inputs.read_ready,
                 .data_valid = inputs.data_valid,
                 .data = inputs.data,
                 .ready = inputs.request_ready});
  clock_reply(reply, events);
  if (get_complete) {
    gets_[under_way_.front().number].done = false;
    under_way_.pop();
  }
  if (queue) commands_.push(*inputs.command);
  if (get_sent) {
    gets_[number()] = {.open = true, .done = false, .address = command.local_address, .bytes = command.length};
    if (command.operation == RmaOperation::kAtomic) gets_[number()].bytes = access_of(command).bytes;
    under_way_.push({.number = number(), .notify = command.notify});
  }
  if (issued || get_sent) {
    commands_.pop();
    ++issued_;
    next = State::kIdle;
  }
  state_ = next;
  if (complete) ++completed_;
  unacknowledged_ = static_cast<std::uint16_t>(unacknowledged_ + (put_queued ? 1 : 0) - (put_void ? 1 : 0) -
                                               (events.acknowledged ? 1 : 0));
  return result;
}

}  // namespace tidings::cycle
