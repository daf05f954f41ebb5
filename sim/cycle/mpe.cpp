// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe.h"

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
  require(p.links >= 2 && p.links <= kMaxLinks, "mpe: links must be from 2 to 8", p.links);
  require(p.contexts >= 1 && p.contexts <= kMaxContexts && std::has_single_bit(p.contexts),
          "mpe: contexts must be a power of two and at most 8", p.contexts);
  require(p.buffer_words >= 8 && std::has_single_bit(p.buffer_words),
          "mpe: buffer_words must be a power of two and at least 8", p.buffer_words);
  require(p.packet_words >= 4 && std::has_single_bit(p.packet_words),
          "mpe: packet_words must be a power of two and at least 4", p.packet_words);
  require(p.packet_words <= p.buffer_words / 2, "mpe: packet_words must be at most half of buffer_words",
          p.packet_words);
  require(p.combine_ports >= 1 && p.combine_ports <= kMaxLinks, "mpe: combine_ports must be from 1 to 8",
          p.combine_ports);
  require(p.fpu_stages >= 3 && p.fpu_stages < 32, "mpe: fpu_stages must be from 3 to 31", p.fpu_stages);
  return p;
}

}  // namespace

Mpe::Mpe(const MpeParameters& parameters, NodeId node, SlotId slot)
    : buffers_(checked(parameters).links, parameters.contexts, parameters.buffer_words, node, slot),
      up_(parameters.packet_words, parameters.combine_ports, parameters.fpu_stages),
      transmit_(parameters, node, slot),
      queue_(kQueueDepth) {}

Mpe::Plan Mpe::plan_of(const MpeCommand& command) {
  const bool barrier = command.operation == Collective::kBarrier;
  const bool broadcast = command.operation == Collective::kBroadcast;
  const bool reduces = !barrier && !broadcast;
  Plan plan;
  plan.root = command.parent == kNoLink;
  plan.up_runs = !broadcast;
  plan.down_runs = command.operation != Collective::kReduce || plan.root;
  plan.reads_own = reduces || (broadcast && plan.root);
  plan.stores = reduces || !plan.root;
  plan.forwards = command.children != 0 && command.operation != Collective::kReduce;
  if (plan.root) plan.down_source = broadcast ? DownSource::kOwn : DownSource::kResults;
  if (!barrier) plan.words = reduces && is_wide(command.element) ? command.count << 1 : command.count;
  return plan;
}

void Mpe::edge(const MpeInputs& inputs) {
  // What the units take from each other in this cycle.
  const bool own_valid = fetch_.valid();
  const std::uint32_t own_data = fetch_.data();
  const std::uint32_t result_count = up_.result_count();
  const MpeDown::Task task{plan_.down_source,    plan_.forwards,      plan_.stores,
                           command_.destination, command_.descriptor, plan_.words};
  down_.evaluate(task, {.stream_count = buffers_.count(command_.context, command_.parent),
                        .stream_data = buffers_.data(command_.parent),
                        .own_valid = own_valid,
                        .result_valid = result_count != 0,
                        .block_room = transmit_.down_room()});
  up_.evaluate(command_, buffers_, own_valid);
  const bool mismatch = up_.mismatch() || down_.mismatch();
  const bool start = state_ == State::kStart;
  const bool stop = state_ == State::kStopped || mismatch;
  const bool finished =
      state_ == State::kRun && up_.done() && result_count == 0 && down_.done() && fetch_.done() && transmit_.done();
  const bool queue_pop = state_ == State::kIdle && !queue_.empty();
  const bool queue_full = queue_.full();
  const bool result_pop = transmit_.up_pop(inputs.request_ready) || down_.result_pop();
  const bool active = inputs.command_valid || inputs.rx_valid || inputs.credit_valid || queue_pop || start ||
                      finished || failed_ || up_.active() || down_.active() || fetch_.active() || buffers_.active() ||
                      memory_write_valid();

  const bool transmit_active = transmit_.clock({.stop = stop,
                                                .credit_valid = inputs.credit_valid,
                                                .credit_info = inputs.credit_info,
                                                .credit_count = inputs.credit_count,
                                                .context = command_.context,
                                                .parent = command_.parent,
                                                .up_count = plan_.root ? 0 : result_count,
                                                .children = command_.children,
                                                .down_push = down_.block_push(),
                                                .down_data = down_.block_data(),
                                                .request_ready = inputs.request_ready});
  fetch_.clock({.start = start && plan_.reads_own,
                .stop = stop,
                .address = command_.source,
                .words = plan_.words,
                .memory_read_ready = inputs.memory_read_ready,
                .memory_data_valid = inputs.memory_data_valid,
                .memory_data = inputs.memory_data,
                .pop = up_.own_pop() || down_.own_pop()});
  failed_ = false;
  if (inputs.command_valid && queue_full) {
    error_.overflow = true;
    failed_ = true;
  }
  if (mismatch && !error_.mismatch) {
    error_.mismatch = true;
    error_.context = command_.context;
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
            {.start = start && plan_.up_runs, .stop = stop, .own_data = own_data, .result_pop = result_pop});
  // After those who look at the words taken in the cycle before.
  buffers_.clock({.rx_valid = inputs.rx_valid,
                  .rx_info = inputs.rx_info,
                  .rx_data = inputs.rx_data,
                  .context = command_.context,
                  .read = stream_read,
                  .reply_ready = inputs.reply_ready});

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
  if (inputs.command_valid && !queue_full) queue_.push(inputs.command);
  changed_ = active || transmit_active;
}

}  // namespace tidings::cycle
