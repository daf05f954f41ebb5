// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/watcher.h"

#include <poll.h>

#include <array>
#include <csignal>
#include <utility>

namespace tidings {

Watcher::Watcher(Guardian& guardian, std::uint32_t processes, std::function<void(std::uint32_t)> ended,
                 std::optional<StdinPump> pump, std::chrono::milliseconds period, std::function<void()> look)
    : guardian_(guardian),
      ends_(processes),
      ended_(std::move(ended)),
      pump_(std::move(pump)),
      period_(period),
      look_(std::move(look)) {
  thread_ = std::thread([this] { watch(); });
}

Watcher::~Watcher() {
  guardian_.end();
  thread_.join();
}

std::optional<ProcessEnd> Watcher::end_of(std::uint32_t process) const {
  const std::lock_guard lock(mutex_);
  return ends_[process];
}

void Watcher::note(std::uint32_t process, ProcessEnd end) {
  {
    const std::lock_guard lock(mutex_);
    ends_[process] = end;
  }
  ended_(process);
}

void Watcher::watch() {
  // Signals are for the threads that ask for them; a write to a rank that has gone must not end us.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    std::array<pollfd, 2> interests{pollfd{.fd = guardian_.file(), .events = POLLIN, .revents = 0},
                                    pump_ ? pump_->interest() : pollfd{.fd = -1, .events = 0, .revents = 0}};
    const int events = poll(interests.data(), interests.size(), static_cast<int>(period_.count()));
    look_();
    if (events < 0) continue;
    if (interests[1].revents != 0) pump_->move();
    if (interests[0].revents == 0) continue;
    const std::optional<Guardian::Report> report = guardian_.next();
    if (!report) break;
    note(report->process, report->end);
  }
  // The guardian is gone, and with it all processes whose end it has not reported.
  for (std::uint32_t process = 0; process < ends_.size(); ++process)
    if (!end_of(process)) note(process, {.by_signal = true, .value = SIGKILL});
}

}  // namespace tidings
