// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file guarded_command.h
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/runtime/guardian.h"

namespace tidings {

/// A command that ends with this object, together with all that it has started, and also if this process is killed.
class GuardedCommand {
 public:
  /// @param arguments the program, found as a shell would, and its arguments.
  /// @param environment all of it.
  /// @param output the descriptor to become its standard output and error. Its input is empty.
  /// @throws std::system_error if there is no such program, or the system refuses a process.
  GuardedCommand(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment,
                 const std::string& folder, int output);

  /// Wait for its end. @return nothing if it has not ended after `patience`.
  [[nodiscard]] std::optional<ProcessEnd> wait(std::chrono::milliseconds patience);

  /// End it, with all that it has started.
  void stop() { guardian_.reset(); }

 private:
  std::optional<Guardian> guardian_;
  std::optional<ProcessEnd> end_;
};

}  // namespace tidings
