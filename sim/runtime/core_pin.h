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
  /// Others on this computer leave fewer than two of the cores that this thread might use.
  /// @param own this thread and all others of the run that may want to work now.
  [[nodiscard]] bool crowded(unsigned own) const;

 private:
  cpu_set_t before_;
  std::optional<unsigned> core_;
};

}  // namespace tidings
