// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file environment.cpp
/// Start and end, versions, clocks and errors.
#include <algorithm>
#include <cstring>
#include <string>

#include "mpi/call.h"

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

/// Copy a text into the program's array of `size` characters.
void answer(const std::string& text, char* to, std::size_t size, int* length) {
  const std::size_t kept = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), kept);
  to[kept] = '\0';
  *length = static_cast<int>(kept);
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
  answer("Tidings " TIDINGS_VERSION, version, MPI_MAX_LIBRARY_VERSION_STRING, resultlen);
  return MPI_SUCCESS;
}

int PMPI_Get_processor_name(char* name, int* resultlen) {
  return serve("MPI_Get_processor_name", [&](Library& lib, Call&) {
    const MessageLayer& messages = lib.messages();
    const tidings_endpoint& here = messages.endpoint(messages.rank());
    answer(std::string(messages.platform().machine) + "-router" + std::to_string(here.node) + "-slot" +
               std::to_string(here.slot),
           name, MPI_MAX_PROCESSOR_NAME, resultlen);
  });
}

int PMPI_Error_class(int errorcode, int* errorclass) {
  *errorclass = errorcode;
  return MPI_SUCCESS;
}

int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  answer(error_class_text(errorcode), string, MPI_MAX_ERROR_STRING, resultlen);
  return MPI_SUCCESS;
}

// ---------------------------------------------------------------- error handlers

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  return serve("MPI_Comm_create_errhandler", [&](Library& lib, Call&) {
    if (comm_errhandler_fn == nullptr) throw Error(MPI_ERR_ARG, "the function is a null pointer");
    auto handler = std::make_shared<ErrorHandler>();
    handler->kind = ErrorHandler::Kind::User;
    handler->function = comm_errhandler_fn;
    *errhandler = as_handle<MPI_Errhandler>(lib.error_handlers.add(handler));
    handler->handle = *errhandler;
  });
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return serve("MPI_Comm_set_errhandler", comm,
               [&](Library& lib, Call&) { lib.communicator(comm)->error_handler = lib.error_handler(errhandler); });
}

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return serve("MPI_Comm_get_errhandler", comm, [&](Library& lib, Call&) {
    const auto handler = lib.communicator(comm)->error_handler;
    // The program may have freed its handle since; the one it gets now is to be freed too.
    if (lib.error_handlers.find(number(handler->handle)) == handler) {
      *errhandler = handler->handle;
    } else {
      *errhandler = as_handle<MPI_Errhandler>(lib.error_handlers.add(handler));
    }
  });
}

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  return serve("MPI_Comm_call_errhandler", comm,
               [&](Library& lib, Call& call) { lib.raise(call, Error(errorcode, error_class_text(errorcode))); });
}

int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  return serve("MPI_Errhandler_free", [&](Library& lib, Call&) {
    static_cast<void>(lib.error_handler(*errhandler));
    if (number(*errhandler) >= HandleTable<ErrorHandler>::kFirst) lib.error_handlers.remove(number(*errhandler));
    *errhandler = MPI_ERRHANDLER_NULL;
  });
}
