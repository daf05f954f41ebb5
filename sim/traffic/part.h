// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file part.h
/// A part of a machine that carries synthetic traffic, or all of it.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/cycle/fabric.h"
#include "sim/machine/topology.h"
#include "sim/traffic/destinations.h"
#include "sim/traffic/ledger.h"
#include "sim/traffic/sources.h"
#include "sim/traffic/traffic_config.h"

namespace tidings::traffic {

/// Routers with their endpoints, the packets that these create, and the accounts of those that arrive at them.
class Part {
 public:
  /// @param parts of the machine. @param here the one that this is.
  Part(const TrafficConfig& config, const Topology& topology, const Destinations& destinations, Ledger::Window window,
       const std::vector<cycle::NodeRange>& parts, std::size_t here);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }
  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }

  /// No packets are created from now on, but by `create`.
  void stop_sources() { sources_.stop(); }
  /// A packet is created now. @param number of the endpoint in the machine.
  virtual void create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) = 0;
  /// Simulate up to `end`.
  virtual void run(Cycle end) = 0;
  /// Take what has left another part for this one, number `here`. All parts have been simulated as far. A part that is
  /// all of the machine has no others.
  virtual void take_from(Part& /*other*/, std::size_t /*from*/, std::size_t /*here*/) {}
  /// Flits that have left through a network port. @param node by its number in this part.
  [[nodiscard]] virtual std::uint64_t link_flits(NodeIndex node, PortId port) const = 0;

 protected:
  /// The first word of a packet.
  [[nodiscard]] std::uint32_t header(std::uint32_t source, std::uint32_t destination) const {
    return addresses_[destination] | source_bits(source);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& addresses() const { return addresses_; }
  [[nodiscard]] Ledger& accounts() { return ledger_; }
  [[nodiscard]] Sources& sources() { return sources_; }
  [[nodiscard]] Ledger::Range endpoints() const { return endpoints_; }
  /// Packets that are due in this cycle are created.
  void create_due() {
    while (sources_.next() == ledger_.now) {
      sources_.take([this](std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) {
        create(number, destination, message_class);
      });
    }
  }

 private:
  std::uint32_t nodes_;
  Ledger::Range endpoints_;
  Ledger ledger_;
  Sources sources_;
  std::vector<std::uint32_t> addresses_;  ///< of all endpoints: the first word of a packet to each, without its source
};

}  // namespace tidings::traffic
