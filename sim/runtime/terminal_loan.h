// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file terminal_loan.h
#include <unistd.h>

#include <csignal>

namespace tidings {

/// Make a group of processes the one that reads from the terminal at standard input, and that Ctrl-C interrupts.
/// Without a terminal there is nothing to do. Async-signal-safe.
inline void give_terminal_to(pid_t group) {
  // Else whoever asks for it in the background is stopped.
  sigset_t stop;
  sigset_t before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTTOU);
  sigprocmask(SIG_BLOCK, &stop, &before);
  static_cast<void>(tcsetpgrp(STDIN_FILENO, group));
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

/// Takes the terminal back at its end, if this process has it now.
class TerminalLoan {
 public:
  TerminalLoan() : ours_(tcgetpgrp(STDIN_FILENO) == getpgrp()) {}
  TerminalLoan(const TerminalLoan&) = delete;
  TerminalLoan& operator=(const TerminalLoan&) = delete;
  ~TerminalLoan() {
    if (ours_) give_terminal_to(getpgrp());
  }

  [[nodiscard]] bool can_be_given() const { return ours_; }

 private:
  bool ours_;
};

}  // namespace tidings
