// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file call.h
/// One call of the program into the library.
#include <new>
#include <optional>
#include <string>

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
      : library_(library), name_(name), communicator_(communicator), outer_(library.current) {
    library.current = this;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (counted_) tidings_trace_leave(outcome_.path, outcome_.reason);
    library_.current = outer_;
  }

  [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
  [[nodiscard]] const char* name() const { return name_; }
  /// What was called, for messages: "MPI_Recv(source 0, tag 5)". Ranks are those of the communicator.
  [[nodiscard]] std::string text() const;

  /// The peers, for messages. @param rank in the communicator, or a wildcard.
  void to(int rank, int tag) { destination_ = {rank, tag}; }
  void from(int rank, int tag) { source_ = {rank, tag}; }
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

  Library& library_;
  const char* name_;
  MPI_Comm communicator_;
  const Call* outer_;
  std::optional<Peer> destination_;
  std::optional<Peer> source_;
  std::optional<CollectiveDescriptor> descriptor_;
  const CallArguments* known_ = nullptr;
  bool counted_ = false;
  Outcome outcome_;
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

/// Serve a call: runs body(library, call), and turns an error into a call of the communicator's error handler.
template <class Body>
int serve(const char* name, MPI_Comm communicator, const Body& body) {
  Library& lib = library();
  Call call(lib, name, communicator);
  try {
    if (lib.phase() != Library::Phase::Running) [[unlikely]] {
      throw Error(MPI_ERR_OTHER,
                  lib.phase() == Library::Phase::Before ? "MPI has not been initialized" : "MPI has been finalized");
    }
    body(lib, call);
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return lib.raise(call, error);
  } catch (const std::bad_alloc&) {
    return lib.raise(call, Error(MPI_ERR_NO_MEM, "the process has no memory left"));
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
  } catch (const Error& error) {
    return lib.raise(call, error);
  }
}

}  // namespace tidings
