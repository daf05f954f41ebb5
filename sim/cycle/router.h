// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router.h
/// Twin of rtl/network/router.sv: input-buffered wormhole routers with virtual channels and credits. A single router
/// may be one with crosspoint buffers instead, which is its twin's affair.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/crosspoint_router.h"
#include "sim/cycle/router_allocator.h"
#include "sim/cycle/router_crossbar.h"
#include "sim/cycle/router_input.h"
#include "sim/cycle/router_static.h"
#include "sim/machine/index_set.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// All routers of a machine, or one. Their channels are numbered as RouterPlan does it.
///
/// One cycle t is: `send` tells what leaves in t, then `receive` and `credit` take what comes in, in any order.
/// What leaves is gone from the router at once and not only at the clock edge. Nobody can see the difference,
/// and each flit is looked at once. Only channels that hold flits cost time, in routers that are active: something came
/// in since the last `send`, or something left in it. The others would do nothing again.
class Routers {
 public:
  /// The state after reset. @param places of the routers, which differ in nothing else.
  Routers(const NodeParameters& parameters, const std::vector<NodePlace>& places);

  [[nodiscard]] const RouterPlan& plan() const { return *plan_; }
  /// The number of a channel that a port has.
  [[nodiscard]] std::uint32_t channel(std::uint32_t node, unsigned port, unsigned vc) const {
    return plan_->first_channel(node) + plan_->numbers.channel(port, vc);
  }

  /// A flit arrives on a channel, and there is room for it.
  [[gnu::always_inline]] void receive(std::uint32_t channel, const BufferedWord& word) {
    if (crosspoint_) [[unlikely]] {
      crosspoint_->receive(plan_->numbers.port(channel), plan_->numbers.vc(channel), word);
      activate(channel);
      return;
    }
    Arrivals(*this).receive(channel, word);
  }
  /// A flit comes from a slot of an active router, and there is room for it.
  [[gnu::always_inline]] void take(std::uint32_t channel, const BufferedWord& word) {
    if (const Arrivals arrivals(*this); arrivals.goes_on(channel) && arrivals.may_go_on(channel)) {
      go_on(channel, word);
    } else {
      receive(channel, word);
    }
  }
  /// A flit comes over a router's lane, likewise.
  [[gnu::always_inline]] void take_from_lane(std::uint32_t node, const BufferedWord& word) {
    take(plan_->first_channel(node) + plan_->numbers.lane, word);
  }
  /// A place of the buffer downstream became free.
  void credit(std::uint32_t channel) {
    if (crosspoint_) [[unlikely]] {
      crosspoint_->credit(plan_->numbers.port(channel), plan_->numbers.vc(channel));
      activate(channel);
      return;
    }
    Arrivals(*this).credit(channel);
  }

  /// Takes what comes in over links. What this needs is at hand.
  class Arrivals {
   public:
    explicit Arrivals(Routers& routers)
        : inputs_(routers.inputs_),
          outputs_(routers.allocator_),
          active_(routers.active_),
          node_shift_(routers.node_shift_),
          passes_to_(routers.passes_to_),
          go_on_below_(routers.go_on_below_) {}
    [[gnu::always_inline]] void receive(std::uint32_t channel, const BufferedWord& word) {
      inputs_.push(channel, word);
      active_.insert(NodeIndex{channel >> node_shift_});
    }
    void credit(std::uint32_t channel) {
      outputs_.credit(channel);
      active_.insert(NodeIndex{channel >> node_shift_});
    }
    /// The head of the packet has left, and its tail is not the oldest word.
    [[nodiscard]] bool goes_on(std::uint32_t channel) const { return inputs_[channel].inside_packet(); }
    /// If so, what arrives is a word of a neighbour packet that leaves by the tap in this very cycle: see `pass`.
    [[nodiscard]] bool passes(std::uint32_t channel) const {
      return inputs_[channel].wanted() == passes_to_ && inputs_[channel].empty();
    }
    /// If so, it is one of a packet that may leave without a choice: see `go_on`.
    [[nodiscard]] bool may_go_on(std::uint32_t channel) const { return inputs_[channel].wanted() < go_on_below_; }

   private:
    RouterInputs::Arrivals inputs_;
    RouterAllocator::Arrivals outputs_;
    NodeSet& active_;
    unsigned node_shift_;
    unsigned passes_to_;
    unsigned go_on_below_;
  };

  /// A word arrives that passes to the tap. The next `send` gives its credit.
  void pass(std::uint32_t channel, const BufferedWord& word) {
    inputs_.pass(channel, word);
    activate(channel);
    passed_[passed_count_++] = channel;
  }

  /// A word arrives at a channel that is inside a packet. If this packet is the only one that wants its ports, the
  /// oldest word leaves in the next `send`. Which packets these are is not known before all has arrived. The router is
  /// active.
  [[gnu::always_inline]] void go_on(std::uint32_t channel, const BufferedWord& word) {
    going_on_[going_on_count_++] = {.channel = channel, .word = word};
  }

  /// A router is active whose `channel` this is.
  void activate(std::uint32_t channel) { active_.insert(NodeIndex{channel >> node_shift_}); }
  [[nodiscard]] bool active(std::uint32_t node) const { return active_.contains(NodeIndex{node}); }
  [[nodiscard]] bool any_active() const { return !active_.empty(); }

  /// Any buffer does.
  [[nodiscard]] bool holds_words() const { return crosspoint_ || !crossing_.empty() || inputs_.hold_words(); }
  /// Swap the states of as many routers from `first` on with others, from `others_first` on. None is active or holds
  /// words.
  void swap(std::uint32_t first, Routers& other, std::uint32_t others_first, std::uint32_t count);

  /// A word that leaves does so in the cycle in which its channel is chosen, and every buffer is an input channel's.
  [[nodiscard]] bool may_be_steady() const { return !crosspoint_ && !plan_->pipeline; }
  [[nodiscard]] RouterInputs& inputs() { return inputs_; }
  [[nodiscard]] const RouterInputs& inputs() const { return inputs_; }
  [[nodiscard]] RouterAllocator& allocator() { return allocator_; }
  [[nodiscard]] const RouterAllocator& allocator() const { return allocator_; }
  void set_active(std::uint32_t node, bool active) {
    if (active) {
      active_.insert(NodeIndex{node});
    } else {
      active_.erase(NodeIndex{node});
    }
  }

  /// The static routes of a router. Changes count from the next cycle on.
  [[nodiscard]] RouteTable& routes(std::uint32_t node) {
    return crosspoint_ ? crosspoint_->routes() : statics_[node].routes();
  }
  /// Routers that have left out a branch of a static packet in this cycle.
  [[nodiscard]] const std::vector<std::uint32_t>& refusing() const { return refusing_; }

  /// What leaves in this cycle, of all routers: calls `flit(channel, BufferedWord)` with the output channel, and for
  /// the place that it leaves in an input buffer `credit(channel)`, once for each flit; `tap(channel, BufferedWord)`
  /// and `credit` for words that neighbour packets bring through a port. A lane's credits are those of the channel
  /// after all others of its router. Routers from which anything leaves, or is prepared to, are active in the next
  /// cycle.
  /// @return how many were active.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  [[gnu::always_inline]] std::uint64_t send(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
    refusing_.clear();
    if (crosspoint_) [[unlikely]]
      return send_through_crosspoints(flit, credit);
    send_on(flit);
    const std::uint64_t active = choose();
    if (plan_->pipeline) {
      leave(flit, tap);
      grant_into_crossbars(credit);
    } else {
      grant(flit, credit, tap);
    }
    inputs_.note_kept();
    for (const std::uint32_t* one = passed_.get(); one != passed_.get() + passed_count_; ++one) {
      activate(*one);
      credit(*one);
    }
    passed_count_ = 0;
    if (!turning_.empty()) [[unlikely]]
      end_turns();
    return active;
  }

 private:
  /// A word that `go_on` was told of.
  struct GoingOn {
    std::uint32_t channel;
    BufferedWord word;
  };
  /// A router with static packets at heads.
  struct Branching {
    std::uint32_t node;
    std::uint32_t channel;  ///< of the first of them
    bool alone = true;      ///< it is the only one
  };

  static constexpr unsigned kWordBits = RouterInputs::kWordBits;
  static constexpr unsigned kNothing = ~0U;  ///< that an input channel wants
  /// Of a router's number of channels that is its least: a word of input channels belongs to 8 such routers.
  static constexpr unsigned kLeastShift = 3;

  /// Bits that are set. The first x86-64 has no instruction for it, and a call instead keeps values out of registers.
  static constexpr std::uint64_t ones_of(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
  }
  /// A byte of ones for each bit of a byte that is set, the lowest first.
  static constexpr std::uint64_t bytes_of(std::uint64_t bits) {
    constexpr std::uint64_t kLowest = 0x0101010101010101;
    const std::uint64_t apart = bits * kLowest & 0x8040201008040201;
    return (((apart + 0x7f * kLowest) | apart) >> 7 & kLowest) * 0xff;
  }

  /// What leaves a router with crosspoint buffers: it is the only one, and has slots alone.
  template <typename FlitSink, typename CreditSink>
  [[gnu::noinline]] std::uint64_t send_through_crosspoints(FlitSink&& flit, CreditSink&& credit) {
    if (active_.empty()) return 0;
    const RouterNumbers& numbers = plan_->numbers;
    crosspoint_->send(
        [&](unsigned slot, unsigned vc, const BufferedWord& word) { flit(numbers.channel(slot, vc), word); },
        [&](unsigned slot, unsigned vc) { credit(numbers.channel(slot, vc)); });
    set_active(0, crosspoint_->busy());
    if (crosspoint_->refused()) refusing_.push_back(0);
    return 1;
  }

  /// Every input channel of the active routers asks for what it wants. They are not active any more.
  /// @return how many they were.
  std::uint64_t choose() {
    const std::uint32_t static_channel = plan_->numbers.static_channel;
    const unsigned node_shift = node_shift_;
    const std::uint32_t first_mask = ~((1U << node_shift) - 1);
    RouterAllocator::Round round(allocator_);
    std::uint64_t count = 0;
    const auto ask = [&](std::uint32_t first, std::uint64_t rest) {
      for (; rest != 0; rest &= rest - 1) {
        const std::uint32_t c = first + static_cast<std::uint32_t>(std::countr_zero(rest));
        const InputChannel& input = inputs_[c];
        const std::uint32_t wanted = (c & first_mask) + input.wanted();
        if (allocator_.may_send(wanted, input.owner())) {
          round.ask(c, wanted);
        } else if (input.wanted() >= static_channel) {
          note_special(c);
        }
      }
    };
    for (std::size_t i = 0; i < active_.words(); ++i) {
      const std::uint64_t active = std::exchange(active_.word(i), 0);
      count += ones_of(active);
      const auto node = static_cast<std::uint32_t>(i * kWordBits);
      if (node_shift == kLeastShift) {
        // A bit is a router, and a byte its channels.
        constexpr std::uint32_t kRouters = kWordBits >> kLeastShift;
        for (std::uint32_t at = 0; at < kWordBits && active >> at != 0; at += kRouters) {
          const std::uint64_t some = active >> at & ((1U << kRouters) - 1);
          if (some != 0) ask((node + at) << kLeastShift, bytes_of(some) & inputs_.waiting((node + at) / kRouters));
        }
        continue;
      }
      for (std::uint64_t rest = active & inputs_.filled().word(i); rest != 0; rest &= rest - 1) {
        const std::uint32_t router = node + static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint32_t first = router << node_shift;
        const std::uint32_t channels = 1U << node_shift;
        const std::uint64_t waiting = inputs_.waiting_from(first, channels);
        if (waiting == 0 && channels <= kWordBits) inputs_.note_empty(router);
        ask(first, waiting);
        for (std::uint32_t at = kWordBits; at < channels; at += kWordBits) {
          ask(first + at, inputs_.waiting_from(first + at, channels));
        }
      }
    }
    round.end();
    return count;
  }
  /// An input channel holds a packet that is not a unicast, or one that turns.
  void note_special(std::uint32_t channel) {
    const unsigned wanted = inputs_[channel].wanted();
    if (wanted == plan_->numbers.tap_channel) {
      tapped_.push_back(channel);
    } else if (wanted != plan_->numbers.static_channel) {
      turning_.push_back(channel);
    } else if (const std::uint32_t node = plan_->node(channel); !branches_[node]) {
      branches_[node] = true;
      branching_.push_back({.node = node, .channel = channel});
    } else {
      branching_.back().alone = false;
    }
  }

  /// The oldest words leave of channels whose packets need no choice. Words of the others are put into their buffers.
  template <typename FlitSink>
  [[gnu::always_inline]] void send_on(FlitSink&& flit) {
    const std::uint32_t first_mask = ~((1U << node_shift_) - 1);
    const GoingOn* const end = going_on_.get() + std::exchange(going_on_count_, 0);
    for (const GoingOn* one = going_on_.get(); one != end; ++one) {
      const std::uint32_t channel = one->channel;
      const BufferedWord& word = one->word;
      const unsigned wanted = inputs_[channel].wanted();
      const std::uint32_t output = (channel & first_mask) + wanted;
      if (wanted == plan_->numbers.static_channel) {
        if (!send_on_branches(channel, word, flit)) RouterInputs::Arrivals(inputs_).push(channel, word);
      } else if (inputs_.is_wanted_by_one(output) && allocator_.output(output).credits != 0) {
        const BufferedWord oldest = inputs_.exchange(channel, word);
        allocator_.use(channel, output);
        allocator_.send(output, oldest.last);
        passed_[passed_count_++] = channel;
        flit(output, oldest);
      } else {
        RouterInputs::Arrivals(inputs_).push(channel, word);
      }
    }
  }
  /// The oldest word of a packet with branches leaves by all of them. @return false: it has to wait, and nothing has
  /// changed.
  template <typename FlitSink>
  [[gnu::noinline]] bool send_on_branches(std::uint32_t channel, const BufferedWord& word, FlitSink&& flit) {
    const std::uint32_t node = plan_->node(channel);
    const std::uint32_t first = plan_->first_channel(node);
    RouterStatic& packets = statics_[node];
    StaticRoute& packet = packets[channel - first];
    const std::uint32_t branches = packet.branches();
    if (packet.looks_at() != branches || !inputs_.knows_branches(node)) return false;
    std::array<std::uint32_t, RouterAllocator::kMaxPorts> outputs;
    std::size_t count = 0;
    for (std::uint32_t rest = branches; rest != 0; rest &= rest - 1) {
      const std::uint32_t output =
          first + packets.branch_channel(channel - first, static_cast<unsigned>(std::countr_zero(rest)));
      if (!inputs_.is_wanted_once(output) || allocator_.output(output).credits == 0) return false;
      outputs[count++] = output;
    }
    const BufferedWord oldest = inputs_.exchange(channel, word);
    for (std::size_t i = 0; i < count; ++i) {
      allocator_.use(channel, outputs[i]);
      allocator_.send(outputs[i], oldest.last);
      flit(outputs[i], oldest);
    }
    packet.send(branches, oldest.last);
    if (oldest.last) inputs_.give_up_branches(node, branches);
    passed_[passed_count_++] = channel;
    return true;
  }

  /// The packets that turn in this cycle want their outputs from the next one on.
  [[gnu::noinline]] void end_turns() {
    for (const std::uint32_t channel : turning_) {
      inputs_.turn(channel);
      activate(channel);
    }
    turning_.clear();
  }

  /// What comes of it.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  [[gnu::always_inline]] void grant(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
    if (!branching_.empty() || !tapped_.empty()) {
      grant_special(flit, credit, tap);
      return;
    }
    allocator_.for_each_grant([&](std::uint32_t c, std::uint32_t wanted)
                                  __attribute__((always_inline)) { depart(c, wanted, flit, credit); });
  }
  /// The same while there are packets that are not unicasts.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  [[gnu::noinline]] void grant_special(FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
    for (Branching& one : branching_) {
      one.alone = one.alone && !plan_->pipeline && sends_alone(one.node, one.channel);
      branches_[one.node] = !one.alone;
    }
    // Where packets have branches, the others have to share with them: all over again.
    const auto branches = [&](std::uint32_t c) { return branches_[plan_->node(c)]; };
    allocator_.for_each_grant([&](std::uint32_t c, std::uint32_t wanted) {
      if (branches(c)) {
        allocator_.refuse(wanted);
      } else {
        depart(c, wanted, flit, credit);
      }
    });
    for (const std::uint32_t c : tapped_) {
      if (!branches(c)) take_tapped(c, credit, tap);
    }
    for (const Branching& one : branching_) {
      if (one.alone) {
        send_branches(one.node, one.channel, flit, credit);
      } else {
        grant_with_static(one.node, flit, credit, tap);
        branches_[one.node] = false;
      }
    }
    branching_.clear();
    tapped_.clear();
  }
  /// A static packet has all its output channels, and nobody else asks for their ports.
  [[nodiscard]] bool sends_alone(std::uint32_t node, std::uint32_t channel) const {
    const StaticRoute& packet = statics_[node][plan_->within(channel)];
    bool alone = packet.leaves();
    for (std::uint32_t rest = packet.looks_at(); rest != 0 && alone; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      alone = !allocator_.is_asked(plan_->first_channel(node) + plan_->numbers.channel(port, 0));
    }
    return alone;
  }
  /// What grant_with_static does for such a packet.
  template <typename FlitSink, typename CreditSink>
  void send_branches(std::uint32_t node, std::uint32_t channel, FlitSink&& flit, CreditSink&& credit) {
    RouterStatic& packets = statics_[node];
    const std::uint32_t first = plan_->first_channel(node);
    const unsigned c = channel - first;
    const BufferedWord word = inputs_[channel].front();
    std::uint32_t sent = 0;
    for (std::uint32_t rest = packets[c].looks_at(); rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint32_t output = first + packets.branch_channel(c, port);
      if (allocator_.output(output).credits == 0) continue;
      sent |= 1U << port;
      allocator_.use(channel, output);
      allocator_.send(output, word.last);
      flit(output, word);
    }
    const std::uint32_t branches = packets[c].branches();
    const bool leaves = packets[c].send(sent, word.last);
    if (leaves) {
      if (word.last) inputs_.give_up_branches(node, branches);
      inputs_.pop(channel);
      credit(channel);
    }
    if (sent != 0 || leaves) activate(channel);
  }
  /// With a pipeline, what is granted leaves in the next cycle.
  template <typename CreditSink>
  [[gnu::noinline]] void grant_into_crossbars(CreditSink&& credit) {
    grant(
        [this](std::uint32_t channel, const BufferedWord& word) {
          const unsigned c = plan_->within(channel);
          crossing(channel).send(plan_->numbers.port(c), plan_->numbers.vc(c), word);
        },
        credit,
        [this](std::uint32_t channel, const BufferedWord& word) {
          crossing(channel).tap(plan_->numbers.port(plan_->within(channel)), word);
        });
  }

  /// The oldest word of an input channel leaves where it wants to.
  template <typename FlitSink, typename CreditSink>
  [[gnu::always_inline]] void depart(std::uint32_t c, std::uint32_t wanted, FlitSink&& flit, CreditSink&& credit) {
    const BufferedWord word = inputs_[c].front();
    allocator_.use(c, wanted);
    allocator_.send(wanted, word.last);
    inputs_.pop(c);
    activate(c);
    flit(wanted, word);
    credit(c);
  }
  /// The oldest word of an input channel, of a neighbour packet that has come in through its port, leaves by the tap.
  template <typename CreditSink, typename TapSink>
  void take_tapped(std::uint32_t c, CreditSink&& credit, TapSink&& tap) {
    const BufferedWord word = inputs_[c].front();
    inputs_.pop(c);
    activate(c);
    tap(c, word);
    credit(c);
  }
  /// A router with a static packet at the head of an input channel.
  template <typename FlitSink, typename CreditSink, typename TapSink>
  void grant_with_static(std::uint32_t node, FlitSink&& flit, CreditSink&& credit, TapSink&& tap);

  /// The register of the router that has a channel, into which a word comes.
  RouterCrossbar& crossing(std::uint32_t channel) {
    const std::uint32_t node = plan_->node(channel);
    if (crossbars_[node].empty()) crossing_.push_back(node);
    return crossbars_[node];
  }
  /// With a pipeline: what has been sent in the cycle before leaves.
  template <typename FlitSink, typename TapSink>
  [[gnu::noinline]] void leave(FlitSink&& flit, TapSink&& tap) {
    leaving_.swap(crossing_);
    for (const std::uint32_t node : leaving_) {
      activate(plan_->first_channel(node));
      crossbars_[node].leave(
          [&](unsigned port, unsigned vc, const BufferedWord& word) { flit(channel(node, port, vc), word); },
          [&](unsigned port, const BufferedWord& word) { tap(channel(node, port, 0), word); });
    }
    leaving_.clear();
  }

  std::unique_ptr<const RouterPlan> plan_;
  std::unique_ptr<CrosspointRouter> crosspoint_;  ///< null: the routers are input-buffered
  RouterInputs inputs_;
  RouterAllocator allocator_;
  unsigned node_shift_;
  unsigned passes_to_;                       ///< output channel of words that pass by: `kNothing` with a pipeline
  unsigned go_on_below_;                     ///< packets that want output channels below this one may go on: likewise 0
  std::unique_ptr<GoingOn[]> going_on_;      ///< since the last `send`, at most one per channel
  std::size_t going_on_count_ = 0;           ///< of these
  std::unique_ptr<std::uint32_t[]> passed_;  ///< likewise: channels whose word was never in their buffer
  std::size_t passed_count_ = 0;
  NodeSet active_;                      ///< routers
  std::vector<std::uint32_t> tapped_;   ///< in this cycle: channels with words for the tap
  std::vector<std::uint32_t> turning_;  ///< likewise: channels with packets that turn
  std::vector<Branching> branching_;    ///< likewise: routers with a static packet at a head
  std::unique_ptr<bool[]> branches_;    ///< a router: it is one of these
  std::vector<std::uint32_t> refusing_;
  std::vector<RouterStatic> statics_;      ///< a router's
  std::vector<RouterCrossbar> crossbars_;  ///< likewise; empty without a pipeline
  std::vector<std::uint32_t> crossing_;    ///< routers with something in them
  std::vector<std::uint32_t> leaving_;
};

template <typename FlitSink, typename CreditSink, typename TapSink>
void Routers::grant_with_static(std::uint32_t node, FlitSink&& flit, CreditSink&& credit, TapSink&& tap) {
  const RouterNumbers& numbers = plan_->numbers;
  const std::uint32_t first = plan_->first_channel(node);
  const RouterStatic::Surroundings around{.inputs = inputs_, .allocator = allocator_, .plan = *plan_, .node = node};
  RouterStatic& packets = statics_[node];
  // What each input channel asks for; a lookup takes the cycle.
  std::vector<RouterStatic::Asking>& statics = packets.asking();
  statics.clear();
  std::uint32_t tapped = 0;
  bool asked = false;
  bool served = false;
  const bool stirred = plan_->pipeline && packets.stirred(around);
  RouterAllocator::Round round(allocator_);
  inputs_.for_each_waiting(node, [&](std::uint32_t channel) {
    const InputChannel& input = inputs_[channel];
    const unsigned wanted = input.wanted();
    const unsigned c = channel - first;
    if (wanted == numbers.tap_channel) {
      tapped |= 1U << numbers.port(c);
    } else if (wanted != numbers.static_channel) {
      if (allocator_.may_send(first + wanted, input.owner())) round.ask(channel, first + wanted);
    } else if (packets[c].asks()) {
      if (packets.serve_neighbour(c, around)) {
        served = true;
        inputs_.want_branches(node, packets[c].branches());
      } else {
        asked = true;
      }
    } else {
      statics.push_back({.c = c, .outputs = packets.outputs(c, packets[c].looks_at(), around), .decision = {}});
      for (std::uint32_t rest = packets[c].request(statics.back().outputs); rest != 0; rest &= rest - 1) {
        round.ask(channel, first + numbers.channel(static_cast<unsigned>(std::countr_zero(rest)), 0));
      }
    }
  });
  round.end();

  // What comes of it.
  std::uint32_t grants = 0;
  std::array<std::uint8_t, RouterAllocator::kMaxPorts> winner;
  std::array<std::uint8_t, RouterAllocator::kMaxPorts> channels;
  allocator_.for_each_grant([&](std::uint32_t channel, std::uint32_t output) {
    const unsigned port = numbers.port(output - first);
    allocator_.refuse(output);
    grants |= 1U << port;
    winner[port] = static_cast<std::uint8_t>(channel - first);
    channels[port] = static_cast<std::uint8_t>(output - first);
  });
  std::uint32_t used = grants;
  std::uint32_t sending = grants;
  for (RouterStatic::Asking& one : statics) {
    std::uint32_t granted = 0;
    for (std::uint32_t rest = grants; rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      if (winner[port] != one.c) continue;
      granted |= 1U << port;
      channels[port] = static_cast<std::uint8_t>(packets.branch_channel(one.c, port));
    }
    one.decision = packets[one.c].decide(one.outputs, granted);
    used &= ~(granted & ~one.decision.used);
    sending &= ~(granted & ~one.decision.sent);
  }

  // Both as the clock edge does.
  const auto pop = [&](unsigned c) {
    inputs_.pop(first + c);
    credit(first + c);
  };
  bool changes = asked || served || (used | tapped) != 0;
  if (asked) {
    if (const std::uint8_t c = packets.serve_lookup(around); c != RouterAllocator::kNone)
      inputs_.want_branches(node, packets[c].branches());
  }
  for (std::uint32_t rest = tapped; rest != 0; rest &= rest - 1) {
    take_tapped(first + numbers.channel(static_cast<unsigned>(std::countr_zero(rest)), 0), credit, tap);
  }
  for (std::uint32_t rest = used; rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned c = winner[port];
    const std::uint32_t output = first + channels[port];
    allocator_.use(first + c, output);
    if ((sending >> port & 1U) == 0) {
      allocator_.take(output);
      continue;
    }
    const bool unicast = inputs_[first + c].wanted() != numbers.static_channel;
    const BufferedWord word = inputs_[first + c].front();
    allocator_.send(output, word.last);
    flit(output, word);
    if (unicast) pop(c);
  }
  for (const auto& [c, outputs, decision] : statics) {
    const BufferedWord word = inputs_[first + c].front();
    if (packets[c].active(decision, stirred)) changes = true;
    packets[c].clock(decision, word.last);
    for (std::uint32_t rest = decision.released; rest != 0; rest &= rest - 1) {
      allocator_.release(first + packets.branch_channel(c, static_cast<unsigned>(std::countr_zero(rest))));
    }
    if (!decision.pop) continue;
    if (word.last) inputs_.give_up_branches(node, packets[c].branches());
    pop(c);
  }
  if (plan_->pipeline) packets.end(asked || served || used != 0, around);
  if (packets.take_refused()) refusing_.push_back(node);
  if (changes) activate(first);
}

}  // namespace tidings::cycle
