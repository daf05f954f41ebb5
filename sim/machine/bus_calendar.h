// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file bus_calendar.h
/// Bus operations that wait for their cycle.
#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <vector>

#include "sim/machine/node.h"
#include "sim/machine/types.h"

namespace tidings {

/// The queues of all slots' buses: each in order, one operation per cycle and slot, in the first cycle from its stamp
/// on.
class BusCalendar {
 public:
  struct Operation {
    std::size_t slot;
    BusRequest request;
  };

  explicit BusCalendar(std::size_t slots) : queues_(slots), free_from_(slots) {}

  /// @param now the current cycle: nothing can happen before it.
  void push(std::size_t slot, Cycle at, Cycle now, const BusRequest& request);

  /// Swap what a slot's bus has to do with one of another calendar. `find_due` of both follows.
  void swap(std::size_t slot, BusCalendar& other, std::size_t others_slot);
  /// Look anew for what is due.
  void find_due();

  /// When the next operation is due.
  [[nodiscard]] std::optional<Cycle> next() const {
    if (due_.empty()) return std::nullopt;
    return due_.top().cycle;
  }
  /// When the first read is due.
  [[nodiscard]] std::optional<Cycle> next_read() const;
  /// When the last of those reads is due that are each the first in its slot's queue and due by `end`.
  [[nodiscard]] std::optional<Cycle> last_read(Cycle end) const;
  /// Take an operation due in `cycle`, lowest slot first; nothing if there is none left.
  [[nodiscard]] std::optional<Operation> take(Cycle cycle);

 private:
  struct Entry {
    Cycle at;
    BusRequest request;
  };
  /// The first operation of one slot's queue.
  struct Due {
    Cycle cycle;
    std::size_t slot;
    auto operator<=>(const Due&) const = default;
  };

  void schedule(std::size_t slot);
  /// Calls `use(cycle)` for the first read in each slot's queue.
  template <typename Use>
  void each_first_read(Use&& use) const;

  std::vector<std::deque<Entry>> queues_;
  std::vector<std::size_t> readers_;  ///< slots with a read in their queue
  std::vector<Cycle> free_from_;      ///< a slot: the first cycle in which its bus is free
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace tidings
