// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router.h
/// Twin of rtl/network/router.sv: input-buffered wormhole router with virtual channels and credits.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/cycle/input_channel.h"
#include "sim/cycle/route_compute.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"
#include "sim/machine/node_parameters.h"

namespace tidings::cycle {

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

  /// A place of the buffer downstream became free.
  void credit(unsigned port, unsigned vc) { ++outputs_[channel(port, vc)].credits; }

  /// A flit waits. Where none does, `send` sends nothing.
  [[nodiscard]] bool waiting() const { return (waiting_[0] | waiting_[1]) != 0; }

  /// What leaves in this cycle: calls `flit(port, Flit)` and, for the place that it leaves in an input buffer,
  /// `credit(port, channel)`, once for each flit, lowest output port first.
  /// @return whether anything leaves: the RTL's busy_o.
  template <typename FlitSink, typename CreditSink>
  bool send(FlitSink&& flit, CreditSink&& credit) {
    // Members that do not change are read once: stores of bytes may alias them.
    InputChannel* const inputs = inputs_.data();
    OutputChannel* const outputs = outputs_.data();
    const unsigned vc_shift = vc_shift_;
    const unsigned vc_mask = (1U << vc_shift) - 1;
    std::array<std::uint8_t, kMaxPorts> winner;  // of the ports in `sending`
    std::array<std::uint8_t, kMaxPorts> rank;
    std::uint32_t sending = 0;
    for (unsigned word = 0; word < waiting_.size(); ++word) {
      for (std::uint64_t rest = waiting_[word]; rest != 0; rest &= rest - 1) {
        const unsigned c = word * kWordBits + static_cast<unsigned>(std::countr_zero(rest));
        const InputChannel& input = inputs[c];
        const OutputChannel output = outputs[input.wanted()];
        if (output.credits == 0 || (output.taken && !input.owner())) continue;
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
    return sending != 0;
  }

 private:
  static constexpr unsigned kWordBits = 64;
  /// Numbers that the places of a round are counted in: a power of two above all input channels.
  static constexpr unsigned kRound = 128;

  struct OutputChannel {
    std::uint32_t credits = 0;
    bool taken = false;  ///< between the departures of a head and its tail
  };

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
};

}  // namespace tidings::cycle
