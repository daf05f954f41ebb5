// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file names.cpp
/// Names of communicators and datatypes.
#include "mpi/names.h"

#include "mpi/call.h"

using namespace tidings;

int PMPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
  return serve("MPI_Comm_set_name", comm,
               [&](Library& lib, Call&) { lib.communicator(comm)->title = checked_name(comm_name); });
}

int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  return serve("MPI_Comm_get_name", comm, [&](Library& lib, Call&) {
    if (comm == MPI_COMM_NULL) {
      get_name("MPI_COMM_NULL", comm_name, resultlen);
      return;
    }
    const Communicator& communicator = *lib.communicator(comm);
    if (communicator.title) {
      get_name(*communicator.title, comm_name, resultlen);
    } else {
      get_name(HandleTable<Communicator>::is_constant(number(comm)) ? communicator.name() : "", comm_name, resultlen);
    }
  });
}

int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  return serve("MPI_Type_set_name",
               [&](Library& lib, Call&) { lib.type(datatype)->set_name(checked_name(type_name)); });
}

int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  return serve("MPI_Type_get_name", [&](Library& lib, Call&) {
    get_name(datatype == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : lib.type(datatype)->name(), type_name, resultlen);
  });
}
