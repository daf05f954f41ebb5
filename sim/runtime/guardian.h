// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file guardian.h
#include <sys/types.h>

#include "sim/runtime/file_descriptor.h"

namespace tidings {

/// A process that kills the ranks and all that they have started, should the simulator be killed. It sleeps until then.
class Guardian {
 public:
  Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
  /// Sends the guardian home; processes are left alone.
  ~Guardian();

  /// Put a process group under its care.
  void add(pid_t group);

 private:
  FileDescriptor pipe_;  ///< closed by the system when the simulator ends, however it ends
  pid_t process_ = -1;
};

}  // namespace tidings
