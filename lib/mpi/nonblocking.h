// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file nonblocking.h
/// Ways to carry out a planned collective beside the rest of the program.
#include "core/activities.h"
#include "mpi/collective_arguments.h"

namespace tidings {

/// A collective whose schedule goes on whenever messages move, or whenever it is told to.
class RepeatedCollective : public Activity {
 public:
  /// Begin, or begin again. @param whole is complete when the collective is.
  virtual void start(RequestPointer whole) = 0;
  /// What is wrong with it, when it is complete. Empty if nothing is.
  [[nodiscard]] virtual std::string mistake() const { return {}; }
  [[nodiscard]] virtual Waiting describe() const = 0;
};
[[nodiscard]] std::shared_ptr<RepeatedCollective> repeated(Library& lib, PlannedCollective&& planned);

/// Starts a collective and hands out its request.
struct Starting {
  static constexpr bool kWithinCall = false;
  MPI_Request* request;
  void operator()(Library& lib, Call& call, PlannedCollective&& planned) const;
};

/// Hands out a request for a collective that is started later.
struct Initializing {
  static constexpr bool kWithinCall = false;
  MPI_Request* request;
  void operator()(Library& lib, Call& call, PlannedCollective&& planned) const;
};

/// Starts a collective and waits until it is over, for schedules that use both channels.
struct Finishing {
  static constexpr bool kWithinCall = true;
  void operator()(Library& lib, Call& call, PlannedCollective&& planned) const;
};

}  // namespace tidings
