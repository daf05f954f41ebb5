// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// What threads sleep passes for the one that joins them, at once for those that sleep at once.
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

template <class Body>
void measure(const char* what, Body body) {
  const auto before = Clock::now();
  body();
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - before);
  std::printf("%s: %d ms\n", what, static_cast<int>(passed.count()));
}

void* sleep_and_leave(void*) {
  usleep(30'000);
  pthread_exit(nullptr);
}

}  // namespace

int main() {
  measure("one thread", [] { std::thread([] { std::this_thread::sleep_for(100ms); }).join(); });
  measure("two threads at once", [] {
    std::thread one([] { usleep(50'000); });
    std::thread other([] { std::this_thread::sleep_for(80ms); });
    one.join();
    other.join();
  });
  measure("the main thread meanwhile", [] {
    std::thread thread([] { usleep(40'000); });
    std::this_thread::sleep_for(1s);
    thread.join();
  });
  measure("a thread of a thread", [] {
    std::thread([] {
      usleep(10'000);
      std::thread([] { usleep(20'000); }).join();
    }).join();
  });
  measure("one that exits", [] {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, sleep_and_leave, nullptr) == 0) pthread_join(thread, nullptr);
  });
  measure("one that nobody joins", [] { std::thread([] { usleep(1'000); }).detach(); });
}
