// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file estimate.h
/// What algorithms cost: least cycles in the engines, and the time of a schedule of messages.
#include <cstdint>

#include "coll/registry.h"

namespace tidings {

/// Cycles of the engines and the network.
struct EngineCosts {
  std::uint64_t hop = 1;     ///< of a link
  std::uint64_t router = 2;  ///< between two slots of one router
  std::uint64_t adder = 0;   ///< to combine two elements
};

/// Words that cross the busiest link of a grid, or of a slot, if every member sends a word to every other, whatever the
/// routes. On a mesh of k x k routers, max(k^3 / 4, k^2 - 1).
[[nodiscard]] std::uint64_t exchange_words(const Placement& placement);

/// Cycles that a collective takes at least, whatever the algorithm. A link carries a word per cycle.
/// @param words of the vector or of one block. @param exchanges in rounds of exchange, without a root.
[[nodiscard]] std::uint64_t least_cycles(const Placement& placement, Collective family, std::uint64_t words,
                                         const EngineCosts& costs, bool exchanges);
/// As above, over the edges of a shape: from member 0, or from the best root if the family has none. @throws Impossible
/// if the group has no such shape.
[[nodiscard]] std::uint64_t least_cycles(const Placement& placement, Collective family, std::uint64_t words,
                                         const EngineCosts& costs, const Shape& shape);

/// Times of messages, in any unit.
struct MessageCosts {
  double send = 0;          ///< of the processor for each message that it sends
  double receive = 0;       ///< of the processor for each message that it receives
  double hop = 0;           ///< of a message for each link on its way
  double byte = 0;          ///< of the sender for each byte
  double combine_byte = 0;  ///< to combine a byte with another
};

/// When the last rank is done, if all begin at 0, no link is shared, and messages carry the algorithm out.
/// @param bytes of the vector or of one block. @throws Impossible if the group has no such algorithm.
[[nodiscard]] double message_time(const Algorithm& algorithm, const Placement& placement, int root, std::uint64_t bytes,
                                  const MessageCosts& costs);

}  // namespace tidings
