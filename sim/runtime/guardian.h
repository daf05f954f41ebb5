// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file guardian.h
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/runtime/file_descriptor.h"

namespace tidings {

/// How a process ended.
struct ProcessEnd {
  bool by_signal = false;
  int value = 0;  ///< exit status or signal
};

/// A process between this one and the processes it starts. Orphans among their descendants become its children, so
/// it can end all of them, whatever sessions and groups they have made: when this object goes, and when this process
/// is killed.
class Guardian {
 public:
  /// The end of one process.
  struct Report {
    std::uint32_t process;
    ProcessEnd end;
  };

  /// Start the guardian and, as its children, `processes` processes, each in a process group of its own, with the
  /// default signals, and killed with the guardian.
  /// @param become called in each child with its number; must replace or end the process. Only async-signal-safe
  ///   functions may be called in it.
  /// @throws std::system_error if the system refuses a process; those started before it are killed.
  Guardian(std::uint32_t processes, const std::function<void(std::uint32_t)>& become);
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
  /// Kills all processes and their descendants, and waits for them.
  ~Guardian();

  /// Kill a process and its group, unless it has ended.
  void kill(std::uint32_t process);
  /// Kill all processes and their descendants, and let the guardian end when none is left.
  void end() { control_.close(); }

  /// Readable if `next` does not block.
  [[nodiscard]] int file() const { return reports_.get(); }
  /// Wait for the end of a process. @return nothing after `end`, or if the guardian was killed.
  [[nodiscard]] std::optional<Report> next();

 private:
  FileDescriptor control_;  ///< numbers of processes to kill; closed by the system if this process is killed
  FileDescriptor reports_;
  pid_t process_ = -1;
};

}  // namespace tidings
