// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/call.h"

#include "trace.h"

namespace tidings {
namespace {

/// How a peer is told.
struct PeerTexts {
  const char* rank;
  const char* none;
};

inline void add_peer(CallArguments& arguments, const PeerTexts& texts, int rank, int tag) {
  if (rank == MPI_ANY_SOURCE) {
    arguments.add("any source");
  } else if (rank == MPI_PROC_NULL) {
    arguments.add(texts.none);
  } else {
    arguments.add(texts.rank, rank);
  }
  if (tag == MPI_ANY_TAG) {
    arguments.add("any tag");
  } else {
    arguments.add("tag %", tag);
  }
}

}  // namespace

void Call::describe(CallArguments& arguments) const {
  if (known_ != nullptr) {
    arguments = *known_;
    return;
  }
  if (descriptor_) add_arguments(arguments, *descriptor_);
  if (has_destination_) {
    add_peer(arguments, {"destination %", "destination MPI_PROC_NULL"}, destination_.rank, destination_.tag);
  }
  if (has_source_) add_peer(arguments, {"source %", "source MPI_PROC_NULL"}, source_.rank, source_.tag);
  if (communicator_ == MPI_COMM_WORLD) return;
  const auto& communicator = library_.communicators.find(number(communicator_));
  if (communicator != nullptr) add_arguments(arguments, *communicator);
}

std::string Call::text() const {
  CallArguments arguments;
  describe(arguments);
  return arguments.text(name_);
}

void Call::enter(std::uint64_t bytes, std::uint64_t group, std::uint64_t signature) {
  // Described only when entered: what is done before counts as the program's own computation.
  if (tidings_trace_enter(name_)) {
    CallArguments described;
    describe(described);
    const tidings_call call{.arguments = described.data(),
                            .count = described.count(),
                            .bytes = bytes,
                            .group = group,
                            .signature = signature};
    tidings_trace_call(&call);
  }
  count();
}

void Call::begin(std::uint64_t bytes) { enter(bytes, 0, 0); }

void Call::begin_collective(const Communicator& communicator, std::uint64_t bytes) {
  enter(bytes, communicator.unique_id(), descriptor_->signature());
}

int refuse_call(const char* name, MPI_Comm communicator) {
  Library& lib = library();
  const Call call(lib, name, communicator);
  const bool before = lib.phase() == Library::Phase::Before;
  return lib.raise(call, before ? Error(MPI_ERR_OTHER, "MPI has not been initialized", "Call MPI_Init before.")
                                : Error(MPI_ERR_OTHER, "MPI has been finalized", "Make the call before MPI_Finalize."));
}

int raise_thrown(Library& library, const Call& call) {
  try {
    throw;
  } catch (const Error& error) {
    return library.raise(call, error);
  } catch (const std::bad_alloc&) {
    return library.raise(call, Error(MPI_ERR_NO_MEM, "the process has no memory left"));
  }
}

[[gnu::cold]] void refuse_null(const char* what) {
  throw Error(MPI_ERR_ARG, std::string("the pointer to the ") + what + " is null", "Give its address.");
}

}  // namespace tidings
