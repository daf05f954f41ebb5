// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_sender.h"

#include <algorithm>

namespace tidings::cycle {

RmaSender::RmaSender(std::uint32_t packet_words, NodeId node, SlotId slot)
    : packet_bytes_(4 * packet_words), node_(node), slot_(slot) {}

Flit RmaSender::flit() const {
  Flit flit{.vc = 0, .last = last(), .data = words_.front()};
  if (state_ == State::kHeader0) return first_flit(transfer_);
  if (state_ == State::kHeader1) {
    const std::uint16_t info = last_packet() ? transfer_.last_info : transfer_.info;
    std::uint32_t length = transfer_.word ? transfer_.address >> 2 : bytes_of_packet();
    if (transfer_.atomic) length = transfer_.access.encode();
    flit.data = Header1{slot_, info, static_cast<std::uint16_t>(length)}.encode();
  }
  if (state_ == State::kAddress) flit.data = transfer_.address;
  if (state_ == State::kPayload && transfer_.inline_data) flit.data = transfer_.source;
  return flit;
}

void RmaSender::clock(const Inputs& inputs) {
  const bool start = inputs.start != nullptr && start_ready();
  if (start) {
    transfer_ = *inputs.start;
    reads_left_ = static_cast<std::uint32_t>((std::uint64_t{transfer_.bytes} + 3) >> 2) & 0x7fff'ffffU;
    if (transfer_.inline_data) reads_left_ = 0;
    read_address_ = transfer_.source;
    state_ = State::kHeader0;
  }
  const bool read = read_valid() && inputs.read_ready;
  const bool sent = valid() && inputs.ready;
  const bool word_popped = sent && state_ == State::kPayload && !transfer_.inline_data;

  if (word_popped) words_.pop();
  if (inputs.data_valid) words_.push(inputs.data);
  reserved_ = reserved_ + (read ? 1 : 0) - (word_popped ? 1 : 0);
  if (read) {
    --reads_left_;
    read_address_ += 4;
  }

  switch (state_) {
    case State::kIdle:
      break;
    case State::kHeader0:
      if (sent) state_ = State::kHeader1;
      break;
    case State::kHeader1:
      packet_words_left_ = (bytes_of_packet() + 3) >> 2;
      if (sent) state_ = transfer_.addressed ? State::kAddress : State::kPayload;
      break;
    case State::kAddress:
      if (sent) state_ = State::kPayload;
      break;
    case State::kPayload:
      if (!sent) break;
      if (last()) {
        state_ = last_packet() ? State::kIdle : State::kHeader0;
        transfer_.address += packet_bytes_;
        transfer_.bytes -= packet_bytes_;
      }
      --packet_words_left_;
      break;
  }
}

std::uint32_t RmaSender::steady_cycles(const MemoryPort& memory, Cycle first, std::uint32_t most) const {
  if (state_ != State::kPayload || words_.empty()) return 0;
  if (reads_left_ != 0 && !memory.holds(read_address_, std::uint64_t{kWordBytes} * reads_left_)) return 0;
  most = std::min(most, packet_words_left_ - 1);
  if (words_.count() > most) return most;
  std::uint32_t words = words_.count();
  std::size_t answer = 0;
  for (std::uint32_t i = 0; i < most; ++i) {
    --words;
    // What is asked for in these cycles may come in them, too: that is not counted on.
    if (answer < memory.size() && memory[answer].cycle == first + i) {
      ++words;
      ++answer;
    }
    if (words == 0) return i;
  }
  return most;
}

SteadyReads RmaSender::send_on(MemoryPort& memory, Cycle first, std::span<std::uint32_t> words) {
  const auto cycles = static_cast<std::uint32_t>(words.size());
  // The read that is shown in the first cycle is there already. A full buffer has room once a word has left.
  const std::uint32_t shown = read_valid() ? 1 : 0;
  const std::uint32_t asked = std::min(cycles - 1 + shown, reads_left_);
  memory.read(read_address_ + kWordBytes * shown, std::min(cycles, reads_left_ - shown), first + 1);
  reads_left_ -= asked;
  read_address_ += kWordBytes * asked;
  reserved_ -= cycles - asked;

  const std::uint32_t here = std::min(words_.count(), cycles);
  for (std::uint32_t i = 0; i < here; ++i) words[i] = words_[i];
  words_.pop(here);
  auto next = words.begin() + here;
  const std::uint32_t answered = memory.take_until(first + (cycles - 1), [&](std::uint32_t word) {
    if (next != words.end()) {
      *next++ = word;
    } else {
      words_.push(word);
    }
  });
  packet_words_left_ -= cycles;
  return {.asked = asked, .answered = answered};
}

}  // namespace tidings::cycle
