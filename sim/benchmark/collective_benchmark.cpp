// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/benchmark/collective_benchmark.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "generated/engines.h"
#include "generated/registers.h"
#include "sim/benchmark/vector_memory.h"
#include "sim/machine/machine.h"

namespace tidings {
namespace {

/// The first of the writes of a command, the last of which starts it. Tables have been loaded by then.
constexpr Cycle kFirstWrite{96};
constexpr Cycle kBegin = kFirstWrite + 4;
/// Commands that an engine takes: one under way, two in its queue.
constexpr std::uint32_t kCommandDepth = 3;
constexpr std::uint32_t kDone = registers::IrqStatus{.done = engine_bit(tidings_pkg::Engine::kMpe)}.encode();
/// Cycles between two reports of how far it is.
constexpr std::uint64_t kReport = 50'000;

/// Serves the slots of all ranks as their processors would, without taking time for it.
class Ranks {
 public:
  Ranks(const MachineConfig& config, const FabricFactory& factory, const CollectivePlan& plan)
      : plan_(plan),
        halves_(plan.vectors > 1 ? VectorMemory::kHalves : 1),
        memory_(ranks(), plan.element, plan.count, halves_),
        machine_(config, ranks(), factory) {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      const Endpoint endpoint = machine_.topology().endpoint(rank);
      machine_.attach_memory(endpoint, memory_.of(rank));
      slots_.push_back({.commands = SlotCommands(machine_, endpoint)});
      slots_.back().commands.enable_interrupts(Cycle{0}, kDone);
    }
    for (const CollectiveLink& link : plan.links) {
      slots_.at(link.rank).commands.tree_link(Cycle{0}, link.number, slots_.at(link.neighbour).commands.endpoint(),
                                              link.peer_number, link.direct);
    }
  }

  CollectiveTimes run() {
    CollectiveTimes times{.done = std::vector<std::uint64_t>(plan_.vectors, 0)};
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      refill(rank, kFirstWrite);
      machine_.watch(slots_[rank].commands.endpoint(), Cycle{0});
    }
    std::uint32_t unfinished = ranks();
    while (unfinished > 0) {
      const RunResult result = machine_.run_until(machine_.now() + kReport);
      for (const Endpoint& endpoint : result.interrupts) {
        // Cleared before the count is read, so that nothing is missed.
        Slot& slot = slots_[rank_of(endpoint)];
        slot.risen = machine_.now();
        slot.commands.clear_interrupts(machine_.now(), kDone);
        slot.commands.read(machine_.now(), registers::MpeCompleted::kAddress);
      }
      for (const CompletedRead& read : result.reads) {
        const std::uint32_t rank = rank_of(read.endpoint);
        if (complete(rank, read, times)) --unfinished;
      }
      if (result.quiescent && unfinished > 0) {
        throw std::runtime_error("the collective never ends at ranks " + unfinished_ranks());
      }
      if (plan_.progress) plan_.progress(machine_.now().value);
    }
    times.flit_hops = machine_.counters().flit_hops;
    return times;
  }

  void check() const {
    using Content = VectorMemory::Content;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      const bool is_root = rank == plan_.root;
      Content content = Content::kUntouched;
      if (plan_.operation == tidings_pkg::Collective::kBroadcast && !is_root) content = Content::kVectorOfRoot;
      if (plan_.operation == tidings_pkg::Collective::kReduce && is_root) content = Content::kSum;
      if (plan_.operation == tidings_pkg::Collective::kAllreduce) content = Content::kSum;
      memory_.check(rank, content, plan_.root);
    }
  }

 private:
  struct Slot {
    SlotCommands commands;
    std::uint32_t issued = 0;
    std::uint32_t completed = 0;
    Cycle risen{};  ///< when the interrupt line went high
  };

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(plan_.ways.size()); }

  [[nodiscard]] std::uint32_t rank_of(Endpoint endpoint) const { return machine_.topology().number(endpoint); }

  void refill(std::uint32_t rank, Cycle at) {
    Slot& slot = slots_[rank];
    const CollectiveWay& way = plan_.ways[rank];
    for (; slot.issued < plan_.vectors && slot.issued - slot.completed < kCommandDepth; ++slot.issued) {
      const std::uint32_t half = slot.issued % halves_;
      const std::uint32_t source = memory_.source(half);
      const std::uint32_t destination = memory_.destination(half);
      if (plan_.exchange) {
        slot.commands.exchange(at, plan_.operation, plan_.element, way.children, source, destination, plan_.count,
                               way.swap);
      } else {
        slot.commands.collective(at, plan_.operation, plan_.element, way.parent, way.children, source, destination,
                                 plan_.count);
      }
    }
  }

  /// @return whether the rank has completed its last collective.
  bool complete(std::uint32_t rank, const CompletedRead& read, CollectiveTimes& times) {
    Slot& slot = slots_[rank];
    // What came after the first is known when it was read. It raises the line once more, and then nothing is new.
    for (Cycle at = slot.risen; slot.completed < read.data; ++slot.completed, at = read.cycle) {
      std::uint64_t& done = times.done.at(slot.completed);
      done = std::max(done, at - kBegin);
    }
    refill(rank, machine_.now());
    if (slot.completed == plan_.vectors) return true;
    machine_.watch(slot.commands.endpoint(), machine_.now());
    return false;
  }

  [[nodiscard]] std::string unfinished_ranks() const {
    std::string names;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      if (slots_[rank].completed < plan_.vectors) names += (names.empty() ? "" : ", ") + std::to_string(rank);
    }
    return names;
  }

  const CollectivePlan& plan_;
  std::uint32_t halves_;
  VectorMemory memory_;
  Machine machine_;
  std::vector<Slot> slots_;
};

}  // namespace

CollectiveTimes benchmark_collective(const MachineConfig& config, const FabricFactory& factory,
                                     const CollectivePlan& plan) {
  if (plan.ways.size() < 2) throw std::invalid_argument("a collective needs at least 2 ranks");
  if (plan.vectors == 0) throw std::invalid_argument("a stream needs at least 1 vector");
  Ranks ranks(config, factory, plan);
  CollectiveTimes times = ranks.run();
  if (plan.operation != tidings_pkg::Collective::kBarrier) ranks.check();
  return times;
}

std::uint64_t benchmark_wires(const MachineConfig& config, const FabricFactory& factory,
                              const std::vector<std::uint64_t>& mates) {
  constexpr std::uint32_t kReleased =
      registers::IrqStatus{.waiting = engine_bit(tidings_pkg::Engine::kBarrier)}.encode();
  const auto ranks = static_cast<std::uint32_t>(mates.size());
  if (ranks < 2) throw std::invalid_argument("a barrier needs at least 2 ranks");
  Machine machine(config, ranks, factory);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    SlotCommands slot(machine, machine.topology().endpoint(rank));
    slot.enable_interrupts(Cycle{0}, kReleased);
    slot.join_barrier(Cycle{0}, 0, mates[rank]);
    slot.enable_barriers(Cycle{0}, 1);
    slot.arrive(kBegin);
    machine.watch(slot.endpoint(), Cycle{0});
  }
  for (std::uint32_t released = 0; released < ranks;) {
    const RunResult result = machine.run_until(machine.now() + kReport);
    released += static_cast<std::uint32_t>(result.interrupts.size());
    if (result.quiescent && released < ranks) {
      throw std::runtime_error("the barrier never ends at " + std::to_string(ranks - released) + " ranks");
    }
  }
  return machine.now() - kBegin;
}

}  // namespace tidings
