// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/benchmark/machine_benchmark.h"

#include <chrono>
#include <random>
#include <stdexcept>
#include <vector>

#include "generated/mpe_pkg.h"
#include "sim/benchmark/slot_commands.h"

namespace tidings {
namespace {

constexpr std::uint64_t kWarmUp = 2000;
/// Cycles between two looks at a slot's counter of completed commands.
constexpr std::uint64_t kPoll = 100;
constexpr std::uint32_t kRootParent = mpe_pkg::kNoLink;
constexpr std::uint32_t kDoubles = 512;
/// Node memory: a source, and a region of the same size that others write to.
constexpr std::uint32_t kBlock = 4096;
constexpr std::uint32_t kRegion = 0;

/// Keeps the queue of one kind of commands filled in every slot.
class Load {
 public:
  Load(Machine& machine, BenchmarkLoad load)
      : machine_(machine),
        load_(load),
        ranks_(machine.topology().endpoints()),
        memory_(std::size_t{ranks_} * 2 * kBlock) {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const Endpoint endpoint = machine.topology().endpoint(rank);
      machine.attach_memory(endpoint, std::span(memory_).subspan(std::size_t{rank} * 2 * kBlock, 2 * kBlock));
      slots_.push_back({.commands = SlotCommands(machine, endpoint)});
      slots_.back().commands.register_region(Cycle{0}, kRegion, kBlock, kBlock, true, true);
    }
    if (load == BenchmarkLoad::kAllreduce) set_tree();
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) refill(rank, 0);
  }

  /// Serve all slots until the machine has come to `end`.
  void run(Cycle end) {
    while (machine_.now() < end) {
      const RunResult result = machine_.run_until(end);
      for (const CompletedRead& read : result.reads) {
        refill(machine_.topology().number(read.endpoint), read.data);
      }
      if (result.quiescent) throw std::runtime_error("the machine has stopped under load");
    }
  }

 private:
  struct Slot {
    SlotCommands commands;
    std::uint32_t issued = 0;
  };

  /// Links 0 and 1 lead to the children of a binary tree, link 2 to the parent.
  void set_tree() {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      for (std::uint32_t child = 0; child < 2; ++child) {
        const std::uint32_t other = 2 * rank + 1 + child;
        if (other >= ranks_) continue;
        slots_[rank].commands.tree_link(Cycle{0}, child, slots_[other].commands.endpoint(), 2);
        slots_[other].commands.tree_link(Cycle{0}, 2, slots_[rank].commands.endpoint(), child);
      }
    }
  }

  void refill(std::uint32_t rank, std::uint32_t completed) {
    const bool collective = load_ == BenchmarkLoad::kAllreduce;
    const std::uint32_t depth = collective ? 2 : machine_.config().node.rma_command_depth;
    Slot& slot = slots_[rank];
    for (; slot.issued - completed < depth; ++slot.issued) issue(rank);
    slot.commands.read(machine_.now() + kPoll,
                       collective ? registers::MpeCompleted::kAddress : registers::RmaCompleted::kAddress);
  }

  void issue(std::uint32_t rank) {
    SlotCommands& commands = slots_[rank].commands;
    const Cycle now = machine_.now();
    switch (load_) {
      case BenchmarkLoad::kNeighbour:
        commands.put(now, machine_.topology().endpoint((rank + 1) % ranks_), 0, kRegion, 0, kBlock);
        break;
      case BenchmarkLoad::kUniform: {
        const auto to = static_cast<std::uint32_t>(random_() % ranks_);
        commands.put(now, machine_.topology().endpoint(to), 0, kRegion, 0, kBlock / 4);
        break;
      }
      case BenchmarkLoad::kAllreduce: {
        const std::uint32_t children = (2 * rank + 1 < ranks_ ? 1U : 0U) | (2 * rank + 2 < ranks_ ? 2U : 0U);
        commands.collective(now, tidings_pkg::Collective::kAllreduce, tidings_pkg::Element::kDouble,
                            rank == 0 ? kRootParent : 2, children, 0, kBlock, kDoubles);
        break;
      }
    }
  }

  Machine& machine_;
  BenchmarkLoad load_;
  std::uint32_t ranks_;
  std::vector<std::byte> memory_;
  std::vector<Slot> slots_;
  std::mt19937 random_{1};
};

}  // namespace

std::string name_of(BenchmarkLoad load) {
  switch (load) {
    case BenchmarkLoad::kNeighbour:
      return "neighbour";
    case BenchmarkLoad::kUniform:
      return "uniform";
    case BenchmarkLoad::kAllreduce:
      return "allreduce";
  }
  throw std::invalid_argument("no such load: " + std::to_string(static_cast<int>(load)));
}

BenchmarkResult benchmark_machine(Machine& machine, BenchmarkLoad load, std::uint64_t cycles) {
  Load driver(machine, load);
  driver.run(machine.now() + kWarmUp);
  const MachineCounters before = machine.counters();
  const auto begin = std::chrono::steady_clock::now();
  driver.run(machine.now() + cycles);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const MachineCounters after = machine.counters();
  return {.cycles = after.cycles_stepped - before.cycles_stepped,
          .node_evaluations = after.node_evaluations - before.node_evaluations,
          .flit_hops = after.flit_hops - before.flit_hops,
          .seconds = elapsed.count()};
}

}  // namespace tidings
