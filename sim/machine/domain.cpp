// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/domain.h"

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
    : fabric_(std::move(fabric)), memory_latency_(memory_latency), bus_(endpoints.size()), lines_(endpoints.size()) {
  for (const Endpoint& endpoint : endpoints) memories_.emplace_back(endpoint);
}

std::optional<Cycle> Domain::next_arrival() const {
  std::optional<Cycle> next = fabric_->next_arrival();
  earliest(next, bus_.next());
  if (!memory_answers_.empty()) earliest(next, memory_answers_.front().cycle);
  return next;
}

std::optional<Cycle> Domain::next_answer() const {
  std::optional<Cycle> next = bus_.next_read();
  if (next) *next += kReadCycles;
  if (!answers_.empty()) earliest(next, answers_.front());
  return next;
}

void Domain::deliver(Cycle cycle) {
  while (const std::optional<BusCalendar::Operation> operation = bus_.take(cycle)) {
    SlotInput& input = fabric_->slot_input(operation->slot);
    input.bus_valid = true;
    input.bus = operation->request;
    if (!operation->request.write) answers_.push_back(cycle + kReadCycles);
  }
  while (!memory_answers_.empty() && memory_answers_.front().cycle == cycle) {
    SlotInput& input = fabric_->slot_input(memory_answers_.front().slot);
    input.memory_data_valid = true;
    input.memory_data = memory_answers_.front().data;
    memory_answers_.pop_front();
  }
}

void Domain::step(Cycle cycle) {
  fabric_->step(cycle);
  for (const std::size_t slot : fabric_->stepped_slots()) collect(slot, cycle + 1);
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
    }
  } catch (...) {
    failure = std::current_exception();
  }
  fabric_->sort_out();
}

void Domain::collect(std::size_t slot, Cycle cycle) {
  const SlotOutput& output = fabric_->slot_output(slot);
  if (output.interrupt != (lines_[slot] != 0)) {
    lines_[slot] = output.interrupt ? 1 : 0;
    changes.push_back({.cycle = cycle, .slot = slot, .high = output.interrupt});
  }
  if (output.bus_read_valid) {
    if (!answers_.empty()) answers_.pop_front();
    reads.push_back({.cycle = cycle, .slot = slot, .data = output.bus_read_data});
  }
  // A read sees the writes of earlier cycles.
  if (output.memory_read_valid) {
    memory_answers_.push_back(
        {.cycle = cycle + memory_latency_, .slot = slot, .data = memories_[slot].read(output.memory_read_address)});
  }
  if (output.memory_write_valid) memories_[slot].write(output.memory_write);
}

}  // namespace tidings
