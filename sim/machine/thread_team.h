// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file thread_team.h
/// Threads that do the same work on different parts, again and again, for times so short that starting them costs more.
#include <sched.h>

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
  /// A member's share of what is done, or the whole for one.
  using Work = std::function<void(unsigned part)>;

  /// Cores that this thread may use.
  [[nodiscard]] static cpu_set_t usable_cores();

  /// @param members at least 1; the caller of the functions below is the first of them. @param cores for the others.
  explicit ThreadTeam(unsigned members, const cpu_set_t& cores = usable_cores());
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// The caller of the functions below is on this core from now on, and other members are to leave it alone if there
  /// are others. @param yields others want the cores of those for short times: who looks lets them go first.
  void keep_off(unsigned core, bool yields);

  /// Calls `work` for each part, as many as members, and waits for all of them. A member begins with the part of its
  /// own number, and goes on with those whose members have not come: where cores are busy with other things, the others
  /// do not wait for them. Throws what `work` threw: of several parts, what the first one of them did.
  void run(const Work& work) { run(work, members()); }
  /// The same, but each part is done by its own member.
  void run_apart(const Work& work) { run(work, 1); }

 private:
  /// A cache line of its own.
  struct alignas(64) Claim {
    std::atomic<std::uint32_t> round = 0;  ///< the last one in which someone has taken the part
  };

  [[nodiscard]] unsigned members() const { return static_cast<unsigned>(claims_.size()); }
  /// @param reach how many parts a member looks at, from its own on.
  void run(const Work& work, unsigned reach);
  void serve(unsigned member);
  void take_parts(unsigned member, std::uint32_t round);
  void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) const;

  /// Where members other than the first may be.
  void use(const cpu_set_t& cores);

  cpu_set_t cores_;
  bool looks_;                                ///< before it sleeps
  std::atomic<bool> yields_ = false;          ///< while it looks
  std::vector<Claim> claims_;                 ///< a part
  std::vector<std::exception_ptr> failures_;  ///< a part
  const Work* work_ = nullptr;                ///< to be read by who has taken a part
  std::atomic<unsigned> reach_ = 0;
  std::atomic<bool> ends_ = false;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
  alignas(64) std::atomic<std::uint32_t> left_ = 0;  ///< parts of this round that are not done
  std::vector<std::thread> threads_;
};

}  // namespace tidings
