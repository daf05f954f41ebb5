// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file several_threads.h
/// Several threads of a rank in the library at once (MPI_THREAD_MULTIPLE).
///
/// One thread has the library at a time, and leaves it to others when its call waits. Of the threads that wait, one
/// waits at the device, and only when no other thread of the rank can go on: so the order of calls does not depend on
/// when the system lets them run. After each arrival it looks whose waits are over, in the order in which they began.
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace tidings {

/// Whether several threads come. Builds for boards have no code for them.
#ifdef TIDINGS_THREADS
constexpr bool kMayHaveThreads = true;
inline constinit bool several_threads = false;
#else
constexpr bool kMayHaveThreads = false;
constexpr bool several_threads = false;
#endif

/// The call that the thread is in which has the library.
inline constinit const void* current_call = nullptr;

class Threads {
 public:
  /// A call that waits.
  struct Wait {
    bool (*done)(void* subject);  ///< whether it is over; asked by whichever thread has the library
    void* subject;
    bool over = false;                       ///< it was when it was asked last: it is not asked again
    std::atomic<std::uint32_t> granted = 0;  ///< the thread has the library
  };

  /// From now on, several threads come. Called in a call, which has the library as though it had entered it.
  static void begin();

  /// Block until the library is the calling thread's. In a call within a call it is already.
  static void enter();
  static void leave();

  /// Do something when the outermost call of this thread is over.
  static void when_over(void (*todo)(std::uint32_t), std::uint32_t number);

  /// Leave the library to others, until `wait` is over or nobody else can go on.
  /// @return whether this thread is the one to wait at the device.
  static bool step_aside(Wait& wait);
  /// Find out whose waits are over. @return whether any is.
  static bool notice();
  /// This thread is about to wait at the device: whoever comes meanwhile ends that.
  /// @return whether it may: nobody has come yet.
  static bool depart();
  static void arrive();
  /// The wait of this thread is over: another one shall wait at the device, if there is one that waits.
  static void pass_on();

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct State {
    std::mutex mutex;           ///< of what follows
    bool taken = false;         ///< a thread has the library
    bool away = false;          ///< it is at the device
    std::deque<Wait*> next;     ///< who gets the library next
    std::vector<Wait*> parked;  ///< who waits for another thread to wait at the device
    Wait* settling = nullptr;   ///< who lets others go first before it goes to the device
    std::uint32_t news = 0;     ///< counts what concerns that one
  };
  static State& state();
  static void take(Lock& lock, State& now, Wait& self);
  static void hand_on(State& now);
  static void settle(Lock& lock, State& now);
  static void tell(State& now);
};

/// Has the library for the calling thread while it lives.
class Turn {
 public:
  Turn() {
    if (several_threads) [[unlikely]] {
      Threads::enter();
    }
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (several_threads) [[unlikely]] {
      Threads::leave();
    }
  }
};

}  // namespace tidings
