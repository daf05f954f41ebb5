// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router_static.h
/// Twin of rtl/network/router_static.sv: all packets with branches in a router.
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/route_table.h"
#include "sim/cycle/router_allocator.h"
#include "sim/cycle/router_input.h"
#include "sim/cycle/static_route.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Flits of the longest packet on a static route that forks.
[[nodiscard]] std::uint32_t static_flits(const NodeParameters& parameters);

/// The table of static routes, and the branches of the packet at the head of each input channel.
class RouterStatic {
 public:
  /// A branch of a static packet: an output channel.
  struct Branch {
    std::uint8_t port;
    std::uint8_t channel;
  };

  /// A static packet whose route is known, and what comes of it in a cycle.
  struct Asking {
    unsigned c;  ///< input channel
    StaticRoute::Outputs outputs;
    StaticRoute::Decision decision;
  };

  /// The router of which these are the packets.
  struct Surroundings {
    const RouterInputs& inputs;
    const RouterAllocator& allocator;
    const RouterPlan& plan;
    std::uint32_t node;

    [[nodiscard]] const InputChannel& input(unsigned c) const { return inputs[plan.first_channel(node) + c]; }
    [[nodiscard]] const RouterAllocator::OutputChannel& output(unsigned c) const {
      return allocator.output(plan.first_channel(node) + c);
    }
  };

  RouterStatic(const NodeParameters& parameters, const NodePlace& place, const RouterNumbers& numbers);

  [[nodiscard]] RouteTable& routes() { return table_; }
  /// A branch of a static packet has been left out in this cycle. Asking forgets it.
  [[nodiscard]] bool take_refused() { return std::exchange(refused_, false); }
  [[nodiscard]] StaticRoute& operator[](unsigned c) { return packets_[c]; }
  [[nodiscard]] const StaticRoute& operator[](unsigned c) const { return packets_[c]; }
  /// Room for the packets that ask in a cycle.
  [[nodiscard]] std::vector<Asking>& asking() { return asking_; }

  /// The branches of a static packet that came on an input channel, in the order in which it takes their channels.
  [[nodiscard]] std::vector<Branch> branches(unsigned c, const RouteEntry& entry) const;
  /// Output channel on which a static packet leaves from an input channel through a port.
  [[nodiscard, gnu::always_inline]] unsigned branch_channel(unsigned c, unsigned port) const {
    if (adjacent_ && c == numbers_.slot0) return numbers_.channel(port, 0);
    const unsigned from = numbers_.port(c);
    const bool stays = port < numbers_.network_ports && from / 2 == port / 2 && numbers_.vc(c) >= numbers_.classes;
    const bool over_wrap = (wraps_ >> port & 1U) != 0;
    const bool behind = numbers_.network_vcs > numbers_.classes && (stays || over_wrap);
    return numbers_.channel(port, behind ? numbers_.classes : 0);
  }
  /// The output channels of some ports for branches of an input channel's static packet.
  [[nodiscard]] StaticRoute::Outputs outputs(unsigned c, std::uint32_t ports, const Surroundings& around) const {
    StaticRoute::Outputs outputs;
    for (std::uint32_t rest = ports; rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      const RouterAllocator::OutputChannel& output = around.output(branch_channel(c, port));
      const std::uint32_t bit = 1U << port;
      if (!output.taken) outputs.free |= bit;
      if (output.credits != 0) outputs.credit |= bit;
      // A slot takes all words in the end.
      if (port >= numbers_.network_ports || output.credits >= static_flits_) outputs.room |= bit;
    }
    return outputs;
  }

  /// With a pipeline, in each cycle with a static head: in one of the two before, a route was looked up, or what
  /// packets wait for may have changed, as a grant was used or a credit came.
  [[nodiscard]] bool stirred(const Surroundings& around) {
    const bool moved = moved_ || credits(around) != credits_;
    return std::exchange(moved_before_, moved) || moved;
  }
  /// The end of such a cycle. @param moved a grant was used, or a static head had no branches yet.
  void end(bool moved, const Surroundings& around) {
    moved_ = moved;
    credits_ = credits(around);
  }

  /// Gives a static head its branches if it is a neighbour packet.
  bool serve_neighbour(unsigned c, const Surroundings& around);
  /// Looks up the route of one static head; with a pipeline, of the one chosen in the cycle before.
  /// @return its input channel; kNone if there is none.
  std::uint8_t serve_lookup(const Surroundings& around);

 private:
  /// Credits of all channels of branches at links. Unless a grant is used, they change if one comes.
  [[nodiscard]] std::uint32_t credits(const Surroundings& around) const {
    std::uint32_t sum = 0;
    for (unsigned port = 0; port < numbers_.network_ports; ++port) {
      sum += around.output(numbers_.channel(port, 0)).credits;
      if (numbers_.network_vcs > numbers_.classes)
        sum += around.output(numbers_.channel(port, numbers_.classes)).credits;
    }
    return sum;
  }
  /// The static head whose turn it is; kNone without any that asks.
  std::uint8_t choose_lookup(const Surroundings& around);
  void serve(unsigned c, const RouteEntry& entry, const Surroundings& around);
  /// Ports that dimension order allows a packet of an input channel.
  [[nodiscard]] std::uint32_t turns(unsigned c) const;

  RouterNumbers numbers_;
  bool direct_links_;
  bool pipeline_;
  bool adjacent_ = false;                          ///< the static packet at slot 0 is a neighbour packet
  std::uint32_t static_flits_;                     ///< of the longest packet on a route that forks
  std::uint8_t first_reader_ = 0;                  ///< the input channel that the round of lookups begins with
  std::uint8_t looking_ = RouterAllocator::kNone;  ///< with a pipeline: the one whose lookup has been chosen
  bool moved_ = false;                             ///< in the last cycle with a static head, without a credit
  bool moved_before_ = false;                      ///< in the cycle before that, with credits
  std::uint32_t credits_ = 0;                      ///< at the end of the last cycle with a static head
  bool refused_ = false;                           ///< a lookup in this cycle has left out a branch
  std::uint32_t linked_ = 0;                       ///< ports with a link or slot, one bit each
  std::uint32_t wraps_ = 0;                        ///< ports at the edge of the coordinates
  RouteTable table_;
  std::vector<StaticRoute> packets_;  ///< an input channel's
  std::vector<Asking> asking_;
};

}  // namespace tidings::cycle
