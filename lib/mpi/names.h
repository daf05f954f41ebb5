// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file names.h
/// Names that programs give to objects.
#include <string>
#include <string_view>

#include "core/abi.h"
#include "core/error.h"
#include "mpi/text.h"

namespace tidings {

/// The name that a program gives: what is too long is cut (MPI 5.0, section 7.8).
[[nodiscard]] inline std::string checked_name(const char* name) {
  if (name == nullptr) throw Error(MPI_ERR_ARG, "the name is a null pointer", "Give the address of the name.");
  return std::string(std::string_view(name).substr(0, MPI_MAX_OBJECT_NAME - 1));
}

inline void get_name(std::string_view name, char* to, int* length) {
  *length = copy_text(name, to, MPI_MAX_OBJECT_NAME);
}

}  // namespace tidings
