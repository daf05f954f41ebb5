// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file machine.h
/// A fabric of nodes with its clock, the processors' buses and the nodes' memories.
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "sim/machine/clock.h"
#include "sim/machine/domain.h"
#include "sim/machine/fabric.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"
#include "sim/machine/node_fabric.h"
#include "sim/machine/node_memory.h"
#include "sim/machine/thread_team.h"
#include "sim/machine/topology.h"
#include "sim/machine/types.h"

namespace tidings {

/// Sees every cycle that is simulated: waveforms, traces, checks.
class CycleObserver {
 public:
  CycleObserver() = default;
  CycleObserver(const CycleObserver&) = delete;
  CycleObserver& operator=(const CycleObserver&) = delete;
  virtual ~CycleObserver() = default;

  /// Inputs of `cycle` are on the wires of all nodes (one entry a node); the edge that ends it is next.
  virtual void before_edge(Cycle cycle, std::span<const NodeInputs> inputs) = 0;
  /// All nodes show their outputs of `cycle` (the one after that of before_edge).
  virtual void after_edge(Cycle cycle) = 0;
};

/// A bus read that has been answered.
struct CompletedRead {
  Endpoint endpoint;
  std::uint32_t data = 0;
  Cycle cycle;  ///< in which the answer was on the bus
  bool operator==(const CompletedRead&) const = default;
};

/// Why Machine::run_until came back, as of Machine::now().
struct RunResult {
  std::vector<CompletedRead> reads;  ///< by cycle, the first in now(); those of a cycle in endpoint order
  std::vector<Endpoint> interrupts;  ///< watched lines that are high, in endpoint order; they are watched no longer
  /// Nothing will ever happen without new bus operations. The runtime takes this for a deadlock where all ranks wait.
  bool quiescent = false;
};

/// How much work the machine has done.
struct MachineCounters {
  std::uint64_t cycles_stepped = 0;  ///< in which at least one node was evaluated
  std::uint64_t cycles_skipped = 0;
  std::uint64_t cycles_at_once = 0;  ///< of all parts: stepped with others that are alike (Fabric::step_steadily)
  std::uint64_t node_evaluations = 0;
  std::uint64_t flit_hops = 0;  ///< flits that entered a link
};

/// A machine whose fabric has several parts (always, or while much happens: `use_threads`) simulates them in threads,
/// each up to a look-ahead further than it is asked to, and shows what happened in its order: results, counters and
/// memories are those of one part. While little happens, one thread does all parts: handing them over would take
/// longer.
///
/// Look-ahead ends before anything could depend on what another part or a processor does meanwhile:
///  - what leaves a part arrives in another one a link's latency later at the soonest;
///  - a bus read is answered two cycles after it is on the bus, and a processor that blocks on it reacts to the answer
///  the time of a bus operation later (`react_after`);
///  - a watched line counts from a known cycle on, and a processor that has slept since then reacts to it the time of
///  an
///    interrupt later (ProcessorConfig::interrupt_ps), so until then none of its bus operations can come.
/// Answers that come so soon after another that no processor reacts to the first before the last one are all handed
/// over at the first one's time, with a fabric of one part, too: to let processors go on one by one takes longer.
///
/// A processor that looks into node memory without having been told that something is there may see what comes within
/// the look-ahead. Where a run ends by a failure, counters may be of up to a look-ahead more.
class Machine {
 public:
  using Stepping = NodeFabric::Stepping;

  /// @param ranks the machine is cut to the smallest box that holds them (Topology).
  /// @throws std::invalid_argument where the configuration is not valid.
  Machine(const MachineConfig& config, std::uint32_t ranks, const FabricFactory& factory);
  /// A machine of any nodes.
  Machine(const MachineConfig& config, std::uint32_t ranks, const NodeFactory& factory,
          Stepping stepping = Stepping::kActiveNodes);

  [[nodiscard]] const MachineConfig& config() const { return config_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] MachineCounters counters() const;
  /// Flits that have entered the link at each network port so far: node * ports of a router + port. A look-ahead is in
  /// it.
  void link_flits(std::vector<std::uint64_t>& counts) const;

  /// The cycle whose outputs show; all before it are over.
  [[nodiscard]] Cycle now() const { return now_; }
  [[nodiscard]] Picoseconds time_of(Cycle cycle) const { return clock_.time_of(cycle); }
  [[nodiscard]] Cycle first_cycle_at_or_after(Picoseconds time) const { return clock_.first_cycle_at_or_after(time); }

  /// Give a slot its node memory. Engine address 0 is its first byte; it must outlive the machine.
  void attach_memory(Endpoint endpoint, std::span<std::byte> memory);
  /// A processor works on the memory of a slot until `release_memories`: an engine that is to read or write there calls
  /// `wait` first, in the thread that calls `run_until`. So the machine can advance meanwhile.
  /// @param wait returns when the processor no longer works on the memory; it must last until `release_memories`.
  void hold_memory(Endpoint endpoint, const std::function<void(Endpoint)>& wait);
  /// All that are held.
  void release_memories();
  /// From now on, what processors do after the answer to a bus read comes as many cycles later at the soonest; 0 at
  /// first.
  void react_after(std::uint64_t cycles) { reaction_ = cycles; }
  /// At most one, not owned; null takes it away.
  /// @throws std::logic_error where the fabric has several parts.
  void observe(CycleObserver* observer);

  /// How much has to happen for parts to be better than a whole, which takes fewer instructions.
  struct WorthParts {
    std::uint64_t evaluations = 1'600;  ///< of nodes in a look-ahead, on average
    /// Cycles stepped from one choice to the next: some times as much work as a change.
    std::uint64_t cycles = 4'096;
  };
  /// From now on, several threads simulate the machine while much happens in it. Its fabric is a whole by now.
  /// @param parts makes a fabric of several parts, with nodes of the same kind.
  void use_threads(FabricFactory parts, WorthParts worth) {
    parts_ = std::move(parts);
    worth_ = worth;
    cores_ = ThreadTeam::usable_cores();
  }
  /// The thread that calls `run_until` stays on this core: other threads of the machine leave it alone.
  /// @param yields ranks are on the core of one of those.
  void keep_off(unsigned core, bool yields) {
    kept_off_ = {{core, yields}};
    if (team_) team_->keep_off(core, yields);
  }
  /// Parts in which the machine is simulated now.
  [[nodiscard]] std::size_t parts() const { return division_.domains.size(); }

  /// Queue an access to a slot's registers: in order, one a cycle, in the first cycle from `at` on.
  void bus_write(Endpoint endpoint, Cycle at, std::uint16_t address, std::uint32_t data);
  void bus_read(Endpoint endpoint, Cycle at, std::uint16_t address);
  /// The interrupt line of a slot in cycle now().
  [[nodiscard]] bool interrupt(Endpoint endpoint) const { return lines_[slot_index(endpoint)]; }

  /// Have `run_until` come back when the interrupt line of a slot is high, in cycle `from` or later.
  void watch(Endpoint endpoint, Cycle from);

  /// Advance until, whichever is first: at least one bus read has been answered; a watched line is high; now() is
  /// `limit`; nothing will ever happen. Idle time is jumped over. Returns at once where a watched line is high now.
  /// @throws MemoryAccessError if an engine reaches outside its memory.
  [[nodiscard]] RunResult run_until(Cycle limit);

  /// Outputs of a node in cycle now(), for traces and checks. Valid until the machine advances.
  /// Not for a fabric of several parts.
  [[nodiscard]] const NodeOutputs& outputs(NodeIndex node) const {
    return division_.domains[0].fabric().outputs(node, now_);
  }

 private:
  /// Where a slot is.
  struct Place {
    std::uint32_t domain;
    std::uint32_t slot;  ///< within the domain
  };

  /// All that is simulated, in one domain or several.
  struct Division {
    std::vector<Domain> domains;
    std::vector<Place> places;             ///< a slot: node * slots + slot
    std::vector<std::size_t> first_slots;  ///< a domain
  };

  [[nodiscard]] Division divide(const FabricFactory& factory) const;
  /// Go on as a whole or in parts, whichever is better for what happened lately, as soon as nothing is on its way.
  void choose_division();
  void change_division();
  /// Threads for the parts, if there are several for the first time.
  void make_team();
  [[nodiscard]] std::size_t slot_index(Endpoint endpoint) const;
  void push(Endpoint endpoint, Cycle at, const BusRequest& request);
  /// Make what has been simulated up to now_ visible.
  void publish(RunResult& result);
  /// Find high_from_.
  void find_first_high();
  /// Stop watching the lines that are high and count.
  void take_interrupts(RunResult& result);
  /// `limit`, or an earlier cycle in which a watched line begins to count.
  [[nodiscard]] Cycle next_stop(Cycle limit);
  [[nodiscard]] bool busy() const;
  /// The next cycle in which anything arrives at a node.
  [[nodiscard]] std::optional<Cycle> next_arrival() const;
  /// The last cycle of known answers to which the processor that gets the answer in cycle `first` has not reacted yet.
  [[nodiscard]] Cycle last_answer(Cycle first) const;
  /// Simulate at least one cycle from ahead_ on, and none from `end` on.
  void advance(Cycle end);
  void advance_one_domain(Cycle end);
  void advance_domains(Cycle end);
  [[nodiscard]] std::uint64_t node_evaluations() const;

  MachineConfig config_;
  Topology topology_;
  Clock clock_;
  Division division_;
  Division resting_;     ///< its nodes are those of nobody; empty until it is needed
  FabricFactory parts_;  ///< makes those of `use_threads`; may be empty
  WorthParts worth_;
  bool apart_ = false;                                 ///< parts are better than a whole
  std::uint64_t chosen_at_ = 0;                        ///< cycles stepped when that was found
  std::uint64_t evaluations_ = 0;                      ///< of nodes by then
  std::uint64_t look_ahead_ = 1;                       ///< cycles; of several domains
  std::uint64_t reaction_ = 0;                         ///< cycles
  cpu_set_t cores_ = ThreadTeam::usable_cores();       ///< for the team
  std::unique_ptr<ThreadTeam> team_;                   ///< where there are several domains
  std::optional<std::pair<unsigned, bool>> kept_off_;  ///< what `keep_off` was told
  std::vector<std::size_t> held_;                      ///< slots whose memory is held
  std::uint64_t busy_nodes_ = 0;                       ///< per cycle of the last look-ahead, rounded up
  Cycle now_;
  Cycle ahead_;                         ///< what has been simulated: now_ or later
  std::deque<Domain::Change> changes_;  ///< of interrupt lines, between now_ and ahead_; slots of the machine
  std::deque<Domain::Read> reads_;      ///< likewise
  std::exception_ptr failure_;          ///< thrown when now_ gets to ahead_
  std::vector<bool> lines_;             ///< interrupt lines in now_
  std::vector<bool> watched_;           ///< lines that someone waits for
  std::vector<Cycle> watched_from_;     ///< by slots: when a watched line begins to count
  std::vector<std::size_t> high_;       ///< watched slots whose line is high, in rising order
  Cycle high_from_ = Cycle::max();      ///< when the first of these counts
  /// From when on watched slots count, and which; some of them no longer do.
  std::priority_queue<std::pair<Cycle, std::size_t>, std::vector<std::pair<Cycle, std::size_t>>, std::greater<>> early_;
  bool skips_idle_time_ = true;
  std::uint64_t cycles_stepped_ = 0;
  std::uint64_t cycles_skipped_ = 0;
  CycleObserver* observer_ = nullptr;
};

}  // namespace tidings
