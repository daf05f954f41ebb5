// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file protocol.h
/// Short messages between the libraries of two ranks.
///
/// Eager data travels in the message. Larger data is announced by a request to send; the receiver grants windows of its
/// registered region, and the sender writes each with a PUT that a Done message follows on the same way through the
/// network. Every message takes one credit of the receiver's ring and carries back the credits of the other direction.
#include <cstddef>
#include <cstdint>

#include "core/descriptor.h"
#include "driver.h"

namespace tidings {

enum class MessageKind : std::uint8_t {
  Eager,
  EagerCollective,
  RequestToSend,
  RequestToSendCollective,
  Grant,
  Done,
  Credit
};

/// In front of every message.
struct MessageHeader {
  MessageKind kind = MessageKind::Credit;
  std::uint8_t credits = 0;   ///< messages of the receiver that the sender has consumed since it last said so
  std::uint16_t context = 0;  ///< of eager messages and requests to send
  std::int32_t tag = 0;
};
static_assert(sizeof(MessageHeader) == 8);

/// Follows the header (and the descriptor of a collective's) in a request to send.
struct RequestToSend {
  std::uint64_t bytes = 0;
  std::uint32_t sender = 0;  ///< number of the sender's request
  std::uint32_t reserved = 0;
};
static_assert(sizeof(RequestToSend) == 16);

/// Follows the header in a grant: the sender may write the next `bytes` to `offset` in the region.
/// Zero bytes: a message without data has been received.
struct Grant {
  std::uint32_t sender = 0;    ///< number of the sender's request
  std::uint32_t receiver = 0;  ///< number of the receiver's request
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};
static_assert(sizeof(Grant) == 16);

/// Follows the header behind a PUT: the window at `offset` holds the next `bytes`.
struct Done {
  std::uint32_t receiver = 0;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(Done) == 16);

/// Bytes of data that travel in a message.
inline constexpr std::size_t kEagerBytes = TIDINGS_MESSAGE_BYTES - sizeof(MessageHeader);
inline constexpr std::size_t kEagerCollectiveBytes = kEagerBytes - sizeof(CollectiveDescriptor);

}  // namespace tidings
