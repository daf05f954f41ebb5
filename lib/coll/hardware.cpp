// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/hardware.h"

#include <algorithm>
#include <array>
#include <bit>
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
      reduction.element = TIDINGS_ELEMENT_INT32;
      break;
    case Basic::Uint32:
      reduction.element = TIDINGS_ELEMENT_INT32;
      is_signed = false;
      break;
    case Basic::Int64:
      reduction.element = TIDINGS_ELEMENT_INT64;
      break;
    case Basic::Uint64:
      reduction.element = TIDINGS_ELEMENT_INT64;
      is_signed = false;
      break;
    case Basic::Float:
      reduction.element = TIDINGS_ELEMENT_FLOAT;
      integer = false;
      break;
    case Basic::Double:
      reduction.element = TIDINGS_ELEMENT_DOUBLE;
      integer = false;
      break;
    default:
      return {std::nullopt, "the engine does not combine elements of this datatype"};
  }
  const bool wide = reduction.element == TIDINGS_ELEMENT_INT64 || reduction.element == TIDINGS_ELEMENT_DOUBLE;
  if (wide && !wide_elements) return {std::nullopt, "the engine combines elements of 32 bits only"};
  switch (operation.combine()) {
    case Combine::Sum:
      reduction.combine = TIDINGS_COMBINE_SUM;
      break;
    case Combine::Min:
      reduction.combine = TIDINGS_COMBINE_MIN;
      break;
    case Combine::Max:
      reduction.combine = TIDINGS_COMBINE_MAX;
      break;
    case Combine::And:
      reduction.combine = TIDINGS_COMBINE_AND;
      break;
    case Combine::Or:
      reduction.combine = TIDINGS_COMBINE_OR;
      break;
    case Combine::Xor:
      reduction.combine = TIDINGS_COMBINE_XOR;
      break;
    default:
      return {std::nullopt, "the engine does not have this operation"};
  }
  const bool ordered = operation.combine() == Combine::Min || operation.combine() == Combine::Max;
  if (integer && !is_signed && ordered) return {std::nullopt, "the engine compares signed integers only"};
  return {reduction, nullptr};
}

HardwareCollectives::HardwareCollectives(MessageLayer& messages)
    : messages_(messages),
      grid_(messages.platform().grid),
      sizes_(tidings_read_collective_sizes(&messages.driver())),
      contexts_(sizes_.contexts) {}

std::uint32_t HardwareCollectives::free_contexts() const {
  std::uint32_t free = 0;
  for (std::size_t i = 0; i < contexts_.size(); ++i) free |= contexts_[i] ? 0 : 1U << i;
  return free;
}

std::shared_ptr<MpeGroup> HardwareCollectives::group_of(std::vector<std::uint32_t> members) {
  std::sort(members.begin(), members.end());
  for (const auto& context : contexts_) {
    if (context && context->group->members() == members) return context->group;
  }
  std::vector<tidings_endpoint> endpoints;
  for (const std::uint32_t member : members) endpoints.push_back(messages_.endpoint(member));
  const auto me = std::lower_bound(members.begin(), members.end(), messages_.rank()) - members.begin();
  Placement placement(grid_, std::move(endpoints), messages_.driver().links);
  return std::make_shared<MpeGroup>(std::move(members), std::move(placement), static_cast<Member>(me));
}

std::optional<std::uint32_t> HardwareCollectives::context_of(const std::shared_ptr<MpeGroup>& group,
                                                             const WiredShape& wired, std::uint32_t& free) {
  const Wiring& wiring = wired.wiring();
  for (std::uint32_t i = 0; i < contexts_.size(); ++i) {
    if (contexts_[i] && contexts_[i]->group == group && contexts_[i]->wiring == wiring.name) return i;
  }
  if (free == 0) return std::nullopt;
  const auto context = static_cast<std::uint32_t>(std::countr_zero(free));
  free &= free - 1;
  for (const GroupLink& link : wired.links()) {
    tidings_tree_link(&messages_.driver(), context, link.number, messages_.endpoint(group->members()[link.neighbour]),
                      link.peer_number, link.direct && link.number < sizes_.direct_links);
  }
  contexts_[context].emplace(Context{group, wiring.name});
  return context;
}

std::byte* HardwareCollectives::memory(std::uint32_t address) const { return messages_.memory(address); }

tidings_collective_command HardwareCollectives::command(tidings_collective operation, const Loaded& loaded,
                                                        const Communicator& communicator, int root,
                                                        const CollectiveDescriptor& descriptor,
                                                        const EngineReduction& reduction) {
  const GroupWay& way = loaded.wired->way(loaded.group->number_of(communicator.world_rank(root)));
  tidings_collective_command command{};
  command.operation = operation;
  command.element = reduction.element;
  command.combine = reduction.combine;
  command.context = loaded.context;
  command.parent = way.parent;
  command.children = way.children;
  command.exchange = loaded.wired->shape().is_tree() ? 0 : 1;
  command.swap = way.swap;
  command.descriptor = engine_word(descriptor, reduction);
  return command;
}

void HardwareCollectives::wait(std::uint32_t number, const Waited& waited) {
  messages_.wait(
      [&] { return tidings_collective_known_done(&messages_.driver(), number); },
      [&] {
        const MpeGroup& group = *waited.loaded.group;
        Waiting waiting{
            to_string(waited.descriptor) + " in the collective engine, communicator " + waited.communicator.name(), {}};
        for (const GroupLink& link : waited.loaded.wired->links()) {
          waiting.ranks.push_back(group.members()[link.neighbour]);
        }
        return waiting;
      });
}

void HardwareCollectives::barrier(const Loaded& loaded, const Communicator& communicator,
                                  const CollectiveDescriptor& descriptor) {
  const auto barrier = command(TIDINGS_COLLECTIVE_BARRIER, loaded, communicator, 0, descriptor);
  wait(tidings_collective_start(&messages_.driver(), &barrier), {loaded, communicator, descriptor});
}

template <class Fill, class Drain>
void HardwareCollectives::run(tidings_collective_command& command, const Waited& waited, std::size_t count,
                              std::size_t element_bytes, Fill fill, Drain drain) {
  struct Chunk {
    std::uint32_t number = 0;
    std::uint32_t destination = 0;
    std::size_t first = 0;
    std::size_t elements = 0;
  };
  const std::uint32_t size = messages_.layout().chunk;
  const std::size_t most = size / element_bytes;
  std::array<Chunk, 2> running{};
  const auto finish = [&](const Chunk& chunk) {
    if (chunk.elements == 0) return;
    wait(chunk.number, waited);
    drain(chunk.destination, chunk.first, chunk.elements);
  };
  std::uint32_t half = 0;
  for (std::size_t first = 0; first < count; first += most) {
    Chunk& chunk = running[half];
    finish(chunk);
    command.source = messages_.layout().collective_base + half * size;
    command.destination = messages_.layout().collective_base + (2 + half) * size;
    chunk.elements = std::min(most, count - first);
    chunk.first = first;
    chunk.destination = command.destination;
    fill(command.source, chunk.first, chunk.elements);
    command.count = static_cast<std::uint32_t>(chunk.elements);
    chunk.number = tidings_collective_start(&messages_.driver(), &command);
    half ^= 1U;
  }
  finish(running[half]);
  finish(running[half ^ 1U]);
}

void HardwareCollectives::broadcast(const Loaded& loaded, const Communicator& communicator,
                                    const CollectiveDescriptor& descriptor, const Buffer& buffer, int root) {
  const bool is_root = root == communicator.rank();
  const std::size_t bytes = buffer.bytes();
  const auto clip = [&](std::size_t first, std::size_t words) {
    return std::min(bytes - first * kWordBytes, words * kWordBytes);
  };
  auto start = command(TIDINGS_COLLECTIVE_BROADCAST, loaded, communicator, root, descriptor);
  run(
      start, {loaded, communicator, descriptor}, (bytes + kWordBytes - 1) / kWordBytes, kWordBytes,
      [&](std::uint32_t address, std::size_t first, std::size_t words) {
        if (is_root) pack(buffer, first * kWordBytes, clip(first, words), memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t words) {
        if (!is_root) unpack(buffer, first * kWordBytes, memory(address), clip(first, words));
      });
}

void HardwareCollectives::reduce(const Loaded& loaded, const Communicator& communicator,
                                 const CollectiveDescriptor& descriptor, const EngineReduction& reduction,
                                 const Buffer& input, const Buffer& result, int root) {
  auto start = command(TIDINGS_COLLECTIVE_REDUCE, loaded, communicator, root, descriptor, reduction);
  const std::size_t size = input.type->size();
  run(
      start, {loaded, communicator, descriptor}, input.count, size,
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        pack(input, first * size, elements * size, memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        if (root == communicator.rank()) unpack(result, first * size, memory(address), elements * size);
      });
}

void HardwareCollectives::allreduce(const Loaded& loaded, const Communicator& communicator,
                                    const CollectiveDescriptor& descriptor, const EngineReduction& reduction,
                                    const Buffer& input, const Buffer& result) {
  auto start = command(TIDINGS_COLLECTIVE_ALLREDUCE, loaded, communicator, 0, descriptor, reduction);
  const std::size_t size = input.type->size();
  run(
      start, {loaded, communicator, descriptor}, input.count, size,
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        pack(input, first * size, elements * size, memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        unpack(result, first * size, memory(address), elements * size);
      });
}

}  // namespace tidings
