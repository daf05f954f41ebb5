// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/watcher.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <utility>

namespace tidings {

Watcher::~Watcher() {
  for (std::size_t i = 0; i < processes_.size(); ++i) kill(i);
  if (!thread_.joinable()) start(std::nullopt);
  thread_.join();
}

void Watcher::add(pid_t pid) {
  FileDescriptor file(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!file) {
    const std::system_error error = system_failure("watching process " + std::to_string(pid));
    ::kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    throw error;
  }
  processes_.push_back({.pid = pid, .file = std::move(file), .end = std::nullopt});
}

void Watcher::start(std::optional<StdinPump> pump) {
  pump_ = std::move(pump);
  thread_ = std::thread([this] { watch(); });
}

void Watcher::kill(std::size_t process) {
  const std::lock_guard lock(mutex_);
  const Watched& watched = processes_[process];
  if (!watched.end) ::kill(-watched.pid, SIGKILL);
}

std::optional<ProcessEnd> Watcher::end_of(std::size_t process) const {
  const std::lock_guard lock(mutex_);
  return processes_[process].end;
}

void Watcher::reap(std::size_t process) {
  Watched& watched = processes_[process];
  {
    const std::lock_guard lock(mutex_);
    // Its number is ours until it is waited for: what is left of its group can be named safely.
    ::kill(-watched.pid, SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(watched.pid), &info, WEXITED);
    watched.end = ProcessEnd{.by_signal = info.si_code != CLD_EXITED, .value = info.si_status};
    watched.file.close();
  }
  ended_(process);
}

void Watcher::watch() {
  // Signals are for the threads that ask for them; a write to a rank that has gone must not end us.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    std::vector<pollfd> interests;
    bool alive = false;
    for (const Watched& watched : processes_) {  // a closed file is -1, which poll passes over
      interests.push_back({.fd = watched.file.get(), .events = POLLIN, .revents = 0});
      alive = alive || watched.file;
    }
    if (!alive) return;
    if (pump_) interests.push_back(pump_->interest());
    if (poll(interests.data(), interests.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < processes_.size(); ++i)
      if (interests[i].revents != 0) reap(i);
    if (pump_ && interests.back().revents != 0) pump_->move();
  }
}

}  // namespace tidings
