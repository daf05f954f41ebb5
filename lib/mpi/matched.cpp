// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file matched.cpp
/// Matched probes: the message that was found is the one that is received.
#include <utility>

#include "core/reused.h"
#include "cost.h"
#include "mpi/messages.h"
#include "mpi/probing.h"
#include "trace.h"

using namespace tidings;

namespace {

/// A message between its probe and its receive.
struct ProbedMessage {
  CommunicatorPointer communicator;
  MPI_Comm handle = MPI_COMM_NULL;
  MessageLayer::Matched message;
};

HandleTable<ProbedMessage>& probed_messages() {
  static auto* const table = new HandleTable<ProbedMessage>;
  return *table;
}

std::size_t bytes_of(const MessageLayer::Matched& message) { return message.item.bytes; }

MPI_Message keep(Library& lib, MPI_Comm comm, MessageLayer::Matched&& found, MPI_Status* status) {
  tidings_work(TIDINGS_WORK_PROBE, 1);
  static auto* const used_again = new Reused<ProbedMessage>;
  auto made = used_again->take();
  *made = {lib.communicator(comm), comm, std::move(found)};
  const Envelope& envelope = made->message.envelope;
  set_status(status, made->communicator->peers()->rank_of(static_cast<std::uint32_t>(envelope.source)), envelope.tag,
             bytes_of(made->message));
  return as_handle<MPI_Message>(probed_messages().add(std::move(made)));
}

/// Receive a probed message; its handle is null from now on.
RequestPointer receive(Library& lib, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                       Call& call) {
  auto request = RequestPointer::make();
  request->kind = Request::Kind::Receive;
  request->buffer = lib.buffer(buf, count, datatype);
  request->extra = std::make_unique<RequestExtra>();
  request->extra->datatype = lib.type(datatype);
  if (*message == MPI_MESSAGE_NO_PROC) {
    request->communicator = lib.communicator(MPI_COMM_WORLD).get();
    request->peer = Request::kProcNull;
    request->complete = true;
    call.begin();
    *message = MPI_MESSAGE_NULL;
    return request;
  }
  const auto probed = probed_messages().find(number(*message));
  if (probed == nullptr)
    throw Error(MPI_ERR_REQUEST, "the message is not one that a probe has matched",
                "Give a message of MPI_Mprobe or MPI_Improbe, and receive it once.");
  probed_messages().remove(number(*message));
  *message = MPI_MESSAGE_NULL;
  const Envelope& envelope = probed->message.envelope;
  request->extra->communicator = std::move(probed->communicator);
  request->communicator = request->extra->communicator.get();
  request->peer = envelope.source;
  request->tag = envelope.tag;
  request->context = envelope.context;
  call.begin();
  lib.messages().receive(request, probed->message);
  return request;
}

}  // namespace

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return serve("MPI_Mprobe", comm, [&](Library& lib, Call& call) {
    auto found = wait_for_message(lib, call, source, tag, comm, status,
                                  [&](const Pattern& pattern) { return lib.messages().take(pattern); });
    *message = found ? keep(lib, comm, std::move(*found), status) : MPI_MESSAGE_NO_PROC;
  });
}

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return serve("MPI_Improbe", comm, [&](Library& lib, Call& call) {
    auto found = look_for_message(lib, call, source, tag, comm, status,
                                  [&](const Pattern& pattern) { return lib.messages().take(pattern); });
    *flag = found.has_value() || source == MPI_PROC_NULL;
    *message = found ? keep(lib, comm, std::move(*found), status) : *flag ? MPI_MESSAGE_NO_PROC : MPI_MESSAGE_NULL;
  });
}

int PMPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return serve("MPI_Mrecv", [&](Library& lib, Call& call) {
    const auto request = receive(lib, buf, count, datatype, message, call);
    finish(lib, request, status);
    tidings_trace_bytes(request->message_bytes);
  });
}

int PMPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return serve("MPI_Imrecv", [&](Library& lib, Call& call) {
    *request = as_handle<MPI_Request>(lib.requests.add(receive(lib, buf, count, datatype, message, call)));
  });
}
