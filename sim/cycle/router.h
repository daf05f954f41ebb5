// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router.h
/// Twin of rtl/network/router.sv: input-buffered wormhole router with virtual channels and credits.
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/cycle/input_channel.h"
#include "sim/cycle/route_compute.h"
#include "sim/cycle/route_table.h"
#include "sim/cycle/static_route.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"
#include "sim/machine/node_parameters.h"

namespace tidings::cycle {

/// Flits of the longest packet on a static route that forks.
[[nodiscard]] std::uint32_t static_flits(const NodeParameters& parameters);

/// One cycle t is: `send` tells what leaves in t, then `receive` and `credit` take what comes in, in any order.
/// What leaves is gone from the router at once and not only at the clock edge. Nobody can see the difference,
/// and each flit is looked at once. Only channels that hold flits cost time.
class Router {
 public:
  static constexpr unsigned kMaxPorts = 2 * kMaxDims + kMaxSlots;

  /// The state after reset.
  Router(const NodeParameters& parameters, const NodePlace& place);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;
  Router(Router&&) = default;  ///< its words stay where they are
  Router& operator=(Router&&) = default;

  /// Channels of a port.
  [[nodiscard]] unsigned channels_of(unsigned port) const { return port < network_ports_ ? network_vcs_ : classes_; }

  /// A flit arrives on a channel that the port has, and there is room for it.
  void receive(unsigned port, const Flit& flit) {
    const unsigned c = channel(port, flit.vc);
    inputs_[c].push({.data = flit.data, .last = flit.last}, route_);
    waiting_[c / kWordBits] |= std::uint64_t{1} << c % kWordBits;
  }

  /// A flit arrives over the lane, and there is room for it.
  void receive_lane(const Flit& flit) {
    inputs_[lane_].push({.data = flit.data, .last = flit.last}, route_);
    waiting_[lane_ / kWordBits] |= std::uint64_t{1} << lane_ % kWordBits;
  }

  /// A place of the buffer downstream became free.
  void credit(unsigned port, unsigned vc) { ++outputs_[channel(port, vc)].credits; }

  /// The static routes. Changes count from the next cycle on.
  [[nodiscard]] RouteTable& routes() { return table_; }
  /// A branch of a static packet has been left out in this cycle. Asking forgets it.
  [[nodiscard]] bool take_refused() { return std::exchange(refused_, false); }

  /// A branch of a static packet: an output channel.
  struct Branch {
    std::uint8_t port;
    std::uint8_t channel;
  };
  /// The branches of a static packet that came on a channel of a port, in the order in which it takes their channels.
  [[nodiscard]] std::vector<Branch> branches(unsigned port, unsigned vc, const RouteEntry& entry) const;

  /// A flit waits. Where none does, `send` sends nothing.
  [[nodiscard]] bool waiting() const { return (waiting_[0] | waiting_[1] | late_ports_ | late_taps_) != 0; }

  /// What leaves in this cycle: calls `flit(port, Flit)` and, for the place that it leaves in an input buffer,
  /// `credit(port, channel)`, once for each flit, lowest output port first; `tap(port, Flit)` and `credit` for words
  /// that neighbour packets bring through a port. The lane's credits are those of the port after all others.
  /// @return the RTL's busy_o: whether anything leaves, or is prepared to.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  bool send(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
    if (!pipeline_) return grant(flit, credit, tap);
    const bool late = (late_ports_ | late_taps_) != 0;
    send_late(flit, tap);
    const bool granted = grant(
        [this](unsigned port, const Flit& leaving) {
          late_ports_ |= 1U << port;
          late_flits_[port] = leaving;
        },
        credit,
        [this](unsigned port, const Flit& word) {
          late_taps_ |= 1U << port;
          late_words_[port] = word;
        });
    return late || granted;
  }

 private:
  static constexpr unsigned kWordBits = 64;
  /// Numbers that the places of a round are counted in: a power of two above all input channels.
  static constexpr unsigned kRound = 128;
  static constexpr std::uint8_t kNone = kRound;  ///< no input channel

  struct OutputChannel {
    std::uint32_t credits = 0;
    bool taken = false;  ///< between the departures of a head and its tail
  };

  /// `send` of a router whose words leave in the cycle of their grants.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  bool grant(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
    // Members that do not change are read once: stores of bytes may alias them.
    InputChannel* const inputs = inputs_.data();
    OutputChannel* const outputs = outputs_.data();
    const unsigned vc_shift = vc_shift_;
    const unsigned vc_mask = (1U << vc_shift) - 1;
    std::array<std::uint8_t, kMaxPorts> winner;  // of the ports in `sending`
    std::array<std::uint8_t, kMaxPorts> rank;
    std::uint32_t sending = 0;
    std::uint32_t tapped = 0;
    for (unsigned word = 0; word < waiting_.size(); ++word) {
      for (std::uint64_t rest = waiting_[word]; rest != 0; rest &= rest - 1) {
        const unsigned c = word * kWordBits + static_cast<unsigned>(std::countr_zero(rest));
        const InputChannel& input = inputs[c];
        const OutputChannel output = outputs[input.wanted()];
        if (output.credits == 0 || (output.taken && !input.owner())) {
          // The other packets have to share with this one: all over again.
          if (input.wanted() == static_channel_) return send_with_static(flit, credit, tap);
          if (input.wanted() == tap_channel_) tapped |= 1U << (c >> vc_shift);
          continue;
        }
        const unsigned port = input.wanted() >> vc_shift;
        // Places of the round after the last winner; equal to `c` where priority is fixed.
        const auto place = static_cast<std::uint8_t>((c - first_[port]) % kRound);
        const std::uint32_t bit = 1U << port;
        if ((sending & bit) != 0 && rank[port] < place) continue;
        sending |= bit;
        winner[port] = static_cast<std::uint8_t>(c);
        rank[port] = place;
      }
    }
    for (std::uint32_t rest = sending; rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      const unsigned c = winner[port];
      InputChannel& input = inputs[c];
      const unsigned wanted = input.wanted();
      const BufferedWord word = input.front();
      outputs[wanted] = {.credits = outputs[wanted].credits - 1, .taken = !word.last};
      if (!fixed_priority_) first_[port] = static_cast<std::uint8_t>(c + 1);
      if (!input.pop(word, route_)) waiting_[c / kWordBits] &= ~(std::uint64_t{1} << c % kWordBits);
      flit(port, Flit{.data = word.data, .vc = static_cast<std::uint8_t>(wanted & vc_mask), .last = word.last});
      credit(c >> vc_shift, c & vc_mask);
    }
    if (tapped != 0) take_tapped(tapped, credit, tap);
    return (sending | tapped) != 0;
  }

  /// What was granted in the cycle before leaves.
  template <typename FlitSink, typename TapSink>
  void send_late(FlitSink&& flit, TapSink&& tap);
  /// `grant` while a static packet waits at the head of an input channel.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  bool send_with_static(FlitSink&& flit, CreditSink&& credit, TapSink&& tap);
  /// Takes the words of neighbour packets that have come in through ports, one bit each.
  template <typename CreditSink, typename TapSink>
  void take_tapped(std::uint32_t ports, CreditSink&& credit, TapSink&& tap);
  /// Gives a static head its branches if it is a neighbour packet.
  bool serve_neighbour(unsigned c);
  /// Looks up the route of one static head; with a pipeline, of the one chosen in the cycle before.
  void serve_lookup();
  void serve_lookup(unsigned c);
  /// The static head whose turn it is; kNone without any that asks.
  std::uint8_t choose_lookup();
  [[nodiscard]] bool asks(unsigned c) const { return inputs_[c].wanted() == static_channel_ && statics_[c].asks(); }
  /// Channel on which a static packet leaves from an input channel through a port.
  [[nodiscard]] unsigned branch_channel(unsigned c, unsigned port) const;
  /// The output channels of the branches of an input channel's static packet.
  [[nodiscard]] StaticRoute::Outputs branch_outputs(unsigned c) const;
  /// Ports that dimension order allows a packet of an input channel.
  [[nodiscard]] std::uint32_t turns(unsigned c) const;

  /// The number of a channel of a port, input or output.
  [[nodiscard]] unsigned channel(unsigned port, unsigned vc) const { return port << vc_shift_ | vc; }

  RouteCompute route_;
  std::uint8_t vc_shift_;  ///< a port's channels are numbered from a multiple of 2^vc_shift_ on
  std::uint8_t network_ports_;
  std::uint8_t network_vcs_;
  std::uint8_t classes_;  ///< also the channels of a slot's port
  bool fixed_priority_;
  std::array<std::uint64_t, 2> waiting_{};       ///< input channels with a flit, one bit each
  std::array<std::uint8_t, kMaxPorts> first_{};  ///< an output port: the input channel that its round begins with
  std::vector<InputChannel> inputs_;             ///< by number
  std::vector<OutputChannel> outputs_;           ///< likewise
  std::vector<BufferedWord> words_;              ///< of all input channels

  // Static routes.
  std::uint8_t ports_;
  std::uint8_t static_channel_;  ///< an output channel that is none, and never has a credit
  std::uint8_t tap_channel_;     ///< another one: what neighbour packets want that have come in through a port
  std::uint8_t slot0_;           ///< input channel of neighbour packets that fork
  std::uint8_t lane_;            ///< input channel of those that do not
  bool direct_links_;
  bool pipeline_;                  ///< words leave a cycle after their grants
  bool adjacent_ = false;          ///< the static packet at slot 0 is a neighbour packet
  std::uint32_t static_flits_;     ///< of the longest packet on a route that forks
  std::uint8_t first_reader_ = 0;  ///< the input channel that the round of lookups begins with
  std::uint8_t looking_ = kNone;   ///< with a pipeline: the one whose lookup has been chosen
  bool refused_ = false;           ///< a lookup in this cycle has left out a branch
  std::uint32_t linked_ = 0;       ///< ports with a link or slot, one bit each
  std::uint32_t wraps_ = 0;        ///< ports at the edge of the coordinates
  RouteTable table_;
  std::vector<StaticRoute> statics_;  ///< an input channel's

  // What leaves in the next cycle, with a pipeline.
  std::uint32_t late_ports_ = 0;  ///< ports with a flit, one bit each
  std::uint32_t late_taps_ = 0;   ///< likewise with a word for the tap
  std::array<Flit, kMaxPorts> late_flits_{};
  std::array<Flit, 2 * kMaxDims> late_words_{};
};

template <typename FlitSink, typename TapSink>
void Router::send_late(FlitSink&& flit, TapSink&& tap) {
  for (std::uint32_t rest = std::exchange(late_ports_, 0); rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    flit(port, late_flits_[port]);
  }
  for (std::uint32_t rest = std::exchange(late_taps_, 0); rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    tap(port, late_words_[port]);
  }
}

template <typename CreditSink, typename TapSink>
void Router::take_tapped(std::uint32_t ports, CreditSink&& credit, TapSink&& tap) {
  for (std::uint32_t rest = ports; rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned c = channel(port, 0);
    const BufferedWord word = inputs_[c].front();
    if (!inputs_[c].pop(word, route_)) waiting_[c / kWordBits] &= ~(std::uint64_t{1} << c % kWordBits);
    tap(port, Flit{.data = word.data, .vc = 0, .last = word.last});
    credit(port, 0U);
  }
}

template <typename FlitSink, typename CreditSink, typename TapSink>
bool Router::send_with_static(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
  const unsigned vc_mask = (1U << vc_shift_) - 1;
  // What each input channel asks for; a lookup takes the cycle.
  std::array<std::uint8_t, kMaxPorts> winner;
  std::array<std::uint8_t, kMaxPorts> rank;
  std::array<std::uint8_t, kRound> waiting;  // static packets whose route is known
  std::array<StaticRoute::Outputs, kRound> outputs;
  std::size_t statics = 0;
  std::uint32_t granted = 0;
  std::uint32_t tapped = 0;
  bool asked = false;
  bool served = false;
  const auto ask = [&](unsigned c, unsigned port) {
    const auto place = static_cast<std::uint8_t>((c - first_[port]) % kRound);
    const std::uint32_t bit = 1U << port;
    if ((granted & bit) != 0 && rank[port] < place) return;
    granted |= bit;
    winner[port] = static_cast<std::uint8_t>(c);
    rank[port] = place;
  };
  for (unsigned c = 0; c < inputs_.size(); ++c) {
    if ((waiting_[c / kWordBits] >> c % kWordBits & 1U) == 0) continue;
    const InputChannel& input = inputs_[c];
    if (input.wanted() == static_channel_) {
      if (statics_[c].asks()) {
        (serve_neighbour(c) ? served : asked) = true;
        continue;
      }
      waiting[statics] = static_cast<std::uint8_t>(c);
      outputs[statics] = branch_outputs(c);
      for (std::uint32_t rest = statics_[c].request(outputs[statics]); rest != 0; rest &= rest - 1) {
        ask(c, static_cast<unsigned>(std::countr_zero(rest)));
      }
      ++statics;
      continue;
    }
    if (input.wanted() == tap_channel_) {
      tapped |= 1U << (c >> vc_shift_);
      continue;
    }
    const OutputChannel& output = outputs_[input.wanted()];
    if (output.credits != 0 && (!output.taken || input.owner())) ask(c, input.wanted() >> vc_shift_);
  }

  // What comes of it.
  std::array<StaticRoute::Decision, kRound> decisions;
  std::uint32_t sending = granted;
  std::uint32_t used = granted;
  std::array<std::uint8_t, kMaxPorts> channels;
  for (std::uint32_t rest = granted; rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    channels[port] = inputs_[winner[port]].wanted();
  }
  for (std::size_t i = 0; i < statics; ++i) {
    std::uint32_t grants = 0;
    for (std::uint32_t rest = granted; rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      if (winner[port] != waiting[i]) continue;
      grants |= 1U << port;
      channels[port] = static_cast<std::uint8_t>(branch_channel(waiting[i], port));
    }
    decisions[i] = statics_[waiting[i]].decide(outputs[i], grants);
    used &= ~(grants & ~decisions[i].used);
    sending &= ~(grants & ~decisions[i].sent);
  }

  // Both as the clock edge does.
  const auto pop = [&](unsigned c, const BufferedWord& word) {
    if (!inputs_[c].pop(word, route_)) waiting_[c / kWordBits] &= ~(std::uint64_t{1} << c % kWordBits);
    credit(c >> vc_shift_, c & vc_mask);
  };
  bool changes = asked || served || (used | tapped) != 0;
  if (asked) serve_lookup();
  if (tapped != 0) take_tapped(tapped, credit, tap);
  for (std::uint32_t rest = used; rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned c = winner[port];
    OutputChannel& output = outputs_[channels[port]];
    if (!fixed_priority_) first_[port] = static_cast<std::uint8_t>(c + 1);
    if ((sending >> port & 1U) == 0) {
      output.taken = true;
      continue;
    }
    const bool unicast = inputs_[c].wanted() != static_channel_;
    const BufferedWord word = inputs_[c].front();
    output = {.credits = output.credits - 1, .taken = !word.last};
    flit(port, Flit{.data = word.data, .vc = static_cast<std::uint8_t>(channels[port] & vc_mask), .last = word.last});
    if (unicast) pop(c, word);
  }
  for (std::size_t i = 0; i < statics; ++i) {
    const unsigned c = waiting[i];
    const BufferedWord word = inputs_[c].front();
    statics_[c].clock(decisions[i], word.last);
    if (decisions[i].go || decisions[i].next) changes = true;
    if (!decisions[i].pop) continue;
    changes = true;
    pop(c, word);
  }
  return changes;
}

}  // namespace tidings::cycle
