// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/domain.h"

#include <algorithm>
#include <utility>

namespace tidings {
namespace {

/// From a read on the bus to its answer: docs/architecture.md, "Node ports".
constexpr std::uint64_t kReadCycles = 2;

void earliest(std::optional<Cycle>& first, std::optional<Cycle> other) {
  if (other && (!first || *other < *first)) first = other;
}

}  // namespace

Domain::Domain(std::unique_ptr<Fabric> fabric, std::span<const Endpoint> endpoints, std::uint32_t memory_latency)
    : fabric_(std::move(fabric)),
      busy_(fabric_->busy()),
      bus_(endpoints.size()),
      reading_(endpoints.size()),
      lines_(endpoints.size()) {
  memories_.reserve(endpoints.size());
  for (const Endpoint& endpoint : endpoints) {
    outputs_.push_back(&fabric_->slot_output(outputs_.size()));
    memories_.emplace_back(endpoint, memory_latency);
  }
}

std::optional<Cycle> Domain::next_arrival() const {
  std::optional<Cycle> next = fabric_->next_arrival();
  earliest(next, bus_.next());
  reading_.for_each([&](std::size_t slot) { earliest(next, memories_[slot].next()); });
  return next;
}

std::optional<Cycle> Domain::next_answer() const {
  std::optional<Cycle> next = bus_.next_read();
  if (next) *next += kReadCycles;
  if (!answers_.empty()) earliest(next, answers_.front());
  return next;
}

Cycle Domain::last_answer(Cycle end, Cycle otherwise) const {
  Cycle last = otherwise;
  for (const Cycle answer : answers_) {
    if (answer <= end) last = std::max(last, answer);
  }
  if (end.value < kReadCycles) return last;
  if (const std::optional<Cycle> read = bus_.last_read(Cycle{end.value - kReadCycles}))
    last = std::max(last, *read + kReadCycles);
  return last;
}

void Domain::swap(std::size_t slot, Domain& other, std::size_t others_slot) {
  bus_.swap(slot, other.bus_, others_slot);
  std::swap(memories_[slot], other.memories_[others_slot]);
  std::swap(lines_[slot], other.lines_[others_slot]);
}

void Domain::deliver_what_is_due(Cycle cycle) {
  while (const std::optional<BusCalendar::Operation> operation = bus_.take(cycle)) {
    SlotInput& input = fabric_->slot_input(operation->slot);
    input.bus_valid = true;
    input.bus = operation->request;
    if (!operation->request.write) answers_.push_back(cycle + kReadCycles);
  }
  reading_.for_each([&](std::size_t slot) {
    if (!memories_[slot].due(cycle)) return;
    SlotInput& input = fabric_->slot_input(slot);
    input.memory_data_valid = true;
    input.memory_data = memories_[slot].take();
    note_reading(slot);
  });
}

void Domain::step(Cycle cycle) {
  const Fabric::Stepped after = fabric_->step(cycle);
  busy_ = after.busy;
  may_be_steady_ = after.may_be_steady;
  for (const std::size_t slot : after.slots) collect(slot, cycle + 1);
}

std::uint64_t Domain::look_for_steady(Cycle first, Cycle end) {
  if (const std::optional<Cycle> operation = bus_.next()) end = std::min(end, *operation);
  if (end <= first) return 0;
  const std::uint64_t cycles = fabric_->step_steadily(first, end - first, memories_);
  if (cycles == 0) return 0;
  busy_ = fabric_->busy();
  for (std::size_t slot = 0; slot < memories_.size(); ++slot) note_reading(slot);
  cycles_at_once_ += cycles;
  return cycles;
}

void Domain::run(Cycle first, Cycle end) {
  try {
    for (Cycle cycle = first; cycle < end; ++cycle) {
      if (!busy()) {
        const std::optional<Cycle> next = next_arrival();
        if (!next || *next >= end) break;
        cycle = *next;
      }
      stepped.push_back(cycle);
      deliver(cycle);
      step(cycle);
      for (std::uint64_t left = step_steadily(cycle + 1, end); left != 0; --left) stepped.push_back(++cycle);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  fabric_->sort_out();
}

void Domain::collect(std::size_t slot, Cycle cycle) {
  const SlotOutput& output = *outputs_[slot];
  if (output.interrupt != (lines_[slot] != 0)) {
    lines_[slot] = output.interrupt ? 1 : 0;
    changes.push_back({.cycle = cycle, .slot = slot, .high = output.interrupt});
  }
  if (output.bus_read_valid) {
    if (!answers_.empty()) answers_.pop_front();
    reads.push_back({.cycle = cycle, .slot = slot, .data = output.bus_read_data});
  }
  if (output.memory_read_valid) {
    memories_[slot].read(output.memory_read_address, cycle);
    note_reading(slot);
  }
  if (output.memory_write_valid) memories_[slot].write(output.memory_write);
}

}  // namespace tidings
