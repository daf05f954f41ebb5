// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file standard_streams.h
#include <fcntl.h>

#include <array>

#include "sim/runtime/file_descriptor.h"

namespace tidings {

/// While it lives, descriptors 0 to 2 are open. Where one was closed, no other file can take its number and receive
/// what a program prints; reading it, or writing to it, fails as it does on a closed one.
class StandardStreams {
 public:
  StandardStreams() {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
      if (fcntl(number, F_GETFD) >= 0) continue;
      // The lowest free number is this one; the wrong direction makes every use of it an error.
      held_[static_cast<std::size_t>(number)] =
          FileDescriptor(open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }

 private:
  std::array<FileDescriptor, 3> held_;
};

}  // namespace tidings
