// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file datatype.cpp
/// Datatypes: copies, commitment, sizes and extents.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "mpi/attributes.h"
#include "mpi/call.h"
#include "mpi/types.h"

using namespace tidings;

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_dup", [&](Library& lib, Call&) {
    const std::shared_ptr<Datatype> old = lib.type(oldtype);
    Datatype copy = Datatype::duplicate(*old);
    copy.set_recipe({MPI_COMBINER_DUP, {}, {}, {}, {old}});
    *newtype = MPI_DATATYPE_NULL;  // if a function that copies an attribute fails
    copy_attributes(oldtype, old->attributes, copy.attributes);
    *newtype = add_type(lib, std::move(copy));
  });
}

int PMPI_Type_commit(MPI_Datatype* datatype) {
  return serve("MPI_Type_commit", [&](Library& lib, Call&) { lib.type(*datatype)->commit(); });
}

int PMPI_Type_free(MPI_Datatype* datatype) {
  return serve("MPI_Type_free", [&](Library& lib, Call&) {
    const auto type = lib.type(*datatype);
    if (type->predefined())
      throw Error(MPI_ERR_TYPE, "a predefined datatype cannot be freed", "Free what the program itself has made.");
    delete_attributes(*datatype, type->attributes);
    lib.types.remove(number(*datatype));
    *datatype = MPI_DATATYPE_NULL;
  });
}

int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count* size) {
  return serve("MPI_Type_size",
               [&](Library& lib, Call&) { *size = static_cast<MPI_Count>(lib.type(datatype)->size()); });
}

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) { return PMPI_Type_size_c(datatype, size); }

int PMPI_Type_size(MPI_Datatype datatype, int* size) {
  MPI_Count wide = 0;
  const int result = PMPI_Type_size_c(datatype, &wide);
  if (result != MPI_SUCCESS) return result;
  *size = result_as<int>(wide);
  return MPI_SUCCESS;
}

int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return serve("MPI_Type_get_extent", [&](Library& lib, Call&) {
    const auto type = lib.type(datatype);
    *lb = type->lower_bound();
    *extent = type->extent();
  });
}

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return PMPI_Type_get_extent_c(datatype, lb, extent);
}

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  MPI_Count wide_lb = 0;
  MPI_Count wide_extent = 0;
  const int result = PMPI_Type_get_extent_c(datatype, &wide_lb, &wide_extent);
  if (result != MPI_SUCCESS) return result;
  *lb = result_as<MPI_Aint>(wide_lb);
  *extent = result_as<MPI_Aint>(wide_extent);
  return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return serve("MPI_Type_get_true_extent", [&](Library& lib, Call&) {
    const auto type = lib.type(datatype);
    *true_lb = type->true_lower_bound();
    *true_extent = type->true_extent();
  });
}

int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return PMPI_Type_get_true_extent_c(datatype, true_lb, true_extent);
}

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
  MPI_Count wide_lb = 0;
  MPI_Count wide_extent = 0;
  const int result = PMPI_Type_get_true_extent_c(datatype, &wide_lb, &wide_extent);
  if (result != MPI_SUCCESS) return result;
  *true_lb = result_as<MPI_Aint>(wide_lb);
  *true_extent = result_as<MPI_Aint>(wide_extent);
  return MPI_SUCCESS;
}
