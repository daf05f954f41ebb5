// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/hardware.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>

#include "core/abi.h"
#include "core/error.h"
#include "core/packing.h"

namespace tidings {
namespace {

constexpr std::size_t kWordBytes = 4;

}  // namespace

EngineSupport engine_support(const Operation& operation, const Datatype& type, bool wide_elements) {
  EngineReduction reduction;
  bool integer = true;
  bool is_signed = true;
  switch (type.basic()) {
    case Basic::Int32:
      reduction.element = TIDINGS_INT32;
      break;
    case Basic::Uint32:
      reduction.element = TIDINGS_INT32;
      is_signed = false;
      break;
    case Basic::Int64:
      reduction.element = TIDINGS_INT64;
      break;
    case Basic::Uint64:
      reduction.element = TIDINGS_INT64;
      is_signed = false;
      break;
    case Basic::Float:
      reduction.element = TIDINGS_FLOAT;
      integer = false;
      break;
    case Basic::Double:
      reduction.element = TIDINGS_DOUBLE;
      integer = false;
      break;
    default:
      return {std::nullopt, "the engine does not combine elements of this datatype"};
  }
  const bool wide = reduction.element == TIDINGS_INT64 || reduction.element == TIDINGS_DOUBLE;
  if (wide && !wide_elements) return {std::nullopt, "the engine combines elements of 32 bits only"};
  switch (operation.combine()) {
    case Combine::Sum:
      reduction.combine = TIDINGS_SUM;
      break;
    case Combine::Min:
      reduction.combine = TIDINGS_MIN;
      break;
    case Combine::Max:
      reduction.combine = TIDINGS_MAX;
      break;
    case Combine::And:
      reduction.combine = TIDINGS_AND;
      break;
    case Combine::Or:
      reduction.combine = TIDINGS_OR;
      break;
    case Combine::Xor:
      reduction.combine = TIDINGS_XOR;
      break;
    default:
      return {std::nullopt, "the engine does not have this operation"};
  }
  const bool ordered = operation.combine() == Combine::Min || operation.combine() == Combine::Max;
  if (integer && !is_signed && ordered) return {std::nullopt, "the engine compares signed integers only"};
  return {reduction, nullptr};
}

HardwareCollectives::HardwareCollectives(Engine& engine)
    : engine_(engine),
      grid_(engine.device().grid),
      sizes_(tidings_read_collective_sizes(&engine.driver())),
      contexts_(sizes_.contexts) {
  std::vector<std::uint32_t> all(engine.ranks());
  std::iota(all.begin(), all.end(), 0U);
  if (!load(kWorldContext, std::move(all))) {
    throw Error(MPI_ERR_OTHER, "a tree of " + std::to_string(engine.ranks()) + " ranks needs more links than the " +
                                   std::to_string(engine.driver().links) + " of the collective engine");
  }
}

bool HardwareCollectives::load(std::uint32_t context, std::vector<std::uint32_t> members) {
  std::vector<tidings_endpoint> endpoints;
  for (const std::uint32_t member : members) endpoints.push_back(engine_.device().endpoints[member]);
  const auto me = std::lower_bound(members.begin(), members.end(), engine_.rank()) - members.begin();
  GroupTree tree(grid_, endpoints, static_cast<std::uint32_t>(me), engine_.driver().links);
  if (tree.links_needed() > engine_.driver().links) return false;
  for (const GroupTree::Link& link : tree.links()) {
    tidings_tree_link(&engine_.driver(), context, link.number, endpoints[link.neighbour], link.peer_number,
                      link.direct && link.number < sizes_.direct_links);
  }
  contexts_[context].emplace(Context{std::move(members), std::move(tree)});
  return true;
}

std::uint32_t HardwareCollectives::free_contexts() const {
  std::uint32_t free = 0;
  for (std::size_t i = 0; i < contexts_.size(); ++i) free |= contexts_[i] ? 0 : 1U << i;
  return free;
}

std::optional<std::uint32_t> HardwareCollectives::context_of(std::vector<std::uint32_t> members, std::uint32_t free) {
  std::sort(members.begin(), members.end());
  for (std::uint32_t i = 0; i < contexts_.size(); ++i) {
    if (contexts_[i] && contexts_[i]->members == members) return i;
  }
  if (free == 0) return std::nullopt;
  const auto context = static_cast<std::uint32_t>(std::countr_zero(free));
  if (!load(context, std::move(members))) return std::nullopt;
  return context;
}

std::byte* HardwareCollectives::memory(std::uint32_t address) const {
  return static_cast<std::byte*>(engine_.device().memory) + address;
}

tidings_collective_command HardwareCollectives::command(tidings_collective operation, const Communicator& communicator,
                                                        int root, const CollectiveDescriptor& descriptor,
                                                        const EngineReduction& reduction) {
  Context& group = context(communicator);
  const auto place = std::lower_bound(group.members.begin(), group.members.end(), communicator.world_rank(root));
  const GroupTree::Way way = group.tree.way(static_cast<std::uint32_t>(place - group.members.begin()));
  tidings_collective_command command{};
  command.operation = operation;
  command.element = reduction.element;
  command.combine = reduction.combine;
  command.context = *communicator.engine_context;
  command.parent = way.parent;
  command.children = way.children;
  command.descriptor = engine_word(descriptor, reduction);
  return command;
}

void HardwareCollectives::exchange_if_short(tidings_collective_command& command, const Communicator& communicator,
                                            std::size_t words) {
  const std::optional<GroupTree::Rounds>& rounds = context(communicator).tree.rounds();
  if (!rounds || words > sizes_.exchange_words) return;
  command.exchange = 1;
  command.parent = GroupTree::kNoParent;
  command.children = rounds->links;
  command.swap = rounds->swap;
}

void HardwareCollectives::wait(std::uint32_t number, const Communicator& communicator,
                               const CollectiveDescriptor& descriptor) {
  engine_.wait([&] { return tidings_collective_known_done(&engine_.driver(), number); },
               [&] {
                 Waiting waiting{
                     to_string(descriptor) + " in the collective engine, communicator " + communicator.name(), {}};
                 const Context& group = context(communicator);
                 for (const GroupTree::Link& link : group.tree.links()) {
                   waiting.ranks.push_back(group.members[link.neighbour]);
                 }
                 return waiting;
               });
}

void HardwareCollectives::barrier(const Communicator& communicator, const CollectiveDescriptor& descriptor) {
  auto barrier = command(TIDINGS_BARRIER, communicator, 0, descriptor);
  exchange_if_short(barrier, communicator, 0);
  wait(tidings_collective_start(&engine_.driver(), &barrier), communicator, descriptor);
}

void HardwareCollectives::run(tidings_collective_command command, const Communicator& communicator,
                              const CollectiveDescriptor& descriptor, std::size_t count, std::size_t element_bytes,
                              const Move& fill, const Move& drain) {
  struct Chunk {
    std::uint32_t number = 0;
    std::uint32_t destination = 0;
    std::size_t first = 0;
    std::size_t elements = 0;
  };
  const std::uint32_t size = engine_.layout().chunk;
  const std::size_t most = size / element_bytes;
  std::array<Chunk, 2> running{};
  const auto finish = [&](const Chunk& chunk) {
    if (chunk.elements == 0) return;
    wait(chunk.number, communicator, descriptor);
    drain(chunk.destination, chunk.first, chunk.elements);
  };
  std::uint32_t half = 0;
  for (std::size_t first = 0; first < count; first += most) {
    Chunk& chunk = running[half];
    finish(chunk);
    command.source = engine_.layout().collective_base + half * size;
    command.destination = engine_.layout().collective_base + (2 + half) * size;
    chunk.elements = std::min(most, count - first);
    chunk.first = first;
    chunk.destination = command.destination;
    fill(command.source, chunk.first, chunk.elements);
    command.count = static_cast<std::uint32_t>(chunk.elements);
    chunk.number = tidings_collective_start(&engine_.driver(), &command);
    half ^= 1U;
  }
  finish(running[half]);
  finish(running[half ^ 1U]);
}

void HardwareCollectives::broadcast(const Communicator& communicator, const CollectiveDescriptor& descriptor,
                                    const Buffer& buffer, int root) {
  const bool is_root = root == communicator.rank();
  const std::size_t bytes = buffer.bytes();
  const auto clip = [&](std::size_t first, std::size_t words) {
    return std::min(bytes - first * kWordBytes, words * kWordBytes);
  };
  run(
      command(TIDINGS_BROADCAST, communicator, root, descriptor), communicator, descriptor,
      (bytes + kWordBytes - 1) / kWordBytes, kWordBytes,
      [&](std::uint32_t address, std::size_t first, std::size_t words) {
        if (is_root) pack(buffer, first * kWordBytes, clip(first, words), memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t words) {
        if (!is_root) unpack(buffer, first * kWordBytes, memory(address), clip(first, words));
      });
}

void HardwareCollectives::reduce(const Communicator& communicator, const CollectiveDescriptor& descriptor,
                                 const EngineReduction& reduction, const Buffer& input, const Buffer& result,
                                 int root) {
  const auto start = command(TIDINGS_REDUCE, communicator, root, descriptor, reduction);
  const std::size_t size = input.type->size();
  run(
      start, communicator, descriptor, input.count, size,
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        pack(input, first * size, elements * size, memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        if (root == communicator.rank()) unpack(result, first * size, memory(address), elements * size);
      });
}

void HardwareCollectives::allreduce(const Communicator& communicator, const CollectiveDescriptor& descriptor,
                                    const EngineReduction& reduction, const Buffer& input, const Buffer& result) {
  auto start = command(TIDINGS_ALLREDUCE, communicator, 0, descriptor, reduction);
  const std::size_t size = input.type->size();
  exchange_if_short(start, communicator, input.count * size / kWordBytes);
  run(
      start, communicator, descriptor, input.count, size,
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        pack(input, first * size, elements * size, memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        unpack(result, first * size, memory(address), elements * size);
      });
}

}  // namespace tidings
