// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file library.cpp
/// The library behind the face, and MPICH's variables.
///
/// Both libraries define MPI_X and PMPI_X, with other arguments. The library is loaded so that its own functions come
/// first for itself and for what looks for mistakes (RTLD_DEEPBIND), and the face asks for them by the library.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "check/variable.h"
#include "mpich_abi/convert.h"

extern "C" __attribute__((visibility("default"))) const void* tidings_caller();  // check/entry.cpp

namespace tidings::mpich {

namespace {

[[noreturn]] void fail() {
  const char* const reason = dlerror();
  std::fprintf(stderr, "tidings: libmpi.so.12 finds no MPI library: %s\n", reason == nullptr ? "" : reason);
  std::abort();
}

/// The system's dlopen. That of the address sanitizer comes first in a program that has it, and ends the program at
/// RTLD_DEEPBIND, for fear of allocations that it does not see. The library frees what it allocates by itself.
decltype(&dlopen) loader_of_libc() {
  void* const libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  void* const found = libc == nullptr ? nullptr : dlsym(libc, "dlopen");
  return found == nullptr ? dlopen : reinterpret_cast<decltype(&dlopen)>(found);
}

Functions load() {
  // What looks for mistakes loads the library behind it.
  const char* const checker = std::getenv(check::kLibraryVariable);
  void* const library =
      loader_of_libc()(checker != nullptr ? checker : "libmpi_abi.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) fail();
  Functions made{};
  for (std::size_t i = 0; i < made.plain.size(); ++i) {
    made.plain[i] = dlsym(library, kFunctionNames[i]);
    made.profiling[i] = dlsym(library, (std::string("P") + kFunctionNames[i]).c_str());
    if (made.plain[i] == nullptr || made.profiling[i] == nullptr) fail();
  }
  // What looks for mistakes may have been loaded before this library, and not know it.
  if (void* const told = dlsym(library, "tidings_check_caller")) {
    reinterpret_cast<void (*)(const void* (*)())>(told)(tidings_caller);
  }
  return made;
}

}  // namespace

const Functions& library() {
  static const Functions functions = load();
  return functions;
}

}  // namespace tidings::mpich

// Programs compare with the addresses in these, which are the standard ABI's: nothing needs to convert them.
extern "C" {
__attribute__((visibility("default"))) extern int* const face_unweighted __asm__("MPI_UNWEIGHTED");
__attribute__((visibility("default"))) extern int* const face_weights_empty __asm__("MPI_WEIGHTS_EMPTY");
__attribute__((visibility("default"))) extern MPI_T_pvar_handle const face_all_handles __asm__(
    "MPI_T_PVAR_ALL_HANDLES");
int* const face_unweighted = MPI_UNWEIGHTED;
int* const face_weights_empty = MPI_WEIGHTS_EMPTY;
MPI_T_pvar_handle const face_all_handles = MPI_T_PVAR_ALL_HANDLES;

// What stands for an ignored status in Fortran.
static tidings::mpich::Status ignored_in_fortran;
__attribute__((visibility("default"))) void* face_f_ignore __asm__("MPI_F_STATUS_IGNORE") = &ignored_in_fortran;
__attribute__((visibility("default"))) void* face_f_ignores __asm__("MPI_F_STATUSES_IGNORE") = &ignored_in_fortran;
__attribute__((visibility("default"))) void* face_f08_ignore __asm__("MPI_F08_STATUS_IGNORE") = &ignored_in_fortran;
__attribute__((visibility("default"))) void* face_f08_ignores __asm__("MPI_F08_STATUSES_IGNORE") = &ignored_in_fortran;
}
