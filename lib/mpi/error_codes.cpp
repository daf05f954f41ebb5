// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file error_codes.cpp
/// Error classes, codes and their texts.
#include "mpi/error_codes.h"

#include <cstring>
#include <map>
#include <string>

#include "mpi/call.h"
#include "mpi/text.h"

using namespace tidings;

namespace {

/// A class or a code that the program has added.
struct Added {
  int error_class;  ///< a class is its own
  std::string text;
  bool has_text = false;
};

std::map<int, Added>& added() {
  static auto* const instance = new std::map<int, Added>;
  return *instance;
}

/// One that the program has added. @throws Error if it has not.
std::map<int, Added>::iterator find_added(int code, const char* what) {
  const auto found = added().find(code);
  if (found != added().end()) return found;
  throw Error(MPI_ERR_ARG, std::to_string(code) + " is not an error " + what + " that the program has added",
              "Give what MPI_Add_error_class or MPI_Add_error_code has made.");
}

int add(int error_class) {
  const int code = last_used_code() + 1;
  added()[code] = {error_class == 0 ? code : error_class, {}};
  return code;
}

}  // namespace

namespace tidings {

int last_used_code() { return added().empty() ? static_cast<int>(MPI_ERR_LASTCODE) : added().rbegin()->first; }

}  // namespace tidings

int PMPI_Error_class(int errorcode, int* errorclass) {
  return serve_at_any_time("MPI_Error_class", [&](Library&, Call&) {
    const auto found = added().find(errorcode);
    *errorclass = found == added().end() ? errorcode : found->second.error_class;
  });
}

int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  return serve_at_any_time("MPI_Error_string", [&](Library&, Call&) {
    const auto found = added().find(errorcode);
    *resultlen = copy_text(found == added().end() ? error_class_text(errorcode) : found->second.text, string,
                           MPI_MAX_ERROR_STRING);
  });
}

int PMPI_Add_error_class(int* errorclass) {
  return serve_at_any_time("MPI_Add_error_class", [&](Library&, Call&) { *errorclass = add(0); });
}

int PMPI_Add_error_code(int errorclass, int* errorcode) {
  return serve_at_any_time("MPI_Add_error_code", [&](Library&, Call&) {
    if (!error_class_is_known(errorclass) && find_added(errorclass, "class")->second.error_class != errorclass) {
      throw Error(MPI_ERR_ARG, std::to_string(errorclass) + " is an error code, not a class",
                  "Give a class of MPI_Add_error_class.");
    }
    *errorcode = add(errorclass);
  });
}

int PMPI_Add_error_string(int errorcode, const char* string) {
  return serve_at_any_time("MPI_Add_error_string", [&](Library&, Call&) {
    if (string == nullptr) throw Error(MPI_ERR_ARG, "the text is a null pointer", "Give the address of the text.");
    Added& found = find_added(errorcode, "code")->second;
    found.text = std::string(string).substr(0, MPI_MAX_ERROR_STRING - 1);
    found.has_text = true;
  });
}

int PMPI_Remove_error_class(int errorclass) {
  return serve_at_any_time("MPI_Remove_error_class", [&](Library&, Call&) {
    const auto found = find_added(errorclass, "class");
    if (found->second.error_class != errorclass)
      throw Error(MPI_ERR_ARG, "it is an error code, not a class", "Give a class of MPI_Add_error_class.");
    if (found->second.has_text)
      throw Error(MPI_ERR_OTHER, "the error class has a text, which must be removed first",
                  "Call MPI_Remove_error_string before.");
    for (const auto& [code, other] : added()) {
      if (code != errorclass && other.error_class == errorclass) {
        throw Error(MPI_ERR_OTHER,
                    "error code " + std::to_string(code) + " is of this class, and must be removed first",
                    "Call MPI_Remove_error_code before.");
      }
    }
    added().erase(found);
  });
}

int PMPI_Remove_error_code(int errorcode) {
  return serve_at_any_time("MPI_Remove_error_code", [&](Library&, Call&) {
    const auto found = find_added(errorcode, "code");
    if (found->second.error_class == errorcode)
      throw Error(MPI_ERR_ARG, "it is an error class, not a code", "Give a code of MPI_Add_error_code.");
    if (found->second.has_text)
      throw Error(MPI_ERR_OTHER, "the error code has a text, which must be removed first",
                  "Call MPI_Remove_error_string before.");
    added().erase(found);
  });
}

int PMPI_Remove_error_string(int errorcode) {
  return serve_at_any_time("MPI_Remove_error_string", [&](Library&, Call&) {
    Added& found = find_added(errorcode, "code")->second;
    if (!found.has_text) throw Error(MPI_ERR_ARG, "it has no text", "Call MPI_Add_error_string before.");
    found.text.clear();
    found.has_text = false;
  });
}
