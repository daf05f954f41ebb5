// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/engine_word.h"

#include <iterator>
#include <string_view>

#include "core/abi.h"

namespace tidings {
namespace {

constexpr unsigned kKindShift = 30;
constexpr unsigned kRootShift = 22;
constexpr unsigned kElementShift = 20;
constexpr unsigned kCombineShift = 17;
constexpr unsigned kBytesBits = 21;
constexpr unsigned kCountBits = 16;
constexpr std::uint32_t kRootMask = 0xff;

/// A number in `bits` bits and a flag above them: itself, or a hash of it if it is too large.
std::uint32_t squeeze(std::uint64_t number, unsigned bits) {
  const std::uint32_t flag = 1U << bits;
  if (number < flag) return static_cast<std::uint32_t>(number);
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
  return flag | static_cast<std::uint32_t>((number * kGolden) >> (64 - bits));
}

std::string number_text(std::uint32_t squeezed, unsigned bits) {
  const std::uint32_t flag = 1U << bits;
  if ((squeezed & flag) != 0) return "another number above " + std::to_string(flag - 1);
  return std::to_string(squeezed & (flag - 1));
}

std::uint16_t constant(MPI_Datatype type) { return static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(type)); }

/// The engine's element of a reduction that it can carry out.
std::uint32_t element_of(const CollectiveDescriptor& d) {
  if (d.type == constant(MPI_FLOAT)) return TIDINGS_ELEMENT_FLOAT;
  if (d.type == constant(MPI_DOUBLE)) return TIDINGS_ELEMENT_DOUBLE;
  return d.bytes == d.count * sizeof(std::int64_t) ? TIDINGS_ELEMENT_INT64 : TIDINGS_ELEMENT_INT32;
}

/// A datatype of the other's element. Several are one element, so it is ours if that may be theirs too.
std::string element_name(std::uint32_t element, const CollectiveDescriptor& ours) {
  if (has_operation(ours.kind) && element_of(ours) == element) {
    constexpr std::string_view kCount = "% x ";
    CallArguments arguments;
    add_arguments(arguments, {.kind = Collective::Allgather, .type = ours.type});
    if (arguments.count() != 0 && std::string_view(arguments.data()->text).starts_with(kCount)) {
      return arguments.data()->text + kCount.size();
    }
  }
  switch (element) {
    case TIDINGS_ELEMENT_INT32:
      return "integer of 32 bits";
    case TIDINGS_ELEMENT_INT64:
      return "integer of 64 bits";
    case TIDINGS_ELEMENT_FLOAT:
      return "MPI_FLOAT";
    default:
      return "MPI_DOUBLE";
  }
}

const char* combine_name(std::uint32_t combine) {
  switch (combine) {
    case TIDINGS_COMBINE_SUM:
      return "MPI_SUM";
    case TIDINGS_COMBINE_MIN:
      return "MPI_MIN";
    case TIDINGS_COMBINE_MAX:
      return "MPI_MAX";
    case TIDINGS_COMBINE_AND:
      return "MPI_BAND";
    case TIDINGS_COMBINE_OR:
      return "MPI_BOR";
    default:
      return "MPI_BXOR";
  }
}

constexpr Collective kBarriers[] = {Collective::Barrier, Collective::Finalize, Collective::Init, Collective::WinFence};

std::uint32_t barrier_number(Collective kind) {
  std::uint32_t number = 0;
  while (kBarriers[number] != kind) ++number;
  return number;
}

std::string explain_broadcast(std::uint32_t word, const CollectiveDescriptor& ours) {
  CollectiveDescriptor theirs;
  theirs.kind = Collective::Bcast;
  theirs.root = static_cast<std::uint16_t>((word >> kRootShift) & kRootMask);
  const std::uint32_t squeezed = word & ((2U << kBytesBits) - 1);
  if ((squeezed & (1U << kBytesBits)) != 0) {
    return "MPI_Bcast(root " + std::to_string(theirs.root) + ", " + number_text(squeezed, kBytesBits) + " bytes)";
  }
  theirs.bytes = squeezed;
  const std::uint64_t size = ours.count == 0 ? 0 : ours.bytes / ours.count;
  if (size != 0 && theirs.bytes % size == 0) {
    theirs.type = ours.type;
    theirs.count = theirs.bytes / size;
  }
  return to_string(theirs);
}

}  // namespace

tidings_collective engine_kind(Collective kind) {
  switch (kind) {
    case Collective::Bcast:
      return TIDINGS_COLLECTIVE_BROADCAST;
    case Collective::Reduce:
      return TIDINGS_COLLECTIVE_REDUCE;
    case Collective::Allreduce:
      return TIDINGS_COLLECTIVE_ALLREDUCE;
    default:
      return TIDINGS_COLLECTIVE_BARRIER;
  }
}

std::uint32_t engine_word(const CollectiveDescriptor& d, const EngineReduction& reduction) {
  const tidings_collective kind = engine_kind(d.kind);
  const std::uint32_t word = static_cast<std::uint32_t>(kind) << kKindShift;
  const std::uint32_t root = (d.root & kRootMask) << kRootShift;
  switch (kind) {
    case TIDINGS_COLLECTIVE_BARRIER:
      return word | barrier_number(d.kind);
    case TIDINGS_COLLECTIVE_BROADCAST:
      return word | root | squeeze(d.bytes, kBytesBits);
    default:
      return word | root | (static_cast<std::uint32_t>(reduction.element) << kElementShift) |
             (static_cast<std::uint32_t>(reduction.combine) << kCombineShift) | squeeze(d.count, kCountBits);
  }
}

std::string explain_engine_word(std::uint32_t word, const CollectiveDescriptor& ours) {
  const std::uint32_t kind = word >> kKindShift;
  if (kind == TIDINGS_COLLECTIVE_BARRIER) return collective_name(kBarriers[(word & 3) % std::size(kBarriers)]);
  if (kind == TIDINGS_COLLECTIVE_BROADCAST) return explain_broadcast(word, ours);
  const std::string root = "root " + std::to_string((word >> kRootShift) & kRootMask) + ", ";
  return std::string(collective_name(kind == TIDINGS_COLLECTIVE_REDUCE ? Collective::Reduce : Collective::Allreduce)) +
         "(" + (kind == TIDINGS_COLLECTIVE_REDUCE ? root : "") +
         number_text(word & ((2U << kCountBits) - 1), kCountBits) + " x " +
         element_name((word >> kElementShift) & 3, ours) + ", " + combine_name((word >> kCombineShift) & 7) + ")";
}

}  // namespace tidings
