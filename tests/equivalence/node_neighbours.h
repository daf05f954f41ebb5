// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_neighbours.h
/// Random packets and back-pressure on the network ports of one node.
#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "sim/machine/node.h"
#include "sim/machine/node_parameters.h"
#include "sim/machine/topology.h"

namespace tidings::test {

/// Neighbours of one node: drive its network ports with random packets, and hold credits back for a while.
/// Packets for the node's own slots are requests that the slots refuse, or take as changes of static routes.
class NodeNeighbours {
 public:
  NodeNeighbours(const NodeParameters& parameters, const Topology& topology, NodeIndex node, std::uint32_t seed)
      : parameters_(parameters), topology_(topology), node_(node), generator_(seed), ports_(topology.ports()) {
    for (Port& port : ports_) {
      for (Channel& channel : port.channels) channel.room = parameters.buffer_flits;
      port.stream_room = parameters.mpe_buffer_words;
    }
  }

  /// The software of a slot: lets the network change routes, and changes them itself.
  void access(std::uint32_t cycle, SlotInput& input) {
    static constexpr std::array<BusRequest, 3> kSetUp{
        {{true, kRegionLength, 4096}, {true, kRegionRights, 0b1101}, {true, kIrqEnable, 0b111111}}};
    input = {};
    input.bus_valid = cycle < kSetUp.size() || random(20) == 0;
    if (!input.bus_valid) return;
    input.bus = {true, kRoute, route_word()};
    if (cycle < kSetUp.size()) {
      input.bus = kSetUp[cycle];
    } else if (random(3) == 0) {
      input.bus = {random(2) == 0, kIrqStatus, random(64)};
    }
  }

  /// The inputs of the next cycle, given the outputs of this one.
  void drive(const NodeOutputs& outputs, NodeInputs& inputs, bool quiet) {
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      Port& port = ports_[p];
      inputs.ports[p] = {};
      if (!quiet && random(200) == 0) port.patience = random(2) == 0 ? 1 : 1 + random(60);
      if (outputs.ports[p].flit_valid) ++port.channels[outputs.ports[p].flit.vc].owed;
      for (unsigned vc = 0; vc < vcs(); ++vc) {
        Channel& channel = port.channels[vc];
        if (channel.owed != 0 && random(quiet ? 1 : port.patience) == 0) {
          --channel.owed;
          inputs.ports[p].credits |= static_cast<std::uint8_t>(1U << vc);
        }
      }
      if (random(quiet ? 4 : 2) == 0) send(port, static_cast<std::uint8_t>(random(vcs())), inputs.ports[p], quiet);
      for (unsigned vc = 0; vc < vcs(); ++vc) {
        if ((outputs.ports[p].credits >> vc & 1U) != 0) ++port.channels[vc].room;
      }
    }
  }

 private:
  struct Channel {
    std::deque<std::uint32_t> packet;  ///< the rest of the packet that is being sent
    std::uint32_t room = 0;
    std::uint32_t owed = 0;
  };
  struct Port {
    std::array<Channel, 4> channels;
    std::uint32_t patience = 1;     ///< a credit comes back with one chance in so many
    std::uint32_t stream_room = 0;  ///< words that still fit behind a direct link, from which nobody takes them
  };

  static constexpr std::uint16_t kIrqStatus = 0x010, kIrqEnable = 0x014, kRoute = 0x100, kRegionLength = 0x404,
                                 kRegionRights = 0x408;
  static constexpr std::uint32_t kStaticMessageKind = 4, kNeighbourKind = 6, kContexts = 8;

  /// A change of a static route: few ports, now and then of a switched one.
  std::uint32_t route_word() {
    const std::uint32_t ports = (1U << (ports_.size() + parameters_.num_slots)) - 1;
    const std::uint32_t switched = random(8) == 0 ? 1U << 24 : 0;
    return random(parameters_.num_routes + 1) << 25 | switched | (random(ports + 1) & random(ports + 1));
  }

  std::uint32_t random(std::uint32_t bound) { return static_cast<std::uint32_t>(generator_() >> 4) % bound; }
  [[nodiscard]] std::uint8_t vcs() const { return parameters_.dateline != 0 ? 4 : 2; }

  void send(Port& port, std::uint8_t vc, PortInput& input, bool quiet) {
    Channel& channel = port.channels[vc];
    if (channel.room == 0 || (quiet && channel.packet.empty())) return;
    if (channel.packet.empty() && !(vc == 0 && draw_neighbour(port))) draw(channel, vc % 2 != 0);
    --channel.room;
    input.flit_valid = true;
    input.flit = {.data = channel.packet.front(), .vc = vc, .last = channel.packet.size() == 1};
    channel.packet.pop_front();
  }

  /// Now and then, a packet over a direct link.
  bool draw_neighbour(Port& port) {
    if (parameters_.direct_links == 0 || random(3) != 0) return false;
    const std::uint32_t words = 1 + random(10);
    if (port.stream_room < words) return false;
    port.stream_room -= words;
    std::deque<std::uint32_t>& packet = port.channels[0].packet;
    packet = {kNeighbourKind << 28 | random(kContexts) << 24 | random(1U << 12) << 12 | words};
    for (std::uint32_t i = 0; i < words; ++i) packet.push_back(static_cast<std::uint32_t>(generator_()));
    return true;
  }

  void draw(Channel& channel, bool reply) {
    NodeIndex to{random(topology_.nodes())};
    if (to == node_ && reply) to = NodeIndex{(node_.value + 1) % topology_.nodes()};
    const std::uint32_t from = topology_.id(NodeIndex{random(topology_.nodes())}).value;
    const std::uint32_t slot = random(parameters_.num_slots);
    const std::uint32_t addresses = slot << 24 | std::uint32_t{topology_.id(to).value} << 12 | from;
    if (!reply && parameters_.num_routes != 0 && random(3) == 0) {
      // Static: a message to all slots on the way.
      const std::uint32_t words = 1 + random(10);
      channel.packet = {kStaticMessageKind << 28 | random(parameters_.num_routes + 1) << 12 | from, 4 * words};
      for (std::uint32_t i = 0; i < words; ++i) channel.packet.push_back(static_cast<std::uint32_t>(generator_()));
      return;
    }
    if (to == node_) {
      // A message to a queue that is not there, or words for a region that is not registered.
      constexpr std::uint32_t kBytes = 8, kPutKind = 1;
      const bool put = random(2) == 0;
      channel.packet = {(put ? kPutKind << 28 : 0) | addresses, kBytes, random(1 << 10) * 4, route_word()};
      if (put) channel.packet.push_back(route_word());
      return;
    }
    channel.packet = {(reply ? 0x80000000U : 0U) | addresses};
    for (std::uint32_t words = random(4) == 0 ? 0 : random(12); words != 0; --words) {
      channel.packet.push_back(static_cast<std::uint32_t>(generator_()));
    }
  }

  NodeParameters parameters_;
  const Topology& topology_;
  NodeIndex node_;
  std::minstd_rand generator_;
  std::vector<Port> ports_;
};

}  // namespace tidings::test
