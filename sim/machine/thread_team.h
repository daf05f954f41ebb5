// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file thread_team.h
/// Threads that do the same work on different parts, again and again, for times so short that starting them costs more.
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace tidings {

/// Who waits looks again and again for a time, because waking a thread takes long, and then sleeps. Where there are
/// more members than cores for them, looking would keep others from working: they sleep at once.
class ThreadTeam {
 public:
  /// @param members at least 1; the caller of `run` is the first of them.
  explicit ThreadTeam(unsigned members);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Calls `work(member)` once in each thread, and waits for all of them. Throws what it threw: of several members,
  /// what the first one of them did.
  void run(const std::function<void(unsigned)>& work);

 private:
  void serve(unsigned member);
  void work_as(unsigned member);
  void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) const;

  bool looks_;                                ///< before it sleeps
  std::vector<std::exception_ptr> failures_;  ///< a member: what `work` threw
  std::vector<std::thread> threads_;
  const std::function<void(unsigned)>* work_ = nullptr;  ///< null ends the threads
  std::atomic<std::uint32_t> round_ = 0;
  std::atomic<std::uint32_t> working_ = 0;
};

}  // namespace tidings
