/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * @file mpi_removed.h
 * Names that MPI-3.0 removed (MPI 3.0, section 16.1), for programs written before it: `mpi.h` of Tidings includes this.
 *
 * Each function stands for the one that replaced it, so that binaries need nothing but the standard ABI.
 */
#ifndef TIDINGS_MPI_REMOVED_H
#define TIDINGS_MPI_REMOVED_H

#include <stdlib.h>

/** Bounds among the members of MPI_Type_struct: values that the ABI gives to no handle. */
#define MPI_LB ((MPI_Datatype)1)
#define MPI_UB ((MPI_Datatype)2)

typedef MPI_Comm_errhandler_function MPI_Handler_function;

static inline int MPI_Address(void* location, MPI_Aint* address) { return MPI_Get_address(location, address); }

static inline int MPI_Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* errhandler) {
  return MPI_Comm_create_errhandler(function, errhandler);
}
static inline int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return MPI_Comm_get_errhandler(comm, errhandler);
}
static inline int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return MPI_Comm_set_errhandler(comm, errhandler);
}

static inline int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lower;
  return MPI_Type_get_extent(datatype, &lower, extent);
}
static inline int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint extent;
  return MPI_Type_get_extent(datatype, displacement, &extent);
}
static inline int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lower = 0, extent = 0;
  const int error = MPI_Type_get_extent(datatype, &lower, &extent);
  *displacement = lower + extent;
  return error;
}

static inline int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* made) {
  return MPI_Type_create_hvector(count, length, stride, type, made);
}
static inline int MPI_Type_hindexed(int count, int* lengths, MPI_Aint* displacements, MPI_Datatype type,
                                    MPI_Datatype* made) {
  return MPI_Type_create_hindexed(count, lengths, displacements, type, made);
}

/** The lowest MPI_LB and the highest MPI_UB are the bounds of what is made. */
static inline int MPI_Type_struct(int count, int* lengths, MPI_Aint* displacements, MPI_Datatype* types,
                                  MPI_Datatype* made) {
  int members = 0, lows = 0, highs = 0;
  for (int i = 0; i < count; ++i) {
    lows += types[i] == MPI_LB;
    highs += types[i] == MPI_UB;
  }
  if (lows + highs == 0) return MPI_Type_create_struct(count, lengths, displacements, types, made);
  const size_t room = (size_t)count;
  int* const member_lengths = (int*)malloc(room * sizeof(int));
  MPI_Aint* const member_displacements = (MPI_Aint*)malloc(room * sizeof(MPI_Aint));
  MPI_Datatype* const member_types = (MPI_Datatype*)malloc(room * sizeof(MPI_Datatype));
  MPI_Aint low = 0, high = 0;
  int error = MPI_ERR_NO_MEM;
  if (member_lengths != NULL && member_displacements != NULL && member_types != NULL) {
    lows = highs = 0;
    for (int i = 0; i < count; ++i) {
      const MPI_Aint at = displacements[i];
      if (types[i] == MPI_LB) {
        if (lows++ == 0 || at < low) low = at;
      } else if (types[i] == MPI_UB) {
        if (highs++ == 0 || at > high) high = at;
      } else {
        member_lengths[members] = lengths[i];
        member_displacements[members] = at;
        member_types[members++] = types[i];
      }
    }
    MPI_Datatype plain;
    error = MPI_Type_create_struct(members, member_lengths, member_displacements, member_types, &plain);
    if (error == MPI_SUCCESS) {
      MPI_Aint lower, extent;
      error = MPI_Type_get_extent(plain, &lower, &extent);
      if (lows == 0) low = lower;
      if (highs == 0) high = lower + extent;
      if (error == MPI_SUCCESS) error = MPI_Type_create_resized(plain, low, high - low, made);
      MPI_Type_free(&plain);
    }
  }
  free(member_lengths);
  free(member_displacements);
  free(member_types);
  return error;
}

#endif
