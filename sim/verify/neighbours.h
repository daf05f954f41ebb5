// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file neighbours.h
/// All that surrounds one node: random packets and back-pressure on its network ports, software and memory at its
/// slots.
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/traffic/random.h"
#include "sim/verify/compared.h"
#include "sim/verify/packets.h"
#include "sim/verify/port_credits.h"
#include "sim/verify/software.h"

namespace tidings::verify {

/// Drives the inputs of one node. What a node is given depends on its outputs only in time: packets are numbered, and
/// each has its content from the seed and its number, so that some can be left out and the others stay what they are.
class Neighbours {
 public:
  /// @param kept numbers of the packets that are sent; all where there is nothing.
  Neighbours(const NodeParameters& parameters, const Topology& topology, NodeIndex node, std::uint32_t seed,
             const std::optional<std::vector<std::uint32_t>>& kept = std::nullopt);

  /// The inputs of the next cycle, given the outputs of this one.
  /// @param quiet begins no packet and no access any more.
  void drive(const NodeOutputs& outputs, NodeInputs& inputs, bool quiet);

  /// Nothing of what was begun is left to send, and no credit or word to give back.
  [[nodiscard]] bool at_rest() const;
  /// Numbers of the packets that were begun.
  [[nodiscard]] const std::vector<std::uint32_t>& begun() const { return begun_; }
  /// Their first two words.
  [[nodiscard]] const std::vector<PacketHeader>& headers() const { return headers_; }
  /// Accesses of software at all slots: writes, and reads that were answered.
  [[nodiscard]] const std::vector<RegisterAccess>& accesses() const { return accesses_; }
  /// How many of each kind.
  [[nodiscard]] const std::array<std::uint64_t, kPacketKinds>& counts() const { return counts_; }

 private:
  struct Channel {
    std::deque<std::uint32_t> packet;  ///< the rest of the packet that is being sent
    bool kept = true;                  ///< it is really sent
    std::uint32_t packets = 0;         ///< so far
  };
  struct Port {
    PortCredits credits;
    std::array<Channel, tidings_pkg::kMaxVcs> channels;
    std::uint32_t link_room = 0;  ///< of the static switch, for words to it
    std::uint32_t link_owed = 0;  ///< credits for words from it
  };
  struct Slot {
    std::deque<BusRequest> pending;                           ///< what software does next
    std::deque<std::uint16_t> asked;                          ///< addresses of reads without an answer
    std::deque<std::pair<std::uint64_t, std::uint32_t>> due;  ///< cycle of a memory read's answer, and the word
  };

  void drive_port(std::size_t p, const PortOutput& output, PortInput& input, bool quiet);
  void drive_slot(std::size_t s, const SlotOutput& output, SlotInput& input, bool quiet);
  void send(std::size_t p, std::uint8_t vc, PortInput& input, bool quiet);
  /// Words and credits for the static switch.
  void drive_link(std::size_t p, const SwitchLink& output, SwitchLink& input, bool quiet);

  std::uint32_t seed_;
  bool barriers_;       ///< the node has wires of barriers
  bool switches_;       ///< the node has a static switch
  bool takes_packets_;  ///< the node is in a network of `stream`
  traffic::Random times_;
  Software software_;
  Packets packets_;
  std::optional<std::unordered_set<std::uint32_t>> kept_;
  std::vector<Port> ports_;
  std::vector<Slot> slots_;
  std::uint64_t cycle_ = 0;
  std::vector<std::uint32_t> begun_;
  std::vector<PacketHeader> headers_;
  std::vector<RegisterAccess> accesses_;
  std::array<std::uint64_t, kPacketKinds> counts_{};
};

}  // namespace tidings::verify
