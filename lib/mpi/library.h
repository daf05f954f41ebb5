// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file library.h
/// What the MPI library knows between calls: objects behind handles, and the message layer.
#include <algorithm>
#include <atomic>
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
#include "core/reused.h"
#include "core/several_threads.h"

namespace tidings {

class Call;
class PackedCopy;
class RemoteMemory;
struct MixedArrays;

/// Handles are integers in pointer's clothes.
template <class Handle>
[[nodiscard]] std::intptr_t number(Handle handle) {
  return reinterpret_cast<std::intptr_t>(handle);
}
template <class Handle>
[[nodiscard]] Handle as_handle(std::intptr_t number) {
  return reinterpret_cast<Handle>(number);
}

class Library {
 public:
  enum class Phase { Before, Running, After };

  Library();

  /// First half of MPI_Init: open the device.
  void start();
  /// Second half: wait until every rank has done the first.
  void meet();
  /// Wait until every rank is in MPI_Finalize.
  void meet_at_end();
  /// MPI_Finalize.
  void finish();

  [[nodiscard]] Phase phase() const { return phase_; }
  /// The library between its start and its end; else null.
  [[nodiscard]] static Library* running() { return running_.load(std::memory_order_relaxed); }
  [[nodiscard]] MessageLayer& messages() { return *messages_; }
  [[nodiscard]] Collectives& collectives() const { return *collectives_; }

  /// What a handle names; the reference holds until the handle is freed. @throws Error if it names no such object.
  [[nodiscard]] const CommunicatorPointer& communicator(MPI_Comm handle) const {
    return require(communicators, handle, MPI_COMM_NULL, MPI_ERR_COMM, "communicator", "MPI_COMM_NULL");
  }
  /// As communicator(), for what an intercommunicator cannot do.
  [[nodiscard]] const CommunicatorPointer& intracommunicator(MPI_Comm handle) const {
    const auto& found = communicator(handle);
    if (found->inter != nullptr) [[unlikely]] {
      refuse_intercommunicator();
    }
    return found;
  }
  [[nodiscard]] const std::shared_ptr<Datatype>& type(MPI_Datatype handle) const {
    return require(types, handle, MPI_DATATYPE_NULL, MPI_ERR_TYPE, "datatype", "MPI_DATATYPE_NULL");
  }
  /// As type(), for communication: it must have been committed.
  [[nodiscard]] const std::shared_ptr<Datatype>& committed_type(MPI_Datatype handle) const {
    const auto& found = type(handle);
    if (!found->committed()) [[unlikely]] {
      refuse_uncommitted();
    }
    return found;
  }
  [[nodiscard]] const OperationPointer& operation(MPI_Op handle) const {
    return require(operations, handle, MPI_OP_NULL, MPI_ERR_OP, "operation", "MPI_OP_NULL");
  }
  [[nodiscard]] const std::shared_ptr<const Group>& group(MPI_Group handle) const {
    return require(groups, handle, MPI_GROUP_NULL, MPI_ERR_GROUP, "group", "MPI_GROUP_NULL");
  }
  [[nodiscard]] const std::shared_ptr<ErrorHandler>& error_handler(MPI_Errhandler handle) const {
    return require(error_handlers, handle, MPI_ERRHANDLER_NULL, MPI_ERR_ERRHANDLER, "error handler",
                   "MPI_ERRHANDLER_NULL");
  }
  [[nodiscard]] const RequestPointer& request(MPI_Request handle) const {
    return require(requests, handle, MPI_REQUEST_NULL, MPI_ERR_REQUEST, "request", "MPI_REQUEST_NULL");
  }
  [[nodiscard]] const std::shared_ptr<Info>& info(MPI_Info handle) const {
    return require(infos, handle, MPI_INFO_NULL, MPI_ERR_INFO, "info", "MPI_INFO_NULL");
  }

  /// The datatype MPI_BYTE.
  [[nodiscard]] const Datatype& bytes() const { return *bytes_; }
  /// An array in the program's memory. @throws Error for a negative count or a null address of data; MPI_BOTTOM is one,
  /// unless the datatype holds addresses.
  [[nodiscard]] Buffer buffer(const void* base, MPI_Count count, MPI_Datatype handle) const {
    return buffer(base, count, *committed_type(handle));
  }
  [[nodiscard]] static Buffer buffer(const void* base, MPI_Count count, const Datatype& type) {
    if (count < 0 || base == nullptr) [[unlikely]] {
      check_buffer(count, type);
    }
    return {const_cast<void*>(base), static_cast<std::size_t>(count), &type};
  }

  /// Empty arrays, for as long as the pointer lives.
  [[nodiscard]] std::shared_ptr<BlockArrays> block_arrays() const {
    auto arrays = block_arrays_.take();
    arrays->clear();
    return arrays;
  }

  /// Make a communicator of `members` (world ranks in order) with the id and the algorithms that all members
  /// agreed on. @param label as Communicator takes it.
  MPI_Comm add_communicator(std::uint32_t id, const char* label, const Communicator& parent,
                            std::vector<std::uint32_t> members,
                            std::shared_ptr<const CommunicatorAlgorithms> algorithms);

  /// Call the error handler. @return the error's class.
  int raise(const Call& call, const Error& error);
  /// As raise() for an object with a handler of its own.
  template <class Handle>
  int raise(const Call& call, const Error& error, const ErrorHandler& handler, Handle on) const {
    if (handler.kind == ErrorHandler::Kind::Fatal) fail(call, error);
    if (handler.kind == ErrorHandler::Kind::User) handler.call(on, error.error_class());
    return error.error_class();
  }
  [[noreturn]] void fail(const Call& call, const Error& error) const;
  /// End the run. @param text follows "rank N: ".
  [[noreturn]] void fail(int code, const std::string& text) const;

  HandleTable<Communicator> communicators;
  HandleTable<Datatype> types;
  HandleTable<const Operation> operations;
  HandleTable<const Group> groups;
  HandleTable<ErrorHandler> error_handlers;
  HandleTable<Request, RequestPointer> requests;
  HandleTable<Info> infos;
  Reused<PackedCopy> packed_copies;
  mutable Reused<MixedArrays> mixed_arrays;  // memory alone
  Reused<std::vector<RequestPointer>> request_lists;
  mutable ScratchArrays scratch;  // memory alone

  /// What accesses windows in node memory. Nothing: none has been asked for; null: there is no room for data under way.
  std::optional<std::shared_ptr<RemoteMemory>> remote_memory;

  /// Where the program is between MPI_Init and MPI_Finalize; the device may be open without, for sessions.
  Phase world = Phase::Before;
  /// Sessions that are open, and whether there has been one.
  int sessions = 0;
  bool had_sessions = false;
  /// What MPI_Finalize does before all else, in order, if the program has asked for anything.
  std::vector<void (*)(Library&)> before_finish;
  void do_before_finish(void (*todo)(Library&)) {
    if (std::find(before_finish.begin(), before_finish.end(), todo) == before_finish.end()) {
      before_finish.push_back(todo);
    }
  }

  /// The call that is being served, for messages about it.
  [[nodiscard]] static const Call* current() { return static_cast<const Call*>(current_call); }

 private:
  /// What errors say of a kind of handles.
  struct HandleKind {
    int error_class;
    const char* what;
    std::intptr_t null;
    const char* null_name;
  };
  template <class Table, class Handle>
  [[gnu::always_inline]] static auto require(const Table& table, Handle handle, Handle null, int error_class,
                                             const char* what, const char* null_name) -> decltype(table.find(0)) {
    decltype(table.find(0)) found = table.find(number(handle));
    if (found == nullptr) [[unlikely]] {
      refuse({error_class, what, number(null), null_name}, number(handle));
    }
    return found;
  }
  [[noreturn]] static void refuse(const HandleKind& kind, std::intptr_t handle);
  [[noreturn]] static void refuse_intercommunicator();
  [[noreturn]] static void refuse_uncommitted();
  /// Of a buffer at a null address, or with a negative count.
  static void check_buffer(MPI_Count count, const Datatype& type);

  static inline constinit std::atomic<Library*> running_ = nullptr;
  Phase phase_ = Phase::Before;
  DatatypePointer bytes_;
  std::unique_ptr<MessageLayer> messages_;
  std::unique_ptr<Collectives> collectives_;
  mutable Reused<BlockArrays> block_arrays_;  // memory alone
};

/// From now on, several threads call.
void begin_threads(Library& library);

/// The library of this process, once something has asked for it.
inline constinit std::atomic<Library*> the_library = nullptr;
Library& make_library();

/// The library of this process. Never destroyed: the program may call us from its own destructors.
[[nodiscard]] inline Library& library() {
  Library* const made = the_library.load(kMayHaveThreads ? std::memory_order_acquire : std::memory_order_relaxed);
  if (made == nullptr) [[unlikely]] {
    return make_library();
  }
  return *made;
}

}  // namespace tidings
