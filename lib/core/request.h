// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file request.h
/// A send or a receive on its way.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

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

struct Request {
  enum class Kind { Send, Receive };

  Kind kind = Kind::Send;
  bool complete = false;
  Buffer buffer;
  CommunicatorPointer communicator;  ///< null for a message within a collective
  DatatypePointer datatype;          ///< the buffer's, which the program may free meanwhile
  std::int32_t peer = kAny;  ///< world rank; kAny for a receive from any source
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

  [[nodiscard]] bool truncated() const { return kind == Kind::Receive && complete && message_bytes > buffer.bytes(); }
};

using RequestPointer = std::shared_ptr<Request>;

/// Memory of requests that are gone, for those to come.
template <class T>
class RecyclingAllocator {
 public:
  using value_type = T;
  RecyclingAllocator() = default;
  template <class Other>
  explicit RecyclingAllocator(const RecyclingAllocator<Other>&) {}

  T* allocate(std::size_t count) {
    if (count != 1 || free_ == nullptr) return std::allocator<T>{}.allocate(count);
    Free* const taken = std::exchange(free_, free_->next);
    return reinterpret_cast<T*>(taken);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count != 1) return std::allocator<T>{}.deallocate(memory, count);
    free_ = new (memory) Free{free_};
  }
  bool operator==(const RecyclingAllocator&) const = default;

 private:
  struct Free {
    Free* next;
  };
  static_assert(sizeof(T) >= sizeof(Free) && alignof(T) >= alignof(Free));
  static inline Free* free_ = nullptr;
};

[[nodiscard]] inline RequestPointer make_request() {
  return std::allocate_shared<Request>(RecyclingAllocator<Request>{});
}

}  // namespace tidings
