// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file convert.h
/// Arguments of calls in MPICH's ABI as those of the standard ABI, and back.
///
/// The constants of both are generated from their headers (face.py). An integer or a handle that is no constant is the
/// same in both: handles of the library fit into an int (lib/core/handle_table.h).
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "check/entry.h"
#include "constants.h"
#include "entry_points.h"

#define TIDINGS_EXPORT extern "C" __attribute__((visibility("default")))
/// The files with wrappers are compiled twice: tools see calls of MPI_X, and PMPI_X passes them by. Each calls the
/// library's function of the same name, so that what looks for mistakes stands between.
#ifdef TIDINGS_PROFILING
#define TIDINGS_SYMBOL(name) "P" #name
#define TIDINGS_NAMES profiling
#else
#define TIDINGS_SYMBOL(name) #name
#define TIDINGS_NAMES plain
#endif
/// Define one of MPICH's functions. The standard ABI's has the same name and other arguments, so it is not declared
/// here by that name.
#define TIDINGS_FACE(result, name, ...)                                         \
  TIDINGS_EXPORT result face_##name(__VA_ARGS__) __asm__(TIDINGS_SYMBOL(name)); \
  result face_##name(__VA_ARGS__)
/// The library's function.
#define TIDINGS_C(name)                 \
  (reinterpret_cast<decltype(&::name)>( \
      ::tidings::mpich::library().TIDINGS_NAMES[static_cast<std::size_t>(::tidings::mpich::Function::name)]))

namespace tidings::mpich {

/// The library's functions, by `Function`.
struct Functions {
  std::array<void*, std::size(kFunctionNames)> plain;      ///< MPI_X
  std::array<void*, std::size(kFunctionNames)> profiling;  ///< PMPI_X
};
/// Loads the library when it is first called.
const Functions& library();

using tidings::Entry;

/// MPICH's status.
struct Status {
  std::uint32_t count_low;
  std::uint32_t count_high_and_cancelled;  ///< cancelled is its last bit
  int source;
  int tag;
  int error;
};
static_assert(sizeof(Status) == kMpich_MPI_F_STATUS_SIZE * sizeof(int));

// ---------------------------------------------------------------- integers

/// An error's class or code: the last one of the ABI, and those that the program adds behind it, are as far apart in
/// both.
constexpr int code_to_abi(int code) {
  return code >= kMpich_MPI_ERR_LASTCODE ? code - kMpich_MPI_ERR_LASTCODE + MPI_ERR_LASTCODE : error_to_abi(code);
}
constexpr int code_to_mpich(int code) {
  return code >= MPI_ERR_LASTCODE ? code - MPI_ERR_LASTCODE + kMpich_MPI_ERR_LASTCODE : error_to_mpich(code);
}

/// Flags that are added to one another. One that neither ABI knows makes the sum invalid.
constexpr int mode_to_abi(int given) {
  int made = 0;
  for (const Mode& mode : kModes) {
    if ((given & mode.mpich) != 0) made |= mode.abi;
    given &= ~mode.mpich;
  }
  constexpr int kUnknown = 1 << 30;
  return given == 0 ? made : made | kUnknown;
}
constexpr int mode_to_mpich(int given) {
  int made = 0;
  for (const Mode& mode : kModes) made |= (given & mode.abi) != 0 ? mode.mpich : 0;
  return made;
}

/// Convert in its place what the library has written. @param result may be a null pointer
template <class Integer>
void convert(Integer* result, int (*one)(int)) {
  if (result != nullptr) *result = static_cast<Integer>(one(static_cast<int>(*result)));
}

/// An array of integers that the library reads.
class Integers {
 public:
  Integers(const int* given, long long count, int (*one)(int)) {
    if (given == nullptr) return;
    for (long long i = 0; i < count; ++i) made_.push_back(one(given[i]));
  }
  operator const int*() const { return made_.data(); }

 private:
  std::vector<int> made_;
};

// ---------------------------------------------------------------- buffers and texts

/// The address of a buffer.
inline void* buffer_to_abi(const void* given) {
  return reinterpret_cast<void*>(address_to_abi(reinterpret_cast<std::intptr_t>(given)));
}

/// Copy a text for which the program has less room. @param length of the text, if the program asks for it
inline void put_text(char* to, const char* from, std::size_t room, int* length = nullptr) {
  const std::size_t shown = std::min(std::strlen(from), room - 1);
  std::memcpy(to, from, shown);
  to[shown] = '\0';
  if (length != nullptr) *length = static_cast<int>(shown);
}

// ---------------------------------------------------------------- handles

/// MPICH's handles, and those of the standard ABI.
template <class Handle>
struct Of;
#define TIDINGS_HANDLE(type, name)                                                              \
  template <>                                                                                   \
  struct Of<type> {                                                                             \
    using Number = int;                                                                         \
    static type to_abi(Number number) { return reinterpret_cast<type>(name##_to_abi(number)); } \
    static Number to_mpich(type handle) {                                                       \
      return static_cast<Number>(name##_to_mpich(reinterpret_cast<std::intptr_t>(handle)));     \
    }                                                                                           \
  };
TIDINGS_HANDLE(MPI_Comm, comm)
TIDINGS_HANDLE(MPI_Datatype, datatype)
TIDINGS_HANDLE(MPI_Group, group)
TIDINGS_HANDLE(MPI_Info, info)
TIDINGS_HANDLE(MPI_Message, message)
TIDINGS_HANDLE(MPI_Op, op)
TIDINGS_HANDLE(MPI_Request, request)
TIDINGS_HANDLE(MPI_Session, session)
TIDINGS_HANDLE(MPI_Win, win)
#undef TIDINGS_HANDLE

/// MPICH's error handler that lets calls return, and makes its library for C++ throw exceptions.
inline constexpr int throwing_errhandler = 0x54000002;
/// What stands for it: for communicators, files and windows. Null pointers until a program uses one.
extern std::array<MPI_Errhandler, 3> throwing_errhandlers;
template <>
struct Of<MPI_Errhandler> {
  using Number = int;
  static MPI_Errhandler to_abi(Number number) { return reinterpret_cast<MPI_Errhandler>(errhandler_to_abi(number)); }
  static Number to_mpich(MPI_Errhandler handle) {
    if (handle != nullptr && std::ranges::find(throwing_errhandlers, handle) != throwing_errhandlers.end()) {
      return throwing_errhandler;
    }
    return static_cast<Number>(errhandler_to_mpich(reinterpret_cast<std::intptr_t>(handle)));
  }
};
/// Files are pointers in both ABIs.
template <>
struct Of<MPI_File> {
  using Number = void*;
  static MPI_File to_abi(Number number) {
    return reinterpret_cast<MPI_File>(file_to_abi(reinterpret_cast<std::intptr_t>(number)));
  }
  static Number to_mpich(MPI_File handle) {
    return reinterpret_cast<Number>(file_to_mpich(reinterpret_cast<std::intptr_t>(handle)));
  }
};

/// A handle that the library takes, changes or makes.
template <class Handle>
class HandleOf {
  using Number = typename Of<Handle>::Number;

 public:
  /// Made by the library.
  HandleOf() = default;
  /// Used or changed by the library.
  explicit HandleOf(const Number* number) : handle_(Of<Handle>::to_abi(*number)) {}
  operator Handle*() { return &handle_; }
  /// @param number may be a null pointer: a tool need not ask for a variable's datatype
  void to(Number* number) const {
    if (number != nullptr) *number = Of<Handle>::to_mpich(handle_);
  }

 private:
  Handle handle_{};
};

/// Room for an array that is mostly short.
template <class Element>
class Room {
 public:
  explicit Room(long long count) : size_(static_cast<std::size_t>(std::max(count, 0LL))) {
    if (size_ > kShort) long_.resize(size_);
  }
  [[nodiscard]] Element* data() { return size_ > kShort ? long_.data() : short_.data(); }
  [[nodiscard]] const Element* data() const { return size_ > kShort ? long_.data() : short_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kShort = 32;
  std::size_t size_;
  std::array<Element, kShort> short_;
  std::vector<Element> long_;
};

/// An array of handles.
template <class Handle>
class HandlesOf {
  using Number = typename Of<Handle>::Number;

 public:
  /// @param numbers may be a null pointer if there are none, or if MPI_IN_PLACE stands for the buffer
  HandlesOf(const Number* numbers, long long count) : handles_(numbers == nullptr ? 0 : count), given_(numbers) {
    for (std::size_t i = 0; i < handles_.size(); ++i) handles_.data()[i] = Of<Handle>::to_abi(numbers[i]);
  }
  operator Handle*() { return given_ == nullptr ? nullptr : handles_.data(); }
  void to(Number* numbers) const {
    for (std::size_t i = 0; i < handles_.size(); ++i) numbers[i] = Of<Handle>::to_mpich(handles_.data()[i]);
  }

 private:
  Room<Handle> handles_;
  const Number* given_;
};

// ---------------------------------------------------------------- callbacks of MPICH's library for C++

/// A function of MPICH's library for C++ that calls the program's callback, which it gets as an argument. What this
/// function and a callback really are depends on what they belong to.
using Proxy = void (*)();

/// What this thread has made last, with room for its proxies: the library for C++ gives them right after it has made
/// an operation, an error handler or a keyval.
struct LastMade {
  int number;     ///< its handle, or the keyval
  Proxy* first;   ///< of the callback, or of the one that copies an attribute
  Proxy* second;  ///< of the callback that deletes an attribute
};
extern constinit thread_local LastMade last_made __attribute__((tls_model("initial-exec")));

/// An error handler in C++ has been called since this thread's last call began.
extern constinit thread_local bool handled_in_cpp __attribute__((tls_model("initial-exec")));

/// The code that a call returns. It is success after an error handler in C++, as in MPICH: its library for C++ would
/// call the handler once more.
inline int ended(int returned) { return std::exchange(handled_in_cpp, false) ? 0 : code_to_mpich(returned); }

// ---------------------------------------------------------------- statuses

/// A status in the standard ABI. The library keeps bytes and cancellation as lib/mpi/status.h says.
inline MPI_Status status_to_abi(const Status& given) {
  const std::uint64_t bytes = std::uint64_t{given.count_high_and_cancelled >> 1U} << 32U | given.count_low;
  MPI_Status made{rank_to_abi(given.source), tag_to_abi(given.tag), code_to_abi(given.error), {}};
  std::memcpy(&made.MPI_internal[0], &bytes, sizeof bytes);
  made.MPI_internal[2] = static_cast<int>(given.count_high_and_cancelled & 1U);
  return made;
}

/// Change a status as the library has changed its own. What it has left alone stays: a program need not have set it.
inline void change_status(Status& given, const MPI_Status& before, const MPI_Status& after) {
  if (after.MPI_SOURCE != before.MPI_SOURCE) given.source = rank_to_mpich(after.MPI_SOURCE);
  if (after.MPI_TAG != before.MPI_TAG) given.tag = tag_to_mpich(after.MPI_TAG);
  if (after.MPI_ERROR != before.MPI_ERROR) given.error = code_to_mpich(after.MPI_ERROR);
  if (std::memcmp(after.MPI_internal, before.MPI_internal, sizeof after.MPI_internal) == 0) return;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &after.MPI_internal[0], sizeof bytes);
  given.count_low = static_cast<std::uint32_t>(bytes);
  given.count_high_and_cancelled =
      static_cast<std::uint32_t>(bytes >> 32U) << 1U | (after.MPI_internal[2] != 0 ? 1U : 0U);
}

/// A status that the library reads, writes or both.
class StatusOf {
 public:
  explicit StatusOf(const Status* given)
      : ignored_(given == nullptr || reinterpret_cast<std::intptr_t>(given) == kMpich_MPI_STATUS_IGNORE) {
    if (!ignored_) before_ = after_ = status_to_abi(*given);
  }
  operator MPI_Status*() { return ignored_ ? MPI_STATUS_IGNORE : &after_; }
  void to(Status* given) const {
    if (!ignored_) change_status(*given, before_, after_);
  }

 private:
  bool ignored_;
  MPI_Status before_{};
  MPI_Status after_{};
};

/// An array of statuses that the library writes.
class StatusesOf {
 public:
  StatusesOf(const Status* given, long long count)
      : ignored_(given == nullptr || reinterpret_cast<std::intptr_t>(given) == kMpich_MPI_STATUSES_IGNORE),
        before_(ignored_ ? 0 : count),
        after_(ignored_ ? 0 : count) {
    for (std::size_t i = 0; i < after_.size(); ++i) {
      before_.data()[i] = after_.data()[i] = status_to_abi(given[i]);
    }
  }
  operator MPI_Status*() { return ignored_ ? MPI_STATUSES_IGNORE : after_.data(); }
  void to(Status* given) const {
    for (std::size_t i = 0; i < after_.size(); ++i) change_status(given[i], before_.data()[i], after_.data()[i]);
  }

 private:
  bool ignored_;
  Room<MPI_Status> before_;
  Room<MPI_Status> after_;
};

// ---------------------------------------------------------------- communicators

/// Processes to which a process of a communicator sends in its collectives.
int partners(int comm);

/// Neighbours of a process in a communicator's topology.
struct Neighbours {
  int sources = 0;
  int destinations = 0;
};
Neighbours neighbours(int comm);

/// End a call of a function that MPICH has beside the standard and this library has not.
int left_out(const char* function);

}  // namespace tidings::mpich
