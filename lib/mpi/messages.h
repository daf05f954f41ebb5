// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file messages.h
/// Requests as the entry points make, describe and complete them.
#include <string>

#include "mpi/call.h"
#include "mpi/status.h"

namespace tidings {

/// A rank as the program wrote it: "rank 3", "MPI_PROC_NULL". @param what stands before a number.
[[nodiscard]] std::string rank_text(int rank, const char* what = "rank");

/// Check the arguments of a send and describe it. To MPI_PROC_NULL it is complete at once.
[[nodiscard]] RequestPointer make_send(Library& lib, Call& call, const void* buf, MPI_Count count,
                                       MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, SendMode mode);
/// Check the arguments of a receive and describe it. From MPI_PROC_NULL it is complete at once.
[[nodiscard]] RequestPointer make_receive(Library& lib, Call& call, void* buf, MPI_Count count, MPI_Datatype datatype,
                                          int source, int tag, MPI_Comm comm);
/// The program goes on before the request is complete: keep what it may free. @return the request's handle.
[[nodiscard]] MPI_Request hand_out(Library& lib, RequestPointer request, MPI_Datatype datatype, MPI_Comm comm);
/// A handle for a request that is no message.
[[nodiscard]] MPI_Request hand_out(Library& lib, std::unique_ptr<RequestExtra> extra, RequestPointer request);
/// Start a request, unless it is complete already.
void start(Library& lib, const RequestPointer& request);
/// Block until the request is complete.
void wait(Library& lib, const RequestPointer& request);
/// "receive from rank 3, tag 7, communicator MPI_COMM_WORLD", and who could end the wait.
[[nodiscard]] Waiting describe(const Request& request);

/// Fill the status of a complete request. @return its error class.
int complete(const Request& request, MPI_Status* status);
/// The error of a complete request that failed. @param code what complete() returned.
[[nodiscard]] Error failure(const Request& request, int code);

/// Block until the request is complete, and fill its status. @throws Error if it failed.
inline void finish(Library& lib, const RequestPointer& request, MPI_Status* status) {
  wait(lib, request);
  const int error = complete(*request, status);
  if (error != MPI_SUCCESS) throw failure(*request, error);
}

/// The pattern of a receive or a probe. @throws Error for arguments that are out of range.
[[nodiscard]] Pattern make_pattern(const Communicator& communicator, int source, int tag);

}  // namespace tidings
