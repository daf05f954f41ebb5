// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file packets.h
/// The grammar of random packets, malformed ones among them: what may come to a router from its neighbours, and from
/// the engines of its slots.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "generated/engine_pkg.h"
#include "generated/node_parameters.h"
#include "generated/tidings_pkg.h"
#include "sim/machine/topology.h"
#include "sim/traffic/random.h"

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
  kAtomic,
  kAtomicCut,  ///< has fewer or more operands than it should
  kRoutePut,   ///< to the router's table of static routes
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

struct Packet {
  PacketKind kind = PacketKind::kPassing;
  std::deque<std::uint32_t> words;
};

/// Draws the packets that one router is given. Each has its content from the seed and its number on its channel alone.
class Packets {
 public:
  Packets(const NodeParameters& parameters, const Topology& topology, NodeIndex node, std::uint32_t seed)
      : parameters_(parameters), topology_(topology), node_(node), seed_(seed) {}

  /// Channels of a network port.
  [[nodiscard]] std::uint32_t channels() const { return parameters_.num_classes * (parameters_.dateline != 0 ? 2 : 1); }
  /// Number of a packet that comes in over a link. @param earlier packets that came on this channel before.
  [[nodiscard]] std::uint32_t number(std::size_t port, std::uint8_t vc, std::uint32_t earlier) const {
    return static_cast<std::uint32_t>((earlier * std::size_t{topology_.ports()} + port) * channels() + vc);
  }
  /// The packet of this number, from a neighbour.
  [[nodiscard]] Packet from_link(std::uint32_t number) const;
  /// From the engines of a slot: for any node, and with direct links from slot 0 to neighbours.
  [[nodiscard]] Packet from_slot(SlotId slot, std::uint8_t vc, std::uint32_t earlier) const;
  /// For one neighbour, as they come on the lane.
  [[nodiscard]] Packet from_lane(std::uint32_t earlier) const;

 private:
  [[nodiscard]] bool is_reply(std::uint32_t vc) const {
    return vc % parameters_.num_classes == engine_pkg::kClassReply;
  }
  /// Through the router.
  [[nodiscard]] static Packet draw_passing(traffic::Random& random, bool reply, const tidings_pkg::Header0& addresses);
  /// A node that a packet is for: this one or any other.
  [[nodiscard]] tidings_pkg::Header0 draw_addresses(traffic::Random& random) const;
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
};

}  // namespace tidings::verify
