// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/guardian.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

// The guardian is forked from what may be a process with threads: it calls async-signal-safe functions only, and its
// memory was allocated before.

namespace tidings {
namespace {

/// Where the guardian keeps its files.
constexpr int kControl = 0;
constexpr int kReports = 1;
constexpr int kFirstFree = 2;

/// What the guardian says before anything else: how many processes it has started, and why not more.
struct StartReport {
  std::uint32_t started;
  int error;
};

/// Shares the guardian's memory, which waits meanwhile, until `become` has executed a program.
[[noreturn]] void start_child(pid_t guardian, std::uint32_t process, const std::function<void(std::uint32_t)>& become) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guardian) _exit(EXIT_FAILURE);  // it died before we asked
  setpgid(0, 0);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);  // interpreters ignore some of them
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  become(process);
  _exit(EXIT_FAILURE);
}

/// The parent of the process that a folder of /proc is named for; 0 if there is none.
pid_t parent_of(int proc, const char* name) {
  if (name[0] < '1' || name[0] > '9') return 0;
  std::array<char, 64> path{};
  const std::size_t length = strnlen(name, path.size() - sizeof "/stat");
  std::copy_n(name, length, path.begin());
  std::copy_n("/stat", sizeof "/stat", path.begin() + static_cast<std::ptrdiff_t>(length));
  const int file = openat(proc, path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 512> text{};
  const ssize_t got = read(file, text.data(), text.size() - 1);
  close(file);
  if (got <= 0) return 0;
  // 42 (name) S 17 ...: the name may hold anything, so the last parenthesis counts.
  const char* after = strrchr(text.data(), ')');
  return after == nullptr || strnlen(after, 4) < 4 ? 0 : static_cast<pid_t>(strtol(after + 4, nullptr, 10));
}

/// Kill every child of this process. @return how many there were.
int kill_children() {
  const pid_t self = getpid();
  const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return 0;
  int killed = 0;
  alignas(dirent64) static std::array<char, 1 << 14> entries;
  for (ssize_t got = 0; (got = getdents64(proc, entries.data(), entries.size())) > 0;) {
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      if (parent_of(proc, entry->d_name) != self) continue;
      ::kill(static_cast<pid_t>(strtol(entry->d_name, nullptr, 10)), SIGKILL);
      ++killed;
    }
  }
  close(proc);
  return killed;
}

/// Kill all descendants: when a child is dead, its own children have become ours.
void kill_descendants() {
  siginfo_t info;
  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
    const int killed = kill_children();
    if (killed == 0) return;
    for (int i = 0; i < killed; ++i) waitid(P_ALL, 0, &info, WEXITED);
  }
}

/// Reap all children that have ended, and report those that are not orphans.
void reap(std::vector<pid_t>& processes) {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const pid_t pid = info.si_pid;
    const auto found = std::ranges::find(processes, pid);
    // The number is its own until it is reaped: what is left of its group can be named safely.
    if (found != processes.end()) ::kill(-pid, SIGKILL);
    waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED);
    if (found == processes.end()) continue;
    *found = 0;
    const Guardian::Report report{
        .process = static_cast<std::uint32_t>(found - processes.begin()),
        .end = {.by_signal = info.si_code != CLD_EXITED, .value = info.si_status},
    };
    static_cast<void>(!write(kReports, &report, sizeof report));  // nobody is left to tell a failure
  }
}

/// Until the control pipe is closed.
void serve(std::vector<pid_t>& processes, int child_signals) {
  for (;;) {
    reap(processes);
    std::array<pollfd, 2> interests{pollfd{.fd = kControl, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = child_signals, .events = POLLIN, .revents = 0}};
    if (poll(interests.data(), interests.size(), -1) < 0) continue;
    if (interests[1].revents != 0) {
      signalfd_siginfo arrived;
      static_cast<void>(!read(child_signals, &arrived, sizeof arrived));
    }
    if (interests[0].revents == 0) continue;
    std::uint32_t process = 0;
    if (read(kControl, &process, sizeof process) != sizeof process) return;
    if (process < processes.size() && processes[process] != 0) ::kill(-processes[process], SIGKILL);
  }
}

[[noreturn]] void guard(std::vector<pid_t>& processes, int control, int reports,
                        const std::function<void(std::uint32_t)>& become) {
  setpgid(0, 0);  // away from the terminal's signals
  prctl(PR_SET_NAME, "tidings-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  signal(SIGCHLD, SIG_DFL);  // ignored, children would be reaped by nobody

  const pid_t self = getpid();
  StartReport start{.started = 0, .error = 0};
  for (pid_t& pid : processes) {
    // A copy of an interpreter's memory, only to throw it away, takes longer than all else of a start.
    pid = vfork();
    if (pid == 0) start_child(self, start.started, become);
    if (pid < 0) {
      start.error = errno;
      pid = 0;
      break;
    }
    setpgid(pid, pid);  // both sides do: whoever comes first
    ++start.started;
  }

  // Keep nothing open that others wait to see closed.
  dup2(control, kControl);
  dup2(reports, kReports);
  close_range(kFirstFree, UINT_MAX, 0);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int child_signals = signalfd(-1, &child, SFD_CLOEXEC);
  if (write(kReports, &start, sizeof start) == sizeof start && start.error == 0) serve(processes, child_signals);
  for (const pid_t pid : processes)
    if (pid != 0) ::kill(-pid, SIGKILL);
  kill_descendants();
  _exit(EXIT_SUCCESS);
}

std::array<FileDescriptor, 2> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw system_failure("a pipe to the guardian of processes");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Read a whole record. @return false at the end of the pipe.
template <typename Record>
bool read_record(int file, Record& record) {
  ssize_t got = 0;
  do got = read(file, &record, sizeof record);
  while (got < 0 && errno == EINTR);
  return got == sizeof record;
}

}  // namespace

Guardian::Guardian(std::uint32_t processes, const std::function<void(std::uint32_t)>& become) {
  std::vector<pid_t> pids(processes);
  auto [control, control_end] = make_pipe();
  auto [reports, reports_end] = make_pipe();
  process_ = fork();
  if (process_ < 0) throw system_failure("starting the guardian of processes");
  if (process_ == 0) {
    control_end.close();  // the children must not keep it open
    reports.close();
    guard(pids, control.get(), reports_end.get(), become);
  }
  reports_end.close();
  control_ = std::move(control_end);
  reports_ = std::move(reports);

  StartReport start{.started = 0, .error = 0};
  if (read_record(reports_.get(), start) && start.error == 0) return;
  control_.close();
  waitpid(process_, nullptr, 0);
  throw std::system_error(start.error == 0 ? ECHILD : start.error, std::generic_category(),
                          "starting process " + std::to_string(start.started + 1) + " of " + std::to_string(processes));
}

Guardian::~Guardian() {
  end();
  waitpid(process_, nullptr, 0);
}

void Guardian::kill(std::uint32_t process) {
  if (control_)
    static_cast<void>(!write(control_.get(), &process, sizeof process));  // a guardian that died has killed it
}

std::optional<Guardian::Report> Guardian::next() {
  Report report{};
  if (!read_record(reports_.get(), report)) return std::nullopt;
  return report;
}

}  // namespace tidings
