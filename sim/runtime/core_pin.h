// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file core_pin.h
#include <sched.h>

#include <optional>

namespace tidings {

/// While it lives, this thread and the processes it starts stay on the core it is on now. Simulator and ranks take
/// turns, and a hand-over on one core costs a fraction of one between two. Where the system refuses, nothing changes.
class CorePin {
 public:
  CorePin() {
    CPU_ZERO(&before_);
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    const int core = sched_getcpu();
    if (core < 0 || core >= CPU_SETSIZE) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(core), &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) core_ = static_cast<unsigned>(core);
  }
  CorePin(const CorePin&) = delete;
  CorePin& operator=(const CorePin&) = delete;
  /// Nothing where it was refused.
  [[nodiscard]] std::optional<unsigned> core() const { return core_; }
  ~CorePin() {
    if (core_) sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_;
  std::optional<unsigned> core_;
};

}  // namespace tidings
