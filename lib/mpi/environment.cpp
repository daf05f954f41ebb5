// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file environment.cpp
/// Start and end, versions and clocks.
#include <pthread.h>

#include <algorithm>
#include <memory>
#include <string>

#include "coll/grid.h"
#include "mpi/call.h"
#include "mpi/text.h"

using namespace tidings;

namespace {

/// The most that there is: builds for boards have one thread in the library at a time.
#ifdef TIDINGS_THREADS
constexpr int kMostThreads = MPI_THREAD_MULTIPLE;
#else
constexpr int kMostThreads = MPI_THREAD_SERIALIZED;
#endif

/// The thread that called MPI_Init.
pthread_t main_thread{};

/// What the program has been given.
int thread_level = MPI_THREAD_SINGLE;

int initialize(const char* name, int level) {
  Library& lib = library();
  Call call(lib, name, MPI_COMM_WORLD);
  try {
    if (lib.world != Library::Phase::Before)
      throw Error(MPI_ERR_OTHER, "MPI has been initialized before",
                  "Call MPI_Init once: MPI_Initialized tells whether it has been called.");
    if (lib.phase() == Library::Phase::Before) {  // otherwise a session has done this
      lib.start();
      call.begin();
      lib.meet();
    }
    lib.world = Library::Phase::Running;
    main_thread = pthread_self();
    thread_level = level;
    if (level == MPI_THREAD_MULTIPLE) begin_threads(lib);
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return lib.raise(call, error);
  }
}

}  // namespace

int PMPI_Init(int*, char***) { return initialize("MPI_Init", MPI_THREAD_SINGLE); }

int PMPI_Init_thread(int*, char***, int required, int* provided) {
  *provided = std::clamp(required, static_cast<int>(MPI_THREAD_SINGLE), kMostThreads);
  return initialize("MPI_Init_thread", *provided);
}

int PMPI_Query_thread(int* provided) {
  *provided = thread_level;
  return MPI_SUCCESS;
}

int PMPI_Is_thread_main(int* flag) {
  return serve("MPI_Is_thread_main", [&](Library&, Call&) { *flag = pthread_equal(main_thread, pthread_self()) != 0; });
}

int PMPI_Get_hw_resource_info(MPI_Info* hw_info) {
  return serve_at_any_time("MPI_Get_hw_resource_info", [&](Library& lib, Call&) {
    // Each rank has slots of its own, so there is no resource to name that ranks could be grouped by.
    *hw_info = as_handle<MPI_Info>(lib.infos.add(std::make_shared<Info>()));
  });
}

int PMPI_Initialized(int* flag) {
  *flag = library().world != Library::Phase::Before;
  return MPI_SUCCESS;
}

int PMPI_Finalized(int* flag) {
  *flag = library().world == Library::Phase::After;
  return MPI_SUCCESS;
}

int PMPI_Finalize() {
  return serve("MPI_Finalize", [](Library& lib, Call& call) {
    if (lib.world != Library::Phase::Running)
      throw Error(MPI_ERR_OTHER, "MPI_Init has not been called", "Call MPI_Init before MPI_Finalize.");
    for (const auto todo : lib.before_finish) todo(lib);
    lib.world = Library::Phase::After;
    if (lib.had_sessions) return;  // the device is closed at the end of the process
    CollectiveDescriptor descriptor;
    descriptor.kind = Collective::Finalize;
    call.collective(descriptor);
    call.begin_collective(*lib.communicator(MPI_COMM_WORLD));
    lib.finish();
  });
}

int PMPI_Abort(MPI_Comm comm, int errorcode) {
  const Turn turn;
  Library& lib = library();
  const auto communicator = lib.communicators.find(number(comm));
  const std::string where = communicator == nullptr ? "invalid communicator" : communicator->name();
  lib.fail(errorcode == 0 ? 1 : errorcode, "MPI_Abort(" + where + ", " + std::to_string(errorcode) + ")");
}

int PMPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }

double PMPI_Wtime() {
  const Turn turn;  // the clock is the rank's
  return static_cast<double>(tidings_clock_ns()) * 1e-9;
}

double PMPI_Wtick() { return 1e-9; }

int PMPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int PMPI_Get_library_version(char* version, int* resultlen) {
  *resultlen = copy_text("Tidings " TIDINGS_VERSION, version, MPI_MAX_LIBRARY_VERSION_STRING);
  return MPI_SUCCESS;
}

int PMPI_Get_processor_name(char* name, int* resultlen) {
  return serve("MPI_Get_processor_name", [&](Library& lib, Call&) {
    const MessageLayer& messages = lib.messages();
    const tidings_endpoint& here = messages.endpoint(messages.rank());
    const Grid grid(messages.platform().grid);
    *resultlen = copy_text(std::string(messages.platform().machine) + "-router" + std::to_string(grid.router(here)) +
                               "-slot" + std::to_string(grid.slot(here)),
                           name, MPI_MAX_PROCESSOR_NAME);
  });
}
