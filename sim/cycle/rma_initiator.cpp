// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_initiator.h"

namespace tidings::cycle {

RmaInitiator::RmaInitiator(const RmaParameters& parameters, NodeId node, SlotId slot)
    : parameters_(parameters),
      node_(node),
      slot_(slot),
      commands_(parameters.node.rma_command_depth),
      sender_(parameters.node.rma_packet_words, node, slot) {}

bool RmaInitiator::malformed(const RmaCommand& command) const {
  if (command.local_address % 4 != 0) return true;
  switch (command.operation) {
    case RmaOperation::kMessage:
      return command.length == 0 || command.length > message_bytes(parameters_.node.message_words) ||
             (command.static_route && command.length > parameters_.static_bytes);
    case RmaOperation::kPut:
    case RmaOperation::kGet:
      return command.offset % 4 != 0 || command.static_route;
    case RmaOperation::kUnknown:
      break;
  }
  return true;
}

RmaTransfer RmaInitiator::transfer_of(const RmaCommand& command) const {
  const bool put = command.operation == RmaOperation::kPut;
  const PutInfo info{.region = command.region};
  const PutInfo last_info{.ack = true, .region = command.region};
  const Kind message = command.static_route ? Kind::kStaticMessage : Kind::kMessage;
  return {.kind = put ? Kind::kPut : message,
          .node = command.node,
          .slot = command.slot,
          .info = put ? static_cast<std::uint16_t>(info.encode()) : std::uint16_t{0},
          .last_info = put ? static_cast<std::uint16_t>(last_info.encode()) : std::uint16_t{0},
          .addressed = put,
          .address = command.offset,
          .source = command.local_address,
          .bytes = command.length};
}

Flit RmaInitiator::request_flit() const {
  const RmaCommand& command = commands_.front();
  switch (state_) {
    case State::kSend:
      return sender_.flit();
    case State::kHeader0:
      return {.vc = 0, .last = false, .data = Header0{Kind::kGet, command.slot, command.node, node_}.encode()};
    case State::kHeader1:
      return {.vc = 0, .last = false, .data = Header1{slot_, command.region, 0}.encode()};
    case State::kOffset:
      return {.vc = 0, .last = false, .data = command.offset};
    case State::kBytes:
      return {.vc = 0, .last = false, .data = command.length};
    case State::kAddress:
      return {.vc = 0, .last = true, .data = command.local_address};
    case State::kIdle:
    case State::kReply:
      break;
  }
  return {};
}

RmaInitiator::ReplyEvents RmaInitiator::judge_reply(const ReceivedWord& reply, bool write_ready) const {
  ReplyEvents events;
  events.next = reply_;
  if (!reply.valid) return events;
  const Header1 header1 = Header1::decode(reply.data);
  events.word_written = write_valid(reply) && write_ready;
  switch (reply_) {
    case Reply::kHeader0:
      events.next = Reply::kHeader1;
      break;
    case Reply::kHeader1:
      if (reply_kind_ == Kind::kPutAck) {
        events.acknowledged = true;
      } else if (reply_kind_ == Kind::kNack) {
        events.nacked = true;
        const NackInfo info = NackInfo::decode(header1.info);
        events.acknowledged = info.put;
        events.get_done = info.get;
      } else if (reply_kind_ == Kind::kGetReply && state_ == State::kReply && header1.length != 0 &&
                 header1.length <= get_left_) {
        events.next = Reply::kAddress;
      } else {
        events.unexpected = true;
        events.next = Reply::kDrop;
      }
      break;
    case Reply::kAddress:
      events.unexpected = reply.data != get_address_;
      events.next = events.unexpected ? Reply::kDrop : Reply::kPayload;
      break;
    case Reply::kPayload:
      events.get_done = events.word_written && get_left_ <= 4;
      if (events.word_written && reply_bytes_ <= 4) events.next = Reply::kDrop;
      break;
    case Reply::kDrop:
      break;
  }
  if (reply.last && (reply_ != Reply::kPayload || events.word_written)) events.next = Reply::kHeader0;
  return events;
}

void RmaInitiator::clock_reply(const ReceivedWord& reply, const ReplyEvents& events) {
  if (reply.valid && reply_ == Reply::kHeader0) {
    reply_kind_ = kind_of(reply.data);
    reply_source_ = Header0::decode(reply.data).src_node;
  }
  if (reply.valid && reply_ == Reply::kHeader1) {
    reply_bytes_ = Header1::decode(reply.data).length;
  } else if (events.word_written) {
    reply_bytes_ = static_cast<std::uint16_t>(reply_bytes_ - 4);
  }
  if (state_ == State::kAddress) {
    get_address_ = commands_.front().local_address;
    get_left_ = commands_.front().length;
  } else if (events.word_written) {
    get_address_ += 4;
    get_left_ -= 4;
  }
  reply_ = events.next;
}

RmaInitiator::Events RmaInitiator::clock(const ReceivedWord& reply, const Inputs& inputs) {
  const RmaCommand& command = commands_.front();
  const ReplyEvents events = judge_reply(reply, inputs.write_ready);
  State next = state_;
  bool complete = false;
  bool refused = false;
  bool start = false;
  switch (state_) {
    case State::kIdle:
      if (commands_.empty()) break;
      refused = malformed(command);
      if (refused || (command.operation != RmaOperation::kMessage && command.length == 0)) {
        complete = true;
      } else if (command.operation == RmaOperation::kGet) {
        next = State::kHeader0;
      } else {
        start = true;
        next = State::kSend;
      }
      break;
    case State::kSend:
      complete = sender_.done(inputs.request_ready);
      break;
    case State::kHeader0:
      if (inputs.request_ready) next = State::kHeader1;
      break;
    case State::kHeader1:
      if (inputs.request_ready) next = State::kOffset;
      break;
    case State::kOffset:
      if (inputs.request_ready) next = State::kBytes;
      break;
    case State::kBytes:
      if (inputs.request_ready) next = State::kAddress;
      break;
    case State::kAddress:
      if (inputs.request_ready) next = State::kReply;
      break;
    case State::kReply:
      complete = events.get_done;
      break;
  }
  const bool queue = inputs.command != nullptr && (!commands_.full() || complete);
  const bool overflow = inputs.command != nullptr && !queue;
  const bool put_queued = queue && inputs.command->operation == RmaOperation::kPut;
  const bool put_void = complete && state_ == State::kIdle && command.operation == RmaOperation::kPut;
  const Events result{.notify = complete && command.notify,
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

  const RmaTransfer transfer = start ? transfer_of(command) : RmaTransfer{};
  sender_.clock({.start = start ? &transfer : nullptr,
                 .read_ready = inputs.read_ready,
                 .data_valid = inputs.data_valid,
                 .data = inputs.data,
                 .ready = inputs.request_ready});
  clock_reply(reply, events);
  state_ = complete ? State::kIdle : next;
  if (complete) {
    ++completed_;
    commands_.pop();
  }
  if (queue) commands_.push(*inputs.command);
  unacknowledged_ = static_cast<std::uint16_t>(unacknowledged_ + (put_queued ? 1 : 0) - (put_void ? 1 : 0) -
                                               (events.acknowledged ? 1 : 0));
  return result;
}

}  // namespace tidings::cycle
