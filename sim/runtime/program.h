// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file program.h
/// Starting a rank's process.
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "sim/runtime/segment.h"

namespace tidings {

/// Find a program as a shell would: in PATH where its name has no slash.
/// @throws std::system_error where there is none or it cannot be executed.
[[nodiscard]] std::string find_program(const std::string& name);

/// What all ranks are started with.
struct ProgramImage {
  std::string path;
  std::vector<std::string> arguments;  ///< argv[0] included
  std::vector<std::string> environment;
};

/// The environment of this process with `additions`, the rank's library before all others and the directory of
/// the message passing library first.
[[nodiscard]] std::vector<std::string> rank_environment(const std::map<std::string, std::string>& additions,
                                                        const std::string& rank_library,
                                                        const std::string& library_directory);

/// Start the process of a rank: in a process group of its own, killed with this thread's process, and asleep
/// until it is given its first turn. Where the program cannot be executed then, it puts the cause into the
/// channel's `fail` and exits with kCannotExecute.
/// @param standard_input the descriptor to become the rank's; -1 for none.
[[nodiscard]] pid_t start_rank(const ProgramImage& image, Segment& segment, int standard_input);

/// Exit status of a process whose program could not be executed, as shells have it.
inline constexpr int kCannotExecute = 126;

}  // namespace tidings
