// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/barrier_engine.h"

#include <optional>
#include <utility>

namespace tidings::cycle {
namespace {

/// Of the places where a member of a barrier between routers can have others.
constexpr std::uint32_t kDirections = (1U << tidings_pkg::kBarrierPorts) - 1;

/// The tokens of one group, a bit for each port, out of those of all.
std::uint32_t tokens_of(std::uint32_t tokens, unsigned group) {
  std::uint32_t ports = 0;
  for (unsigned port = 0; port < tidings_pkg::kBarrierPorts; ++port) {
    ports |= (tokens >> (port * tidings_pkg::kBarrierGroups + group) & 1U) << port;
  }
  return ports;
}

std::uint32_t tokens_in(std::uint32_t ports, unsigned group) {
  std::uint32_t tokens = 0;
  for (unsigned port = 0; port < tidings_pkg::kBarrierPorts; ++port) {
    tokens |= (ports >> port & 1U) << (port * tidings_pkg::kBarrierGroups + group);
  }
  return tokens;
}

}  // namespace

BarrierEngine::BarrierEngine(const NodeParameters& parameters)
    : hub_(parameters.dims == 0 && parameters.graph_ports == 0) {}

std::uint32_t BarrierEngine::arrived() const {
  std::uint32_t groups = 0;
  for (unsigned g = 0; g < kGroups; ++g) {
    groups |= (groups_[g].arrived() || spokes_[g].arrived() ? 1U : 0U) << g;
  }
  return groups | gate_.held();
}

void BarrierEngine::show(const ReceivedWords&, std::uint32_t, const BusRequest*, EngineOutputs& shown) const {
  shown.waiting = (done_ & enable_.groups) != 0;
  shown.tokens = tokens_;
  shown.mates = hub_ ? &mates_ : nullptr;
  shown.held = gate_.held() != 0;
}

std::uint32_t BarrierEngine::read_register(std::uint16_t address) const {
  if (registers::BarrierGroup::holds(address)) {
    return settings_[(address - registers::BarrierGroup::kAddress) / registers::BarrierGroup::kInfo.stride].encode();
  }
  switch (address) {
    case registers::BarrierSizes::kAddress:
      return registers::BarrierSizes{.groups = kGroups}.encode();
    case registers::BarrierStatus::kAddress:
      return registers::BarrierStatus{.done = done_, .arrived = arrived()}.encode();
    case registers::BarrierEnable::kAddress:
      return enable_.encode();
    case registers::BarrierError::kAddress:
      return error_.encode();
    case registers::BarrierArrive::kAddress:
      return written_arrive_.encode();
    default:
      return 0;
  }
}

void BarrierEngine::write(std::uint16_t address, std::uint32_t data) {
  if (registers::BarrierFarMates::holds(address)) {
    constexpr unsigned kWidth = registers::BarrierFarMates::kSlotsField.width;
    const unsigned word = (address - registers::BarrierFarMates::kAddress) / registers::BarrierFarMates::kInfo.stride;
    const std::uint64_t slots = registers::BarrierFarMates::decode(data).slots;
    constexpr std::uint64_t kAll = (std::uint64_t{1} << kWidth) - 1;
    far_mates_ = (far_mates_ & ~(kAll << (word + 1) * kWidth)) | slots << (word + 1) * kWidth;
    return;
  }
  switch (address) {
    case registers::BarrierEnable::kAddress:
      enable_ = registers::BarrierEnable::decode(data);
      break;
    case registers::BarrierError::kAddress:
      error_ = registers::BarrierError::decode(error_.encode() & ~data);
      break;
    case registers::BarrierArrive::kAddress:
      written_arrive_ = registers::BarrierArrive::decode(data);
      break;
    default:
      break;
  }
}

EngineReport BarrierEngine::clock(const EngineInputs& inputs) {
  const EngineReport report{.failed = failed_};
  const bool writes = inputs.bus != nullptr && inputs.bus->write;
  const std::uint16_t address = inputs.bus != nullptr ? inputs.bus->address : std::uint16_t{0};
  const std::uint32_t data = inputs.bus != nullptr ? inputs.bus->data : 0;
  std::optional<unsigned> set;
  if (writes && registers::BarrierGroup::holds(address)) {
    set = (address - registers::BarrierGroup::kAddress) / registers::BarrierGroup::kInfo.stride;
  }
  registers::BarrierArrive arrive;
  if (writes && address == registers::BarrierArrive::kAddress) arrive = registers::BarrierArrive::decode(data);
  const std::uint32_t arrives = arrive.groups;
  const std::uint32_t accepted = arrives & members_ & ~arrived();
  std::uint32_t cleared = accepted;
  if (writes && address == registers::BarrierStatus::kAddress) cleared |= registers::BarrierStatus::decode(data).done;

  const std::uint32_t entering = gate_.clock(
      {.arrive = accepted, .wait = arrive.quiet != 0, .quiet = inputs.quiet, .clear = set ? 1U << *set : 0});

  std::uint32_t done = 0;
  bool stray = false;
  tokens_ = 0;
  for (unsigned g = 0; g < kGroups; ++g) {
    const bool member = settings_[g].member != 0;
    const std::uint32_t tokens = tokens_of(inputs.direct.tokens, g);
    if (hub_) {
      const bool complete = spokes_[g].clock(
          {.member = member, .clear = set == g, .arrive = has(entering, g), .release = (tokens & 1U) != 0});
      done |= (complete ? 1U : 0U) << g;
      tokens_ |= tokens_in(spokes_[g].arrived() ? 1 : 0, g);
      continue;
    }
    const BarrierGroup::Report group = groups_[g].clock({.member = member,
                                                         .mates = settings_[g].mates & kDirections,
                                                         .clear = set == g,
                                                         .arrive = has(entering, g),
                                                         .tokens = tokens});
    done |= (group.done ? 1U : 0U) << g;
    stray = stray || group.stray;
    tokens_ |= tokens_in(groups_[g].tokens(), g);
  }
  done_ = (done_ & ~cleared) | done;
  if (set) {
    settings_[*set] = registers::BarrierGroup::decode(data);
    mates_[*set] = settings_[*set].mates | std::exchange(far_mates_, 0);
    members_ = (members_ & ~(1U << *set)) | (settings_[*set].member ? 1U : 0U) << *set;
  }
  if (writes) write(address, data);
  // A cause that arises in the cycle of a write stays set.
  error_.stray |= stray;
  error_.refused |= arrives != accepted;
  failed_ = stray || arrives != accepted;
  return report;
}

}  // namespace tidings::cycle
