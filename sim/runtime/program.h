// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file program.h
/// Starting a rank's process.
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "sim/runtime/segment.h"

namespace tidings {

/// Find a program as a shell would: in PATH where its name has no slash.
/// @throws std::system_error where there is none or it cannot be executed.
[[nodiscard]] std::string find_program(const std::string& name);

/// A program as execve wants it: prepared before a fork, after which nothing may be allocated.
class ProgramImage {
 public:
  /// @param arguments argv[0] included.
  ProgramImage(std::string path, std::vector<std::string> arguments, std::vector<std::string> environment);
  ProgramImage(const ProgramImage&) = delete;
  ProgramImage& operator=(const ProgramImage&) = delete;

  /// Replace this process by the program; returns only if that fails. Async-signal-safe.
  /// @param variable one more entry of the environment.
  void execute(char* variable = nullptr) const;

 private:
  std::string path_;
  std::vector<std::string> arguments_;
  std::vector<std::string> environment_;
  std::vector<char*> argument_pointers_;
  mutable std::vector<char*> environment_pointers_;  ///< with a place for one more
};

/// Where a rank prints: descriptors, not owned.
struct RankOutput {
  int standard_output = STDOUT_FILENO;
  int standard_error = STDERR_FILENO;
};

/// In the process of a rank: run the program, which sleeps until its first turn as soon as the rank library is loaded.
/// If that fails, put the cause into the channel's `fail` and exit with kCannotExecute. Async-signal-safe.
/// @param standard_input the descriptor to become the rank's.
[[noreturn]] void become_rank(const ProgramImage& image, Segment& segment, int standard_input, RankOutput output);

/// The environment of this process with `additions`, the rank's library before all others and the directory of
/// the message passing library first.
[[nodiscard]] std::vector<std::string> rank_environment(const std::map<std::string, std::string>& additions,
                                                        const std::string& rank_library,
                                                        const std::string& library_directory);

/// Exit status of a process whose program could not be executed, as shells have it.
inline constexpr int kCannotExecute = 126;

}  // namespace tidings
