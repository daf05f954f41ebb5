// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router_input.h
/// Twin of rtl/network/router_input.sv: the input ports of a router with their channels.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/input_channel.h"
#include "sim/cycle/route_compute.h"
#include "sim/machine/index_set.h"
#include "sim/machine/node.h"
#include "sim/machine/zeroed_array.h"

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
  std::uint8_t slot0;  ///< input channel of neighbour packets that fork
  std::uint16_t lane;  ///< input channel of those that do not: it comes after all others
  std::uint16_t
      static_channel;          ///< an output channel that does not exist and never has a credit: packets with branches
  std::uint16_t tap_channel;   ///< another one: neighbour packets that have come in through a network port
  std::uint16_t turn_channel;  ///< another one: packets in the cycle in which they turn; 0 if that takes none
};

/// What all routers of a machine have in common. The channels of all of them are numbered, too: those of a router from
/// a multiple of 2^node_shift on.
struct RouterPlan {
  RouterPlan(const NodeParameters& parameters, const NodePlace& place);

  [[nodiscard]] std::uint32_t first_channel(std::uint32_t node) const { return node << node_shift; }
  [[nodiscard]] std::uint32_t node(std::uint32_t channel) const { return channel >> node_shift; }
  /// The number that a channel has in its router.
  [[nodiscard]] unsigned within(std::uint32_t channel) const { return channel & ((1U << node_shift) - 1); }

  RouterNumbers numbers;
  unsigned node_shift;
  bool fixed_priority;
  bool pipeline;  ///< words leave a cycle after their grants
  std::uint32_t buffer_flits;
  std::uint32_t slot_buffer_flits;
  std::uint32_t words = 0;  ///< of all rings of a router
  std::shared_ptr<const RouteShape> shape;
  std::vector<InputChannel::Place> channels;  ///< by number in the router
};

/// The input channels of all ports, and the lanes, of all routers. Only those that hold flits cost time.
class RouterInputs {
 public:
  static constexpr unsigned kWordBits = 64;

  /// @param plan must outlive the inputs.
  RouterInputs(const RouterPlan& plan, const std::vector<NodePlace>& places);

  class Arrivals {
   public:
    explicit Arrivals(RouterInputs& inputs)
        : inputs_(inputs),
          channels_(inputs.channels_.data()),
          waiting_(inputs.waiting_.data()),
          filled_(inputs.filled_),
          node_shift_(inputs.node_shift_) {}
    /// A flit arrives, and there is room for it.
    [[gnu::always_inline]] void push(std::uint32_t channel, const BufferedWord& word) {
      waiting_[channel / kWordBits] |= std::uint64_t{1} << channel % kWordBits;
      filled_.insert(NodeIndex{channel >> node_shift_});
      if (!channels_[channel].empty()) {
        inputs_.push_back(channel, word);
      } else if (channels_[channel].push_front(word)) {
        inputs_.find_way(channel);
      }
    }

    [[nodiscard]] const InputChannel& operator[](std::uint32_t channel) const { return channels_[channel]; }

   private:
    RouterInputs& inputs_;
    InputChannel* channels_;
    std::uint64_t* waiting_;
    NodeSet& filled_;
    unsigned node_shift_;
  };
  /// The oldest word of a channel leaves.
  [[gnu::always_inline]] void pop(std::uint32_t channel) {
    if (channels_[channel].front().last) give_up(channel);
    if (channels_[channel].pop()) {
      next(channel);
    } else {
      waiting_[channel / kWordBits] &= ~(std::uint64_t{1} << channel % kWordBits);
    }
  }

  /// Any channel holds a flit.
  [[nodiscard]] bool hold_words() const {
    return std::ranges::any_of(waiting_, [](std::uint64_t word) { return word != 0; });
  }
  /// Swap the states of as many routers from `first` on with others, from `others_first` on. None holds words.
  void swap(std::uint32_t first, RouterInputs& other, std::uint32_t others_first, std::uint32_t count);

  /// A word comes to an empty channel and leaves it at once.
  void pass(std::uint32_t channel, const BufferedWord& word) {
    channels_[channel].pass(word);
    if (word.last) give_up(channel);
  }
  /// A word comes to a channel that is inside a packet, and the oldest leaves. Until `note_kept`, the channel does not
  /// count as one with a flit. @return the oldest.
  [[gnu::always_inline]] BufferedWord exchange(std::uint32_t channel, const BufferedWord& word) {
    if (channels_[channel].empty()) {
      pass(channel, word);
      return word;
    }
    waiting_[channel / kWordBits] &= ~(std::uint64_t{1} << channel % kWordBits);
    kept_[kept_count_++] = channel;
    return channels_[channel].exchange(word, place(channel), ring(channel));
  }
  /// After the choice of those that leave.
  void note_kept() {
    for (const std::uint32_t* one = kept_.get(); one != kept_.get() + kept_count_; ++one) {
      waiting_[*one / kWordBits] |= std::uint64_t{1} << *one % kWordBits;
      filled_.insert(NodeIndex{*one >> node_shift_});
    }
    kept_count_ = 0;
  }

  /// Of all packets at heads of a router's input channels only one wants the port that has an output channel.
  [[nodiscard]] bool is_wanted_by_one(std::uint32_t output) const {
    return is_wanted_once(output) && knows_branches(output >> node_shift_);
  }
  /// Of those whose ways are known, only one does.
  [[nodiscard]] bool is_wanted_once(std::uint32_t output) const { return wanting_[output >> vc_shift_] == 1; }
  /// The ways of all are known.
  [[nodiscard]] bool knows_branches(std::uint32_t node) const { return branching_[node] == 0; }

  /// A static packet at a head has found its branches, through these ports of its router, one bit each.
  void want_branches(std::uint32_t node, std::uint32_t ports) {
    --branching_[node];
    for (; ports != 0; ports &= ports - 1) ++wanting_[branch_port(node, ports)];
  }
  /// The tail of such a packet leaves.
  void give_up_branches(std::uint32_t node, std::uint32_t ports) {
    for (; ports != 0; ports &= ports - 1) --wanting_[branch_port(node, ports)];
  }

  /// The cycle is over in which the packet at a channel's head turns.
  void turn(std::uint32_t channel) { channels_[channel].turn(); }

  /// Words of a channel in front of the first tail; all of them if there is none.
  [[nodiscard]] std::uint32_t words_before_tail(std::uint32_t channel) const {
    return channels_[channel].words_before_tail(place(channel), ring(channel));
  }
  /// In each of as many cycles a word that is no tail comes in, if `in` is not null, and then the oldest leaves, if
  /// `out` is not null. No packet begins in the channel or leaves it.
  void move(std::uint32_t channel, std::uint64_t cycles, const std::uint32_t* in, std::uint32_t* out);

  [[nodiscard]] const InputChannel& operator[](std::uint32_t channel) const { return channels_[channel]; }
  /// Channels with a flit, one bit each, from number i * kWordBits on.
  [[nodiscard]] std::uint64_t waiting(std::size_t i) const { return waiting_[i]; }
  /// Routers that may hold flits; the others hold none.
  [[nodiscard]] const NodeSet& filled() const { return filled_; }
  /// A router holds no flit.
  void note_empty(std::uint32_t node) { filled_.erase(NodeIndex{node}); }

  /// The same from a channel on, of `count` channels at most, and not beyond the word in which the first one is.
  [[nodiscard]] std::uint64_t waiting_from(std::uint32_t first, std::uint32_t count) const {
    const std::uint64_t word = waiting_[first / kWordBits] >> first % kWordBits;
    return count < kWordBits ? word & ((std::uint64_t{1} << count) - 1) : word;
  }
  /// Calls `visit(channel)` for each channel of a router with a flit, in rising order.
  template <typename Visit>
  void for_each_waiting(std::uint32_t node, Visit&& visit) const {
    const std::uint32_t channels = 1U << plan_->node_shift;
    const std::uint32_t first = plan_->first_channel(node);
    for (std::uint32_t at = first; at < first + channels; at += kWordBits) {
      for (std::uint64_t rest = waiting_from(at, channels); rest != 0; rest &= rest - 1) {
        visit(at + static_cast<unsigned>(std::countr_zero(rest)));
      }
    }
  }

 private:
  [[nodiscard]] const InputChannel::Place& place(std::uint32_t channel) const {
    return plan_->channels[plan_->within(channel)];
  }
  [[nodiscard]] BufferedWord* ring(std::uint32_t channel) { return &words_[ring_place(channel)]; }
  [[nodiscard]] const BufferedWord* ring(std::uint32_t channel) const { return &words_[ring_place(channel)]; }
  [[nodiscard]] std::size_t ring_place(std::uint32_t channel) const {
    return std::size_t{plan_->node(channel)} * plan_->words + place(channel).ring;
  }
  /// The output port that the packet at a channel's head wants, among those of all routers; one that is not there if it
  /// wants none.
  [[nodiscard]] std::uint32_t wanted_port(std::uint32_t channel) const {
    return (plan_->first_channel(plan_->node(channel)) | channels_[channel].way()) >> plan_->numbers.vc_shift;
  }
  /// The lowest of some output ports of a router, among those of all routers.
  [[nodiscard]] std::uint32_t branch_port(std::uint32_t node, std::uint32_t ports) const {
    return (plan_->first_channel(node) >> vc_shift_) + static_cast<std::uint32_t>(std::countr_zero(ports));
  }
  /// The packet at a channel's head does not want its output port any more. One with branches says so by itself.
  void give_up(std::uint32_t channel) {
    if (channels_[channel].way() != plan_->numbers.static_channel) --wanting_[wanted_port(channel)];
  }
  void push_back(std::uint32_t channel, const BufferedWord& word) {
    channels_[channel].push_back(word, place(channel), ring(channel));
  }
  // Most words do without these.
  void next(std::uint32_t channel);
  void find_way(std::uint32_t channel);

  const RouterPlan* plan_;
  unsigned node_shift_;
  unsigned vc_shift_;
  std::vector<std::uint64_t> waiting_;
  NodeSet filled_;                         ///< as `filled` says
  std::unique_ptr<std::uint32_t[]> kept_;  ///< channels with a flit that do not count as such, until `note_kept`
  std::size_t kept_count_ = 0;             ///< of these
  std::vector<InputChannel> channels_;     ///< by number
  std::vector<RouteCompute> routes_;       ///< a router's
  ZeroedArray<BufferedWord> words_;        ///< rings of all channels
  std::vector<std::uint16_t> wanting_;     ///< an output port's: packets at heads that want it
  std::vector<std::uint16_t> branching_;   ///< a router's: static packets at heads whose branches are not known
};

}  // namespace tidings::cycle
