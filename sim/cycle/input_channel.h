// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file input_channel.h
/// Twin of rtl/network/input_channel.sv: one virtual channel of a router's input port.
#include <algorithm>
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

/// The buffer, and the way of the packet at its head. Routers hold many: 12 bytes each, with the oldest word, because
/// most buffers hold no more than that. The words behind it are elsewhere, in a ring.
/// Static packets want an output channel that never has a credit, so that only those who look for it send them;
/// neighbour packets want another one, but for those of a lane.
class InputChannel {
 public:
  /// What distinguishes one input channel of a router from another, and is the same in all routers of a machine.
  struct Place {
    std::uint32_t ring = 0;      ///< place of the channel's ring in the router's block of words
    std::uint16_t mask = 0;      ///< words of the ring, a power of two, less 1
    std::uint8_t dimension = 0;  ///< of the port; kMaxDims for a slot's
    bool dateline = false;       ///< the channel is one behind the dateline
    std::uint8_t message_class = 0;
    std::uint8_t classes = 1;
    std::uint8_t vc_shift = 0;
    std::uint8_t static_channel = 0;     ///< what a static packet wants; 0: they are routed as all others
    std::uint8_t neighbour_channel = 0;  ///< what a neighbour packet wants; 0: they are static packets
    std::uint8_t turn_channel = 0;       ///< what a packet wants for a cycle that turns; 0: it wants its way at once
    std::uint8_t network_ports = 0;
    bool lane = false;  ///< neighbour packets name the one output port that they want
  };

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Words in front of the first tail; all of them if there is none.
  [[nodiscard]] std::uint32_t words_before_tail(const Place& place, const BufferedWord* ring) const {
    if (count_ == 0 || last_) return 0;
    std::uint32_t words = 1;
    while (words < count_ && !ring[(read_ + words - 1U) & place.mask].last) ++words;
    return words;
  }
  /// The packet's head has left already: the output channel is ours.
  [[nodiscard]] bool owner() const { return owner_; }
  /// The oldest word, or the next one to come, is no head, and no tail waits as the oldest.
  [[nodiscard]] bool inside_packet() const { return owner_ && !last_; }
  /// Output channel that the oldest word wants, as the router numbers them; any value while empty.
  [[nodiscard]] std::uint8_t wanted() const { return wanted_; }
  /// What the packet wants behind the cycle in which it turns; what it wants if it does not turn.
  [[nodiscard]] std::uint8_t way() const { return way_; }
  /// The oldest word; any value while empty.
  [[nodiscard]] BufferedWord front() const { return {.data = data_, .last = last_}; }

  /// A word arrives at an empty buffer. @return whether it is a head, which has to find its way.
  bool push_front(const BufferedWord& word) {
    count_ = 1;
    data_ = word.data;
    last_ = word.last;
    return !owner_;
  }
  /// A word arrives behind others, and there is room for it.
  void push_back(const BufferedWord& word, const Place& place, BufferedWord* ring) {
    ring[(read_ + count_ - 1U) & place.mask] = word;
    ++count_;
  }
  /// A word of the packet whose head has left comes to an empty buffer, and leaves at the next edge whatever happens.
  void pass(const BufferedWord& word) { owner_ = !word.last; }
  /// A word arrives behind others, and the oldest leaves, which is neither head nor tail. @return it.
  BufferedWord exchange(const BufferedWord& word, const Place& place, BufferedWord* ring) {
    const BufferedWord oldest = front();
    ring[(read_ + count_ - 1U) & place.mask] = word;
    const BufferedWord next = ring[read_++ & place.mask];
    data_ = next.data;
    last_ = next.last;
    return oldest;
  }
  /// Take the oldest word. @return whether there is another, which `next` makes the oldest.
  bool pop() {
    owner_ = !last_;
    return --count_ != 0;
  }
  /// In each of as many cycles a word that is no tail comes in, if `in` is not null, and then the oldest leaves, if
  /// `out` is not null: neither head nor tail.
  void move(const Place& place, BufferedWord* ring, std::uint64_t cycles, const std::uint32_t* in, std::uint32_t* out) {
    std::uint64_t through = 0;  // words that come in and leave
    if (out != nullptr) {
      // What is here leaves first.
      const std::uint64_t here = std::min<std::uint64_t>(count_, cycles);
      for (std::uint64_t i = 0; i < here; ++i) {
        out[i] = data_;
        if (pop()) next(place, ring);
      }
      through = cycles - here;
      if (through != 0) {
        std::copy_n(in, through, out + here);
        owner_ = true;
      }
    }
    for (std::uint64_t i = through; in != nullptr && i < cycles; ++i) {
      const BufferedWord word{.data = in[i], .last = false};
      if (empty()) {
        push_front(word);
      } else {
        push_back(word, place, ring);
      }
    }
  }
  /// @return whether the word is a head, which has to find its way.
  bool next(const Place& place, const BufferedWord* ring) {
    const BufferedWord word = ring[read_++ & place.mask];
    data_ = word.data;
    last_ = word.last;
    return !owner_;
  }
  /// Between packets, the word at the head is the first of a header.
  void find_way(const Place& place, const RouteCompute& route) {
    if (data_ >> kStaticShift == 1 && find_static_way(place)) {
      way_ = wanted_;
      return;
    }
    const RouteCompute::Way way = route(data_, place.dimension, place.dateline);
    wanted_ = static_cast<std::uint8_t>(way.port << place.vc_shift |
                                        (way.dateline ? place.classes + place.message_class : place.message_class));
    way_ = wanted_;
    if (place.turn_channel != 0 && way.port < place.network_ports && way.port / 2 != place.dimension)
      wanted_ = place.turn_channel;
  }
  /// The cycle is over in which a packet turns.
  void turn() { wanted_ = way_; }

 private:
  /// @return whether the packet has a way that is not computed.
  bool find_static_way(const Place& place) {
    const bool neighbour = kind_of(data_) == Kind::kNeighbour;
    if (neighbour && place.lane) {
      wanted_ = static_cast<std::uint8_t>(std::countr_zero(NeighbourHeader::decode(data_).ports) << place.vc_shift);
      return true;
    }
    const std::uint8_t channel =
        neighbour && place.neighbour_channel != 0 ? place.neighbour_channel : place.static_channel;
    if (channel == 0) return false;
    wanted_ = channel;
    return true;
  }

  static constexpr unsigned kStaticShift = 30;  ///< bits of the kind that tell static packets

  std::uint32_t data_ = 0;   ///< the oldest word
  std::uint16_t count_ = 0;  ///< words, with the oldest
  std::uint16_t read_ = 0;   ///< count of words that have come out of the ring, modulo 2^16
  bool last_ = false;        ///< of the oldest word
  bool owner_ = false;
  std::uint8_t wanted_ = 0;
  std::uint8_t way_ = 0;  ///< what the packet wants after its cycle
};

}  // namespace tidings::cycle
