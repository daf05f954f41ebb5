// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe.h
/// Twin of rtl/engine/mpe.sv: the message passing engine.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/cycle/fifo.h"
#include "sim/cycle/mpe_credits.h"
#include "sim/cycle/mpe_down.h"
#include "sim/cycle/mpe_fetch.h"
#include "sim/cycle/mpe_lane.h"
#include "sim/cycle/mpe_pkg.h"
#include "sim/cycle/mpe_stream_buffers.h"
#include "sim/cycle/mpe_transmit.h"
#include "sim/cycle/mpe_up.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Message passing engine: barrier, broadcast, reduce and allreduce over a tree of links.
///
/// No output depends on an input of the same cycle, but that flits carry the neighbours' addresses,
/// `links`, as the registers hold them in this cycle.
class Mpe {
 public:
  /// The state after reset. @throws std::invalid_argument if a parameter is out of range.
  Mpe(const MpeParameters& parameters, NodeId node, SlotId slot);

  [[nodiscard]] bool command_ready() const { return !queue_.full(); }
  [[nodiscard]] std::uint32_t completed() const { return completed_; }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] const MpeError& error() const { return error_; }
  [[nodiscard]] bool failed() const { return failed_; }
  /// A word of a Stream packet is taken. Words at taps always are.
  [[nodiscard]] bool rx_ready() const { return buffers_.rx_ready(); }
  /// What is offered to the lane.
  [[nodiscard]] std::optional<Flit> lane(MpeLinks links) const {
    if (lane_sleeps()) return std::nullopt;
    const MpeLane::Offer offered = offer(links);
    return lane_.valid(offered) ? std::optional(lane_.flit(offered, up_.result())) : std::nullopt;
  }
  [[nodiscard]] bool request_valid() const { return transmit_.request_valid(state_ == State::kStopped); }
  [[nodiscard]] Flit request_flit(MpeLinks links) const {
    return transmit_.request_flit(command_.context_id, links, up_.result());
  }
  [[nodiscard]] bool reply_valid() const { return buffers_.reply_valid(); }
  [[nodiscard]] Flit reply_flit(MpeLinks links) const { return buffers_.reply_flit(links); }
  [[nodiscard]] bool memory_read_valid() const { return fetch_.memory_read_valid(); }
  [[nodiscard]] std::uint32_t memory_read_address() const { return fetch_.memory_read_address(); }
  [[nodiscard]] bool memory_write_valid() const { return down_.memory_write_valid(); }
  void show_write(MemoryWrite& shown) const { down_.show_write(shown); }
  /// Low promises that a clock edge without inputs changes nothing.
  [[nodiscard]] bool busy(MpeLinks links) const {
    return changed_ || request_valid() || (!lane_sleeps() && lane_.valid(offer(links))) || reply_valid() ||
           memory_write_valid() || fetch_.active();
  }

  /// One clock edge. Costs next to nothing while the engine sleeps: words that a tap announces do not wake it.
  void clock(const MpeInputs& inputs, MpeLinks links) {
    if (busy(links) || inputs.command_valid || inputs.rx_valid || inputs.tapped != 0 || inputs.credit_valid) {
      edge(inputs, links);
    }
  }

  /// The next clock edge does no more than `flow` and `take_tapped`, unless a command, a word of a Stream packet or
  /// credits come: the up unit only combines words, or has no more to do while the down unit has.
  [[nodiscard]] bool flows() const {
    return state_ == State::kRun && (up_.flows() || (up_.done() && !down_.done() && !command_.exchange)) &&
           buffers_.rx_ready() && !failed_ && !down_.compares();
  }
  [[gnu::always_inline]] void flow(const MpeFlow& inputs, MpeLinks links);
  /// After it: a word comes to a tap.
  void take_tapped(unsigned context, unsigned link, std::uint32_t data) {
    buffers_.write(context, link, data);
    changed_ = true;
  }
  /// The tap whose packet under way counts for `flow`.
  [[nodiscard]] unsigned parents_tap() const { return command_.parent & (kMaxLinks - 1); }

 private:
  enum class State : std::uint8_t { kIdle, kStart, kRun, kStopped };

  /// What the command under way asks of each unit.
  struct Plan {
    bool root = false;
    bool up_runs = false;
    bool down_runs = false;
    bool reads_own = false;
    MpeDown::Task down;
    std::uint32_t words = 0;
  };
  static Plan plan_of(const MpeCommand& command);

  void edge(const MpeInputs& inputs, MpeLinks links);
  /// Decide what the down unit does. @param tap_context, tap_left as in MpeFlow.
  void evaluate_down(unsigned tap_context, std::uint32_t tap_left, MpeLinks links);
  /// Results that go to a neighbour.
  struct Send {
    unsigned link = 0;
    std::uint32_t count = 0;  ///< at hand
    bool complete = false;    ///< no more will come for it
  };
  [[nodiscard]] Send send() const {
    const std::uint32_t results = up_.result_count();
    if (command_.exchange && send_todo_ != 0) {
      return {next_link(send_todo_, command_.swap), std::min(results, send_left_), results >= send_left_};
    }
    return {command_.parent, plan_.root ? 0 : results, up_.done()};
  }
  /// A link of the command's context is direct.
  [[nodiscard]] bool is_direct(MpeLinks links, unsigned link) const {
    const std::size_t first = std::size_t{command_.context_id & (parameters_.node.mpe_contexts - 1)} * kMaxLinks;
    return link < direct_links_ && links[first + link].direct;
  }
  /// Direct links of the command's context, one bit each.
  [[nodiscard]] unsigned direct_links(MpeLinks links) const;
  /// Nothing is offered to the lane, and nothing is under way there.
  [[nodiscard]] bool lane_sleeps() const { return lane_.done() && (direct_links_ == 0 || up_.result_count() == 0); }
  [[nodiscard]] MpeLane::Offer offer(MpeLinks links) const {
    // A packet that is under way goes on whatever there is for the next.
    if (lane_sleeps() || !lane_.done()) return {};
    return next_offer(links);
  }
  [[nodiscard]] MpeLane::Offer next_offer(MpeLinks links) const;
  /// Words that the source of the down unit has, or will have without waiting for anybody else.
  /// @param from_parent those of the parent.
  [[nodiscard]] std::uint32_t available_down(std::uint32_t from_parent) const {
    if (plan_.down.source == DownSource::kParent) return from_parent;
    if (plan_.down.source == DownSource::kOwn) return ~std::uint32_t{0};
    return send_todo_ == 0 ? up_.result_count() : 0;
  }
  /// What `flow` does. @tparam kLeaf the command has no children.
  template <bool kLeaf>
  [[gnu::always_inline]] void flow_as(const MpeFlow& inputs, MpeLinks links);
  /// A packet may start on the lane at this clock edge. @param active is set if one is offered. @return its words.
  [[gnu::noinline]] std::uint32_t start_on_lane(bool ready, MpeLinks links, bool& active);
  /// Neighbours in the command's context with lower addresses than ours, one bit per link.
  [[nodiscard]] unsigned lower_neighbours(MpeLinks links) const;

  MpeParameters parameters_;
  std::uint32_t direct_links_;  ///< links that can be direct
  NodeId node_;
  SlotId slot_;
  MpeStreamBuffers buffers_;
  MpeFetch fetch_;
  MpeUp up_;
  MpeDown down_;
  MpeCredits credits_;
  MpeLane lane_;
  MpeTransmit transmit_;

  Fifo<MpeCommand> queue_;
  MpeCommand command_;
  Plan plan_;  ///< a function of command_
  State state_ = State::kIdle;
  unsigned send_todo_ = 0;       ///< exchange: links that still have to be sent to
  std::uint32_t send_left_ = 0;  ///< words left for the next of them
  std::uint32_t completed_ = 0;
  bool done_ = false;
  MpeError error_;
  bool failed_ = false;
  bool changed_ = true;
};

inline void Mpe::flow(const MpeFlow& inputs, MpeLinks links) {
  if (command_.children == 0) {
    flow_as<true>(inputs, links);
  } else {
    flow_as<false>(inputs, links);
  }
}

template <bool kLeaf>
inline void Mpe::flow_as(const MpeFlow& inputs, MpeLinks links) {
  // As in `edge`, but for what cannot be.
  const unsigned context = command_.context_id;
  const unsigned parent = command_.parent;
  const bool parent_direct = is_direct(links, parent);
  const MpeDown::Task& task = plan_.down;
  const bool from_parent = task.source == DownSource::kParent;
  const bool from_results = task.source == DownSource::kResults;
  const bool own_valid = fetch_.valid();
  const std::uint32_t own_data = fetch_.data();
  const std::uint32_t results = up_.result_count();
  const std::uint32_t result = up_.result();
  const std::uint32_t for_parent = plan_.root ? 0 : results;
  bool active = fetch_.active() || buffers_.active() || memory_write_valid();

  // The packet on the lane.
  std::uint32_t lane_starts = 0;
  bool lane_pop = false;
  if (!lane_.done()) {
    active = true;
    lane_pop = inputs.lane_ready;
    lane_.clock(0, lane_pop);
  } else if (parent_direct && for_parent != 0) {
    lane_starts = start_on_lane(inputs.lane_ready, links, active);
  }

  // What the down unit takes.
  const std::uint32_t stream_count = buffers_.count(buffers_.place(context, parent));
  bool source_valid = from_parent ? stream_count != 0 : own_valid;
  if (from_results) source_valid = results != 0 && send_todo_ == 0;
  const bool forwards = !kLeaf && task.forward;
  const bool down_takes = down_.takes(task, source_valid, !forwards || transmit_.down_room());
  const std::uint32_t down_word = down_.word(task, buffers_.data(parent));
  active = active || down_takes || down_.moved();
  const bool result_pop = lane_pop || transmit_.up_pop(inputs.request_ready) || (down_takes && from_results);

  // Packets from its block, and those that do not go over the lane.
  const std::uint32_t up_count = parent_direct ? 0 : for_parent;
  std::uint32_t coming = 0;
  if (forwards) {
    const bool tapped = parent_direct && inputs.tap_context == context;
    coming = down_.coming(available_down(stream_count + (tapped ? inputs.tap_left : 0)));
  }
  const bool push = forwards && down_.moved();
  if ((!kLeaf || !parent_direct) && !transmit_.sleeps(up_count, coming, push)) {
    active |= transmit_.clock({.context = context,
                               .direct = transmit_.picks() ? direct_links(links) : 0,
                               .parent = parent,
                               .up_count = up_count,
                               .up_complete = up_.done(),
                               .children = command_.children,
                               .down_complete = down_.done(),
                               .down_push = push,
                               .down_data = down_word,
                               .down_coming = coming,
                               .request_ready = inputs.request_ready},
                              credits_);
  }
  if (lane_starts != 0) credits_.take(context, link_bit(parent), lane_starts);

  const MpeUp::Flow up = up_.flow<kLeaf>(command_, buffers_, own_valid, own_data, result_pop);
  changed_ = active || up.active;
  done_ = false;
  fetch_.flow(inputs.memory_read_ready, inputs.memory_data_valid, inputs.memory_data,
              up.own_pop || (down_takes && task.source == DownSource::kOwn && !down_.takes_descriptor()));
  down_.flow(task, down_takes, down_word, from_results ? result : own_data, inputs.memory_write_ready);
  buffers_.flow(context, up.stream_read | (down_takes && from_parent ? 1U << parent : 0), inputs.reply_ready);
}

}  // namespace tidings::cycle
