// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/call.h"

#include "cost.h"
#include "trace.h"

namespace tidings {
namespace {

constexpr std::size_t kUsualText = 96;  ///< bytes that hold most descriptions

std::string rank_text(const char* role, int rank) {
  if (rank == MPI_ANY_SOURCE) return "any source";
  return std::string(role) + " " + (rank == MPI_PROC_NULL ? "MPI_PROC_NULL" : std::to_string(rank));
}

}  // namespace

Call::Call(const char* name, MPI_Comm communicator)
    : name_(name), communicator_(communicator), outer_(library().current) {
  library().current = this;
}

Call::~Call() {
  if (counted_) tidings_trace_leave(outcome_.path, outcome_.reason);
  library().current = outer_;
}

std::string Call::text() const {
  // Every call is described, so this appends to one text.
  std::string text = name_;
  text.reserve(kUsualText);
  const char* separator = "(";
  const auto add = [&](const std::string& part) {
    text += separator;
    text += part;
    separator = ", ";
  };
  const auto add_peer = [&add](const char* role, const Peer& peer) {
    add(rank_text(role, peer.rank));
    add(peer.tag == MPI_ANY_TAG ? "any tag" : "tag " + std::to_string(peer.tag));
  };
  if (descriptor_) {
    const std::string arguments = describe_arguments(*descriptor_);
    if (!arguments.empty()) add(arguments);
  }
  if (destination_) add_peer("destination", *destination_);
  if (source_) add_peer("source", *source_);
  if (communicator_ != MPI_COMM_WORLD) {
    const auto communicator = library().communicators.find(number(communicator_));
    if (communicator != nullptr) add("communicator " + communicator->name());
  }
  if (*separator == ',') text += ')';
  return text;
}

void Call::enter(std::uint64_t bytes, std::uint64_t group, std::uint64_t signature) {
  // Described only when entered: what is done before counts as the program's own computation.
  if (tidings_trace_enter(name_)) {
    const std::string described = text();
    const tidings_call call{.text = described.c_str(), .group = group, .signature = signature};
    tidings_trace_call(&call);
    tidings_trace_bytes(bytes);
  }
  counted_ = true;
  tidings_work(TIDINGS_WORK_CALL, 1);
}

void Call::begin(std::uint64_t bytes) { enter(bytes, 0, 0); }

void Call::begin_collective(const Communicator& communicator, std::uint64_t bytes) {
  enter(bytes, communicator.unique_id(), descriptor_->signature());
}

}  // namespace tidings
