// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file collective_arguments.h
/// The arguments of collectives, checked and described. A way carries out what is planned: at once, or later.
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/packing.h"
#include "cost.h"
#include "mpi/call.h"
#include "mpi/intercommunicator.h"
#include "mpi/messages.h"

namespace tidings {

inline bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

inline void check_root(const Communicator& communicator, int root) {
  if (root >= 0 && root < communicator.peers()->size()) return;
  throw Error(MPI_ERR_ROOT, rank_text(root, "root") + " is not in " + communicator.name() + ", which has " +
                                std::to_string(communicator.peers()->size()) + " ranks");
}

/// What a rank does in a collective with a root, which is checked.
struct Role {
  Role(const Communicator& communicator, int root) {
    if (communicator.inter == nullptr) {
      check_root(communicator, root);
      is_root = communicator.rank() == root;
      agreed = root;
    } else if (root == MPI_ROOT) {
      is_root = true;
      has_part = false;
    } else if (root == MPI_PROC_NULL) {
      has_part = false;
    } else {
      check_root(communicator, root);
    }
  }
  bool is_root = false;
  bool has_part = true;  ///< it gives or gets a part like others than the root
  int agreed = 0;        ///< the root, if all ranks name the same
};

inline void check_in_place(const Communicator& communicator, bool allowed) {
  if (communicator.inter != nullptr)
    throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for intercommunicators", "Give a buffer.");
  if (!allowed) throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone", "Give a buffer at the other ranks.");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_shared() {
  throw Error(MPI_ERR_BUFFER, "send and receive buffer are the same memory", "Give MPI_IN_PLACE for one of them.");
}

/// Buffers of a collective may not be shared (MPI 5.0, section 6.1).
inline void check_apart(const void* send, const void* receive, std::uint64_t bytes) {
  if (send == receive && bytes != 0 && send != MPI_BOTTOM) [[unlikely]] {
    refuse_shared();
  }
}

/// As above, for a buffer and blocks. Those of other places or types may lie between each other.
inline void check_apart(const Buffer& buffer, const Blocks& blocks) {
  if (blocks.counts != nullptr || blocks.types != nullptr) return;
  if (buffer.type->predefined() && blocks.type->predefined()) check_apart(buffer.base, blocks.base, buffer.bytes());
}

/// @param block what all ranks must agree on; empty if they may differ.
inline CollectiveDescriptor describe(Collective kind, int root, const Buffer& shown, std::uint64_t block) {
  CollectiveDescriptor descriptor;
  descriptor.kind = kind;
  descriptor.root = static_cast<std::uint16_t>(root);
  descriptor.count = shown.count;
  descriptor.type = shown.type->predefined() ? static_cast<std::uint16_t>(shown.type->handle()) : std::uint16_t{0};
  descriptor.bytes = block;
  return descriptor;
}

/// Blocks with counts and displacements of their own.
class VaryingBlocks {
 public:
  VaryingBlocks() = default;
  /// @param place gives the displacement of block i, in elements; it is asked for each i in turn.
  template <class Count, class Place>
  VaryingBlocks(const Library& lib, int blocks, const void* base, const Count counts[], Place place,
                MPI_Datatype datatype)
      : base_(const_cast<void*>(base)), type_(lib.committed_type(datatype)), arrays_(lib.block_arrays()) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) {
      if (counts[i] < 0) {
        throw Error(MPI_ERR_COUNT, "the count of rank " + std::to_string(i) + " is " + std::to_string(counts[i]));
      }
      static_cast<void>(Library::buffer(base, static_cast<MPI_Count>(counts[i]), *type_));
      arrays_->counts.push_back(static_cast<std::size_t>(counts[i]));
      arrays_->displacements.push_back(static_cast<std::ptrdiff_t>(place(i)));
    }
  }

  /// As long as this lives.
  operator Blocks() const {  // NOLINT(google-explicit-constructor): blocks that know their arrays
    if (arrays_ == nullptr) return {};
    return {base_, type_.get(), 0, arrays_->counts.data(), arrays_->displacements.data()};
  }

 private:
  void* base_ = nullptr;
  std::shared_ptr<const Datatype> type_;
  std::shared_ptr<BlockArrays> arrays_;
};

/// Blocks of equal size that keep their datatype.
class EqualBlocks {
 public:
  EqualBlocks() = default;
  EqualBlocks(const Library& lib, const void* base, MPI_Count count, MPI_Datatype datatype)
      : blocks_(Blocks::one(lib.buffer(base, count, datatype))), type_(lib.type(datatype)) {}

  /// As long as this lives.
  operator Blocks() const { return blocks_; }  // NOLINT(google-explicit-constructor): as other blocks

 private:
  Blocks blocks_;
  std::shared_ptr<const Datatype> type_;
};

inline Buffer block(const Blocks& blocks, int rank) { return blocks.view().range(static_cast<std::uint32_t>(rank), 1); }

/// A packed copy of blocks, for an exchange in place.
class PackedCopy {
 public:
  /// A copy of blocks that are at `from`, one per rank; fill() makes it.
  static std::shared_ptr<PackedCopy> make(Library& lib, const Blocks& from, int size) {
    std::size_t total = 0;
    for (int i = 0; i < size; ++i) total += block(from, i).bytes();
    auto copy = total <= kMostKept ? lib.packed_copies.take() : std::make_shared<PackedCopy>();
    copy->from_ = from;
    copy->type_ = &lib.bytes();
    copy->arrays_.clear();
    for (int i = 0; i < size; ++i) {
      const auto& counts = copy->arrays_.counts;
      auto& displacements = copy->arrays_.displacements;
      displacements.push_back(i == 0 ? 0 : displacements.back() + static_cast<std::ptrdiff_t>(counts.back()));
      copy->arrays_.counts.push_back(block(from, i).bytes());
    }
    copy->memory_.resize(total);
    return copy;
  }

  void fill() {
    const int size = static_cast<int>(arrays_.counts.size());
    tidings_work(TIDINGS_WORK_ROUND, arrays_.counts.size());
    for (int i = 0; i < size; ++i) copy_elements(block(from_, i), block(blocks(), i));
  }
  /// As long as this lives.
  [[nodiscard]] Blocks blocks() {
    return {memory_.data(), type_, 0, arrays_.counts.data(), arrays_.displacements.data()};
  }

 private:
  static constexpr std::size_t kMostKept = 64 * 1024;  ///< bytes; a longer copy takes longer than an allocation

  Blocks from_;
  const Datatype* type_ = nullptr;
  std::vector<std::byte> memory_;
  BlockArrays arrays_;
};

/// What blocks of several datatypes are.
struct MixedArrays : BlockArrays {
  std::vector<const Datatype*> types;
  std::vector<std::shared_ptr<const Datatype>> kept;  ///< the same, which the program may free meanwhile

  void clear() {
    BlockArrays::clear();
    types.clear();
    kept.clear();
  }
};

/// Blocks with datatypes of their own; displacements are in bytes.
class MixedBlocks {
 public:
  MixedBlocks() = default;
  template <class Count, class Displacement>
  MixedBlocks(const Library& lib, int size, const void* base, const Count counts[], const Displacement displacements[],
              const MPI_Datatype types[])
      : base_(const_cast<void*>(base)), arrays_(lib.mixed_arrays.take()) {
    arrays_->clear();
    for (int i = 0; i < size; ++i) {
      if (counts[i] < 0) {
        throw Error(MPI_ERR_COUNT, "the count of rank " + std::to_string(i) + " is " + std::to_string(counts[i]));
      }
      arrays_->counts.push_back(static_cast<std::size_t>(counts[i]));
      arrays_->displacements.push_back(static_cast<std::ptrdiff_t>(displacements[i]));
      arrays_->kept.push_back(lib.committed_type(types[i]));
      arrays_->types.push_back(arrays_->kept.back().get());
    }
  }

  /// As long as this lives.
  operator Blocks() const {  // NOLINT(google-explicit-constructor): blocks that know their arrays
    if (arrays_ == nullptr) return {};
    const auto& types = arrays_->types;
    return {
        base_,       types.empty() ? nullptr : types.front(), 0, arrays_->counts.data(), arrays_->displacements.data(),
        types.data()};
  }

 private:
  void* base_ = nullptr;
  std::shared_ptr<MixedArrays> arrays_;
};

/// The arguments that describe blocks. Made of them are the blocks of as many ranks as there are.
inline auto equal_blocks(const void* base, MPI_Count count, MPI_Datatype type) {
  return [=](const Library& lib, int) { return EqualBlocks(lib, base, count, type); };
}
template <class Count, class Displacement>
auto varying_blocks(const void* base, const Count counts[], const Displacement displacements[], MPI_Datatype type) {
  return [=](const Library& lib, int blocks) {
    return VaryingBlocks(lib, blocks, base, counts, [=](std::size_t i) { return displacements[i]; }, type);
  };
}
template <class Count, class Displacement>
auto mixed_blocks(const void* base, const Count counts[], const Displacement displacements[],
                  const MPI_Datatype types[]) {
  return [=](const Library& lib, int blocks) { return MixedBlocks(lib, blocks, base, counts, displacements, types); };
}

/// A schedule for one collective alone.
struct OwnSchedule {
  Schedule schedule;
  MessageCollective ready;
};

/// A collective whose arguments have been checked.
struct PlannedCollective {
  CommunicatorPointer communicator;
  CollectiveCall call;
  std::shared_ptr<PackedCopy> copy;               ///< of the input, if the exchange is in place
  std::vector<std::shared_ptr<const void>> kept;  ///< what the call refers to
  std::shared_ptr<const OwnSchedule> own{};       ///< null: one of the algorithms carries it out

  /// Keep a datatype, which the program may free before the collective is over.
  void keep(const Library& lib, MPI_Datatype handle) {
    if (const auto& type = lib.types.find(number(handle))) kept.push_back(type);
  }
  template <class Object>
  void keep(const std::shared_ptr<Object>& object) {
    kept.push_back(object);
  }
  template <class Object>
  void keep(Object&& object) {
    kept.push_back(std::make_shared<std::decay_t<Object>>(std::forward<Object>(object)));
  }
  /// As keep(), but not if the collective is over when the call is; then the caller has the object till its end.
  template <class Way, class... Arguments>
  void keep_for(const Way& /*way*/, Arguments&&... arguments) {
    if constexpr (!Way::kWithinCall) keep(std::forward<Arguments>(arguments)...);
  }
};

inline void begin(Call& call, const Communicator& communicator, const CollectiveDescriptor& descriptor,
                  std::uint64_t bytes) {
  call.collective(descriptor);
  call.begin_collective(communicator, bytes);
}

/// Carries a collective out at once.
struct Blocking {
  static constexpr bool kWithinCall = true;  ///< the collective is over when the call is
  void operator()(Library& lib, Call& call, PlannedCollective&& planned) const {
    if (planned.copy != nullptr) planned.copy->fill();
    if (planned.own != nullptr) {
      const OwnSchedule& own = *planned.own;
      call.end(lib.collectives().run(*planned.communicator, planned.call, own.schedule, own.ready.views));
    } else {
      call.end(lib.collectives().run(*planned.communicator, planned.call));
    }
  }
};

/// Carry out a collective that has been described. @param root as the program named it.
template <class Way>
void carry_out(Library& lib, Call& call, PlannedCollective&& planned, int root, const Way& way) {
  if (const auto inter = planned.communicator->inter) inter->prepare(lib, planned, root);
  const auto blocks = static_cast<std::uint64_t>(planned.communicator->peers()->size());
  // Blocks with counts of their own were looked at one by one, in a step each.
  for (const Blocks* const side : {&planned.call.input, &planned.call.output}) {
    if (side->counts != nullptr) tidings_work(TIDINGS_WORK_ROUND, blocks + (side->types != nullptr ? 1 : 0));
  }
  way(lib, call, std::move(planned));
}

/// Gather or scatter: `part` is this rank's, and `all` makes the blocks at the root.
template <class All, class Way>
int rooted(const char* name, Collective kind, const void* part, MPI_Count count, MPI_Datatype type, int root,
           MPI_Comm comm, All all, const Way& way) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    const Role role(*communicator, root);
    decltype(all(lib, 0)) at_root;
    Buffer mine{nullptr, 0, &lib.bytes()};
    if (role.is_root) at_root = all(lib, communicator->peers()->size());
    const Blocks blocks = at_root;
    if (role.has_part && in_place(part)) {
      check_in_place(*communicator, role.is_root);
      mine = block(blocks, root);
    } else if (role.has_part) {
      mine = lib.buffer(part, count, type);
      if (role.is_root) check_apart(mine, blocks);
    }
    const bool varying = kind != family_of(kind);
    const Buffer& shown = role.is_root ? block(blocks, role.agreed) : mine;
    const auto descriptor = describe(kind, role.agreed, mine, varying ? 0 : shown.bytes());
    begin(call, *communicator, descriptor, mine.bytes());
    PlannedCollective planned{communicator, {descriptor, Blocks::one(mine), blocks, nullptr}, nullptr, {}};
    if (family_of(kind) == Collective::Scatter) std::swap(planned.call.input, planned.call.output);
    planned.keep_for(way, lib, type);
    planned.keep_for(way, std::move(at_root));
    carry_out(lib, call, std::move(planned), root, way);
  });
}

/// All-gather: `all` makes the blocks that each rank gets.
template <class All, class Way>
int gather_for_all(const char* name, Collective kind, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                   MPI_Comm comm, All all, const Way& way) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    auto kept = all(lib, communicator->peers()->size());
    const Blocks blocks = kept;
    const bool between = communicator->inter != nullptr;
    if (in_place(sendbuf)) check_in_place(*communicator, true);
    const Buffer own = between ? Buffer{} : block(blocks, communicator->rank());
    const Buffer mine = in_place(sendbuf) ? own : lib.buffer(sendbuf, sendcount, sendtype);
    if (!in_place(sendbuf)) check_apart(mine, blocks);
    const auto descriptor = describe(kind, 0, mine, between || kind == Collective::Allgatherv ? 0 : own.bytes());
    begin(call, *communicator, descriptor, mine.bytes());
    PlannedCollective planned{communicator, {descriptor, Blocks::one(mine), blocks, nullptr}, nullptr, {}};
    planned.keep_for(way, lib, sendtype);
    planned.keep_for(way, std::move(kept));
    carry_out(lib, call, std::move(planned), 0, way);
  });
}

/// All-to-all: `sent` and `received` make the blocks of this rank.
template <class Sent, class Received, class Way>
void exchange_all(Library& lib, Call& call, Collective kind, const void* sendbuf, MPI_Comm comm, Sent sent,
                  Received received, const Way& way) {
  const auto& communicator = lib.communicator(comm);
  const int ranks = communicator->peers()->size();
  auto incoming = received(lib, ranks);
  decltype(sent(lib, 0)) outgoing;
  const Blocks in = incoming;
  const Buffer first = block(in, 0);
  const bool agreed = kind == Collective::Alltoall && communicator->inter == nullptr;
  const auto descriptor = describe(kind, 0, first, agreed ? first.bytes() : 0);
  std::uint64_t bytes = 0;
  for (int i = 0; i < ranks; ++i) bytes += block(in, i).bytes();
  PlannedCollective planned{communicator, {descriptor, {}, in, nullptr}, nullptr, {}};
  if (in_place(sendbuf)) {
    check_in_place(*communicator, true);
    begin(call, *communicator, descriptor, bytes);
    planned.copy = PackedCopy::make(lib, in, communicator->size());
    planned.call.input = planned.copy->blocks();
  } else {
    outgoing = sent(lib, ranks);
    planned.call.input = outgoing;
    if (planned.call.input.counts == nullptr && in.counts == nullptr) check_apart(block(planned.call.input, 0), in);
    begin(call, *communicator, descriptor, bytes);
    planned.keep_for(way, std::move(outgoing));
  }
  planned.keep_for(way, std::move(incoming));
  carry_out(lib, call, std::move(planned), 0, way);
}
template <class Sent, class Received, class Way>
int exchange_all(const char* name, Collective kind, const void* sendbuf, MPI_Comm comm, Sent sent, Received received,
                 const Way& way) {
  return serve(name, comm,
               [&](Library& lib, Call& call) { exchange_all(lib, call, kind, sendbuf, comm, sent, received, way); });
}

/// A reduction without blocks, in any of its ways.
template <class Way>
int reduction(const char* name, Collective kind, const void* sendbuf, void* recvbuf, MPI_Count count,
              MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, const Way& way) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    if (const auto inter = communicator->inter) {
      way(lib, call, inter->plan(lib, call, *communicator, {kind, sendbuf, recvbuf, count, datatype, op, root}));
      return;
    }
    if (kind == Collective::Reduce) check_root(*communicator, root);
    const bool gets = kind != Collective::Reduce || communicator->rank() == root;
    if (in_place(sendbuf) && !gets)
      throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone", "Give a buffer at the other ranks.");
    const Buffer input = lib.buffer(in_place(sendbuf) ? recvbuf : sendbuf, count, datatype);
    const Buffer result = gets ? lib.buffer(recvbuf, count, datatype) : Buffer{};
    if (gets) check_apart(sendbuf, recvbuf, input.bytes());
    const auto& operation = lib.operation(op);
    check_reduction(*operation, *input.type);
    auto descriptor = describe(kind, root, input, input.bytes());
    descriptor.operation = operation->code();
    begin(call, *communicator, descriptor, input.bytes());
    PlannedCollective planned{
        communicator, {descriptor, Blocks::one(input), Blocks::one(result), operation.get()}, nullptr, {}};
    planned.keep_for(way, operation);
    planned.keep_for(way, lib, datatype);
    way(lib, call, std::move(planned));
  });
}

/// A reduction of which each rank gets a block. @param counts of all ranks; null: each gets `count`.
template <class Count, class Way>
int reduce_to_blocks(const char* name, const void* sendbuf, void* recvbuf, const Count counts[], MPI_Count count,
                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, const Way& way) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    const auto& operation = lib.operation(op);
    const auto& type = lib.committed_type(datatype);
    check_reduction(*operation, *type);
    if (in_place(sendbuf)) check_in_place(*communicator, true);
    const void* const mine = in_place(sendbuf) ? recvbuf : sendbuf;
    PlannedCollective planned{communicator, {}, nullptr, {}};
    planned.keep_for(way, operation);
    planned.keep_for(way, type);
    planned.call.operation = operation.get();
    std::uint64_t all = 0;
    VaryingBlocks blocks;
    if (counts == nullptr) {
      const Buffer one = lib.buffer(mine, count, datatype);
      planned.call.input = Blocks::one(one);
      planned.call.descriptor = describe(Collective::ReduceScatterBlock, 0, one, one.bytes());
      if (communicator->inter != nullptr)
        planned.call.descriptor.receivers = static_cast<std::uint16_t>(communicator->size());
      all = one.bytes() * static_cast<std::uint64_t>(communicator->size());
    } else {
      MPI_Count total = 0;
      const auto behind = [&](std::size_t i) { return std::exchange(total, total + counts[i]); };
      blocks = VaryingBlocks(lib, communicator->size(), mine, counts, behind, datatype);
      planned.call.input = blocks;
      planned.keep_for(way, std::move(blocks));
      count = counts[communicator->rank()];
      all = static_cast<std::uint64_t>(total) * type->size();
      planned.call.descriptor = describe(Collective::ReduceScatter, 0, lib.buffer(mine, total, datatype), all);
    }
    planned.call.output = Blocks::one(lib.buffer(recvbuf, count, datatype));
    planned.call.descriptor.operation = operation->code();
    check_apart(sendbuf, recvbuf, planned.call.output.whole().bytes());
    begin(call, *communicator, planned.call.descriptor, all);
    carry_out(lib, call, std::move(planned), 0, way);
  });
}

}  // namespace tidings
