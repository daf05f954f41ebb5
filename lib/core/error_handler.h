// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file error_handler.h
/// Error handlers of communicators, windows, files and sessions.
#include "core/abi.h"
#include "core/object.h"

namespace tidings {

/// What happens when a call finds an error.
struct ErrorHandler {
  enum class Kind { Fatal, Return, User };
  /// A user's function, and one with a state of its own (MPI 5.0's ABI for languages other than C).
  template <class Handle>
  using Function = void(Handle*, int*, ...);
  template <class Handle>
  using FunctionWithState = void(Handle, int, void*);

  Kind kind = Kind::Fatal;
  MPI_Errhandler handle = MPI_ERRORS_ARE_FATAL;
  int holders = 1;  ///< handles that the program has not freed yet

  // Of a user's handler:
  Object object = Object::Communicator;
  ErasedFunction function = nullptr;
  bool with_state = false;
  void* state = nullptr;
  MPIX_Destructor_function* destroy = nullptr;

  ErrorHandler() = default;
  ErrorHandler(Kind what, MPI_Errhandler constant) : kind(what), handle(constant) {}
  ErrorHandler(const ErrorHandler&) = delete;
  ErrorHandler& operator=(const ErrorHandler&) = delete;
  ~ErrorHandler() {
    if (destroy != nullptr) destroy(state);
  }

  /// Call the function of a user's handler for an object of its kind.
  template <class Handle>
  void call(Handle on, int code) const {
    if (with_state) {
      as_function<FunctionWithState<Handle>>(function)(on, code, state);
    } else {
      as_function<Function<Handle>>(function)(&on, &code);
    }
  }
};

}  // namespace tidings
