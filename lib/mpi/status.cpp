// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file status.cpp
/// Elements and fields of statuses.
#include "mpi/status.h"

#include <string>

#include "mpi/call.h"
#include "mpi/types.h"

using namespace tidings;

namespace {

/// Reads or writes a field: nothing can be wrong but the address.
template <class Body>
int serve_status(const char* name, const MPI_Status* status, Body body) {
  return serve_at_any_time(name, [&](Library&, Call&) {
    if (status == MPI_STATUS_IGNORE)
      throw Error(MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE", "Give the address of a status.");
    body();
  });
}

}  // namespace

int PMPI_Get_elements_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return serve("MPI_Get_elements", [&](Library& lib, Call&) {
    const auto elements = lib.type(datatype)->elements_of_bytes(static_cast<std::size_t>(status_bytes(*status)));
    *count = elements ? static_cast<MPI_Count>(*elements) : static_cast<MPI_Count>(MPI_UNDEFINED);
  });
}

int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return PMPI_Get_elements_c(status, datatype, count);
}

int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  MPI_Count wide = 0;
  const int result = PMPI_Get_elements_c(status, datatype, &wide);
  if (result == MPI_SUCCESS) *count = result_as<int>(wide);
  return result;
}

int PMPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return serve("MPI_Status_set_elements", [&](Library& lib, Call&) {
    if (count < 0) throw Error(MPI_ERR_COUNT, "the count is " + std::to_string(count));
    set_status_bytes(*status, lib.type(datatype)->bytes_of_elements(static_cast<std::size_t>(count)));
  });
}

int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return PMPI_Status_set_elements_c(status, datatype, count);
}

int PMPI_Status_get_source(const MPI_Status* status, int* source) {
  return serve_status("MPI_Status_get_source", status, [&] { *source = status->MPI_SOURCE; });
}

int PMPI_Status_get_tag(const MPI_Status* status, int* tag) {
  return serve_status("MPI_Status_get_tag", status, [&] { *tag = status->MPI_TAG; });
}

int PMPI_Status_get_error(const MPI_Status* status, int* error) {
  return serve_status("MPI_Status_get_error", status, [&] { *error = status->MPI_ERROR; });
}

int PMPI_Status_set_source(MPI_Status* status, int source) {
  return serve_status("MPI_Status_set_source", status, [&] { status->MPI_SOURCE = source; });
}

int PMPI_Status_set_tag(MPI_Status* status, int tag) {
  return serve_status("MPI_Status_set_tag", status, [&] { status->MPI_TAG = tag; });
}

int PMPI_Status_set_error(MPI_Status* status, int error) {
  return serve_status("MPI_Status_set_error", status, [&] { status->MPI_ERROR = error; });
}
