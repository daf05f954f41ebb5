// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file session.cpp
/// Sessions and their process sets.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "mpi/call.h"
#include "mpi/error_handlers.h"
#include "mpi/sessions.h"
#include "mpi/text.h"

using namespace tidings;

namespace {

/// Key of the level of thread support.
constexpr const char* kThreadLevel = "thread_level";
constexpr const char* kWorld = "mpi://WORLD";
constexpr const char* kSelf = "mpi://SELF";
constexpr std::array kProcessSets{kWorld, kSelf};
constexpr const char* kMultiple = "MPI_THREAD_MULTIPLE";
constexpr std::array kThreadLevels{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", kMultiple};

/// The level of thread support that a session has. @param info what the program asks for.
std::string thread_level(const Library& lib, MPI_Info info) {
  const std::string* const wanted = info == MPI_INFO_NULL ? nullptr : lib.info(info)->find(kThreadLevel);
  if (wanted == nullptr) return kThreadLevels.front();
  if (std::find(kThreadLevels.begin(), kThreadLevels.end(), *wanted) == kThreadLevels.end()) {
    throw Error(MPI_ERR_INFO_VALUE, std::string(kThreadLevel) + ": there is no level \"" + *wanted + "\"",
                "Give the name of a level, such as MPI_THREAD_MULTIPLE.");
  }
  return !kMayHaveThreads && *wanted == kMultiple ? "MPI_THREAD_SERIALIZED" : *wanted;
}

/// The device stays open from the first session to the end of the process: another session may follow.
void close_device() {
  Library& lib = library();
  if (lib.phase() != Library::Phase::Running || lib.world == Library::Phase::Running || lib.sessions != 0) return;
  Call call(lib, "MPI_Session_finalize", MPI_COMM_WORLD);
  CollectiveDescriptor descriptor;
  descriptor.kind = Collective::Finalize;
  call.collective(descriptor);
  call.begin_collective(*lib.communicator(MPI_COMM_WORLD));
  lib.finish();
}

/// Threads that open sessions at once do so one after the other: until the first has said that several threads come,
/// none of their calls waits for another.
class FirstOfThreads {
#ifdef TIDINGS_THREADS
 public:
  FirstOfThreads() {
    if (several_threads) return;
    lock_ = std::unique_lock(mutex());
    if (several_threads) lock_.unlock();
  }

 private:
  static std::mutex& mutex() {
    static auto* const instance = new std::mutex;  // never destroyed, as the library
    return *instance;
  }
  std::unique_lock<std::mutex> lock_;
#else
 public:
  FirstOfThreads() {}
#endif
};

const CommunicatorPointer& members_of(const Library& lib, const char* process_set) {
  const std::string_view name = process_set == nullptr ? "" : process_set;
  if (name == kWorld) return lib.communicator(MPI_COMM_WORLD);
  if (name == kSelf) return lib.communicator(MPI_COMM_SELF);
  throw Error(MPI_ERR_ARG,
              "there is no process set \"" + std::string(name) + "\": there are " + kWorld + " and " + kSelf,
              "Give one of them.");
}

}  // namespace

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  const FirstOfThreads first;
  Library& lib = library();
  Call call(lib, "MPI_Session_init", MPI_COMM_WORLD);
  std::shared_ptr<ErrorHandler> handler;
  try {
    handler = handler_for(lib, Object::Session, errhandler);
    std::string level = thread_level(lib, info);
    if (lib.phase() == Library::Phase::After) {
      throw Error(MPI_ERR_OTHER, "MPI has been finalized, and no session was open then",
                  "Open sessions before MPI_Finalize.");
    }
    if (lib.phase() == Library::Phase::Before) {
      lib.start();
      call.begin();
      lib.meet();
    }
    if (kMayHaveThreads && level == kMultiple) begin_threads(lib);
    if (!lib.had_sessions) std::atexit(close_device);
    lib.had_sessions = true;
    ++lib.sessions;
    *session =
        as_handle<MPI_Session>(sessions().add(std::make_shared<Session>(Session{handler, nullptr, std::move(level)})));
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return handler == nullptr ? lib.raise(call, error) : lib.raise(call, error, *handler, MPI_SESSION_NULL);
  }
}

int PMPI_Session_finalize(MPI_Session* session) {
  return serve_session("MPI_Session_finalize", *session, [&](Library& lib, Call&, const Session& ends) {
    if (ends.before_finalize != nullptr) ends.before_finalize(lib, ends);
    sessions().remove(number(*session));
    --lib.sessions;
    *session = MPI_SESSION_NULL;
  });
}

int PMPI_Session_get_info(MPI_Session session, MPI_Info* info_used) {
  return serve_session("MPI_Session_get_info", session, [&](Library& lib, Call&, const Session& asked) {
    auto hints = std::make_shared<Info>();
    hints->set(kThreadLevel, asked.thread_level);
    *info_used = as_handle<MPI_Info>(lib.infos.add(std::move(hints)));
  });
}

int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info, int* npset_names) {
  return serve_session("MPI_Session_get_num_psets", session,
                       [&](Library&, Call&, const Session&) { *npset_names = static_cast<int>(kProcessSets.size()); });
}

int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info, int n, int* pset_len, char* pset_name) {
  return serve_session("MPI_Session_get_nth_pset", session, [&](Library&, Call&, const Session&) {
    if (n < 0 || static_cast<std::size_t>(n) >= kProcessSets.size()) {
      throw Error(MPI_ERR_ARG, "process set " + std::to_string(n) + " of " + std::to_string(kProcessSets.size()),
                  "Give a number below that of MPI_Session_get_num_psets.");
    }
    const std::string_view name = kProcessSets.at(static_cast<std::size_t>(n));
    if (*pset_len > 0) copy_text(name, pset_name, static_cast<std::size_t>(*pset_len));
    *pset_len = static_cast<int>(name.size()) + 1;
  });
}

int PMPI_Session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info) {
  return serve_session("MPI_Session_get_pset_info", session, [&](Library& lib, Call&, const Session&) {
    auto told = std::make_shared<Info>();
    told->set("mpi_size", std::to_string(members_of(lib, pset_name)->size()));
    *info = as_handle<MPI_Info>(lib.infos.add(std::move(told)));
  });
}

int PMPI_Group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
  return serve_session("MPI_Group_from_session_pset", session, [&](Library& lib, Call&, const Session&) {
    *newgroup = as_handle<MPI_Group>(lib.groups.add(members_of(lib, pset_name)->group()));
  });
}

int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) {
  return serve_session("MPI_Session_set_errhandler", session, [&](Library& lib, Call&, Session& found) {
    found.error_handler = handler_for(lib, Object::Session, errhandler);
  });
}

int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) {
  return serve_session("MPI_Session_get_errhandler", session, [&](Library& lib, Call&, const Session& found) {
    *errhandler = hand_out(lib, found.error_handler);
  });
}

int PMPI_Session_call_errhandler(MPI_Session session, int errorcode) {
  return serve_session("MPI_Session_call_errhandler", session, [&](Library& lib, Call& call, const Session& found) {
    const std::shared_ptr<const ErrorHandler> handler = found.error_handler;
    lib.raise(call, Error(errorcode, error_class_text(errorcode), ""), *handler, session);
  });
}
