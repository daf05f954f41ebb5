// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file domain.h
/// A part of a machine that advances by itself: nodes, their processors' buses and their memories.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/machine/bus_calendar.h"
#include "sim/machine/fabric.h"
#include "sim/machine/index_set.h"
#include "sim/machine/memory_port.h"
#include "sim/machine/types.h"

namespace tidings {

/// Slots are numbered as in the fabric. Domains that advance side by side share no cache line.
class alignas(128) Domain {
 public:
  /// A bus read that has been answered.
  struct Read {
    Cycle cycle;  ///< in which the answer was on the bus
    std::size_t slot;
    std::uint32_t data;
  };
  /// An interrupt line has changed.
  struct Change {
    Cycle cycle;  ///< the first in which it shows
    std::size_t slot;
    bool high;
  };

  /// @param endpoints of the fabric's slots.
  Domain(std::unique_ptr<Fabric> fabric, std::span<const Endpoint> endpoints, std::uint32_t memory_latency);

  [[nodiscard]] Fabric& fabric() { return *fabric_; }
  [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
  [[nodiscard]] std::size_t slots() const { return memories_.size(); }
  [[nodiscard]] MemoryPort& memory(std::size_t slot) { return memories_[slot]; }
  void push(std::size_t slot, Cycle at, Cycle now, const BusRequest& request) { bus_.push(slot, at, now, request); }

  [[nodiscard]] bool busy() const { return busy_; }
  /// The next cycle in which anything arrives at a node.
  [[nodiscard]] std::optional<Cycle> next_arrival() const;
  /// The next cycle in which a bus read that is known by now is answered.
  [[nodiscard]] std::optional<Cycle> next_answer() const;
  /// The last of the cycles up to `end` in which such a read is answered; `otherwise` if none is. A slot waits for one
  /// answer at a time.
  [[nodiscard]] Cycle last_answer(Cycle end, Cycle otherwise) const;

  /// Give the slots what comes from buses and memories in `cycle`.
  void deliver(Cycle cycle) {
    if (!reading_.empty() || bus_.next() == cycle) deliver_what_is_due(cycle);
  }
  /// The clock edge that ends `cycle`, after `deliver`, and what shows in the next cycle.
  /// @throws MemoryAccessError if an engine reaches outside its memory.
  void step(Cycle cycle);
  /// The same for as many cycles from `first` on, and before `end`, as the fabric can step at once.
  /// @return how many; nothing has come up in them.
  std::uint64_t step_steadily(Cycle first, Cycle end) { return may_be_steady_ ? look_for_steady(first, end) : 0; }
  /// All of these so far.
  [[nodiscard]] std::uint64_t cycles_at_once() const { return cycles_at_once_; }
  /// `deliver` and `step` in every cycle from `first` to before `end` in which anything happens. Never throws: see
  /// `failure`.
  void run(Cycle first, Cycle end);
  /// Take what has left other domains for this one: see Fabric.
  void exchange() { fabric_->exchange(); }

  /// Nothing is on its way to any node but bus operations, and nothing comes up: slots and nodes may be swapped.
  [[nodiscard]] bool settled() const { return fabric_->settled() && answers_.empty() && reading_.empty(); }
  /// Swap a slot's bus, memory and interrupt line with those of another domain's slot. Both domains are settled, and
  /// `find_due` of both follows.
  void swap(std::size_t slot, Domain& other, std::size_t others_slot);
  void find_due() {
    bus_.find_due();
    busy_ = fabric_->busy();
  }

  /// What came up since it was cleared, in order of cycles.
  std::vector<Read> reads;
  std::vector<Change> changes;
  std::vector<Cycle> stepped;  ///< by `run`
  /// What ended `run`, in the cycle that `stepped` has last.
  std::exception_ptr failure;

 private:
  void note_reading(std::size_t slot) {
    if (memories_[slot].empty()) {
      reading_.erase(slot);
    } else {
      reading_.insert(slot);
    }
  }
  std::uint64_t look_for_steady(Cycle first, Cycle end);
  void deliver_what_is_due(Cycle cycle);
  void collect(std::size_t slot, Cycle cycle);

  std::unique_ptr<Fabric> fabric_;
  bool busy_;                   ///< as the fabric, which has done its last step
  bool may_be_steady_ = false;  ///< likewise
  BusCalendar bus_;
  std::deque<Cycle> answers_;               ///< of reads that are on the bus
  std::vector<const SlotOutput*> outputs_;  ///< of the fabric's slots
  std::vector<MemoryPort> memories_;
  IndexSet<std::size_t> reading_;  ///< slots to which something comes from their memories
  std::uint64_t cycles_at_once_ = 0;
  std::vector<std::uint8_t> lines_;  ///< interrupts that are high: 1
};

}  // namespace tidings
