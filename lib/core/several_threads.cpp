// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/several_threads.h"

#include <algorithm>
#include <utility>

#include "ideal.h"
#include "threads.h"

namespace tidings {
namespace {

/// Calls of this thread that have the library, one within the other.
thread_local unsigned depth = 0;

/// What this thread does when its outermost call is over.
thread_local std::vector<std::pair<void (*)(std::uint32_t), std::uint32_t>> later;

void grant(Threads::Wait& wait) {
  wait.granted.store(1, std::memory_order_release);
  wait.granted.notify_one();
}

}  // namespace

Threads::State& Threads::state() {
  static auto* const instance = new State;  // never destroyed, as the library
  return *instance;
}

void Threads::begin() {
  if (several_threads) return;
#ifdef TIDINGS_THREADS
  several_threads = true;
#endif
  state().taken = true;
  depth = 1;
  tidings_threads_begin();
}

/// Block until the library is this thread's.
void Threads::take(Lock& lock, State& now, Wait& self) {
  if (!now.taken) {
    now.taken = true;
    if (now.settling != &self) tell(now);
    return;
  }
  self.granted.store(0, std::memory_order_relaxed);
  now.next.push_back(&self);
  if (now.away) tidings_threads_wake();
  lock.unlock();
  self.granted.wait(0, std::memory_order_acquire);
  lock.lock();
}

/// The thread that has the library gives it to the next one, if there is one.
void Threads::hand_on(State& now) {
  tell(now);
  now.taken = !now.next.empty();
  if (!now.taken) return;
  Wait& next = *now.next.front();
  now.next.pop_front();
  grant(next);
}

void Threads::enter() {
  if (depth++ != 0) return;
  State& now = state();
  Lock lock(now.mutex);
  Wait self{nullptr, nullptr};
  take(lock, now, self);
}

void Threads::when_over(void (*todo)(std::uint32_t), std::uint32_t number) { later.emplace_back(todo, number); }

void Threads::leave() {
  if (--depth != 0) return;
  for (const auto& [todo, number] : later) todo(number);
  later.clear();
  notice();
  State& now = state();
  const Lock lock(now.mutex);
  hand_on(now);
}

bool Threads::step_aside(Wait& wait) {
  State& now = state();
  Lock lock(now.mutex);
  void* const call = tidings_threads_leave();
  const bool first = now.settling == nullptr;
  wait.granted.store(0, std::memory_order_relaxed);
  if (first) {
    now.settling = &wait;
    hand_on(now);
    settle(lock, now);
    take(lock, now, wait);
    now.settling = nullptr;
  } else {
    now.parked.push_back(&wait);
    hand_on(now);
    lock.unlock();
    wait.granted.wait(0, std::memory_order_acquire);
    lock.lock();
  }
  tidings_threads_return(call);
  return first;
}

/// Block until no other thread can go on, or the wait of the one that settles is over.
void Threads::settle(Lock& lock, State& now) {
  for (bool settled = false; !settled && !now.settling->over;) {
    const std::uint32_t seen = now.news;
    const bool taken = now.taken;
    lock.unlock();
    if (taken) {
      // Another thread asks the device: time passes there.
      std::atomic_ref(now.news).wait(seen);
    } else {
      tidings_threads_settle(&now.news, seen);
    }
    lock.lock();
    settled = !taken && seen == now.news;
  }
}

/// Who settles shall look again.
void Threads::tell(State& now) {
  if (now.settling == nullptr) return;
  const std::atomic_ref news(now.news);
  ++news;
  news.notify_one();
  tidings_threads_tell(&now.news);
}

bool Threads::notice() {
  // Only the thread that has the library changes who is parked, so the list stays as it is while it is looked through.
  State& now = state();
  if (now.settling == nullptr && now.parked.empty()) return false;
  const bool free = tidings_ideal_work(true);  // how often is asked depends on when threads come
  const bool settled = now.settling != nullptr && (now.settling->over || now.settling->done(now.settling->subject));
  const auto first = std::stable_partition(now.parked.begin(), now.parked.end(), [](Wait* wait) {
    wait->over = wait->done(wait->subject);
    return !wait->over;
  });
  tidings_ideal_work(free);
  const bool any = settled || first != now.parked.end();
  const Lock lock(now.mutex);
  if (settled) now.settling->over = true;
  now.next.insert(now.next.end(), first, now.parked.end());
  now.parked.erase(first, now.parked.end());
  return any;
}

bool Threads::depart() {
  State& now = state();
  const Lock lock(now.mutex);
  if (!now.next.empty()) return false;
  tidings_threads_depart();
  now.away = true;
  return true;
}

void Threads::arrive() {
  State& now = state();
  const Lock lock(now.mutex);
  now.away = false;
}

void Threads::pass_on() {
  State& now = state();
  const Lock lock(now.mutex);
  if (now.settling != nullptr || now.parked.empty()) return;
  now.next.push_back(now.parked.front());
  now.parked.erase(now.parked.begin());
}

}  // namespace tidings
