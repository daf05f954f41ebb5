// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router_allocator.h
/// Twin of rtl/network/router_allocator.sv: to whom the output channels of a router belong, and who sends in a cycle.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/cycle/router_input.h"
#include "sim/machine/machine_config.h"

namespace tidings::cycle {

/// All output ports of all routers. Credits and places of the round are counted here instead of in twins of
/// `credit_counter` and `arbiter`, so that only who asks costs time.
class RouterAllocator {
 public:
  static constexpr unsigned kMaxPorts = 2 * kMaxDims + kMaxSlots;
  /// Numbers that the places of a round are counted in: a power of two above all input channels of a router.
  static constexpr unsigned kRound = 128;
  static constexpr std::uint8_t kNone = kRound;  ///< no input channel

  /// The round of a port: the number that the input channel with which it begins has in its router, and kAsked while
  /// somebody has asked for the port in this cycle. A type of its own: the compiler takes a byte for a part of
  /// anything.
  enum class PortRound : std::uint8_t {};

  struct OutputChannel {
    std::uint16_t credits = 0;
    bool taken = false;  ///< between the departures of a head and its tail
    PortRound round{};   ///< of a port's first channel
  };

  /// An input channel that asks for an output channel, or has got its port.
  struct Request {
    std::uint32_t input;
    std::uint32_t output;
  };

  RouterAllocator(const RouterPlan& plan, std::size_t nodes)
      : within_mask_((1U << plan.node_shift) - 1),
        port_mask_(~((1U << plan.numbers.vc_shift) - 1)),
        round_mask_(plan.fixed_priority ? 0 : kRound - 1),
        outputs_(nodes << plan.node_shift),
        grants_(nodes * plan.numbers.ports) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (unsigned port = 0; port < plan.numbers.ports; ++port) {
        const bool slot = port >= plan.numbers.network_ports;
        for (unsigned vc = 0; vc < plan.numbers.channels_of(port); ++vc) {
          outputs_[plan.first_channel(node) + plan.numbers.channel(port, vc)].credits =
              static_cast<std::uint16_t>(slot ? plan.slot_buffer_flits : plan.buffer_flits);
        }
      }
    }
  }

  [[nodiscard]] const OutputChannel& output(std::uint32_t channel) const { return outputs_[channel]; }
  class Arrivals {
   public:
    explicit Arrivals(RouterAllocator& allocator) : outputs_(allocator.outputs_.data()) {}
    /// A place of the buffer downstream became free.
    void credit(std::uint32_t channel) { ++outputs_[channel].credits; }

   private:
    OutputChannel* outputs_;
  };

  /// A word may be sent on an output channel by its owner, or by anybody if it has none.
  [[nodiscard]] bool may_send(std::uint32_t channel, bool owner) const {
    const OutputChannel& output = outputs_[channel];
    return (output.credits != 0) & (!output.taken | owner);
  }

  /// Input channels that ask for ports in a cycle, those of a router one after another. Nothing else may use the
  /// allocator between the first that asks and `end`.
  class Round {
   public:
    explicit Round(RouterAllocator& allocator)
        : allocator_(allocator),
          outputs_(allocator.outputs_.data()),
          port_mask_(allocator.port_mask_),
          grants_(allocator.grants_.data()),
          next_(grants_) {}
    Round(const Round&) = delete;
    Round& operator=(const Round&) = delete;

    /// An input channel asks for the port of an output channel. Of several the one that comes first in the port's round
    /// gets it.
    void ask(std::uint32_t input, std::uint32_t output) {
      OutputChannel& port = outputs_[output & port_mask_];
      if (!asked(port)) {
        port.round = PortRound{static_cast<std::uint8_t>(static_cast<unsigned>(port.round) | kAsked)};
        *next_++ = {.input = input, .output = output};
      } else {
        allocator_.compare(next_, input, output);
      }
    }
    void end() { allocator_.count_ = static_cast<std::size_t>(next_ - grants_); }

   private:
    RouterAllocator& allocator_;
    OutputChannel* outputs_;
    std::uint32_t port_mask_;
    Request* grants_;
    Request* next_;
  };

  /// Swap as many output channels from `first` on with others, from `others_first` on. Nobody asks.
  void swap(std::uint32_t first, RouterAllocator& other, std::uint32_t others_first, std::uint32_t count) {
    for (std::uint32_t c = 0; c < count; ++c) std::swap(outputs_[first + c], other.outputs_[others_first + c]);
  }

  /// Somebody has asked for a port and has got it so far. @param port its first channel.
  [[nodiscard]] bool is_asked(std::uint32_t port) const { return asked(outputs_[port]); }
  /// Calls `grant(input channel, output channel)` for those who have asked and got a port, each of which it uses or
  /// refuses. After that nobody has asked.
  template <typename Grant>
  [[gnu::always_inline]] void for_each_grant(Grant&& grant) {
    const Request* const end = grants_.data() + std::exchange(count_, 0);
    for (const Request* request = grants_.data(); request != end; ++request) grant(request->input, request->output);
  }
  /// An input channel does not use its grant.
  void refuse(std::uint32_t output) {
    OutputChannel& port = outputs_[output & port_mask_];
    port.round = PortRound{static_cast<std::uint8_t>(first(port))};
  }
  /// An input channel uses its grant, to take an output channel or to send.
  void use(std::uint32_t input, std::uint32_t output) {
    outputs_[output & port_mask_].round =
        PortRound{static_cast<std::uint8_t>(((input & within_mask_) + 1) & round_mask_)};
  }
  /// In each of as many cycles an input channel sends a word that is no tail on an output channel that it owns.
  void send_on(std::uint32_t input, std::uint32_t output, std::uint64_t cycles) {
    use(input, output);
    outputs_[output].credits = static_cast<std::uint16_t>(outputs_[output].credits - cycles);
  }
  /// As many credits come in.
  void credit(std::uint32_t channel, std::uint64_t credits) {
    outputs_[channel].credits = static_cast<std::uint16_t>(outputs_[channel].credits + credits);
  }
  /// The first channel of the port that has an output channel.
  [[nodiscard]] std::uint32_t port_of(std::uint32_t output) const { return output & port_mask_; }
  void take(std::uint32_t channel) { outputs_[channel].taken = true; }
  /// A packet with branches gives back an output channel that it took.
  void release(std::uint32_t channel) { outputs_[channel].taken = false; }
  void send(std::uint32_t channel, bool last) {
    OutputChannel& output = outputs_[channel];
    --output.credits;
    output.taken = !last;
  }

 private:
  static constexpr unsigned kAsked = kRound;

  [[nodiscard]] static bool asked(const OutputChannel& port) {
    return (static_cast<unsigned>(port.round) & kAsked) != 0;
  }
  [[nodiscard]] static unsigned first(const OutputChannel& port) {
    return static_cast<unsigned>(port.round) & (kRound - 1);
  }

  /// An input channel asks for a port that another one of its router has got so far, which is among those before `end`.
  void compare(Request* end, std::uint32_t input, std::uint32_t output) {
    const std::uint32_t port = output & port_mask_;
    Request* other = end - 1;
    while ((other->output & port_mask_) != port) --other;
    // Places of the round after the last winner; those of the router where priority is fixed.
    const auto place = [&](std::uint32_t channel) {
      return ((channel & within_mask_) - first(outputs_[port])) % kRound;
    };
    if (place(other->input) >= place(input)) *other = {.input = input, .output = output};
  }

  std::uint32_t within_mask_;           ///< of the number that a channel has in its router
  std::uint32_t port_mask_;             ///< of the number of a port's first channel
  std::uint32_t round_mask_;            ///< of the number that a round begins with: 0 where priority is fixed
  std::vector<OutputChannel> outputs_;  ///< by number
  std::vector<Request> grants_;         ///< in this cycle
  std::size_t count_ = 0;
};

}  // namespace tidings::cycle
