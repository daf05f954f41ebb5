// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file types.h
/// What entry points for datatypes share.
#include <memory>
#include <utility>

#include "mpi/call.h"

namespace tidings {

/// Give a type a handle.
inline MPI_Datatype add_type(Library& lib, Datatype made) {
  auto type = std::make_shared<Datatype>(std::move(made));
  const std::intptr_t handle = lib.types.add(type);
  type->set_handle(handle);
  return as_handle<MPI_Datatype>(handle);
}

/// A result in a type that may be too narrow for it: MPI_UNDEFINED then (MPI 5.0, section 5.1.7).
template <class To>
To result_as(MPI_Count value) {
  return std::in_range<To>(value) ? static_cast<To>(value) : static_cast<To>(MPI_UNDEFINED);
}

}  // namespace tidings
