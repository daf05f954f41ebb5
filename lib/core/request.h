// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file request.h
/// A send or a receive on its way.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

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
  CommunicatorPointer communicator;
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

}  // namespace tidings
