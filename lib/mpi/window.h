// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file window.h
/// Windows: memory that other ranks access.
///
/// If all of a window is node memory, the engine `rma` carries out the accesses that it can: its owner's library has no
/// part in them. The others are messages to the owner, whose library carries them out. Such an access is a header, with
/// its data behind it if there is room, else with a message of data that follows. The owner carries out the accesses of
/// one rank in order, in any call that lets messages move.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/activities.h"
#include "core/attributes.h"
#include "core/info.h"
#include "core/operation.h"
#include "core/remote_memory.h"
#include "core/reused.h"
#include "core/ring_queue.h"
#include "mpi/call.h"

namespace tidings {

/// What one rank asks of another's library.
enum class AccessKind : std::uint8_t {
  Put,
  Get,
  Accumulate,
  GetAccumulate,
  CompareAndSwap,
  Lock,      ///< answered when it is granted
  Unlock,    ///< answered when all before it has been done
  LockFree,  ///< the sender has given a lock back by the engine, and others wait
  Flush,     ///< answered when all before it has been done
  Post,      ///< MPI_Win_post: the sender's window may be accessed
  Complete,  ///< MPI_Win_complete: the sender's accesses are over
};

/// In front of every access.
struct AccessHeader {
  AccessKind kind = AccessKind::Flush;
  std::uint8_t operation = 0;     ///< low byte of the MPI_Op constant
  std::uint16_t element = 0;      ///< constant of the predefined datatype
  std::int32_t reply = 0;         ///< tag of the answer
  std::int64_t displacement = 0;  ///< in the owner's units
  std::uint64_t count = 0;        ///< elements of the target's datatype
  std::int64_t extent = 0;        ///< of that datatype, if it has segments
  std::uint32_t segments = 0;     ///< of that datatype, in front of the data; 0: it is `element`
  std::uint32_t exclusive = 0;    ///< of a lock
  std::uint64_t body = 0;         ///< bytes that follow
};

/// The target's side of an access, as the origin knows it.
struct TargetElements {
  int rank = 0;
  MPI_Aint displacement = 0;
  std::size_t count = 0;
  const Datatype* type = nullptr;
};

class Window final : public Activity {
 public:
  struct Part {
    MPI_Aint bytes = 0;
    int unit = 1;
    std::uint32_t region = 0;  ///< row of its rank's registration table
  };
  /// A request to the owner of a part, until the origin needs nothing of it any more.
  struct Access {
    std::vector<std::byte> message;  ///< the header and what is behind it
    std::vector<std::byte> body;     ///< if it is a message of its own that has been packed
    std::vector<RequestPointer> parts;
    int target = 0;
    DatatypePointer origin_type;
    DatatypePointer result_type;

    void clear() {
      message.clear();
      body.clear();
      parts.clear();
      origin_type.reset();
      result_type.reset();
    }
  };

  /// @param parts of all ranks. @param remote what accesses them; null: messages do. @param elementwise it may also
  /// carry out accumulates, element by element, if the machine has atomic accesses.
  Window(Library& lib, CommunicatorPointer communicator, int kind, void* base, std::vector<Part> parts,
         RemoteMemory* remote, bool elementwise);

  [[nodiscard]] Communicator& communicator() const { return *communicator_; }
  [[nodiscard]] int rank() const { return communicator_->rank(); }
  [[nodiscard]] int size() const { return communicator_->size(); }
  [[nodiscard]] void* base() const { return base_; }
  [[nodiscard]] Part& part(int rank) { return parts_[static_cast<std::size_t>(rank)]; }

  // Accesses. What they return holds what must be waited for: its parts are complete when the origin's buffers are
  // free.
  std::shared_ptr<Access> put(const Buffer& origin, const TargetElements& target);
  std::shared_ptr<Access> get(const Buffer& origin, const TargetElements& target);
  std::shared_ptr<Access> accumulate(const Buffer& origin, const TargetElements& target, const Operation& operation);
  std::shared_ptr<Access> get_accumulate(const Buffer& origin, const Buffer& result, const TargetElements& target,
                                         const Operation& operation);
  std::shared_ptr<Access> compare_and_swap(const Buffer& origin, const void* compare, const Buffer& result,
                                           const TargetElements& target);
  /// @throws Error if the rank is not in the window, nothing allows the access, or it is outside the target's part.
  void check_access(const TargetElements& target) const;

  // Synchronization.
  void fence(Call& call, int assertion);
  void post(const Group& origins);
  void start(const Group& targets);
  void complete();
  /// @return false if accesses are still to come; with `block`, waits for them.
  bool finish_exposure(bool block);
  void lock(int rank, bool exclusive, bool check);
  void lock_all(bool check);
  void unlock(int rank);
  void unlock_all();
  void flush(int rank);
  void flush_all();
  /// Wait until the origin's buffers are free. @param rank of the target; -1: all.
  void flush_local(int rank);
  /// @throws Error if no lock of the rank is held (-1: of any).
  void check_locked(int rank) const;

  // Memory of a dynamic window.
  void attach_memory(void* base, MPI_Aint bytes);
  void detach_memory(const void* base);

  /// Wait until all ranks are here; nothing is accessed any more.
  void close(Call& call);
  /// As close() within a collective call of its members.
  void drain(Call& call);

  /// Carry out what has come.
  State advance() override;

  int flavor;  ///< MPI_WIN_FLAVOR_CREATE and so on
  std::shared_ptr<ErrorHandler> error_handler;
  Attributes attributes;
  std::optional<std::string> title;
  Info hints;
  std::shared_ptr<void> own_memory;  ///< that the library has allocated

 private:
  using Bytes = std::shared_ptr<std::vector<std::byte>>;
  struct Incoming {
    AccessHeader header;
    Bytes body;           ///< null if there is none
    RequestPointer bulk;  ///< receives the body, unless it has come with the header
  };
  struct WaitingLock {
    int rank = 0;
    bool exclusive = false;
    std::int32_t reply = 0;
  };
  struct Reply {
    Bytes data;
    RequestPointer request;
  };
  enum class Held : std::uint8_t { Not, Shared, Alone, Unchecked };

  /// An epoch that is not over.
  struct Open {
    const tidings_site* call = nullptr;  ///< that opened it; null: there is none
    const char* remedy = nullptr;        ///< which call ends it
  };
  /// For accesses. @param rank with which it conflicts as a lock of one rank; -1: with any.
  [[nodiscard]] Open open_for_access(int rank = -1) const;
  [[nodiscard]] Open open_for_exposure() const;
  /// @throws Error if there is one, with both calls.
  static void refuse_if(const Open& open);
  /// @throws Error with the last call that opened or ended an epoch.
  [[noreturn]] static void refuse_after(const tidings_site& last, const std::string& text, const char* remedy);

  [[nodiscard]] std::string name() const;
  [[nodiscard]] RequestPointer request(Request::Kind kind, int rank, std::int32_t tag, const Buffer& buffer) const;
  std::int32_t next_reply();
  /// Send an access. @param body what follows the header: packed with the layout of the target's datatype if it is
  /// short.
  std::shared_ptr<Access> issue(AccessHeader header, int target, const Datatype* layout, const Buffer& body);
  /// Fill the target's side. @param element what an accumulate combines.
  void describe_target(AccessHeader& header, const TargetElements& target, const Datatype*& layout,
                       const Datatype* element) const;
  /// Of an access that the engine carries out, or this rank in its own memory.
  std::shared_ptr<Access> begin_direct(int target);
  /// Add what completes when the engine is done with an access.
  RequestPointer add_part(Access& access, const Buffer& buffer) const;
  /// The engine reaches the target's bytes. @param alignment that each piece of them has, in bytes.
  [[nodiscard]] bool reaches(const TargetElements& target, std::size_t alignment) const;
  /// The engine carries out accumulates there: all those of this predefined datatype on aligned elements, as each must
  /// be atomic towards the others. There are such elements.
  [[nodiscard]] bool changes(const TargetElements& target) const;
  std::shared_ptr<Access> change(const Buffer& origin, const Buffer& result, const TargetElements& target,
                                 const Operation& operation);
  /// Have the target's library change a part of the elements. @param parts in packed bytes, in rising order.
  std::shared_ptr<Access> change_parts(const Buffer& origin, const Buffer& result, const TargetElements& target,
                                       const Operation& operation, const std::vector<Segment>& parts);
  /// Change one element with an operation that the engine does not have.
  void change_by_swaps(const Operation& operation, const Datatype& element, const RemoteMemory::Part& from,
                       const RemoteMemory::Part& to, const RemoteMemory::Place& place);
  /// A target in this rank's own part, as a buffer.
  [[nodiscard]] Buffer own_elements(const TargetElements& target) const;
  [[nodiscard]] RemoteMemory::Place place_of(const TargetElements& target) const;
  /// Visit the target's pieces: visit(where it is, its first byte among all, bytes).
  template <class Visit>
  void visit_pieces(const TargetElements& target, Visit visit) const;
  /// Add the receive of an answer.
  void expect(Access& access, std::int32_t tag, const Buffer& buffer);
  /// Ask and wait for the answer of each rank.
  void ask(AccessHeader header, std::span<const int> ranks, const char* what);
  void ask(AccessHeader header, int rank, const char* what) { ask(header, std::span(&rank, 1), what); }
  /// The engine takes locks and gives them back, without their owners unless somebody has to wait.
  [[nodiscard]] bool has_lock_words() const;
  [[nodiscard]] RemoteMemory::Place lock_word(int rank) const;
  /// Change the word of a lock. @param found what it was, as soon as the accesses have settled.
  void change_lock(int rank, enum tidings_atomic operation, std::uint32_t operand, std::uint32_t& found) const;
  /// Take this rank's own lock for another rank. @param others_wait for it, too.
  [[nodiscard]] bool try_lock_word(bool exclusive, bool others_wait) const;
  void take_locks(std::span<const int> ranks, bool exclusive, const char* what);
  void give_back_locks(std::span<const int> ranks);
  /// As long as nobody else is asked.
  std::span<const int> all_ranks();
  void wait_local(int rank, const char* what);
  void reclaim();
  void barrier(Call& call);
  std::vector<int> ranks_of(const Group& group) const;

  void take_messages();
  void carry_out(int rank, Incoming& access);
  [[nodiscard]] Buffer target_buffer(int rank, Incoming& access, const std::byte*& data,
                                     std::unique_ptr<Datatype>& made) const;
  /// @param kept what the buffer is in, if that is to live until it has been sent.
  void answer(int rank, std::int32_t tag, const Buffer& buffer, Bytes kept = nullptr);
  void answer(int rank, std::int32_t tag, Bytes data);
  /// That something has been done.
  void acknowledge(int rank, std::int32_t tag);
  void grant_locks();

  Library& lib_;
  RemoteMemory* remote_;
  CommunicatorPointer communicator_;
  void* base_;
  std::vector<Part> parts_;
  bool elementwise_;  ///< the engine carries out accumulates of integers
  std::vector<std::pair<std::byte*, MPI_Aint>> attached_;
  bool closed_ = false;

  // As origin.
  std::vector<std::shared_ptr<Access>> pending_;
  Reused<Access, 64> accesses_;
  std::vector<int> asked_;  ///< ranks, while they are asked together; memory alone
  std::int32_t replies_asked_ = 0;
  std::vector<bool> accessed_;  ///< ranks with accesses that may not have been carried out
  bool fenced_ = false;
  std::optional<std::vector<int>> started_;
  std::vector<Held> held_;
  bool all_held_ = false;
  /// Of epochs for accesses, the last that has opened or ended one: while one of MPI_Win_start or MPI_Win_lock_all is
  /// open, the call that opened it.
  tidings_site access_call_{};
  std::vector<tidings_site> lock_calls_;  ///< of ranks that are locked by themselves; empty until the first is
  std::vector<std::uint32_t> posts_;      ///< exposures for this rank that it has not used yet

  // As target.
  std::vector<RingQueue<Incoming>> incoming_;
  std::vector<Reply> replies_;
  RingQueue<WaitingLock> waiting_locks_;
  int shared_locks_ = 0;
  bool exclusive_lock_ = false;
  std::vector<bool> lock_is_exclusive_;  ///< of the ranks that hold one
  std::optional<std::vector<int>> exposed_;
  tidings_site exposure_call_{};          ///< as access_call_
  std::vector<std::uint32_t> completes_;  ///< origins' ends that no exposure has used yet
};

/// What a rank's part of a window is made of.
struct WindowMemory {
  int flavor = MPI_WIN_FLAVOR_CREATE;
  void* base = nullptr;
  MPI_Aint bytes = 0;
  MPI_Count unit = 1;
  std::shared_ptr<void> own;
  bool for_engine = false;  ///< the engine is to access it if it can
  bool elementwise = true;  ///< accumulates need to be atomic for each element alone
};
/// Memory of the library's.
[[nodiscard]] WindowMemory allocate(int flavor, std::size_t bytes, MPI_Count unit);
/// As allocate(), in node memory if there is room.
[[nodiscard]] WindowMemory allocate_in_reach(Library& lib, int flavor, std::size_t bytes, MPI_Count unit);
/// Make a window with all members of a communicator. @param kind of the call. @param label as Communicator takes it.
[[nodiscard]] std::shared_ptr<Window> make_window(Library& lib, Call& call, Collective kind, const char* label,
                                                  MPI_Comm comm, WindowMemory memory);

}  // namespace tidings
