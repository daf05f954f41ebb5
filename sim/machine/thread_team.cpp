// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/thread_team.h"

#include <pthread.h>
#include <signal.h>

namespace tidings {
namespace {

/// Rounds follow each other within microseconds while a machine is at work: looking again is cheaper than sleeping.
constexpr int kLooks = 2000;

void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int i = 0; i < kLooks; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(unsigned members) {
  // Signals are for the thread that knows what to do with them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned member = 1; member < members; ++member) threads_.emplace_back([this, member] { serve(member); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ThreadTeam::~ThreadTeam() {
  work_ = nullptr;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(const std::function<void(unsigned)>& work) {
  work_ = &work;
  working_ = static_cast<std::uint32_t>(threads_.size());
  ++round_;
  round_.notify_all();
  work(0);
  for (std::uint32_t left = working_; left != 0; left = working_) wait_while(working_, left);
}

void ThreadTeam::serve(unsigned member) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(round_, seen);
    if (work_ == nullptr) return;
    (*work_)(member);
    --working_;
    working_.notify_one();
  }
}

}  // namespace tidings
