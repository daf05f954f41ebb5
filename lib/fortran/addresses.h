// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file addresses.h
/// Fortran's constants that stand for an address: variables of which a program has its own copies.
#include <mpi.h>

/// Fortran's default INTEGER and LOGICAL.
using Integer = int;

#ifdef TIDINGS_MPICH
extern "C" {
// Common blocks of programs that were compiled with MPICH's mpif.h or module mpi.
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
// Variables of programs that were compiled with its module mpi_f08.
extern Integer MPIR_F08_MPI_BOTTOM;
extern Integer MPIR_F08_MPI_IN_PLACE;
extern Integer MPIR_F08_MPI_STATUS_IGNORE_OBJ[MPI_F_STATUS_SIZE];
extern Integer MPIR_F08_MPI_STATUSES_IGNORE_OBJ[MPI_F_STATUS_SIZE];
}
#define TIDINGS_MODULE_VARIABLE(type, variable, name) \
  extern "C" type variable __asm__("__mpi_f08_link_constants_MOD_mpi_" #name)
TIDINGS_MODULE_VARIABLE(Integer, mpich_f08_errcodes_ignore, errcodes_ignore);
TIDINGS_MODULE_VARIABLE(Integer, mpich_f08_unweighted, unweighted);
TIDINGS_MODULE_VARIABLE(Integer, mpich_f08_weights_empty, weights_empty);
TIDINGS_MODULE_VARIABLE(char, mpich_f08_argv_null, argv_null);
TIDINGS_MODULE_VARIABLE(char, mpich_f08_argvs_null, argvs_null);
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
#endif

namespace tidings::fortran {

/// An address that stands for a constant: each way in which a program can name it has a variable of its own.
template <int kCount>
struct Constant {
  const void* addresses[kCount];
  friend bool operator==(const void* given, const Constant& constant) {
    for (const void* const each : constant.addresses) {
      if (given == each) return true;
    }
    return false;
  }
};
template <class... Variable>
Constant(const Variable*...) -> Constant<sizeof...(Variable)>;

#ifdef TIDINGS_MPICH
inline const Constant kBottom{&mpipriv1_.bottom, &MPIR_F08_MPI_BOTTOM};
inline const Constant kInPlace{&mpipriv1_.in_place, &MPIR_F08_MPI_IN_PLACE};
inline const Constant kBufferAutomatic{&mpifcmba_};
inline const Constant kStatusIgnore{+mpipriv1_.status_ignore, +MPIR_F08_MPI_STATUS_IGNORE_OBJ};
inline const Constant kStatusesIgnore{+mpipriv2_.statuses_ignore, +MPIR_F08_MPI_STATUSES_IGNORE_OBJ};
inline const Constant kErrcodesIgnore{+mpipriv2_.errcodes_ignore, &mpich_f08_errcodes_ignore};
inline const Constant kUnweighted{&mpifcmb5_, &mpich_f08_unweighted};
inline const Constant kWeightsEmpty{&mpifcmb9_, &mpich_f08_weights_empty};
inline const Constant kArgvNull{+mpiprivc_.argv_null, &mpich_f08_argv_null};
inline const Constant kArgvsNull{+mpiprivc_.argvs_null, &mpich_f08_argvs_null};
#else
inline const Constant kBottom{&tidings_mpi_bottom_};
inline const Constant kInPlace{&tidings_mpi_in_place_};
inline const Constant kBufferAutomatic{&tidings_mpi_buffer_automatic_};
inline const Constant kStatusIgnore{+tidings_mpi_status_ignore_};
inline const Constant kStatusesIgnore{+tidings_mpi_statuses_ignore_};
inline const Constant kErrcodesIgnore{+tidings_mpi_errcodes_ignore_};
inline const Constant kUnweighted{+tidings_mpi_unweighted_};
inline const Constant kWeightsEmpty{+tidings_mpi_weights_empty_};
inline const Constant kArgvNull{+tidings_mpi_argv_null_};
inline const Constant kArgvsNull{+tidings_mpi_argvs_null_};
#endif

}  // namespace tidings::fortran
