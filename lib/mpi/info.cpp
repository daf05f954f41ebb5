// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file info.cpp
/// Info objects, and the hints of communicators.
#include "core/info.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/call.h"
#include "mpi/text.h"
#include "platform.h"

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

/// What is known of how the program was started (MPI 5.0, section 10.3).
void tell_start(Info& info) {
  tidings_platform platform{};
  if (tidings_platform_read(&platform) == nullptr) info.set("maxprocs", std::to_string(platform.ranks));
  std::array<char, MPI_MAX_INFO_VAL> folder{};
  if (getcwd(folder.data(), folder.size()) != nullptr) info.set("wdir", folder.data());
  utsname system{};
  if (uname(&system) == 0) info.set("arch", system.machine);
}

void tell_arguments(Info& info, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  info.set("command", std::string_view(arguments.front()).substr(0, MPI_MAX_INFO_VAL - 1));
  std::string rest;
  for (std::size_t i = 1; i < arguments.size(); ++i) rest += (i == 1 ? "" : " ") + arguments[i];
  info.set("argv", std::string_view(rest).substr(0, MPI_MAX_INFO_VAL - 1));
}

/// As Library::info(); MPI_INFO_ENV is filled when it is first looked at.
const std::shared_ptr<Info>& info_of(const Library& lib, MPI_Info handle) {
  const auto& info = lib.info(handle);
  if (handle == MPI_INFO_ENV && info->size() == 0) {
    std::ifstream line("/proc/self/cmdline");
    std::vector<std::string> arguments;
    for (std::string one; std::getline(line, one, '\0');) arguments.push_back(one);
    tell_arguments(*info, arguments);
    tell_start(*info);
  }
  return info;
}

}  // namespace

int PMPI_Info_create_env(int argc, char* argv[], MPI_Info* info) {
  return serve_at_any_time("MPI_Info_create_env", [&](Library& lib, Call&) {
    auto made = std::make_shared<Info>();
    tell_arguments(*made, {argv, argv + (argv == nullptr ? 0 : argc)});
    tell_start(*made);
    *info = as_handle<MPI_Info>(lib.infos.add(std::move(made)));
  });
}

int PMPI_Info_create(MPI_Info* info) {
  return serve_at_any_time("MPI_Info_create", [&](Library& lib, Call&) {
    *info = as_handle<MPI_Info>(lib.infos.add(std::make_shared<Info>()));
  });
}

int PMPI_Info_set(MPI_Info info, const char* key, const char* value) {
  return serve_at_any_time("MPI_Info_set", [&](Library& lib, Call&) {
    const auto object = info_of(lib, info);
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
    if (!info_of(lib, info)->remove(name)) throw Error(MPI_ERR_INFO_NOKEY, "there is no key " + std::string(name));
  });
}

int PMPI_Info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
  return serve_at_any_time("MPI_Info_get_string", [&](Library& lib, Call&) {
    const std::string* const found = info_of(lib, info)->find(checked_key(key));
    *flag = found != nullptr;
    if (found == nullptr) return;
    copy_text(*found, value, static_cast<std::size_t>(std::max(*buflen, 0)));
    *buflen = static_cast<int>(found->size() + 1);
  });
}

int PMPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  return serve_at_any_time("MPI_Info_get", [&](Library& lib, Call&) {
    const std::string* const found = info_of(lib, info)->find(checked_key(key));
    *flag = found != nullptr;
    // Here the length is without the end of the string.
    if (found != nullptr) copy_text(*found, value, static_cast<std::size_t>(std::max(valuelen, 0)) + 1);
  });
}

int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  return serve_at_any_time("MPI_Info_get_valuelen", [&](Library& lib, Call&) {
    const std::string* const found = info_of(lib, info)->find(checked_key(key));
    *flag = found != nullptr;
    if (found != nullptr) *valuelen = static_cast<int>(found->size());
  });
}

int PMPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  return serve_at_any_time("MPI_Info_get_nkeys",
                           [&](Library& lib, Call&) { *nkeys = static_cast<int>(info_of(lib, info)->size()); });
}

int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  return serve_at_any_time("MPI_Info_get_nthkey", [&](Library& lib, Call&) {
    const auto object = info_of(lib, info);
    if (n < 0 || static_cast<std::size_t>(n) >= object->size()) {
      throw Error(MPI_ERR_ARG, "key " + std::to_string(n) + " of " + std::to_string(object->size()),
                  "Give a number below that of MPI_Info_get_nkeys.");
    }
    copy_text(object->key(static_cast<std::size_t>(n)), key, MPI_MAX_INFO_KEY);
  });
}

int PMPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  return serve_at_any_time("MPI_Info_dup", [&](Library& lib, Call&) {
    *newinfo = as_handle<MPI_Info>(lib.infos.add(std::make_shared<Info>(*info_of(lib, info))));
  });
}

int PMPI_Info_free(MPI_Info* info) {
  return serve_at_any_time("MPI_Info_free", [&](Library& lib, Call&) {
    static_cast<void>(lib.info(*info));
    if (number(*info) < HandleTable<Info>::kFirst)
      throw Error(MPI_ERR_INFO, "a predefined info cannot be freed", "Free what the program itself has made.");
    lib.infos.remove(number(*info));
    *info = MPI_INFO_NULL;
  });
}
