// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file software.h
/// Random accesses of software to the registers of a slot.
#include <cstdint>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/machine/bit_field.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/traffic/random.h"

namespace tidings::verify {

/// Draws accesses from the description of the registers: each register is read, and each field that can be written has
/// zero and any other value. A new register or field is so drawn by itself.
class Software {
 public:
  /// Bytes of the regions that the set-up registers: row 0 is memory, row 1 the table of static routes.
  static constexpr std::uint32_t kRegionBytes = 4096;

  Software(const NodeParameters& parameters, const Topology& topology) : parameters_(parameters), topology_(topology) {}

  /// What makes the slot take packets, and links of collectives: those of a context do not change while it works.
  [[nodiscard]] std::vector<BusRequest> set_up(traffic::Random& random) const;
  /// One access. Status, the counts of what was received, and the errors are read more often than others.
  [[nodiscard]] BusRequest draw(traffic::Random& random) const;
  /// A change of a static route.
  [[nodiscard]] std::uint32_t route_word(traffic::Random& random) const;

 private:
  [[nodiscard]] std::vector<BusRequest> receiving() const;
  [[nodiscard]] std::uint32_t word(traffic::Random& random, const RegisterInfo& info) const;
  /// The word with what keeps commands finite and addresses in the machine.
  [[nodiscard]] std::uint32_t limited(traffic::Random& random, std::uint16_t address, std::uint32_t word) const;
  [[nodiscard]] std::uint32_t any_node(traffic::Random& random) const;

  NodeParameters parameters_;
  const Topology& topology_;
};

}  // namespace tidings::verify
