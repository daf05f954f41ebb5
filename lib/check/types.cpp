// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "check/types.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check/variable.h"
#include "mpi/checking.h"
#include "mpi/status.h"

namespace tidings::check {
namespace {

/// What a rank says of a message, or of its part in a collective.
struct Record {
  std::uint32_t context;
  std::int32_t sender;  ///< world rank
  std::int32_t source;  ///< rank in the communicator
  std::int32_t tag;
  std::uint32_t collective;  ///< its number among those of the communicator, from 1; 0 for a message
  std::uint32_t place;       ///< line in the sender's file of places
  std::uint64_t elements;    ///< as Signature::elements()
  std::uint64_t hash;        ///< of all of them
};

/// Messages that are matched in order.
struct Stream {
  int source;  ///< rank in the communicator
  int tag;
  auto operator<=>(const Stream&) const = default;
};

/// A receive, from its start until it is known which message it has got.
struct Receive {
  Place place;
  int source;  ///< or MPI_ANY_SOURCE
  int tag;     ///< or MPI_ANY_TAG
  bool complete = false;
};

/// Of one communicator.
struct Traffic {
  std::list<Receive> receives;  ///< in the order in which they were started
  std::map<Stream, std::deque<Record>> arrived;
  bool lost = false;  ///< it is not known which receive has got which message
  std::uint32_t collectives = 0;
  std::map<std::uint32_t, Record> first;  ///< of each collective, at its first member
};

/// A member that is further behind than this many collectives says nothing new.
constexpr std::uint32_t kCollectivesBack = 1024;

struct State {
  std::map<std::uint32_t, Traffic> traffic;  ///< by context
  std::map<std::intptr_t, std::pair<std::uint32_t, std::list<Receive>::iterator>> requests;
  std::map<std::intptr_t, std::uint32_t> contexts;  ///< of communicators with collectives
  std::map<int, int> boxes;                         ///< files that records of other ranks go to, by world rank
  int own_box = -1;
  off_t taken = 0;  ///< bytes of it
  int place_file = -1;
  std::map<std::tuple<const void*, std::string, std::string>, std::uint32_t> places;
  std::map<int, std::vector<std::string>> places_of;  ///< lines of other ranks' files
};

State& state() {
  static auto* const instance = new State;
  return *instance;
}

std::string file_of(const char* kind, int rank) {
  const char* const name = std::getenv(kFileVariable);
  return name == nullptr ? "" : std::string(name) + "." + kind + "." + std::to_string(rank);
}

int opened(const char* kind, int rank) {
  return open(file_of(kind, rank).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

int world_rank() {
  static const int rank = tidings_mpi_describe(MPI_COMM_WORLD).rank;
  return rank;
}

std::uint32_t number_of(const Place& place) {
  State& all = state();
  const auto next = static_cast<std::uint32_t>(all.places.size());
  const auto [found, is_new] =
      all.places.try_emplace({place.site.address(), place.arguments, place.signature->text()}, next);
  if (is_new) {
    if (all.place_file < 0) all.place_file = opened("places", world_rank());
    const std::string line = fields_of(place) + "\t" + place.signature->text() + "\n";
    // If this cannot be written, a mismatch is not told.
    static_cast<void>(!write(all.place_file, line.data(), line.size()));
  }
  return found->second;
}

void deliver(int receiver, const Record& record) {
  const auto [found, is_new] = state().boxes.try_emplace(receiver, -1);
  if (is_new) found->second = opened("types", receiver);
  static_cast<void>(!write(found->second, &record, sizeof record));
}

/// A call of another rank: its fields as variable.h has them, and the types it named.
struct Told {
  std::string fields, function, types;
};

std::optional<Told> told_by(const Record& record) {
  std::vector<std::string>& lines = state().places_of[record.sender];
  if (record.place >= lines.size()) {
    lines.clear();
    std::ifstream file(file_of("places", record.sender));
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  if (record.place >= lines.size()) return std::nullopt;
  const std::string& line = lines[record.place];
  const std::size_t last = line.rfind('\t');
  const std::size_t arguments = line.rfind('\t', last - 1);
  const std::size_t function = line.rfind('\t', arguments - 1);
  return Told{line.substr(0, last), line.substr(function + 1, arguments - function - 1), line.substr(last + 1)};
}

void compare(const Receive& receive, const Record& record) {
  if (receive.place.signature == nullptr) return;
  const Signature& wanted = *receive.place.signature;
  if (record.elements == Signature::kAnything || wanted.elements() == Signature::kAnything) return;
  // The library ends a run in which a message is longer than the buffer.
  if (record.elements > wanted.elements() || wanted.hash(record.elements) == record.hash) return;
  if (const std::optional<Told> sent = told_by(record)) {
    report(world_rank(), fields_of(receive.place),
           "it receives " + wanted.text() + ", but {} sends " + sent->types +
               ". Use datatypes of the same elements on both sides.",
           record.sender, sent->fields);
  }
}

void compare(const Record& first, const Record& other) {
  if (first.elements == Signature::kAnything || other.elements == Signature::kAnything) return;
  if (first.hash == other.hash && first.elements == other.elements) return;
  const std::optional<Told> known = told_by(first);
  const std::optional<Told> told = told_by(other);
  if (!known || !told || known->function != told->function) return;
  report(other.sender, told->fields,
         "its datatype is " + told->types + ", but that of {} is " + known->types +
             ". Use datatypes of the same elements at all ranks.",
         first.sender, known->fields);
}

/// Read what others have written.
void take_in() {
  State& all = state();
  if (all.own_box < 0) all.own_box = opened("types", world_rank());
  std::array<Record, 64> records{};
  for (;;) {
    const ssize_t got = pread(all.own_box, records.data(), sizeof records, all.taken);
    if (got < static_cast<ssize_t>(sizeof(Record))) return;
    const std::size_t number = static_cast<std::size_t>(got) / sizeof(Record);
    all.taken += static_cast<off_t>(number * sizeof(Record));
    for (std::size_t i = 0; i < number; ++i) {
      const Record& record = records[i];
      Traffic& traffic = all.traffic[record.context];
      if (record.collective == 0) {
        traffic.arrived[{record.source, record.tag}].push_back(record);
        continue;
      }
      const auto [found, is_first] = traffic.first.try_emplace(record.collective, record);
      if (!is_first) compare(found->second, record);
      if (record.collective > kCollectivesBack)
        traffic.first.erase(traffic.first.begin(), traffic.first.lower_bound(record.collective - kCollectivesBack));
    }
  }
}

/// Give the receives of a communicator their messages, as far as that is known.
void settle(Traffic& traffic) {
  if (traffic.lost) {
    std::erase_if(traffic.receives, [](const Receive& receive) { return receive.complete; });
    return;
  }
  // A receive whose message is not known yet may have got one that a later receive could have.
  std::set<Stream> taken;
  std::vector<const Receive*> open;
  const auto may_be_taken = [&](const Stream& stream) {
    if (taken.contains(stream)) return true;
    for (const Receive* const other : open) {
      if (other->source != MPI_ANY_SOURCE && other->source != stream.source) continue;
      if (other->tag == MPI_ANY_TAG || other->tag == stream.tag) return true;
    }
    return false;
  };
  for (auto receive = traffic.receives.begin(); receive != traffic.receives.end();) {
    const Stream stream{receive->source, receive->tag};
    const auto arrived = receive->complete ? traffic.arrived.find(stream) : traffic.arrived.end();
    if (arrived == traffic.arrived.end() || may_be_taken(stream)) {
      if (receive->source == MPI_ANY_SOURCE || receive->tag == MPI_ANY_TAG)
        open.push_back(&*receive);
      else
        taken.insert(stream);
      ++receive;
      continue;
    }
    compare(*receive, arrived->second.front());
    arrived->second.pop_front();
    if (arrived->second.empty()) traffic.arrived.erase(arrived);
    receive = traffic.receives.erase(receive);
  }
}

/// A receive is over. @return whether it may have got a message.
bool completed(Receive& receive, const MPI_Status* status) {
  if (status != nullptr && (status_cancelled(*status) || status->MPI_SOURCE == MPI_PROC_NULL)) return false;
  if (status != nullptr) {
    receive.complete = true;
    receive.source = status->MPI_SOURCE;
    receive.tag = status->MPI_TAG;
  }
  return true;
}

Traffic& traffic_of(MPI_Comm communicator) { return state().traffic[tidings_mpi_describe(communicator).context]; }

}  // namespace

void type_sent(const Place& place) {
  if (place.signature == nullptr) return;
  const MPI_Comm communicator = place.site.communicator();
  const tidings_mpi_communicator described = tidings_mpi_describe(communicator);
  const std::uint64_t elements = place.signature->elements();
  deliver(tidings_mpi_world_rank(communicator, place.site.peer()),
          {.context = described.context,
           .sender = world_rank(),
           .source = described.rank,
           .tag = place.site.tag(),
           .collective = 0,
           .place = number_of(place),
           .elements = elements,
           .hash = elements == Signature::kAnything ? 0 : place.signature->hash(elements)});
}

void type_wanted(MPI_Request request, const Place& place) {
  if (place.site.peer() == MPI_PROC_NULL) return;
  const std::uint32_t context = tidings_mpi_describe(place.site.communicator()).context;
  std::list<Receive>& receives = state().traffic[context].receives;
  receives.push_back({place, place.site.peer(), place.site.tag()});
  state().requests.insert_or_assign(reinterpret_cast<std::intptr_t>(request),
                                    std::pair(context, std::prev(receives.end())));
}

void type_received(MPI_Request request, const MPI_Status* status) {
  const auto found = state().requests.find(reinterpret_cast<std::intptr_t>(request));
  if (found == state().requests.end()) return;
  const auto [context, receive] = found->second;
  state().requests.erase(found);
  Traffic& traffic = state().traffic[context];
  if (!completed(*receive, status))
    traffic.receives.erase(receive);
  else
    traffic.lost |= status == nullptr;
}

void type_received(const Place& place, const MPI_Status& status) {
  Receive receive{place, place.site.peer(), place.site.tag()};
  if (!completed(receive, &status)) return;
  traffic_of(place.site.communicator()).receives.push_back(std::move(receive));
  types_settle();
}

void type_lost(MPI_Request request) { type_received(request, nullptr); }

void type_shared(const Place& place, bool again) {
  const MPI_Comm communicator = place.site.communicator();
  const tidings_mpi_communicator described = tidings_mpi_describe(communicator);
  if (place.signature == nullptr || described.inter) return;
  Traffic& traffic = state().traffic[described.context];
  state().contexts[reinterpret_cast<std::intptr_t>(communicator)] = described.context;
  if (!again) ++traffic.collectives;
  const std::uint64_t elements = place.signature->elements();
  deliver(tidings_mpi_world_rank(communicator, 0),
          {.context = described.context,
           .sender = world_rank(),
           .source = described.rank,
           .tag = 0,
           .collective = traffic.collectives,
           .place = number_of(place),
           .elements = elements,
           .hash = elements == Signature::kAnything ? 0 : place.signature->hash(elements)});
  if (described.rank == 0) take_in();
}

void types_forget(std::intptr_t communicator) {
  const auto found = state().contexts.find(communicator);
  if (found == state().contexts.end()) return;
  take_in();
  Traffic& traffic = state().traffic[found->second];
  traffic.collectives = 0;
  traffic.first.clear();
  state().contexts.erase(found);
}

void types_settle() {
  take_in();
  for (auto& [context, traffic] : state().traffic) {
    if (!traffic.receives.empty()) settle(traffic);
  }
}

}  // namespace tidings::check
