// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/compare_machines.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>

#include "sim/cycle/machine_fabric.h"
#include "sim/cycle/node.h"
#include "sim/machine/machine.h"
#include "sim/rtl/verilated_node.h"
#include "sim/verify/lockstep_node.h"
#include "sim/verify/neighbours.h"

namespace tidings::verify {
namespace {

constexpr std::uint16_t kQueueTail = 0x028, kQueueHead = 0x02c;
constexpr std::size_t kMemoryBytes = 16384;
constexpr std::uint64_t kPatience = 200'000;  ///< cycles in which everything must have come to rest

Difference difference_of(std::uint64_t cycle, const Divergence& divergence) {
  return {.cycle = cycle,
          .node = divergence.node().value,
          .place = divergence.place(),
          .field = divergence.field(),
          .expected = divergence.expected(),
          .got = divergence.got()};
}

NodeFactory lockstep(const MachineConfig& config, const std::string& library) {
  const NodeParameters parameters = node_parameters(config);
  return lockstep_factory(VerilatedSession::load(library, parameters)->factory(),
                          cycle::cycle_node_factory(parameters));
}

/// Both machines, with the same software.
class Pair {
 public:
  Pair(const MachineConfig& config, std::uint32_t ranks, const std::string& library, std::uint32_t seed)
      : expected_(config, ranks, lockstep(config, library)),
        got_(config, ranks, cycle::machine_fabric_factory()),
        slots_(expected_.topology().nodes() * expected_.topology().slots()),
        expected_memory_(slots_ * kMemoryBytes),
        asked_(slots_),
        lines_(slots_) {
    std::minstd_rand random(seed);
    for (std::byte& byte : expected_memory_) byte = static_cast<std::byte>(random() >> 8);
    got_memory_ = expected_memory_;
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      const Endpoint endpoint = expected_.topology().endpoint(slot);
      const std::size_t first = slot * kMemoryBytes;
      expected_.attach_memory(endpoint, std::span(expected_memory_).subspan(first, kMemoryBytes));
      got_.attach_memory(endpoint, std::span(got_memory_).subspan(first, kMemoryBytes));
    }
  }

  [[nodiscard]] Cycle now() const { return expected_.now(); }

  void run(const std::vector<Operation>& script) {
    for (const Operation& operation : script) {
      if (operation.settle) settle();
      for (const Access& access : operation.accesses) apply(access);
      static_cast<void>(advance(operation.advance));
    }
    settle();
    compare_memories();
  }

  /// Adds what has been compared so far.
  void report(Compared& compared) const {
    const MachineCounters counters = expected_.counters();
    compared.cycles += counters.cycles_stepped;
    compared.flit_hops += counters.flit_hops;
    compared.bus_reads += reads_;
    compared.interrupts += interrupts_;
    compared.memory_words += memory_words_;
  }

 private:
  void apply(const Access& access) {
    if (access.rank >= slots_) {
      throw std::invalid_argument("rank " + std::to_string(access.rank) + " in a machine of " + std::to_string(slots_));
    }
    const Cycle at = now() + access.delay;
    const Endpoint endpoint = expected_.topology().endpoint(access.rank);
    if (access.write) {
      expected_.bus_write(endpoint, at, access.address, access.data);
      got_.bus_write(endpoint, at, access.address, access.data);
    } else {
      asked_[access.rank].push_back(access.address);
      expected_.bus_read(endpoint, at, access.address);
      got_.bus_read(endpoint, at, access.address);
    }
  }

  void settle() {
    if (!advance(kPatience)) throw std::runtime_error("the machine does not come to rest");
  }

  /// @return whether nothing is left to happen.
  bool advance(std::uint64_t cycles) {
    const Cycle end = now() + cycles;
    while (now() < end) {
      const RunResult expected = expected_.run_until(now() + 1);
      const RunResult got = got_.run_until(got_.now() + 1);
      const Topology& topology = expected_.topology();
      if (now() != got_.now()) throw Divergence(NodeIndex{0}, "machine", "cycle", now().value, got_.now().value);
      for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
        compare(NodeIndex{node}, expected_.outputs(NodeIndex{node}), got_.outputs(NodeIndex{node}));
      }
      if (expected.quiescent != got.quiescent) {
        throw Divergence(NodeIndex{0}, "machine", "at rest", expected.quiescent, got.quiescent);
      }
      compare_reads(expected, got);
      count_interrupts();
      if (expected.quiescent) return true;
    }
    return false;
  }

  void compare_reads(const RunResult& expected, const RunResult& got) {
    if (expected.reads.size() != got.reads.size()) {
      throw Divergence(NodeIndex{0}, "machine", "bus reads", expected.reads.size(), got.reads.size());
    }
    for (std::size_t i = 0; i < expected.reads.size(); ++i) {
      const CompletedRead& read = expected.reads[i];
      const NodeIndex node = expected_.topology().index(read.endpoint.node);
      if (!(read == got.reads[i])) throw Divergence(node, "bus", "read", read.data, got.reads[i].data);
      const std::uint32_t rank = node.value * expected_.topology().slots() + read.endpoint.slot.value;
      ++reads_;
      const bool consumes = asked_[rank].front() == kQueueTail;
      asked_[rank].pop_front();
      if (consumes) apply({.rank = rank, .delay = 0, .write = true, .address = kQueueHead, .data = read.data});
    }
  }

  void count_interrupts() {
    for (std::uint32_t rank = 0; rank < slots_; ++rank) {
      const bool high = expected_.interrupt(expected_.topology().endpoint(rank));
      if (high && !lines_[rank]) ++interrupts_;
      lines_[rank] = high;
    }
  }

  void compare_memories() {
    for (std::size_t i = 0; i < expected_memory_.size(); ++i) {
      if (expected_memory_[i] == got_memory_[i]) continue;
      const auto rank = static_cast<std::uint32_t>(i / kMemoryBytes);
      throw Divergence(NodeIndex{rank / expected_.topology().slots()},
                       "memory of slot " + std::to_string(rank % expected_.topology().slots()),
                       "byte " + std::to_string(i % kMemoryBytes), std::to_integer<std::uint64_t>(expected_memory_[i]),
                       std::to_integer<std::uint64_t>(got_memory_[i]));
    }
    memory_words_ += expected_memory_.size() / 4;
  }

  Machine expected_;
  Machine got_;
  std::uint32_t slots_;
  std::vector<std::byte> expected_memory_;
  std::vector<std::byte> got_memory_;
  std::vector<std::deque<std::uint16_t>> asked_;  ///< a slot: addresses of reads without an answer
  std::vector<bool> lines_;                       ///< a slot: its interrupt line
  std::uint64_t reads_ = 0;
  std::uint64_t interrupts_ = 0;
  std::uint64_t memory_words_ = 0;
};

}  // namespace

Compared compare_machines(const MachineConfig& config, std::uint32_t ranks, const std::string& library,
                          std::uint32_t seed, const std::vector<Operation>& script) {
  Compared compared;
  Pair pair(config, ranks, library, seed);
  try {
    pair.run(script);
  } catch (const Divergence& divergence) {
    // A node diverges in the step that leads to the next cycle; whatever is seen later is not the first difference.
    compared.difference = difference_of(pair.now().value, divergence);
  }
  pair.report(compared);
  return compared;
}

Compared compare_node(const MachineConfig& config, const std::string& library, std::uint32_t node, std::uint32_t seed,
                      std::uint32_t cycles) {
  Compared compared;
  const Topology topology(config.topology);
  const NodeIndex index{node % topology.nodes()};
  const std::unique_ptr<Node> pair = lockstep(config, library)(index, topology.place(index));
  Neighbours neighbours(node_parameters(config), topology, index, seed);
  NodeInputs inputs{.ports = std::vector<PortInput>(topology.ports()),
                    .slots = std::vector<SlotInput>(topology.slots())};
  const std::uint32_t busy_cycles = cycles / 4 * 3;  // the rest lets packets end
  try {
    for (; compared.cycles < cycles; ++compared.cycles) {
      neighbours.drive(pair->outputs(), inputs, compared.cycles >= busy_cycles);
      pair->step(inputs);
      compared.flit_hops +=
          static_cast<std::uint64_t>(std::count_if(pair->outputs().ports.begin(), pair->outputs().ports.end(),
                                                   [](const auto& port) { return port.flit_valid; }));
    }
  } catch (const Divergence& divergence) {
    compared.difference = difference_of(compared.cycles + 1, divergence);
  }
  return compared;
}

}  // namespace tidings::verify
