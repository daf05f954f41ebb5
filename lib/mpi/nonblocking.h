// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file nonblocking.h
/// Ways to carry out a planned collective beside the rest of the program.
#include "mpi/collective_arguments.h"

namespace tidings {

/// Starts a collective and hands out its request.
struct Starting {
  MPI_Request* request;
  void operator()(Library& lib, Call& call, PlannedCollective&& planned) const;
};

/// Hands out a request for a collective that is started later.
struct Initializing {
  MPI_Request* request;
  void operator()(Library& lib, Call& call, PlannedCollective&& planned) const;
};

/// Starts a collective and waits until it is over, for schedules that use both channels.
struct Finishing {
  void operator()(Library& lib, Call& call, PlannedCollective&& planned) const;
};

}  // namespace tidings
