// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tidings {
namespace {

const MachineConfig& validated(const MachineConfig& config) {
  validate(config);
  return config;
}

void earliest(std::optional<Cycle>& first, std::optional<Cycle> other) {
  if (other && (!first || *other < *first)) first = other;
}

}  // namespace

Machine::Machine(const MachineConfig& config, std::uint32_t ranks, const FabricFactory& factory)
    : config_(validated(config)),
      topology_(config.topology, ranks),
      clock_(config.clock_khz),
      bus_(std::size_t{topology_.nodes()} * topology_.slots()),
      fabric_(factory(config_, topology_)) {
  for (std::uint32_t rank = 0; rank < topology_.nodes() * topology_.slots(); ++rank) {
    memories_.emplace_back(topology_.endpoint(rank));
  }
}

Machine::Machine(const MachineConfig& config, std::uint32_t ranks, const NodeFactory& factory, Stepping stepping)
    : Machine(config, ranks, fabric_of(factory, stepping)) {
  skips_idle_time_ = stepping == Stepping::kActiveNodes;
}

MachineCounters Machine::counters() const {
  return {.cycles_stepped = cycles_stepped_,
          .cycles_skipped = cycles_skipped_,
          .node_evaluations = fabric_->node_evaluations(),
          .flit_hops = fabric_->flit_hops()};
}

void Machine::attach_memory(Endpoint endpoint, std::span<std::byte> memory) {
  memories_[slot_index(endpoint)].attach(memory);
}

void Machine::bus_write(Endpoint endpoint, Cycle at, std::uint16_t address, std::uint32_t data) {
  bus_.push(slot_index(endpoint), at, now_, {.write = true, .address = address, .data = data});
}

void Machine::bus_read(Endpoint endpoint, Cycle at, std::uint16_t address) {
  bus_.push(slot_index(endpoint), at, now_, {.write = false, .address = address, .data = 0});
}

bool Machine::interrupt(Endpoint endpoint) const { return fabric_->slot_output(slot_index(endpoint)).interrupt; }

RunResult Machine::run_until(Cycle limit, std::span<const InterruptWatch> watches) {
  std::vector<Line> lines;
  for (const InterruptWatch& watch : watches) {
    lines.push_back({.output = &fabric_->slot_output(slot_index(watch.endpoint)), .watch = watch});
  }
  RunResult result;
  for (;;) {
    for (const Line& line : lines) {
      if (line.watch.from <= now_ && line.output->interrupt) result.interrupts.push_back(line.watch.endpoint);
    }
    if (!result.reads.empty() || !result.interrupts.empty() || now_ >= limit) return result;

    if (!fabric_->busy()) {
      std::optional<Cycle> next = next_arrival();
      for (const Line& line : lines) {
        // Lines do not change while nothing happens: one that is high now ends the run when its time has come.
        if (line.output->interrupt) earliest(next, line.watch.from);
      }
      if (!next) {
        result.quiescent = true;
        return result;
      }
      if (*next > now_ && skips_idle_time_) {
        const Cycle target = std::min(*next, limit);
        cycles_skipped_ += target - now_;
        now_ = target;
        continue;
      }
    }
    step(result.reads);
  }
}

std::size_t Machine::slot_index(Endpoint endpoint) const {
  if (endpoint.slot.value >= topology_.slots()) {
    throw std::out_of_range("no slot " + std::to_string(endpoint.slot.value) + " in a router of " +
                            std::to_string(topology_.slots()));
  }
  return std::size_t{topology_.index(endpoint.node).value} * topology_.slots() + endpoint.slot.value;
}

Endpoint Machine::endpoint_of(std::size_t slot) const { return topology_.endpoint(static_cast<std::uint32_t>(slot)); }

std::optional<Cycle> Machine::next_arrival() const {
  std::optional<Cycle> next = fabric_->next_arrival();
  earliest(next, bus_.next());
  if (!memory_answers_.empty()) earliest(next, memory_answers_.front().cycle);
  return next;
}

void Machine::deliver() {
  while (const std::optional<BusCalendar::Operation> operation = bus_.take(now_)) {
    SlotInput& input = fabric_->slot_input(operation->slot);
    input.bus_valid = true;
    input.bus = operation->request;
  }
  while (!memory_answers_.empty() && memory_answers_.front().cycle == now_) {
    SlotInput& input = fabric_->slot_input(memory_answers_.front().slot);
    input.memory_data_valid = true;
    input.memory_data = memory_answers_.front().data;
    memory_answers_.pop_front();
  }
}

void Machine::step(std::vector<CompletedRead>& reads) {
  deliver();
  if (observer_ != nullptr) observer_->before_edge(now_, fabric_->inputs(now_));
  fabric_->step(now_);
  ++cycles_stepped_;
  ++now_;
  for (const std::size_t slot : fabric_->stepped_slots()) collect(slot, reads);
  if (observer_ != nullptr) observer_->after_edge(now_);
}

void Machine::collect(std::size_t slot, std::vector<CompletedRead>& reads) {
  const SlotOutput& output = fabric_->slot_output(slot);
  if (output.bus_read_valid) {
    reads.push_back({.endpoint = endpoint_of(slot), .data = output.bus_read_data, .cycle = now_});
  }
  // A read sees the writes of earlier cycles.
  if (output.memory_read_valid) {
    memory_answers_.push_back({.cycle = now_ + config_.memory.latency_cycles,
                               .slot = slot,
                               .data = memories_[slot].read(output.memory_read_address)});
  }
  if (output.memory_write_valid) memories_[slot].write(output.memory_write);
}

}  // namespace tidings
