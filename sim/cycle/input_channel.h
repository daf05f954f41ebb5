// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file input_channel.h
/// Twin of rtl/network/input_channel.sv: one virtual channel of a router's input port.
#include <bit>
#include <cstdint>

#include "sim/cycle/route_compute.h"
#include "sim/cycle/tidings_pkg.h"

namespace tidings::cycle {

/// An entry of an input buffer: the channel is known by place.
struct BufferedWord {
  std::uint32_t data = 0;
  bool last = false;
};

/// The buffer, and the way of the packet at its head. Routers hold many, with their words in one block of memory.
/// Static packets want an output channel that never has a credit, so that only those who look for it send them;
/// neighbour packets want another one, but for those of a lane.
class InputChannel {
 public:
  /// What distinguishes one input channel of a router from another.
  struct Place {
    unsigned dimension = 0;  ///< of the port; kMaxDims for a slot's
    bool dateline = false;   ///< the channel is one behind the dateline
    std::uint8_t message_class = 0;
    std::uint8_t classes = 1;
    std::uint8_t vc_shift = 0;
    std::uint8_t static_channel = 0;     ///< what a static packet wants; 0: they are routed as all others
    std::uint8_t neighbour_channel = 0;  ///< what a neighbour packet wants; 0: they are static packets
    bool lane = false;                   ///< neighbour packets name the one output port that they want
  };

  InputChannel() = default;

  /// @param words `depth` of them, a power of two, which must outlive the channel.
  InputChannel(BufferedWord* words, std::uint32_t depth, const Place& place)
      : words_(words),
        mask_(depth - 1),
        dimension_(static_cast<std::uint8_t>(place.dimension)),
        dateline_(place.dateline),
        lane_(place.lane),
        class_(place.message_class),
        classes_(place.classes),
        vc_shift_(place.vc_shift),
        static_channel_(place.static_channel),
        neighbour_channel_(place.neighbour_channel) {}

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
    if (header >> kStaticShift == 1 && find_static_way(header)) return;
    const RouteCompute::Way way = route(header, dimension_, dateline_);
    wanted_ = static_cast<std::uint8_t>(way.port << vc_shift_ | (way.dateline ? classes_ + class_ : class_));
  }

  /// @return whether the packet has a way that is not computed.
  bool find_static_way(std::uint32_t header) {
    const bool neighbour = kind_of(header) == Kind::kNeighbour;
    if (neighbour && lane_) {
      wanted_ = static_cast<std::uint8_t>(std::countr_zero(NeighbourHeader::decode(header).ports) << vc_shift_);
      return true;
    }
    const std::uint8_t channel = neighbour && neighbour_channel_ != 0 ? neighbour_channel_ : static_channel_;
    if (channel == 0) return false;
    wanted_ = channel;
    return true;
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
  bool lane_ = false;
  std::uint8_t class_ = 0;
  std::uint8_t classes_ = 1;
  std::uint8_t vc_shift_ = 0;
  std::uint8_t static_channel_ = 0;
  std::uint8_t neighbour_channel_ = 0;
};

}  // namespace tidings::cycle
