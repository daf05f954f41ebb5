// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router_crossbar.h
/// Twin of rtl/network/router_crossbar.sv and of the tap in router_input.sv: the register of a router's pipeline.
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "sim/cycle/router_allocator.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// What has been sent in a cycle and leaves in the next.
class RouterCrossbar {
 public:
  [[nodiscard]] bool empty() const { return (ports_ | taps_) == 0; }

  void send(unsigned port, unsigned vc, const BufferedWord& word) {
    ports_ |= 1U << port;
    flits_[port] = {.vc = static_cast<std::uint8_t>(vc), .last = word.last, .data = word.data};
  }
  void tap(unsigned port, const BufferedWord& word) {
    taps_ |= 1U << port;
    words_[port] = word;
  }

  /// Calls `flit(port, channel, BufferedWord)` and `tap(port, BufferedWord)` for all of it, which is gone then.
  template <typename FlitSink, typename TapSink>
  void leave(FlitSink&& flit, TapSink&& tap) {
    for (std::uint32_t rest = std::exchange(ports_, 0); rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      flit(port, flits_[port].vc, BufferedWord{.data = flits_[port].data, .last = flits_[port].last});
    }
    for (std::uint32_t rest = std::exchange(taps_, 0); rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      tap(port, words_[port]);
    }
  }

 private:
  std::uint32_t ports_ = 0;  ///< with a flit, one bit each
  std::uint32_t taps_ = 0;   ///< likewise with a word for the tap
  std::array<Flit, RouterAllocator::kMaxPorts> flits_{};
  std::array<BufferedWord, 2 * kMaxDims> words_{};
};

}  // namespace tidings::cycle
