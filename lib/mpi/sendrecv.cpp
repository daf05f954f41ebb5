// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file sendrecv.cpp
/// A send and a receive in one call, without blocking, and with one buffer for both.
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/activities.h"
#include "core/packing.h"
#include "mpi/messages.h"
#include "trace.h"

using namespace tidings;

namespace {

/// A send and a receive as one request. Its status is the receive's.
class SendAndReceive final : public RequestExtra {
 public:
  RequestPointer sent;
  RequestPointer received;
  std::shared_ptr<std::vector<std::byte>> copy;  ///< of what is sent, if the receive takes its place
  DatatypePointer send_type;

  int finish(const Request& /*request*/, MPI_Status* status) override { return complete(*received, status); }
  [[nodiscard]] std::uint64_t received_bytes() const override { return received->message_bytes; }
  [[nodiscard]] std::string failure(int code) const override { return tidings::failure(*received, code).what(); }
  [[nodiscard]] Waiting describe() const override { return tidings::describe(received->complete ? *sent : *received); }
};

/// Send a copy of the buffer's elements. @return it, which the request needs.
std::shared_ptr<std::vector<std::byte>> send_copy(const Library& lib, Request& sent) {
  auto copy = lib.scratch.take(sent.buffer.bytes());
  pack(sent.buffer, 0, copy->size(), copy->data());
  sent.buffer = {copy->data(), copy->size(), &lib.bytes()};
  return copy;
}

MPI_Request start_both(Library& lib, std::unique_ptr<SendAndReceive> both) {
  start(lib, both->received);
  start(lib, both->sent);
  auto whole = RequestPointer::make();
  attach(lib.messages(), std::make_shared<Composite>(whole, std::vector<RequestPointer>{both->sent, both->received}));
  return hand_out(lib, std::move(both), std::move(whole));
}

}  // namespace

int PMPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                            int recvtag, MPI_Comm comm, MPI_Status* status) {
  return serve("MPI_Sendrecv_replace", comm, [&](Library& lib, Call& call) {
    const auto sent = make_send(lib, call, buf, count, datatype, dest, sendtag, comm, SendMode::Standard);
    const auto received = make_receive(lib, call, buf, count, datatype, source, recvtag, comm);
    call.begin(sent->buffer.bytes());
    const auto copy = send_copy(lib, *sent);
    start(lib, received);
    start(lib, sent);
    wait(lib, sent);
    finish(lib, received, status);
    tidings_trace_bytes(sent->buffer.bytes() + received->message_bytes);
  });
}

int PMPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                     void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                     MPI_Request* request) {
  return serve("MPI_Isendrecv", comm, [&](Library& lib, Call& call) {
    auto both = std::make_unique<SendAndReceive>();
    both->sent = make_send(lib, call, sendbuf, sendcount, sendtype, dest, sendtag, comm, SendMode::Standard);
    both->received = make_receive(lib, call, recvbuf, recvcount, recvtype, source, recvtag, comm);
    both->send_type = lib.type(sendtype);
    both->datatype = lib.type(recvtype);
    both->communicator = lib.communicator(comm);
    call.begin(both->sent->buffer.bytes());
    *request = start_both(lib, std::move(both));
  });
}

int PMPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                             int recvtag, MPI_Comm comm, MPI_Request* request) {
  return serve("MPI_Isendrecv_replace", comm, [&](Library& lib, Call& call) {
    auto both = std::make_unique<SendAndReceive>();
    both->sent = make_send(lib, call, buf, count, datatype, dest, sendtag, comm, SendMode::Standard);
    both->received = make_receive(lib, call, buf, count, datatype, source, recvtag, comm);
    both->datatype = lib.type(datatype);
    both->communicator = lib.communicator(comm);
    call.begin(both->sent->buffer.bytes());
    both->copy = send_copy(lib, *both->sent);
    *request = start_both(lib, std::move(both));
  });
}
