// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file input_channel.h
/// Twin of rtl/network/input_channel.sv: one virtual channel of a router's input port.
#include <cstdint>

#include "sim/cycle/route_compute.h"

namespace tidings::cycle {

/// An entry of an input buffer: the channel is known by place.
struct BufferedWord {
  std::uint32_t data = 0;
  bool last = false;
};

/// The buffer, and the way of the packet at its head. Routers hold many, with their words in one block of memory.
/// A static packet wants an output channel that never has a credit, so that only those who look for it send it.
class InputChannel {
 public:
  InputChannel() = default;

  /// @param words `depth` of them, a power of two, which must outlive the channel.
  InputChannel(BufferedWord* words, std::uint32_t depth, unsigned dimension, bool dateline, std::uint8_t message_class,
               std::uint8_t classes, std::uint8_t vc_shift, std::uint8_t static_channel)
      : words_(words),
        mask_(depth - 1),
        dimension_(static_cast<std::uint8_t>(dimension)),
        dateline_(dateline),
        class_(message_class),
        classes_(classes),
        vc_shift_(vc_shift),
        static_channel_(message_class == 0 ? static_channel : 0) {}

  [[nodiscard]] bool empty() const { return write_ == read_; }
  /// The packet's head has left already: the output channel is ours.
  [[nodiscard]] bool owner() const { return owner_; }
  /// Output channel that the oldest word wants, as the router numbers them; any value while empty.
  [[nodiscard]] std::uint8_t wanted() const { return wanted_; }
  [[nodiscard]] BufferedWord front() const { return words_[read_ & mask_]; }

  void push(const BufferedWord& word, const RouteCompute& route) {
    const bool head = empty() && !owner_;
    words_[write_++ & mask_] = word;
    if (head) find_way(route);
  }
  /// Take the oldest word, which is `front`. @return whether there is another.
  bool pop(const BufferedWord& front, const RouteCompute& route) {
    owner_ = !front.last;
    ++read_;
    if (empty()) return false;
    if (!owner_) find_way(route);
    return true;
  }

 private:
  /// Between packets, the word at the head is the first of a header.
  void find_way(const RouteCompute& route) {
    const std::uint32_t header = front().data;
    if (static_channel_ != 0 && header >> kStaticShift == 1) {
      wanted_ = static_channel_;
      return;
    }
    const RouteCompute::Way way = route(header, dimension_, dateline_);
    wanted_ = static_cast<std::uint8_t>(way.port << vc_shift_ | (way.dateline ? classes_ + class_ : class_));
  }

  static constexpr unsigned kStaticShift = 30;  ///< bits of the kind that tell static packets

  BufferedWord* words_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t write_ = 0;  ///< counts of words, modulo 2^32
  std::uint32_t read_ = 0;
  bool owner_ = false;
  std::uint8_t wanted_ = 0;
  std::uint8_t dimension_ = 0;
  bool dateline_ = false;
  std::uint8_t class_ = 0;
  std::uint8_t classes_ = 1;
  std::uint8_t vc_shift_ = 0;
  std::uint8_t static_channel_ = 0;  ///< what a static packet wants; 0: there are none
};

}  // namespace tidings::cycle
