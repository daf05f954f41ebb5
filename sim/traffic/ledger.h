// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file ledger.h
/// Which packets are under way, and what is counted of them.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sim/machine/types.h"
#include "sim/traffic/latencies.h"

namespace tidings::traffic {

/// A packet that waits at its source.
struct WaitingPacket {
  Cycle created;
  std::uint32_t destination = 0;
};

/// Numbers of endpoints must fit the header's bits that routers do not look at: see `source_bits`.
inline constexpr std::uint32_t kMostEndpoints = 12U << 12U;

/// The sender, written where a packet's kind and source are: routers look at both only to tell static routes,
/// kinds 4 to 7, which are left out.
[[nodiscard]] constexpr std::uint32_t source_bits(std::uint32_t endpoint) {
  const std::uint32_t kind = endpoint >> 12U;
  return (kind < 4 ? kind : kind + 4) << 28U | (endpoint & 0xfffU);
}

/// The sender of a packet with such a header.
[[nodiscard]] constexpr std::uint32_t source_of(std::uint32_t header) {
  const std::uint32_t kind = header >> 28U;
  return (kind < 4 ? kind : kind - 4) << 12U | (header & 0xfffU);
}

/// The accounts of all endpoints. A packet of one flit has no room for its times, so they are kept here: packets of one
/// class between two endpoints stay in order, because each pair has one way.
class Ledger {
 public:
  /// Packets that are created in `cycles` cycles from `first` on are measured.
  struct Window {
    Cycle first;
    std::uint64_t cycles = 0;
    [[nodiscard]] bool contains(Cycle cycle) const { return cycle >= first && cycle - first < cycles; }
  };

  Ledger(std::uint32_t endpoints, Window window) : window_(window), under_way_(endpoints) {}

  /// The cycle that is simulated. Endpoints do not know it otherwise.
  Cycle now;

  /// A packet joins the queue of its source.
  void created(std::uint32_t flits) {
    ++created_packets_;
    created_flits_ += flits;
    if (!window_.contains(now)) return;
    ++measured_;
    window_created_flits_ += flits;
  }

  /// The head of a packet leaves its source in this cycle.
  void departed(std::uint32_t source, std::uint8_t message_class, const WaitingPacket& packet) {
    under_way_[source].push_back({.created = packet.created,
                                  .departed = now,
                                  .destination = packet.destination,
                                  .message_class = message_class});
  }

  /// A flit arrives in this cycle.
  void flit_arrived() {
    ++arrived_flits_;
    if (window_.contains(now)) ++window_arrived_flits_;
  }

  /// The tail of a packet arrives in this cycle.
  void packet_arrived(std::uint32_t source, std::uint32_t destination, std::uint8_t message_class) {
    const UnderWay packet = take(source, destination, message_class);
    ++arrived_packets_;
    if (!window_.contains(packet.created)) return;
    ++measured_arrived_;
    const auto batch =
        static_cast<std::size_t>((packet.created - window_.first) * Latencies::kBatches / window_.cycles);
    // A packet that is created at the beginning of a cycle has arrived at the end of one.
    latencies_.add(now - packet.created + 1, batch);
    network_latencies_.add(now - packet.departed + 1, batch);
  }

  /// Measured packets that have not arrived.
  [[nodiscard]] std::uint64_t missing() const { return measured_ - measured_arrived_; }
  /// Packets and flits that were created and have not arrived, at their sources or in the network.
  [[nodiscard]] std::uint64_t waiting_packets() const { return created_packets_ - arrived_packets_; }
  [[nodiscard]] std::uint64_t waiting_flits() const { return created_flits_ - arrived_flits_; }
  [[nodiscard]] std::uint64_t window_created_flits() const { return window_created_flits_; }
  [[nodiscard]] std::uint64_t window_arrived_flits() const { return window_arrived_flits_; }
  [[nodiscard]] const Latencies& latencies() const { return latencies_; }
  /// From the departure of the head.
  [[nodiscard]] const Latencies& network_latencies() const { return network_latencies_; }

 private:
  struct UnderWay {
    Cycle created;
    Cycle departed;
    std::uint32_t destination = 0;
    std::uint8_t message_class = 0;
  };

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

  Window window_;
  std::vector<std::vector<UnderWay>> under_way_;  ///< a source: in order of departure; few, so they are searched
  Latencies latencies_;
  Latencies network_latencies_;
  std::uint64_t created_packets_ = 0;
  std::uint64_t arrived_packets_ = 0;
  std::uint64_t created_flits_ = 0;
  std::uint64_t arrived_flits_ = 0;
  std::uint64_t measured_ = 0;
  std::uint64_t measured_arrived_ = 0;
  std::uint64_t window_created_flits_ = 0;
  std::uint64_t window_arrived_flits_ = 0;
};

}  // namespace tidings::traffic
