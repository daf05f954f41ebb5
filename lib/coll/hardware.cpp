// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/hardware.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/abi.h"
#include "core/error.h"
#include "core/packing.h"

namespace tidings {
namespace {

/// The engine's context that holds the tree of MPI_COMM_WORLD.
constexpr std::uint32_t kWorldContext = 0;

constexpr std::size_t kWordBytes = 4;

}  // namespace

EngineSupport engine_support(const Operation& operation, const Datatype& type) {
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

HardwareCollectives::HardwareCollectives(Engine& engine) : engine_(engine), tree_(engine.rank(), engine.ranks()) {
  if (WorldTree::links_needed(engine.ranks()) > engine.driver().links) {
    throw Error(MPI_ERR_OTHER, "a tree of " + std::to_string(engine.ranks()) + " ranks needs more links than the " +
                                   std::to_string(engine.driver().links) + " of the collective engine");
  }
  for (const WorldTree::Link& link : tree_.links()) {
    tidings_tree_link(&engine_.driver(), kWorldContext, link.number, engine_.device().endpoints[link.neighbour],
                      link.number);
  }
}

std::byte* HardwareCollectives::memory(std::uint32_t address) const {
  return static_cast<std::byte*>(engine_.device().memory) + address;
}

tidings_collective_command HardwareCollectives::command(tidings_collective operation, std::uint32_t root,
                                                        const CollectiveDescriptor& descriptor,
                                                        const EngineReduction& reduction) const {
  tidings_collective_command command{};
  command.operation = operation;
  command.element = reduction.element;
  command.combine = reduction.combine;
  command.context = kWorldContext;
  command.parent = tree_.parent(root);
  command.children = tree_.children(root);
  command.descriptor = engine_word(descriptor, reduction);
  return command;
}

void HardwareCollectives::wait(std::uint32_t number, const CollectiveDescriptor& descriptor) {
  engine_.wait([&] { return tidings_collective_known_done(&engine_.driver(), number); },
               [&] {
                 Waiting waiting{to_string(descriptor) + " in the collective engine, communicator MPI_COMM_WORLD", {}};
                 for (const WorldTree::Link& link : tree_.links()) waiting.ranks.push_back(link.neighbour);
                 return waiting;
               });
}

void HardwareCollectives::barrier(const CollectiveDescriptor& descriptor) {
  const auto barrier = command(TIDINGS_BARRIER, 0, descriptor);
  wait(tidings_collective_start(&engine_.driver(), &barrier), descriptor);
}

void HardwareCollectives::run(tidings_collective_command command, const CollectiveDescriptor& descriptor,
                              std::size_t count, std::size_t element_bytes, const Move& fill, const Move& drain) {
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
    wait(chunk.number, descriptor);
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

void HardwareCollectives::broadcast(const CollectiveDescriptor& descriptor, const Buffer& buffer, std::uint32_t root) {
  const bool is_root = root == engine_.rank();
  const std::size_t bytes = buffer.bytes();
  const auto clip = [&](std::size_t first, std::size_t words) {
    return std::min(bytes - first * kWordBytes, words * kWordBytes);
  };
  run(
      command(TIDINGS_BROADCAST, root, descriptor), descriptor, (bytes + kWordBytes - 1) / kWordBytes, kWordBytes,
      [&](std::uint32_t address, std::size_t first, std::size_t words) {
        if (is_root) pack(buffer, first * kWordBytes, clip(first, words), memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t words) {
        if (!is_root) unpack(buffer, first * kWordBytes, memory(address), clip(first, words));
      });
}

void HardwareCollectives::reduce(const CollectiveDescriptor& descriptor, const EngineReduction& reduction,
                                 const Buffer& input, const Buffer& result, std::uint32_t root) {
  const auto start = command(TIDINGS_REDUCE, root, descriptor, reduction);
  const std::size_t size = input.type->size();
  run(
      start, descriptor, input.count, size,
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        pack(input, first * size, elements * size, memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        if (root == engine_.rank()) unpack(result, first * size, memory(address), elements * size);
      });
}

void HardwareCollectives::allreduce(const CollectiveDescriptor& descriptor, const EngineReduction& reduction,
                                    const Buffer& input, const Buffer& result) {
  const auto start = command(TIDINGS_ALLREDUCE, 0, descriptor, reduction);
  const std::size_t size = input.type->size();
  run(
      start, descriptor, input.count, size,
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        pack(input, first * size, elements * size, memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        unpack(result, first * size, memory(address), elements * size);
      });
}

}  // namespace tidings
