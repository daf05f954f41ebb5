// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file report.h
/// What came of a run, as numbers.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/runtime/channel.h"

namespace tidings {

/// One library operation of one rank or of all. Times are virtual.
struct OperationStatistics {
  std::string name;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t min_ps = 0;
  std::uint64_t total_ps = 0;
  std::uint64_t max_ps = 0;
  std::uint64_t hardware = 0;                             ///< the engine carried it out
  std::uint64_t software = 0;                             ///< messages carried it out, as the user asked
  std::uint64_t fallback = 0;                             ///< the engine was asked for but could not
  std::map<std::string, std::uint64_t> fallback_reasons;  ///< and the calls each explains
  std::map<std::string, std::uint64_t> notes;             ///< of the library, and the calls each is about

  [[nodiscard]] std::uint64_t mean_ps() const { return calls == 0 ? 0 : total_ps / calls; }
  bool operator==(const OperationStatistics&) const = default;
};

struct RankReport {
  std::uint32_t rank = 0;
  std::uint64_t elapsed_ps = 0;                 ///< local time when the rank ended
  std::uint64_t communication_ps = 0;           ///< inside library operations
  std::vector<OperationStatistics> operations;  ///< by name

  [[nodiscard]] std::uint64_t compute_ps() const { return elapsed_ps - communication_ps; }
  bool operator==(const RankReport&) const = default;
};

struct RunReport {
  int exit_status = 0;
  std::string error;          ///< whole lines without a final newline; empty if all went well
  std::string error_place;    ///< file of the program, a tab, and where in it the failed call is; empty if not known
  std::string earlier_call;   ///< call because of which that one has failed; empty if there is none
  std::string earlier_place;  ///< of it, as error_place
  std::string event_error;    ///< why the file of events is not complete; empty if it is
  std::vector<RankReport> ranks;
  MachineCounters machine;
  double wall_seconds = 0;

  /// The latest rank's end.
  [[nodiscard]] std::uint64_t elapsed_ps() const;
  /// All ranks together, by name.
  [[nodiscard]] std::vector<OperationStatistics> operations() const;
  /// Share of the ranks' time inside library operations, 0 to 1.
  [[nodiscard]] double communication_share() const;
};

/// What a rank has recorded so far.
[[nodiscard]] RankReport rank_report(const tidings_channel& channel);

}  // namespace tidings
