// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file watcher.h
/// Notices the end of processes while the simulator sleeps or computes.
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sim/runtime/guardian.h"
#include "sim/runtime/stdin_pump.h"

namespace tidings {

/// A thread that sleeps until a process ends, the terminal has input for the first rank, or a period is over.
class Watcher {
 public:
  /// @param guardian of the processes; outlives this.
  /// @param ended called on the watcher's thread with the process's number, once its end can be asked for.
  /// @param pump carries the terminal's input, where that is wanted.
  /// @param look called on that thread too, at least once in each `period`.
  Watcher(Guardian& guardian, std::uint32_t processes, std::function<void(std::uint32_t)> ended,
          std::optional<StdinPump> pump, std::chrono::milliseconds period, std::function<void()> look);
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  /// Kills every process that is still there, with all that it has started, and waits for them.
  ~Watcher();

  /// Nothing while the process lives.
  [[nodiscard]] std::optional<ProcessEnd> end_of(std::uint32_t process) const;

 private:
  void watch();
  void note(std::uint32_t process, ProcessEnd end);

  Guardian& guardian_;
  mutable std::mutex mutex_;  ///< guards ends_
  std::vector<std::optional<ProcessEnd>> ends_;
  std::function<void(std::uint32_t)> ended_;
  std::optional<StdinPump> pump_;
  std::chrono::milliseconds period_;
  std::function<void()> look_;
  std::thread thread_;
};

}  // namespace tidings
