// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router_allocator.h
/// Twin of rtl/network/router_allocator.sv: to whom the output channels of a router belong, and who sends in a cycle.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/router_input.h"
#include "sim/machine/machine_config.h"

namespace tidings::cycle {

/// All output ports. Credits and places of the round are counted here instead of in twins of `credit_counter` and
/// `arbiter`, so that only who asks costs time.
class RouterAllocator {
 public:
  static constexpr unsigned kMaxPorts = 2 * kMaxDims + kMaxSlots;
  /// Numbers that the places of a round are counted in: a power of two above all input channels.
  static constexpr unsigned kRound = 128;
  static constexpr std::uint8_t kNone = kRound;  ///< no input channel

  struct OutputChannel {
    std::uint32_t credits = 0;
    bool taken = false;  ///< between the departures of a head and its tail
  };

  /// The grants of a cycle, as far as it has been looked at: at each port the request that comes first in its round.
  struct Grants {
    std::uint32_t ports = 0;  ///< with a grant, one bit each
    std::array<std::uint8_t, kMaxPorts> winner;
    std::array<std::uint8_t, kMaxPorts> place;
  };

  RouterAllocator(const NodeParameters& parameters, const RouterNumbers& numbers)
      : fixed_priority_(parameters.fixed_priority != 0), outputs_(numbers.tap_channel + 1U) {
    for (unsigned port = 0; port < numbers.ports; ++port) {
      const bool slot = port >= numbers.network_ports;
      for (unsigned vc = 0; vc < numbers.channels_of(port); ++vc) {
        outputs_[numbers.channel(port, vc)].credits = slot ? parameters.slot_buffer_flits : parameters.buffer_flits;
      }
    }
  }

  [[nodiscard]] const OutputChannel& output(unsigned channel) const { return outputs_[channel]; }
  /// A place of the buffer downstream became free.
  void credit(unsigned channel) { ++outputs_[channel].credits; }

  /// A word may be sent on an output channel by its owner, or by anybody if it has none.
  [[nodiscard]] bool may_send(unsigned channel, bool owner) const {
    const OutputChannel output = outputs_[channel];
    return output.credits != 0 && (!output.taken || owner);
  }
  /// An input channel asks for a port.
  void ask(Grants& grants, unsigned c, unsigned port) const {
    // Places of the round after the last winner; equal to `c` if priority is fixed.
    const auto place = static_cast<std::uint8_t>((c - first_[port]) % kRound);
    const std::uint32_t bit = 1U << port;
    if ((grants.ports & bit) != 0 && grants.place[port] < place) return;
    grants.ports |= bit;
    grants.winner[port] = static_cast<std::uint8_t>(c);
    grants.place[port] = place;
  }

  /// An input channel uses its grant, to take an output channel or to send.
  void use(unsigned port, unsigned c) {
    if (!fixed_priority_) first_[port] = static_cast<std::uint8_t>(c + 1);
  }
  void take(unsigned channel) { outputs_[channel].taken = true; }
  void send(unsigned channel, bool last) {
    outputs_[channel] = {.credits = outputs_[channel].credits - 1, .taken = !last};
  }

 private:
  bool fixed_priority_;
  std::array<std::uint8_t, kMaxPorts> first_{};  ///< an output port: the input channel that its round begins with
  std::vector<OutputChannel> outputs_;           ///< by number
};

}  // namespace tidings::cycle
