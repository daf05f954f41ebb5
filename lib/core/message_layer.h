// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file message_layer.h
/// Sends and receives over the driver: matching, eager messages and rendezvous.
///
/// Nothing happens between calls into the library; each call that may block or test lets everything move that can.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/free_work.h"
#include "core/matching.h"
#include "core/memory_layout.h"
#include "core/protocol.h"
#include "core/request.h"
#include "core/ring_queue.h"
#include "core/several_threads.h"
#include "driver.h"
#include "platform.h"
#include "route.h"
#include "trace.h"

namespace tidings {

/// Requests that the other side knows by a number.
class NumberedRequests {
 public:
  std::uint32_t add(RequestPointer request) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(requests_.size()));
      requests_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    requests_[number] = std::move(request);
    return number;
  }
  [[nodiscard]] const RequestPointer& at(std::uint32_t number) const { return requests_.at(number); }
  void remove(std::uint32_t number) {
    requests_[number].reset();
    free_.push_back(number);
  }

 private:
  std::vector<RequestPointer> requests_;
  std::vector<std::uint32_t> free_;
};

/// A message that could be received now.
struct Probed {
  Envelope envelope;
  std::size_t bytes = 0;
};

/// A message that no receive has asked for yet.
struct Arrival {
  std::size_t bytes = 0;
  std::uint32_t message = 0;                   ///< its number, for the trace
  std::array<std::byte, kEagerBytes> eager{};  ///< data of an eager message
  std::optional<RequestToSend> announced;
  std::vector<std::byte> own;  ///< data of a message of this rank to itself
  RequestPointer self;         ///< synchronous send of this rank to itself
  std::optional<CollectiveDescriptor> descriptor;
};

/// What goes on whenever the library lets messages move.
class Activities {
 public:
  virtual ~Activities() = default;
  virtual void advance() = 0;
};

class MessageLayer {
 public:
  /// A message that has been matched and is received later.
  using Matched = UnexpectedQueue<Arrival>::Message;

  /// Ends the run; the text follows "rank N: OPERATION: ".
  using Fail = std::function<void(const std::string&)>;

  /// Open this rank's slot. @throws Error if it cannot be used.
  static std::unique_ptr<MessageLayer> open(const tidings_platform& platform, Fail fail);

  MessageLayer(const MessageLayer&) = delete;
  MessageLayer& operator=(const MessageLayer&) = delete;
  ~MessageLayer() = default;

  [[nodiscard]] std::uint32_t rank() const { return platform_.rank; }
  [[nodiscard]] std::uint32_t ranks() const { return platform_.ranks; }
  [[nodiscard]] const tidings_platform& platform() const { return platform_; }
  /// Slot that a rank sends and receives with.
  [[nodiscard]] const tidings_endpoint& endpoint(std::uint32_t rank) const {
    return platform_.endpoints[rank * platform_.slots];
  }
  /// Node memory of this rank's slot, from an engine's address on.
  [[nodiscard]] std::byte* memory(std::uint32_t address) const {
    return static_cast<std::byte*>(driver_.memory.base) + address;
  }
  [[nodiscard]] const MemoryLayout& layout() const { return layout_; }
  [[nodiscard]] tidings_driver& driver() { return driver_; }

  /// Start a send or a receive, described by kind, buffer, peer, tag, context, mode and descriptor.
  void start(const RequestPointer& request);

  /// Send one message to several ranks at once, along a static route of this slot.
  /// @param request a send to any of them. @param peers world ranks without this one.
  /// @return false if that cannot be now, and nothing has happened: the machine has no such routes, the message is too
  /// long, or a peer has no room for it.
  bool multicast(const RequestPointer& request, std::span<const std::uint32_t> peers);
  /// Every one of these ranks has room for a message, and none waits for it.
  [[nodiscard]] bool have_room(std::span<const std::uint32_t> peers) const;

  /// The oldest message that matches and has not been received.
  [[nodiscard]] std::optional<Probed> probe(const Pattern& pattern);

  /// Take the oldest message that matches out of the queue, to receive it later.
  [[nodiscard]] std::optional<Matched> take(const Pattern& pattern);
  /// Receive a message that has been taken.
  void receive(const RequestPointer& request, Matched& message);
  /// Take back a receive that no message has matched. @return false if one has.
  bool withdraw(const RequestPointer& request);

  /// Have something advance whenever messages move; once for the whole run. It outlives the message layer. Ranks with
  /// several threads have some, so that the others need not ask for them.
  void set_activities(Activities* activities) { activities_ = activities; }

  /// Let everything move that can, without blocking.
  void poll();

  /// If transfers may take no time (drivers/ideal.h): block until something has come, by messages or without, and let
  /// everything move that can. Messages take their time meanwhile.
  void await();

  /// Block until done() holds. @param describe returns the Waiting; called only if somebody asks.
  template <class Done, class Describe>
  void wait(Done done, const Describe& describe) {
    if (done()) return;
    if (activities_ != nullptr) [[unlikely]] {
      // What has been started since may be complete without anything having moved.
      advance_activities();
      if (done()) return;
    }
    tidings_trace_wait(
        [](const void* subject) {
          const Waiting waiting = (*static_cast<const Describe*>(subject))();
          tidings_trace_waiting(waiting.text.c_str(), waiting.ranks.data(),
                                static_cast<std::uint32_t>(waiting.ranks.size()));
        },
        &describe);
    do {
      if (activities_ != nullptr && (several_threads || ideal())) [[unlikely]] {
        if (several_threads) {
          wait_beside_threads([](void* subject) { return static_cast<bool>((*static_cast<Done*>(subject))()); }, &done);
          break;
        }
        await();
      } else {
        progress(tidings_wait(&driver_, wait_causes()));
      }
    } while (!done());
    tidings_trace_wait(nullptr, nullptr);
  }

  /// Wait until the only thing is complete that another engine does: a barrier over wires, or an all-to-all.
  /// @param cause the one that is pending then.
  template <class Describe>
  void wait_for_engine(std::uint32_t cause, const Describe& describe) {
    awaited_cause_ |= cause;
    wait([&] { return (awaited_cause_ & cause) == 0; }, describe);
  }

  /// Whether somebody waits for PUTs, GETs or atomic accesses beside those of messages.
  void await_commands(bool somebody) { commands_awaited_ = somebody; }
  /// Wait until every PUT so far has been written at its target. @param looks at the engine before the processor waits.
  template <class Describe>
  void await_quiet(int looks, const Describe& describe) {
    while (looks-- > 0) {
      if (tidings_rma_quiet(&driver_)) return;
    }
    wait_for_engine(TIDINGS_IRQ_RMA_IDLE, describe);
  }

  /// Wait until every message has left and every PUT has been written.
  void flush();

  /// Enter the collective whose messages carry `tag` in `context`: messages that belong to it are checked from now on.
  /// One that is left over from an earlier collective is a mistake too.
  void begin_collective(std::uint32_t context, std::int32_t tag, const CollectiveDescriptor& descriptor);
  void end_collective();
  /// The last collective was part of another function, which is the one that the program has called.
  void name_last_collective(Collective kind) { previous_ = CollectiveDescriptor{.kind = kind}; }

  void close() { tidings_driver_close(&driver_); }

 private:
  struct Outgoing {
    static constexpr std::size_t kMostBody = sizeof(CollectiveDescriptor) + sizeof(RequestToSend);
    MessageHeader header;
    std::uint32_t body_bytes = 0;
    std::array<std::byte, kMostBody> body;  ///< behind the header
    RequestPointer eager;                   ///< its data goes behind the body, and then it is complete

    template <class T>
    void append(const T& value) {
      std::memcpy(body.data() + body_bytes, &value, sizeof(T));
      body_bytes += static_cast<std::uint32_t>(sizeof(T));
    }
  };
  struct Peer {
    tidings_endpoint endpoint{};
    std::uint32_t credits = 0;  ///< messages that we may send
    std::uint32_t owed = 0;     ///< messages consumed since we last said so
    std::uint32_t sent = 0;     ///< messages of the program, numbered for the trace
    std::uint32_t arrived = 0;  ///< likewise
    RingQueue<Outgoing> queue;
  };
  struct PendingGrant {
    RequestPointer request;
    std::uint32_t peer = 0;
    Grant grant;
  };
  struct ActiveCollective {
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    CollectiveDescriptor descriptor;
  };

  MessageLayer(const tidings_platform& platform, const tidings_driver& driver, const MemoryLayout& layout, Fail fail);

  /// As wait() if other threads of the rank may go on, or come.
  [[gnu::cold, gnu::noinline]] void wait_beside_threads(bool (*done)(void* subject), void* subject);
  void await_device();

  void start_send(const RequestPointer& request);
  void send_to_self(const RequestPointer& request);
  void start_receive(const RequestPointer& request);
  void deliver(const RequestPointer& request, Matched& message);

  void progress(std::uint32_t causes);
  [[gnu::cold, gnu::noinline]] void advance_activities();
  [[nodiscard]] std::uint32_t wait_causes() const;
  void drain();
  void handle(std::uint32_t peer, const std::byte* message, std::size_t bytes);
  void handle_eager(const Envelope& envelope, const std::optional<CollectiveDescriptor>& descriptor,
                    const std::byte* data, std::size_t bytes);
  void handle_request_to_send(const Envelope& envelope, const std::optional<CollectiveDescriptor>& descriptor,
                              const RequestToSend& announced);
  void handle_done(std::uint32_t peer, const Done& done);

  void accept(const RequestPointer& request, const Envelope& envelope, const RequestToSend& announced);
  void grant_windows();
  void write_granted();

  void transmit(std::uint32_t peer, Outgoing&& message);
  void post(Peer& peer, Outgoing& message);
  /// What any message for a request says of it, and one that has its data.
  [[nodiscard]] static Outgoing message_of(const RequestPointer& request);
  [[nodiscard]] static Outgoing eager_message(const RequestPointer& request);
  /// Write a message to where the next short one leaves from. @return its bytes.
  std::uint32_t write(const Outgoing& message);
  /// Let the static route of this slot lead to these slots. @return false if that cannot be now.
  bool lead_route(std::uint64_t slots);
  void trace_sent(Peer& peer, const Outgoing& message);
  void flush_queue(Peer& peer);
  void return_credits(Peer& peer);

  /// The collective that a thread of this rank is in.
  [[nodiscard]] const ActiveCollective* active_in(std::uint32_t context) const;
  void check_collective(const Envelope& envelope, const std::optional<CollectiveDescriptor>& descriptor);
  [[noreturn]] void fail_mismatch(const std::string& who, const std::string& what);
  void fail_on_engine_error();
  [[nodiscard]] std::string rank_at(const tidings_endpoint& endpoint) const;
  /// The rank that has an endpoint; the highest number there is if none has.
  [[nodiscard]] std::uint32_t rank_of(const tidings_endpoint& endpoint) const;

  tidings_platform platform_;
  std::uint32_t awaited_cause_ = 0;  ///< of what another engine does; 0: nothing is awaited
  bool commands_awaited_ = false;    ///< await_commands()
  tidings_driver driver_;
  MemoryLayout layout_;
  Fail fail_;
  std::vector<Peer> peers_;
  std::vector<std::uint32_t> rank_of_endpoint_;  ///< a hash table: its keys are in peers_
  std::optional<struct tidings_routes> routes_;  ///< read when they are first asked for
  std::uint64_t route_slots_ = 0;                ///< that the route of this slot leads to, one bit each

  PostedQueue<RequestPointer> posted_;
  UnexpectedQueue<Arrival> unexpected_;

  NumberedRequests sends_;     ///< announced
  NumberedRequests receives_;  ///< granted
  RingQueue<RequestPointer> wants_window_;
  std::vector<std::uint32_t> free_windows_;
  RingQueue<PendingGrant> grants_;               ///< that we have been given and not yet used
  std::vector<std::uint32_t> staging_commands_;  ///< PUT that last used each staging buffer
  std::uint32_t next_staging_ = 0;
  Activities* activities_ = nullptr;
  std::uint32_t arrivals_ = 0;  ///< how often something has moved, if there are several threads
  std::optional<ActiveCollective> active_;
  std::vector<const ActiveCollective*> others_active_;  ///< of other threads, which wait
  std::optional<CollectiveDescriptor> previous_;        ///< collective that this rank left last
};

}  // namespace tidings
