// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/neighbours.h"

#include <algorithm>
#include <utility>

#include "generated/registers.h"

namespace tidings::verify {
namespace {

using namespace registers;

constexpr std::uint64_t kMemoryLatency = 3;
/// Streams of random numbers beside those of packets (sim/verify/packets.cpp).
constexpr std::uint64_t kSetUpStream = 1ULL << 40U, kAccessStream = 1ULL << 41U, kSoftwareStream = 1ULL << 42U,
                        kTokenStream = 1ULL << 43U, kLinkStream = 1ULL << 44U;

}  // namespace

Neighbours::Neighbours(const NodeParameters& parameters, const Topology& topology, NodeIndex node, std::uint32_t seed,
                       const std::optional<std::vector<std::uint32_t>>& kept)
    : seed_(seed),
      barriers_(parameters.barrier_slots != 0),
      switches_(parameters.alltoall_slots != 0),
      takes_packets_(parameters.stream_own_network != 0),
      times_(seed, 0),
      software_(parameters, topology, node, traffic::Random(seed, kSoftwareStream)),
      packets_(parameters, topology, node, seed),
      ports_(topology.ports(), Port{.credits = PortCredits(packets_.channels(), parameters.buffer_flits),
                                    .channels = {},
                                    .link_room = parameters.alltoall_buffer_words}),
      slots_(topology.slots()) {
  if (kept) kept_.emplace(kept->begin(), kept->end());
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    traffic::Random random(seed_, kSetUpStream + s);
    const std::vector<BusRequest> set_up = software_.set_up(random);
    slots_[s].pending.assign(set_up.begin(), set_up.end());
  }
}

void Neighbours::drive(const NodeOutputs& outputs, NodeInputs& inputs, bool quiet) {
  for (std::size_t p = 0; p < ports_.size(); ++p) drive_port(p, outputs.ports[p], inputs.ports[p], quiet);
  for (std::size_t s = 0; s < slots_.size(); ++s) drive_slot(s, outputs.slots[s], inputs.slots[s], quiet);
  ++cycle_;
}

bool Neighbours::at_rest() const {
  return std::ranges::all_of(
             slots_, [](const Slot& slot) { return slot.due.empty() && slot.asked.empty() && slot.pending.empty(); }) &&
         std::ranges::all_of(ports_, [](const Port& port) {
           return port.credits.at_rest() && port.link_owed == 0 &&
                  std::ranges::all_of(port.channels, [](const Channel& channel) { return channel.packet.empty(); });
         });
}

void Neighbours::drive_port(std::size_t p, const PortOutput& output, PortInput& input, bool quiet) {
  PortCredits& credits = ports_[p].credits;
  input = {};
  input.credits = credits.give(output, times_, quiet);
  const bool sends = times_.below(quiet ? 1 : 2) == 0;
  const auto vc = static_cast<std::uint8_t>(times_.below(packets_.channels()));
  if (sends) send(p, vc, input, quiet);
  credits.take(output.credits);
  if (barriers_ && !quiet) {
    // Of no barrier: what nobody can have sent is dropped.
    traffic::Random random(seed_, kTokenStream + cycle_ * ports_.size() + p);
    if (random.below(4) == 0) input.tokens = static_cast<std::uint8_t>(random.next() & random.next());
  }
  if (switches_ && p < tidings_pkg::kSwitchPorts) drive_link(p, output.link.word, input.link.word, quiet);
  // What leaves for the network of `stream` is taken, and nothing comes from it.
  if (takes_packets_ && p < tidings_pkg::kFlatSwitchPorts) input.link.stream.credit = output.link.stream.valid;
}

void Neighbours::drive_link(std::size_t p, const SwitchLink& output, SwitchLink& input, bool quiet) {
  Port& port = ports_[p];
  traffic::Random random(seed_, kLinkStream + cycle_ * ports_.size() + p);
  port.link_room += output.credit ? 1 : 0;
  port.link_owed += output.valid ? 1 : 0;
  input.credit = port.link_owed != 0 && (quiet || random.below(4) != 0);
  if (input.credit) --port.link_owed;
  if (quiet || port.link_room == 0 || random.below(3) == 0) return;
  --port.link_room;
  input.valid = true;
  input.data = static_cast<std::uint32_t>(random.next());
}

void Neighbours::drive_slot(std::size_t s, const SlotOutput& output, SlotInput& input, bool quiet) {
  Slot& slot = slots_[s];
  input = {};
  if (output.bus_read_valid) {
    accesses_.push_back({.write = false, .address = slot.asked.front(), .data = output.bus_read_data});
    if (slot.asked.front() == RmaQueueTail::kAddress) {
      slot.pending.push_front({.write = true, .address = RmaQueueHead::kAddress, .data = output.bus_read_data});
    }
    slot.asked.pop_front();
  }
  if (output.memory_read_valid) {
    slot.due.emplace_back(cycle_ + kMemoryLatency, output.memory_read_address * 2654435761U);
  }
  if (!slot.due.empty() && slot.due.front().first == cycle_) {
    input.memory_data_valid = true;
    input.memory_data = slot.due.front().second;
    slot.due.pop_front();
  }
  if (times_.below(12) == 0 && !quiet) {
    // Drawn from the cycle, so that it does not depend on what was done before.
    traffic::Random random(seed_, kAccessStream + cycle_ * kMaxSlots + s);
    const std::vector<BusRequest> accesses = software_.draw(random);
    slot.pending.insert(slot.pending.end(), accesses.begin(), accesses.end());
  }
  if (slot.pending.empty()) return;
  input.bus_valid = true;
  input.bus = slot.pending.front();
  slot.pending.pop_front();
  if (input.bus.write) {
    accesses_.push_back({.write = true, .address = input.bus.address, .data = input.bus.data});
  } else {
    slot.asked.push_back(input.bus.address);
  }
}

void Neighbours::send(std::size_t p, std::uint8_t vc, PortInput& input, bool quiet) {
  Channel& channel = ports_[p].channels[vc];
  if (channel.packet.empty()) {
    if (quiet) return;
    const std::uint32_t number = packets_.number(p, vc, channel.packets++);
    Packet packet = packets_.from_link(number);
    channel.packet = std::move(packet.words);
    channel.kept = !kept_ || kept_->contains(number);
    if (channel.kept) {
      begun_.push_back(number);
      headers_.emplace_back(channel.packet[0],
                            channel.packet.size() > 1 ? std::optional(channel.packet[1]) : std::nullopt);
      ++counts_[static_cast<std::size_t>(packet.kind)];
    }
  }
  if (!channel.kept) {
    channel.packet.pop_front();
    return;
  }
  if (!ports_[p].credits.take_room(vc)) return;
  input.flit_valid = true;
  input.flit = {.vc = vc, .last = channel.packet.size() == 1, .data = channel.packet.front()};
  channel.packet.pop_front();
}

}  // namespace tidings::verify
