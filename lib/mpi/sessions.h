// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file sessions.h
/// Sessions, and what their entry points share.
#include <memory>
#include <string>

#include "mpi/call.h"

namespace tidings {

struct Session {
  std::shared_ptr<ErrorHandler> error_handler;
  /// What MPI_Session_finalize does first, if the program has asked for anything.
  void (*before_finalize)(Library& lib, const Session& ends) = nullptr;
  /// What MPI_Session_get_info says of threads.
  std::string thread_level;
};

inline HandleTable<Session>& sessions() {
  static auto* const instance = new HandleTable<Session>;
  return *instance;
}

inline const std::shared_ptr<Session>& session_of(MPI_Session handle) {
  const auto& found = sessions().find(number(handle));
  if (found != nullptr) return found;
  throw Error(MPI_ERR_SESSION, handle == MPI_SESSION_NULL ? "the session is MPI_SESSION_NULL" : "invalid session");
}

/// As serve() for a session: its own handler has the errors.
template <class Body>
int serve_session(const char* name, MPI_Session session, Body body) {
  Library& lib = library();
  Call call(lib, name, MPI_COMM_WORLD);
  try {
    body(lib, call, *session_of(session));
    return MPI_SUCCESS;
  } catch (const Error& error) {
    const auto found = sessions().find(number(session));
    if (found == nullptr) return lib.raise(call, error);
    const std::shared_ptr<const ErrorHandler> handler = found->error_handler;
    return lib.raise(call, error, *handler, session);
  }
}

}  // namespace tidings
