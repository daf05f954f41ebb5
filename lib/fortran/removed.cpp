// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file removed.cpp
/// Subroutines that MPI-3.0 removed, for programs written before it. Addresses are default integers in them.
///
/// As the generated wrappers, this file is compiled twice, for MPI_X and for PMPI_X.
#include <cstdint>

#include "fortran/convert.h"

#ifdef TIDINGS_MPICH
// MPICH's library has it, its header has not.
extern "C" int MPI_Type_struct(int count, int* lengths, MPI_Aint* places, MPI_Datatype* types, MPI_Datatype* made);
extern "C" int PMPI_Type_struct(int count, int* lengths, MPI_Aint* places, MPI_Datatype* types, MPI_Datatype* made);
#endif

using namespace tidings::fortran;

namespace {

std::vector<MPI_Aint> wide(const Integer* numbers, Integer count) {
  return std::vector<MPI_Aint>(numbers, numbers + std::max(count, 0));
}

/// A member of MPI_Type_struct, which may be a mark of a bound.
MPI_Datatype member(Integer number) {
#ifndef TIDINGS_MPICH
  for (const MPI_Datatype mark : {MPI_LB, MPI_UB}) {
    if (number == static_cast<Integer>(reinterpret_cast<std::intptr_t>(mark))) return mark;
  }
#endif
  return Of<MPI_Datatype>::handle(number);
}

int make_struct(int count, int* lengths, MPI_Aint* places, MPI_Datatype* types, MPI_Datatype* made) {
#ifdef TIDINGS_MPICH
  return TIDINGS_C(MPI_Type_struct)(count, lengths, places, types, made);
#else
  return MPI_Type_struct(count, lengths, places, types, made);  // mpi_removed.h, which has no name for profiling
#endif
}

/// Which number of a datatype's bounds a subroutine gives.
enum class Bound { kLower, kUpper, kExtent };

void get_bound(Bound bound, const Integer* datatype, Integer* value, Integer* ierror) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  const int result = TIDINGS_C(MPI_Type_get_extent)(Of<MPI_Datatype>::handle(*datatype), &lower, &extent);
  if (result == MPI_SUCCESS) {
    *value = static_cast<Integer>((bound == Bound::kExtent ? 0 : lower) + (bound == Bound::kLower ? 0 : extent));
  }
  give(ierror, result);
}

}  // namespace

TIDINGS_EXPORT void TIDINGS_FORTRAN(address)(const void* location, Integer* address, Integer* ierror) {
  MPI_Aint found = 0;
  const int result = TIDINGS_C(MPI_Get_address)(buffer_of(location), &found);
  *address = static_cast<Integer>(found);
  give(ierror, result);
}

TIDINGS_EXPORT void TIDINGS_FORTRAN(type_extent)(const Integer* datatype, Integer* extent, Integer* ierror) {
  get_bound(Bound::kExtent, datatype, extent, ierror);
}
TIDINGS_EXPORT void TIDINGS_FORTRAN(type_lb)(const Integer* datatype, Integer* displacement, Integer* ierror) {
  get_bound(Bound::kLower, datatype, displacement, ierror);
}
TIDINGS_EXPORT void TIDINGS_FORTRAN(type_ub)(const Integer* datatype, Integer* displacement, Integer* ierror) {
  get_bound(Bound::kUpper, datatype, displacement, ierror);
}

TIDINGS_EXPORT void TIDINGS_FORTRAN(type_hvector)(const Integer* count, const Integer* length, const Integer* stride,
                                                  const Integer* oldtype, Integer* newtype, Integer* ierror) {
  const Entry entry(__builtin_return_address(0));
  HandleOf<MPI_Datatype> made;
  const int result =
      TIDINGS_C(MPI_Type_create_hvector)(*count, *length, *stride, Of<MPI_Datatype>::handle(*oldtype), made);
  if (result == MPI_SUCCESS) made.to(newtype);
  give(ierror, result);
}

TIDINGS_EXPORT void TIDINGS_FORTRAN(type_hindexed)(const Integer* count, const Integer* lengths, const Integer* places,
                                                   const Integer* oldtype, Integer* newtype, Integer* ierror) {
  const Entry entry(__builtin_return_address(0));
  HandleOf<MPI_Datatype> made;
  const int result = TIDINGS_C(MPI_Type_create_hindexed)(*count, lengths, wide(places, *count).data(),
                                                         Of<MPI_Datatype>::handle(*oldtype), made);
  if (result == MPI_SUCCESS) made.to(newtype);
  give(ierror, result);
}

TIDINGS_EXPORT void TIDINGS_FORTRAN(type_struct)(const Integer* count, Integer* lengths, const Integer* places,
                                                 const Integer* types, Integer* newtype, Integer* ierror) {
  const Entry entry(__builtin_return_address(0));
  std::vector<MPI_Datatype> members;
  for (Integer i = 0; i < *count; ++i) members.push_back(member(types[i]));
  HandleOf<MPI_Datatype> made;
  const int result = make_struct(*count, lengths, wide(places, *count).data(), members.data(), made);
  if (result == MPI_SUCCESS) made.to(newtype);
  give(ierror, result);
}

// What has another name since, with the same arguments.
TIDINGS_EXPORT void TIDINGS_FORTRAN(comm_create_errhandler)(MPI_Comm_errhandler_function* function, Integer* errhandler,
                                                            Integer* ierror);
TIDINGS_EXPORT void TIDINGS_FORTRAN(comm_get_errhandler)(const Integer* comm, Integer* errhandler, Integer* ierror);
TIDINGS_EXPORT void TIDINGS_FORTRAN(comm_set_errhandler)(const Integer* comm, const Integer* errhandler,
                                                         Integer* ierror);
TIDINGS_EXPORT void TIDINGS_FORTRAN(errhandler_create)(MPI_Comm_errhandler_function* function, Integer* errhandler,
                                                       Integer* ierror) {
  const Entry entry(__builtin_return_address(0));
  TIDINGS_FORTRAN(comm_create_errhandler)(function, errhandler, ierror);
}
TIDINGS_EXPORT void TIDINGS_FORTRAN(errhandler_get)(const Integer* comm, Integer* errhandler, Integer* ierror) {
  TIDINGS_FORTRAN(comm_get_errhandler)(comm, errhandler, ierror);
}
TIDINGS_EXPORT void TIDINGS_FORTRAN(errhandler_set)(const Integer* comm, const Integer* errhandler, Integer* ierror) {
  TIDINGS_FORTRAN(comm_set_errhandler)(comm, errhandler, ierror);
}
