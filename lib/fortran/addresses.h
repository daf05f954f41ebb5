// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file addresses.h
/// Fortran's constants that stand for an address: variables in common blocks, of which a program has its own copies.
#include <mpi.h>

/// Fortran's default INTEGER and LOGICAL.
using Integer = int;

#ifdef TIDINGS_MPICH
// Common blocks of programs that were compiled with MPICH's mpif.h or module mpi.
extern "C" {
struct MpichBottoms {
  Integer bottom;
  Integer in_place;
  Integer status_ignore[MPI_F_STATUS_SIZE];
};
struct MpichIgnored {
  Integer statuses_ignore[MPI_F_STATUS_SIZE];
  Integer errcodes_ignore[1];
};
struct MpichTexts {
  char argvs_null[1];
  char argv_null[1];
};
extern MpichBottoms mpipriv1_;
extern MpichIgnored mpipriv2_;
extern MpichTexts mpiprivc_;
extern Integer mpifcmb5_;
extern Integer mpifcmb9_;
extern Integer mpifcmba_;
}

namespace tidings::fortran {

inline Integer* const kBottom = &mpipriv1_.bottom;
inline Integer* const kInPlace = &mpipriv1_.in_place;
inline Integer* const kBufferAutomatic = &mpifcmba_;
inline Integer* const kStatusIgnore = mpipriv1_.status_ignore;
inline Integer* const kStatusesIgnore = mpipriv2_.statuses_ignore;
inline Integer* const kErrcodesIgnore = mpipriv2_.errcodes_ignore;
inline Integer* const kUnweighted = &mpifcmb5_;
inline Integer* const kWeightsEmpty = &mpifcmb9_;
inline char* const kArgvNull = mpiprivc_.argv_null;
inline char* const kArgvsNull = mpiprivc_.argvs_null;

}  // namespace tidings::fortran
#else
extern "C" {
extern Integer tidings_mpi_bottom_;
extern Integer tidings_mpi_in_place_;
extern Integer tidings_mpi_buffer_automatic_;
extern Integer tidings_mpi_status_ignore_[MPI_F_STATUS_SIZE];
extern Integer tidings_mpi_statuses_ignore_[MPI_F_STATUS_SIZE];
extern Integer tidings_mpi_errcodes_ignore_[1];
extern Integer tidings_mpi_unweighted_[1];
extern Integer tidings_mpi_weights_empty_[1];
extern char tidings_mpi_argv_null_[1];
extern char tidings_mpi_argvs_null_[1];
}

namespace tidings::fortran {

inline Integer* const kBottom = &tidings_mpi_bottom_;
inline Integer* const kInPlace = &tidings_mpi_in_place_;
inline Integer* const kBufferAutomatic = &tidings_mpi_buffer_automatic_;
inline Integer* const kStatusIgnore = tidings_mpi_status_ignore_;
inline Integer* const kStatusesIgnore = tidings_mpi_statuses_ignore_;
inline Integer* const kErrcodesIgnore = tidings_mpi_errcodes_ignore_;
inline Integer* const kUnweighted = tidings_mpi_unweighted_;
inline Integer* const kWeightsEmpty = tidings_mpi_weights_empty_;
inline char* const kArgvNull = tidings_mpi_argv_null_;
inline char* const kArgvsNull = tidings_mpi_argvs_null_;

}  // namespace tidings::fortran
#endif
