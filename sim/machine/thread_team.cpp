// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/thread_team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <utility>

#include "sim/machine/patience.h"

namespace tidings {

cpu_set_t ThreadTeam::usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) CPU_SET(0, &cores);
  return cores;
}

ThreadTeam::ThreadTeam(unsigned members, const cpu_set_t& cores)
    : cores_(cores),
      looks_(members <= static_cast<unsigned>(CPU_COUNT(&cores_))),
      claims_(members),
      failures_(members) {
  // Signals are for the thread that knows what to do with them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned member = 1; member < members; ++member) threads_.emplace_back([this, member] { serve(member); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  use(cores_);
}

void ThreadTeam::use(const cpu_set_t& cores) {
  for (std::thread& thread : threads_) pthread_setaffinity_np(thread.native_handle(), sizeof cores, &cores);
}

ThreadTeam::~ThreadTeam() {
  ends_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::keep_off(unsigned core, bool yields) {
  yields_ = yields;
  cpu_set_t others = cores_;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) == 0) return;
  use(others);
}

void ThreadTeam::run(const Work& work, unsigned reach) {
  work_ = &work;
  reach_ = reach;
  left_ = members();
  const std::uint32_t round = ++round_;
  round_.notify_all();
  take_parts(0, round);
  for (std::uint32_t left = left_; left != 0; left = left_) wait_while(left_, left);
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_) {
    if (std::exception_ptr thrown = std::exchange(failure, nullptr); !first) first = thrown;
  }
  if (first) std::rethrow_exception(first);
}

void ThreadTeam::serve(unsigned member) {
  for (std::uint32_t seen = 0;;) {
    wait_while(round_, seen);
    seen = round_;
    if (ends_) return;
    take_parts(member, seen);
  }
}

void ThreadTeam::take_parts(unsigned member, std::uint32_t round) {
  for (unsigned i = 0; i < reach_; ++i) {
    const unsigned part = (member + i) % members();
    // Who comes late finds that others have taken the part, in this round or a later one.
    std::uint32_t before = round - 1;
    if (!claims_[part].round.compare_exchange_strong(before, round)) continue;
    try {
      (*work_)(part);
    } catch (...) {
      failures_[part] = std::current_exception();
    }
    // The last one wakes who waits for all: others would wake it for nothing.
    if (--left_ == 0) left_.notify_one();
  }
}

void ThreadTeam::wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) const {
  const auto changed = [&] { return value.load(std::memory_order_acquire) != old; };
  const auto between = [this] {
    if (yields_.load(std::memory_order_relaxed)) std::this_thread::yield();
  };
  if (looks_ && look_for(changed, between)) return;
  value.wait(old, std::memory_order_acquire);
}

}  // namespace tidings
