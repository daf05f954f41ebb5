// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file environment.cpp
/// Start and end, versions and clocks.
#include <algorithm>
#include <string>

#include "mpi/call.h"
#include "mpi/text.h"

using namespace tidings;

namespace {

int initialize(const char* name) {
  Library& lib = library();
  Call call(lib, name, MPI_COMM_WORLD);
  try {
    lib.start();
    call.begin();
    lib.meet();
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return lib.raise(call, error);
  }
}

}  // namespace

int PMPI_Init(int*, char***) { return initialize("MPI_Init"); }

int PMPI_Init_thread(int*, char***, int required, int* provided) {
  *provided = std::min(required, static_cast<int>(MPI_THREAD_SERIALIZED));
  return initialize("MPI_Init_thread");
}

int PMPI_Query_thread(int* provided) {
  *provided = MPI_THREAD_SERIALIZED;
  return MPI_SUCCESS;
}

int PMPI_Initialized(int* flag) {
  *flag = library().phase() != Library::Phase::Before;
  return MPI_SUCCESS;
}

int PMPI_Finalized(int* flag) {
  *flag = library().phase() == Library::Phase::After;
  return MPI_SUCCESS;
}

int PMPI_Finalize() {
  return serve("MPI_Finalize", [](Library& lib, Call& call) {
    for (const auto todo : lib.before_finish) todo(lib);
    CollectiveDescriptor descriptor;
    descriptor.kind = Collective::Finalize;
    call.collective(descriptor);
    call.begin_collective(*lib.communicator(MPI_COMM_WORLD));
    lib.finish();
  });
}

int PMPI_Abort(MPI_Comm comm, int errorcode) {
  Library& lib = library();
  const auto communicator = lib.communicators.find(number(comm));
  const std::string where = communicator == nullptr ? "invalid communicator" : communicator->name();
  lib.fail(errorcode == 0 ? 1 : errorcode, "MPI_Abort(" + where + ", " + std::to_string(errorcode) + ")");
}

int PMPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }

double PMPI_Wtime() { return static_cast<double>(tidings_clock_ns()) * 1e-9; }

double PMPI_Wtick() { return 1e-9; }

int PMPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int PMPI_Abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
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
    *resultlen = copy_text(std::string(messages.platform().machine) + "-router" + std::to_string(here.node) + "-slot" +
                               std::to_string(here.slot),
                           name, MPI_MAX_PROCESSOR_NAME);
  });
}
