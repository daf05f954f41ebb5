// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file checker.h
/// Finds mistakes that a program with MPI makes, and that the library by itself would not look for.
///
/// The checker defines functions of the standard (functions.cpp, and those that wrap.py generates), and each calls the
/// library's by its profiling name. It is loaded before the library if somebody asks for checks; else nothing of it is
/// in the process. What it finds goes to a file, a line per mistake (see report()).
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/abi.h"
#include "mpi/checking.h"

namespace tidings::check {

/// A kind of handles that a program has to give back.
struct Kind {
  const char* what;
  const char* give_back;  ///< the function that does
  const char* never = "freed";
};

/// What the checker knows is the calling thread's while it lives.
class Lock {
 public:
  Lock() { tidings_mpi_enter(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { tidings_mpi_leave(); }
};

/// The kind that a type of handles names. wrap.py reads this list.
template <class Handle>
extern const Kind kKindOf;
template <>
inline constexpr Kind kKindOf<MPI_Comm>{"communicator", "MPI_Comm_free"};
template <>
inline constexpr Kind kKindOf<MPI_Datatype>{"datatype", "MPI_Type_free"};
template <>
inline constexpr Kind kKindOf<MPI_Win>{"window", "MPI_Win_free"};
template <>
inline constexpr Kind kKindOf<MPI_Group>{"group", "MPI_Group_free"};
template <>
inline constexpr Kind kKindOf<MPI_Op>{"operation", "MPI_Op_free"};
template <>
inline constexpr Kind kKindOf<MPI_Info>{"info object", "MPI_Info_free"};
template <>
inline constexpr Kind kKindOf<MPI_Errhandler>{"error handler", "MPI_Errhandler_free"};
template <>
inline constexpr Kind kKindOf<MPI_File>{"file", "MPI_File_close"};
template <>
inline constexpr Kind kKindOf<MPI_Session>{"session", "MPI_Session_finalize"};
template <>
inline constexpr Kind kKindOf<MPI_Message>{"matched message", "MPI_Mrecv", "received"};

/// Where the program called, in whose name the library is called now: what converts calls of Fortran, or of MPICH's
/// ABI, has it.
extern "C" __attribute__((weak, visibility("default"))) const void* tidings_caller();

/// The same of what the program has loaded later, which says so by its address.
inline const void* (*later_caller)() = nullptr;
extern "C" __attribute__((visibility("default"))) void tidings_check_caller(const void* (*caller)());

/// The place in the program. @param address in the program, or in what converts its calls
inline const void* called_from(const void* address) {
  const auto caller = later_caller != nullptr ? later_caller : tidings_caller;
  const void* const converted = caller != nullptr ? caller() : nullptr;
  return converted != nullptr ? converted : address;
}

/// Ranks of a communicator's group, or of the remote group.
[[nodiscard]] int members_of(MPI_Comm comm);
/// Ranks of a communicator's own group.
[[nodiscard]] int own_members_of(MPI_Comm comm);
/// This process in a communicator.
[[nodiscard]] int rank_in(MPI_Comm comm);
/// It is no intercommunicator, whose collectives are between its groups.
[[nodiscard]] bool in_one_group(MPI_Comm comm);

/// Elements in blocks of several ranks.
template <class Count>
[[nodiscard]] MPI_Count sum(const Count counts[], int ranks) {
  return std::accumulate(counts, counts + ranks, MPI_Count{0});
}

/// A call of the program, and the place that it comes from.
class Site {
 public:
  /// @param function lives as long as the process. @param address that the call returns to.
  Site(const char* function, const void* address) : function_(function), address_(called_from(address)) {}
  Site&& to(int destination, int tag) && { return std::move(set(Direction::To, destination, tag)); }
  Site&& from(int source, int tag) && { return std::move(set(Direction::From, source, tag)); }
  /// An access to the window of a rank.
  Site&& at(int target) && { return std::move(set(Direction::At, target, 0)); }
  /// One of the ways on which neighbours give elements to each other.
  Site&& on(int channel) && { return std::move(set(Direction::None, 0, channel)); }
  Site&& in(MPI_Comm comm) && {
    communicator_ = comm;
    return std::move(*this);
  }

  /// The elements of its message.
  Site&& carrying(MPI_Count count, MPI_Datatype type) && {
    count_ = count;
    type_ = type;
    return std::move(*this);
  }
  /// The same for blocks of all ranks, which every rank names.
  template <class Count>
  Site&& carrying(const Count counts[], MPI_Datatype type) && {
    if (!in_one_group(communicator_)) return std::move(*this);
    return std::move(*this).carrying(sum(counts, members_of(communicator_)), type);
  }

  [[nodiscard]] const char* function() const { return function_; }
  [[nodiscard]] const void* address() const { return address_; }
  [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
  [[nodiscard]] bool sends() const { return direction_ == Direction::To; }
  [[nodiscard]] bool receives() const { return direction_ == Direction::From; }
  [[nodiscard]] bool accesses() const { return direction_ == Direction::At; }
  [[nodiscard]] int peer() const { return peer_; }
  [[nodiscard]] int tag() const { return tag_; }
  [[nodiscard]] MPI_Count count() const { return count_; }
  /// MPI_DATATYPE_NULL if it is of no interest.
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  enum class Direction : std::uint8_t { None, To, From, At };
  Site& set(Direction direction, int peer, int tag) {
    direction_ = direction;
    peer_ = peer;
    tag_ = tag;
    return *this;
  }

  const char* function_;
  const void* address_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  Direction direction_ = Direction::None;
  int peer_ = 0;
  int tag_ = 0;
  MPI_Count count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Bytes of the program that lie together.
struct Piece {
  std::uintptr_t first;
  std::uintptr_t end;
};

/// A buffer that is the library's until a request is complete.
struct Region {
  std::vector<Piece> pieces;
  bool written = false;               ///< by the library
  std::optional<std::uint64_t> hash;  ///< of what is only read, when its request was started
};

/// The buffers of a request.
class Regions {
 public:
  /// The library reads a buffer.
  Regions&& reads(const void* base, MPI_Count count, MPI_Datatype type) && { return add(base, count, type, false); }
  /// The library writes to a buffer.
  Regions&& writes(const void* base, MPI_Count count, MPI_Datatype type) && { return add(base, count, type, true); }
  [[nodiscard]] std::vector<Region>&& take() && { return std::move(list_); }

 private:
  Regions&& add(const void* base, MPI_Count count, MPI_Datatype type, bool written);
  std::vector<Region> list_;
};

/// The buffers of a broadcast: the root's is read, the others' are written to.
[[nodiscard]] Regions broadcast_regions(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);

// ---------------------------------------------------------------- what wrapped functions tell

/// The program has got a handle. Predefined ones need not be given back.
void created(const Kind& kind, std::intptr_t handle, const Site& site);
void freed(const Kind& kind, std::intptr_t handle);
template <class Handle>
void created(Handle handle, const Site& site) {
  created(kKindOf<Handle>, reinterpret_cast<std::intptr_t>(handle), site);
}
template <class Handle>
void freed(Handle handle) {
  freed(kKindOf<Handle>, reinterpret_cast<std::intptr_t>(handle));
}

/// A message of the program has been sent, and will come to its receiver in order.
void sent(const Site& site);

/// Some buffer is the library's.
[[nodiscard]] bool any_in_use();
/// A call has used buffers, and does so no more.
void used(const Site& site, Regions regions);

/// A receive that the program has waited for. @param site with its source, tag and elements
void received(const Site& site, const MPI_Status& status);
/// The other half of a request that sends and receives.
void receiving(MPI_Request request, const Site& site);
/// A message has been matched. @param site of the probe, with its source and tag
void matched(const Site& site, MPI_Message message, const MPI_Status& status);
/// A matched message is received. @param site with its elements
void received(const Site& site, MPI_Message message);
/// There is one half of a partitioned message. @param site with its peer, tag and elements
void partitioned(const Site& site);

/// Elements that one rank has for another; none if the type is MPI_DATATYPE_NULL.
struct Elements {
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};
/// This rank has taken part in a collective, though not all that it was sent may have had room.
[[nodiscard]] inline bool took_part(int result) { return result == MPI_SUCCESS || result == MPI_ERR_TRUNCATE; }
/// Calls of a collective can be compared: its communicator is one, of a single group. The library has not looked yet.
[[nodiscard]] bool comparable(MPI_Comm comm);
/// What a call names for all members together; of no datatype, which is not compared, if it names nothing.
template <class Count>
[[nodiscard]] Elements all_blocks(const Count counts[], MPI_Datatype type, MPI_Comm comm) {
  return counts == nullptr ? Elements{} : Elements{sum(counts, members_of(comm)), type};
}
/// A collective is about to begin. @param root that the call names, if there is one
/// @param elements that all members must name alike
void begins(const Site& site, std::optional<int> root, std::initializer_list<Elements> elements);
/// A collective in which all members have the same elements.
void shared(const Site& site);
/// A collective in which each pair of members has elements of its own.
void exchanged(const Site& site, const std::vector<Elements>& given, const std::vector<Elements>& expected);
/// @param given(i) what member i gets from this one @param expected(i) what this one gets from member i
template <class Given, class Expected>
void exchanged(const Site& site, Given given, Expected expected) {
  std::vector<Elements> to;
  std::vector<Elements> from;
  for (int i = 0; i < members_of(site.communicator()); ++i) {
    to.push_back(given(i));
    from.push_back(expected(i));
  }
  exchanged(site, to, from);
}
/// A member of a communicator whose topology has an edge from it or to it.
struct NearMember {
  int rank;  ///< or MPI_PROC_NULL
  int channel;
};
struct NearMembers {
  std::vector<NearMember> sources;
  std::vector<NearMember> destinations;
};
[[nodiscard]] NearMembers near_members(MPI_Comm comm);
/// Elements for a neighbour, and from one.
void given_near(const Site& site, const NearMember& member, const Elements& elements);
void expected_near(const Site& site, const NearMember& member, const Elements& elements);
/// A collective of neighbours. @param given(i) what destination i gets @param expected(i) what source i gives
template <class Given, class Expected>
void exchanged_near(const Site& site, Given given, Expected expected) {
  const NearMembers near = near_members(site.communicator());
  for (std::size_t i = 0; i < near.destinations.size(); ++i) {
    given_near(site, near.destinations[i], given(static_cast<int>(i)));
  }
  for (std::size_t i = 0; i < near.sources.size(); ++i) {
    expected_near(site, near.sources[i], expected(static_cast<int>(i)));
  }
}
/// This process is the root.
[[nodiscard]] bool is_root(int root, MPI_Comm comm);

/// An access names the elements twice, here and at its target. @param what it calls its own: "origin" or "result"
void accessed_elements(const Site& site, const char* what, const Elements& own, const Elements& target);
/// A window is accessed. @param site with its target @param request null if it has none
void accessed(const Site& site, MPI_Win window, MPI_Request request, Regions regions);
/// The accesses of this process to a window are about to be complete. @param target rank, or MPI_ANY_SOURCE
void completing(const Site& site, MPI_Win window, int target);

/// There is a new request.
void requested(const Site& site, MPI_Request request, bool persistent, Regions regions);
/// A persistent request has been started.
void started(MPI_Request request, const Site& site);
/// A request has been handed over as complete. @param handle what it is now. @param status null if it has failed
void handed_over(MPI_Request request, MPI_Request handle, const Site& site, const MPI_Status* status);
/// All requests of a call have been handed over.
void all_handed_over();
/// The program has given a request up, and its handle.
void dropped(MPI_Request request);

/// After MPI_Init.
void begin();

}  // namespace tidings::check
