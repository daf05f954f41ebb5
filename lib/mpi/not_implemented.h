// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file not_implemented.h
/// For the functions of the standard that Tidings leaves out.

namespace tidings {

/// An error of MPI_COMM_WORLD, which ends the run if the program has no error handler of its own.
/// @param reason why the function is left out.
int not_implemented(const char* function, const char* reason);

}  // namespace tidings
