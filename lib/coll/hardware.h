// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file hardware.h
/// Collectives in the engines.
///
/// Each group of ranks has a context of the engine, with links and stream buffers of its own. A link keeps its
/// neighbour for the whole run, so a context stays with its group; communicators of the same members, in any order,
/// share it: their collectives come in the same order on all members.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "coll/grid.h"
#include "coll/tree.h"
#include "core/communicator.h"
#include "core/engine.h"
#include "core/engine_word.h"
#include "core/operation.h"

namespace tidings {

/// The engine's form of a reduction, or why there is none.
struct EngineSupport {
  std::optional<EngineReduction> reduction;
  const char* reason = nullptr;
};
/// @param wide_elements the engine combines elements of 64 bits
[[nodiscard]] EngineSupport engine_support(const Operation& operation, const Datatype& type, bool wide_elements);

class HardwareCollectives {
 public:
  static constexpr std::uint32_t kWorldContext = 0;
  /// Load MPI_COMM_WORLD's tree into its context. @throws Error where the engine has not links enough.
  explicit HardwareCollectives(Engine& engine);

  /// Elements of 64 bits can be combined.
  [[nodiscard]] bool wide_elements() const { return sizes_.wide_elements; }
  /// Contexts without a group, one bit each.
  [[nodiscard]] std::uint32_t free_contexts() const;
  /// The context of a group of two members or more: that which it has, or the first of those that are free at all
  /// members.
  /// @param members world ranks, each once. @param free one bit a context.
  /// @return nothing where no context is free, or the engine has too few links.
  std::optional<std::uint32_t> context_of(std::vector<std::uint32_t> members, std::uint32_t free);

  /// The collectives of a communicator with a context. @param root its rank in the communicator.
  void barrier(const Communicator& communicator, const CollectiveDescriptor& descriptor);
  void broadcast(const Communicator& communicator, const CollectiveDescriptor& descriptor, const Buffer& buffer,
                 int root);
  /// @param result used at the root alone.
  void reduce(const Communicator& communicator, const CollectiveDescriptor& descriptor,
              const EngineReduction& reduction, const Buffer& input, const Buffer& result, int root);
  void allreduce(const Communicator& communicator, const CollectiveDescriptor& descriptor,
                 const EngineReduction& reduction, const Buffer& input, const Buffer& result);

 private:
  /// Copies `elements` from `first` to or from node memory at `address`.
  using Move = std::function<void(std::uint32_t address, std::size_t first, std::size_t elements)>;
  struct Context {
    std::vector<std::uint32_t> members;  ///< world ranks, rising
    GroupTree tree;
  };

  /// @return false where the engine has not links enough.
  bool load(std::uint32_t context, std::vector<std::uint32_t> members);
  [[nodiscard]] Context& context(const Communicator& communicator) { return *contexts_[*communicator.engine_context]; }
  /// Make a collective of `words` words one of rounds of exchange, where the group and the engine can do that.
  void exchange_if_short(tidings_collective_command& command, const Communicator& communicator, std::size_t words);
  [[nodiscard]] tidings_collective_command command(tidings_collective operation, const Communicator& communicator,
                                                   int root, const CollectiveDescriptor& descriptor,
                                                   const EngineReduction& reduction = {});
  /// Run `count` elements of `element_bytes` through the engine in chunks: one is filled or emptied while another runs.
  void run(tidings_collective_command command, const Communicator& communicator, const CollectiveDescriptor& descriptor,
           std::size_t count, std::size_t element_bytes, const Move& fill, const Move& drain);
  void wait(std::uint32_t command, const Communicator& communicator, const CollectiveDescriptor& descriptor);
  [[nodiscard]] std::byte* memory(std::uint32_t address) const;

  Engine& engine_;
  Grid grid_;
  tidings_collective_sizes sizes_;
  std::vector<std::optional<Context>> contexts_;
};

}  // namespace tidings
