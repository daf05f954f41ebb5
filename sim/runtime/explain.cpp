// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/explain.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace tidings {
namespace {

/// "rank 3", "ranks 0-2 and 5".
std::string describe_ranks(const std::vector<std::uint32_t>& ranks) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    runs.push_back(std::to_string(ranks[i]));
    if (last > i) runs.back() += (last == i + 1 ? " and " : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < runs.size(); ++i) text += (i == 0 ? "" : ", ") + runs[i];
  return text;
}

/// The shortest cycle of ranks that wait for one another; empty if there is none.
std::vector<std::uint32_t> find_cycle(std::span<const RankSituation> ranks) {
  std::vector<std::uint32_t> best;
  for (std::uint32_t start = 0; start < ranks.size() && best.size() != 1; ++start) {
    std::vector<std::optional<std::uint32_t>> previous(ranks.size());
    std::deque<std::uint32_t> next = {start};
    bool closed = false;
    std::uint32_t last = start;
    while (!next.empty() && !closed) {
      last = next.front();
      next.pop_front();
      if (ranks[last].finished) continue;
      for (const std::uint32_t target : ranks[last].waits_for) {
        if (target == start) {
          closed = true;
          break;
        }
        if (target >= ranks.size() || previous[target]) continue;
        previous[target] = last;
        next.push_back(target);
      }
    }
    if (!closed) continue;
    std::vector<std::uint32_t> cycle = {last};
    while (cycle.back() != start) cycle.push_back(*previous[cycle.back()]);
    std::ranges::reverse(cycle);
    if (best.empty() || cycle.size() < best.size()) best = cycle;
  }
  return best;
}

constexpr const char* kRemedyOfCycle =
    "  Let one of these ranks do what another one waits for before it waits itself.\n";

std::string describe_cycle(const std::vector<std::uint32_t>& cycle) {
  std::string text = "  cycle: rank " + std::to_string(cycle.front());
  if (cycle.size() == 1) return text + " waits for itself\n" + kRemedyOfCycle;
  for (std::size_t i = 1; i <= cycle.size(); ++i)
    text += " waits for rank " + std::to_string(cycle[i % cycle.size()]) + (i < cycle.size() ? ", which" : "");
  return text + "\n" + kRemedyOfCycle;
}

/// Ranks that wait for a rank that has left.
std::string describe_finished(std::span<const RankSituation> ranks) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> waiting;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].finished || ranks[rank].waits_for.size() != 1) continue;
    const std::uint32_t target = ranks[rank].waits_for.front();
    if (target < ranks.size() && ranks[target].finished) waiting[target].push_back(rank);
  }
  std::string text;
  for (const auto& [target, waiters] : waiting)
    text += "  " + describe_ranks(waiters) + (waiters.size() == 1 ? " waits" : " wait") + " for rank " +
            std::to_string(target) + ", which has already finished\n";
  return text.empty() ? "" : text + "  Let it do before its end what they wait for.\n";
}

std::string at_text(const std::string& source) { return source.empty() ? "" : " at " + source; }

/// The first ranks of each different call within one group, if there is more than one.
std::string describe_mismatch(std::span<const RankSituation> ranks) {
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint32_t>> groups;  // group, signature, lowest rank
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    if (!ranks[rank].finished && ranks[rank].group != 0)
      groups[ranks[rank].group].try_emplace(ranks[rank].signature, rank);
  for (const auto& [group, calls] : groups) {
    if (calls.size() < 2) continue;
    std::set<std::uint32_t> first;
    for (const auto& [signature, rank] : calls) first.insert(rank);
    std::string text;
    for (const std::uint32_t rank : first)
      text += (text.empty() ? "" : ", ") + ("rank " + std::to_string(rank)) + " is in " + ranks[rank].call +
              at_text(ranks[rank].source);
    return "collective mismatch: " + text +
           "\n  Make the same calls in the same order at all ranks. --check warn tells the first that differ.\n";
  }
  return "";
}

std::string waiting_text(const std::string& waiting) { return waiting.empty() ? "" : ", waiting for: " + waiting; }

std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string place_in(const std::string& call, const std::string& source, const std::string& library_call) {
  return call.empty() ? "outside any " + library_call : "in " + call + at_text(source);
}

std::string list_places(std::span<const RankSituation> ranks) {
  std::vector<std::string> places;
  std::map<std::string, std::vector<std::uint32_t>> by_place;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const RankSituation& situation = ranks[rank];
    std::string place = "finished";
    if (!situation.finished) {
      place = place_in(situation.call, situation.source, situation.library_call) + waiting_text(situation.waiting);
      for (const auto& [call, source, waiting] : situation.other_threads)
        place += "; another thread " + place_in(call, source, situation.library_call) + waiting_text(waiting);
    }
    auto& members = by_place[place];
    if (members.empty()) places.push_back(place);
    members.push_back(rank);
  }
  std::string text;
  for (const std::string& place : places) text += "  " + describe_ranks(by_place[place]) + ": " + place + "\n";
  return without_last_newline(text);
}

std::string explain_livelock(std::span<const RankSituation> ranks, std::uint64_t polls) {
  std::string text = "livelock: nothing is on its way, and ranks that do not wait have asked in vain " +
                     std::to_string(polls) + " times each\n";
  text += list_places(ranks) + "\n" + describe_mismatch(ranks) + describe_finished(ranks);
  return text + "  A program that means to give up some time can look at a clock between its questions.";
}

std::string explain_deadlock(std::span<const RankSituation> ranks) {
  std::string text = "deadlock: every rank waits and nothing is on its way\n";
  text += list_places(ranks) + "\n";
  if (const std::string mismatch = describe_mismatch(ranks); !mismatch.empty())
    text += mismatch;
  else if (const std::vector<std::uint32_t> cycle = find_cycle(ranks); !cycle.empty())
    text += describe_cycle(cycle);
  text += describe_finished(ranks);
  return without_last_newline(text);
}

std::string describe_signal(int signal) {
  const char* name = sigabbrev_np(signal);
  const char* meaning = sigdescr_np(signal);
  std::string text = name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
  if (meaning == nullptr) return text;
  std::string lower = meaning;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text + " (" + lower + ")";
}

std::string advise_on_signal(int signal, std::uint32_t rank) {
  switch (signal) {
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGSEGV:
    case SIGTRAP:
      return "Run it again with --debug-rank " + std::to_string(rank) + ": the debugger stops at the line.";
    case SIGKILL:
      return "If memory ran out, start fewer ranks, or give each less to do.";
    default:
      return "Find out who sends it, or let the program catch it.";
  }
}

}  // namespace tidings
