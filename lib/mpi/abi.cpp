// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file abi.cpp
/// What the ABI promises, and what Fortran's side of it is told.
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpi/call.h"

using namespace tidings;

namespace {

/// What a Fortran library has told us of its types, once and for all.
struct Fortran {
  std::shared_ptr<Info> sizes;
  struct Booleans {
    std::vector<std::byte> yes;
    std::vector<std::byte> no;
  };
  std::map<int, Booleans> booleans;  ///< by the size of a LOGICAL
};

Fortran& fortran() {
  static auto* const instance = new Fortran;
  return *instance;
}

void check_logical_size(int size) {
  constexpr std::array kSizes{1, 2, 4, 8, 16};
  for (const int known : kSizes) {
    if (size == known) return;
  }
  throw Error(MPI_ERR_ARG, "no LOGICAL has " + std::to_string(size) + " bytes",
              "Give the size of a LOGICAL that the Fortran compiler has.");
}

std::vector<std::byte> bytes_of(const void* from, int size) {
  if (from == nullptr) throw Error(MPI_ERR_ARG, "a value is a null pointer", "Give the address of the value.");
  const auto* const first = static_cast<const std::byte*>(from);
  return {first, first + size};
}

}  // namespace

int PMPI_Abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

int PMPI_Abi_get_info(MPI_Info* info) {
  return serve_at_any_time("MPI_Abi_get_info", [&](Library& lib, Call&) {
    auto sizes = std::make_shared<Info>();
    sizes->set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
    sizes->set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
    sizes->set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
    *info = as_handle<MPI_Info>(lib.infos.add(std::move(sizes)));
  });
}

int PMPI_Abi_set_fortran_info(MPI_Info info) {
  return serve_at_any_time("MPI_Abi_set_fortran_info", [&](Library& lib, Call&) {
    const auto& given = lib.info(info);
    if (fortran().sizes != nullptr) throw Error(MPI_ERR_ABI, "the sizes of Fortran's types have been set before");
    fortran().sizes = std::make_shared<Info>(*given);
  });
}

int PMPI_Abi_get_fortran_info(MPI_Info* info) {
  return serve_at_any_time("MPI_Abi_get_fortran_info", [&](Library& lib, Call&) {
    *info = fortran().sizes == nullptr ? MPI_INFO_NULL
                                       : as_handle<MPI_Info>(lib.infos.add(std::make_shared<Info>(*fortran().sizes)));
  });
}

int PMPI_Abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  return serve_at_any_time("MPI_Abi_set_fortran_booleans", [&](Library&, Call&) {
    check_logical_size(logical_size);
    if (fortran().booleans.contains(logical_size)) throw Error(MPI_ERR_ABI, "these values have been set before");
    fortran().booleans[logical_size] = {bytes_of(logical_true, logical_size), bytes_of(logical_false, logical_size)};
  });
}

int PMPI_Abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) {
  return serve_at_any_time("MPI_Abi_get_fortran_booleans", [&](Library&, Call&) {
    check_logical_size(logical_size);
    const auto found = fortran().booleans.find(logical_size);
    *is_set = found != fortran().booleans.end();
    if (*is_set == 0) return;
    std::memcpy(logical_true, found->second.yes.data(), found->second.yes.size());
    std::memcpy(logical_false, found->second.no.data(), found->second.no.size());
  });
}
