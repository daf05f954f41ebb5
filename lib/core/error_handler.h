// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file error_handler.h
/// Error handlers of communicators.
#include "core/abi.h"

namespace tidings {

/// What happens when a call finds an error.
struct ErrorHandler {
  enum class Kind { Fatal, Return, User };
  Kind kind = Kind::Fatal;
  MPI_Errhandler handle = MPI_ERRORS_ARE_FATAL;
  MPI_Comm_errhandler_function* function = nullptr;  ///< of a user's handler
};

}  // namespace tidings
