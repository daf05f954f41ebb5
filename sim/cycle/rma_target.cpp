// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_target.h"

namespace tidings::cycle {
namespace {

std::uint64_t joined(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32U | low; }

/// What an atomic access leaves behind. @param type of the operands, without a sign.
template <typename Unsigned>
Unsigned changed(Atomic operation, Unsigned old, Unsigned operand, Unsigned compare) {
  using Signed = std::make_signed_t<Unsigned>;
  const auto is_less = static_cast<Signed>(old) < static_cast<Signed>(operand);
  switch (operation) {
    case Atomic::kFetch:
      break;
    case Atomic::kAdd:
      return static_cast<Unsigned>(old + operand);
    case Atomic::kAnd:
      return old & operand;
    case Atomic::kOr:
      return old | operand;
    case Atomic::kXor:
      return old ^ operand;
    case Atomic::kSwap:
      return operand;
    case Atomic::kCompareSwap:
      return old == compare ? operand : old;
    case Atomic::kMin:
      return is_less ? old : operand;
    case Atomic::kMax:
      return is_less ? operand : old;
    case Atomic::kMinUnsigned:
      return std::min(old, operand);
    case Atomic::kMaxUnsigned:
      return std::max(old, operand);
  }
  return old;
}

}  // namespace

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

RmaTarget::Access RmaTarget::access(const ReceivedWord& request) const {
  if (state_ == State::kWord) {
    return {.offset = 4U * header1_.length, .bytes = PutInfo::decode(header1_.info).last + 1U};
  }
  if (state_ == State::kBytes) return {.offset = offset_, .bytes = request.data};
  if (atomic()) return {.offset = request.data, .bytes = atomic_length().bytes};
  return {.offset = request.data, .bytes = header1_.length};
}

Nack RmaTarget::judge(const Access& access) const {
  if (!atomic())
    return table_.judge({.write = kind_ == Kind::kPut, .read = kind_ != Kind::kPut}, access.offset, access.bytes);
  const AtomicLength length = atomic_length();
  const bool well_formed = is_atomic(length) && access.offset % length.bytes == 0;
  return table_.judge({.write = true, .read = true}, access.offset, access.bytes, well_formed);
}

bool RmaTarget::word_allowed(const ReceivedWord& request) const {
  return request.last && judge(access(request)) == Nack::kNone;
}

bool RmaTarget::word_valid(const ReceivedWord& request, const RmaQueue& queue) const {
  if (state_ == State::kAtomic) return atomic_write();
  if (!request.valid) return false;
  if (state_ == State::kPayload) return left_ != 0;
  if (state_ == State::kWord) return word_allowed(request);
  return accepted_message(request, queue);
}

void RmaTarget::write(const ReceivedWord& request, const RmaQueue& queue, MemoryWrite& shown) const {
  const auto show = [&shown](std::uint32_t address, std::uint8_t strobe, std::uint32_t data) {
    shown.address = address;
    shown.strobe = strobe;
    shown.data = data;
  };
  if (state_ == State::kWord) {
    const Access access = this->access(request);
    show(table_.address(access.offset), tail_strobe(access.bytes), request.data);
  } else if (state_ == State::kAtomic) {
    const bool wide = atomic_words() == 2;
    const Atomic operation = atomic_length().operation;
    const std::uint64_t result = wide ? changed(operation, joined(old_[0], old_[1]), joined(operands_[0], operands_[1]),
                                                joined(operands_[2], operands_[3]))
                                      : changed(operation, old_[0], operands_[0], operands_[2]);
    show(write_address_, 0xf, static_cast<std::uint32_t>(result >> 32 * written_));
  } else if (state_ == State::kHeader1) {
    // The source's router takes the place of `info`.
    Header1 origin = Header1::decode(request.data);
    origin.info = source_.value;
    show(slot_address(queue), 0xf, origin.encode());
  } else {
    show(write_address_, tail_strobe(left_), request.data);
  }
}

bool RmaTarget::request_ready(const ReceivedWord& request, const RmaQueue& queue, bool write_ready) const {
  switch (state_) {
    case State::kHeader0:
      return !answers_.full();
    case State::kHeader1:
      return write_ready || !accepted_message(request, queue);
    case State::kOffset:
      return kind_ == Kind::kPut || atomic() || header1_.length == 0 || get_ready();
    case State::kBytes:
      return get_ready();
    case State::kWord:
      return write_ready || !word_allowed(request);
    case State::kPayload:
      return write_ready || left_ == 0;
    case State::kAtomic:
      return left_ != 0;
    case State::kDrop:
      break;
  }
  return true;
}

Flit RmaTarget::answer_flit() const {
  const RmaAnswer& answer = answers_.front();
  if (answer.atomic) {
    const std::uint16_t bytes = answer.wide ? 8 : 4;
    const std::uint32_t value = old_[answer_place_ % 2];
    const std::uint32_t header0 = Header0{Kind::kGetReply, answer.slot, answer.node, node_}.encode();
    const std::uint32_t header1 = Header1{slot_, static_cast<std::uint16_t>(answer.info.encode()), bytes}.encode();
    return {.vc = 0,
            .last = answer_place_ == (answer.wide ? 3 : 2),
            .data = answer_place_ == 0   ? header0
                    : answer_place_ == 1 ? header1
                                         : value};
  }
  if (answer_place_ == 0) {
    // An acknowledgement is one word: who asked for it needs no more.
    const bool refused = answer.info.code != Nack::kNone;
    const Kind kind = refused ? Kind::kNack : Kind::kPutAck;
    return {.vc = 0, .last = !refused, .data = Header0{kind, answer.slot, answer.node, node_}.encode()};
  }
  const auto bits = static_cast<std::uint16_t>(answer.info.encode());
  return {.vc = 0, .last = true, .data = Header1{slot_, bits, 0}.encode()};
}

RmaAnswer RmaTarget::answer_of(const ReceivedWord& request, const Decision& decision) const {
  const Header1 header1 = state_ == State::kHeader1 ? Header1::decode(request.data) : header1_;
  RmaAnswer answer{.node = source_, .slot = header1.src_slot, .atomic = false, .wide = false, .info = {}};
  if (state_ == State::kAtomic && !decision.refuse) {
    answer.atomic = true;
    answer.wide = atomic_words() == 2;
    answer.info = NackInfo::decode(GetReplyInfo{.number = GetInfo::decode(header1.info).number, .last = true}.encode());
    return answer;
  }
  if (!decision.refuse && nack_ == Nack::kNone) return answer;
  const bool get = kind_ == Kind::kGet;
  answer.info.number = get ? GetInfo::decode(header1.info).number : std::uint8_t{0};
  answer.info.put = kind_ == Kind::kPut && PutInfo::decode(header1.info).ack;
  answer.info.get = get;
  answer.info.code = decision.refuse ? decision.nack : nack_;
  return answer;
}

RmaTarget::Decision RmaTarget::decide(const ReceivedWord& request, const RmaQueue& queue, bool taken, Nack access_nack,
                                      bool atomic_done) const {
  Decision d;
  d.next = state_;
  if (atomic_done) {
    d.answer = true;
    d.next = State::kHeader0;
    return d;
  }
  if (!request.valid) return d;
  const auto judge_put = [&](State next) {
    d.next = next;
    d.refuse = access_nack != Nack::kNone || request.last;
    if (access_nack != Nack::kNone) d.nack = access_nack;
  };
  const auto judge_get = [&] {
    if (!taken) return;
    d.next = request.last ? State::kHeader0 : State::kDrop;
    d.nack = access_nack;
    d.refuse = access_nack != Nack::kNone;
    d.get = !d.refuse;
  };
  switch (state_) {
    case State::kHeader0:
      // A packet of one word says not even who sent it.
      if (taken && !request.last) d.next = State::kHeader1;
      break;
    case State::kHeader1: {
      const Header1 header1 = Header1::decode(request.data);
      if (kind_ == Kind::kMessage) {
        const Nack nack = judge_message(header1, queue);
        if (nack != Nack::kNone) d.nack = nack;
        d.refuse = nack != Nack::kNone || request.last;
        if (taken) d.next = State::kPayload;
      } else if (kind_ == Kind::kPut) {
        const bool word = PutInfo::decode(header1.info).word;
        d.refuse = request.last || (!word && header1.length > 4 * parameters_.node.rma_packet_words);
        d.next = word ? State::kWord : State::kOffset;
      } else if (kind_ == Kind::kGet) {
        d.refuse = request.last || (!parameters_.node.rma_atomics && GetInfo::decode(header1.info).atomic);
        d.next = State::kOffset;
      } else {
        d.refuse = true;
      }
      break;
    }
    case State::kOffset:
      if (kind_ == Kind::kPut) {
        judge_put(State::kPayload);
      } else if (atomic()) {
        judge_put(State::kAtomic);
      } else if (header1_.length == 0) {
        d.next = State::kBytes;
        d.refuse = request.last;
      } else {
        judge_get();
      }
      break;
    case State::kBytes:
      judge_get();
      break;
    case State::kWord:
      d.refuse = access_nack != Nack::kNone || !request.last;
      if (access_nack != Nack::kNone) d.nack = access_nack;
      if (taken) {
        d.next = State::kHeader0;
        d.answer = asks_for_ack();
      }
      break;
    case State::kPayload:
      if (taken && request.last) {
        d.message_received = kind_ == Kind::kMessage;
        d.answer = asks_for_ack();
        d.next = State::kHeader0;
      }
      break;
    case State::kAtomic:
      // The tail is the last operand.
      d.refuse = taken && request.last != (left_ == 4);
      break;
    case State::kDrop:
      if (request.last) {
        d.answer = nack_ != Nack::kNone;
        d.next = State::kHeader0;
      }
      break;
  }
  if (d.refuse) {
    d.answer = request.last;
    d.next = request.last ? State::kHeader0 : State::kDrop;
  }
  return d;
}

void RmaTarget::clock_atomic(const ReceivedWord& request, bool taken, const Inputs& inputs) {
  if (atomic_write() && inputs.write_ready) {
    ++written_;
    write_address_ += 4;
  }
  if (atomic_turn() && inputs.data_valid) old_[got_++] = inputs.data;
  if (atomic_read(request) && inputs.read_ready) ++asked_;
  if (taken) {
    operands_[operands_taken_ * (atomic_words() == 2 ? 1 : 2)] = request.data;
    ++operands_taken_;
    left_ = static_cast<std::uint16_t>(left_ - 4);
  }
}

void RmaTarget::clock(const ReceivedWord& request, std::span<const RmaRegion> regions, const NameTable& names,
                      const RmaQueue& queue, const Inputs& inputs) {
  const Access asked = access(request);
  const Nack access_nack = judge(asked);
  const std::uint32_t address = table_.address(asked.offset);
  const bool taken = request.valid && request_ready(request, queue, inputs.write_ready);
  const bool written = word_valid(request, queue) && inputs.write_ready;
  const std::uint32_t next_slot_address = slot_address(queue) + 8;
  const bool atomic_written = atomic_write() && inputs.write_ready;
  const bool atomic_done = atomic_written && written_ + 1 == atomic_words();
  const bool turn = atomic_turn();
  const Decision d = decide(request, queue, taken, access_nack, atomic_done);
  const RmaAnswer owed = d.answer ? answer_of(request, d) : RmaAnswer{};
  if (state_ == State::kAtomic) clock_atomic(request, taken, inputs);

  const std::uint32_t reply = inputs.reply_ready ? reply_source() : 0;
  const bool answer_last = reply == kAnswer && answer_flit().last;
  if (reply != 0) replies_.take(reply, reply_flit().last);
  const bool started = starts();
  sender_.clock({.start = started ? &*get_ : nullptr,
                 .read_ready = inputs.read_ready,
                 .data_valid = inputs.data_valid && !turn,
                 .data = inputs.data,
                 .ready = reply == kSender});
  if (started) get_.reset();
  if (d.get) {
    const std::uint8_t number = GetInfo::decode(header1_.info).number;
    const GetReplyInfo info{.number = number, .last = false};
    const GetReplyInfo last_info{.number = number, .last = true};
    get_ = {.kind = Kind::kGetReply,
            .node = source_,
            .slot = header1_.src_slot,
            .info = static_cast<std::uint16_t>(info.encode()),
            .last_info = static_cast<std::uint16_t>(last_info.encode()),
            .addressed = false,
            .word = false,
            .address = 0,
            .source = address,
            .bytes = asked.bytes};
  }
  if (reply == kAnswer) {
    answer_place_ = answer_last ? 0 : answer_place_ + 1;
    if (answer_last) answers_.pop();
  }
  if (d.answer) answers_.push(owed);

  if (taken && state_ == State::kHeader1) {
    header1_ = Header1::decode(request.data);
    table_.lookup(regions, names, static_cast<std::uint8_t>(header1_.info));
    left_ = header1_.length;
    write_address_ = next_slot_address;
  } else if (taken && state_ == State::kOffset) {
    write_address_ = address;
    offset_ = request.data;
    if (atomic()) left_ = static_cast<std::uint16_t>(4 * operand_words(atomic_length()));
    operands_taken_ = asked_ = got_ = written_ = 0;
  } else if (written && state_ != State::kAtomic) {
    count_written();
  }
  if (taken && state_ == State::kHeader0) {
    kind_ = kind_of(request.data);
    source_ = Header0::decode(request.data).src_node;
    nack_ = Nack::kNone;
  }
  if (taken && d.refuse) nack_ = d.nack;
  if (d.message_received) ++tail_;
  state_ = d.next;
}

}  // namespace tidings::cycle
