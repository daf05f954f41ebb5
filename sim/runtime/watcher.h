// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file watcher.h
/// Notices the end of processes while the simulator sleeps or computes.
#include <sys/types.h>

#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sim/runtime/file_descriptor.h"
#include "sim/runtime/stdin_pump.h"

namespace tidings {

/// How a process ended.
struct ProcessEnd {
  bool by_signal = false;
  int value = 0;  ///< exit status or signal
};

/// A thread that sleeps until a process ends, or until the terminal has input for the first rank.
class Watcher {
 public:
  /// @param ended called on the watcher's thread with the process's number, once its end can be asked for.
  explicit Watcher(std::function<void(std::size_t)> ended) : ended_(std::move(ended)) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  /// Kills every process that is still there, with all that it has started, and waits for them.
  ~Watcher();

  /// Take over a child process; they are numbered as they come. Before start.
  void add(pid_t pid);
  /// Begin to watch. @param pump carries the terminal's input, where that is wanted.
  void start(std::optional<StdinPump> pump);

  /// Kill a process and all that it has started.
  void kill(std::size_t process);
  /// Nothing while the process lives.
  [[nodiscard]] std::optional<ProcessEnd> end_of(std::size_t process) const;

 private:
  struct Watched {
    pid_t pid;
    FileDescriptor file;  ///< readable when the process has ended
    std::optional<ProcessEnd> end;
  };

  void watch();
  void reap(std::size_t process);

  mutable std::mutex mutex_;  ///< guards the ends in processes_
  std::vector<Watched> processes_;
  std::function<void(std::size_t)> ended_;
  std::optional<StdinPump> pump_;
  std::thread thread_;
};

}  // namespace tidings
