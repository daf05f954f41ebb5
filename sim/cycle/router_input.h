// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router_input.h
/// Twin of rtl/network/router_input.sv: the input ports of a router with their channels.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/input_channel.h"
#include "sim/cycle/route_compute.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// How a router numbers its ports and channels. A port's channels, of inputs and outputs alike, have the numbers from a
/// multiple of 2^vc_shift on.
struct RouterNumbers {
  explicit RouterNumbers(const NodeParameters& parameters);

  [[nodiscard]] unsigned channel(unsigned port, unsigned vc) const { return port << vc_shift | vc; }
  [[nodiscard]] unsigned port(unsigned channel) const { return channel >> vc_shift; }
  [[nodiscard]] unsigned vc(unsigned channel) const { return channel & ((1U << vc_shift) - 1); }
  /// Channels of a port.
  [[nodiscard]] unsigned channels_of(unsigned port) const { return port < network_ports ? network_vcs : classes; }

  std::uint8_t network_ports;
  std::uint8_t ports;  ///< network ports, then slots
  std::uint8_t classes;
  std::uint8_t network_vcs;
  std::uint8_t vc_shift;
  std::uint8_t slot0;           ///< input channel of neighbour packets that fork
  std::uint8_t lane;            ///< input channel of those that do not: it comes after all others
  std::uint8_t static_channel;  ///< an output channel that does not exist and never has a credit: packets with branches
  std::uint8_t tap_channel;     ///< another one: neighbour packets that have come in through a network port
};

/// The input channels of all ports, and the lane. Only those that hold flits cost time.
class RouterInputs {
 public:
  static constexpr unsigned kWordBits = 64;
  static constexpr unsigned kWords = 2;

  RouterInputs(const NodeParameters& parameters, const NodePlace& place, const RouterNumbers& numbers);

  /// A flit arrives, and there is room for it.
  void push(unsigned c, const Flit& flit) {
    channels_[c].push({.data = flit.data, .last = flit.last}, route_);
    waiting_[c / kWordBits] |= std::uint64_t{1} << c % kWordBits;
  }
  /// The oldest word of a channel, which is `front`, leaves.
  void pop(unsigned c, const BufferedWord& front) {
    if (!channels_[c].pop(front, route_)) waiting_[c / kWordBits] &= ~(std::uint64_t{1} << c % kWordBits);
  }

  [[nodiscard]] const InputChannel& operator[](unsigned c) const { return channels_[c]; }
  [[nodiscard]] bool any_waiting() const { return (waiting_[0] | waiting_[1]) != 0; }
  /// Calls `visit(c)` for each channel with a flit, in rising order, until it returns false.
  /// @return whether it never did.
  template <typename Visit>
  bool for_each_waiting(Visit&& visit) const {
    for (unsigned word = 0; word < kWords; ++word) {
      for (std::uint64_t rest = waiting_[word]; rest != 0; rest &= rest - 1) {
        if (!visit(word * kWordBits + static_cast<unsigned>(std::countr_zero(rest)))) return false;
      }
    }
    return true;
  }

 private:
  RouteCompute route_;
  std::array<std::uint64_t, kWords> waiting_{};  ///< channels with a flit, one bit each
  std::vector<InputChannel> channels_;
  std::vector<BufferedWord> words_;  ///< of all channels
};

}  // namespace tidings::cycle
