// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file explain.h
/// Why a run cannot go on, in the words of the library that the program calls.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidings {

/// Where a rank stands when no rank can go on. All texts are the library's own.
struct RankSituation {
  bool finished = false;                 ///< closed its slots or ended
  std::string library_call;              ///< what the library's calls are called: "library call"
  std::string call;                      ///< with its arguments; empty outside any call
  std::string source;                    ///< file and line of the call; empty if they are not known
  std::string waiting;                   ///< what the rank waits for
  std::uint64_t group = 0;               ///< set of ranks that all make this call; 0 if it concerns this rank alone
  std::uint64_t signature = 0;           ///< equal for all members of the group, if the program is right
  std::vector<std::uint32_t> waits_for;  ///< the ranks that could end its wait
  struct Thread {
    std::string call;
    std::string source;
    std::string waiting;
  };
  std::vector<Thread> other_threads;  ///< of the rank that wait in calls
};

/// "in CALL at FILE:LINE" or "outside any library call".
/// @param source file and line; may be empty
[[nodiscard]] std::string place_in(const std::string& call, const std::string& source, const std::string& library_call);

/// Who waits for whom, the cycle if there is one, and calls of a group that do not match.
[[nodiscard]] std::string explain_deadlock(std::span<const RankSituation> ranks);

/// Where the ranks are that have asked in vain, `polls` times each, and those that wait for them.
[[nodiscard]] std::string explain_livelock(std::span<const RankSituation> ranks, std::uint64_t polls);

/// Where each rank is, one line for ranks that are in the same place.
[[nodiscard]] std::string list_places(std::span<const RankSituation> ranks);

/// "SIGSEGV (segmentation fault)".
[[nodiscard]] std::string describe_signal(int signal);
/// What to do about a rank that a signal has killed: a sentence.
[[nodiscard]] std::string advise_on_signal(int signal, std::uint32_t rank);

}  // namespace tidings
