// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/alltoall_engine.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "sim/machine/network_ports.h"

namespace tidings::cycle {
namespace {

constexpr std::uint32_t kTargets = 2 * StaticSwitch::kSides;
constexpr std::uint32_t kSources = kTargets + 1;

}  // namespace

AlltoallEngine::AlltoallEngine(const NodeParameters& parameters)
    : entries_(parameters.alltoall_period_words),
      adders_(parameters.alltoall_adders),
      ports_(switch_ports(parameters)),
      sides_(((1U << ports_) - 1) | 1U << StaticSwitch::kSlot),
      slot_room_(std::max(parameters.alltoall_buffer_words, 16U)),
      wide_elements_(parameters.mpe_wide_elements != 0),
      switch_(entries_, ports_, parameters.alltoall_buffer_words, slot_room_),
      sum_(adders_, parameters.fpu_stages),
      send_(std::min(entries_, tidings_pkg::kAlltoallMembers)),
      receive_(std::min(entries_, tidings_pkg::kAlltoallMembers)) {}

bool AlltoallEngine::has_order(std::uint32_t number) const {
  return number >= kTargets || (sides_ >> number % StaticSwitch::kSides & 1U) != 0;
}

OrderTable& AlltoallEngine::order(std::uint32_t number) {
  if (number == kTargets) return send_.order();
  if (number == kSources) return receive_.order();
  return switch_.order(number);
}

void AlltoallEngine::show(const ReceivedWords&, std::uint32_t, const BusRequest*, EngineOutputs& shown) const {
  shown.read_valid = read_valid() ? 1U : 0U;
  shown.write_valid = write_valid() ? 1U : 0U;
  shown.words = switch_.links();
}

bool AlltoallEngine::busy() const {
  return read_valid() || write_valid() || send_.busy() || receive_.busy() || switch_.busy() ||
         sum_.busy(switch_.sum_taken()) || complete() || done_ || failed_;
}

void AlltoallEngine::write(unsigned, const ReceivedWords&, MemoryWrite& shown) const {
  constexpr std::uint8_t kAllBytes = 15;
  shown = {.address = receive_.address(), .strobe = kAllBytes, .data = received_.front()};
}

std::uint32_t AlltoallEngine::read_register(std::uint16_t address) const {
  if (registers::AlltoallLength::holds(address)) {
    const std::uint32_t number =
        (address - registers::AlltoallLength::kAddress) / registers::AlltoallLength::kInfo.stride;
    return lengths_[number].encode();
  }
  switch (address) {
    case registers::AlltoallSizes::kAddress:
      return registers::AlltoallSizes{.entries = entries_, .adders = adders_, .ports = ports_}.encode();
    case registers::AlltoallSource::kAddress:
      return source_.encode();
    case registers::AlltoallDestination::kAddress:
      return destination_.encode();
    case registers::AlltoallStart::kAddress:
      return start_.encode();
    case registers::AlltoallError::kAddress:
      return error_.encode();
    case registers::AlltoallPlace::kAddress:
      return place_.encode();
    case registers::AlltoallEntries::kAddress:
      return written_entries_.encode();
    case registers::AlltoallSums::kAddress:
      return written_sum_.encode();
    default:
      return 0;
  }
}

void AlltoallEngine::write_register(std::uint16_t address, std::uint32_t data) {
  if (registers::AlltoallLength::holds(address)) {
    const std::uint32_t number =
        (address - registers::AlltoallLength::kAddress) / registers::AlltoallLength::kInfo.stride;
    if (!has_order(number)) return;
    lengths_[number] = registers::AlltoallLength::decode(data);
    order(number).set_length(lengths_[number].entries);
    return;
  }
  switch (address) {
    case registers::AlltoallSource::kAddress:
      source_ = registers::AlltoallSource::decode(data);
      break;
    case registers::AlltoallDestination::kAddress:
      destination_ = registers::AlltoallDestination::decode(data);
      break;
    case registers::AlltoallStart::kAddress:
      start_ = registers::AlltoallStart::decode(data);
      break;
    case registers::AlltoallError::kAddress:
      error_ = registers::AlltoallError::decode(error_.encode() & ~data);
      break;
    case registers::AlltoallPlace::kAddress:
      place_ = registers::AlltoallPlace::decode(data);
      break;
    case registers::AlltoallSums::kAddress:
      written_sum_ = registers::AlltoallSums::decode(data);
      break;
    case registers::AlltoallEntries::kAddress:
      written_entries_ = registers::AlltoallEntries::decode(data);
      if (has_order(place_.order)) order(place_.order).write(place_.row, data);
      place_ = registers::AlltoallPlace::decode(
          registers::AlltoallPlace{.row = place_.row + 1, .order = place_.order}.encode());
      break;
    default:
      break;
  }
}

bool AlltoallEngine::sum_possible(std::uint32_t words) const {
  if ((written_sum_.summands & sides_) == 0) return true;
  const auto summands = static_cast<std::uint32_t>(std::popcount(written_sum_.summands & sides_));
  const bool wide = is_wide(static_cast<Element>(written_sum_.element));
  return summands >= 2 && summands <= adders_ + 1 && (written_sum_.outputs & sides_) != 0 &&
         !(wide && (!wide_elements_ || words % 2 != 0));
}

EngineReport AlltoallEngine::clock(const EngineInputs& inputs) {
  const EngineReport report{.failed = failed_, .done = done_};
  const bool writes = inputs.bus != nullptr && inputs.bus->write;
  const bool starts = writes && inputs.bus->address == registers::AlltoallStart::kAddress;
  const std::uint32_t words = starts ? registers::AlltoallStart::decode(inputs.bus->data).words : 0;
  const bool start = starts && !active_ && words != 0 && sum_possible(words);
  const bool read = inputs.read_ready != 0;
  const bool written = inputs.write_ready != 0;
  const std::uint32_t source = source_.address;
  const std::uint32_t destination = destination_.address;

  done_ = complete();
  failed_ = starts && !start;
  active_ = start || (active_ && !done_);

  room_ = room_ - (read ? 1 : 0) + (switch_.word_taken() ? 1 : 0);
  send_.clock(read, words_, source);
  receive_.clock(written, words_, destination);
  if (written) received_.pop();
  if (const std::optional<std::uint32_t> word = switch_.word()) received_.push(*word);
  sum_.clock(switch_, switch_.sum_taken());
  switch_.clock({.switched = inputs.direct.switched,
                 .links = inputs.direct.links,
                 .word = inputs.data_valid != 0 ? std::optional(inputs.data) : std::nullopt,
                 .start = start ? std::optional(words) : std::nullopt});
  if (start) {
    words_ = words;
    send_.start(words);
    receive_.start(words);
    const std::uint32_t summands = adders_ != 0 ? written_sum_.summands & sides_ : 0;
    sums_ = {.inputs = summands, .outputs = summands != 0 ? written_sum_.outputs & sides_ : 0};
    sum_.start(sums_.inputs, words,
               {static_cast<Element>(written_sum_.element), static_cast<Combine>(written_sum_.combine)});
  }
  if (writes) write_register(inputs.bus->address, inputs.bus->data);
  // A cause that arises in the cycle of a write stays set.
  error_.refused |= failed_;
  sum_.evaluate(switch_);
  sums_.takes = sum_.takes();
  sums_.sum = sum_.sum();
  switch_.show(!received_.full(), sums_);
  return report;
}

}  // namespace tidings::cycle
