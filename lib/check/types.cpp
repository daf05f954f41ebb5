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
#include <memory>
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

/// What elements belong to.
enum class Part : std::uint32_t { Message, Collective, Partitioned };

/// Elements, as far as they are compared.
struct Values {
  std::uint64_t elements;  ///< as Signature::elements()
  std::uint64_t hash;      ///< of all of them
  bool operator==(const Values&) const = default;
};

/// What a rank says of elements that another one gets.
struct Record {
  std::uint32_t context;
  std::int32_t sender;  ///< world rank
  std::int32_t source;  ///< rank in the communicator
  std::int32_t tag;     ///< 0 in collectives
  Part part;
  std::uint32_t place;  ///< line in the sender's file of places
  Values values;
};

/// Messages that are matched in order.
struct Stream {
  int source;  ///< rank in the communicator
  int tag;
  auto operator<=>(const Stream&) const = default;
};

/// A message between its probe and its receive.
struct Matched {
  Place place;                   ///< of the receive; without signature until it is there
  std::optional<Record> record;  ///< of the message, when it is known
};

/// A receive, from its start until it is known which message it has got.
struct Receive {
  Place place;
  int source;  ///< or MPI_ANY_SOURCE
  int tag;     ///< or MPI_ANY_TAG
  bool complete = false;
  std::shared_ptr<Matched> matched{};  ///< by a probe; null if it is none
};

/// Of one communicator.
struct Traffic {
  std::list<Receive> receives;  ///< in the order in which they were started
  std::map<Stream, std::deque<Record>> arrived;
  bool lost = false;  ///< it is not known which receive has got which message
};

/// What this rank expects from another one.
struct Expected {
  Place place;
  Values values;
  bool from_all;  ///< all members of the collective name the same elements
};

/// Elements that one rank gives to another in the order of their calls.
struct Exchange {
  std::deque<Record> given;
  std::deque<Expected> expected;
};

struct State {
  std::map<std::uint32_t, Traffic> traffic;  ///< by context
  std::map<std::intptr_t, std::pair<std::uint32_t, std::list<Receive>::iterator>> requests;
  std::map<std::intptr_t, std::shared_ptr<Matched>> matched;                ///< by message
  std::map<std::tuple<Part, std::uint32_t, int, int>, Exchange> exchanges;  ///< by part, context, world rank and tag
  std::map<int, int> boxes;  ///< open files that records of other ranks go to, by world rank
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

int opened_for(int rank, const char* kind) { return opened(file_of(kind, rank), O_RDWR | O_CREAT | O_APPEND); }

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
    if (all.place_file < 0) all.place_file = opened_for(world_rank(), "places");
    const std::string line = fields_of(place) + "\t" + place.signature->text() + "\n";
    write_down(all.place_file, line);
  }
  return found->second;
}

Values values_of(const Place& place) {
  const std::uint64_t elements = place.signature->elements();
  return {elements, elements == Signature::kAnything ? 0 : place.signature->hash(elements)};
}

/// Tell another rank what elements it gets. @param peer its rank in the communicator of the place
void deliver(int peer, Part part, const Place& place) {
  constexpr std::size_t kMostOpen = 256;
  const tidings_mpi_communicator described = tidings_mpi_describe(place.site.communicator());
  const Record record{.context = described.context,
                      .sender = world_rank(),
                      .source = described.rank,
                      .tag = place.site.tag(),
                      .part = part,
                      .place = number_of(place),
                      .values = values_of(place)};
  auto& boxes = state().boxes;
  const int receiver = tidings_mpi_world_rank(place.site.communicator(), peer);
  if (boxes.size() >= kMostOpen && !boxes.contains(receiver)) {
    for (const auto& [rank, file] : boxes) close(file);
    boxes.clear();
  }
  const auto [found, is_new] = boxes.try_emplace(receiver, -1);
  if (is_new) found->second = opened_for(receiver, "types");
  write_down(found->second, {reinterpret_cast<const char*>(&record), sizeof record});
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

void report_types(const Place& place, const std::string& types, const Record& record, const Told& sent,
                  const std::string& sent_types) {
  report(
      world_rank(), fields_of(place),
      "it receives " + types + ", but {} sends " + sent_types + ". Use datatypes of the same elements on both sides.",
      record.sender, sent.fields);
}

void compare(const Place& place, const Record& record) {
  if (place.signature == nullptr) return;
  const Signature& wanted = *place.signature;
  const Values& values = record.values;
  if (values.elements == Signature::kAnything || wanted.elements() == Signature::kAnything) return;
  // The library ends a run in which a message is longer than the buffer.
  if (values.elements > wanted.elements() || wanted.hash(values.elements) == values.hash) return;
  if (const std::optional<Told> sent = told_by(record)) {
    report_types(place, wanted.text(), record, *sent, sent->types);
  }
}

void compare(const Expected& expected, const Record& record) {
  const Values& values = record.values;
  if (values.elements == Signature::kAnything || expected.values.elements == Signature::kAnything) return;
  if (values == expected.values) return;
  const std::optional<Told> told = told_by(record);
  const Place& place = expected.place;
  const std::string& types = place.signature->text();
  if (!told || (record.part == Part::Collective && told->function != place.site.function())) return;
  // These have been told before the call (agreement.h).
  if (expected.from_all && values.elements != expected.values.elements && told->types == types) return;
  if (!expected.from_all) {
    const auto amount = [&](const std::string& text, std::uint64_t elements) {
      return told->types == types ? std::to_string(elements) + " elements of " + text : text;
    };
    report_types(place, amount(types, expected.values.elements), record, *told, amount(told->types, values.elements));
    return;
  }
  report(record.sender, told->fields,
         "its datatype is " + told->types + ", but that of {} is " + types +
             ". Use datatypes of the same elements at all ranks.",
         world_rank(), fields_of(place));
}

/// Compare what is known of both sides.
void settle(Exchange& exchange) {
  while (!exchange.given.empty() && !exchange.expected.empty()) {
    compare(exchange.expected.front(), exchange.given.front());
    exchange.given.pop_front();
    exchange.expected.pop_front();
  }
}

void settle(Matched& matched) {
  if (matched.record && matched.place.signature != nullptr) compare(matched.place, *matched.record);
}

/// Read what others have written.
void take_in() {
  State& all = state();
  if (all.own_box < 0) all.own_box = opened_for(world_rank(), "types");
  std::array<Record, 64> records{};
  for (;;) {
    const ssize_t got = pread(all.own_box, records.data(), sizeof records, all.taken);
    if (got < static_cast<ssize_t>(sizeof(Record))) return;
    const std::size_t number = static_cast<std::size_t>(got) / sizeof(Record);
    all.taken += static_cast<off_t>(number * sizeof(Record));
    for (std::size_t i = 0; i < number; ++i) {
      const Record& record = records[i];
      if (record.part == Part::Message) {
        all.traffic[record.context].arrived[{record.source, record.tag}].push_back(record);
        continue;
      }
      Exchange& exchange = all.exchanges[{record.part, record.context, record.sender, record.tag}];
      exchange.given.push_back(record);
      settle(exchange);
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
    if (receive->matched != nullptr) {
      receive->matched->record = arrived->second.front();
      settle(*receive->matched);
    } else {
      compare(receive->place, arrived->second.front());
    }
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
  if (place.signature != nullptr) deliver(place.site.peer(), Part::Message, place);
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

void type_matched(const Place& place, MPI_Message message, const MPI_Status& status) {
  Receive receive{place, place.site.peer(), place.site.tag()};
  if (!completed(receive, &status)) return;
  receive.matched = std::make_shared<Matched>(place, std::nullopt);
  state().matched[reinterpret_cast<std::intptr_t>(message)] = receive.matched;
  traffic_of(place.site.communicator()).receives.push_back(std::move(receive));
  types_settle();
}

void type_received(const Place& place, MPI_Message message) {
  const auto found = state().matched.find(reinterpret_cast<std::intptr_t>(message));
  if (found == state().matched.end()) return;
  Matched& matched = *found->second;
  matched.place = {place.site, matched.place.arguments, place.signature};
  settle(matched);
  state().matched.erase(found);
}

void type_given(const Place& place, int member) { deliver(member, Part::Collective, place); }

namespace {

void expect(const Place& place, Part part, int peer, bool from_all) {
  const MPI_Comm communicator = place.site.communicator();
  const std::uint32_t context = tidings_mpi_describe(communicator).context;
  Exchange& exchange = state().exchanges[{part, context, tidings_mpi_world_rank(communicator, peer), place.site.tag()}];
  exchange.expected.push_back({place, values_of(place), from_all});
  settle(exchange);
}

}  // namespace

void type_expected(const Place& place, int member) {
  expect(place, Part::Collective, member, false);
  take_in();
}

void type_shared(const Place& place) {
  const tidings_mpi_communicator described = tidings_mpi_describe(place.site.communicator());
  if (described.rank != 0) {
    deliver(0, Part::Collective, place);
    return;
  }
  for (int member = 1; member < described.peers; ++member) expect(place, Part::Collective, member, true);
  take_in();
}

void type_partitioned(const Place& place) {
  if (place.site.sends()) {
    deliver(place.site.peer(), Part::Partitioned, place);
  } else {
    expect(place, Part::Partitioned, place.site.peer(), false);
    take_in();
  }
}

void types_settle() {
  take_in();
  for (auto& [context, traffic] : state().traffic) {
    if (!traffic.receives.empty()) settle(traffic);
  }
}

}  // namespace tidings::check
