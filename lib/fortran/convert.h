// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file convert.h
/// Arguments of Fortran's calls as those of C's, and back.
///
/// Fortran passes addresses. A character argument also has a length by value, behind all other arguments. Statuses are
/// the same in both languages (MPI_F_STATUS_SIZE), a LOGICAL is a C int that is 0 if it is false.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "check/entry.h"
#include "fortran/addresses.h"

static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(Integer));
// A callback of C gets the address of a handle, whose first bytes are Fortran's handle.
static_assert(std::endian::native == std::endian::little);

/// The library's functions by the names that the wrappers of this file are compiled for: tools see calls of MPI_X, and
/// PMPI_X passes them by, in Fortran as in C.
#ifdef TIDINGS_PROFILING
#define TIDINGS_C(name) P##name
#define TIDINGS_FORTRAN(name) pmpi_##name##_
#else
#define TIDINGS_C(name) name
#define TIDINGS_FORTRAN(name) mpi_##name##_
#endif
#define TIDINGS_EXPORT extern "C" __attribute__((visibility("default")))
/// Another name of the wrapper `name`.
#define TIDINGS_ALSO(name, other) TIDINGS_ALSO_CALLED(TIDINGS_FORTRAN(name), TIDINGS_FORTRAN(other))
#define TIDINGS_ALSO_CALLED(name, other) TIDINGS_ALSO_QUOTED(name, other)
#define TIDINGS_ALSO_QUOTED(name, other) TIDINGS_EXPORT __attribute__((alias(#name))) decltype(name) other
/// The names in module mpi_f08 of the function `name`, and of the same for large counts.
#ifdef TIDINGS_MPICH
#ifdef TIDINGS_PROFILING
#define TIDINGS_MODULE(name) pmpir_##name##_
#else
#define TIDINGS_MODULE(name) mpi_##name##_
#endif
#define TIDINGS_F08(name) TIDINGS_MODULE(name##_f08)
#define TIDINGS_LARGE_F08(name) TIDINGS_MODULE(name##_f08_large)
#else
#define TIDINGS_F08(name) TIDINGS_FORTRAN(name##_f08)
#define TIDINGS_LARGE_F08(name) TIDINGS_FORTRAN(name##_c_f08)
#endif
#define TIDINGS_ALSO_F08(name) TIDINGS_ALSO_CALLED(TIDINGS_FORTRAN(name), TIDINGS_F08(name))
#define TIDINGS_ALSO_LARGE_F08(name) TIDINGS_ALSO_CALLED(TIDINGS_FORTRAN(name##_c), TIDINGS_LARGE_F08(name))

namespace tidings::fortran {

using tidings::Entry;

/// Integers and handles, by the handle's type.
template <class Handle>
struct Of;
#define TIDINGS_HANDLE(type, name)                                               \
  template <>                                                                    \
  struct Of<type> {                                                              \
    static type handle(Integer number) { return PMPI_##name##_fromint(number); } \
    static Integer number(type handle) { return PMPI_##name##_toint(handle); }   \
  };
#ifdef TIDINGS_MPICH
// There, handles are the integers that Fortran has, but for files.
template <>
struct Of<int> {
  static int handle(Integer number) { return number; }
  static Integer number(int handle) { return handle; }
};
#else
TIDINGS_HANDLE(MPI_Comm, Comm)
TIDINGS_HANDLE(MPI_Datatype, Type)
TIDINGS_HANDLE(MPI_Errhandler, Errhandler)
TIDINGS_HANDLE(MPI_Group, Group)
TIDINGS_HANDLE(MPI_Info, Info)
TIDINGS_HANDLE(MPI_Message, Message)
TIDINGS_HANDLE(MPI_Op, Op)
TIDINGS_HANDLE(MPI_Request, Request)
TIDINGS_HANDLE(MPI_Session, Session)
TIDINGS_HANDLE(MPI_Win, Win)
#endif
TIDINGS_HANDLE(MPI_File, File)
#undef TIDINGS_HANDLE

/// A handle that the library takes, changes or makes.
template <class Handle>
class HandleOf {
 public:
  /// Made by the library.
  HandleOf() = default;
  /// Used or changed by the library.
  explicit HandleOf(const Integer* number) : handle_(Of<Handle>::handle(*number)) {}
  operator Handle*() { return &handle_; }
  void to(Integer* number) const { *number = Of<Handle>::number(handle_); }

 private:
  Handle handle_{};
};

/// An array of handles.
template <class Handle>
class HandlesOf {
 public:
  HandlesOf(const Integer* numbers, long long count) {
    handles_.reserve(static_cast<std::size_t>(std::max(count, 0LL)));
    for (long long i = 0; i < count; ++i) handles_.push_back(Of<Handle>::handle(numbers[i]));
  }
  operator Handle*() { return handles_.data(); }
  void to(Integer* numbers) const {
    for (std::size_t i = 0; i < handles_.size(); ++i) numbers[i] = Of<Handle>::number(handles_[i]);
  }

 private:
  std::vector<Handle> handles_;
};

/// Datatypes that the library writes; those that it leaves alone stay as they are in Fortran.
class DatatypesMade {
 public:
  explicit DatatypesMade(long long count)
      : handles_(static_cast<std::size_t>(std::max(count, 0LL)), MPI_DATATYPE_NULL) {}
  operator MPI_Datatype*() { return handles_.data(); }
  void to(Integer* numbers) const {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i] != MPI_DATATYPE_NULL) numbers[i] = Of<MPI_Datatype>::number(handles_[i]);
    }
  }

 private:
  std::vector<MPI_Datatype> handles_;
};

/// A character argument without the blanks behind it.
inline std::string text(const char* characters, std::size_t length) {
  const std::string_view all(characters, length);
  const auto last = all.find_last_not_of(' ');
  return std::string(all.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

/// As text(), without the blanks before it: keys and values of an MPI_Info.
inline std::string stripped(const char* characters, std::size_t length) {
  const std::string all = text(characters, length);
  return all.substr(std::min(all.find_first_not_of(' '), all.size()));
}

/// Fill a character argument with a text and blanks.
inline void put(std::string_view value, char* characters, std::size_t length) {
  const std::size_t shown = std::min(value.size(), length);
  std::memcpy(characters, value.data(), shown);
  std::memset(characters + shown, ' ', length - shown);
}

/// Room for any text that the library writes.
class TextMade {
 public:
  explicit TextMade(std::size_t characters = kLongest) : characters_(characters + 1) {}
  operator char*() { return characters_.data(); }
  void to(char* characters, std::size_t length) const { put(characters_.data(), characters, length); }

 private:
  static constexpr std::size_t kLongest = MPI_MAX_LIBRARY_VERSION_STRING;
  std::vector<char> characters_;
};

/// The address of a buffer.
inline void* buffer_of(const void* given) {
  if (given == kBottom) return MPI_BOTTOM;
  if (given == kInPlace) return MPI_IN_PLACE;
  if (given == kBufferAutomatic) return MPI_BUFFER_AUTOMATIC;
  return const_cast<void*>(given);
}

inline MPI_Status* status_of(void* given) {
  return given == kStatusIgnore ? MPI_STATUS_IGNORE : static_cast<MPI_Status*>(given);
}
inline MPI_Status* statuses_of(void* given) {
  return given == kStatusesIgnore ? MPI_STATUSES_IGNORE : static_cast<MPI_Status*>(given);
}

inline Integer* weights_of(const Integer* given) {
  if (given == kUnweighted) return MPI_UNWEIGHTED;
  if (given == kWeightsEmpty) return MPI_WEIGHTS_EMPTY;
  return const_cast<Integer*>(given);
}

/// Count an index from one.
inline void from_one(Integer* index) {
  if (*index >= 0) ++*index;
}
/// As from_one() for several. @param count may be MPI_UNDEFINED
inline void from_one(Integer* indices, Integer count) {
  for (Integer i = 0; i < count; ++i) from_one(indices + i);
}

/// Give the result of a call back. @param ierror is a null pointer if the program leaves it out (mpi_f08)
inline void give(Integer* ierror, int result) {
  if (ierror != nullptr) *ierror = result;
}

/// Processes to which a process of a communicator sends in its collectives.
inline int partners(MPI_Comm comm) {
  int inter = 0;
  int size = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) {
    PMPI_Comm_remote_size(comm, &size);
  } else {
    PMPI_Comm_size(comm, &size);
  }
  return size;
}

/// Neighbours of a process in a communicator's topology.
struct Neighbours {
  int sources = 0;
  int destinations = 0;
};
Neighbours neighbours(MPI_Comm comm);

}  // namespace tidings::fortran
