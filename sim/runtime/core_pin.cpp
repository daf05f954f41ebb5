// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/core_pin.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

namespace tidings {
namespace {

/// A number that the system says of a core: `core_id`, or `physical_package_id`. -1 if it says none.
int topology_of(unsigned core, const std::string& name) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/" + name);
  int number = 0;
  return file >> number ? number : -1;
}

}  // namespace

CorePin::CorePin() {
  CPU_ZERO(&before_);
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE || !move(static_cast<unsigned>(core))) return;
  core_ = static_cast<unsigned>(core);
}

CorePin::~CorePin() {
  if (core_) sched_setaffinity(0, sizeof before_, &before_);
}

std::optional<unsigned> CorePin::other() const {
  if (!core_) return std::nullopt;
  const auto place = [](unsigned core) {
    return std::pair(topology_of(core, "physical_package_id"), topology_of(core, "core_id"));
  };
  const auto here = place(*core_);
  std::optional<unsigned> best;
  // Two threads of one core would slow each other down. Processors in other packages share no cache.
  std::pair<bool, bool> merits;
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    if (core == *core_ || !CPU_ISSET(core, &before_)) continue;
    const auto there = place(core);
    const std::pair offered(there != here || there.second < 0, there.first == here.first);
    if (best && offered <= merits) continue;
    best = core;
    merits = offered;
  }
  return best;
}

bool CorePin::move(unsigned core) const {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

bool CorePin::crowded(unsigned own) const {
  // Three averages, then those that want to work and a slash: proc_loadavg(5).
  std::ifstream file("/proc/loadavg");
  double averages[3];
  unsigned running = 0;
  if (!(file >> averages[0] >> averages[1] >> averages[2] >> running)) return true;
  const unsigned others = std::max(running, own) - own;
  return others + 2 > static_cast<unsigned>(CPU_COUNT(&before_));
}

}  // namespace tidings
