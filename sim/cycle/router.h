// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router.h
/// Twin of rtl/network/router.sv: input-buffered wormhole router with virtual channels and credits.
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/router_allocator.h"
#include "sim/cycle/router_crossbar.h"
#include "sim/cycle/router_input.h"
#include "sim/cycle/router_static.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// One cycle t is: `send` tells what leaves in t, then `receive` and `credit` take what comes in, in any order.
/// What leaves is gone from the router at once and not only at the clock edge. Nobody can see the difference,
/// and each flit is looked at once. Only channels that hold flits cost time.
class Router {
 public:
  /// The state after reset.
  Router(const NodeParameters& parameters, const NodePlace& place)
      : numbers_(parameters),
        inputs_(parameters, place, numbers_),
        allocator_(parameters, numbers_),
        static_(parameters, place, numbers_),
        pipeline_(parameters.router_pipeline != 0) {}
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;
  Router(Router&&) = default;  ///< its words stay where they are
  Router& operator=(Router&&) = default;

  /// Channels of a port.
  [[nodiscard]] unsigned channels_of(unsigned port) const { return numbers_.channels_of(port); }

  /// A flit arrives on a channel that the port has, and there is room for it.
  void receive(unsigned port, const Flit& flit) { inputs_.push(numbers_.channel(port, flit.vc), flit); }
  /// A flit arrives over the lane, and there is room for it.
  void receive_lane(const Flit& flit) { inputs_.push(numbers_.lane, flit); }
  /// A place of the buffer downstream became free.
  void credit(unsigned port, unsigned vc) { allocator_.credit(numbers_.channel(port, vc)); }

  /// The static routes. Changes count from the next cycle on.
  [[nodiscard]] RouteTable& routes() { return static_.routes(); }
  /// A branch of a static packet has been left out in this cycle. Asking forgets it.
  [[nodiscard]] bool take_refused() { return static_.take_refused(); }
  /// The branches of a static packet that came on a channel of a port, in the order in which it takes their channels.
  [[nodiscard]] std::vector<RouterStatic::Branch> branches(unsigned port, unsigned vc, const RouteEntry& entry) const {
    return static_.branches(numbers_.channel(port, vc), entry);
  }

  /// A flit waits. If none does, `send` sends nothing.
  [[nodiscard]] bool waiting() const { return inputs_.any_waiting() || !crossbar_.empty(); }

  /// What leaves in this cycle: calls `flit(port, Flit)` and, for the place that it leaves in an input buffer,
  /// `credit(port, channel)`, once for each flit, lowest output port first; `tap(port, Flit)` and `credit` for words
  /// that neighbour packets bring through a port. The lane's credits are those of the port after all others.
  /// @return the RTL's busy_o: whether anything leaves, or is prepared to.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  bool send(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
    if (!pipeline_) return grant(flit, credit, tap);
    const bool leaves = !crossbar_.empty();
    crossbar_.leave(flit, tap);
    const bool granted = grant([this](unsigned port, const Flit& sent) { crossbar_.send(port, sent); }, credit,
                               [this](unsigned port, const Flit& word) { crossbar_.tap(port, word); });
    return leaves || granted;
  }

 private:
  using Grants = RouterAllocator::Grants;

  /// Who sends in this cycle, and what.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  bool grant(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
    Grants grants;
    std::uint32_t tapped = 0;
    const bool all_seen = inputs_.for_each_waiting([&](unsigned c) {
      const InputChannel& input = inputs_[c];
      const unsigned wanted = input.wanted();
      if (allocator_.may_send(wanted, input.owner())) {
        allocator_.ask(grants, c, numbers_.port(wanted));
        return true;
      }
      // The other packets have to share with this one: all over again.
      if (wanted == numbers_.static_channel) return false;
      if (wanted == numbers_.tap_channel) tapped |= 1U << numbers_.port(c);
      return true;
    });
    if (!all_seen) return grant_with_static(flit, credit, tap);
    for (std::uint32_t rest = grants.ports; rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      const unsigned c = grants.winner[port];
      const unsigned wanted = inputs_[c].wanted();
      const BufferedWord word = inputs_[c].front();
      allocator_.use(port, c);
      allocator_.send(wanted, word.last);
      inputs_.pop(c, word);
      flit(port, Flit{.vc = static_cast<std::uint8_t>(numbers_.vc(wanted)), .last = word.last, .data = word.data});
      credit(numbers_.port(c), numbers_.vc(c));
    }
    if (tapped != 0) take_tapped(tapped, credit, tap);
    return (grants.ports | tapped) != 0;
  }

  /// `grant` while a static packet waits at the head of an input channel.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  bool grant_with_static(FlitSink&& flit, CreditSink&& credit, TapSink&& tap);
  /// Takes the words of neighbour packets that have come in through ports, one bit each.
  template <typename CreditSink, typename TapSink>
  void take_tapped(std::uint32_t ports, CreditSink&& credit, TapSink&& tap);

  RouterNumbers numbers_;
  RouterInputs inputs_;
  RouterAllocator allocator_;
  RouterStatic static_;
  bool pipeline_;  ///< words leave a cycle after their grants
  RouterCrossbar crossbar_;
};

template <typename CreditSink, typename TapSink>
void Router::take_tapped(std::uint32_t ports, CreditSink&& credit, TapSink&& tap) {
  for (std::uint32_t rest = ports; rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned c = numbers_.channel(port, 0);
    const BufferedWord word = inputs_[c].front();
    inputs_.pop(c, word);
    tap(port, Flit{.vc = 0, .last = word.last, .data = word.data});
    credit(port, 0U);
  }
}

template <typename FlitSink, typename CreditSink, typename TapSink>
bool Router::grant_with_static(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
  // What each input channel asks for; a lookup takes the cycle.
  struct Static {
    unsigned c;  // input channel of a static packet whose route is known
    StaticRoute::Outputs outputs;
    StaticRoute::Decision decision;
  };
  std::array<Static, RouterAllocator::kRound> statics;
  std::size_t count = 0;
  Grants grants;
  std::uint32_t tapped = 0;
  bool asked = false;
  bool served = false;
  inputs_.for_each_waiting([&](unsigned c) {
    const InputChannel& input = inputs_[c];
    const unsigned wanted = input.wanted();
    if (wanted == numbers_.tap_channel) {
      tapped |= 1U << numbers_.port(c);
    } else if (wanted != numbers_.static_channel) {
      if (allocator_.may_send(wanted, input.owner())) allocator_.ask(grants, c, numbers_.port(wanted));
    } else if (static_[c].asks()) {
      (static_.serve_neighbour(c, inputs_, allocator_) ? served : asked) = true;
    } else {
      statics[count] = {.c = c, .outputs = static_.outputs(c, allocator_), .decision = {}};
      for (std::uint32_t rest = static_[c].request(statics[count].outputs); rest != 0; rest &= rest - 1) {
        allocator_.ask(grants, c, static_cast<unsigned>(std::countr_zero(rest)));
      }
      ++count;
    }
    return true;
  });

  // What comes of it.
  std::uint32_t used = grants.ports;
  std::uint32_t sending = grants.ports;
  std::array<std::uint8_t, RouterAllocator::kMaxPorts> channels;
  for (std::uint32_t rest = grants.ports; rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    channels[port] = inputs_[grants.winner[port]].wanted();
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t granted = 0;
    for (std::uint32_t rest = grants.ports; rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      if (grants.winner[port] != statics[i].c) continue;
      granted |= 1U << port;
      channels[port] = static_cast<std::uint8_t>(static_.branch_channel(statics[i].c, port));
    }
    const StaticRoute::Decision decision = static_[statics[i].c].decide(statics[i].outputs, granted);
    statics[i].decision = decision;
    used &= ~(granted & ~decision.used);
    sending &= ~(granted & ~decision.sent);
  }

  // Both as the clock edge does.
  const auto pop = [&](unsigned c, const BufferedWord& word) {
    inputs_.pop(c, word);
    credit(numbers_.port(c), numbers_.vc(c));
  };
  bool changes = asked || served || (used | tapped) != 0;
  if (asked) static_.serve_lookup(inputs_, allocator_);
  if (tapped != 0) take_tapped(tapped, credit, tap);
  for (std::uint32_t rest = used; rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned c = grants.winner[port];
    allocator_.use(port, c);
    if ((sending >> port & 1U) == 0) {
      allocator_.take(channels[port]);
      continue;
    }
    const bool unicast = inputs_[c].wanted() != numbers_.static_channel;
    const BufferedWord word = inputs_[c].front();
    allocator_.send(channels[port], word.last);
    const auto vc = static_cast<std::uint8_t>(numbers_.vc(channels[port]));
    flit(port, Flit{.vc = vc, .last = word.last, .data = word.data});
    if (unicast) pop(c, word);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [c, outputs, decision] = statics[i];
    const BufferedWord word = inputs_[c].front();
    if (static_[c].active(decision)) changes = true;
    static_[c].clock(decision, word.last);
    if (decision.pop) pop(c, word);
  }
  return changes;
}

}  // namespace tidings::cycle
