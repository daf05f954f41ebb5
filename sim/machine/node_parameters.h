// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_parameters.h
/// What distinguishes one kind of node from another.
#include <cstdint>

namespace tidings {

/// The parameters of `node.sv` that machines set; machines with equal parameters share one compiled node.
struct NodeParameters {
  std::uint32_t dims = 0;
  std::uint32_t num_slots = 1;
  std::uint32_t dateline = 0;  ///< 1: channels are doubled
  std::uint32_t buffer_flits = 0;
  std::uint32_t slot_buffer_flits = 0;
  std::uint32_t fixed_priority = 0;  ///< 0: round-robin arbiters
  std::uint32_t mpe_buffer_words = 0;
  std::uint32_t rma_command_depth = 0;
  std::uint32_t mpe_combine_ports = 1;
  std::uint32_t mpe_multicast = 1;      ///< 1: one packet to all children, where links are direct
  std::uint32_t mpe_forward_words = 1;  ///< words at hand before the engine starts a packet
  std::uint32_t mpe_wide_elements = 1;  ///< 1: the engine combines elements of 64 bits too
  std::uint32_t num_classes = 2;        ///< message classes: what slots need; synthetic traffic can do with 1
  std::uint32_t num_routes = 0;         ///< static routes of a router, a power of two; 0: none
  std::uint32_t direct_links =
      0;  ///< 1: collectives of slot 0 go around the slot ports' queues; not without network ports
  std::uint32_t router_pipeline = 0;  ///< 1: words leave a cycle after their grants
  bool operator==(const NodeParameters&) const = default;
};

}  // namespace tidings
