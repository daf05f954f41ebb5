// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/messages.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tidings {
namespace {

[[noreturn, gnu::noinline]] void refuse_tag(int tag) { throw Error(MPI_ERR_TAG, "the tag is " + std::to_string(tag)); }

inline void check_tag(int tag) {
  if (tag < 0) [[unlikely]] {
    refuse_tag(tag);
  }
}

[[noreturn, gnu::noinline]] void refuse_rank(const Communicator& communicator, int rank) {
  throw Error(MPI_ERR_RANK, rank_text(rank) + " is not in " + communicator.name() + ", which has " +
                                std::to_string(communicator.peers()->size()) + " ranks" +
                                (communicator.inter == nullptr ? "" : " on the other side"));
}

inline void check_rank(const Communicator& communicator, int rank) {
  if (rank < 0 || rank >= communicator.peers()->size()) [[unlikely]] {
    refuse_rank(communicator, rank);
  }
}

/// As make_pattern(), for a receive.
[[gnu::always_inline]] inline Pattern pattern_of(const Communicator& communicator, int source, int tag) {
  if (tag != MPI_ANY_TAG) check_tag(tag);
  if (source != MPI_ANY_SOURCE) check_rank(communicator, source);
  return {communicator.point_to_point(),
          source == MPI_ANY_SOURCE ? kAny : static_cast<std::int32_t>(communicator.peers()->world_rank(source)),
          tag == MPI_ANY_TAG ? kAny : tag};
}

}  // namespace

std::string rank_text(int rank, const char* what) {
  switch (rank) {
    case MPI_PROC_NULL:
      return "MPI_PROC_NULL";
    case MPI_ANY_SOURCE:
      return "MPI_ANY_SOURCE";
    case MPI_ROOT:
      return "MPI_ROOT";
    default:
      return std::string(what) + " " + std::to_string(rank);
  }
}

Pattern make_pattern(const Communicator& communicator, int source, int tag) {
  return pattern_of(communicator, source, tag);
}

RequestPointer make_send(Library& lib, Call& call, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                         int tag, MPI_Comm comm, SendMode mode) {
  call.to(dest, tag);
  auto request = RequestPointer::make();
  request->kind = Request::Kind::Send;
  request->communicator = lib.communicator(comm).get();
  request->buffer = lib.buffer(buf, count, datatype);
  request->mode = mode;
  check_tag(tag);
  request->tag = tag;
  if (dest == MPI_PROC_NULL) {
    request->peer = Request::kProcNull;
    request->complete = true;
    return request;
  }
  check_rank(*request->communicator, dest);
  request->peer = static_cast<std::int32_t>(request->communicator->peers()->world_rank(dest));
  request->context = request->communicator->point_to_point();
  return request;
}

RequestPointer make_receive(Library& lib, Call& call, void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                            int tag, MPI_Comm comm) {
  call.from(source, tag);
  auto request = RequestPointer::make();
  request->kind = Request::Kind::Receive;
  request->communicator = lib.communicator(comm).get();
  request->buffer = lib.buffer(buf, count, datatype);
  if (source == MPI_PROC_NULL) {
    request->peer = Request::kProcNull;
    request->complete = true;
    return request;
  }
  const Pattern pattern = pattern_of(*request->communicator, source, tag);
  request->peer = pattern.source;
  request->tag = pattern.tag;
  request->context = pattern.context;
  return request;
}

MPI_Request hand_out(Library& lib, RequestPointer request, MPI_Datatype datatype, MPI_Comm comm) {
  tidings_work(TIDINGS_WORK_HANDLE, 1);
  request->extra = std::make_unique<RequestExtra>();
  request->extra->communicator = lib.communicator(comm);
  request->extra->datatype = lib.type(datatype);
  return as_handle<MPI_Request>(lib.requests.add(std::move(request)));
}

MPI_Request hand_out(Library& lib, std::unique_ptr<RequestExtra> extra, RequestPointer request) {
  request->peer = Request::kOther;
  request->extra = std::move(extra);
  return as_handle<MPI_Request>(lib.requests.add(std::move(request)));
}

void start(Library& lib, const RequestPointer& request) {
  if (!request->complete) lib.messages().start(request);
}

void wait(Library& lib, const RequestPointer& request) {
  lib.messages().wait([&] { return request->complete; }, [&] { return describe(*request); });
}

Waiting describe(const Request& request) {
  if (request.peer == Request::kOther) return request.extra->describe();
  const Communicator& communicator = *request.communicator;
  Waiting waiting;
  const bool send = request.kind == Request::Kind::Send;
  waiting.text = send ? "send to " : "receive from ";
  if (request.peer == kAny) {
    waiting.text += "any rank";
    for (const std::uint32_t rank : communicator.peers()->ranks()) {
      if (rank != communicator.world_rank(communicator.rank())) waiting.ranks.push_back(rank);
    }
  } else {
    const auto peer = static_cast<std::uint32_t>(request.peer);
    const auto rank = static_cast<std::uint32_t>(communicator.peers()->rank_of(peer));
    waiting.text += "rank " + std::to_string(rank);
    if (rank != peer) waiting.text += " (rank " + std::to_string(peer) + " of MPI_COMM_WORLD)";
    waiting.ranks.push_back(peer);
  }
  waiting.text += request.tag == kAny ? ", any tag" : ", tag " + std::to_string(request.tag);
  if (send) waiting.text += ", " + std::to_string(request.buffer.bytes()) + " bytes";
  waiting.text += ", communicator " + communicator.name();
  return waiting;
}

int complete(const Request& request, MPI_Status* status) {
  if (request.peer <= Request::kProcNull) [[unlikely]] {
    if (request.peer == Request::kOther) return request.extra->finish(request, status);
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    if (request.peer == Request::kCancelled && status != MPI_STATUS_IGNORE) set_status_cancelled(*status, true);
    return MPI_SUCCESS;
  }
  if (request.kind == Request::Kind::Send) {
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  if (status != MPI_STATUS_IGNORE) {
    set_status(status, request.communicator->peers()->rank_of(static_cast<std::uint32_t>(request.received.source)),
               request.received.tag, std::min(request.message_bytes, request.buffer.bytes()));
  }
  return request.truncated() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

Error failure(const Request& request, int code) {
  if (request.peer == Request::kOther) {
    const bool truncated = code == MPI_ERR_TRUNCATE;
    return Error(code, request.extra->failure(code),
                 truncated ? "Give the same count and datatype on both sides." : nullptr);
  }
  const int source = request.communicator->peers()->rank_of(static_cast<std::uint32_t>(request.received.source));
  return Error(MPI_ERR_TRUNCATE, "message from rank " + std::to_string(source) + ", tag " +
                                     std::to_string(request.received.tag) +
                                     " truncated: " + std::to_string(request.message_bytes) +
                                     " bytes sent, buffer holds " + std::to_string(request.buffer.bytes()));
}

}  // namespace tidings
