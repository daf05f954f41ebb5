// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file thread_team.h
/// Threads that do the same work on different parts, again and again, for times so short that starting them costs more.
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace tidings {

class ThreadTeam {
 public:
  /// @param members at least 1; the caller of `run` is the first of them.
  explicit ThreadTeam(unsigned members);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Calls `work(member)` once in each thread, and waits for all of them. `work` must not throw.
  void run(const std::function<void(unsigned)>& work);

 private:
  void serve(unsigned member);

  std::vector<std::thread> threads_;
  const std::function<void(unsigned)>* work_ = nullptr;  ///< null ends the threads
  std::atomic<std::uint32_t> round_ = 0;
  std::atomic<std::uint32_t> working_ = 0;
};

}  // namespace tidings
