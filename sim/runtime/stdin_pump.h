// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file stdin_pump.h
#include <poll.h>

#include <string>
#include <vector>

#include "sim/runtime/file_descriptor.h"

namespace tidings {

/// Carries the terminal's input to the first rank. A rank is in a process group of its own, and a terminal
/// stops such a process when it reads.
class StdinPump {
 public:
  /// @param source where to read; not owned. @param sink the writing end of the rank's pipe, non-blocking.
  StdinPump(int source, FileDescriptor sink) : source_(source), sink_(std::move(sink)) {}

  /// What to poll for next: input while nothing is held, room while something is; fd -1 at the end.
  [[nodiscard]] pollfd interest() const;
  /// The descriptor is ready: move what there is.
  void move();

 private:
  int source_;
  FileDescriptor sink_;
  std::string held_;
};

}  // namespace tidings
