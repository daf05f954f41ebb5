// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file error_handlers.h
/// Error handlers of any kind of object that has one: what its entry points call.
#include <cstdint>
#include <map>
#include <memory>

#include "mpi/call.h"

namespace tidings {

/// The handler that an object of this kind is to have. @throws Error if it is for another kind.
[[nodiscard]] std::shared_ptr<ErrorHandler> handler_for(const Library& lib, Object object, MPI_Errhandler handle);
/// A handle for the program, which it frees.
[[nodiscard]] MPI_Errhandler hand_out(Library& lib, const std::shared_ptr<ErrorHandler>& handler);
/// The handlers, by handles, of communicators that MPI_Comm_idup is still making: a program may set them already.
inline std::map<std::intptr_t, std::shared_ptr<ErrorHandler>>& handlers_of_copies() {
  static auto* const handlers = new std::map<std::intptr_t, std::shared_ptr<ErrorHandler>>;
  return *handlers;
}

}  // namespace tidings
