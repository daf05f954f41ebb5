// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/stop_signals.h"

namespace tidings {
namespace {

// A signal handler reaches nothing but static storage.
volatile std::sig_atomic_t stop_requested = 0;

extern "C" void request_stop(int signal) { stop_requested = signal; }

}  // namespace

StopSignals::StopSignals() {
  stop_requested = 0;
  struct sigaction action{};
  action.sa_handler = request_stop;  // without SA_RESTART: a sleep ends early
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignals::arrived() const { return stop_requested; }

}  // namespace tidings
