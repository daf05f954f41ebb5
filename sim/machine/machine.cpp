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

Machine::Machine(const MachineConfig& config, std::uint32_t ranks, const NodeFactory& factory, Stepping stepping)
    : config_(validated(config)),
      topology_(config.topology, ranks),
      clock_(config.clock_khz),
      stepping_(stepping),
      wires_(topology_, config.link.latency_cycles),
      bus_(std::size_t{topology_.nodes()} * topology_.slots()),
      inputs_(topology_.nodes()),
      busy_(topology_.nodes()),
      active_(topology_.nodes()) {
  for (std::uint32_t i = 0; i < topology_.nodes(); ++i) {
    const NodeIndex node{i};
    inputs_[i].ports.resize(topology_.ports());
    inputs_[i].slots.resize(topology_.slots());
    nodes_.push_back(factory(node, topology_.place(node)));
    if (nodes_.back()->outputs().busy) busy_.insert(node);
    for (std::uint8_t slot = 0; slot < topology_.slots(); ++slot) {
      memories_.emplace_back(Endpoint{.node = topology_.id(node), .slot = SlotId{slot}});
    }
  }
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

bool Machine::interrupt(Endpoint endpoint) const {
  const std::size_t slot = slot_index(endpoint);
  return nodes_[slot / topology_.slots()]->outputs().slots[slot % topology_.slots()].interrupt;
}

RunResult Machine::run_until(Cycle limit, std::span<const InterruptWatch> watches) {
  std::vector<Line> lines;
  for (const InterruptWatch& watch : watches) {
    const std::size_t slot = slot_index(watch.endpoint);
    lines.push_back(
        {.output = &nodes_[slot / topology_.slots()]->outputs().slots[slot % topology_.slots()], .watch = watch});
  }
  RunResult result;
  for (;;) {
    for (const Line& line : lines) {
      if (line.watch.from <= now_ && line.output->interrupt) result.interrupts.push_back(line.watch.endpoint);
    }
    if (!result.reads.empty() || !result.interrupts.empty() || now_ >= limit) return result;

    if (busy_.empty()) {
      std::optional<Cycle> next = next_arrival();
      for (const Line& line : lines) {
        // Lines do not change while nothing happens: one that is high now ends the run when its time has come.
        if (line.output->interrupt) earliest(next, line.watch.from);
      }
      if (!next) {
        result.quiescent = true;
        return result;
      }
      if (*next > now_ && stepping_ == Stepping::kActiveNodes) {
        const Cycle target = std::min(*next, limit);
        counters_.cycles_skipped += target - now_;
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

SlotInput& Machine::slot_input(std::size_t slot) {
  const NodeIndex node{static_cast<std::uint32_t>(slot / topology_.slots())};
  active_.insert(node);
  return inputs_[node.value].slots[slot % topology_.slots()];
}

std::optional<Cycle> Machine::next_arrival() const {
  std::optional<Cycle> next = wires_.next();
  earliest(next, bus_.next());
  if (!memory_answers_.empty()) earliest(next, memory_answers_.front().cycle);
  return next;
}

void Machine::deliver() {
  while (const std::optional<Wires::Arrival> arrival = wires_.take(now_)) {
    active_.insert(arrival->to.node);
    // A flit and credits may have left the neighbour's two directions of one link in the same cycle: one arrival.
    inputs_[arrival->to.node.value].ports[arrival->to.port.value] = arrival->input;
  }
  while (const std::optional<BusCalendar::Operation> operation = bus_.take(now_)) {
    SlotInput& input = slot_input(operation->slot);
    input.bus_valid = true;
    input.bus = operation->request;
  }
  while (!memory_answers_.empty() && memory_answers_.front().cycle == now_) {
    SlotInput& input = slot_input(memory_answers_.front().slot);
    input.memory_data_valid = true;
    input.memory_data = memory_answers_.front().data;
    memory_answers_.pop_front();
  }
}

void Machine::step(std::vector<CompletedRead>& reads) {
  active_ = busy_;
  deliver();
  if (stepping_ == Stepping::kEveryNode) {
    for (std::uint32_t i = 0; i < topology_.nodes(); ++i) active_.insert(NodeIndex{i});
  }
  if (observer_ != nullptr) observer_->before_edge(now_, inputs_);
  active_.for_each([this](NodeIndex node) {
    NodeInputs& inputs = inputs_[node.value];
    nodes_[node.value]->step(inputs);
    std::fill(inputs.ports.begin(), inputs.ports.end(), PortInput{});
    std::fill(inputs.slots.begin(), inputs.slots.end(), SlotInput{});
    ++counters_.node_evaluations;
  });
  ++counters_.cycles_stepped;
  ++now_;
  active_.for_each([this, &reads](NodeIndex node) { collect(node, reads); });
  if (observer_ != nullptr) observer_->after_edge(now_);
}

void Machine::collect(NodeIndex node, std::vector<CompletedRead>& reads) {
  const NodeOutputs& outputs = nodes_[node.value]->outputs();
  if (outputs.busy) {
    busy_.insert(node);
  } else {
    busy_.erase(node);
  }
  for (std::uint8_t port = 0; port < outputs.ports.size(); ++port) {
    const PortOutput& output = outputs.ports[port];
    if (!output.flit_valid && output.credits == 0) continue;
    counters_.flit_hops += output.flit_valid ? 1 : 0;
    wires_.send(now_, node, PortId{port}, output);
  }
  for (std::size_t i = 0; i < outputs.slots.size(); ++i) {
    const SlotOutput& output = outputs.slots[i];
    const std::size_t slot = std::size_t{node.value} * topology_.slots() + i;
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
}

}  // namespace tidings
