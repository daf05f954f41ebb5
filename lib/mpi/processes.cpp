// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file processes.cpp
/// Relations to other jobs, of which there are none.
#include "mpi/call.h"
#include "mpi/communicators.h"

using namespace tidings;

int PMPI_Comm_get_parent(MPI_Comm* parent) {
  return serve("MPI_Comm_get_parent", [&](Library&, Call&) { *parent = MPI_COMM_NULL; });
}

int PMPI_Comm_disconnect(MPI_Comm* comm) {
  // No other job is connected: what is pending completes as after MPI_Comm_free.
  return free_communicator("MPI_Comm_disconnect", comm);
}
