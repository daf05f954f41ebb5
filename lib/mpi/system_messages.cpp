// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/system_messages.h"

namespace tidings {
namespace {

void transfer(Library& lib, const SystemChannel& channel, Request::Kind kind, std::uint32_t peer, void* data,
              std::size_t bytes) {
  auto request = RequestPointer::make();
  request->kind = kind;
  request->buffer = {data, bytes, &lib.bytes()};
  request->peer = static_cast<std::int32_t>(peer);
  request->tag = channel.tag;
  request->context = channel.context;
  lib.messages().start(request);
  lib.messages().wait([&] { return request->complete; }, [&] { return Waiting{channel.purpose, {peer}}; });
}

}  // namespace

void send_bytes(Library& lib, const SystemChannel& channel, std::uint32_t peer, const void* data, std::size_t bytes) {
  transfer(lib, channel, Request::Kind::Send, peer, const_cast<void*>(data), bytes);
}

void receive_bytes(Library& lib, const SystemChannel& channel, std::uint32_t peer, void* data, std::size_t bytes) {
  transfer(lib, channel, Request::Kind::Receive, peer, data, bytes);
}

}  // namespace tidings
