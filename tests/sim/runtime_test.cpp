// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/runtime.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

#include "sim/cycle/machine_fabric.h"
#include "sim/runtime/channel.h"
#include "sim/runtime/file_descriptor.h"
#include "tests/sim/mock_node.h"

namespace tidings {
namespace {

/// While it lives, what this process and its children print goes here.
class CapturedOutput {
 public:
  CapturedOutput() : saved_(dup(STDOUT_FILENO)), file_(memfd_create("output", MFD_CLOEXEC)) {
    std::fflush(stdout);
    dup2(file_.get(), STDOUT_FILENO);
  }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput() { dup2(saved_.get(), STDOUT_FILENO); }

  [[nodiscard]] std::string text() const {
    std::string result;
    std::array<char, 4096> buffer;
    off_t at = 0;
    for (ssize_t got = 0; (got = pread(file_.get(), buffer.data(), buffer.size(), at)) > 0; at += got)
      result.append(buffer.data(), static_cast<std::size_t>(got));
    return result;
  }

 private:
  FileDescriptor saved_;
  FileDescriptor file_;
};

struct Outcome {
  RunReport report;
  std::string output;
};

/// Open-ended row of routers, one slot each: rank r's port 0 leads to rank r + 1, port 1 to rank r - 1.
RunOptions options(std::vector<std::string> program, std::uint32_t ranks) {
  RunOptions result;
  result.programs = {{.words = std::move(program), .ranks = ranks}};
  result.machine.name = "row";
  result.machine.topology = {TopologyKind::kMesh, {8}, 1};
  result.machine.fabric.clock_khz = 100'000;  // 10 ns
  result.machine.memory.size_bytes = 1 << 20;
  ProcessorConfig& costs = result.machine.processor;
  costs.bus_write_ps = 100'000;
  costs.bus_read_ps = 200'000;
  costs.interrupt_ps = 1'000'000;
  costs.call_ps = 2'000'000;
  costs.poll_ps = 500'000;
  costs.clock_read_ps = 50'000;
  costs.compute_scale = 10;
  result.fabric = fabric_of(mock::factory(result.machine));
  result.rank_library = TIDINGS_RANK_LIBRARY;
  // All of these tests run both ways: see CMakeLists.txt.
  result.cores = std::getenv("TIDINGS_TEST_TWO_CORES") == nullptr ? Cores::kOne : Cores::kTwo;
  return result;
}

Outcome run_captured(const RunOptions& given) {
  const CapturedOutput output;
  RunReport report = run(given);
  return {std::move(report), output.text()};
}

Outcome run_device(const std::string& mode, std::uint32_t ranks, const std::string& argument = "0") {
  return run_captured(options({TIDINGS_DEVICE_PROGRAM, mode, argument}, ranks));
}

Outcome run_clocks(const std::string& mode, const std::string& argument = "0") {
  return run_captured(options({TIDINGS_CLOCKS_PROGRAM, mode, argument}, 1));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

#define EXPECT_CONTAINS(text, part) EXPECT_TRUE(contains(text, part)) << text

bool exists(pid_t pid) { return kill(pid, 0) == 0 || errno != ESRCH; }

/// Ends are noticed by others at their own pace: init reaps an orphan.
bool vanishes(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    if (!exists(pid)) return true;
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(status, line);
    if (contains(line, ") Z ")) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Runtime, ClocksOfAnUnmodifiedProgramShowVirtualTime) {
  const Outcome outcome = run_clocks("all");
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
  EXPECT_EQ(outcome.output,
            "monotonic 50\n"
            "sleep 3000000100\n"
            "usleep 3250000150\n"
            "nanosleep 4250000207\n"
            "clock_nanosleep 10000000050\n"
            "select 11000000100\n"
            "poll 12000000150\n"
            "invalid 1\n"
            "gettimeofday 946684812.000000\n"
            "time 946684812\n"
            "clock 12000000\n"
            "timespec_get 946684812\n");
}

TEST(Runtime, SleepTakesVirtualTimeAndNoCpuOfTheMachine) {
  const Outcome outcome = run_captured(options({"sleep", "3"}, 2));
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
  // Older coreutils sleep for 3 s, those of Debian 13 for a nanosecond more.
  EXPECT_GE(outcome.report.elapsed_ps(), 3'000'000'000'000U);
  EXPECT_LE(outcome.report.elapsed_ps(), 3'000'000'001'000U);
  EXPECT_EQ(outcome.report.machine.cycles_stepped, 0U);
}

TEST(Runtime, ChildrenKeepRealClocks) { EXPECT_EQ(run_clocks("child").output, "child real: 1\n"); }

TEST(Runtime, AThreadHasAClockInVirtualTimeThatIsAheadByWhatItHasSleptAndWaited) {
  // Each look at the clock costs 50 ns. Whoever joins the thread has waited for its sleeps alone.
  EXPECT_EQ(run_clocks("thread").output,
            "starts 1000000000050\n"
            "usleep 1000002000100\n"
            "clock_nanosleep 1000010000050\n"
            "poll 1000011000100\n"
            "semaphore 1 1000013000200\n"
            "mutex 1 1000015000300\n"
            "futex 1 1000017000400\n"
            "joined 1000010999950\n"
            "futex 1 1000013000050\n");
}

TEST(Runtime, WaitsForReadersAndWritersEndAtTheirVirtualTime) {
  EXPECT_EQ(run_clocks("locks").output,
            "timedrdlock 1 1000002000100\n"
            "timedwrlock 1 1000004000200\n"
            "clockrdlock 1 1000006000300\n"
            "clockwrlock 1 1000008000400\n");
}

TEST(Runtime, WaitsWithADeadlineEndAtTheirVirtualTime) {
  // Asked at 50 ns for 2 ms; then each look at the clock costs 50 ns.
  EXPECT_EQ(run_clocks("waits").output, "timed out 1 at 2000100\ncame 1 at 2000150\ntimed out 1 at 5000100\n");
}

TEST(Runtime, SpinningOnAClockEnds) {
  const Outcome outcome = run_clocks("spin", "1000000");
  EXPECT_EQ(outcome.output, "spun\n");
  EXPECT_EQ(outcome.report.elapsed_ps(), 1'000'000'000U);
}

TEST(Runtime, ProgramThatUsesNoDeviceRunsAndPrintsInRankOrder) {
  const Outcome outcome = run_captured(options({"echo", "hello"}, 3));
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
  EXPECT_EQ(outcome.output, "hello\nhello\nhello\n");
}

TEST(Runtime, OnlyTheFirstRankReadsStandardInput) {
  const FileDescriptor saved(dup(STDIN_FILENO));
  const FileDescriptor input(memfd_create("input", MFD_CLOEXEC));
  ASSERT_EQ(write(input.get(), "line\n", 5), 5);
  lseek(input.get(), 0, SEEK_SET);
  dup2(input.get(), STDIN_FILENO);
  const Outcome outcome = run_captured(options({"sh", "-c", "cat; echo end"}, 2));
  dup2(saved.get(), STDIN_FILENO);
  EXPECT_EQ(outcome.output, "line\nend\nend\n");
}

/// While it lives, a descriptor of this process is closed.
class Closed {
 public:
  explicit Closed(int number) : number_(number), saved_(fcntl(number, F_DUPFD_CLOEXEC, 10)) { close(number); }
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;
  ~Closed() { dup2(saved_.get(), number_); }

 private:
  int number_;
  FileDescriptor saved_;
};

TEST(Runtime, ClosedStandardStreamsStayClosedToThePrograms) {
  // Nothing of the simulator takes the number of a closed descriptor, such as the memory of the rank.
  const Closed in(STDIN_FILENO);
  const Closed out(STDOUT_FILENO);
  const Closed error(STDERR_FILENO);
  const RunReport report = run(options({TIDINGS_DEVICE_PROGRAM, "streams"}, 1));
  EXPECT_EQ(report.exit_status, 0) << report.error;
  for (int number = 0; number <= 2; ++number) EXPECT_EQ(fcntl(number, F_GETFD), -1) << number;
}

/// While it lives, this process has less of something.
class Limited {
 public:
  Limited(__rlimit_resource resource, rlim_t most) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit limit{.rlim_cur = most, .rlim_max = before_.rlim_max};
    setrlimit(resource, &limit);
  }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
  ~Limited() { setrlimit(resource_, &before_); }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

TEST(Runtime, DescriptorsDoNotGrowWithRanks) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "high-line"}, 64);
  given.machine.topology = {TopologyKind::kMesh, {64}, 1};
  given.fabric = fabric_of(mock::factory(given.machine));
  const Limited limit(RLIMIT_NOFILE, 32);
  EXPECT_EQ(run_captured(given).report.exit_status, 0);
}

TEST(Runtime, LimitOfFileSizesIsNamed) {
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // as Python has it
  const Limited limit(RLIMIT_FSIZE, 10 << 10);
  try {
    static_cast<void>(run(options({TIDINGS_DEVICE_PROGRAM, "high-line"}, 2)));
    ADD_FAILURE();
  } catch (const std::system_error& error) {
    EXPECT_CONTAINS(error.what(), "(ulimit -f allows files of 10 KiB only)");
  }
  std::signal(SIGXFSZ, before);
}

TEST(Runtime, WildPointersOfAProgramDoNotHarmTheSimulator) {
  std::set<std::string> errors;
  for (std::size_t offset = 0; offset < offsetof(tidings_channel, operations); offset += 8) {
    // The ring is long and all alike.
    if (offset == offsetof(tidings_channel, ring) + 64) offset = offsetof(tidings_channel, operations) - 64;
    const RunReport report = run_device("overwrite", 2, std::to_string(offset)).report;
    EXPECT_NE(report.exit_status, 0) << offset;
    EXPECT_EQ(report.ranks.at(1).rank, 1U) << offset;
    errors.insert(report.error);
  }
  EXPECT_TRUE(errors.contains("rank 1: as usual"));
  const auto told = std::ranges::find_if(errors, [](const std::string& error) {
    return error.starts_with("rank 1 has overwritten") && contains(error, "; it was in spread(from 0)\n");
  });
  EXPECT_NE(told, errors.end());
}

TEST(Runtime, RankThatScribblesOverItsOwnSegmentEndsTheRunAndIsNamed) {
  const std::string start = "rank 1 has overwritten the memory that its process shares with the simulator: byte ";
  const auto run_scribble = [](int how) { return run_device("scribble", 3, std::to_string(how)); };
  const std::array<int, 5> all_of_it{0, 1, 2, 3, 4};  // uses the bus, pauses, spins, aborts, exits
  for (const int how : all_of_it) {
    const Outcome outcome = run_scribble(how);
    EXPECT_CONTAINS(outcome.report.error, start + "0 (settings of the run) holds a5 a5 a5 a5 a5 a5 a5 a5\n");
    EXPECT_CONTAINS(outcome.report.error, "--debug-rank 1");
    EXPECT_NE(outcome.report.exit_status, 0) << how;
    EXPECT_CONTAINS(outcome.output, "rank 0 was here\n");
  }
  EXPECT_CONTAINS(run_scribble(5).report.error, " (process of the rank) holds a5 a5 a5 a5 01 00 00 00\n");
  EXPECT_CONTAINS(run_scribble(6).report.error, " (guard after the parcels) holds a5 a5 a5 a5 a5 a5 a5 a5\n");
}

TEST(Runtime, RankThatOverwritesAllThatItSharesIsNamedAndItsNumbersAreNotShown) {
  for (const char* how : {"0", "2"}) {
    const RunReport report = run_device("overwrite-all", 3, how).report;
    EXPECT_CONTAINS(report.error,
                    "rank 1 has overwritten the memory that its process shares with the simulator: byte ");
    ASSERT_EQ(report.ranks.size(), 3U);
    EXPECT_EQ(report.ranks[1].rank, 1U);
    EXPECT_EQ(report.ranks[1].elapsed_ps, 0U);
    EXPECT_TRUE(report.ranks[1].operations.empty());
  }
}

TEST(Runtime, RankThatOverwritesOnlyWhatAllShareCannotBeNamed) {
  for (const char* how : {"1", "3"}) {
    const RunReport report = run_device("overwrite-all", 3, how).report;
    EXPECT_CONTAINS(report.error, "a rank has overwritten the memory that all ranks share with the simulator");
    EXPECT_CONTAINS(report.error, "which rank it was cannot be known");
  }
}

TEST(Runtime, RankThatClaimsToHaveEndedHasNot) {
  EXPECT_CONTAINS(run_device("claim-end", 1).report.error, "has overwritten the memory");
}

TEST(Runtime, WithoutALauncherThereAreNoSlots) {
  const std::string command = std::string(TIDINGS_DEVICE_PROGRAM) + " ping-pong";
  const CapturedOutput output;
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 3);  // NOLINT(cert-env33-c)
  EXPECT_EQ(output.text(), "this program was not started on a machine: start it with `tidings run`\n");
}

TEST(Runtime, MessageArrivesAtTheTimeThatCostsAndCyclesAddUpTo) {
  const Outcome outcome = run_device("ping-pong", 2);
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
  // Rank 1: written at 100 ns = cycle 10; on the wire in 11; the line is high in 12; woken at 120 + 1000; read issued
  // at 1320 = cycle 132, answered in 134; two writes: 1540; the clock itself: 1590.
  // Rank 0: written at 1540 = cycle 154, the line is high in 156: 1560 + 1000 + 200 = 2760, answered at 2780.
  EXPECT_EQ(outcome.output,
            "rank 1 of 2 on row got 4711 at 1590 ns\n"
            "rank 0 of 2 on row got 4712 at 2930 ns\n");
  EXPECT_EQ(outcome.report.elapsed_ps(), 2'930'000U);
}

TEST(Runtime, InterruptCostsNothingWhereTheLineIsHighAlready) {
  // Written in cycle 10; the line counts from 12 on; then the look at the clock.
  EXPECT_EQ(run_device("high-line", 1).output, "woken at 170 ns\n");
}

TEST(Runtime, SequencesOfAccessesTakeAsLongAsTheirAccesses) {
  const Outcome alone = run_device("one-by-one", 2);
  const Outcome together = run_device("at-once", 2);
  EXPECT_EQ(alone.report.exit_status, 0) << alone.report.error;
  // Read 35; its bits of f0 written back; left out; accesses before; what was written back. Three reads, each with
  // 300 ns of the processor, and three writes.
  EXPECT_CONTAINS(alone.output, "35 0 7 4 30 at ");
  EXPECT_EQ(together.output, alone.output);
  EXPECT_EQ(together.report.elapsed_ps(), alone.report.elapsed_ps());
}

TEST(Runtime, RanksBehindOneThatDiesHaveTheirTurn) {
  const Outcome outcome = run_device("die-in-turn", 4);
  EXPECT_CONTAINS(outcome.report.error, "rank 1 was killed by");
  EXPECT_EQ(outcome.output, "rank 0\nrank 2\nrank 3\n");
}

TEST(Runtime, OperationsAreCountedByNamePathReasonAndNote) {
  const Outcome outcome = run_device("paths", 2);
  const std::vector<OperationStatistics> operations = outcome.report.operations();
  ASSERT_EQ(operations.size(), 1U);
  EXPECT_EQ(operations[0].name, "spread");
  EXPECT_EQ(operations[0].calls, 6U);
  EXPECT_EQ(operations[0].min_ps, 2'000'000U);
  EXPECT_EQ(operations[0].mean_ps(), 4'000'000U);
  EXPECT_EQ(operations[0].max_ps, 6'000'000U);
  EXPECT_EQ(operations[0].hardware, 2U);
  EXPECT_EQ(operations[0].software, 0U);
  EXPECT_EQ(operations[0].fallback, 4U);
  EXPECT_EQ(operations[0].fallback_reasons, (std::map<std::string, std::uint64_t>{{"vector datatype", 4}}));
  EXPECT_EQ(operations[0].notes, (std::map<std::string, std::uint64_t>{{"vector datatype", 2}}));
  EXPECT_EQ(outcome.report.ranks[0].communication_ps, 12'000'000U);
  EXPECT_EQ(outcome.report.ranks[0].compute_ps(), 0U);
  EXPECT_EQ(outcome.report.communication_share(), 1.0);
}

TEST(Runtime, TwoRunsAreEqual) {
  const Outcome first = run_device("ping-pong", 2);
  const Outcome second = run_device("ping-pong", 2);
  EXPECT_EQ(first.output, second.output);
  EXPECT_EQ(first.report.ranks, second.report.ranks);
  EXPECT_EQ(first.report.machine.cycles_stepped, second.report.machine.cycles_stepped);
}

TEST(Runtime, ResultsAreTheSameOnAnyCores) {
  const Outcome expected = run_device("ping-pong", 2);
  for (const Cores cores : {Cores::kAny, Cores::kOne, Cores::kTwo, Cores::kToSpare}) {
    RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "ping-pong"}, 2);
    given.cores = cores;
    const Outcome outcome = run_captured(given);
    EXPECT_EQ(outcome.output, expected.output);
    EXPECT_EQ(outcome.report.ranks, expected.report.ranks);
    EXPECT_EQ(outcome.report.machine.cycles_stepped, expected.report.machine.cycles_stepped);
  }
}

TEST(Runtime, SimulatorLeavesTheCoreOfTheRanksIfItMay) {
  cpu_set_t usable;
  ASSERT_EQ(sched_getaffinity(0, sizeof usable, &usable), 0);
  for (const Cores cores : {Cores::kOne, Cores::kTwo}) {
    RunOptions given = options({"sh", "-c", "taskset -pc $$; kill -STOP $$"}, 1);
    given.cores = cores;
    int simulator = -1;
    given.progress = [&simulator](const Progress&) {
      simulator = sched_getcpu();
      throw std::runtime_error("enough");
    };
    const CapturedOutput output;
    EXPECT_THROW(static_cast<void>(run(given)), std::runtime_error);
    const std::string list = output.text();
    const std::string ranks = list.substr(list.rfind(' ') + 1);
    EXPECT_EQ(ranks == std::to_string(simulator) + "\n", cores == Cores::kOne || CPU_COUNT(&usable) == 1) << list;
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&usable, &after));
  }
}

TEST(Runtime, WritesBeyondTheRingAllArriveInOrder) {
  const Outcome outcome = run_device("write-much", 1);
  EXPECT_EQ(outcome.output, "accesses 5000 last 4999\n");
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
}

TEST(Runtime, ProcessHoldsSeveralSlots) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "two-slots"}, 2);
  given.slots = 2;
  const Outcome outcome = run_captured(given);
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
  EXPECT_EQ(outcome.output,
            "rank 0 slot 0 node 0: scratch 0, memory 0, 3 accesses\n"
            "rank 0 slot 1 node 1: scratch 1, memory 1, 4 accesses\n"
            "rank 1 slot 0 node 2: scratch 100, memory 100, 3 accesses\n"
            "rank 1 slot 1 node 3: scratch 101, memory 101, 4 accesses\n");
}

TEST(Runtime, RankWithoutASlotIsRefused) {
  RunOptions given = options({"true"}, 1);
  given.slots = 0;
  EXPECT_THROW(static_cast<void>(run(given)), std::invalid_argument);
}

TEST(Runtime, EnginesAndRanksShareNodeMemory) { EXPECT_EQ(run_device("store", 1, "256").output, "stored feedf00d\n"); }

// While a rank works, the machine goes on. These engines reach for a word in the middle of the work's virtual time,
// long before the rank has done it.
TEST(Runtime, RankThatWorksDoesNotSeeWhatItsEngineWritesLater) {
  EXPECT_EQ(run_device("store-beside", 1).output, "while it works 1d, then feed and in the engine feed, at 2790 ns\n");
}

TEST(Runtime, EngineSeesAllThatARankHasWrittenBefore) {
  EXPECT_EQ(run_device("load-beside", 1).output, "while it works 1d, then 2e5 and in the engine 2e5, at 2790 ns\n");
}

TEST(Runtime, EngineThatFailsWhileARankWorksIsAnError) {
  const Outcome outcome = run_device("fault-beside", 2, "1048576");
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_CONTAINS(outcome.report.error, "an engine of rank 0: ");
}

TEST(Runtime, RankThatFailsAtWorkIsToldBeforeAnEngineThatFailsMeanwhile) {
  const Outcome outcome = run_device("faults-beside", 1, "1048576");
  EXPECT_EQ(outcome.report.exit_status, 7);
  EXPECT_EQ(outcome.report.error, "rank 0: the rank has failed first");
}

// Rank 1 is let go while rank 0 works, 50 cycles behind it, and waits for its turn. Some 40 cycles later its engine
// reaches for its memory.
TEST(Runtime, RankThatWaitsForItsTurnDoesNotSeeWhatItsEngineWritesLater) {
  EXPECT_EQ(run_device("work-behind", 2).output,
            "rank 0 works on 1d\nrank 1 works on 1d\nrank 0 finds 1d at 2690 ns\nrank 1 finds feed at 3290 ns\n");
}

TEST(Runtime, RankThatWaitsForItsTurnDoesNotGetItWhenAnotherFails) {
  const Outcome failed = run_device("work-behind", 2, "1");
  EXPECT_EQ(failed.report.exit_status, 7);
  EXPECT_EQ(failed.report.error, "rank 0: rank 0 has failed first");
  EXPECT_EQ(failed.output, "");
  const Outcome crashed = run_device("work-behind", 2, "2");
  EXPECT_CONTAINS(crashed.report.error, "rank 0 ");
  EXPECT_EQ(crashed.output, "");
}

TEST(Runtime, EngineThatFailsWhileItsRankWaitsForItsTurnIsAnErrorBehindThoseOfRanks) {
  const Outcome fault = run_device("work-behind", 2, "3");
  EXPECT_EQ(fault.report.exit_status, 1);
  EXPECT_CONTAINS(fault.report.error, "an engine of rank 1: ");
  EXPECT_EQ(fault.output, "rank 0 works on 1d\nrank 1 works on 1d\n");
  const Outcome both = run_device("work-behind", 2, "4");
  EXPECT_EQ(both.report.exit_status, 8);
  EXPECT_EQ(both.report.error, "rank 1: rank 1 has failed before its engine");
}

TEST(Runtime, RunEndsWhileAnEngineWaitsForARank) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "hang-beside"}, 1);
  given.progress = [](const Progress&) { throw std::domain_error("enough"); };
  EXPECT_THROW(static_cast<void>(run_captured(given)), std::domain_error);
  given.progress = {};
  given.wall_limit = std::chrono::seconds(1);
  const Outcome outcome = run_captured(given);
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_CONTAINS(outcome.report.error, "wall limit: ");
}

TEST(Runtime, WorkThatWasAnnouncedBeforeASlotWasClosedNoLongerHolds) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "reopen"}, 1);
  given.slots = 2;
  const Outcome outcome = run_captured(given);
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
  EXPECT_EQ(outcome.output, "found 1, then 2\n");
}

TEST(Runtime, RankThatUsesItsBusBeforeItHasDoneTheWorkItAnnouncedIsNamed) {
  for (const char* const by_write : {"0", "1"}) {
    const Outcome outcome = run_device("hurry", 1, by_write);
    EXPECT_EQ(outcome.report.exit_status, 1);
    EXPECT_CONTAINS(outcome.report.error, "rank 0 used its bus in cycle ");
    EXPECT_CONTAINS(outcome.report.error, ", but its library had announced work until cycle ");
    EXPECT_CONTAINS(outcome.report.error, " in hurry");
  }
}

TEST(Runtime, ComputeIsFreeUnlessMeasured) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "compute"}, 2);
  EXPECT_CONTAINS(run_captured(given).output, "virtual ns 150\n");
  given.compute = Compute::kMeasured;
  const Outcome measured = run_captured(given);
  // 0.3 s of CPU time on a processor ten times slower.
  EXPECT_GE(measured.report.ranks[0].elapsed_ps, 3'000'000'000'000U);
  EXPECT_LT(measured.report.ranks[0].elapsed_ps, 6'000'000'000'000U);
}

TEST(Runtime, WaitingRankUsesNoCpu) {
  const std::string output = run_device("compute", 2).output;
  const std::string label = "cpu ns of the waiting rank ";
  const std::size_t at = output.find(label);
  ASSERT_NE(at, std::string::npos) << output;
  EXPECT_LT(std::stoll(output.substr(at + label.size())), 50'000'000) << "of 300,000,000 that the other rank computed";
}

TEST(Runtime, CrashNamesRankSignalAndCall) {
  const Outcome outcome = run_device("crash", 3);
  EXPECT_EQ(outcome.report.exit_status, 128 + SIGSEGV);
  EXPECT_EQ(outcome.report.error,
            "rank 1 was killed by SIGSEGV (segmentation fault) in fetch(from 2). "
            "Run it again with --debug-rank 1: the debugger stops at the line.");
}

TEST(Runtime, CrashOutsideAnyCallSaysSo) {
  const Outcome outcome = run_captured(options({"sh", "-c", "kill -ABRT $$"}, 1));
  EXPECT_EQ(outcome.report.exit_status, 128 + SIGABRT);
  EXPECT_EQ(outcome.report.error,
            "rank 0 was killed by SIGABRT (aborted) outside any library call. "
            "Run it again with --debug-rank 0: the debugger stops at the line.");
}

TEST(Runtime, LeavingWithoutClosingTheSlotIsAnError) {
  const Outcome zero = run_device("exit-while-open", 3, "0");
  EXPECT_EQ(zero.report.exit_status, 1);
  EXPECT_EQ(zero.report.error,
            "rank 1 exited with status 0 without closing its slot, outside any library call. Let each rank do that "
            "before it ends.");
  EXPECT_EQ(run_device("exit-while-open", 3, "9").report.exit_status, 9);
}

TEST(Runtime, LibraryNamesItsCallsItself) {
  EXPECT_EQ(run_device("named-exit-while-open", 3, "0").report.error,
            "rank 1 exited with status 0 without toy_end, outside any toy call. Let each rank do that before it ends.");
}

TEST(Runtime, StatusBeforeASlotWasOpenedEndsTheRun) {
  const Outcome outcome = run_device("exit-before-open", 2, "5");
  EXPECT_EQ(outcome.report.exit_status, 5);
  EXPECT_EQ(outcome.report.error, "rank 0 exited with status 5, without having used the machine");
}

TEST(Runtime, StatusAfterClosingLetsTheOthersFinish) {
  const Outcome outcome = run_device("exit-after-close", 3, "6");
  EXPECT_EQ(outcome.report.exit_status, 6);
  EXPECT_EQ(outcome.report.error, "rank 1 exited with status 6");
}

TEST(Runtime, FailureEndsTheRunAndKeepsWhatWasPrinted) {
  const Outcome outcome = run_device("fail", 3, "42");
  EXPECT_EQ(outcome.report.exit_status, 42);
  EXPECT_EQ(outcome.report.error, "rank 1: the program asked for it");
  EXPECT_EQ(outcome.output, "last words");
}

TEST(Runtime, CodeOfAFailureIsNeverTheStatusOfSuccess) {
  EXPECT_EQ(run_device("fail", 3, "0").report.exit_status, 1);
  EXPECT_EQ(run_device("fail", 3, "256").report.exit_status, 1);
  EXPECT_EQ(run_device("fail", 3, "258").report.exit_status, 2);
  EXPECT_EQ(run_device("fail", 3, "-1").report.exit_status, 255);
}

TEST(Runtime, DeadlockSaysWhoWaitsForWhom) {
  const Outcome outcome = run_device("ring", 3);
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_EQ(outcome.report.error,
            "deadlock: every rank waits and nothing is on its way\n"
            "  rank 0: in fetch(from 1), waiting for: receive from rank 1\n"
            "  rank 1: in fetch(from 2), waiting for: receive from rank 2\n"
            "  rank 2: in fetch(from 0), waiting for: receive from rank 0\n"
            "  cycle: rank 0 waits for rank 1, which waits for rank 2, which waits for rank 0\n"
            "  Let one of these ranks do what another one waits for before it waits itself.");
  EXPECT_EQ(outcome.output,
            "printed before the deadlock by rank 0\n"
            "printed before the deadlock by rank 1\n"
            "printed before the deadlock by rank 2\n");
}

TEST(Runtime, DeadlockNamesPortsThatRanksWaitAt) {
  RunOptions given = options({TIDINGS_STREAM_PROGRAM}, 2);
  given.machine.node.stream_slots = 1;
  given.fabric = cycle::machine_fabric_factory();
  const Outcome outcome = run_captured(given);
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_EQ(outcome.report.error,
            "deadlock: every rank waits and nothing is on its way\n"
            "  rank 0: outside any library call, waiting for: room at its peer for the packet before, "
            "tidings_stream_send(row 2)\n"
            "  rank 1: outside any library call, waiting for: a packet, tidings_stream_wait(queue 1, queue 3)\n"
            "  cycle: rank 0 waits for rank 1, which waits for rank 0\n"
            "  Let one of these ranks do what another one waits for before it waits itself.");
  EXPECT_EQ(outcome.output, "");
}

TEST(Runtime, DifferentCallsOfOneGroupAreAMismatch) {
  const Outcome outcome = run_device("mismatch", 4);
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_EQ(outcome.report.error,
            "deadlock: every rank waits and nothing is on its way\n"
            "  rank 0: in spread(from 1)\n"
            "  rank 1: in meet(5 words)\n"
            "  rank 2: in meet(6 words)\n"
            "  rank 3: in spread(from 3)\n"
            "collective mismatch: rank 0 is in spread(from 1), rank 1 is in meet(5 words)\n"
            "  Make the same calls in the same order at all ranks. --check warn tells the first that differ.");
}

TEST(Runtime, WaitingForAFinishedRankIsExplained) {
  const Outcome outcome = run_device("finished", 3);
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_CONTAINS(outcome.report.error, "ranks 0, 2 wait for rank 1, which has already finished");
}

TEST(Runtime, AccessToARegisterThatIsNotThereIsAnError) {
  const Outcome outcome = run_device("bad-register", 1);
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_EQ(outcome.report.error,
            "rank 0 accessed a register at byte address 0x1002, where there is none, outside any library call");
}

TEST(Runtime, EngineOutsideItsMemoryIsAnError) {
  const Outcome outcome = run_device("store", 1, "1048576");
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_CONTAINS(outcome.report.error, "an engine of rank 0: ");
}

TEST(Runtime, TimeLimitEndsPolling) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "poll"}, 2);
  given.time_limit = Picoseconds{1'000'000'000'000};
  const Outcome outcome = run_captured(given);
  EXPECT_EQ(outcome.report.exit_status, 1);
  EXPECT_EQ(outcome.report.error,
            "time limit: rank 0 has passed 1 s of virtual time\n"
            "  ranks 0 and 1: in peek");
}

TEST(Runtime, MissingProgramIsRefusedBeforeAnythingStarts) {
  EXPECT_THROW(static_cast<void>(run(options({"no-such-program"}, 2))), std::system_error);
  EXPECT_THROW(static_cast<void>(run(options({"./no-such-program"}, 2))), std::system_error);
  EXPECT_THROW(static_cast<void>(run(options({"/etc/passwd"}, 2))), std::system_error);
  EXPECT_THROW(static_cast<void>(run(options({"/tmp"}, 2))), std::system_error);
}

TEST(Runtime, FileThatIsNoProgramIsNamed) {
  const std::string path = ::testing::TempDir() + "not_a_program";
  std::ofstream(path) << "no program";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const RunReport report = run(options({path}, 2));
  EXPECT_EQ(report.exit_status, 126);
  EXPECT_EQ(report.error, "cannot run " + path + ": Exec format error");
}

TEST(Runtime, InterruptLeavesNoProcessBehind) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "hang"}, 2);
  given.progress = [](const Progress&) { std::raise(SIGINT); };
  const Outcome outcome = run_captured(given);
  EXPECT_EQ(outcome.report.exit_status, 130);
  EXPECT_CONTAINS(outcome.report.error, "interrupted");
  std::istringstream pids(outcome.output);
  pid_t rank = 0;
  pid_t child = 0;
  pid_t daemon = 0;
  ASSERT_TRUE(pids >> rank >> child >> daemon) << outcome.output;
  EXPECT_TRUE(vanishes(rank));
  EXPECT_TRUE(vanishes(child));
  EXPECT_TRUE(vanishes(daemon));
}

TEST(Runtime, StatusOfAStoppedRunNamesTheSignal) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "hang"}, 1);
  given.progress = [](const Progress&) { std::raise(SIGTERM); };
  EXPECT_EQ(run_captured(given).report.exit_status, 128 + SIGTERM);
}

TEST(Runtime, ChildInASessionOfItsOwnEndsWithTheRun) {
  const Outcome outcome = run_device("daemon", 2);
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
  std::istringstream pids(outcome.output);
  std::array<pid_t, 2> daemons{};
  ASSERT_TRUE(pids >> daemons[0] >> daemons[1]) << outcome.output;
  for (const pid_t daemon : daemons) EXPECT_FALSE(exists(daemon));
}

TEST(Runtime, ErrorInTheProgressCallLeavesNoProcessBehind) {
  RunOptions given = options({TIDINGS_DEVICE_PROGRAM, "hang"}, 1);
  given.progress = [](const Progress&) { throw std::runtime_error("enough"); };
  const CapturedOutput output;
  EXPECT_THROW(static_cast<void>(run(given)), std::runtime_error);
  std::istringstream pids(output.text());
  pid_t rank = 0;
  ASSERT_TRUE(pids >> rank);
  EXPECT_TRUE(vanishes(rank));
}

TEST(Runtime, RanksAndTheirChildrenDieWithTheSimulator) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t simulator = fork();
  if (simulator == 0) {
    dup2(ends[1], STDOUT_FILENO);
    static_cast<void>(run(options({TIDINGS_DEVICE_PROGRAM, "hang"}, 1)));
    _exit(0);
  }
  std::array<char, 64> text{};
  ASSERT_GT(read(ends[0], text.data(), text.size() - 1), 0);  // the rank is up
  kill(simulator, SIGKILL);
  waitpid(simulator, nullptr, 0);
  std::istringstream pids(text.data());
  pid_t rank = 0;
  pid_t child = 0;
  pid_t daemon = 0;
  ASSERT_TRUE(pids >> rank >> child >> daemon) << text.data();
  EXPECT_TRUE(vanishes(rank));
  EXPECT_TRUE(vanishes(child));
  EXPECT_TRUE(vanishes(daemon));
  close(ends[0]);
  close(ends[1]);
}

TEST(Runtime, ScriptThatStartsTheProgramIsARank) {
  const std::string script = std::string(TIDINGS_DEVICE_PROGRAM) + " ping-pong; echo done";
  const Outcome outcome = run_captured(options({"sh", "-c", script}, 2));
  EXPECT_EQ(outcome.report.exit_status, 0) << outcome.report.error;
  EXPECT_EQ(outcome.output,
            "rank 1 of 2 on row got 4711 at 1590 ns\ndone\n"
            "rank 0 of 2 on row got 4712 at 2930 ns\ndone\n");
}

}  // namespace
}  // namespace tidings
