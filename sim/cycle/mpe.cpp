// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace tidings::cycle {
namespace {

constexpr std::uint32_t kQueueDepth = 2;

void require(bool holds, const char* what, std::uint32_t value) {
  if (!holds) throw std::invalid_argument(std::string(what) + ", not " + std::to_string(value));
}

const MpeParameters& checked(const MpeParameters& p) {
  check_limits(p.node, [](const char* key, auto value, const char* rule) {
    throw std::invalid_argument(std::string(key) + " = " + std::to_string(value) + ": " + rule);
  });
  require(p.direct_links <= kMaxLinks, "mpe: direct_links must be at most 8", p.direct_links);
  return p;
}

}  // namespace

Mpe::Mpe(const MpeParameters& parameters, NodeId node, SlotId slot)
    : parameters_(checked(parameters)),
      direct_links_(std::min(parameters.node.mpe_links, parameters.direct_links)),
      node_(node),
      slot_(slot),
      buffers_(parameters.node.mpe_links, parameters.node.mpe_contexts, parameters.node.mpe_buffer_words, node, slot),
      up_(parameters.node.mpe_packet_words, parameters.node.mpe_combine_ports, parameters.node.fpu_stages),
      down_(parameters.node.mpe_packet_words),
      credits_(parameters),
      lane_(parameters),
      transmit_(parameters, node, slot),
      queue_(kQueueDepth) {}

Mpe::Plan Mpe::plan_of(const MpeCommand& command) {
  const bool barrier = command.operation == Collective::kBarrier;
  const bool broadcast = command.operation == Collective::kBroadcast;
  const bool reduces = combines(command.operation);
  Plan plan;
  plan.root = command.parent == kNoLink || command.exchange;
  plan.up_runs = !broadcast;
  plan.down_runs = command.operation != Collective::kReduce || plan.root;
  plan.reads_own = reduces || (broadcast && plan.root);
  if (!barrier) plan.words = reduces && is_wide(command.element) ? command.count << 1 : command.count;
  plan.down = {.forward = command.children != 0 && command.operation != Collective::kReduce && !command.exchange,
               .store = reduces || !plan.root,
               .address = command.destination,
               .descriptor = command.descriptor,
               .words = plan.words};
  if (plan.root) plan.down.source = broadcast ? DownSource::kOwn : DownSource::kResults;
  return plan;
}

unsigned Mpe::direct_links(MpeLinks links) const {
  unsigned direct = 0;
  for (std::uint32_t link = 0; link < direct_links_; ++link) direct |= (is_direct(links, link) ? 1U : 0U) << link;
  return direct;
}

MpeLane::Offer Mpe::next_offer(MpeLinks links) const {
  const Send sending = send();
  return {.stop = state_ == State::kStopped,
          .context = command_.context_id & (parameters_.node.mpe_contexts - 1),
          .link = sending.link,
          .count = is_direct(links, sending.link) ? sending.count : 0,
          .complete = sending.complete,
          .room = credits_.room(command_.context_id, sending.link)};
}

std::uint32_t Mpe::start_on_lane(bool ready, MpeLinks links, bool& active) {
  const MpeLane::Offer lane = next_offer(links);
  active = active || lane_.valid(lane);
  const std::uint32_t words = lane_.starts(lane, ready);
  lane_.clock(words, false);
  return words;
}

unsigned Mpe::lower_neighbours(MpeLinks links) const {
  const auto address = [](NodeId node, SlotId slot) { return node.value << tidings_pkg::kSlotIdWidth | slot.value; };
  const std::size_t first = std::size_t{command_.context_id & (parameters_.node.mpe_contexts - 1)} * kMaxLinks;
  unsigned lower = 0;
  for (std::uint32_t link = 0; link < parameters_.node.mpe_links; ++link) {
    const MpeLink& neighbour = links[first + link];
    if (address(neighbour.node, neighbour.slot) < address(node_, slot_)) lower |= 1U << link;
  }
  return lower;
}

void Mpe::evaluate_down(unsigned tap_context, std::uint32_t tap_left, MpeLinks links) {
  const std::uint32_t result_count = up_.result_count();
  const MpeDown::Task& task = plan_.down;
  const std::uint32_t coming = is_direct(links, parents_tap()) && tap_context == command_.context_id ? tap_left : 0;
  const std::uint32_t available = available_down(buffers_.count(command_.context_id, parents_tap()) + coming);
  down_.evaluate(task, {.available = available,
                        .stream_count = buffers_.count(command_.context_id, command_.parent),
                        .stream_data = buffers_.data(command_.parent),
                        .own_valid = fetch_.valid(),
                        .result_valid = result_count != 0 && send_todo_ == 0,
                        .block_room = transmit_.down_room()});
}

void Mpe::edge(const MpeInputs& inputs, MpeLinks links) {
  const MpeTap& parents = inputs.taps[parents_tap()];
  if (flows() && !inputs.command_valid && !inputs.rx_valid && !inputs.credit_valid) {
    flow({.tap_context = parents.context,
          .tap_left = parents.left,
          .lane_ready = inputs.lane_ready,
          .request_ready = inputs.request_ready,
          .reply_ready = inputs.reply_ready,
          .memory_read_ready = inputs.memory_read_ready,
          .memory_data_valid = inputs.memory_data_valid,
          .memory_data = inputs.memory_data,
          .memory_write_ready = inputs.memory_write_ready},
         links);
    for (unsigned rest = inputs.tapped; rest != 0; rest = without_lowest_link(rest)) {
      const MpeTap& tap = inputs.taps[lowest_link(rest)];
      take_tapped(tap.context, lowest_link(rest), tap.data);
    }
    return;
  }
  // What the units take from each other in this cycle.
  const bool own_valid = fetch_.valid();
  const std::uint32_t own_data = fetch_.data();
  const std::uint32_t result_count = up_.result_count();
  const MpeDown::Task& task = plan_.down;
  evaluate_down(parents.context, parents.left, links);
  up_.evaluate(command_, buffers_, own_valid);
  const bool mismatch = up_.mismatch() || down_.mismatch();
  const bool start = state_ == State::kStart;
  const bool stop = state_ == State::kStopped || mismatch;
  const bool down_done = down_.done();
  const bool finished = state_ == State::kRun && up_.done() && result_count == 0 && down_done && fetch_.done() &&
                        transmit_.done() && lane_.done();
  const bool queue_pop = state_ == State::kIdle && !queue_.empty();
  const bool queue_full = queue_.full();
  const Send sending = send();
  const bool send_direct = is_direct(links, sending.link);
  const MpeLane::Offer lane = offer(links);
  const bool lane_active = lane_.valid(lane);
  const std::uint32_t lane_starts = lane_.starts(lane, inputs.lane_ready);
  const bool lane_pop = lane_.pop(inputs.lane_ready);
  const bool sent = lane_pop || transmit_.up_pop(inputs.request_ready);
  const bool result_pop = sent || down_.result_pop();
  const bool active = inputs.command_valid || inputs.rx_valid || inputs.tapped != 0 || inputs.credit_valid ||
                      queue_pop || start || lane_active || finished || failed_ || up_.active() || down_.active() ||
                      fetch_.active() || buffers_.active() || memory_write_valid();

  const std::uint32_t up_count = send_direct ? 0 : sending.count;
  bool transmit_active = false;
  if (!transmit_.sleeps(up_count, down_.block_coming(), down_.block_push())) {
    transmit_active = transmit_.clock({.stop = stop,
                                       .context = command_.context_id,
                                       .direct = transmit_.picks() ? direct_links(links) : 0,
                                       .parent = sending.link,
                                       .up_count = up_count,
                                       .up_complete = sending.complete,
                                       .children = command_.children,
                                       .down_complete = down_done,
                                       .down_push = down_.block_push(),
                                       .down_data = down_.block_data(),
                                       .down_coming = down_.block_coming(),
                                       .stopped = state_ == State::kStopped,
                                       .request_ready = inputs.request_ready},
                                      credits_);
  }
  lane_.clock(lane_starts, lane_pop);
  if (lane_starts != 0) credits_.take(command_.context_id, link_bit(sending.link), lane_starts);
  if (inputs.credit_valid) credits_.give(inputs.credit_info, inputs.credit_count);
  fetch_.clock({.start = start && plan_.reads_own,
                .stop = stop,
                .address = command_.source,
                .words = plan_.words,
                .memory_read_ready = inputs.memory_read_ready,
                .memory_data_valid = inputs.memory_data_valid,
                .memory_data = inputs.memory_data,
                .pop = up_.own_pop() || down_.own_pop()});
  failed_ = false;
  const bool supported = parameters_.node.mpe_wide_elements != 0 || !is_wide(inputs.command.element) ||
                         !combines(inputs.command.operation);
  if (inputs.command_valid && supported && queue_full) {
    error_.overflow = true;
    failed_ = true;
  }
  if (inputs.command_valid && !supported) {
    error_.unsupported = true;
    failed_ = true;
  }
  if (mismatch && !error_.mismatch) {
    error_.mismatch = true;
    error_.context_id = command_.context_id;
    error_.link = up_.mismatch() ? static_cast<std::uint8_t>(up_.mismatch_link()) : command_.parent;
    error_.received = buffers_.data(error_.link);
    failed_ = true;
  }
  down_.clock(task, {.start = start && plan_.down_runs,
                     .stop = stop,
                     .own_data = own_data,
                     .result_data = up_.result(),
                     .memory_write_ready = inputs.memory_write_ready});
  const unsigned stream_read = up_.stream_read() | (down_.stream_read() ? 1U << command_.parent : 0);
  up_.clock(command_, plan_.words, buffers_,
            {.start = start && plan_.up_runs,
             .stop = stop,
             .lower = command_.exchange && up_.active() ? lower_neighbours(links) : 0,
             .own_data = own_data,
             .result_pop = result_pop});
  if (start) {
    send_todo_ = command_.exchange ? command_.children : 0;
    send_left_ = plan_.words + 1;
  } else if (sent && command_.exchange && --send_left_ == 0) {
    send_todo_ &= ~link_bit(sending.link);
    send_left_ = plan_.words + 1;
  }
  // After those who look at the words taken in the cycle before.
  if (inputs.rx_valid || inputs.tapped != 0 || stream_read != 0 || buffers_.active()) {
    buffers_.clock({.rx_valid = inputs.rx_valid,
                    .rx_info = inputs.rx_info,
                    .rx_data = inputs.rx_data,
                    .tapped = inputs.tapped,
                    .taps = inputs.taps.data(),
                    .context = command_.context_id,
                    .read = stream_read,
                    .reply_ready = inputs.reply_ready});
  }

  switch (state_) {
    case State::kIdle:
      if (queue_pop) state_ = State::kStart;
      break;
    case State::kStart:
      state_ = State::kRun;
      break;
    case State::kRun:
      if (stop) {
        state_ = State::kStopped;
      } else if (finished) {
        state_ = State::kIdle;
      }
      break;
    case State::kStopped:
      break;
  }
  done_ = finished;
  if (finished) ++completed_;
  if (queue_pop) {
    command_ = queue_.front();
    plan_ = plan_of(command_);
    queue_.pop();
  }
  if (inputs.command_valid && supported && !queue_full) queue_.push(inputs.command);
  changed_ = active || transmit_active;
}

}  // namespace tidings::cycle
