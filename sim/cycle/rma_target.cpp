// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_target.h"

namespace tidings::cycle {

RmaTarget::RmaTarget(const RmaParameters& parameters, NodeId node, SlotId slot)
    : parameters_(parameters), node_(node), slot_(slot), sender_(parameters.node.rma_packet_words, node, slot) {}

Nack RmaTarget::judge_message(const Header1& header1, const RmaQueue& queue) const {
  const auto held = static_cast<std::uint16_t>(tail_ - queue.head);
  if (!queue.valid || held >= 1U << queue.log2_slots) return Nack::kQueueFull;
  if (header1.length == 0 || header1.length > message_bytes(parameters_.node.message_words)) return Nack::kBadPacket;
  return Nack::kNone;
}

bool RmaTarget::accepted_message(const ReceivedWord& request, const RmaQueue& queue) const {
  return state_ == State::kHeader1 && kind_ == Kind::kMessage && request.valid && !request.last &&
         judge_message(Header1::decode(request.data), queue) == Nack::kNone;
}

std::uint32_t RmaTarget::slot_address(const RmaQueue& queue) const {
  const std::uint32_t slot = tail_ & ((1U << queue.log2_slots) - 1);
  return (queue.base & ~3U) + slot * 4 * parameters_.node.message_words;
}

bool RmaTarget::word_valid(const ReceivedWord& request, const RmaQueue& queue) const {
  return request.valid && (state_ == State::kPayload ? left_ != 0 : accepted_message(request, queue));
}

MemoryWrite RmaTarget::write(const ReceivedWord& request, const RmaQueue& queue) const {
  if (state_ != State::kHeader1) {
    return {.address = write_address_, .strobe = tail_strobe(left_), .data = request.data};
  }
  // The source's router takes the place of `info`.
  Header1 origin = Header1::decode(request.data);
  origin.info = source_.value;
  return {.address = slot_address(queue), .strobe = 0xf, .data = origin.encode()};
}

bool RmaTarget::request_ready(const ReceivedWord& request, const RmaQueue& queue, bool write_ready) const {
  switch (state_) {
    case State::kHeader1:
      return write_ready || !accepted_message(request, queue);
    case State::kAddress:
      return sender_.start_ready();
    case State::kPayload:
      return write_ready || left_ == 0;
    case State::kAnswer0:
    case State::kAnswer1:
      return false;
    default:
      return true;
  }
}

Flit RmaTarget::answer_flit() const {
  if (state_ == State::kAnswer0) {
    const Kind kind = nack_ == Nack::kNone ? Kind::kPutAck : Kind::kNack;
    return {.vc = 0, .last = false, .data = Header0{kind, header1_.src_slot, source_, node_}.encode()};
  }
  const NackInfo info{.put = asks_for_ack(), .get = kind_ == Kind::kGet, .code = nack_};
  const auto bits = nack_ == Nack::kNone ? std::uint16_t{0} : static_cast<std::uint16_t>(info.encode());
  return {.vc = 0, .last = true, .data = Header1{slot_, bits, 0}.encode()};
}

RmaTarget::Decision RmaTarget::decide(const ReceivedWord& request, const RmaQueue& queue, bool taken,
                                      Nack access_nack) const {
  Decision d;
  d.next = state_;
  if (!request.valid) return d;
  const auto judge_access = [&](State next) {
    d.next = next;
    d.refuse = access_nack != Nack::kNone || request.last;
    if (access_nack != Nack::kNone) d.nack = access_nack;
  };
  switch (state_) {
    case State::kHeader0:
      // A packet of one word says not even who sent it.
      if (!request.last) d.next = State::kHeader1;
      break;
    case State::kHeader1: {
      const Header1 header1 = Header1::decode(request.data);
      if (kind_ == Kind::kMessage) {
        const Nack nack = judge_message(header1, queue);
        if (nack != Nack::kNone) d.nack = nack;
        d.refuse = nack != Nack::kNone || request.last;
        if (taken) d.next = State::kPayload;
      } else if (kind_ == Kind::kPut) {
        d.refuse = request.last || header1.length > 4 * parameters_.node.rma_packet_words;
        d.next = State::kOffset;
      } else if (kind_ == Kind::kGet) {
        d.refuse = request.last;
        d.next = State::kOffset;
      } else {
        d.refuse = true;
      }
      break;
    }
    case State::kOffset:
      if (kind_ == Kind::kPut) {
        judge_access(State::kPayload);
      } else {
        d.next = State::kBytes;
        d.refuse = request.last;
      }
      break;
    case State::kBytes:
      judge_access(State::kAddress);
      break;
    case State::kAddress:
      d.start = true;
      if (taken) d.next = request.last ? State::kHeader0 : State::kDrop;
      break;
    case State::kPayload:
      if (taken && request.last) {
        d.message_received = kind_ == Kind::kMessage;
        d.next = asks_for_ack() ? State::kAnswer0 : State::kHeader0;
      }
      break;
    case State::kDrop:
      if (request.last) d.next = nack_ == Nack::kNone ? State::kHeader0 : State::kAnswer0;
      break;
    case State::kAnswer0:
    case State::kAnswer1:
      break;
  }
  if (d.refuse) d.next = request.last ? State::kAnswer0 : State::kDrop;
  return d;
}

void RmaTarget::clock(const ReceivedWord& request, std::span<const RmaRegion> regions, const RmaQueue& queue,
                      const Inputs& inputs) {
  const bool put = kind_ == Kind::kPut;
  const std::uint32_t offset = put ? request.data : offset_;
  const std::uint32_t bytes = put ? header1_.length : request.data;
  const Nack access_nack = table_.judge(put, offset, bytes);
  const std::uint32_t address = table_.address(offset);
  const bool taken = request.valid && request_ready(request, queue, inputs.write_ready);
  const bool written = word_valid(request, queue) && inputs.write_ready;
  const std::uint32_t next_slot_address = slot_address(queue) + 8;
  Decision d = decide(request, queue, taken, access_nack);

  const std::uint32_t reply = inputs.reply_ready ? reply_source() : 0;
  if (reply == kAnswer) d.next = state_ == State::kAnswer0 ? State::kAnswer1 : State::kHeader0;
  if (reply != 0) replies_.take(reply, reply_flit().last);
  const RmaTransfer transfer{.kind = Kind::kGetReply,
                             .node = source_,
                             .slot = header1_.src_slot,
                             .info = 0,
                             .last_info = 1,
                             .addressed = true,
                             .address = request.data,
                             .source = address_,
                             .bytes = bytes_};
  sender_.clock({.start = d.start ? &transfer : nullptr,
                 .read_ready = inputs.read_ready,
                 .data_valid = inputs.data_valid,
                 .data = inputs.data,
                 .ready = reply == kSender});

  if (taken && state_ == State::kHeader1) {
    header1_ = Header1::decode(request.data);
    table_.lookup(regions, static_cast<std::uint8_t>(header1_.info));
    left_ = header1_.length;
    write_address_ = next_slot_address;
  } else if (taken && state_ == State::kOffset) {
    write_address_ = address;
    offset_ = request.data;
  } else if (written) {
    count_written();
  }
  if (taken && state_ == State::kHeader0) {
    kind_ = kind_of(request.data);
    source_ = Header0::decode(request.data).src_node;
    nack_ = Nack::kNone;
  }
  if (taken && state_ == State::kBytes) {
    bytes_ = request.data;
    address_ = address;
  }
  if (taken && d.refuse) nack_ = d.nack;
  if (d.message_received) ++tail_;
  state_ = d.next;
}

}  // namespace tidings::cycle
