// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file persistent.cpp
/// Persistent sends and receives.
#include "mpi/persistent.h"

#include <string>
#include <utility>
#include <vector>

using namespace tidings;

namespace tidings {

void PersistentMessage::start(const RequestPointer& request) {
  if (!peer_) peer_ = request->peer;
  request->peer = *peer_;
  request->received = {};
  request->message_bytes = request->granted = request->moved = 0;
  request->windows = 0;
  request->complete = request->peer == Request::kProcNull;
  if (!request->complete) begin(request);
}

void PersistentMessage::begin(const RequestPointer& request) { library().messages().start(request); }

MPI_Request hand_out_inactive(Library& lib, RequestPointer request, MPI_Datatype datatype, MPI_Comm comm,
                              std::unique_ptr<PersistentMessage> extra) {
  extra->communicator = lib.communicator(comm);
  extra->datatype = lib.type(datatype);
  request->extra = std::move(extra);
  return as_handle<MPI_Request>(lib.requests.add(std::move(request)));
}

void start_persistent(const RequestPointer& request) {
  RequestExtra& extra = *request->extra;
  if (extra.persistent && extra.active)
    throw Error(MPI_ERR_REQUEST, "the request is active: it has not completed",
                "Wait for it before it is started again or freed.");
  extra.start(request);
  extra.active = true;
}

}  // namespace tidings

namespace {

int send_init(const char* name, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
              MPI_Comm comm, SendMode mode, MPI_Request* request) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    auto made = make_send(lib, call, buf, count, datatype, dest, tag, comm, mode);
    *request = hand_out_inactive(lib, std::move(made), datatype, comm, std::make_unique<PersistentMessage>());
  });
}

/// Bytes that a request sends; what others receive is counted when they are complete.
std::size_t bytes_sent(const Request& request) {
  const bool sends = request.kind == Request::Kind::Send && request.buffer.type != nullptr;
  return sends ? request.buffer.bytes() : 0;
}

}  // namespace

int PMPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return send_init("MPI_Send_init", buf, count, datatype, dest, tag, comm, SendMode::Standard, request);
}

int PMPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                      MPI_Request* request) {
  return send_init("MPI_Ssend_init", buf, count, datatype, dest, tag, comm, SendMode::Synchronous, request);
}

int PMPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                      MPI_Request* request) {
  return send_init("MPI_Rsend_init", buf, count, datatype, dest, tag, comm, SendMode::Standard, request);
}

int PMPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return serve("MPI_Recv_init", comm, [&](Library& lib, Call& call) {
    auto made = make_receive(lib, call, buf, count, datatype, source, tag, comm);
    *request = hand_out_inactive(lib, std::move(made), datatype, comm, std::make_unique<PersistentMessage>());
  });
}

int PMPI_Start(MPI_Request* request) {
  return serve("MPI_Start", [&](Library& lib, Call& call) {
    const RequestPointer found = lib.request(at(request, "request"));
    call.begin(bytes_sent(*found));
    start_persistent(found);
  });
}

int PMPI_Startall(int count, MPI_Request array_of_requests[]) {
  return serve("MPI_Startall", [&](Library& lib, Call& call) {
    if (count < 0)
      throw Error(MPI_ERR_ARG, "the count is " + std::to_string(count), "Give a count that is not negative.");
    if (count > 0) static_cast<void>(at(array_of_requests, "requests"));
    std::vector<RequestPointer> requests;
    std::uint64_t bytes = 0;
    for (int i = 0; i < count; ++i) {
      requests.push_back(lib.request(array_of_requests[i]));
      bytes += bytes_sent(*requests.back());
    }
    call.begin(bytes);
    for (const RequestPointer& request : requests) start_persistent(request);
  });
}
