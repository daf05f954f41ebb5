// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file fortran.cpp
/// What programs in Fortran that were compiled for MPICH have beside the functions (`lib/fortran`): its common blocks,
/// and procedures of its modules.
#include <dlfcn.h>

#include <algorithm>

#include "check/entry.h"
#include "fortran/convert.h"
#include "mpich_abi/section.h"

using tidings::fortran::Descriptor;
using tidings::fortran::give;

#define TIDINGS_COMMON __attribute__((visibility("default")))

TIDINGS_COMMON MpichBottoms mpipriv1_;
TIDINGS_COMMON MpichIgnored mpipriv2_;
TIDINGS_COMMON MpichTexts mpiprivc_;
TIDINGS_COMMON Integer mpifcmb5_;
TIDINGS_COMMON Integer mpifcmb9_;
TIDINGS_COMMON Integer mpifcmba_;

TIDINGS_COMMON Integer MPIR_F08_MPI_BOTTOM;
TIDINGS_COMMON Integer MPIR_F08_MPI_IN_PLACE;
TIDINGS_COMMON Integer MPIR_F08_MPI_STATUS_IGNORE_OBJ[MPI_F_STATUS_SIZE];
TIDINGS_COMMON Integer MPIR_F08_MPI_STATUSES_IGNORE_OBJ[MPI_F_STATUS_SIZE];
TIDINGS_COMMON Integer mpich_f08_errcodes_ignore;
TIDINGS_COMMON Integer mpich_f08_unweighted;
TIDINGS_COMMON Integer mpich_f08_weights_empty;
TIDINGS_COMMON char mpich_f08_argv_null;
TIDINGS_COMMON char mpich_f08_argvs_null;

constinit thread_local const void* tidings::caller = nullptr;

/// What lib/check asks for: where a program called a wrapper of this library, or one of C's, which is behind this one.
TIDINGS_EXPORT const void* tidings_caller() {
  if (tidings::caller != nullptr) return tidings::caller;
  static const auto of_c = reinterpret_cast<const void* (*)()>(dlsym(RTLD_NEXT, "tidings_caller"));
  return of_c == nullptr ? nullptr : of_c();
}

// ---------------------------------------------------------------- module mpi_sizeofs, by gfortran's names

#define TIDINGS_SIZEOF(name, bytes)                                                                        \
  TIDINGS_EXPORT void size_of_##name(const void*, Integer* size,                                           \
                                     Integer* ierror) __asm__("__mpi_sizeofs_MOD_mpi_sizeof_" #name);      \
  TIDINGS_EXPORT void size_of_v##name(const void*, Integer* size,                                          \
                                      Integer* ierror) __asm__("__mpi_sizeofs_MOD_mpi_sizeof_" #name "v"); \
  void size_of_##name(const void*, Integer* size, Integer* ierror) {                                       \
    *size = bytes;                                                                                         \
    *ierror = MPI_SUCCESS;                                                                                 \
  }                                                                                                        \
  void size_of_v##name(const void*, Integer* size, Integer* ierror) { size_of_##name(nullptr, size, ierror); }
TIDINGS_SIZEOF(ch, 1)
TIDINGS_SIZEOF(cx, 8)
TIDINGS_SIZEOF(d, 8)
TIDINGS_SIZEOF(i, 4)
TIDINGS_SIZEOF(i1, 1)
TIDINGS_SIZEOF(i2, 2)
TIDINGS_SIZEOF(i8, 8)
TIDINGS_SIZEOF(l, 4)
TIDINGS_SIZEOF(r, 4)

// ---------------------------------------------------------------- module mpi_constants, by gfortran's names

#define TIDINGS_COMPARED(kind)                                                                                         \
  TIDINGS_EXPORT Integer same_##kind(const Integer* a, const Integer* b) __asm__("__mpi_constants_MOD_" #kind "eq");   \
  TIDINGS_EXPORT Integer other_##kind(const Integer* a, const Integer* b) __asm__("__mpi_constants_MOD_" #kind "neq"); \
  Integer same_##kind(const Integer* a, const Integer* b) { return *a == *b ? 1 : 0; }                                 \
  Integer other_##kind(const Integer* a, const Integer* b) { return *a != *b ? 1 : 0; }
TIDINGS_COMPARED(comm)
TIDINGS_COMPARED(datatype)
TIDINGS_COMPARED(errhandler)
TIDINGS_COMPARED(file)
TIDINGS_COMPARED(group)
TIDINGS_COMPARED(info)
TIDINGS_COMPARED(message)
TIDINGS_COMPARED(op)
TIDINGS_COMPARED(request)
TIDINGS_COMPARED(win)

// ---------------------------------------------------------------- module mpi_f08_types, by gfortran's names

/// A procedure of a module.
#define TIDINGS_PROCEDURE(module, name, result, parameters)                             \
  TIDINGS_EXPORT result module##_##name parameters __asm__("__" #module "_MOD_" #name); \
  result module##_##name parameters
// Handles are compared with handles, and with the integers that module mpi has. MPICH has called the latter by two
// names.
#define TIDINGS_COMPARED_BY(name, operation)                                              \
  TIDINGS_PROCEDURE(mpi_f08_types, name, Integer, (const Integer* a, const Integer* b)) { \
    return *a operation * b ? 1 : 0;                                                      \
  }
#define TIDINGS_COMPARED_F08(kind)                \
  TIDINGS_COMPARED_BY(mpi_##kind##_eq, ==)        \
  TIDINGS_COMPARED_BY(mpi_##kind##_f08_eq_f, ==)  \
  TIDINGS_COMPARED_BY(mpi_##kind##_f_eq_f08, ==)  \
  TIDINGS_COMPARED_BY(mpi_##kind##_neq, !=)       \
  TIDINGS_COMPARED_BY(mpi_##kind##_f08_neq_f, !=) \
  TIDINGS_COMPARED_BY(mpi_##kind##_f_neq_f08, !=) \
  TIDINGS_COMPARED_BY(mpi_##kind##_f08_ne_f, !=)  \
  TIDINGS_COMPARED_BY(mpi_##kind##_f_ne_f08, !=)
TIDINGS_COMPARED_F08(comm)
TIDINGS_COMPARED_F08(datatype)
TIDINGS_COMPARED_F08(errhandler)
TIDINGS_COMPARED_F08(file)
TIDINGS_COMPARED_F08(group)
TIDINGS_COMPARED_F08(info)
TIDINGS_COMPARED_F08(message)
TIDINGS_COMPARED_F08(op)
TIDINGS_COMPARED_F08(request)
TIDINGS_COMPARED_F08(session)
TIDINGS_COMPARED_F08(win)

#define TIDINGS_SIZEOF_F08(name)                                                                                     \
  TIDINGS_PROCEDURE(mpi_f08_types, mpi_sizeof_##name, void, (const Descriptor* x, Integer* size, Integer* ierror)) { \
    *size = static_cast<Integer>(x->element_bytes);                                                                  \
    give(ierror, MPI_SUCCESS);                                                                                       \
  }
TIDINGS_SIZEOF_F08(character)
TIDINGS_SIZEOF_F08(logical)
TIDINGS_SIZEOF_F08(xint8)
TIDINGS_SIZEOF_F08(xint16)
TIDINGS_SIZEOF_F08(xint32)
TIDINGS_SIZEOF_F08(xint64)
TIDINGS_SIZEOF_F08(xreal32)
TIDINGS_SIZEOF_F08(xreal64)
TIDINGS_SIZEOF_F08(xreal128)
TIDINGS_SIZEOF_F08(xcomplex32)
TIDINGS_SIZEOF_F08(xcomplex64)
TIDINGS_SIZEOF_F08(xcomplex128)

TIDINGS_PROCEDURE(mpi_f08_types, mpi_status_f2f08, void, (const Integer* from, Integer* to, Integer* ierror)) {
  std::copy_n(from, MPI_F_STATUS_SIZE, to);
  give(ierror, MPI_SUCCESS);
}
TIDINGS_PROCEDURE(mpi_f08_types, mpi_status_f082f, void, (const Integer* from, Integer* to, Integer* ierror)) {
  std::copy_n(from, MPI_F_STATUS_SIZE, to);
  give(ierror, MPI_SUCCESS);
}

TIDINGS_EXPORT void mpi_f_sync_reg_f08ts_(const Descriptor*) {}
TIDINGS_EXPORT void pmpir_f_sync_reg_f08ts_(const Descriptor*) {}

// ---------------------------------------------------------------- module mpi_f08_callbacks, by gfortran's names

#define TIDINGS_CALLBACKS_F08(kind)                                                                                    \
  TIDINGS_PROCEDURE(mpi_f08_callbacks, mpi_##kind##_dup_fn, void,                                                      \
                    (const Integer*, const Integer*, const MPI_Aint*, const MPI_Aint* in, MPI_Aint* out,               \
                     Integer* flag, Integer* ierror)) {                                                                \
    *out = *in;                                                                                                        \
    *flag = 1;                                                                                                         \
    *ierror = MPI_SUCCESS;                                                                                             \
  }                                                                                                                    \
  TIDINGS_PROCEDURE(                                                                                                   \
      mpi_f08_callbacks, mpi_##kind##_null_copy_fn, void,                                                              \
      (const Integer*, const Integer*, const MPI_Aint*, const MPI_Aint*, MPI_Aint*, Integer* flag, Integer* ierror)) { \
    *flag = 0;                                                                                                         \
    *ierror = MPI_SUCCESS;                                                                                             \
  }                                                                                                                    \
  TIDINGS_PROCEDURE(mpi_f08_callbacks, mpi_##kind##_null_delete_fn, void,                                              \
                    (const Integer*, const Integer*, const MPI_Aint*, const MPI_Aint*, Integer* ierror)) {             \
    *ierror = MPI_SUCCESS;                                                                                             \
  }
TIDINGS_CALLBACKS_F08(comm)
TIDINGS_CALLBACKS_F08(type)
TIDINGS_CALLBACKS_F08(win)
// These stand for "no conversion" and are never called.
TIDINGS_PROCEDURE(mpi_f08_callbacks, mpi_conversion_fn_null, void, ()) {}
TIDINGS_PROCEDURE(mpi_f08_callbacks, mpi_conversion_fn_null_c, void, ()) {}
