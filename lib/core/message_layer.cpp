// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/message_layer.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/abi.h"
#include "core/engine_word.h"
#include "core/error.h"
#include "core/packing.h"
#include "cost.h"
#include "trace.h"

namespace tidings {
namespace {

constexpr std::uint32_t kRegion = 0;             ///< row of the registration table that holds the windows
constexpr std::uint32_t kWindowsPerRequest = 2;  ///< one is written while the other is read out
constexpr std::uint32_t kReservedCredits = 1;    ///< only a message that returns credits may take the last one

/// What a peer of a multicast costs, in looks at an entry of a queue: its transfer, slot, room, credit and number.
constexpr std::uint64_t kLooksPerPeer = 5;

constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

/// Where the search for an endpoint begins in a hash table. @param size a power of two.
std::size_t place_of(const tidings_endpoint& endpoint, std::size_t size) {
  constexpr std::uint32_t kGolden = 0x9e3779b9U;
  const std::uint32_t key = (static_cast<std::uint32_t>(endpoint.node) << 8) | endpoint.slot;
  return ((key * kGolden) >> 12) & (size - 1);
}

bool same(const tidings_endpoint& a, const tidings_endpoint& b) { return a.node == b.node && a.slot == b.slot; }

/// Reads the parts of a message one after the other.
class Reader {
 public:
  Reader(const std::byte* data, std::size_t bytes) : data_(data), left_(bytes) {}
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, data_, sizeof(T));
    data_ += sizeof(T);
    left_ -= sizeof(T);
    return value;
  }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  const std::byte* data_;
  std::size_t left_;
};

/// What has become of a message that this rank receives.
void trace_receive(std::uint32_t steps, const Envelope& envelope, std::uint32_t number, std::size_t bytes,
                   bool collective) {
  if (collective) steps |= TIDINGS_MESSAGE_COLLECTIVE;
  tidings_trace_message(steps, static_cast<std::uint32_t>(envelope.source), number, bytes);
}

std::size_t eager_limit(const Request& request) { return request.descriptor ? kEagerCollectiveBytes : kEagerBytes; }

/// Numbers of collectives wrap around.
bool is_before(std::int32_t number, std::int32_t other) {
  constexpr std::uint32_t kHalf = 0x40000000;
  const std::uint32_t distance = (static_cast<std::uint32_t>(other) - static_cast<std::uint32_t>(number)) & 0x7fffffffU;
  return distance != 0 && distance < kHalf;
}

/// Finding one entry is part of what a request or an arrival takes; others cost extra.
void charge_search(const Search& search) {
  if (search.looked > 1) [[unlikely]] {
    tidings_work(TIDINGS_WORK_MATCH, search.looked - 1);
  }
  if (search.in_table) [[unlikely]] {
    tidings_work(TIDINGS_WORK_QUEUE, 1);
  }
}

void complete_receive(Request& request, const Envelope& envelope, std::size_t bytes) {
  request.received = envelope;
  request.message_bytes = bytes;
  request.complete = true;
}

}  // namespace

std::unique_ptr<MessageLayer> MessageLayer::open(const tidings_platform& platform, Fail fail) {
  tidings_bus* const bus = tidings_bus_open(0);
  if (bus == nullptr) throw Error(MPI_ERR_OTHER, "the process has no slot", "Start it with `tidings run`.");
  const MemoryLayout layout = MemoryLayout::divide(tidings_bus_memory(bus).bytes, platform.ranks);
  tidings_driver driver{};
  const int opened = tidings_driver_open(&driver, bus, layout.queue_base, layout.queue_log2, layout.transmit_base,
                                         layout.transmit_slots);
  if (opened != 0)
    throw Error(MPI_ERR_OTHER, "the device is not a Tidings slot", "Look at what the platform's bus leads to.");
  return std::unique_ptr<MessageLayer>(new MessageLayer(platform, driver, layout, std::move(fail)));
}

MessageLayer::MessageLayer(const tidings_platform& platform, const tidings_driver& driver, const MemoryLayout& layout,
                           Fail fail)
    : platform_(platform),
      driver_(driver),
      layout_(layout),
      fail_(std::move(fail)),
      peers_(platform.ranks),
      rank_of_endpoint_(2 * std::bit_ceil(std::size_t{platform.ranks}), kNoRank),
      staging_commands_(layout.staging_buffers, driver.rma_completed) {
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    peers_[rank].endpoint = endpoint(rank);
    peers_[rank].credits = layout_.credits;
    std::size_t place = place_of(peers_[rank].endpoint, rank_of_endpoint_.size());
    while (rank_of_endpoint_[place] != kNoRank) place = (place + 1) & (rank_of_endpoint_.size() - 1);
    rank_of_endpoint_[place] = rank;
  }
  for (std::uint32_t i = layout_.windows; i > 0; --i) free_windows_.push_back((i - 1) * layout_.chunk);
  tidings_announce_arrivals(&driver_, TIDINGS_WORK_ARRIVAL);  // `handle` begins with it
  tidings_register(&driver_, kRegion, layout_.window_base, layout_.windows * layout_.chunk, TIDINGS_WRITE);
}

// ---------------------------------------------------------------- starting

void MessageLayer::start(const RequestPointer& request) {
  if (request->kind == Request::Kind::Receive) {
    start_receive(request);
  } else if (request->peer == static_cast<std::int32_t>(rank())) {
    send_to_self(request);
  } else {
    start_send(request);
  }
}

void MessageLayer::start_send(const RequestPointer& request) {
  tidings_work(TIDINGS_WORK_REQUEST, 1);
  const std::size_t bytes = request->buffer.bytes();
  const bool eager = bytes <= eager_limit(*request) && request->mode == SendMode::Standard;
  Outgoing message = eager ? eager_message(request) : message_of(request);
  if (!eager) {
    message.header.kind = request->descriptor ? MessageKind::RequestToSendCollective : MessageKind::RequestToSend;
    request->number = sends_.add(request);
    message.append(RequestToSend{bytes, request->number, 0});
  }
  transmit(static_cast<std::uint32_t>(request->peer), std::move(message));
}

MessageLayer::Outgoing MessageLayer::message_of(const RequestPointer& request) {
  Outgoing message;
  message.header.context = static_cast<std::uint16_t>(request->context);
  message.header.tag = request->tag;
  if (request->descriptor) message.append(*request->descriptor);
  return message;
}

MessageLayer::Outgoing MessageLayer::eager_message(const RequestPointer& request) {
  Outgoing message = message_of(request);
  message.header.kind = request->descriptor ? MessageKind::EagerCollective : MessageKind::Eager;
  message.eager = request;
  return message;
}

void MessageLayer::send_to_self(const RequestPointer& request) {
  tidings_work(TIDINGS_WORK_REQUEST, 1);
  const Envelope envelope{request->context, request->peer, request->tag};
  Arrival arrival;
  arrival.bytes = request->buffer.bytes();
  arrival.message = peers_[rank()].arrived++;
  arrival.descriptor = request->descriptor;
  arrival.own.resize(arrival.bytes);
  pack(request->buffer, 0, arrival.bytes, arrival.own.data());
  Search search;
  const auto receive = posted_.match(envelope, search);
  charge_search(search);
  trace_receive(TIDINGS_MESSAGE_SENT | TIDINGS_MESSAGE_ARRIVED |
                    (receive ? TIDINGS_MESSAGE_MATCHED | TIDINGS_MESSAGE_RECEIVED : 0U),
                envelope, arrival.message, arrival.bytes, arrival.descriptor.has_value());
  if (receive) {
    unpack(receive->buffer, 0, arrival.own.data(), arrival.bytes);
    complete_receive(*receive, envelope, arrival.bytes);
    request->complete = true;
    return;
  }
  if (request->mode == SendMode::Synchronous) {
    arrival.self = request;
  } else {
    request->complete = true;
  }
  tidings_work(TIDINGS_WORK_KEEP, 1);
  unexpected_.add(envelope, std::move(arrival));
}

void MessageLayer::start_receive(const RequestPointer& request) {
  tidings_work(TIDINGS_WORK_REQUEST, 1);
  const Pattern pattern{request->context, request->peer, request->tag};
  Search search;
  auto message = unexpected_.take(pattern, search);
  charge_search(search);
  if (!message) {
    if (posted_.post(pattern, request)) tidings_work(TIDINGS_WORK_QUEUE, 1);
    return;
  }
  deliver(request, *message);
}

void MessageLayer::receive(const RequestPointer& request, Matched& message) {
  tidings_work(TIDINGS_WORK_REQUEST, 1);
  deliver(request, message);
}

inline void MessageLayer::deliver(const RequestPointer& request, Matched& message) {
  tidings_work(TIDINGS_WORK_KEEP, 1);
  Arrival& arrival = message.item;
  trace_receive(TIDINGS_MESSAGE_MATCHED | (arrival.announced ? 0U : std::uint32_t{TIDINGS_MESSAGE_RECEIVED}),
                message.envelope, arrival.message, arrival.bytes, arrival.descriptor.has_value());
  request->message = arrival.message;
  if (arrival.announced) {
    accept(request, message.envelope, *arrival.announced);
    grant_windows();
    return;
  }
  unpack(request->buffer, 0, arrival.own.empty() ? arrival.eager.data() : arrival.own.data(), arrival.bytes);
  complete_receive(*request, message.envelope, arrival.bytes);
  if (arrival.self) arrival.self->complete = true;
}

std::optional<MessageLayer::Matched> MessageLayer::take(const Pattern& pattern) {
  Search search;
  auto message = unexpected_.take(pattern, search);
  charge_search(search);
  return message;
}

bool MessageLayer::withdraw(const RequestPointer& request) {
  tidings_work(TIDINGS_WORK_MATCH, 1);
  return posted_.remove({request->context, request->peer, request->tag}, request);
}

std::optional<Probed> MessageLayer::probe(const Pattern& pattern) {
  Search search;
  const auto* message = unexpected_.find(pattern, search);
  charge_search(search);
  if (message == nullptr) return std::nullopt;
  return Probed{message->envelope, message->item.bytes};
}

// ---------------------------------------------------------------- waiting

void MessageLayer::poll() { progress(tidings_poll(&driver_)); }

void MessageLayer::flush() {
  const auto empty = [](const Peer& peer) { return peer.queue.empty(); };
  wait([&] { return std::all_of(peers_.begin(), peers_.end(), empty); },
       [&] {
         Waiting waiting{"room for messages that have not left yet", {}};
         for (std::uint32_t i = 0; i < ranks(); ++i) {
           if (!empty(peers_[i])) waiting.ranks.push_back(i);
         }
         return waiting;
       });
  while (!tidings_rma_quiet(&driver_)) progress(tidings_wait(&driver_, TIDINGS_IRQ_RMA_IDLE | TIDINGS_IRQ_MESSAGE));
}

std::uint32_t MessageLayer::wait_causes() const {
  std::uint32_t causes = TIDINGS_IRQ_MESSAGE;
  if (!grants_.empty() || commands_awaited_) causes |= TIDINGS_IRQ_RMA_DONE;
  if (!tidings_collective_known_done(&driver_, driver_.mpe_issued)) causes |= TIDINGS_IRQ_MPE_DONE;
  return causes | awaited_cause_;
}

void MessageLayer::progress(std::uint32_t causes) {
  awaited_cause_ &= ~causes;
  if ((causes & TIDINGS_IRQ_MESSAGE) != 0) drain();  // first: its work has been announced
  if ((causes & TIDINGS_IRQ_ERROR) != 0) fail_on_engine_error();
  write_granted();
  grant_windows();
  if (activities_ != nullptr) [[unlikely]] {
    advance_activities();
  }
}

void MessageLayer::await() {
  if (several_threads) [[unlikely]] {
    struct Arrivals {
      const std::uint32_t& now;
      std::uint32_t before;
    } arrivals{arrivals_, arrivals_};
    const auto changed = [](void* subject) {
      const auto& [now, before] = *static_cast<const Arrivals*>(subject);
      return now != before;
    };
    return wait_beside_threads(changed, &arrivals);
  }
  await_device();
}

#ifdef TIDINGS_THREADS
void MessageLayer::wait_beside_threads(bool (*done)(void* subject), void* subject) {
  struct Passing {
    ~Passing() { Threads::pass_on(); }
  } const passing;
  Threads::Wait wait{done, subject};
  for (;;) {
    std::optional<ActiveCollective> active = std::exchange(active_, std::nullopt);
    if (active) others_active_.push_back(&*active);
    const void* const current = std::exchange(current_call, nullptr);
    const bool goes = Threads::step_aside(wait);
    current_call = current;
    if (active) std::erase(others_active_, &*active);
    active_ = std::move(active);
    if (wait.over || done(subject)) return;
    // What others have done may concern those that wait: they go on before time does.
    if (!goes || Threads::notice() || !Threads::depart()) continue;
    if (ideal()) {
      await_device();
    } else {
      progress(tidings_wait(&driver_, wait_causes()));
    }
    Threads::arrive();
    ++arrivals_;
    if (done(subject)) return;
    Threads::notice();
  }
}
#endif

void MessageLayer::await_device() {
  tidings_listen(&driver_, wait_causes());
  const bool interrupted = tidings_ideal_wait();
  const bool free = tidings_ideal_work(false);
  if (interrupted) {
    poll();
  } else if (activities_ != nullptr) {
    advance_activities();
  }
  tidings_ideal_work(free);
}

void MessageLayer::advance_activities() { activities_->advance(); }

void MessageLayer::drain() {
  tidings_message message;
  if (!tidings_receive(&driver_, &message)) return;
  for (;;) {
    const std::uint32_t from = rank_of(message.source);
    if (from == kNoRank) fail_("a message came from " + rank_at(message.source));
    handle(from, static_cast<const std::byte*>(message.payload), message.bytes);
    tidings_release(&driver_);
    Peer& peer = peers_[from];
    ++peer.owed;
    flush_queue(peer);
    return_credits(peer);
    // The device is not read again: what comes from now on raises the interrupt.
    if (driver_.queue_head == driver_.queue_tail) return;
    tidings_receive(&driver_, &message);
  }
}

// ---------------------------------------------------------------- messages that arrive

void MessageLayer::handle(std::uint32_t peer, const std::byte* message, std::size_t bytes) {
  tidings_work(TIDINGS_WORK_ARRIVAL, 1);
  Reader reader(message, bytes);
  const auto header = reader.take<MessageHeader>();
  peers_[peer].credits += header.credits;
  const Envelope envelope{header.context, static_cast<std::int32_t>(peer), header.tag};
  std::optional<CollectiveDescriptor> descriptor;
  switch (header.kind) {
    case MessageKind::EagerCollective:
      descriptor = reader.take<CollectiveDescriptor>();
      [[fallthrough]];
    case MessageKind::Eager:
      handle_eager(envelope, descriptor, reader.data(), reader.left());
      break;
    case MessageKind::RequestToSendCollective:
      descriptor = reader.take<CollectiveDescriptor>();
      [[fallthrough]];
    case MessageKind::RequestToSend:
      handle_request_to_send(envelope, descriptor, reader.take<RequestToSend>());
      break;
    case MessageKind::Grant: {
      const auto grant = reader.take<Grant>();
      grants_.push_back({sends_.at(grant.sender), peer, grant});
      break;
    }
    case MessageKind::Done:
      handle_done(peer, reader.take<Done>());
      break;
    case MessageKind::Credit:
      break;
  }
}

void MessageLayer::handle_eager(const Envelope& envelope, const std::optional<CollectiveDescriptor>& descriptor,
                                const std::byte* data, std::size_t bytes) {
  check_collective(envelope, descriptor);
  Search search;
  const auto request = posted_.match(envelope, search);
  charge_search(search);
  const std::uint32_t number = peers_[static_cast<std::uint32_t>(envelope.source)].arrived++;
  trace_receive(TIDINGS_MESSAGE_ARRIVED | (request ? TIDINGS_MESSAGE_MATCHED | TIDINGS_MESSAGE_RECEIVED : 0U), envelope,
                number, bytes, descriptor.has_value());
  if (request) {
    unpack(request->buffer, 0, data, bytes);
    complete_receive(*request, envelope, bytes);
    return;
  }
  Arrival arrival;
  arrival.bytes = bytes;
  arrival.message = number;
  if (bytes > 0) tidings_copy(arrival.eager.data(), data, bytes);
  arrival.descriptor = descriptor;
  tidings_work(TIDINGS_WORK_KEEP, 1);
  unexpected_.add(envelope, std::move(arrival));
}

void MessageLayer::handle_request_to_send(const Envelope& envelope,
                                          const std::optional<CollectiveDescriptor>& descriptor,
                                          const RequestToSend& announced) {
  check_collective(envelope, descriptor);
  Search search;
  const auto request = posted_.match(envelope, search);
  charge_search(search);
  const std::uint32_t number = peers_[static_cast<std::uint32_t>(envelope.source)].arrived++;
  trace_receive(TIDINGS_MESSAGE_ARRIVED | (request ? std::uint32_t{TIDINGS_MESSAGE_MATCHED} : 0U), envelope, number,
                static_cast<std::size_t>(announced.bytes), descriptor.has_value());
  if (request) {
    request->message = number;
    accept(request, envelope, announced);
    return;
  }
  Arrival arrival;
  arrival.bytes = static_cast<std::size_t>(announced.bytes);
  arrival.message = number;
  arrival.announced = announced;
  arrival.descriptor = descriptor;
  tidings_work(TIDINGS_WORK_KEEP, 1);
  unexpected_.add(envelope, std::move(arrival));
}

void MessageLayer::handle_done(std::uint32_t peer, const Done& done) {
  const RequestPointer request = receives_.at(done.receiver);
  const std::byte* window = memory(layout_.window_base + done.offset);
  unpack(request->buffer, request->moved, window, done.bytes);
  free_windows_.push_back(done.offset);
  request->moved += done.bytes;
  --request->windows;
  if (request->moved == request->message_bytes) {
    receives_.remove(done.receiver);
    trace_receive(TIDINGS_MESSAGE_RECEIVED, request->received, request->message, request->message_bytes,
                  request->descriptor.has_value());
    complete_receive(*request, request->received, request->message_bytes);
  } else if (request->granted < request->message_bytes && request->windows + 1 == kWindowsPerRequest) {
    wants_window_.push_back(request);
  }
  static_cast<void>(peer);
}

// ---------------------------------------------------------------- rendezvous

void MessageLayer::accept(const RequestPointer& request, const Envelope& envelope, const RequestToSend& announced) {
  request->received = envelope;
  request->message_bytes = static_cast<std::size_t>(announced.bytes);
  request->remote = announced.sender;
  if (announced.bytes == 0) {
    trace_receive(TIDINGS_MESSAGE_RECEIVED, envelope, request->message, 0, request->descriptor.has_value());
    Outgoing message;
    message.header.kind = MessageKind::Grant;
    message.append(Grant{announced.sender, 0, 0, 0});
    transmit(static_cast<std::uint32_t>(envelope.source), std::move(message));
    request->complete = true;
    return;
  }
  request->number = receives_.add(request);
  wants_window_.push_back(request);
}

void MessageLayer::grant_windows() {
  while (!wants_window_.empty() && !free_windows_.empty()) {
    const RequestPointer request = wants_window_.front();
    const std::uint32_t offset = free_windows_.back();
    free_windows_.pop_back();
    const auto bytes =
        static_cast<std::uint32_t>(std::min<std::size_t>(request->message_bytes - request->granted, layout_.chunk));
    request->granted += bytes;
    ++request->windows;
    if (request->granted == request->message_bytes || request->windows == kWindowsPerRequest) wants_window_.pop_front();
    Outgoing message;
    message.header.kind = MessageKind::Grant;
    message.append(Grant{request->remote, request->number, offset, bytes});
    transmit(static_cast<std::uint32_t>(request->received.source), std::move(message));
  }
}

void MessageLayer::write_granted() {
  while (!grants_.empty()) {
    PendingGrant& next = grants_.front();
    Request& request = *next.request;
    if (next.grant.bytes > 0) {
      if (!tidings_rma_done(&driver_, staging_commands_[next_staging_])) return;
      const std::uint32_t local = layout_.staging_base + next_staging_ * layout_.chunk;
      pack(request.buffer, request.moved, next.grant.bytes, memory(local));
      staging_commands_[next_staging_] =
          tidings_put(&driver_, local, peers_[next.peer].endpoint, kRegion, next.grant.offset, next.grant.bytes);
      next_staging_ = (next_staging_ + 1) % layout_.staging_buffers;
      request.moved += next.grant.bytes;
      // The network keeps the order between two slots, so this arrives when the data is there.
      Outgoing message;
      message.header.kind = MessageKind::Done;
      message.append(Done{next.grant.receiver, next.grant.offset, next.grant.bytes, 0});
      transmit(next.peer, std::move(message));
    }
    if (request.moved == request.buffer.bytes()) {
      sends_.remove(next.grant.sender);
      request.complete = true;
    }
    grants_.pop_front();
  }
}

// ---------------------------------------------------------------- messages that leave

void MessageLayer::transmit(std::uint32_t peer, Outgoing&& message) {
  Peer& to = peers_[peer];
  if (to.queue.empty() && to.credits > kReservedCredits) {
    post(to, message);
  } else {
    to.queue.push_back(std::move(message));
  }
}

void MessageLayer::flush_queue(Peer& peer) {
  while (!peer.queue.empty() && peer.credits > kReservedCredits) {
    Outgoing message = peer.queue.pop_front();
    post(peer, message);
  }
}

void MessageLayer::trace_sent(Peer& peer, const Outgoing& message) {
  std::uint32_t steps = TIDINGS_MESSAGE_SENT;
  std::uint64_t bytes = 0;
  switch (message.header.kind) {
    case MessageKind::EagerCollective:
      steps |= TIDINGS_MESSAGE_COLLECTIVE;
      [[fallthrough]];
    case MessageKind::Eager:
      bytes = message.eager->buffer.bytes();
      break;
    case MessageKind::RequestToSendCollective:
      steps |= TIDINGS_MESSAGE_COLLECTIVE;
      [[fallthrough]];
    case MessageKind::RequestToSend: {
      RequestToSend announced;
      std::memcpy(&announced, message.body.data() + message.body_bytes - sizeof announced, sizeof announced);
      bytes = announced.bytes;
      steps |= TIDINGS_MESSAGE_ANNOUNCED;
      break;
    }
    default:
      return;
  }
  tidings_trace_message(steps, static_cast<std::uint32_t>(&peer - peers_.data()), peer.sent++, bytes);
}

void MessageLayer::post(Peer& peer, Outgoing& message) {
  message.header.credits = static_cast<std::uint8_t>(peer.owed);
  peer.owed = 0;
  --peer.credits;
  const std::uint32_t bytes = write(message);
  trace_sent(peer, message);
  tidings_send(&driver_, peer.endpoint, bytes);
}

std::uint32_t MessageLayer::write(const Outgoing& message) {
  auto* const room = static_cast<std::byte*>(tidings_send_room(&driver_));
  std::memcpy(room, &message.header, sizeof message.header);
  std::memcpy(room + sizeof message.header, message.body.data(), message.body_bytes);
  std::size_t bytes = sizeof message.header + message.body_bytes;
  std::size_t copied = bytes;
  if (message.eager) {
    const Buffer& buffer = message.eager->buffer;
    const std::size_t data = buffer.bytes();
    if (!buffer.type->is_contiguous()) {
      pack(buffer, 0, data, room + bytes);
    } else if (data > 0) {
      std::memcpy(room + bytes, buffer.base, data);
      copied += data;
    }
    bytes += data;
    message.eager->complete = true;
  }
  tidings_work(TIDINGS_WORK_MESSAGE, 1);
  tidings_work(TIDINGS_WORK_COPY, copied);
  return static_cast<std::uint32_t>(bytes);
}

bool MessageLayer::have_room(std::span<const std::uint32_t> peers) const {
  return std::ranges::all_of(
      peers, [&](std::uint32_t peer) { return peers_[peer].queue.empty() && peers_[peer].credits > kReservedCredits; });
}

bool MessageLayer::multicast(const RequestPointer& request, std::span<const std::uint32_t> peers) {
  // Each slot of a single router has the route of its own number.
  if (!platform_.grid.single) return false;
  if (!routes_) routes_ = tidings_read_routes(&driver_);
  const std::uint32_t route = tidings_slot_number(endpoint(rank()));
  if (route >= routes_->routes) return false;
  const Outgoing message = eager_message(request);
  const std::size_t data = request->buffer.bytes();
  const std::size_t bytes = sizeof message.header + message.body_bytes + data;
  if (data > eager_limit(*request) || bytes > routes_->message_bytes || !have_room(peers)) return false;
  std::uint64_t slots = 0;
  for (const std::uint32_t peer : peers) slots |= std::uint64_t{1} << tidings_slot_number(endpoint(peer));
  if (!lead_route(slots)) return false;
  tidings_work(TIDINGS_WORK_REQUEST, 1);
  tidings_work(TIDINGS_WORK_MATCH, kLooksPerPeer * peers.size());
  // It gives no credits back: those who read it have given different numbers of them.
  const std::uint32_t written = write(message);
  for (const std::uint32_t peer : peers) {
    --peers_[peer].credits;
    trace_sent(peers_[peer], message);
  }
  tidings_send_along(&driver_, route, written);
  return true;
}

bool MessageLayer::lead_route(std::uint64_t slots) {
  if (slots == route_slots_) return true;
  if (route_slots_ != 0) {
    // Messages may still be on their way to where the route is looked up. A PUT to this slot itself comes behind them
    // there; its word goes to a window that nobody has been given.
    if (free_windows_.empty()) return false;
    tidings_put_inline(&driver_, 0, endpoint(rank()), kRegion, free_windows_.back(), sizeof(std::uint32_t));
    while (!tidings_rma_quiet(&driver_)) {
    }
  }
  tidings_route(&driver_, tidings_slot_number(endpoint(rank())), slots);
  route_slots_ = slots;
  return true;
}

void MessageLayer::return_credits(Peer& peer) {
  if (peer.owed < layout_.credits / 2 || peer.credits == 0) return;
  Outgoing message;
  message.header.kind = MessageKind::Credit;
  post(peer, message);
}

// ---------------------------------------------------------------- mistakes

void MessageLayer::begin_collective(std::uint32_t context, std::int32_t tag, const CollectiveDescriptor& descriptor) {
  active_ = ActiveCollective{context, tag, descriptor};
  unexpected_.for_each(context, [&](const UnexpectedQueue<Arrival>::Message& message) {
    check_collective(message.envelope, message.item.descriptor);
  });
}

void MessageLayer::end_collective() {
  previous_ = active_->descriptor;
  active_.reset();
}

const MessageLayer::ActiveCollective* MessageLayer::active_in(std::uint32_t context) const {
  if (active_ && active_->context == context) return &*active_;
  const auto found = std::find_if(others_active_.begin(), others_active_.end(),
                                  [&](const ActiveCollective* active) { return active->context == context; });
  return found == others_active_.end() ? nullptr : *found;
}

void MessageLayer::check_collective(const Envelope& envelope, const std::optional<CollectiveDescriptor>& descriptor) {
  const ActiveCollective* const active = descriptor ? active_in(envelope.context) : nullptr;
  if (active == nullptr) return;
  // This rank has left an earlier collective without waiting for the message.
  const bool left = is_before(envelope.tag, active->tag);
  if (!left && (envelope.tag != active->tag || active->descriptor.agrees(*descriptor))) return;
  fail_mismatch("rank " + std::to_string(envelope.source), to_string(*descriptor));
}

void MessageLayer::fail_mismatch(const std::string& who, const std::string& what) {
  // A rank that has given its part may have left a collective before another's part shows that they do not agree.
  fail_(
      "collectives do not match: " + who + " called " + what +
      (previous_ && previous_->kind != Collective::Init ? ", this rank's last one was " + to_string(*previous_) : "") +
      (kRemedies ? ". Make the same calls in the same order at all ranks, with the same root, count and operation."
                 : ""));
  std::abort();
}

std::uint32_t MessageLayer::rank_of(const tidings_endpoint& endpoint) const {
  const std::size_t last = rank_of_endpoint_.size() - 1;
  for (std::size_t place = place_of(endpoint, rank_of_endpoint_.size());; place = (place + 1) & last) {
    const std::uint32_t rank = rank_of_endpoint_[place];
    if (rank == kNoRank || same(peers_[rank].endpoint, endpoint)) return rank;
  }
}

std::string MessageLayer::rank_at(const tidings_endpoint& endpoint) const {
  const std::uint32_t found = rank_of(endpoint);
  if (found != kNoRank) return "rank " + std::to_string(found);
  return "node " + std::to_string(endpoint.node) + " slot " + std::to_string(endpoint.slot) + ", which has no rank";
}

void MessageLayer::fail_on_engine_error() {
  tidings_error error{};
  if (!tidings_take_error(&driver_, &error)) return;
  if (error.engine == error.TIDINGS_ERROR_MPE && error.code == 0) {
    const bool tells =
        active_ && (active_->descriptor.kind == Collective::Bcast || has_operation(active_->descriptor.kind));
    const CollectiveDescriptor ours = tells ? active_->descriptor : previous_.value_or(CollectiveDescriptor{});
    fail_mismatch(rank_at(error.endpoint), explain_engine_word(error.descriptor, ours));
  }
  fail_(std::string("remote memory access refused by ") + rank_at(error.endpoint) + ": " + tidings_error_text(&error) +
        (kRemedies ? ". The library never asks for such an access: let the program leave the engine's registers alone, "
                     "and look for writes beyond its arrays."
                   : ""));
}

}  // namespace tidings
