// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file abi.h
/// The MPI standard ABI. What its header declares is exported; everything else of the library is hidden.
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
