// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/executor.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "coll/registry.h"
#include "core/abi.h"
#include "core/error.h"
#include "core/packing.h"
#include "cost.h"
#include "trace.h"

namespace tidings {
namespace {

Buffer at(const Views& views, const Range& range) {
  switch (range.place) {
    case Place::Input:
      return views.input.range(range.first, range.blocks);
    case Place::Output:
      return views.output.range(range.first, range.blocks);
    case Place::Scratch:
      return views.scratch.range(range.first, range.blocks);
  }
  return {};
}

std::string length_mistake(const Communicator& communicator, std::uint32_t peer, std::size_t sent,
                           std::size_t expected) {
  return communicator.member_text(peer) + " sent " + std::to_string(sent) + " bytes where " + std::to_string(expected) +
         " are expected";
}

void combine(const Operation& operation, const LocalStep& step, const Buffer& from, const Buffer& to) {
  if (step.kind == LocalStep::Kind::CombineBefore || operation.commutative()) {
    operation.apply(from.base, to.base, to.count, *to.type);
    return;
  }
  // to = to ∘ from: the library's function leaves the result in its second operand.
  operation.apply(to.base, from.base, to.count, *to.type);
  copy_elements(from, to);
}

/// Transfers with equal labels keep their order.
std::uint64_t label_of(const ScheduledCollective& collective, const Transfer& transfer) {
  return std::uint64_t{collective.communicator.collective()} << 32U |
         static_cast<std::uint32_t>(collective.tag - transfer.channel);
}

std::uint32_t peer_of(const ScheduledCollective& collective, const Transfer& transfer) {
  return collective.communicator.world_rank(transfer.peer);
}

/// Carry out transfers that take no time. All sends come before any receive, which waits.
void transfer_at_once(MessageLayer& messages, const ScheduledCollective& collective, const Round& round) {
  give_round(collective, round);
  std::size_t next = 0;
  const auto describe = [&] {
    const std::uint32_t from = peer_of(collective, round.transfers[next]);
    const std::string text = "receive from " + collective.communicator.member_text(from) + " within " +
                             to_string(*collective.descriptor) + ", communicator " + collective.communicator.name();
    tidings_trace_waiting(text.c_str(), &from, 1);
  };
  for (;;) {
    const std::string mistake = take_round(collective, round, next);
    if (!mistake.empty()) throw Error(MPI_ERR_TRUNCATE, mistake, "Give the same count and datatype on both sides.");
    if (next == round.transfers.size()) return;
    tidings_trace_wait([](const void* subject) { (*static_cast<const decltype(describe)*>(subject))(); }, &describe);
    messages.await();
    tidings_trace_wait(nullptr, nullptr);
  }
}

RequestPointer request_of(const ScheduledCollective& collective, const Transfer& transfer) {
  auto request = RequestPointer::make();
  request->kind = transfer.direction == Transfer::Direction::Send ? Request::Kind::Send : Request::Kind::Receive;
  request->buffer = at(collective.views, transfer.range);
  request->peer = static_cast<std::int32_t>(peer_of(collective, transfer));
  request->tag = collective.tag - transfer.channel;
  request->context = collective.communicator.collective();
  request->descriptor = collective.descriptor;
  return request;
}

std::vector<std::uint32_t> peers_of(const ScheduledCollective& collective, const Round& round) {
  std::vector<std::uint32_t> peers;
  peers.reserve(round.transfers.size());
  for (const Transfer& transfer : round.transfers) peers.push_back(peer_of(collective, transfer));
  return peers;
}

/// One message may go to all of a round's transfers: wait until each of them has room for one.
void await_room(MessageLayer& messages, const ScheduledCollective& collective, const Round& round) {
  const std::vector<std::uint32_t> peers = peers_of(collective, round);
  messages.wait([&] { return messages.have_room(peers); },
                [&] { return Waiting{"room for a broadcast to all members", peers}; });
}

/// Send one message to all of a round's transfers. @return false if that cannot be.
bool start_multicast(MessageLayer& messages, const ScheduledCollective& collective, const Round& round,
                     std::vector<RequestPointer>& requests) {
  RequestPointer request = request_of(collective, round.transfers.front());
  if (!messages.multicast(request, peers_of(collective, round))) return false;
  tidings_work(TIDINGS_WORK_ROUND, 1);
  tidings_work(TIDINGS_WORK_TRANSFER, 1);
  requests.assign(1, std::move(request));
  return true;
}

}  // namespace

View View::whole(const Buffer& buffer) { return uniform(buffer.base, buffer.count, buffer.type); }

View View::uniform(void* base, std::size_t count, const Datatype* type) {
  View view;
  view.base_ = base;
  view.type_ = type;
  view.uniform_ = count;
  return view;
}

View View::split(const Buffer& buffer, std::uint32_t blocks) {
  View view = uniform(buffer.base, buffer.count / blocks, buffer.type);
  view.longer_ = buffer.count % blocks;
  return view;
}

View View::varying(void* base, const std::size_t* counts, const std::ptrdiff_t* displacements, const Datatype* type) {
  View view;
  view.base_ = base;
  view.type_ = type;
  view.counts_ = counts;
  view.displacements_ = displacements;
  return view;
}

View View::mixed(void* base, const std::size_t* counts, const std::ptrdiff_t* displacements,
                 const Datatype* const* types) {
  View view = varying(base, counts, displacements, nullptr);
  view.types_ = types;
  return view;
}

Buffer View::range(std::uint32_t first, std::uint32_t blocks) const {
  if (types_ != nullptr) {
    return {static_cast<std::byte*>(base_) + displacements_[first], blocks == 0 ? 0 : counts_[first], types_[first]};
  }
  if (type_ == nullptr) return {};
  if (counts_ != nullptr) {
    const std::size_t count = std::accumulate(counts_ + first, counts_ + first + blocks, std::size_t{0});
    return {static_cast<std::byte*>(base_) + displacements_[first] * type_->extent(), count, type_};
  }
  const auto start_of = [this](std::size_t block) { return block * uniform_ + std::min(block, longer_); };
  const std::size_t start = start_of(first);
  return {static_cast<std::byte*>(base_) + static_cast<std::ptrdiff_t>(start) * type_->extent(),
          start_of(first + blocks) - start, type_};
}

void run_schedule(MessageLayer& messages, const Communicator& communicator, std::int32_t tag,
                  const CollectiveDescriptor& descriptor, const Schedule& schedule, const Views& views,
                  const Operation* operation, std::vector<RequestPointer>& transfers) {
  tidings_work(TIDINGS_WORK_SCHEDULE, 1);
  const auto text = [&](const Request& request) {
    return std::string(request.kind == Request::Kind::Send ? "send to" : "receive from") + " " +
           communicator.member_text(static_cast<std::uint32_t>(request.peer)) + " within " + to_string(descriptor) +
           ", communicator " + communicator.name();
  };
  const ScheduledCollective collective{communicator, tag, descriptor, views, operation};
  if (ideal()) {
    for (const Round& round : schedule) {
      transfer_at_once(messages, collective, round);
      run_steps(collective, round);
    }
    return;
  }
  for (const Round& round : schedule) {
    if constexpr (rows::kExtraAlgorithms) {
      if (round.multicast) await_room(messages, collective, round);
    }
    start_round(messages, collective, round, transfers);
    for (const auto& request : transfers) {
      messages.wait([&] { return request->complete; },
                    [&] { return Waiting{text(*request), {static_cast<std::uint32_t>(request->peer)}}; });
      const std::string mistake = transfer_mistake(communicator, *request);
      if (!mistake.empty()) throw Error(MPI_ERR_TRUNCATE, mistake, "Give the same count and datatype on both sides.");
    }
    run_steps(collective, round);
  }
  transfers.clear();
}

void give_round(const ScheduledCollective& collective, const Round& round) {
  std::vector<std::byte> packed;
  for (const Transfer& transfer : round.transfers) {
    if (transfer.direction != Transfer::Direction::Send) continue;
    const Buffer buffer = at(collective.views, transfer.range);
    packed.resize(buffer.bytes());
    pack(buffer, 0, packed.size(), packed.data());
    tidings_ideal_give(peer_of(collective, transfer), label_of(collective, transfer), packed.data(), packed.size());
  }
}

std::string take_round(const ScheduledCollective& collective, const Round& round, std::size_t& next) {
  std::vector<std::byte> packed;
  for (; next < round.transfers.size(); ++next) {
    const Transfer& transfer = round.transfers[next];
    if (transfer.direction != Transfer::Direction::Receive) continue;
    const Buffer buffer = at(collective.views, transfer.range);
    packed.resize(buffer.bytes());
    const std::uint32_t from = peer_of(collective, transfer);
    const std::uint64_t given = tidings_ideal_take(from, label_of(collective, transfer), packed.data(), packed.size());
    if (given == TIDINGS_IDEAL_ABSENT) return {};
    if (given != packed.size()) {
      ++next;
      return length_mistake(collective.communicator, from, given, packed.size());
    }
    unpack(buffer, 0, packed.data(), packed.size());
  }
  return {};
}

void start_round(MessageLayer& messages, const ScheduledCollective& collective, const Round& round,
                 std::vector<RequestPointer>& requests) {
  if constexpr (rows::kExtraAlgorithms) {
    if (round.multicast && !round.transfers.empty() && start_multicast(messages, collective, round, requests)) return;
  }
  tidings_work(TIDINGS_WORK_ROUND, 1 + round.steps.size());
  tidings_work(TIDINGS_WORK_TRANSFER, round.transfers.size());
  requests.clear();
  for (const Transfer& transfer : round.transfers) requests.push_back(request_of(collective, transfer));
  // Receives first, so that what comes back at once finds its place.
  for (const auto& request : requests) {
    if (request->kind == Request::Kind::Receive) messages.start(request);
  }
  for (const auto& request : requests) {
    if (request->kind == Request::Kind::Send) messages.start(request);
  }
}

std::string transfer_mistake(const Communicator& communicator, const Request& request) {
  if (request.kind == Request::Kind::Send || request.message_bytes == request.buffer.bytes()) return {};
  return length_mistake(communicator, static_cast<std::uint32_t>(request.peer), request.message_bytes,
                        request.buffer.bytes());
}

void run_steps(const ScheduledCollective& collective, const Round& round) {
  for (const LocalStep& step : round.steps) {
    const Buffer from = at(collective.views, step.from);
    const Buffer to = at(collective.views, step.to);
    if (step.kind == LocalStep::Kind::Copy) {
      copy_elements(from, to);
    } else {
      combine(*collective.operation, step, from, to);
    }
  }
}

}  // namespace tidings
