// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file free_work.h
/// Whether collectives are to take no time (drivers/ideal.h), and work that takes none.
#include "ideal.h"

namespace tidings {

/// Collectives are to take no time. No board has such, and builds for boards have no code for them.
#ifdef TIDINGS_EXTRA_ALGORITHMS
inline bool ideal() { return tidings_ideal(); }
#else
constexpr bool ideal() { return false; }
#endif

/// While it lives, work takes no time if collectives are to take none.
class FreeWork {
 public:
  FreeWork() : before_(ideal() && tidings_ideal_work(true)) {}
  FreeWork(const FreeWork&) = delete;
  FreeWork& operator=(const FreeWork&) = delete;
  ~FreeWork() {
    if (ideal()) tidings_ideal_work(before_);
  }

 private:
  const bool before_;
};

}  // namespace tidings
