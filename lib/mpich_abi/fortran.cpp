// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file fortran.cpp
/// What programs in Fortran that were compiled for MPICH have beside the functions (`lib/fortran`): its common blocks,
/// and procedures of its modules.
#include <dlfcn.h>

#include "check/entry.h"
#include "fortran/convert.h"

#define TIDINGS_COMMON __attribute__((visibility("default")))

TIDINGS_COMMON MpichBottoms mpipriv1_;
TIDINGS_COMMON MpichIgnored mpipriv2_;
TIDINGS_COMMON MpichTexts mpiprivc_;
TIDINGS_COMMON Integer mpifcmb5_;
TIDINGS_COMMON Integer mpifcmb9_;
TIDINGS_COMMON Integer mpifcmba_;

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
