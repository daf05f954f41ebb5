// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file runtime.h
/// Runs a program's ranks as processes against a machine, in virtual time.
///
/// Ranks take turns in the order of their numbers, and the machine moves only while all of them are blocked or have
/// ended. So two runs are equal, printed lines included, and nobody ever spins.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/runtime/program.h"
#include "sim/runtime/report.h"

namespace tidings {

/// What a rank's own computation costs in virtual time.
enum class Compute {
  kNone,     ///< nothing: runs are equal to the picosecond
  kMeasured  ///< the CPU time of the rank's main thread times ProcessorConfig::compute_scale
};

/// How far a run has come.
struct Progress {
  Picoseconds virtual_time;
  std::uint64_t cycles = 0;      ///< simulated so far
  double cycles_per_second = 0;  ///< simulated for each second of wall time since the last report
  double link_load = 0;          ///< share of cycles since the last report in which a link carried a flit, of all links
  std::int64_t slowest_rank = -1;  ///< that is least far in virtual time; -1 if all have ended
  std::string slowest_call;        ///< that it is in; empty outside any
  Picoseconds slowest_for;         ///< how long it has been there
};

/// A program, and how many ranks execute it.
struct ProgramOptions {
  std::vector<std::string> words;  ///< the program and its arguments; looked up in PATH if it has no slash
  std::uint32_t ranks = 1;
  std::uint32_t number = 0;  ///< as the user counts programs; a debugger takes the place of one, or of a part of it
};

/// Where simulator and ranks are, which take turns.
enum class Cores {
  kAny,      ///< wherever the system puts them
  kOne,      ///< all on one core
  kTwo,      ///< the simulator on one, the ranks on another, if there is one
  kToSpare,  ///< the same as long as no other program wants these cores; otherwise all on one
};

struct RunOptions {
  std::vector<ProgramOptions> programs;  ///< of the first ranks, then of the next ones
  std::vector<RankOutput> outputs;       ///< of each rank; empty: all print where this process does
  std::uint32_t slots = 1;               ///< of each rank
  /// Where the ranks' slots are, one after the other, by Topology::endpoint of the whole machine. Empty: the machine is
  /// cut to what they need, and they fill it in order.
  std::vector<std::uint32_t> places;
  MachineConfig machine;
  FabricFactory fabric;
  /// Makes the same in several parts, for threads that simulate it while much happens; may be empty.
  FabricFactory parts;
  /// Makes the observer of the machine's cycles, for waveforms; may be empty.
  std::function<std::unique_ptr<CycleObserver>(const Machine&)> observer;
  std::string rank_library;       ///< path of libtidings_rank.so
  std::string library_directory;  ///< of the message passing library, first in LD_LIBRARY_PATH; empty leaves that alone
  std::map<std::string, std::string> environment;  ///< added to each rank's
  Compute compute = Compute::kNone;
  bool hardware_collectives = false;
  bool named_switches = false;                 ///< as in struct tidings_platform
  bool ideal_collectives = false;              ///< collectives take no time
  Picoseconds time_limit;                      ///< virtual time that ends the run with an error; 0 for none
  std::chrono::duration<double> wall_limit{};  ///< wall time that ends the run with an error; 0 for none
  std::string event_file;                      ///< that events are stored in (events.h); empty for none
  /// The rank that reads from standard input, instead of rank 0, and has the terminal if there is one: a debugger.
  std::optional<std::uint32_t> debugged_rank;
  Cores cores = Cores::kToSpare;
  std::function<void(const Progress&)> progress;  ///< about every half second; may throw, which ends the run
  /// Finds file and line of a place in a program, which is its file, a tab and where in it the place is. It answers an
  /// empty text if there is no debug information. May be empty itself: texts then name no lines.
  std::function<std::string(const std::string& place)> source;
};

/// Run to the end. SIGINT, SIGTERM and SIGHUP end the ranks and the run. No process is left behind on any way out.
/// @throws std::invalid_argument for a machine that cannot be built.
/// @throws std::system_error where the program is missing or cannot be executed: before anything is started.
[[nodiscard]] RunReport run(const RunOptions& options);

/// What a rank is told of how the routers are joined.
[[nodiscard]] tidings_grid grid_of(const Topology& topology);

}  // namespace tidings
