// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file message_layer.h
/// Sends and receives over the driver: matching, eager messages and rendezvous.
///
/// Nothing happens between calls into the library; each call that may block or test lets everything move that can.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/matching.h"
#include "core/memory_layout.h"
#include "core/protocol.h"
#include "core/request.h"
#include "driver.h"
#include "platform.h"

namespace tidings {

/// What a rank waits for, in MPI's terms, and which world ranks could end the wait.
struct Waiting {
  std::string text;
  std::vector<std::uint32_t> ranks;
};

/// A message that could be received now.
struct Probed {
  Envelope envelope;
  std::size_t bytes = 0;
};

class MessageLayer {
 public:
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

  /// The oldest message that matches and has not been received.
  [[nodiscard]] std::optional<Probed> probe(const Pattern& pattern);

  /// Let everything move that can, without blocking.
  void poll();

  /// Block until done() holds. @param describe tells what is waited for; called only where it is.
  void wait(const std::function<bool()>& done, const std::function<Waiting()>& describe);

  /// Wait until every message has left and every PUT has been written.
  void flush();

  /// Enter the collective whose messages carry `tag` in `context`: messages that belong to it are checked from now on.
  /// One that is left over from an earlier collective is a mistake too.
  void begin_collective(std::uint32_t context, std::int32_t tag, const CollectiveDescriptor& descriptor);
  void end_collective();

  void close() { tidings_driver_close(&driver_); }

 private:
  struct Outgoing {
    MessageHeader header;
    std::vector<std::byte> body;
    RequestPointer eager;  ///< its data goes behind the body, and then it is complete
  };
  struct Peer {
    tidings_endpoint endpoint{};
    std::uint32_t credits = 0;  ///< messages that we may send
    std::uint32_t owed = 0;     ///< messages consumed since we last said so
    std::deque<Outgoing> queue;
  };
  /// A message that no receive has asked for yet.
  struct Arrival {
    std::size_t bytes = 0;
    std::vector<std::byte> data;  ///< of an eager message
    std::optional<RequestToSend> announced;
    RequestPointer self;  ///< synchronous send of this rank to itself
    std::optional<CollectiveDescriptor> descriptor;
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

  void start_send(const RequestPointer& request);
  void send_to_self(const RequestPointer& request);
  void start_receive(const RequestPointer& request);

  void progress(std::uint32_t causes);
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

  void transmit(std::uint32_t peer, Outgoing message);
  void post(Peer& peer, Outgoing& message);
  void flush_queue(Peer& peer);
  void return_credits(Peer& peer);

  void check_collective(const Envelope& envelope, const std::optional<CollectiveDescriptor>& descriptor);
  [[noreturn]] void fail_mismatch(const std::string& who, const std::string& what);
  void fail_on_engine_error();
  [[nodiscard]] std::string rank_at(const tidings_endpoint& endpoint) const;

  tidings_platform platform_;
  tidings_driver driver_;
  MemoryLayout layout_;
  Fail fail_;
  std::vector<Peer> peers_;
  std::unordered_map<std::uint32_t, std::uint32_t> rank_of_endpoint_;

  PostedQueue<RequestPointer> posted_;
  UnexpectedQueue<Arrival> unexpected_;

  std::uint32_t next_number_ = 0;
  std::unordered_map<std::uint32_t, RequestPointer> sends_;     ///< announced, by number
  std::unordered_map<std::uint32_t, RequestPointer> receives_;  ///< granted, by number
  std::deque<RequestPointer> wants_window_;
  std::vector<std::uint32_t> free_windows_;
  std::deque<PendingGrant> grants_;              ///< that we have been given and not yet used
  std::vector<std::uint32_t> staging_commands_;  ///< PUT that last used each staging buffer
  std::uint32_t next_staging_ = 0;
  std::optional<ActiveCollective> active_;
  std::optional<CollectiveDescriptor> previous_;  ///< collective that this rank left last
};

}  // namespace tidings
