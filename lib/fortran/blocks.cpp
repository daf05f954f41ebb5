// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file blocks.cpp
/// The common blocks of programs compiled for this library. A program's own copies stand for these when it runs.
#include "fortran/addresses.h"

#define TIDINGS_COMMON __attribute__((visibility("default")))

TIDINGS_COMMON Integer tidings_mpi_bottom_;
TIDINGS_COMMON Integer tidings_mpi_in_place_;
TIDINGS_COMMON Integer tidings_mpi_buffer_automatic_;
TIDINGS_COMMON Integer tidings_mpi_status_ignore_[MPI_F_STATUS_SIZE];
TIDINGS_COMMON Integer tidings_mpi_statuses_ignore_[MPI_F_STATUS_SIZE];
TIDINGS_COMMON Integer tidings_mpi_errcodes_ignore_[1];
TIDINGS_COMMON Integer tidings_mpi_unweighted_[1];
TIDINGS_COMMON Integer tidings_mpi_weights_empty_[1];
TIDINGS_COMMON char tidings_mpi_argv_null_[1];
TIDINGS_COMMON char tidings_mpi_argvs_null_[1];
