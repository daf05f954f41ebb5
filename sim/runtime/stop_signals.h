// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file stop_signals.h
#include <array>
#include <csignal>

namespace tidings {

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted instead of ending or interrupting the process.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// The last of them that has come since construction; 0 if none has.
  [[nodiscard]] int arrived() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace tidings
