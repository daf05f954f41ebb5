// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file call.h
/// One call of the program into the library.
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "coll/collectives.h"
#include "core/abi.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "cost.h"
#include "mpi/library.h"
#include "trace.h"

namespace tidings {

class Call {
 public:
  Call(Library& library, const char* name, MPI_Comm communicator)
      : library_(library), name_(name), communicator_(communicator), outer_(std::exchange(current_call, this)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (counted_) tidings_trace_leave(outcome_.path, outcome_.reason);
    current_call = outer_;
  }

  [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
  [[nodiscard]] const char* name() const { return name_; }
  /// What was called, for messages: "MPI_Recv(source 0, tag 5)". Ranks are those of the communicator.
  [[nodiscard]] std::string text() const;

  /// The peers, for messages. @param rank in the communicator, or a wildcard.
  void to(int rank, int tag) {
    destination_ = {rank, tag};
    has_destination_ = true;
  }
  void from(int rank, int tag) {
    source_ = {rank, tag};
    has_source_ = true;
  }
  /// The collective, for messages.
  void collective(const CollectiveDescriptor& descriptor) { descriptor_ = descriptor; }

  /// The call communicates: from here to its end it costs time and is counted.
  void begin(std::uint64_t bytes = 0);
  /// As begin() for a collective that has been named.
  void begin_collective(const Communicator& communicator, std::uint64_t bytes = 0);
  /// As begin() for a collective that has been described before.
  void begin_known(const KnownCall& known) {
    known_ = &known.arguments;
    if (tidings_trace_enter(name_)) {
      const tidings_call call{.arguments = known.arguments.data(),
                              .count = known.arguments.count(),
                              .bytes = known.bytes,
                              .group = known.group,
                              .signature = known.signature};
      tidings_trace_call(&call);
    }
    count();
  }
  /// How it was carried out.
  void end(const Outcome& outcome) { outcome_ = outcome; }

 private:
  struct Peer {
    int rank;
    int tag;
  };
  void describe(CallArguments& arguments) const;
  void enter(std::uint64_t bytes, std::uint64_t group, std::uint64_t signature);
  void count() {
    counted_ = true;
    tidings_work(TIDINGS_WORK_CALL, 1);
  }

  const Turn turn_;  // first: the others are this thread's meanwhile
  Library& library_;
  const char* name_;
  MPI_Comm communicator_;
  const void* outer_;
  // These lie side by side, as each call sets all of them.
  bool counted_ = false;
  bool has_destination_ = false;
  bool has_source_ = false;
  Outcome outcome_;
  const CallArguments* known_ = nullptr;
  std::optional<CollectiveDescriptor> descriptor_;
  Peer destination_;
  Peer source_;
};

[[noreturn]] void refuse_null(const char* what);

/// What a program points at. @throws Error for a null pointer. @param what it should point at.
template <class Value>
Value& at(Value* place, const char* what) {
  if (place == nullptr) [[unlikely]] {
    refuse_null(what);
  }
  return *place;
}

/// The error of a call before MPI_Init or after MPI_Finalize.
[[gnu::cold, gnu::noinline]] int refuse_call(const char* name, MPI_Comm communicator);

/// In a handler of exceptions: call the error handler for what has been thrown in a call. @return the error's class.
[[gnu::cold, gnu::noinline]] int raise_thrown(Library& library, const Call& call);

/// Serve a call: runs body(library, call), and turns an error into a call of the communicator's error handler.
template <class Body>
int serve(const char* name, MPI_Comm communicator, const Body& body) {
  Library* const lib = Library::running();
  if (lib == nullptr) [[unlikely]] {
    return refuse_call(name, communicator);
  }
  Call call(*lib, name, communicator);
  try {
    body(*lib, call);
    return MPI_SUCCESS;
  } catch (...) {
    return raise_thrown(*lib, call);
  }
}

/// As serve() for a call without a communicator.
template <class Body>
int serve(const char* name, const Body& body) {
  return serve(name, MPI_COMM_WORLD, body);
}

/// As serve() for a call that may come before MPI_Init and after MPI_Finalize.
template <class Body>
int serve_at_any_time(const char* name, const Body& body) {
  Library& lib = library();
  Call call(lib, name, MPI_COMM_WORLD);
  try {
    body(lib, call);
    return MPI_SUCCESS;
  } catch (...) {
    return raise_thrown(lib, call);
  }
}

}  // namespace tidings
