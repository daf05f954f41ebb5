/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * @file mpi_fortran.h
 * Handles and statuses of Fortran in C (MPI 5.0, section 19.3), for programs in both: `mpi.h` of Tidings includes this.
 *
 * A handle in Fortran is the number that the standard ABI has for it, and a status has the bytes that it has in C. So
 * binaries need nothing but the standard ABI.
 */
#ifndef TIDINGS_MPI_FORTRAN_H
#define TIDINGS_MPI_FORTRAN_H

#include <string.h>

/** Fortran's default INTEGER. */
typedef int MPI_Fint;

/** A status of the module mpi_f08. */
typedef MPI_Status MPI_F08_status;

#define TIDINGS_FORTRAN_HANDLE(name, type)                                              \
  static inline type name##_f2c(MPI_Fint f_handle) { return name##_fromint(f_handle); } \
  static inline MPI_Fint name##_c2f(type c_handle) { return name##_toint(c_handle); }
TIDINGS_FORTRAN_HANDLE(MPI_Comm, MPI_Comm)
TIDINGS_FORTRAN_HANDLE(MPI_Errhandler, MPI_Errhandler)
TIDINGS_FORTRAN_HANDLE(MPI_File, MPI_File)
TIDINGS_FORTRAN_HANDLE(MPI_Group, MPI_Group)
TIDINGS_FORTRAN_HANDLE(MPI_Info, MPI_Info)
TIDINGS_FORTRAN_HANDLE(MPI_Message, MPI_Message)
TIDINGS_FORTRAN_HANDLE(MPI_Op, MPI_Op)
TIDINGS_FORTRAN_HANDLE(MPI_Request, MPI_Request)
TIDINGS_FORTRAN_HANDLE(MPI_Session, MPI_Session)
TIDINGS_FORTRAN_HANDLE(MPI_Type, MPI_Datatype)
TIDINGS_FORTRAN_HANDLE(MPI_Win, MPI_Win)
#undef TIDINGS_FORTRAN_HANDLE

#define TIDINGS_FORTRAN_STATUS(name, From, Into)                      \
  static inline int MPI_Status_##name(const From* from, Into* into) { \
    memcpy(into, from, sizeof(MPI_Status));                           \
    return MPI_SUCCESS;                                               \
  }
TIDINGS_FORTRAN_STATUS(c2f, MPI_Status, MPI_Fint)
TIDINGS_FORTRAN_STATUS(f2c, MPI_Fint, MPI_Status)
TIDINGS_FORTRAN_STATUS(c2f08, MPI_Status, MPI_F08_status)
TIDINGS_FORTRAN_STATUS(f082c, MPI_F08_status, MPI_Status)
TIDINGS_FORTRAN_STATUS(f2f08, MPI_Fint, MPI_F08_status)
TIDINGS_FORTRAN_STATUS(f082f, MPI_F08_status, MPI_Fint)
#undef TIDINGS_FORTRAN_STATUS

#endif
