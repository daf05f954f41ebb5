// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/bus_calendar.h"

#include <algorithm>
#include <utility>

namespace tidings {

void BusCalendar::push(std::size_t slot, Cycle at, Cycle now, const BusRequest& request) {
  queues_[slot].push_back({.at = std::max(at, now), .request = request});
  if (queues_[slot].size() == 1) schedule(slot);
  if (!request.write && std::ranges::find(readers_, slot) == readers_.end()) readers_.push_back(slot);
}

void BusCalendar::swap(std::size_t slot, BusCalendar& other, std::size_t others_slot) {
  std::swap(queues_[slot], other.queues_[others_slot]);
  std::swap(free_from_[slot], other.free_from_[others_slot]);
}

void BusCalendar::find_due() {
  due_ = {};
  readers_.clear();
  for (std::size_t slot = 0; slot < queues_.size(); ++slot) {
    if (!queues_[slot].empty()) schedule(slot);
    if (std::ranges::any_of(queues_[slot], [](const Entry& entry) { return !entry.request.write; }))
      readers_.push_back(slot);
  }
}

template <typename Use>
void BusCalendar::each_first_read(Use&& use) const {
  for (const std::size_t slot : readers_) {
    Cycle free = free_from_[slot];
    for (const Entry& entry : queues_[slot]) {
      const Cycle due = std::max(entry.at, free);
      free = due + 1;
      if (entry.request.write) continue;
      use(due);
      break;
    }
  }
}

std::optional<Cycle> BusCalendar::next_read() const {
  std::optional<Cycle> first;
  each_first_read([&first](Cycle due) {
    if (!first || due < *first) first = due;
  });
  return first;
}

std::optional<Cycle> BusCalendar::last_read(Cycle end) const {
  std::optional<Cycle> last;
  each_first_read([&last, end](Cycle due) {
    if (due <= end && (!last || due > *last)) last = due;
  });
  return last;
}

std::optional<BusCalendar::Operation> BusCalendar::take(Cycle cycle) {
  if (due_.empty() || due_.top().cycle != cycle) return std::nullopt;
  const std::size_t slot = due_.top().slot;
  due_.pop();
  const Operation operation{.slot = slot, .request = queues_[slot].front().request};
  queues_[slot].pop_front();
  free_from_[slot] = cycle + 1;
  if (!queues_[slot].empty()) schedule(slot);
  if (!operation.request.write &&
      std::ranges::none_of(queues_[slot], [](const Entry& entry) { return !entry.request.write; })) {
    std::erase(readers_, slot);
  }
  return operation;
}

void BusCalendar::schedule(std::size_t slot) {
  due_.push({.cycle = std::max(queues_[slot].front().at, free_from_[slot]), .slot = slot});
}

}  // namespace tidings
