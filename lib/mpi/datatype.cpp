// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file datatype.cpp
/// Datatypes.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "mpi/attributes.h"
#include "mpi/call.h"

using namespace tidings;

namespace {

/// An argument as the library counts, on processors of 32 bits too.
template <typename To>
To argument(MPI_Count value, const char* what) {
  if (!std::in_range<To>(value)) throw Error(MPI_ERR_ARG, std::string("the ") + what + " is " + std::to_string(value));
  return static_cast<To>(value);
}

/// A result in a type that may be too narrow for it: MPI_UNDEFINED then (MPI 5.0, section 5.1.7).
template <typename To>
To result_as(MPI_Count value) {
  return std::in_range<To>(value) ? static_cast<To>(value) : static_cast<To>(MPI_UNDEFINED);
}

MPI_Datatype add(Library& lib, Datatype made) {
  auto type = std::make_shared<Datatype>(std::move(made));
  const std::intptr_t handle = lib.types.add(type);
  type->set_handle(handle);
  return as_handle<MPI_Datatype>(handle);
}

}  // namespace

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_contiguous", [&](Library& lib, Call&) {
    *newtype = add(lib, Datatype::contiguous(argument<std::size_t>(count, "count"), *lib.type(oldtype)));
  });
}

int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  return serve("MPI_Type_vector", [&](Library& lib, Call&) {
    *newtype = add(
        lib, Datatype::vector(argument<std::size_t>(count, "count"), argument<std::size_t>(blocklength, "block length"),
                              argument<std::ptrdiff_t>(stride, "stride"), *lib.type(oldtype)));
  });
}

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return serve("MPI_Type_dup", [&](Library& lib, Call&) {
    const std::shared_ptr<Datatype> old = lib.type(oldtype);
    Datatype copy = Datatype::duplicate(*old);
    copy_attributes(oldtype, old->attributes, copy.attributes);
    *newtype = add(lib, std::move(copy));
  });
}

int PMPI_Type_commit(MPI_Datatype* datatype) {
  return serve("MPI_Type_commit", [&](Library& lib, Call&) { lib.type(*datatype)->commit(); });
}

int PMPI_Type_free(MPI_Datatype* datatype) {
  return serve("MPI_Type_free", [&](Library& lib, Call&) {
    const auto type = lib.type(*datatype);
    if (type->predefined()) throw Error(MPI_ERR_TYPE, "a predefined datatype cannot be freed");
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
