// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file point_to_point.cpp
/// Sends, receives and probes.
#include <limits>

#include "mpi/messages.h"
#include "mpi/probing.h"
#include "trace.h"

using namespace tidings;

namespace {

int send(const char* name, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         SendMode mode) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto request = make_send(lib, call, buf, count, datatype, dest, tag, comm, mode);
    call.begin(request->buffer.bytes());
    start(lib, request);
    finish(lib, request, MPI_STATUS_IGNORE);
  });
}

int isend(const char* name, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          SendMode mode, MPI_Request* handle) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto request = make_send(lib, call, buf, count, datatype, dest, tag, comm, mode);
    call.begin(request->buffer.bytes());
    start(lib, request);
    *handle = hand_out(lib, request, datatype, comm);
  });
}

void fill_probe(const Communicator& communicator, const Probed& probed, MPI_Status* status) {
  set_status(status, communicator.peers()->rank_of(static_cast<std::uint32_t>(probed.envelope.source)),
             probed.envelope.tag, probed.bytes);
}

}  // namespace

int PMPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send("MPI_Send", buf, count, datatype, dest, tag, comm, SendMode::Standard);
}

int PMPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send("MPI_Ssend", buf, count, datatype, dest, tag, comm, SendMode::Synchronous);
}

int PMPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send("MPI_Rsend", buf, count, datatype, dest, tag, comm, SendMode::Standard);
}

int PMPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return isend("MPI_Isend", buf, count, datatype, dest, tag, comm, SendMode::Standard, request);
}

int PMPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return isend("MPI_Issend", buf, count, datatype, dest, tag, comm, SendMode::Synchronous, request);
}

int PMPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return isend("MPI_Irsend", buf, count, datatype, dest, tag, comm, SendMode::Standard, request);
}

int PMPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Status* status) {
  return serve("MPI_Recv", comm, [&](Library& lib, Call& call) {
    const auto request = make_receive(lib, call, buf, count, datatype, source, tag, comm);
    call.begin(request->buffer.bytes());
    start(lib, request);
    finish(lib, request, status);
    tidings_trace_bytes(request->message_bytes);
  });
}

int PMPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return serve("MPI_Irecv", comm, [&](Library& lib, Call& call) {
    const auto made = make_receive(lib, call, buf, count, datatype, source, tag, comm);
    call.begin();  // what comes is counted by the call that completes it
    start(lib, made);
    *request = hand_out(lib, made, datatype, comm);
  });
}

int PMPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                    MPI_Status* status) {
  return serve("MPI_Sendrecv", comm, [&](Library& lib, Call& call) {
    const auto sent = make_send(lib, call, sendbuf, sendcount, sendtype, dest, sendtag, comm, SendMode::Standard);
    const auto received = make_receive(lib, call, recvbuf, recvcount, recvtype, source, recvtag, comm);
    call.begin(sent->buffer.bytes());
    start(lib, received);
    start(lib, sent);
    wait(lib, sent);
    finish(lib, received, status);
    tidings_trace_bytes(sent->buffer.bytes() + received->message_bytes);
  });
}

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return serve("MPI_Probe", comm, [&](Library& lib, Call& call) {
    const auto found = wait_for_message(lib, call, source, tag, comm, status,
                                        [&](const Pattern& pattern) { return lib.messages().probe(pattern); });
    if (found) fill_probe(*lib.communicator(comm), *found, status);
  });
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return serve("MPI_Iprobe", comm, [&](Library& lib, Call& call) {
    const auto found = look_for_message(lib, call, source, tag, comm, status,
                                        [&](const Pattern& pattern) { return lib.messages().probe(pattern); });
    *flag = found.has_value() || source == MPI_PROC_NULL;
    if (found) fill_probe(*lib.communicator(comm), *found, status);
  });
}

int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return serve("MPI_Get_count", [&](Library& lib, Call&) {
    const std::size_t size = lib.type(datatype)->size();
    const std::uint64_t bytes = status_bytes(*status);
    if (size == 0) {
      *count = bytes == 0 ? 0 : static_cast<MPI_Count>(MPI_UNDEFINED);
    } else {
      *count = bytes % size == 0 ? static_cast<MPI_Count>(bytes / size) : static_cast<MPI_Count>(MPI_UNDEFINED);
    }
  });
}

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  MPI_Count wide = 0;
  const int result = PMPI_Get_count_c(status, datatype, &wide);
  if (result != MPI_SUCCESS) return result;
  *count = wide > std::numeric_limits<int>::max() ? static_cast<int>(MPI_UNDEFINED) : static_cast<int>(wide);
  return MPI_SUCCESS;
}
