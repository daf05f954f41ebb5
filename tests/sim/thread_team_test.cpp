// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Whichever thread does it: every part is done once a round, and is over when the round is.
#include "sim/machine/thread_team.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tidings {
namespace {

TEST(ThreadTeam, DoesEveryPartOnceARound) {
  for (unsigned members = 1; members <= 4; ++members) {
    ThreadTeam team(members);
    std::vector<unsigned> done(members);  // by any thread, one at a time
    for (unsigned round = 1; round <= 2000; ++round) {
      team.run([&](unsigned part) { ++done[part]; });
      ASSERT_EQ(done, std::vector<unsigned>(members, round)) << members << " members";
    }
  }
}

TEST(ThreadTeam, DoesPartsApartInAThreadEach) {
  ThreadTeam team(3);
  std::vector<std::thread::id> first(3);
  team.run_apart([&](unsigned part) { first[part] = std::this_thread::get_id(); });
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 3U);
  for (unsigned round = 0; round < 200; ++round) {
    team.run([](unsigned) {});
    team.run_apart([&](unsigned part) { EXPECT_EQ(first[part], std::this_thread::get_id()); });
  }
}

TEST(ThreadTeam, ThrowsWhatTheFirstPartThrewThatThrewAndGoesOn) {
  ThreadTeam team(4);
  std::vector<unsigned> done(4);
  for (unsigned round = 0; round < 50; ++round) {
    try {
      team.run([&](unsigned part) {
        ++done[part];
        if (part % 2 == 1) throw std::runtime_error("part " + std::to_string(part));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "part 1");
    }
  }
  team.run([&](unsigned part) { ++done[part]; });
  EXPECT_EQ(done, std::vector<unsigned>(4, 51));
}

TEST(ThreadTeam, LeavesTheCallersCoreAloneWhereThereAreOthers) {
  cpu_set_t before;
  CPU_ZERO(&before);
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const bool others = CPU_COUNT(&before) > 1;
  ThreadTeam team(2);
  // The caller goes from core to core: only the one it is on now counts.
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &before)) continue;
    team.keep_off(core, core % 2 != 0);
    bool mine = false, theirs = true;  // may be on the core
    int usable = 0;                    // cores of the other member
    team.run_apart([&](unsigned part) {
      cpu_set_t cores;
      CPU_ZERO(&cores);
      EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
      (part == 0 ? mine : theirs) = CPU_ISSET(core, &cores) != 0;
      if (part != 0) usable = CPU_COUNT(&cores);
    });
    EXPECT_TRUE(mine);
    EXPECT_EQ(theirs, !others);
    EXPECT_EQ(usable, others ? CPU_COUNT(&before) - 1 : 1);
  }
}

TEST(ThreadTeam, WorksWhereThreadsShareACore) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  {
    ThreadTeam team(3);
    std::vector<unsigned> done(3);
    for (unsigned round = 0; round < 200; ++round) team.run_apart([&](unsigned part) { ++done[part]; });
    EXPECT_EQ(done, std::vector<unsigned>(3, 200));
  }
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace tidings
