// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file collectives.h
/// The collective operations: chooses an algorithm and who carries it out, and runs it.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coll/executor.h"
#include "coll/hardware.h"
#include "coll/selection.h"
#include "core/reused.h"
#include "trace.h"

namespace tidings {

/// How a collective was carried out.
struct Outcome {
  tidings_path path = TIDINGS_PATH_NONE;
  const char* reason = nullptr;  ///< why the engine did not do it, if it was asked for
};

/// The blocks of a gather, scatter or all-to-all: uniform, or with counts and displacements. A vector is one block.
struct Blocks {
  void* base = nullptr;
  const Datatype* type = nullptr;
  std::size_t count = 0;                          ///< elements in a block, unless they differ
  const std::size_t* counts = nullptr;            ///< elements in each block, if they differ
  const std::ptrdiff_t* displacements = nullptr;  ///< of each block, in elements
  const Datatype* const* types = nullptr;         ///< of each block, if they differ; then displacements are in bytes

  [[nodiscard]] static Blocks one(const Buffer& buffer) {
    return {.base = buffer.base, .type = buffer.type, .count = buffer.count};
  }
  [[nodiscard]] View view() const;
  /// The vector, if it is one block.
  [[nodiscard]] Buffer whole() const { return {base, count, type}; }
};

/// A collective as one rank calls it.
struct CollectiveCall {
  CollectiveDescriptor descriptor;
  Blocks input;                          ///< the contribution, which may be `output`'s memory; none of a broadcast
  Blocks output;                         ///< the result, if this rank gets one; a broadcast's message at all ranks
  const Operation* operation = nullptr;  ///< of a reduction
};

/// Elements laid out as in a program's buffer. @param memory becomes large enough.
[[nodiscard]] Buffer elements_in(std::vector<std::byte>& memory, std::size_t count, const Datatype& type);

/// A collective by messages, ready to run. It may run again and again.
struct MessageCollective {
  Views views;
  std::vector<std::vector<std::byte>> memory;       ///< that the views refer to, beside the program's
  std::optional<std::pair<Buffer, Buffer>> before;  ///< what is copied first, and where to
  std::optional<std::pair<Buffer, Buffer>> after;   ///< what is copied last, and where to
};

/// An algorithm that a communicator may use.
struct CollectiveCandidate {
  Rule rule;
  std::optional<HardwareCollectives::Loaded> loaded;  ///< into the engine
  const char* engine_refusal = nullptr;               ///< why not into the engine
  const char* message_refusal = nullptr;              ///< why messages cannot carry it out in this group
};

/// How a collective is to be carried out.
struct CollectiveChoice {
  const CollectiveCandidate* candidate = nullptr;
  Carrier carrier = Carrier::Messages;
  EngineCommand command;      ///< if the engine carries it out
  EngineReduction reduction;  ///< likewise, of a reduction
  Outcome outcome;
  const char* note = nullptr;  ///< why it is not the algorithm that was named
  /// The engine carries it out, and there is nothing to note.
  bool straight = false;
};

/// All that a choice depends on in one communicator.
struct ChoiceKey {
  CollectiveDescriptor descriptor;
  bool commutative = true;
  bool operator==(const ChoiceKey&) const = default;
};

/// A call of a collective that has no blocks, but for its buffers.
struct CallKey {
  std::intptr_t type = 0;       ///< handle, if there are data
  std::intptr_t operation = 0;  ///< handle, if there is one
  std::int64_t count = -1;
  int root = 0;
  bool operator==(const CallKey&) const = default;
};

/// What follows from a call: equal calls need not find it out again.
struct KnownCall {
  CallKey key;  ///< handles of constants only, as their objects stay
  CollectiveDescriptor descriptor;
  const Datatype* type = nullptr;
  const Operation* operation = nullptr;
  CollectiveChoice choice;
  SwitchGroup* switches = nullptr;  ///< that carry it out if they have a program; an all-to-all
  CallArguments arguments;          ///< for the trace and for messages
  std::uint64_t bytes = 0;
  std::uint64_t group = 0;      ///< of struct tidings_call
  std::uint64_t signature = 0;  ///< of struct tidings_call
};

/// The algorithms that a communicator uses.
class CommunicatorAlgorithms {
 public:
  /// Those of one collective, in the order in which they are tried.
  struct Family {
    std::vector<CollectiveCandidate> candidates;
    bool in_engine = false;         ///< the engine knows the collective
    mutable ChoiceKey last_key;     ///< of the last choice
    mutable CollectiveChoice last;  ///< so that equal calls do not choose again
    mutable KnownCall known;        ///< the last one that has no blocks
  };
  /// What this rank does if messages carry an algorithm out.
  struct Prepared {
    const Algorithm* algorithm = nullptr;
    int root = 0;
    Schedule schedule;
    std::size_t scratch = 0;  ///< blocks
  };

  CommunicatorAlgorithms(Placement placed, std::string named)
      : placement(std::move(placed)), choices(std::move(named)) {}

  Placement placement;                    ///< of the communicator's ranks
  bool uses_engine = false;               ///< its members have agreed on that
  std::unique_ptr<WireGroup> wires;       ///< for barriers, if there is one
  std::unique_ptr<SwitchGroup> switches;  ///< if any collective goes over them
  std::array<bool, kFamilyEnd> over_switches{};
  /// Collectives go over switches even if messages take less time.
  std::array<bool, kFamilyEnd> switches_named{};
  mutable CollectiveChoice agreement;  ///< how members agree on lengths of blocks; kept from the first call on
  std::string choices;                 ///< algorithms that were named for it, as in Selection::with_choices()

  [[nodiscard]] const Family& of(Collective family) const { return families_.at(static_cast<std::size_t>(family)); }
  /// The engine or the switches beside packets carry out what the family's algorithm over wires names.
  [[nodiscard]] bool has_wires(Collective family) const {
    return family == Collective::Barrier ? wires != nullptr : switches_for(family) != nullptr;
  }
  [[nodiscard]] bool is_named_for_switches(Collective family) const {
    return switches_named.at(static_cast<std::size_t>(family));
  }
  /// The switches that carry a collective out; null if they do not.
  [[nodiscard]] SwitchGroup* switches_for(Collective family) const {
    return over_switches.at(static_cast<std::size_t>(family)) ? switches.get() : nullptr;
  }
  [[nodiscard]] Family& of(Collective family) { return families_.at(static_cast<std::size_t>(family)); }
  /// The schedule of a rank; the last one of each collective is kept.
  [[nodiscard]] const Prepared& prepared(const Algorithm& algorithm, int rank, int root) const;

 private:
  std::array<Family, kFamilyEnd> families_;
  mutable std::array<Prepared, kFamilyEnd> prepared_;
};

class Collectives {
 public:
  /// @param bytes the datatype MPI_BYTE. @param selection what communicators use unless they are told otherwise.
  Collectives(MessageLayer& messages, const Datatype& bytes, Selection selection);

  /// MPI_Init: returns when every rank can receive. Always in the engine, which needs no software on the other side.
  void meet(Communicator& world);
  /// Carry a collective out.
  Outcome run(Communicator& communicator, const CollectiveCall& call) {
    return run(communicator, call, choice_of(communicator, call));
  }
  /// As run() for a call that is known. @param input as in CollectiveCall.
  Outcome run(Communicator& communicator, const KnownCall& known, const Buffer& input, const Buffer& output) {
    if (known.choice.straight) [[likely]] {
      by_engine(communicator, known.descriptor, known.choice, input, output);
      return known.choice.outcome;
    }
    if (known.switches != nullptr) {
      by_switches(communicator, known, input, output);
      return {TIDINGS_PATH_HARDWARE, nullptr};
    }
    return run(communicator, {known.descriptor, Blocks::one(input), Blocks::one(output), known.operation},
               known.choice);
  }
  /// Carry a collective out by a schedule of its own.
  Outcome run(Communicator& communicator, const CollectiveCall& call, const Schedule& schedule, const Views& views);
  /// Get a call ready for messages. @param schedule as Algorithm::schedule() returns it.
  /// @param scratch blocks of Scratch that it uses. @param ready is filled in; memory that it has is used again.
  void make_ready(const Communicator& communicator, const CollectiveCall& call, const Algorithm& algorithm,
                  std::size_t scratch, MessageCollective& ready) const;
  /// The algorithm by which messages carry a call out.
  [[nodiscard]] const Algorithm& message_algorithm(const Communicator& communicator, const CollectiveCall& call) const;
  /// A call in the engine, beside the program: null if messages carry it out there. Whether its members would give
  /// their engines all commands in one order depends on the communicator.
  /// @param starts_in_order it starts in the order of the communicator's other collectives, as persistent ones need
  /// not.
  /// @param outcome how it is carried out.
  [[nodiscard]] std::unique_ptr<BesideCollective> beside(const std::shared_ptr<const Communicator>& communicator,
                                                         const CollectiveCall& call, bool starts_in_order,
                                                         Outcome& outcome) const;
  void start(BesideCollective& collective) { hardware_->start_beside(collective); }
  /// Let what goes on in the engine beside the program go on. @return whether there was anything to do.
  bool advance_beside() { return hardware_->advance_beside(); }
  /// The collective that a rank has started beside the program is its next one of the communicator.
  void begin_beside(Communicator& communicator, const CollectiveDescriptor& descriptor);
  /// The switches that carry an all-to-all of equal blocks out if they have a program; null if messages do.
  [[nodiscard]] SwitchGroup* switches_for(const Communicator& communicator,
                                          const CollectiveDescriptor& descriptor) const;
  /// How a call is to be carried out, whatever its buffers; without a candidate if there is nothing to do.
  [[nodiscard]] const CollectiveChoice& choice_of(const Communicator& communicator, const CollectiveCall& call) const;

  /// What every member of the communicator gives to every other when communicators are made.
  struct Offer {
    std::int64_t id = 0;  ///< least that this rank has not used for a communicator
    std::int64_t color = 0;
    std::int64_t key = 0;
    std::uint64_t contexts = 0;  ///< of the engines that are free at this rank: free_contexts(); 0 if none is asked for
  };
  std::vector<Offer> exchange(Communicator& communicator, Collective kind, const Offer& mine);
  /// Contexts of the engine that are free at this rank, one bit each; none if the engine is not asked for.
  /// From kFirstWireGroup on groups of the engine `barrier`, likewise. One more bit says that the engine is asked for.
  [[nodiscard]] std::uint64_t free_contexts() const;
  /// The algorithms of a communicator. All its members call it alike, and take the same contexts of the engine.
  /// @param members world ranks in order. @param free contexts that are free at all of them.
  /// @param choices algorithms that the program names for it, as in Selection::with_choices().
  /// @throws std::invalid_argument if there are no such choices.
  std::shared_ptr<const CommunicatorAlgorithms> algorithms_of(const std::vector<std::uint32_t>& members,
                                                              std::uint64_t free, const std::string& choices = {});

 private:
  [[nodiscard]] const CollectiveChoice& choose(const Communicator& communicator, Collective family,
                                               const CollectiveCall& call) const;
  [[nodiscard]] CollectiveChoice choose_anew(const Communicator& communicator, Collective family,
                                             const CollectiveCall& call) const;
  /// Why the engine cannot do a call with a candidate; null if it can.
  [[nodiscard]] const char* engine_refusal(const CollectiveCandidate& candidate, const CollectiveCall& call,
                                           const EngineSupport& support) const;
  Outcome run(Communicator& communicator, const CollectiveCall& call, const CollectiveChoice& choice);
  void by_engine(Communicator& communicator, const CollectiveDescriptor& descriptor, const CollectiveChoice& choice,
                 const Buffer& input, const Buffer& output);
  /// A collective of blocks over static switches. @return false if messages are to do it: nothing has been exchanged
  /// but lengths.
  bool by_switches(Communicator& communicator, const CollectiveCall& call);
  /// Blocks of an all-to-all or an allgather have words, and take less time over switches unless these are named.
  [[nodiscard]] static bool equal_blocks_fit(const Communicator& communicator, const CollectiveDescriptor& descriptor,
                                             const SwitchGroup& switches);
  /// As by_switches(), of an all-to-all that the switches may do.
  bool alltoall_by_switches(Communicator& communicator, const CollectiveCall& call, SwitchGroup& switches);
  /// Bytes of the longest block of an allgather; 0 if it takes less time by messages. All members know all lengths.
  [[nodiscard]] static std::size_t longest_gathered(const Communicator& communicator, const View& blocks,
                                                    const SwitchGroup& switches);
  /// One of equal blocks. @param input, output the first ones.
  void by_switches(Communicator& communicator, const KnownCall& known, const Buffer& input, const Buffer& output);
  /// Bytes of the longest block that any member of an all-to-all sends, in whole words; nothing if it takes less time
  /// by messages. All members find the same.
  std::optional<std::size_t> longest_block(Communicator& communicator, const CollectiveCall& call,
                                           const SwitchGroup& switches);
  void by_messages(Communicator& communicator, const CollectiveCall& call, const Algorithm& algorithm);
  void execute(Communicator& communicator, const CollectiveCall& call, const Schedule& schedule, const Views& views,
               std::vector<RequestPointer>& transfers);
  /// Put a shape of a group into the engine. @return nothing if it is impossible; says why.
  std::optional<HardwareCollectives::Loaded> load(const std::shared_ptr<MpeGroup>& group, const Rule& rule,
                                                  std::uint32_t& free, const char*& refusal);
  /// Runs `body` as the communicator's next collective, with its messages checked against the descriptor.
  template <class Body>
  void inside(Communicator& communicator, const CollectiveDescriptor& descriptor, Body body);

  MessageLayer& messages_;
  const Datatype& bytes_;
  Selection selection_;
  std::optional<HardwareCollectives> hardware_;         ///< nothing if this rank is alone
  std::optional<HardwareCollectives::Loaded> meeting_;  ///< MPI_Init's barrier
  bool world_alone_ = true;                             ///< MPI_COMM_WORLD alone uses this rank's engine
  struct Blocking {
    MessageCollective made;
    std::vector<RequestPointer> transfers;  ///< of a round
  };
  Reused<Blocking> blocking_;  ///< the one under way in each thread, with memory for the next
};

}  // namespace tidings
