// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file hardware.h
/// Collectives in the engines.
///
/// A group of ranks has a context of the engine, with links and stream buffers of its own, for each wiring that its
/// algorithms need. A link keeps its neighbour for the whole run, so a context stays with its group; communicators of
/// the same members, in any order, share it: their collectives come in the same order on all members.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coll/executor.h"
#include "coll/grid.h"
#include "coll/mpe_group.h"
#include "coll/switch_group.h"
#include "coll/wire_group.h"
#include "core/communicator.h"
#include "core/engine_word.h"
#include "core/message_layer.h"
#include "core/operation.h"

namespace tidings {

/// The engine's form of a reduction, or why there is none.
struct EngineSupport {
  std::optional<EngineReduction> reduction;
  const char* reason = nullptr;
};
/// @param wide_elements the engine combines elements of 64 bits
[[nodiscard]] EngineSupport engine_support(const Operation& operation, const Datatype& type, bool wide_elements);

class HardwareCollectives;
class BesideCollective;

/// A collective as the engine takes it.
struct EngineCommand {
  std::uint32_t word = 0;        ///< of tidings_collective_start
  std::uint32_t descriptor = 0;  ///< what the engines compare
};

class HardwareCollectives {
 public:
  explicit HardwareCollectives(MessageLayer& messages);

  /// Elements of 64 bits can be combined.
  [[nodiscard]] bool wide_elements() const { return sizes_.wide_elements; }
  /// Most words of an allreduce in rounds of exchange.
  [[nodiscard]] std::size_t exchange_words() const { return sizes_.exchange_words; }
  /// Contexts without a group, one bit each.
  [[nodiscard]] std::uint32_t free_contexts() const;

  /// The group of these world ranks, which this rank belongs to. @param members in any order, each once.
  std::shared_ptr<MpeGroup> group_of(std::vector<std::uint32_t> members);
  /// The context of a group that holds the links of a shape: one that it has, or the first of those that are free at
  /// all members, which leaves `free` then.
  /// @param free one bit per context.
  /// @return nothing if no context is free.
  std::optional<std::uint32_t> context_of(const std::shared_ptr<MpeGroup>& group, const WiredShape& wired,
                                          std::uint32_t& free);

  /// A shape of a group, in the context that holds its links.
  struct Loaded {
    std::shared_ptr<MpeGroup> group;
    WiredShape* wired = nullptr;
    std::uint32_t context = 0;
  };
  /// A collective of a communicator, in a shape. Equal collectives have equal commands.
  /// @param reduction that of a reduction.
  [[nodiscard]] static EngineCommand command(const Loaded& loaded, const Communicator& communicator,
                                             const CollectiveDescriptor& descriptor,
                                             const EngineReduction& reduction = {});
  /// What is under way, for the report of a deadlock.
  struct Waited {
    const Loaded& loaded;
    const Communicator& communicator;
    const CollectiveDescriptor& descriptor;
  };
  void barrier(const EngineCommand& command, const Waited& waited);

  /// Groups of the engine `barrier` that no communicator has, one bit each; none without the engine.
  [[nodiscard]] WireGroups free_groups() const;
  /// Join the first group that is free at all members of a communicator.
  /// @param me number of this rank among them. @return nothing if there is none; says why.
  std::unique_ptr<WireGroup> join(const Placement& placement, Member me, WireGroups free, const char*& refusal);
  /// A barrier of the group's communicator.
  void barrier(const WireGroup& group, const Communicator& communicator, const CollectiveDescriptor& descriptor);
  /// All-to-alls and broadcasts can go over static switches, if the ranks of a communicator fill a rectangle of
  /// routers.
  [[nodiscard]] bool has_switches() const;
  /// Node memory holds a word of each member of an all-to-all.
  [[nodiscard]] bool has_room(const Communicator& communicator) const {
    return 2 * messages_.layout().chunk / sizeof(std::uint32_t) >= static_cast<std::size_t>(communicator.size());
  }
  /// An all-to-all over static switches, for which there is room and a program.
  /// @param bytes of the longest block; of each one unless the descriptor leaves them open.
  void alltoall(SwitchGroup& group, const Communicator& communicator, const CollectiveDescriptor& descriptor,
                std::size_t bytes, const View& input, const View& output);
  /// One of equal blocks. What has been found out of one is kept for the next with the same memory.
  /// @param input, output the first blocks.
  void alltoall(SwitchGroup& group, const Communicator& communicator, const CollectiveDescriptor& descriptor,
                const Buffer& input, const Buffer& output);
  void broadcast(const EngineCommand& command, const Waited& waited, const Buffer& buffer, bool is_root);
  /// A broadcast over static switches, of bytes.
  void broadcast(SwitchGroup& group, const Communicator& communicator, const CollectiveDescriptor& descriptor,
                 const Buffer& buffer);
  /// A reduce or an allreduce over static switches. @param result without a type at a rank that gets none.
  void reduce(SwitchGroup& group, const Communicator& communicator, const CollectiveDescriptor& descriptor,
              const EngineReduction& reduction, const Buffer& input, const Buffer& result);
  /// A gather or an allgather over static switches, for which there is room and a program, of blocks that may be of
  /// several lengths. The own block is copied.
  /// @param bytes of the longest block. @param blocks null at a rank that gets none.
  void gather(SwitchGroup& group, const Communicator& communicator, const CollectiveDescriptor& descriptor,
              std::size_t bytes, const Buffer& mine, const View* blocks);
  /// A scatter over static switches, likewise. @param blocks null at a rank that is not the root.
  void scatter(SwitchGroup& group, const Communicator& communicator, const CollectiveDescriptor& descriptor,
               const View* blocks, const Buffer& mine);
  /// A reduction over static switches of which each rank keeps a part.
  /// @param first byte of the sums that the result begins with.
  void reduce_scatter(SwitchGroup& group, const Communicator& communicator, const CollectiveDescriptor& descriptor,
                      const EngineReduction& reduction, const Buffer& input, std::size_t first, const Buffer& result);
  /// Inputs of a switch, beside a first one, whose words can be combined.
  [[nodiscard]] std::uint32_t switch_adders() const;
  /// Start a collective that goes on while the program does other things. It is given to the engine when all before it
  /// have been, and there is room.
  void start_beside(BesideCollective& collective);
  /// Give to the engine what there is room for, and take the results of what is over.
  /// @return whether there was anything to do.
  bool advance_beside();
  /// None is under way. A collective that blocks comes behind all of them, and uses their memory.
  void finish_beside() {
    if (first_beside_ != nullptr) [[unlikely]] {
      wait_for_beside();
    }
  }
  /// Reduce or allreduce. @param result without a type at a rank that gets none.
  void reduce(const EngineCommand& command, const Waited& waited, const Buffer& input, const Buffer& result);

 private:
  struct Context {
    std::shared_ptr<MpeGroup> group;
    std::string wiring;  ///< its name
  };

  /// Run `count` elements of `element_bytes` through the engine in chunks: one is filled or emptied while another runs.
  /// @param fill, drain called with an address in node memory, the first element and the number of elements that they
  /// copy there or from there.
  template <class Fill, class Drain>
  void run(const EngineCommand& command, const Waited& waited, std::size_t count, std::size_t element_bytes, Fill fill,
           Drain drain);
  /// As run() for more than one chunk.
  template <class Fill, class Drain>
  [[gnu::noinline]] void run_in_chunks(const EngineCommand& command, const Waited& waited, std::size_t count,
                                       std::size_t element_bytes, Fill fill, Drain drain);
  void wait(std::uint32_t number, const Waited& waited);
  /// Load what differs from the program that the static switch has.
  void load(const std::shared_ptr<const WordProgram>& program);
  /// An all-to-all through node memory. @param room words of a block there. @param words of the longest block.
  void alltoall_in_parts(const Communicator& communicator, const CollectiveDescriptor& descriptor, std::size_t room,
                         std::size_t words, const View& input, const View& output);
  /// Let the loaded program begin, on blocks in node memory. @param reduction of what the program combines.
  void start_program(std::uint32_t source, std::uint32_t destination, std::size_t words,
                     const EngineReduction& reduction);
  /// Wait until it has run once.
  void await_program(const Communicator& communicator, const CollectiveDescriptor& descriptor);
  /// Say what the loaded program combines. @param reduction if it does.
  void set_sum(const EngineReduction& reduction);
  /// Start it and wait for it.
  void run_program(const Communicator& communicator, const CollectiveDescriptor& descriptor, std::uint32_t source,
                   std::uint32_t destination, std::size_t words, const EngineReduction& reduction = {});
  /// What is under way if all members are waited for.
  [[nodiscard]] static Waiting waits_for_all(const CollectiveDescriptor& descriptor, const char* how,
                                             const Communicator& communicator);
  [[gnu::cold, gnu::noinline]] void wait_for_beside();
  [[nodiscard]] std::optional<std::uint32_t> in_node_memory(const Buffer& buffer, std::size_t first) const;
  /// Engines reach the program's memory there, which is not node memory of its own.
  [[nodiscard]] bool is_reached(const Buffer& buffer) const;
  /// Have the engine read bytes [first, first + bytes) of a vector: without a copy if it reaches them.
  /// @param place in node memory, for a copy. @return where the engine reads.
  std::uint32_t bring(const Buffer& buffer, std::size_t first, std::size_t bytes, std::uint32_t place);
  /// Where the engine writes what fetch() gives to the vector.
  std::uint32_t make_way(const Buffer& buffer, std::size_t first, std::size_t bytes, std::uint32_t place);
  void fetch(const Buffer& buffer, std::size_t first, std::size_t bytes, std::uint32_t place);
  bool give_beside();
  bool take_beside();

  /// An all-to-all of equal blocks for which the engine needs no copies.
  struct Exchange {
    const WordProgram* program = nullptr;  ///< which is loaded; null if there is no such all-to-all
    const void* input = nullptr;
    void* output = nullptr;
    const Datatype* type = nullptr;
    std::size_t bytes = 0;  ///< of a block
    std::size_t all = 0;    ///< of all blocks
    bool reaches_input = false;
    bool reaches_output = false;
    std::uint32_t source = 0;  ///< addresses in node memory, or what stands for memory that is reached
    std::uint32_t destination = 0;
    std::uint32_t own = 0;  ///< where the own block begins
  };
  /// Find out how the engine gets at blocks. @return nothing if it needs copies of them.
  [[nodiscard]] std::optional<Exchange> exchange_of(const Communicator& communicator, std::size_t bytes,
                                                    const Buffer& input, const Buffer& output) const;

  MessageLayer& messages_;
  Grid grid_;
  tidings_collective_sizes sizes_;
  std::vector<std::optional<Context>> contexts_;
  std::shared_ptr<WireGroups> taken_groups_ = std::make_shared<WireGroups>(0);
  std::optional<std::uint32_t> awaited_group_;         ///< of the last barrier
  std::shared_ptr<const WordProgram> loaded_program_;  ///< of the static switch
  tidings_reg_alltoall_sums loaded_sum_{};             ///< what it combines
  Exchange exchange_;                                  ///< the last one
  /// Those beside the program that are not over, in the order in which they were started.
  BesideCollective* first_beside_ = nullptr;
  BesideCollective* last_beside_ = nullptr;
  BesideCollective* giving_beside_ = nullptr;  ///< the first that the engine has not been given all of
  std::uint32_t area_ = 0;                     ///< of node memory that the next command uses
};

/// A collective in the engine that goes on while the program does other things.
///
/// Its vector goes through one of two areas of node memory, unless it is in node memory itself. Pieces of longer ones
/// take turns. All ranks have areas of the same size, so all give their engines the same commands.
class BesideCollective {
 public:
  /// @param algorithms that `choice` is one of.
  BesideCollective(std::shared_ptr<const Communicator> communicator, const EngineCommand& command,
                   const HardwareCollectives::Loaded& loaded, const CollectiveDescriptor& descriptor)
      : communicator_(std::move(communicator)), command_(command), loaded_(loaded), descriptor_(descriptor) {}

  /// What the engine reads here and writes here: of a broadcast, the message at the root and at the others.
  /// @param element_bytes what the engine counts.
  void vector(const Buffer& from, const Buffer& into, std::size_t element_bytes) {
    from_ = from;
    into_ = into;
    element_bytes_ = element_bytes;
    const Buffer& either = from.type != nullptr ? from : into;
    bytes_ = either.bytes();
  }
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] Waiting describe() const;

 private:
  friend class HardwareCollectives;
  /// Bytes that the engine has been given, or that have come from it.
  struct Piece {
    std::uint32_t number = 0;  ///< of the command
    std::size_t first = 0;
    std::size_t bytes = 0;
    std::uint32_t comes_to = 0;  ///< where in node memory
    bool copied = false;         ///< from there to the program's vector
  };
  static constexpr std::size_t kAreas = 2;

  std::shared_ptr<const Communicator> communicator_;
  EngineCommand command_;
  HardwareCollectives::Loaded loaded_;
  CollectiveDescriptor descriptor_;
  Buffer from_;
  Buffer into_;
  std::size_t element_bytes_ = 0;
  std::size_t bytes_ = 0;
  std::size_t given_ = 0;                ///< bytes
  std::array<Piece, kAreas> under_way_;  ///< pieces that the engine has, the oldest first
  std::size_t pieces_ = 0;
  bool all_given_ = false;
  bool over_ = true;
  BesideCollective* next_ = nullptr;
};

}  // namespace tidings
