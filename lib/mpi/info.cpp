// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file info.cpp
/// Info objects, and the hints of communicators.
#include "core/info.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "mpi/call.h"
#include "mpi/text.h"

using namespace tidings;

namespace {

std::string_view checked_key(const char* key) {
  const std::size_t length = key == nullptr ? 0 : std::strlen(key);
  if (length == 0 || length >= MPI_MAX_INFO_KEY) {
    throw Error(MPI_ERR_INFO_KEY, "the key has " + std::to_string(length) + " characters, and must have 1 to " +
                                      std::to_string(MPI_MAX_INFO_KEY - 1));
  }
  return {key, length};
}

}  // namespace

int PMPI_Info_create(MPI_Info* info) {
  return serve_at_any_time("MPI_Info_create", [&](Library& lib, Call&) {
    *info = as_handle<MPI_Info>(lib.infos.add(std::make_shared<Info>()));
  });
}

int PMPI_Info_set(MPI_Info info, const char* key, const char* value) {
  return serve_at_any_time("MPI_Info_set", [&](Library& lib, Call&) {
    const auto object = lib.info(info);
    const auto name = checked_key(key);
    if (value == nullptr || std::strlen(value) >= MPI_MAX_INFO_VAL) {
      throw Error(MPI_ERR_INFO_VALUE, "the value of " + std::string(name) + " is null or has " +
                                          std::to_string(MPI_MAX_INFO_VAL) + " characters or more");
    }
    object->set(name, value);
  });
}

int PMPI_Info_delete(MPI_Info info, const char* key) {
  return serve_at_any_time("MPI_Info_delete", [&](Library& lib, Call&) {
    const auto name = checked_key(key);
    if (!lib.info(info)->remove(name)) throw Error(MPI_ERR_INFO_NOKEY, "there is no key " + std::string(name));
  });
}

int PMPI_Info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
  return serve_at_any_time("MPI_Info_get_string", [&](Library& lib, Call&) {
    const std::string* const found = lib.info(info)->find(checked_key(key));
    *flag = found != nullptr;
    if (found == nullptr) return;
    copy_text(*found, value, static_cast<std::size_t>(std::max(*buflen, 0)));
    *buflen = static_cast<int>(found->size() + 1);
  });
}

int PMPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  return serve_at_any_time("MPI_Info_get", [&](Library& lib, Call&) {
    const std::string* const found = lib.info(info)->find(checked_key(key));
    *flag = found != nullptr;
    // Here the length is without the end of the string.
    if (found != nullptr) copy_text(*found, value, static_cast<std::size_t>(std::max(valuelen, 0)) + 1);
  });
}

int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  return serve_at_any_time("MPI_Info_get_valuelen", [&](Library& lib, Call&) {
    const std::string* const found = lib.info(info)->find(checked_key(key));
    *flag = found != nullptr;
    if (found != nullptr) *valuelen = static_cast<int>(found->size());
  });
}

int PMPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  return serve_at_any_time("MPI_Info_get_nkeys",
                           [&](Library& lib, Call&) { *nkeys = static_cast<int>(lib.info(info)->size()); });
}

int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  return serve_at_any_time("MPI_Info_get_nthkey", [&](Library& lib, Call&) {
    const auto object = lib.info(info);
    if (n < 0 || static_cast<std::size_t>(n) >= object->size()) {
      throw Error(MPI_ERR_ARG, "key " + std::to_string(n) + " of " + std::to_string(object->size()));
    }
    copy_text(object->key(static_cast<std::size_t>(n)), key, MPI_MAX_INFO_KEY);
  });
}

int PMPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  return serve_at_any_time("MPI_Info_dup", [&](Library& lib, Call&) {
    *newinfo = as_handle<MPI_Info>(lib.infos.add(std::make_shared<Info>(*lib.info(info))));
  });
}

int PMPI_Info_free(MPI_Info* info) {
  return serve_at_any_time("MPI_Info_free", [&](Library& lib, Call&) {
    static_cast<void>(lib.info(*info));
    if (number(*info) < HandleTable<Info>::kFirst) throw Error(MPI_ERR_INFO, "a predefined info cannot be freed");
    lib.infos.remove(number(*info));
    *info = MPI_INFO_NULL;
  });
}
