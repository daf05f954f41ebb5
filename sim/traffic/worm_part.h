// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file worm_part.h
/// A whole machine with synthetic traffic, simulated packet by packet: what flits do between head and tail follows.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/cycle/route_compute.h"
#include "sim/cycle/router_input.h"
#include "sim/machine/queue.h"
#include "sim/traffic/due_calendar.h"
#include "sim/traffic/part.h"

namespace tidings::traffic {

/// A packet on its way is a worm: in each router it lies in, it moves one flit in every cycle, or stands. It begins to
/// move or stops only if its head gets an output, its tail leaves, or a buffer gets empty or full, or no longer is.
/// Only ports at which one of these is due are looked at. In between, a buffer's flits are a function of time. All that
/// a user sees is what FlitPart shows, in every cycle.
///
/// One cycle is: packets are created, worms end whose tails have left in the cycle before, then ports choose anew. A
/// choice depends only on what was so before the cycle, so the order of ports does not matter.
class WormPart final : public Part {
 public:
  /// Links have the same latency, and routers are input-buffered without a pipeline.
  [[nodiscard]] static bool suits(const TrafficConfig& config);

  /// @throws std::invalid_argument if `config` does not suit.
  WormPart(const TrafficConfig& config, const Topology& topology, const Destinations& destinations,
           Ledger::Window window);

  void create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) override;
  void run(Cycle end) override;
  [[nodiscard]] std::uint64_t link_flits(NodeIndex node, PortId port) const override;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr unsigned kWordBits = 64;

  /// A packet of which a flit is in an input channel's buffer, or will be.
  struct Packet {
    std::uint32_t header = 0;
    std::uint32_t wanted = 0;  ///< output channel
  };
  /// An input channel of a router. A source is a router, too: it has a port, and a channel for each class, which holds
  /// no more than the flits of the oldest packet.
  struct Channel {
    Cycle since;                ///< when `flits` was so, and `in` and `out` began
    std::uint32_t flits = 0;    ///< in the buffer
    std::uint32_t depth = 0;    ///< flits that it holds
    std::uint32_t left = 0;     ///< flits of the oldest packet that have not left; while it moves, had not
    std::uint32_t sender = 0;   ///< the port that flits come from
    std::uint16_t packets = 0;  ///< in the channel
    std::uint16_t oldest = 0;   ///< its place in the channel's ring of packets
    bool in = false;            ///< a flit comes in every cycle
    bool out = false;           ///< a flit leaves in every cycle
  };
  /// An output port of a router.
  struct Port {
    std::uint64_t waiting = 0;    ///< input channels of the router whose oldest packets want it, one bit each
    std::uint64_t flits = 0;      ///< that have left before `since`
    Cycle since;                  ///< when the mover began
    std::uint32_t mover = kNone;  ///< input channel of which a flit leaves in every cycle
    std::uint32_t output = 0;     ///< output channel of these
    std::uint8_t first = 0;       ///< where its round begins: a number in the router
  };
  /// What goes over a link of more than one cycle instead of flits and credits: that they come from now on, or no
  /// longer.
  struct Message {
    enum class Kind : std::uint8_t {
      kFlits,       ///< flits come in every cycle
      kHead,        ///< the same, and the first is a head
      kFlitsEnd,    ///< no more do
      kCredits,     ///< the sender gets a credit in every cycle
      kCreditsEnd,  ///< it does no more
    };
    Cycle cycle{};  ///< in which it takes effect: flits and credits can be used from the next one on
    std::uint32_t channel = 0;
    std::uint32_t header = 0;  ///< of kHead
    Kind kind{};
  };
  /// What a port leads to.
  struct Sink {
    std::uint32_t port = 0;
    Cycle arrives;  ///< the next flit of the port's mover that is not accounted for
  };

  [[nodiscard]] std::uint32_t port_of(std::uint32_t channel) const { return channel >> plan_.numbers.vc_shift; }
  [[nodiscard]] std::uint32_t first_channel(std::uint32_t port) const {
    return port << plan_.numbers.vc_shift & ~channel_mask_;
  }
  [[nodiscard]] static std::uint32_t flits_at(const Channel& channel, Cycle t) {
    const auto cycles = static_cast<std::uint32_t>(t - channel.since);
    return channel.flits + (channel.in ? cycles : 0) - (channel.out ? cycles : 0);
  }
  static void settle(Channel& channel, Cycle t) {
    channel.flits = flits_at(channel, t);
    channel.since = t;
  }
  [[nodiscard]] const Packet& oldest(std::uint32_t channel) const {
    return packets_[std::size_t{channel} * packet_room_ + channels_[channel].oldest];
  }

  [[nodiscard]] bool is_source(std::uint32_t channel) const { return channel >= sources_from_; }
  /// The endpoint whose source has a channel.
  [[nodiscard]] std::uint32_t source_of_channel(std::uint32_t channel) const {
    return plan_.node(channel - sources_from_);
  }
  /// Packets that wait in a source for a channel, the oldest of which may be leaving.
  [[nodiscard]] WaitingPackets::Queue& queue(std::uint32_t channel) {
    return queues_[source_of_channel(channel) * plan_.numbers.classes + plan_.within(channel)];
  }

  /// An input channel is behind a link of more than one cycle.
  [[nodiscard]] bool is_far(std::uint32_t channel) const {
    return !seen_.empty() && plan_.within(channel) < plan_.numbers.slot0 && !is_source(channel);
  }
  /// What its sender knows of an input channel.
  [[nodiscard]] const Channel& seen(std::uint32_t channel) const {
    return is_far(channel) ? seen_[channel] : channels_[channel];
  }

  /// A port is looked at `cycles` after `t`, or earlier if that is far ahead.
  void look_after(std::uint32_t number, Cycle t, std::uint64_t cycles) { due_.add(number, t, cycles); }
  void step(Cycle t);
  /// The output channel that a packet in a channel wants.
  [[nodiscard]] std::uint32_t way(std::uint32_t channel, std::uint32_t header) const;
  /// A packet gets behind those in a channel.
  void push(std::uint32_t channel, std::uint32_t header);
  /// The oldest of the packets that wait in a source for a channel begins to leave.
  void push_waiting(std::uint32_t channel);
  /// A packet becomes a channel's oldest.
  void open(std::uint32_t channel);
  /// Flits come into a channel from `t` on. @param header of the packet of which the first is the head; null if it is
  /// not.
  void start_in(std::uint32_t channel, const std::uint32_t* header, Cycle t);
  /// No more flits come into a channel from `t` on.
  void stop_in(std::uint32_t channel, Cycle t);
  /// The sender of a channel gets a credit in every cycle from `t` on.
  void start_credits(Channel& channel, Cycle t);
  /// It gets no more from `t` on.
  void stop_credits(Channel& channel, Cycle t);
  /// Flits leave a channel from `t` on.
  void start_out(std::uint32_t channel, Cycle t);
  /// No more flits leave a channel from `t` on.
  void stop_out(std::uint32_t channel, Cycle t);
  /// Something goes over a link of more than one cycle.
  void send(const Message& message, Cycle t);
  void receive(const Message& message, Cycle t);

  void end_port(std::uint32_t number, Cycle t);
  void choose(std::uint32_t number, Cycle t);
  /// Input channels that may send a flit through a port, by their numbers in the router, one bit each.
  [[nodiscard]] std::uint64_t able(const Port& port, std::uint32_t first_channel, Cycle t) const;
  void start(Port& port, std::uint32_t channel, Cycle t);
  void stop(Port& port, Cycle t);
  /// A port is looked at when its mover has to stop at the latest.
  void plan(std::uint32_t number, const Port& port, Cycle t);
  /// The flits that have come to an endpoint in cycles before `end`.
  void arrive(Sink& sink, Cycle end);
  /// The endpoint that a channel of a slot belongs to.
  [[nodiscard]] std::uint32_t endpoint_of(std::uint32_t channel) const {
    return plan_.node(channel) * slots_ + plan_.numbers.port(plan_.within(channel)) - plan_.numbers.network_ports;
  }

  cycle::RouterPlan plan_;
  std::uint32_t packet_flits_;
  std::uint32_t slots_;                      ///< of a router
  std::uint32_t latency_;                    ///< of links, in cycles
  std::uint32_t channel_mask_;               ///< of the number that a channel has in its router
  std::uint32_t packet_room_;                ///< places of a channel's ring, a power of two
  std::uint32_t sources_from_;               ///< the first channel of a source, behind those of routers
  std::vector<cycle::RouteCompute> routes_;  ///< a router's
  std::vector<Channel> channels_;
  std::vector<Channel> seen_;    ///< what senders know of channels: credits; empty if links have one cycle
  Queue<Message> on_links_;      ///< in the order in which it takes effect
  std::vector<Packet> packets_;  ///< rings of all channels
  std::vector<Port> ports_;
  std::vector<std::uint32_t> far_ends_;        ///< an output channel: where its link ends; kNone: an endpoint
  std::vector<std::uint8_t> taken_;            ///< an output channel: a packet has it that has not left
  std::vector<WaitingPackets::Queue> queues_;  ///< endpoint * classes + class
  std::vector<Sink> sinks_;                    ///< by endpoint
  DueCalendar due_;                            ///< ports to look at
};

}  // namespace tidings::traffic
