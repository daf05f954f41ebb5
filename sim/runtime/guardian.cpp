// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/guardian.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>

namespace tidings {
namespace {

constexpr int kMaxGroups = 1 << 16;

/// In the child of what may be a process with threads: async-signal-safe functions only, no allocation.
[[noreturn]] void guard(int input) {
  setsid();  // away from the terminal's signals
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  // Keep nothing open that others wait to see closed.
  dup2(input, STDIN_FILENO);
  close_range(STDIN_FILENO + 1, UINT_MAX, 0);
  static pid_t groups[kMaxGroups];
  int count = 0;
  for (;;) {
    pid_t group = 0;
    const ssize_t got = read(STDIN_FILENO, &group, sizeof group);
    if (got == sizeof group && count < kMaxGroups) groups[count++] = group;
    if (got == 0) break;
  }
  for (int i = 0; i < count; ++i) kill(-groups[i], SIGKILL);
  _exit(0);
}

}  // namespace

Guardian::Guardian() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw system_failure("a pipe for the guardian of the ranks");
  const FileDescriptor input(ends[0]);
  pipe_ = FileDescriptor(ends[1]);
  process_ = fork();
  if (process_ < 0) throw system_failure("starting the guardian of the ranks");
  if (process_ == 0) guard(input.get());
}

Guardian::~Guardian() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Guardian::add(pid_t group) {
  if (write(pipe_.get(), &group, sizeof group) != sizeof group)
    throw system_failure("telling the guardian of the ranks");
}

}  // namespace tidings
