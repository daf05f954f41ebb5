// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file static_trees.h
/// What packets on static routes wait for, each of which can hold several channels and wait for several at once.
#include <vector>

#include "sim/analysis/channel_graph.h"

namespace tidings {

/// A packet that holds `from` can wait for `to`.
struct Wait {
  Channel from;
  Channel to;
};

/// Follow static packets from every slot through the routers' own rules (sim/cycle/router_static.h, equal to the RTL).
///
/// A packet waits for the channels of all branches while it holds the one that it came on; and, as it takes them one
/// after another, for each while it holds those taken before. Without room for whole packets it waits, while its words
/// leave, for credits of each branch, and holds all channels behind the others meanwhile. Waiting for words to be taken
/// by a slot is left out: nothing of the requests' waits for what comes behind a slot.
/// @param parameters of the machine's routers; their buffers do not matter.
[[nodiscard]] std::vector<Wait> tree_waits(const Topology& topology, const NodeParameters& parameters,
                                           const StaticPackets& packets);

}  // namespace tidings
