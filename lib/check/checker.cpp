// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "check/checker.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "check/agreement.h"
#include "check/place.h"
#include "check/signature.h"
#include "check/types.h"
#include "check/variable.h"
#include "core/handle_table.h"
#include "mpi/checking.h"
#include "trace.h"

namespace tidings::check {
namespace {

// ---------------------------------------------------------------- findings

std::string peer_text(const char* what, int rank) {
  if (rank == MPI_PROC_NULL) return std::string(what) + " MPI_PROC_NULL";
  if (rank == MPI_ANY_SOURCE) return "any source";
  return std::string(what) + " " + std::to_string(rank);
}

}  // namespace

Place place_of(const Site& site) {
  const auto signature =
      site.type() == MPI_DATATYPE_NULL ? nullptr : std::make_shared<const Signature>(site.count(), site.type());
  if (site.accesses()) return {site, peer_text("target", site.peer()), signature};
  if (!site.sends() && !site.receives()) return {site, "", signature};
  std::string text = peer_text(site.sends() ? "destination" : "source", site.peer());
  text += site.tag() == MPI_ANY_TAG ? ", any tag" : ", tag " + std::to_string(site.tag());
  if (!tidings_mpi_describe(site.communicator()).world) {
    std::array<char, 128> name{};
    tidings_mpi_name(site.communicator(), name.data(), name.size());
    text += std::string(", communicator ") + name.data();
  }
  return {site, text, signature};
}

std::string fields_of(const Place& place) {
  // The call is in front of the address that it returns to.
  const auto call = reinterpret_cast<std::uintptr_t>(place.site.address()) - 1;
  Dl_info module{};
  const bool known = dladdr(reinterpret_cast<const void*>(call), &module) != 0;
  const std::uintptr_t offset = known ? call - reinterpret_cast<std::uintptr_t>(module.dli_fbase) : call;
  return std::string(known ? module.dli_fname : "") + "\t" + std::to_string(offset) + "\t" + place.site.function() +
         "\t" + place.arguments;
}

namespace {

/// Asked first while there is MPI_COMM_WORLD.
int own_rank() {
  static const int rank = tidings_mpi_describe(MPI_COMM_WORLD).rank;
  return rank;
}

[[noreturn]] void fail_to_write() {
  std::fprintf(stderr, "tidings: error: rank %d cannot write down what --check has found: %s\n", own_rank(),
               std::strerror(errno));
  _exit(EXIT_FAILURE);
}

void write_finding(const std::string& line) {
  static const int file = [] {
    const char* const name = std::getenv(kFileVariable);
    return opened(name == nullptr ? "" : name, O_WRONLY | O_APPEND);
  }();
  write_down(file, line);
}

}  // namespace

int opened(const std::string& name, int flags) {
  if (name.empty()) return kNowhere;
  const int file = open(name.c_str(), flags | O_CLOEXEC, 0600);
  if (file < 0) fail_to_write();
  return file;
}

void write_down(int file, std::string_view bytes) {
  if (file == kNowhere) return;
  errno = ENOSPC;  // what has been written in part does not say why
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) fail_to_write();
}

void report(const Place& place, const std::string& text, const Place* other) {
  write_finding(std::to_string(own_rank()) + "\t" + fields_of(place) + "\t" + text +
                (other == nullptr ? "" : "\t" + fields_of(*other)) + "\n");
}

void report(int rank, const std::string& fields, const std::string& text, int other_rank,
            const std::string& other_fields) {
  write_finding(std::to_string(rank) + "\t" + fields + "\t" + text + "\t" + other_fields + "\t" +
                std::to_string(other_rank) + "\n");
}

namespace {

// ---------------------------------------------------------------- requests and their buffers

/// A request, or an access to a window.
struct UnderWay {
  Place place;
  bool active = false;
  std::vector<Region> regions;
  MPI_Win window = MPI_WIN_NULL;  ///< that it accesses
};

/// Nothing if the program has given the memory back to the system.
std::optional<std::uint64_t> hash_of(const Region& region) {
  static std::vector<char> copy(std::size_t{1} << 16);
  std::uint64_t hash = 0;
  for (const Piece& piece : region.pieces) {
    std::size_t bytes = 0;
    for (std::uintptr_t at = piece.first; at < piece.end; at += bytes) {
      // The system reads it for us: it says so if there is nothing.
      bytes = std::min<std::size_t>(piece.end - at, copy.size());
      const iovec to{copy.data(), bytes};
      const iovec from{reinterpret_cast<void*>(at), bytes};
      const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
      const bool asked = got >= 0 || errno == EFAULT;  // a container may forbid it
      if (asked && got != static_cast<ssize_t>(bytes)) return std::nullopt;
      const char* const read = asked ? copy.data() : static_cast<const char*>(from.iov_base);
      const std::uint64_t one = std::hash<std::string_view>{}({read, bytes});
      hash = (hash ^ one) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
  }
  return hash;
}

/// The bytes that are in use, so that two uses of one are seen.
class Uses {
 public:
  /// Who has bytes in common with these, if one of the two writes; null if nobody has.
  [[nodiscard]] const UnderWay* conflict(const Region& region) const {
    for (const Piece& piece : region.pieces) {
      if (const UnderWay* const found = written_.overlapping(piece)) return found;
      if (!region.written) continue;
      if (const UnderWay* const found = read_.overlapping(piece)) return found;
    }
    return nullptr;
  }
  [[nodiscard]] bool empty() const { return read_.empty() && written_.empty(); }
  void add(const Region& region, const UnderWay* user) {
    for (const Piece& piece : region.pieces) (region.written ? written_ : read_).add(piece, user);
  }
  void remove(const Region& region, const UnderWay* user) {
    for (const Piece& piece : region.pieces) (region.written ? written_ : read_).remove(piece, user);
  }

 private:
  class Ranges {
   public:
    void add(const Piece& piece, const UnderWay* user) {
      list_.emplace(piece.first, Range{piece.end, user});
      longest_ = std::max(longest_, piece.end - piece.first);
    }
    void remove(const Piece& piece, const UnderWay* user) {
      const auto [first, last] = list_.equal_range(piece.first);
      for (auto it = first; it != last; ++it) {
        if (it->second.user != user || it->second.end != piece.end) continue;
        list_.erase(it);
        return;
      }
    }
    [[nodiscard]] bool empty() const { return list_.empty(); }
    [[nodiscard]] const UnderWay* overlapping(const Piece& piece) const {
      for (auto it = list_.lower_bound(piece.first - std::min(piece.first, longest_));
           it != list_.end() && it->first < piece.end; ++it) {
        if (it->second.end > piece.first) return it->second.user;
      }
      return nullptr;
    }

   private:
    struct Range {
      std::uintptr_t end;
      const UnderWay* user;
    };
    std::multimap<std::uintptr_t, Range> list_;
    std::uintptr_t longest_ = 0;
  };
  Ranges read_;
  Ranges written_;
};

// ---------------------------------------------------------------- state

/// Messages that can take each other's place: those of a communicator to one rank with one tag.
struct Stream {
  std::uint32_t context;
  int destination;  ///< world rank
  int tag;
  auto operator<=>(const Stream&) const = default;
};
/// As many of the last calls of a stream are known by their places.
constexpr std::size_t kKnownSends = 16;

/// By what they are called, so that they are told in this order.
struct ByText {
  bool operator()(const Kind* one, const Kind* other) const {
    return std::string_view(one->what) < std::string_view(other->what);
  }
};

struct State {
  std::map<const Kind*, std::map<std::intptr_t, std::vector<Place>>, ByText> handles;
  std::map<std::intptr_t, UnderWay> requests;
  std::list<UnderWay> accesses;  ///< to windows, without requests
  Uses uses;
  std::map<Stream, std::deque<Place>> sends;
};

/// Never destroyed: the program may call MPI from its own destructors.
State& state() {
  static auto* const instance = new State;
  return *instance;
}

std::intptr_t number(MPI_Request request) { return reinterpret_cast<std::intptr_t>(request); }

UnderWay* find(MPI_Request request) {
  const auto found = state().requests.find(number(request));
  return found == state().requests.end() ? nullptr : &found->second;
}

/// Report a use of a buffer that is the library's. @return whether it is one
bool report_conflict(const Region& region, const Place& place) {
  const UnderWay* const user = state().uses.conflict(region);
  if (user == nullptr) return false;
  report(place,
         std::string("it uses a buffer in which the library still ") + (region.written ? "reads or writes" : "writes") +
             " for {}. Wait for that, or use another buffer.",
         &user->place);
  return true;
}

/// The buffers are the library's from now on.
void lend(UnderWay& user, const Place& place) {
  user.active = true;
  for (Region& region : user.regions) {
    if (report_conflict(region, place)) {
      region.pieces.clear();  // what becomes of it is no news
      continue;
    }
    state().uses.add(region, &user);
    if (!region.written) region.hash = hash_of(region);
  }
}

void give_back(UnderWay& user) {
  user.active = false;
  for (const Region& region : user.regions) state().uses.remove(region, &user);
}

/// The buffers are the program's again, in a call of this place.
void complete(UnderWay& user, const Site& site) {
  const Place now{site, ""};
  for (const Region& region : user.regions) {
    const std::optional<std::uint64_t> hash = region.written ? region.hash : hash_of(region);
    if (hash == region.hash) continue;
    const char* const what = hash ? "changed before {} completed it. Change" : "unmapped before {} completed it. Unmap";
    report(user.place, std::string("its buffer was ") + what + " it afterwards.", &now);
  }
  give_back(user);
}

// ---------------------------------------------------------------- the end

void report_handles(bool sessions) {
  for (const auto& [kind, handles] : state().handles) {
    if ((kind == &kKindOf<MPI_Session>) != sessions) continue;
    for (const auto& [handle, places] : handles) {
      for (const Place& place : places) {
        report(place,
               std::string("the ") + kind->what + " is never " + kind->never + ". Call " + kind->give_back + ".");
      }
    }
  }
}

std::string fate_of(const UnderWay& request, MPI_Request handle) {
  if (!request.active) return "the persistent request is never freed. Call MPI_Request_free.";
  int complete = 0;
  PMPI_Request_get_status(handle, &complete, MPI_STATUS_IGNORE);
  if (complete != 0) return "the request is complete, but nobody has waited for it. Call MPI_Wait or MPI_Test.";
  if (request.place.site.receives()) {
    return "the receive is still pending at MPI_Finalize, because no message has come for it. Cancel it, or send one.";
  }
  return "the request is still under way at MPI_Finalize. Call MPI_Wait.";
}

void report_requests() {
  for (const auto& [handle, request] : state().requests) {
    report(request.place, fate_of(request, reinterpret_cast<MPI_Request>(handle)));
  }
}

/// A message that nobody has received.
struct Leftover {
  std::int64_t context, tag, bytes;
};

/// Messages that nobody receives, by the ranks that they came from. What comes from one rank comes in order, so a
/// message from each tells that all others are there.
std::vector<std::vector<Leftover>> leftovers(MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    PMPI_Irecv(nullptr, 0, MPI_BYTE, rank, 0, comm, &requests[2 * static_cast<std::size_t>(rank)]);
    PMPI_Isend(nullptr, 0, MPI_BYTE, rank, 0, comm, &requests[2 * static_cast<std::size_t>(rank) + 1]);
  }
  PMPI_Waitall(2 * ranks, requests.data(), MPI_STATUSES_IGNORE);
  std::vector<std::vector<Leftover>> found(static_cast<std::size_t>(ranks));
  tidings_mpi_take_unreceived(
      [](void* subject, std::uint32_t context, int source, int tag, std::uint64_t bytes) {
        auto& all = *static_cast<std::vector<std::vector<Leftover>>*>(subject);
        all[static_cast<std::size_t>(source)].push_back({context, tag, static_cast<std::int64_t>(bytes)});
      },
      &found);
  return found;
}

/// Tell each rank which of its messages nobody has received. @return those of this rank, by receiver.
std::vector<std::vector<Leftover>> returned(MPI_Comm comm, const std::vector<std::vector<Leftover>>& found) {
  constexpr int kNumbers = sizeof(Leftover) / sizeof(std::int64_t);
  const std::size_t ranks = found.size();
  std::vector<int> given(ranks), taken(ranks), given_at(ranks), taken_at(ranks);
  std::vector<Leftover> all;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    given[rank] = kNumbers * static_cast<int>(found[rank].size());
    given_at[rank] = kNumbers * static_cast<int>(all.size());
    all.insert(all.end(), found[rank].begin(), found[rank].end());
  }
  PMPI_Alltoall(given.data(), 1, MPI_INT, taken.data(), 1, MPI_INT, comm);
  int total = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) taken_at[rank] = std::exchange(total, total + taken[rank]);
  std::vector<Leftover> mine(static_cast<std::size_t>(total / kNumbers));
  PMPI_Alltoallv(all.data(), given.data(), given_at.data(), MPI_INT64_T, mine.data(), taken.data(), taken_at.data(),
                 MPI_INT64_T, comm);
  std::vector<std::vector<Leftover>> result(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto first = mine.begin() + taken_at[rank] / kNumbers;
    result[rank].assign(first, first + taken[rank] / kNumbers);
  }
  return result;
}

void report_messages() {
  tidings_mpi_meet_at_end();  // a mistake there is the program's
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto mine = returned(comm, leftovers(comm));
  PMPI_Comm_free(&comm);
  for (std::size_t rank = 0; rank < mine.size(); ++rank) {
    std::map<Stream, std::size_t> left;
    const auto stream_of = [&](const Leftover& message) {
      return Stream{static_cast<std::uint32_t>(message.context), static_cast<int>(rank), static_cast<int>(message.tag)};
    };
    for (const Leftover& message : mine[rank]) ++left[stream_of(message)];
    for (const Leftover& message : mine[rank]) {
      // Messages of a stream are received in order, so those that are left were sent last.
      const auto& sends = state().sends[stream_of(message)];
      const std::size_t back = left[stream_of(message)]--;
      if (back > sends.size()) continue;
      report(sends[sends.size() - back], "nobody receives the message of " + std::to_string(message.bytes) +
                                             " bytes. Receive it, or do not send it.");
    }
  }
}

int finish(MPI_Comm /*self*/, int /*keyval*/, void* /*value*/, void* /*extra*/) {
  tidings_trace_enter("MPI_Finalize (check)");
  report_handles(false);
  // A session may be used after MPI_Finalize.
  std::atexit([] { report_handles(true); });
  report_requests();
  report_messages();
  types_settle();
  tidings_trace_leave(TIDINGS_PATH_NONE, nullptr);
  return MPI_SUCCESS;
}

}  // namespace

// ---------------------------------------------------------------- what wrapped functions tell

Regions&& Regions::add(const void* base, MPI_Count count, MPI_Datatype type, bool written) {
  if (base != MPI_IN_PLACE && count != 0) {
    Region region;
    region.written = written;
    tidings_mpi_visit_buffer(
        base, count, type,
        [](void* subject, const void* piece, std::size_t bytes) {
          const auto first = reinterpret_cast<std::uintptr_t>(piece);
          static_cast<Region*>(subject)->pieces.push_back({first, first + bytes});
        },
        &region);
    list_.push_back(std::move(region));
  }
  return std::move(*this);
}

bool in_one_group(MPI_Comm comm) { return !tidings_mpi_describe(comm).inter; }

Regions broadcast_regions(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!in_one_group(comm)) return {};
  return is_root(root, comm) ? Regions().reads(buffer, count, type) : Regions().writes(buffer, count, type);
}

int members_of(MPI_Comm comm) { return tidings_mpi_describe(comm).peers; }

int own_members_of(MPI_Comm comm) {
  int members = 0;
  PMPI_Comm_size(comm, &members);
  return members;
}

int rank_in(MPI_Comm comm) { return tidings_mpi_describe(comm).rank; }

void created(const Kind& kind, std::intptr_t handle, const Site& site) {
  if (HandleTable<int>::is_constant(handle)) return;
  state().handles[&kind][handle].push_back({site, ""});
}

void freed(const Kind& kind, std::intptr_t handle) {
  auto& handles = state().handles[&kind];
  const auto found = handles.find(handle);
  if (found == handles.end()) return;
  found->second.pop_back();
  if (found->second.empty()) handles.erase(found);
}

namespace {

void sent(const Place& place) {
  const Site& site = place.site;
  if (!site.sends() || site.peer() == MPI_PROC_NULL) return;
  const std::uint32_t context = tidings_mpi_describe(site.communicator()).context;
  auto& sends = state().sends[{context, tidings_mpi_world_rank(site.communicator(), site.peer()), site.tag()}];
  if (sends.size() == kKnownSends) sends.pop_front();
  sends.push_back(place);
  type_sent(place);
}

}  // namespace

void sent(const Site& site) {
  if (site.sends()) sent(place_of(site));
}

bool any_in_use() { return !state().uses.empty(); }

void used(const Site& site, Regions regions) {
  const Place place = place_of(site);
  for (const Region& region : std::move(regions).take()) report_conflict(region, place);
}

void received(const Site& site, const MPI_Status& status) { type_received(place_of(site), status); }

void receiving(MPI_Request request, const Site& site) { type_wanted(request, place_of(site)); }

void matched(const Site& site, MPI_Message message, const MPI_Status& status) {
  type_matched(place_of(site), message, status);
}

void received(const Site& site, MPI_Message message) { type_received(place_of(site), message); }

void partitioned(const Site& site) {
  if (site.peer() != MPI_PROC_NULL) type_partitioned(place_of(site));
}

bool comparable(MPI_Comm comm) { return tidings_mpi_is_communicator(comm) && in_one_group(comm); }

void begins(const Site& site, std::optional<int> root, std::initializer_list<Elements> elements) {
  std::vector<std::int64_t> bytes;
  for (const auto& [count, type] : elements) {
    const MPI_Count size = tidings_mpi_size(type);
    std::int64_t all = 0;
    const bool known = size >= 0 && count >= 0 && !__builtin_mul_overflow(count, size, &all);
    bytes.push_back(known ? all : kUnknownBytes);
  }
  compare_with_others(place_of(site), root, bytes);
}

void shared(const Site& site) { type_shared(place_of(site)); }

void exchanged(const Site& site, const std::vector<Elements>& given, const std::vector<Elements>& expected) {
  const auto place = [&](const Elements& elements) {
    return place_of(Site(site).carrying(elements.count, elements.type));
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].type != MPI_DATATYPE_NULL) type_given(place(given[i]), static_cast<int>(i));
    if (expected[i].type != MPI_DATATYPE_NULL) type_expected(place(expected[i]), static_cast<int>(i));
  }
}

NearMembers near_members(MPI_Comm comm) {
  NearMembers near;
  tidings_mpi_visit_neighbours(
      comm,
      [](void* subject, bool is_source, int rank, int channel) {
        auto& found = *static_cast<NearMembers*>(subject);
        (is_source ? found.sources : found.destinations).push_back({rank, channel});
      },
      &near);
  return near;
}

namespace {

/// Neighbours have streams of elements of their own, beside those of members.
Place place_near(const Site& site, const NearMember& member, const Elements& elements) {
  return place_of(Site(site).on(member.channel + 1).carrying(elements.count, elements.type));
}

}  // namespace

void given_near(const Site& site, const NearMember& member, const Elements& elements) {
  if (member.rank != MPI_PROC_NULL) type_given(place_near(site, member, elements), member.rank);
}

void expected_near(const Site& site, const NearMember& member, const Elements& elements) {
  if (member.rank != MPI_PROC_NULL) type_expected(place_near(site, member, elements), member.rank);
}

bool is_root(int root, MPI_Comm comm) { return rank_in(comm) == root; }

void requested(const Site& site, MPI_Request request, bool persistent, Regions regions) {
  const auto [found, is_new] =
      state().requests.insert_or_assign(number(request), UnderWay{place_of(site), false, std::move(regions).take()});
  UnderWay& made = found->second;
  if ((site.sends() || site.receives()) && site.peer() == MPI_PROC_NULL) made.regions.clear();
  if (persistent) return;
  lend(made, made.place);
  if (site.receives()) type_wanted(request, made.place);
}

void accessed_elements(const Site& site, const char* what, const Elements& own, const Elements& target) {
  if (site.peer() == MPI_PROC_NULL) return;
  const Signature ours(own.count, own.type);
  const Signature theirs(target.count, target.type);
  if (ours.elements() == Signature::kAnything || theirs.elements() == Signature::kAnything) return;
  if (ours.elements() == theirs.elements() && ours.hash(ours.elements()) == theirs.hash(theirs.elements())) return;
  const auto text = [](const Signature& signature) {
    return std::to_string(signature.elements()) + " elements of " + signature.text();
  };
  report(place_of(site), std::string("at its target it names ") + text(theirs) + ", but its " + what + " has " +
                             text(ours) + ". Name the same elements on both sides.");
}

void accessed(const Site& site, MPI_Win window, MPI_Request request, Regions regions) {
  if (request != MPI_REQUEST_NULL) {
    requested(site, request, false, std::move(regions));
    state().requests.at(number(request)).window = window;
    return;
  }
  std::vector<Region> used = std::move(regions).take();
  if (used.empty()) return;
  UnderWay& made = state().accesses.emplace_back(UnderWay{place_of(site), false, std::move(used), window});
  lend(made, made.place);
}

void completing(const Site& site, MPI_Win window, int target) {
  const auto is_over = [&](const UnderWay& user) {
    return user.window == window && (target == MPI_ANY_SOURCE || user.place.site.peer() == target);
  };
  for (auto& [handle, request] : state().requests) {
    if (request.active && is_over(request)) {
      complete(request, site);
      request.active = true;  // the program has to wait for it nevertheless
      request.regions.clear();
    }
  }
  std::erase_if(state().accesses, [&](UnderWay& access) {
    if (!is_over(access)) return false;
    complete(access, site);
    return true;
  });
}

void started(MPI_Request request, const Site& site) {
  UnderWay* const found = find(request);
  if (found == nullptr) return;
  lend(*found, {site, found->place.arguments});
  if (found->place.site.receives()) type_wanted(request, found->place);
  sent(found->place);
}

void handed_over(MPI_Request request, MPI_Request handle, const Site& site, const MPI_Status* status) {
  type_received(request, status);
  UnderWay* const found = find(request);
  if (found == nullptr) return;
  if (found->active) complete(*found, site);
  if (handle == MPI_REQUEST_NULL) state().requests.erase(number(request));
}

void all_handed_over() { types_settle(); }

void dropped(MPI_Request request) {
  type_lost(request);
  UnderWay* const found = find(request);
  if (found == nullptr) return;
  give_back(*found);
  state().requests.erase(number(request));
}

void begin() {
  static_cast<void>(own_rank());
  // The standard has MPI_Finalize delete the attributes of MPI_COMM_SELF first, the oldest last of all.
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);
}

}  // namespace tidings::check

void tidings_check_caller(const void* (*caller)()) { tidings::check::later_caller = caller; }
