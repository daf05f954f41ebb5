// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/guarded_command.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "sim/runtime/program.h"
#include "sim/runtime/standard_streams.h"

namespace tidings {

GuardedCommand::GuardedCommand(const std::vector<std::string>& arguments,
                               const std::map<std::string, std::string>& environment, const std::string& folder,
                               int output) {
  const StandardStreams streams;
  const std::string path = find_program(arguments.empty() ? std::string() : arguments.front());
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  const ProgramImage image(path, arguments, std::move(variables));
  const FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) throw system_failure("opening /dev/null");
  guardian_.emplace(1U, [&](std::uint32_t /*process*/) {
    if (chdir(folder.c_str()) != 0) _exit(kCannotExecute);
    dup2(nothing.get(), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    image.execute();
    _exit(kCannotExecute);
  });
}

std::optional<ProcessEnd> GuardedCommand::wait(std::chrono::milliseconds patience) {
  if (end_ || !guardian_) return end_;
  pollfd interest{.fd = guardian_->file(), .events = POLLIN, .revents = 0};
  if (poll(&interest, 1, static_cast<int>(patience.count())) <= 0) return std::nullopt;
  const std::optional<Guardian::Report> report = guardian_->next();
  end_ = report ? report->end : ProcessEnd{.by_signal = true, .value = SIGKILL};  // gone with its guardian
  guardian_.reset();                                                              // what it has left behind goes too
  return end_;
}

}  // namespace tidings
