// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file software.h
/// Random accesses of software to the registers of a slot.
#include <cstdint>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "generated/registers.h"
#include "sim/machine/bit_field.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/traffic/random.h"

namespace tidings::verify {

/// Draws a command of `mpe` over any of its links: any operation, element and way to combine, for the root or below it.
/// @param exchanges some of them are in rounds.
[[nodiscard]] registers::MpeCommand draw_mpe_command(traffic::Random& random, const NodeParameters& parameters,
                                                     bool exchanges);

/// Draws what an atomic access asks for: often one that there is.
[[nodiscard]] tidings_pkg::AtomicLength draw_atomic(traffic::Random& random);

/// Draws a change of a static route. @param router_ports those of its slots among them.
[[nodiscard]] registers::Route draw_route(traffic::Random& random, const NodeParameters& parameters,
                                          std::uint32_t router_ports);

/// Draws accesses from the description of the registers: each register is read, and each field that can be written has
/// zero and any other value. A new register or field is so drawn by itself.
class Software {
 public:
  /// What its surroundings let it do.
  struct Limits {
    bool gets = false;               ///< somebody answers a GET
    std::vector<NodeId> neighbours;  ///< that links of `mpe` lead to; without any it draws no links and no commands
    std::uint32_t log2_queue = 3;    ///< places of the queue of messages: their number does not change while some come
  };
  /// Rows of the regions that the set-up registers, and their bytes.
  static constexpr std::uint32_t kMemoryRegion = 0, kRouteRegion = 1, kRegionBytes = 4096;

  /// @param nodes that packets may go to; @param ports of the router, those of its slots among them.
  Software(const NodeParameters& parameters, std::vector<NodeId> nodes, std::uint32_t ports, Limits limits);
  /// Of one node of a machine, alone. Nobody answers its GETs, and its links lead to others: it has no credits of its
  /// own.
  Software(const NodeParameters& parameters, const Topology& topology, NodeIndex node, traffic::Random random);

  /// What makes the slot take packets, and links of collectives: those of a context do not change while it works.
  [[nodiscard]] std::vector<BusRequest> set_up(traffic::Random& random) const;
  /// What software does at one time: mostly one access. Status, the counts of what was received, and the errors are
  /// read more often than others. What it has consumed of the queue of messages is for the caller to write.
  [[nodiscard]] std::vector<BusRequest> draw(traffic::Random& random) const;

 private:
  [[nodiscard]] std::vector<BusRequest> receiving() const;
  [[nodiscard]] bool may_write(const RegisterInfo& info) const;
  /// Short messages to one slot, more than a small queue has places.
  [[nodiscard]] std::vector<BusRequest> flood(traffic::Random& random) const;
  /// The engine `stream`: peers, matches, packets that are complete, words that have come.
  [[nodiscard]] std::vector<BusRequest> use_stream(traffic::Random& random) const;
  [[nodiscard]] std::vector<BusRequest> use_atomics(traffic::Random& random) const;
  [[nodiscard]] std::vector<BusRequest> use_names(traffic::Random& random) const;
  [[nodiscard]] std::vector<BusRequest> use_barrier(traffic::Random& random) const;
  [[nodiscard]] std::vector<BusRequest> use_alltoall(traffic::Random& random) const;
  [[nodiscard]] std::uint32_t word(traffic::Random& random, const RegisterInfo& info) const;
  /// The word with what keeps commands finite and addresses in the machine.
  [[nodiscard]] std::uint32_t limited(traffic::Random& random, std::uint16_t address, std::uint32_t word) const;
  [[nodiscard]] static std::uint32_t any(traffic::Random& random, const std::vector<NodeId>& nodes);

  NodeParameters parameters_;
  std::vector<const RegisterInfo*> registers_;  ///< that are drawn without regard to what they do
  std::vector<NodeId> nodes_;
  std::uint32_t ports_;
  Limits limits_;
};

}  // namespace tidings::verify
