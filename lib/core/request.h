// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file request.h
/// A send or a receive on its way, and whatever else a program waits for.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/abi.h"
#include "core/communicator.h"
#include "core/datatype.h"
#include "core/descriptor.h"
#include "core/matching.h"

namespace tidings {

/// How a send completes.
enum class SendMode {
  Standard,     ///< when the data has left the program's buffer
  Synchronous,  ///< when a receive has been matched
};

/// What a rank waits for, in MPI's terms, and which world ranks could end the wait.
struct Waiting {
  std::string text;
  std::vector<std::uint32_t> ranks;
};

class RequestPointer;
struct Request;

/// What a request has that outlives the call which made it.
class RequestExtra {
 public:
  RequestExtra() = default;
  RequestExtra(const RequestExtra&) = delete;
  RequestExtra& operator=(const RequestExtra&) = delete;
  virtual ~RequestExtra() = default;

  /// Memory of objects of this class itself is used again: no message that is started allocates any in the long run.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory, std::size_t bytes);

  /// The program may free these before the request is complete.
  CommunicatorPointer communicator;
  DatatypePointer datatype;
  /// The handle stays when the request is complete, and the request can be started again.
  bool persistent = false;
  /// Started and not yet handed over; a request that is not persistent is active all its life.
  bool active = true;

  /// Start a persistent request.
  virtual void start(const RequestPointer& request);
  /// MPI_Cancel.
  virtual void cancel(const RequestPointer& request);
  /// Of a request that is no message: fill its status when it is complete. @return its error code.
  virtual int finish(const Request& request, MPI_Status* status);
  /// Of a request that is no message: its handle is gone. @return its error code.
  virtual int release();
  /// MPI_Request_free has been called. @return whether the handle stays, because the program completes by it.
  virtual bool stays([[maybe_unused]] const Request& request) { return false; }
  /// Of a request that is no message and complete: bytes that it has received.
  [[nodiscard]] virtual std::uint64_t received_bytes() const { return 0; }
  /// Of a request that is no message: what it failed with. @param code what finish() or release() returned.
  [[nodiscard]] virtual std::string failure(int code) const;
  /// Of a request that is no message: what it waits for.
  [[nodiscard]] virtual Waiting describe() const;
};

struct Request {
  enum class Kind { Send, Receive };
  /// Peers of requests that are no messages.
  static constexpr std::int32_t kProcNull = -2;  ///< to or from MPI_PROC_NULL
  static constexpr std::int32_t kOther = -3;     ///< `extra` knows what it is
  static constexpr std::int32_t kCancelled = -4;

  Kind kind = Kind::Send;
  bool complete = false;
  Buffer buffer;
  const Communicator* communicator = nullptr;  ///< null for a message within a collective
  std::unique_ptr<RequestExtra> extra;         ///< of a request that has a handle
  std::int32_t peer = kAny;                    ///< world rank; kAny for a receive from any source; or one of the above
  std::int32_t tag = kAny;
  std::uint32_t context = 0;
  SendMode mode = SendMode::Standard;
  std::optional<CollectiveDescriptor> descriptor;  ///< of the collective that the request belongs to

  // Result of a receive.
  Envelope received;
  std::size_t message_bytes = 0;  ///< as sent; more than the buffer holds is an error

  // Rendezvous.
  std::uint32_t number = 0;   ///< ours
  std::uint32_t remote = 0;   ///< the other side's, where we receive
  std::size_t granted = 0;    ///< bytes for which windows have been granted
  std::size_t moved = 0;      ///< bytes that have left or reached the program's buffer
  std::uint32_t windows = 0;  ///< granted and not yet done
  std::uint32_t message = 0;  ///< number of the message, for the trace

  /// A persistent request that is not under way.
  [[nodiscard]] bool inactive() const { return extra != nullptr && !extra->active; }
  [[nodiscard]] bool truncated() const { return kind == Kind::Receive && complete && message_bytes > buffer.bytes(); }
};

/// A share of a request. Its memory is used again for the next request. One thread at a time is in the library, so the
/// count needs no atomics.
class RequestPointer {
 public:
  RequestPointer() = default;
  RequestPointer(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): as other pointers
  RequestPointer(const RequestPointer& other) : place_(other.place_) {
    if (place_ != nullptr) ++place_->shares;
  }
  RequestPointer(RequestPointer&& other) noexcept : place_(std::exchange(other.place_, nullptr)) {}
  RequestPointer& operator=(const RequestPointer& other) { return *this = RequestPointer(other); }
  RequestPointer& operator=(RequestPointer&& other) noexcept {
    std::swap(place_, other.place_);
    return *this;
  }
  ~RequestPointer() {
    if (place_ != nullptr && --place_->shares == 0) recycle(place_);
  }
  [[nodiscard]] static RequestPointer make() {
    RequestPointer made;
    made.place_ = free_ == nullptr ? new Place : std::exchange(free_, free_->next_free);
    made.place_->shares = 1;
    made.place_->request.emplace();
    return made;
  }

  Request& operator*() const { return *place_->request; }
  Request* operator->() const { return &*place_->request; }
  explicit operator bool() const { return place_ != nullptr; }
  bool operator==(std::nullptr_t) const { return place_ == nullptr; }
  bool operator==(const RequestPointer&) const = default;
  void reset() { *this = nullptr; }

 private:
  struct Place {
    std::optional<Request> request;
    std::size_t shares = 0;
    Place* next_free = nullptr;
  };
  static void recycle(Place* place) {
    place->request.reset();
    place->next_free = std::exchange(free_, place);
  }

  static inline Place* free_ = nullptr;
  Place* place_ = nullptr;
};

}  // namespace tidings
