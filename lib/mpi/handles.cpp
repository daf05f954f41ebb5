// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file handles.cpp
/// Handles and integers.
#include "mpi/library.h"

using namespace tidings;

namespace {

template <class Handle>
int to_int(Handle handle) {
  return static_cast<int>(number(handle));
}

}  // namespace

int PMPI_Comm_toint(MPI_Comm comm) { return to_int(comm); }
int PMPI_Errhandler_toint(MPI_Errhandler errhandler) { return to_int(errhandler); }
int PMPI_File_toint(MPI_File file) { return to_int(file); }
int PMPI_Group_toint(MPI_Group group) { return to_int(group); }
int PMPI_Info_toint(MPI_Info info) { return to_int(info); }
int PMPI_Message_toint(MPI_Message message) { return to_int(message); }
int PMPI_Op_toint(MPI_Op op) { return to_int(op); }
int PMPI_Request_toint(MPI_Request request) { return to_int(request); }
int PMPI_Session_toint(MPI_Session session) { return to_int(session); }
int PMPI_Type_toint(MPI_Datatype datatype) { return to_int(datatype); }
int PMPI_Win_toint(MPI_Win win) { return to_int(win); }

MPI_Comm PMPI_Comm_fromint(int comm) { return as_handle<MPI_Comm>(comm); }
MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) { return as_handle<MPI_Errhandler>(errhandler); }
MPI_File PMPI_File_fromint(int file) { return as_handle<MPI_File>(file); }
MPI_Group PMPI_Group_fromint(int group) { return as_handle<MPI_Group>(group); }
MPI_Info PMPI_Info_fromint(int info) { return as_handle<MPI_Info>(info); }
MPI_Message PMPI_Message_fromint(int message) { return as_handle<MPI_Message>(message); }
MPI_Op PMPI_Op_fromint(int op) { return as_handle<MPI_Op>(op); }
MPI_Request PMPI_Request_fromint(int request) { return as_handle<MPI_Request>(request); }
MPI_Session PMPI_Session_fromint(int session) { return as_handle<MPI_Session>(session); }
MPI_Datatype PMPI_Type_fromint(int datatype) { return as_handle<MPI_Datatype>(datatype); }
MPI_Win PMPI_Win_fromint(int win) { return as_handle<MPI_Win>(win); }
