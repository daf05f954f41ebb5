// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file ledger.h
/// Which packets are under way, and what is counted of them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "generated/tidings_pkg.h"
#include "sim/machine/types.h"
#include "sim/traffic/latencies.h"

namespace tidings::traffic {

/// A packet that waits at its source.
struct WaitingPacket {
  Cycle created;
  std::uint32_t destination = 0;
};

/// The packets that wait at all sources of a part of a machine: queues without bound that share their memory, so that
/// an empty one has 4 bytes.
class WaitingPackets {
 public:
  class Queue {
   public:
    [[nodiscard]] bool empty() const { return last_ == kNone; }
    [[nodiscard]] const WaitingPacket& front(const WaitingPackets& packets) const {
      return packets.entries_[packets.entries_[last_].next].packet;
    }
    void push(WaitingPackets& packets, const WaitingPacket& packet) {
      const std::uint32_t place = packets.take_place();
      Entry& entry = packets.entries_[place];
      entry.packet = packet;
      if (empty()) {
        entry.next = place;
      } else {
        entry.next = std::exchange(packets.entries_[last_].next, place);
      }
      last_ = place;
    }
    void pop(WaitingPackets& packets) {
      const std::uint32_t first = packets.entries_[last_].next;
      if (first == last_) {
        last_ = kNone;
      } else {
        packets.entries_[last_].next = packets.entries_[first].next;
      }
      packets.free_.push_back(first);
    }

   private:
    std::uint32_t last_ = kNone;  ///< the newest, from which the oldest is next
  };

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Entry {
    WaitingPacket packet;
    std::uint32_t next = kNone;
  };

  std::uint32_t take_place() {
    if (free_.empty()) {
      entries_.emplace_back();
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;  ///< places in `entries_`
};

/// Kinds of packets that travel by the address of their destination: routers look at a kind only to tell those with a
/// static route.
struct AddressedKinds {
  static constexpr std::uint8_t kCodes = 1U << tidings_pkg::Header0::kKindField.width;
  std::array<tidings_pkg::Kind, kCodes> kinds{};
  std::array<std::uint8_t, kCodes> numbers{};  ///< places in `kinds`, by kind
  std::uint8_t count = 0;

  constexpr AddressedKinds() {
    for (std::uint8_t code = 0; code < kCodes; ++code) {
      const auto kind = static_cast<tidings_pkg::Kind>(code);
      if (is_static(kind)) continue;
      numbers[code] = count;
      kinds[count++] = kind;
    }
  }
};
inline constexpr AddressedKinds kAddressedKinds;

/// Numbers of endpoints must fit the header's bits that routers do not look at: see `source_bits`.
inline constexpr std::uint32_t kMostEndpoints = std::uint32_t{kAddressedKinds.count} << tidings_pkg::kNodeIdWidth;

/// The sender, written where a packet's kind and source are.
[[nodiscard]] constexpr std::uint32_t source_bits(std::uint32_t endpoint) {
  const std::uint32_t upper = endpoint >> tidings_pkg::kNodeIdWidth;
  const auto lower = static_cast<std::uint16_t>(endpoint & ((1U << tidings_pkg::kNodeIdWidth) - 1));
  return tidings_pkg::Header0{.kind = kAddressedKinds.kinds[upper], .src_node = NodeId{lower}}.encode();
}

/// The sender of a packet with such a header.
[[nodiscard]] constexpr std::uint32_t source_of(std::uint32_t word) {
  const auto header = tidings_pkg::Header0::decode(word);
  const std::uint32_t upper = kAddressedKinds.numbers[static_cast<std::uint8_t>(header.kind)];
  return upper << tidings_pkg::kNodeIdWidth | header.src_node.value;
}

/// How many packets and flits there were. Those of the parts of a machine add up.
struct Counts {
  std::uint64_t created_packets = 0;
  std::uint64_t arrived_packets = 0;
  std::uint64_t created_flits = 0;
  std::uint64_t arrived_flits = 0;
  std::uint64_t measured = 0;  ///< packets that were created in the window
  std::uint64_t measured_arrived = 0;
  std::uint64_t window_created_flits = 0;
  std::uint64_t window_arrived_flits = 0;
  Cycle settled;  ///< behind the last arrival of a measured packet

  /// Measured packets that have not arrived.
  [[nodiscard]] std::uint64_t missing() const { return measured - measured_arrived; }
  /// Packets and flits that were created and have not arrived, at their sources or in the network.
  [[nodiscard]] std::uint64_t waiting_packets() const { return created_packets - arrived_packets; }
  [[nodiscard]] std::uint64_t waiting_flits() const { return created_flits - arrived_flits; }

  Counts& operator+=(const Counts& other) {
    created_packets += other.created_packets;
    arrived_packets += other.arrived_packets;
    created_flits += other.created_flits;
    arrived_flits += other.arrived_flits;
    measured += other.measured;
    measured_arrived += other.measured_arrived;
    window_created_flits += other.window_created_flits;
    window_arrived_flits += other.window_arrived_flits;
    settled = std::max(settled, other.settled);
    return *this;
  }
};

/// The accounts of the endpoints of a part of a machine. A packet of one flit has no room for its times, so they are
/// kept here, where it arrives: packets of one class between two endpoints stay in order, because each pair has one
/// way.
class Ledger {
 public:
  /// Packets that are created in `cycles` cycles from `first` on are measured.
  struct Window {
    Cycle first;
    std::uint64_t cycles = 0;
    [[nodiscard]] bool contains(Cycle cycle) const { return cycle >= first && cycle - first < cycles; }
  };
  /// Endpoints from `first` to before `end`.
  struct Range {
    std::uint32_t first;
    std::uint32_t end;
    [[nodiscard]] bool contains(std::uint32_t endpoint) const { return endpoint >= first && endpoint < end; }
  };

  /// A packet in the network.
  struct UnderWay {
    Cycle created;
    Cycle departed;
    std::uint32_t destination = 0;
    std::uint8_t message_class = 0;
  };
  struct Departure {
    std::uint32_t source;
    UnderWay packet;
  };

  /// @param parts of the machine, each behind the one before. @param here the one whose accounts these are.
  Ledger(std::vector<Range> parts, std::size_t here, Window window)
      : parts_(std::move(parts)),
        here_(parts_[here]),
        window_(window),
        under_way_(parts_.back().end),
        departures_(parts_.size()) {}
  /// Of all endpoints.
  Ledger(std::uint32_t endpoints, Window window) : Ledger({{.first = 0, .end = endpoints}}, 0, window) {}

  /// The cycle that is simulated. Endpoints do not know it otherwise.
  Cycle now;

  /// The queues of its endpoints.
  [[nodiscard]] WaitingPackets& waiting() { return waiting_; }

  /// A packet joins the queue of its source.
  void created(std::uint32_t flits) {
    ++counts_.created_packets;
    counts_.created_flits += flits;
    if (!window_.contains(now)) return;
    ++counts_.measured;
    counts_.window_created_flits += flits;
  }

  /// The head of a packet leaves its source in `cycle`.
  void departed(Cycle cycle, std::uint32_t source, std::uint8_t message_class, const WaitingPacket& packet) {
    const UnderWay departure{.created = packet.created,
                             .departed = cycle,
                             .destination = packet.destination,
                             .message_class = message_class};
    if (here_.contains(packet.destination)) {
      under_way_[source].push_back(departure);
    } else {
      const auto part =
          std::ranges::find_if(parts_, [&](const Range& endpoints) { return endpoints.contains(packet.destination); });
      departures_[static_cast<std::size_t>(part - parts_.begin())].push_back({.source = source, .packet = departure});
    }
  }

  /// A flit arrives in this cycle.
  void flit_arrived() { flits_arrived(now, now + 1); }

  /// A flit arrives in each cycle from `first` to before `end`.
  void flits_arrived(Cycle first, Cycle end) {
    counts_.arrived_flits += end - first;
    const Cycle from = std::max(first, window_.first);
    const Cycle to = std::min(end, window_.first + window_.cycles);
    if (from < to) counts_.window_arrived_flits += to - from;
  }

  /// The tail of a packet arrives in this cycle.
  void packet_arrived(std::uint32_t source, std::uint32_t destination, std::uint8_t message_class) {
    const UnderWay packet = take(source, destination, message_class);
    ++counts_.arrived_packets;
    if (!window_.contains(packet.created)) return;
    ++counts_.measured_arrived;
    counts_.settled = now + 1;
    const auto batch =
        static_cast<std::size_t>((packet.created - window_.first) * Latencies::kBatches / window_.cycles);
    // A packet that is created at the beginning of a cycle has arrived at the end of one.
    latencies_.add(now - packet.created + 1, batch);
    network_latencies_.add(now - packet.departed + 1, batch);
  }

  /// What has departed for part number `part` and has not been taken by its `accept`.
  [[nodiscard]] std::vector<Departure>& departures(std::size_t part) { return departures_[part]; }
  /// What has departed in another part, before any of it arrives here.
  void accept(std::vector<Departure>& departures) {
    for (const Departure& departure : departures) under_way_[departure.source].push_back(departure.packet);
    departures.clear();
  }

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const Latencies& latencies() const { return latencies_; }
  /// From the departure of the head.
  [[nodiscard]] const Latencies& network_latencies() const { return network_latencies_; }

 private:
  UnderWay take(std::uint32_t source, std::uint32_t destination, std::uint8_t message_class) {
    std::vector<UnderWay>& packets = under_way_[source];
    for (auto packet = packets.begin(); packet != packets.end(); ++packet) {
      if (packet->destination != destination || packet->message_class != message_class) continue;
      const UnderWay result = *packet;
      packets.erase(packet);
      return result;
    }
    throw std::logic_error("endpoint " + std::to_string(destination) + " got a packet that endpoint " +
                           std::to_string(source) + " did not send to it");
  }

  std::vector<Range> parts_;
  Range here_;
  Window window_;
  std::vector<std::vector<UnderWay>> under_way_;    ///< a source: in order of departure; few, so they are searched
  std::vector<std::vector<Departure>> departures_;  ///< for each part
  WaitingPackets waiting_;
  Latencies latencies_;
  Latencies network_latencies_;
  Counts counts_;
};

}  // namespace tidings::traffic
