// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file probing.h
/// What plain and matched probes have in common.
#include <optional>
#include <type_traits>

#include "cost.h"
#include "mpi/messages.h"

namespace tidings {

/// Block until look(pattern) finds a message. @return what it found; nothing from MPI_PROC_NULL, whose status is set.
template <class Look>
std::invoke_result_t<Look, const Pattern&> wait_for_message(Library& lib, Call& call, int source, int tag,
                                                            MPI_Comm comm, MPI_Status* status, Look look) {
  call.from(source, tag);
  Request request;  // only to describe what is waited for
  request.kind = Request::Kind::Receive;
  request.communicator = lib.communicator(comm).get();
  if (source == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return std::nullopt;
  }
  const Pattern pattern = make_pattern(*request.communicator, source, tag);
  request.peer = pattern.source;
  request.tag = pattern.tag;
  call.begin();
  auto found = look(pattern);
  if (found) return found;
  tidings_work(TIDINGS_WORK_POLL, 1);
  lib.messages().wait(
      [&] {
        found = look(pattern);
        return found.has_value();
      },
      [&] { return describe(request); });
  return found;
}

/// Look once. @return what look(pattern) found; nothing from MPI_PROC_NULL, whose status is set.
template <class Look>
std::invoke_result_t<Look, const Pattern&> look_for_message(Library& lib, Call& call, int source, int tag,
                                                            MPI_Comm comm, MPI_Status* status, Look look) {
  call.from(source, tag);
  const auto& communicator = lib.communicator(comm);
  if (source == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return std::nullopt;
  }
  const Pattern pattern = make_pattern(*communicator, source, tag);
  call.begin();
  auto found = look(pattern);
  if (!found) {
    lib.messages().poll();
    found = look(pattern);
  }
  if (!found) tidings_work(TIDINGS_WORK_POLL, 1);
  return found;
}

}  // namespace tidings
