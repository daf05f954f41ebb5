// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file neighbours.h
/// All that surrounds one node: random packets, malformed ones among them, and back-pressure on its network ports,
/// software and memory at its slots.
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/traffic/random.h"
#include "sim/verify/compared.h"
#include "sim/verify/port_credits.h"
#include "sim/verify/software.h"

namespace tidings::verify {

/// Kinds of packets. All but the first are for the node's own slots, go along a static route, or over a direct link.
enum class PacketKind : std::uint8_t {
  kPassing,  ///< through the node to another one
  kMessage,
  kMessageOfNoBytes,
  kMessageTooLong,
  kMessageWithoutPayload,
  kPut,
  kPutTooLong,
  kPutCut,      ///< ends before its payload
  kPutOutside,  ///< of a region that is not registered, or beyond its end
  kGet,
  kGetCut,      ///< ends before its last word
  kGetTooLong,  ///< goes on behind its last word
  kRoutePut,    ///< to the router's table of static routes
  kStaticMessage,
  kStaticPut,
  kNeighbour,  ///< over a direct link
  kStream,     ///< words of a collective
  kStaticStream,
  kOneWord,     ///< a request that is over with its first header word
  kGetReply,    ///< that no GET waits for
  kOtherReply,  ///< of an engine beside rma and mpe, or of unknown kind
  kNack,
  kOneWordReply,
  kCount
};
inline constexpr std::size_t kPacketKinds = static_cast<std::size_t>(PacketKind::kCount);

/// Their names in tables, in order.
[[nodiscard]] std::span<const char* const> packet_kind_names();

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
  };
  struct Slot {
    std::deque<BusRequest> pending;                           ///< what software does next
    std::deque<std::uint16_t> asked;                          ///< addresses of reads without an answer
    std::deque<std::pair<std::uint64_t, std::uint32_t>> due;  ///< cycle of a memory read's answer, and the word
  };
  struct Packet {
    PacketKind kind = PacketKind::kPassing;
    std::deque<std::uint32_t> words;
  };

  [[nodiscard]] std::uint8_t vcs() const { return parameters_.dateline != 0 ? 4 : 2; }
  void drive_port(std::size_t p, const PortOutput& output, PortInput& input, bool quiet);
  void drive_slot(std::size_t s, const SlotOutput& output, SlotInput& input, bool quiet);
  void send(std::size_t p, std::uint8_t vc, PortInput& input, bool quiet);
  [[nodiscard]] Packet draw(std::uint32_t number) const;
  /// Words of a collective for the link of this number of slot 0.
  [[nodiscard]] Packet draw_collective(traffic::Random& random, std::uint8_t link,
                                       const tidings_pkg::Header0& addresses) const;
  [[nodiscard]] Packet draw_request(traffic::Random& random, PacketKind kind,
                                    const tidings_pkg::Header0& addresses) const;
  [[nodiscard]] Packet draw_reply(traffic::Random& random, const tidings_pkg::Header0& addresses) const;

  NodeParameters parameters_;
  const Topology& topology_;
  NodeIndex node_;
  std::uint32_t seed_;
  traffic::Random times_;
  Software software_;
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
