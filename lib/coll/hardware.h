// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file hardware.h
/// Collectives of MPI_COMM_WORLD in the engines.
#include <cstdint>
#include <functional>
#include <optional>

#include "coll/tree.h"
#include "core/engine.h"
#include "core/engine_word.h"
#include "core/operation.h"

namespace tidings {

/// The engine's form of a reduction, or why there is none.
struct EngineSupport {
  std::optional<EngineReduction> reduction;
  const char* reason = nullptr;
};
[[nodiscard]] EngineSupport engine_support(const Operation& operation, const Datatype& type);

class HardwareCollectives {
 public:
  /// Load the tree into the engine. @throws Error where it has not links enough.
  explicit HardwareCollectives(Engine& engine);

  void barrier(const CollectiveDescriptor& descriptor);
  void broadcast(const CollectiveDescriptor& descriptor, const Buffer& buffer, std::uint32_t root);
  /// @param result used at the root alone.
  void reduce(const CollectiveDescriptor& descriptor, const EngineReduction& reduction, const Buffer& input,
              const Buffer& result, std::uint32_t root);
  void allreduce(const CollectiveDescriptor& descriptor, const EngineReduction& reduction, const Buffer& input,
                 const Buffer& result);

 private:
  /// Copies `elements` from `first` to or from node memory at `address`.
  using Move = std::function<void(std::uint32_t address, std::size_t first, std::size_t elements)>;

  [[nodiscard]] tidings_collective_command command(tidings_collective operation, std::uint32_t root,
                                                   const CollectiveDescriptor& descriptor,
                                                   const EngineReduction& reduction = {}) const;
  /// Run `count` elements of `element_bytes` through the engine in chunks: one is filled or emptied while another runs.
  void run(tidings_collective_command command, const CollectiveDescriptor& descriptor, std::size_t count,
           std::size_t element_bytes, const Move& fill, const Move& drain);
  void wait(std::uint32_t command, const CollectiveDescriptor& descriptor);
  [[nodiscard]] std::byte* memory(std::uint32_t address) const;

  Engine& engine_;
  WorldTree tree_;
};

}  // namespace tidings
