// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file error_handler.cpp
/// Error handlers.
#include <memory>
#include <string>
#include <utility>

#include "mpi/call.h"
#include "mpi/error_handlers.h"

using namespace tidings;

namespace {

/// Where the handler of a communicator is, also of a copy that MPI_Comm_idup is still making.
std::shared_ptr<ErrorHandler>& error_handler_of(const Library& lib, MPI_Comm comm) {
  const auto copy = handlers_of_copies().find(number(comm));
  return copy != handlers_of_copies().end() ? copy->second : lib.communicator(comm)->error_handler;
}

MPI_Errhandler add(Library& lib, std::shared_ptr<ErrorHandler> handler) {
  ErrorHandler& made = *handler;
  made.handle = as_handle<MPI_Errhandler>(lib.error_handlers.add(std::move(handler)));
  return made.handle;
}

template <class Handle>
int create(const char* name, ErrorHandler::Function<Handle>* function, MPI_Errhandler* errhandler) {
  return serve_at_any_time(name, [&](Library& lib, Call&) {
    if (function == nullptr)
      throw Error(MPI_ERR_ARG, "the function is a null pointer", "Give the address of a function.");
    auto handler = std::make_shared<ErrorHandler>();
    handler->kind = ErrorHandler::Kind::User;
    handler->object = kObjectOf<Handle>;
    handler->function = erased(function);
    *errhandler = add(lib, std::move(handler));
  });
}

template <class Handle>
int create_with_state(const char* name, ErrorHandler::FunctionWithState<Handle>* function,
                      MPIX_Destructor_function* destroy, void* state, MPI_Errhandler* errhandler) {
  return serve_at_any_time(name, [&](Library& lib, Call&) {
    if (function == nullptr)
      throw Error(MPI_ERR_ARG, "the function is a null pointer", "Give the address of a function.");
    auto handler = std::make_shared<ErrorHandler>();
    handler->kind = ErrorHandler::Kind::User;
    handler->object = kObjectOf<Handle>;
    handler->function = erased(function);
    handler->with_state = true;
    handler->state = state;
    handler->destroy = destroy;
    *errhandler = add(lib, std::move(handler));
  });
}

}  // namespace

namespace tidings {

std::shared_ptr<ErrorHandler> handler_for(const Library& lib, Object object, MPI_Errhandler handle) {
  const auto& handler = lib.error_handler(handle);
  if (handler->kind == ErrorHandler::Kind::User && handler->object != object) {
    throw Error(MPI_ERR_ERRHANDLER, "the error handler was created for another kind of object");
  }
  return handler;
}

MPI_Errhandler hand_out(Library& lib, const std::shared_ptr<ErrorHandler>& handler) {
  if (handler->holders++ == 0) return add(lib, handler);  // the program had freed all of its handles
  return handler->handle;
}

}  // namespace tidings

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  return create<MPI_Comm>("MPI_Comm_create_errhandler", comm_errhandler_fn, errhandler);
}

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn, MPI_Errhandler* errhandler) {
  return create<MPI_Win>("MPI_Win_create_errhandler", win_errhandler_fn, errhandler);
}

int PMPI_File_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn, MPI_Errhandler* errhandler) {
  return create<MPI_File>("MPI_File_create_errhandler", file_errhandler_fn, errhandler);
}

int PMPI_Session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
  return create<MPI_Session>("MPI_Session_create_errhandler", session_errhandler_fn, errhandler);
}

int PMPIX_Comm_create_errhandler_x(MPIX_Comm_errhandler_function_x* function, MPIX_Destructor_function* destructor_fn,
                                   void* extra_state, MPI_Errhandler* errhandler) {
  return create_with_state<MPI_Comm>("MPIX_Comm_create_errhandler_x", function, destructor_fn, extra_state, errhandler);
}

int PMPIX_Win_create_errhandler_x(MPIX_Win_errhandler_function_x* function, MPIX_Destructor_function* destructor_fn,
                                  void* extra_state, MPI_Errhandler* errhandler) {
  return create_with_state<MPI_Win>("MPIX_Win_create_errhandler_x", function, destructor_fn, extra_state, errhandler);
}

int PMPIX_File_create_errhandler_x(MPIX_File_errhandler_function_x* function, MPIX_Destructor_function* destructor_fn,
                                   void* extra_state, MPI_Errhandler* errhandler) {
  return create_with_state<MPI_File>("MPIX_File_create_errhandler_x", function, destructor_fn, extra_state, errhandler);
}

int PMPIX_Session_create_errhandler_x(MPIX_Session_errhandler_function_x* function,
                                      MPIX_Destructor_function* destructor_fn, void* extra_state,
                                      MPI_Errhandler* errhandler) {
  return create_with_state<MPI_Session>("MPIX_Session_create_errhandler_x", function, destructor_fn, extra_state,
                                        errhandler);
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return serve("MPI_Comm_set_errhandler", comm, [&](Library& lib, Call&) {
    error_handler_of(lib, comm) = handler_for(lib, Object::Communicator, errhandler);
  });
}

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return serve("MPI_Comm_get_errhandler", comm,
               [&](Library& lib, Call&) { *errhandler = hand_out(lib, error_handler_of(lib, comm)); });
}

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  return serve("MPI_Comm_call_errhandler", comm, [&](Library& lib, Call& call) {
    static_cast<void>(lib.communicator(comm));
    lib.raise(call, Error(errorcode, error_class_text(errorcode), ""));
  });
}

int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  return serve_at_any_time("MPI_Errhandler_free", [&](Library& lib, Call&) {
    const std::shared_ptr<ErrorHandler> handler = lib.error_handler(*errhandler);
    // Predefined ones stay: MPI_Comm_get_errhandler may have given them out.
    if (!HandleTable<ErrorHandler>::is_constant(number(*errhandler)) && --handler->holders == 0) {
      lib.error_handlers.remove(number(*errhandler));
    }
    *errhandler = MPI_ERRHANDLER_NULL;
  });
}
