// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file system_messages.h
/// Messages between the libraries of two ranks that belong to no collective of all ranks of a communicator.
///
/// They travel in the communicator's context of collectives. Collectives have tags from 0 on there; these are negative.
#include <cstddef>
#include <cstdint>
#include <string>

#include "mpi/messages.h"

namespace tidings {

/// What a message within the library is for.
enum class SystemTag : std::uint8_t {
  Numbered,           ///< nonblocking and persistent collectives, neighbourhoods; numbered
  CreateGroup,        ///< MPI_Comm_create_group; the program's tag
  Window,             ///< accesses to a window
  CreateFromGroup,    ///< communicators of a group alone; a number of the program's text
  Intercommunicator,  ///< between the leaders of two groups; the program's tag, or a number of its text
  Partitioned,        ///< introductions of partitioned messages; the program's tag
  PartitionedData,    ///< partitions; numbered by their sender
};

/// The tag of a message. @param number of what it belongs to; numbers that differ by a multiple of 2^28 are the same.
[[nodiscard]] constexpr std::int32_t system_tag(SystemTag kind, std::int64_t number) {
  constexpr std::int64_t kNumbers = std::int64_t{1} << 28;
  return static_cast<std::int32_t>(kAny - 1 - static_cast<std::int64_t>(kind) * kNumbers - (number & (kNumbers - 1)));
}

/// Where such messages travel.
struct SystemChannel {
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::string purpose;  ///< for the report of a deadlock
};

/// Send or receive `bytes` bytes and wait. @param peer world rank.
void send_bytes(Library& lib, const SystemChannel& channel, std::uint32_t peer, const void* data, std::size_t bytes);
void receive_bytes(Library& lib, const SystemChannel& channel, std::uint32_t peer, void* data, std::size_t bytes);

template <class Value>
void send_value(Library& lib, const SystemChannel& channel, std::uint32_t peer, const Value& value) {
  send_bytes(lib, channel, peer, &value, sizeof value);
}
template <class Value>
void receive_value(Library& lib, const SystemChannel& channel, std::uint32_t peer, Value& value) {
  receive_bytes(lib, channel, peer, &value, sizeof value);
}

}  // namespace tidings
