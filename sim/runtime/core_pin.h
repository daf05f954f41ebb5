// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file core_pin.h
#include <sched.h>

#include <optional>

namespace tidings {

/// While it lives, this thread and the processes it starts stay on the core it is on now. Simulator and ranks take
/// turns, and waking somebody on one core costs a fraction of what it costs between two. Where the system refuses,
/// nothing changes.
class CorePin {
 public:
  CorePin();
  CorePin(const CorePin&) = delete;
  CorePin& operator=(const CorePin&) = delete;
  ~CorePin();

  /// Where the processes are. Nothing where it was refused.
  [[nodiscard]] std::optional<unsigned> core() const { return core_; }
  /// The best other one for this thread: no second thread of the same core, near it. Nothing if there is none.
  [[nodiscard]] std::optional<unsigned> other() const;
  /// This thread goes to one of these cores; the processes stay. @return whether it could.
  bool move(unsigned core) const;
  /// More processes and threads of this computer want to work than this thread might use cores. @param more that do not
  /// want to yet, but count.
  [[nodiscard]] bool crowded(unsigned more) const;

 private:
  cpu_set_t before_;
  std::optional<unsigned> core_;
};

}  // namespace tidings
