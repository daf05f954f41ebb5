// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file library.h
/// What the MPI library knows between calls: objects behind handles, and the message layer.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coll/collectives.h"
#include "core/abi.h"
#include "core/communicator.h"
#include "core/datatype.h"
#include "core/error.h"
#include "core/error_handler.h"
#include "core/handle_table.h"
#include "core/info.h"
#include "core/message_layer.h"
#include "core/operation.h"
#include "core/request.h"

namespace tidings {

class Call;

class Library {
 public:
  enum class Phase { Before, Running, After };

  Library();

  /// First half of MPI_Init: open the device.
  void start();
  /// Second half: wait until every rank has done the first.
  void meet();
  /// MPI_Finalize.
  void finish();

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] MessageLayer& messages() { return *messages_; }
  [[nodiscard]] Collectives& collectives() { return *collectives_; }

  /// What a handle names; the reference holds until the handle is freed. @throws Error if it names no such object.
  [[nodiscard]] const CommunicatorPointer& communicator(MPI_Comm handle) const;
  [[nodiscard]] const std::shared_ptr<Datatype>& type(MPI_Datatype handle) const;
  /// As type(), for communication: it must have been committed.
  [[nodiscard]] const std::shared_ptr<Datatype>& committed_type(MPI_Datatype handle) const;
  [[nodiscard]] const OperationPointer& operation(MPI_Op handle) const;
  [[nodiscard]] std::shared_ptr<const Group> group(MPI_Group handle) const;
  [[nodiscard]] std::shared_ptr<const ErrorHandler> error_handler(MPI_Errhandler handle) const;
  [[nodiscard]] const RequestPointer& request(MPI_Request handle) const;
  [[nodiscard]] std::shared_ptr<Info> info(MPI_Info handle) const;

  /// The datatype MPI_BYTE.
  [[nodiscard]] const Datatype& bytes() const { return *bytes_; }
  /// An array in the program's memory. @throws Error for a negative count or a null address of data.
  [[nodiscard]] Buffer buffer(const void* base, MPI_Count count, MPI_Datatype type) const;

  /// Make a communicator of `members` (world ranks in order) with the id and the algorithms that all members
  /// agreed on. @param label as Communicator takes it.
  MPI_Comm add_communicator(std::uint32_t id, const char* label, const Communicator& parent,
                            std::vector<std::uint32_t> members,
                            std::shared_ptr<const CommunicatorAlgorithms> algorithms);
  /// Least id that this rank has not used yet.
  [[nodiscard]] std::uint32_t next_communicator() const { return next_communicator_; }
  /// All ids up to `id` have been used. @throws Error where there are no more.
  void use_communicator(std::uint32_t id);

  /// Call the error handler. @return the error's class.
  int raise(const Call& call, const Error& error);
  /// End the run. @param text follows "rank N: ".
  [[noreturn]] void fail(int code, const std::string& text) const;

  HandleTable<Communicator> communicators;
  HandleTable<Datatype> types;
  HandleTable<const Operation> operations;
  HandleTable<const Group> groups;
  HandleTable<const ErrorHandler> error_handlers;
  HandleTable<Request, RequestPointer> requests;
  HandleTable<Info> infos;

  /// The call that is being served, for messages about it.
  const Call* current = nullptr;

 private:
  Phase phase_ = Phase::Before;
  DatatypePointer bytes_;
  std::unique_ptr<MessageLayer> messages_;
  std::unique_ptr<Collectives> collectives_;
  std::uint32_t next_communicator_ = 0;
};

/// The library of this process.
[[nodiscard]] Library& library();

/// Handles are integers in pointer's clothes.
template <class Handle>
[[nodiscard]] std::intptr_t number(Handle handle) {
  return reinterpret_cast<std::intptr_t>(handle);
}
template <class Handle>
[[nodiscard]] Handle as_handle(std::intptr_t number) {
  return reinterpret_cast<Handle>(number);
}

}  // namespace tidings
