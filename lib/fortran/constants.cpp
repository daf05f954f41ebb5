// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file constants.cpp
/// What Fortran programs have by an address: constants, and the predefined callbacks.
#include "fortran/convert.h"

// ---------------------------------------------------------------- predefined callbacks

#define TIDINGS_ATTRIBUTE_CALLBACKS(kind, Value)                                                                     \
  TIDINGS_EXPORT void mpi_##kind##null_copy_fn_(const Integer*, const Integer*, const Value*, const Value*, Value*,  \
                                                Integer* flag, Integer* ierror) {                                    \
    *flag = 0;                                                                                                       \
    *ierror = MPI_SUCCESS;                                                                                           \
  }                                                                                                                  \
  TIDINGS_EXPORT void mpi_##kind##dup_fn_(const Integer*, const Integer*, const Value*, const Value* in, Value* out, \
                                          Integer* flag, Integer* ierror) {                                          \
    *out = *in;                                                                                                      \
    *flag = 1;                                                                                                       \
    *ierror = MPI_SUCCESS;                                                                                           \
  }                                                                                                                  \
  TIDINGS_EXPORT void mpi_##kind##null_delete_fn_(const Integer*, const Integer*, const Value*, const Value*,        \
                                                  Integer* ierror) {                                                 \
    *ierror = MPI_SUCCESS;                                                                                           \
  }
TIDINGS_ATTRIBUTE_CALLBACKS(comm_, MPI_Aint)
TIDINGS_ATTRIBUTE_CALLBACKS(type_, MPI_Aint)
TIDINGS_ATTRIBUTE_CALLBACKS(win_, MPI_Aint)
TIDINGS_ATTRIBUTE_CALLBACKS(, Integer)

// These stand for "no conversion" and are never called.
TIDINGS_EXPORT void mpi_conversion_fn_null_() {}
TIDINGS_EXPORT void mpi_conversion_fn_null_c_() {}

// ---------------------------------------------------------------- what the modules need beside functions of C

/// The beginning of what a Fortran compiler passes for an argument of any type and rank (CFI_cdesc_t of Fortran 2018).
struct Descriptor {
  void* base;
  std::size_t element_bytes;
};

TIDINGS_EXPORT void tidings_mpi_sizeof(const Descriptor* variable, Integer* size, Integer* ierror) {
  *size = static_cast<Integer>(variable->element_bytes);
  tidings::fortran::give(ierror, MPI_SUCCESS);
}

TIDINGS_EXPORT void mpi_f_sync_reg_(const void*) {}

namespace {

void copy_status(const Integer* from, Integer* to, Integer* ierror) {
  std::copy_n(from, MPI_F_STATUS_SIZE, to);
  tidings::fortran::give(ierror, MPI_SUCCESS);
}

}  // namespace

TIDINGS_EXPORT void mpi_status_f2f08_(const Integer* f_status, Integer* f08_status, Integer* ierror) {
  copy_status(f_status, f08_status, ierror);
}
TIDINGS_EXPORT void mpi_status_f082f_(const Integer* f08_status, Integer* f_status, Integer* ierror) {
  copy_status(f08_status, f_status, ierror);
}
TIDINGS_EXPORT void pmpi_status_f2f08_(const Integer* f_status, Integer* f08_status, Integer* ierror) {
  copy_status(f_status, f08_status, ierror);
}
TIDINGS_EXPORT void pmpi_status_f082f_(const Integer* f08_status, Integer* f_status, Integer* ierror) {
  copy_status(f08_status, f_status, ierror);
}

// Handles of all kinds are compared as integers.
#define TIDINGS_COMPARE(kind)                                                                                        \
  TIDINGS_EXPORT Integer tidings_mpi_##kind##_same_(const Integer* a, const Integer* b) { return *a == *b ? 1 : 0; } \
  TIDINGS_EXPORT Integer tidings_mpi_##kind##_other_(const Integer* a, const Integer* b) { return *a != *b ? 1 : 0; }
TIDINGS_COMPARE(comm)
TIDINGS_COMPARE(datatype)
TIDINGS_COMPARE(errhandler)
TIDINGS_COMPARE(file)
TIDINGS_COMPARE(group)
TIDINGS_COMPARE(info)
TIDINGS_COMPARE(message)
TIDINGS_COMPARE(op)
TIDINGS_COMPARE(request)
TIDINGS_COMPARE(session)
TIDINGS_COMPARE(win)

namespace tidings::fortran {

Neighbours neighbours(MPI_Comm comm) {
  Neighbours found;
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    found.sources = found.destinations = 2 * dimensions;
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &found.sources);
    found.destinations = found.sources;
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &found.sources, &found.destinations, &weighted);
  }
  return found;
}

}  // namespace tidings::fortran
