// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file switch_group.h
/// What a communicator needs for collectives over static switches.
#include <cstdint>
#include <memory>
#include <optional>

#include "coll/placement.h"
#include "coll/word_program.h"
#include "platform.h"

namespace tidings {

/// The part of one member in a communicator's program. It is made when it is first asked for.
class SwitchGroup {
 public:
  /// @param me number of this rank among the members.
  /// @throws Impossible if the members fill no box of up to three dimensions.
  SwitchGroup(const Placement& placement, Member me, const tidings_platform& platform);

  /// Targets and sources are ranks of the communicator. Null at all members if they are too many for an order.
  const std::shared_ptr<const WordProgram>& program();
  /// An all-to-all of equal blocks takes less time over the switches than by messages.
  /// @param words of a block.
  [[nodiscard]] bool exchanges_faster(std::uint64_t words) const { return words <= most_exchanged_; }
  /// As one with blocks of several lengths, all blocks as long as the longest.
  /// @param longest words of the longest block. @param sent most words that a member sends.
  [[nodiscard]] bool exchanges_faster(std::uint64_t longest, std::uint64_t sent) const;
  /// To agree on these lengths takes little of the time that messages take.
  [[nodiscard]] bool agreement_pays() const;
  /// An allgather of equal blocks takes less time over the switches than in messages around a ring of ranks.
  /// @param words of a block.
  [[nodiscard]] bool gathers_faster(std::uint64_t words) const { return words <= most_gathered_; }
  /// As one with blocks of several lengths, all blocks as long as the longest.
  /// @param longest words of the longest block. @param all words of all blocks.
  [[nodiscard]] bool gathers_faster(std::uint64_t longest, std::uint64_t all) const;
  /// Of a broadcast; the last one is kept.
  const std::shared_ptr<const WordProgram>& broadcast(int root);
  /// Of a reduction; the last one of each kind is kept. @param root none if all get the result.
  const std::shared_ptr<const WordProgram>& reduction(std::optional<int> root);
  /// Of a gather; the last one is kept. Sources are ranks of the communicator.
  const std::shared_ptr<const WordProgram>& gather(int root);
  /// Of a scatter, likewise. Targets are ranks of the communicator.
  const std::shared_ptr<const WordProgram>& scatter(int root);
  /// Of an allgather. Sources are ranks of the communicator.
  const std::shared_ptr<const WordProgram>& allgather();
  /// Why there are no programs of gathers, scatters and allgathers; null if there are.
  [[nodiscard]] const char* block_refusal() const;
  /// Why switches with N adders cannot combine words of all routers; null if they can.
  [[nodiscard]] const char* sum_refusal(std::uint32_t adders) const;

 private:
  [[nodiscard]] std::uint32_t node_of(int member) const { return static_cast<std::uint32_t>(routers_.place(member)); }

  /// With the order's members by their ranks, not by their places.
  [[nodiscard]] std::shared_ptr<const WordProgram> of_ranks(WordProgram program, std::size_t order) const;

  [[nodiscard]] SwitchGrid grid() const { return {.size = size_, .rings = rings_, .hop = hop_}; }
  /// In picoseconds: of the switches for blocks of some words, and of messages that a member sends.
  [[nodiscard]] std::uint64_t exchange_time(std::uint64_t words) const;
  [[nodiscard]] std::uint64_t message_time(std::uint64_t sent) const;
  [[nodiscard]] std::uint64_t ring_time(std::uint64_t words) const;
  /// Words of equal blocks up to which switches take no longer than a message to each other member and its words.
  /// @param switches picoseconds for a word of all blocks. @param messages likewise, without what a message takes.
  [[nodiscard]] std::uint64_t most_words(std::uint64_t switches, std::uint64_t messages) const;
  [[nodiscard]] std::uint64_t others() const { return grid().nodes() - 1; }

  Box routers_;
  SwitchSize size_{1, 1, 1};  ///< of it
  std::uint32_t rings_ = 0;   ///< dimensions that they fill and that are closed to a ring, a bit each
  int me_;
  std::uint32_t entries_;  ///< that fit into an order
  std::uint32_t hop_;      ///< cycles of a link
  tidings_exchange_costs costs_;
  std::uint64_t most_exchanged_ = 0;  ///< words of a block of an all-to-all that the switches do faster
  std::uint64_t most_gathered_ = 0;   ///< and of an allgather
  bool made_ = false;
  std::shared_ptr<const WordProgram> program_;
  int root_ = -1;  ///< of `broadcast_`
  std::shared_ptr<const WordProgram> broadcast_;
  int sum_root_ = -1;  ///< of `reduce_`
  std::shared_ptr<const WordProgram> reduce_;
  std::shared_ptr<const WordProgram> allreduce_;
  int gather_root_ = -1;  ///< of `gather_`
  std::shared_ptr<const WordProgram> gather_;
  int scatter_root_ = -1;  ///< of `scatter_`
  std::shared_ptr<const WordProgram> scatter_;
  std::shared_ptr<const WordProgram> allgather_;
};

}  // namespace tidings
