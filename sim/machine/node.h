// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node.h
/// The node: one router with its slots, advanced one clock cycle at a time.
///
/// Every output is a function of registered state alone (docs/architecture.md, "Cycle"), so a
/// machine may read all outputs, then move them along the wires, then step all nodes in any order.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "generated/tidings_pkg.h"

namespace tidings {

using tidings_pkg::BusRequest;
using tidings_pkg::Flit;
using tidings_pkg::MemoryWrite;
using tidings_pkg::RouteRow;
using tidings_pkg::SideLink;
using tidings_pkg::StreamLink;
using tidings_pkg::SwitchLink;

/// What enters one network port in one cycle.
struct PortInput {
  bool flit_valid = false;
  Flit flit;
  std::uint8_t credits = 0;  ///< one bit a virtual channel of our output buffer downstream
  std::uint8_t tokens = 0;   ///< of barriers, one bit a group
  SideLink link{};           ///< from the neighbour's static switch, and its router of the network of `stream`
};

/// What leaves one network port in one cycle.
struct PortOutput {
  bool flit_valid = false;
  Flit flit;
  std::uint8_t credits = 0;  ///< one bit a virtual channel of our input buffer
  std::uint8_t tokens = 0;   ///< of barriers, one bit a group
  SideLink link{};           ///< likewise, from us
  bool operator==(const PortOutput&) const = default;
};

/// What enters one slot in one cycle.
struct SlotInput {
  bool bus_valid = false;
  BusRequest bus;
  bool memory_data_valid = false;  ///< answers the oldest unanswered memory read
  std::uint32_t memory_data = 0;
};

/// What leaves one slot in one cycle.
struct SlotOutput {
  bool bus_read_valid = false;  ///< one for each bus request with write == false, in order
  std::uint32_t bus_read_data = 0;
  bool interrupt = false;
  bool memory_read_valid = false;
  std::uint32_t memory_read_address = 0;  ///< bytes, word aligned
  bool memory_write_valid = false;
  MemoryWrite memory_write;
  bool operator==(const SlotOutput&) const = default;
};

struct NodeInputs {
  std::vector<PortInput> ports;
  std::vector<SlotInput> slots;
};

struct NodeOutputs {
  std::vector<PortOutput> ports;
  std::vector<SlotOutput> slots;
  /// False promises that a step without inputs changes nothing: no state, no output.
  bool busy = false;
  bool operator==(const NodeOutputs&) const = default;
};

/// Set once at reset: where the node is.
struct NodePlace {
  std::uint16_t node_id = 0;         ///< packed coordinates, dimension 0 lowest; the router's number in a graph
  std::vector<std::uint16_t> radix;  ///< routers in each dimension
  std::vector<bool> wrap;            ///< dimension has wrap-around links
  std::vector<RouteRow> table{};     ///< of a graph: a row for each router with slots
};

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  /// Outputs of the current cycle; valid after construction (which resets) and after step().
  /// Always the same object, with vectors that never move.
  [[nodiscard]] virtual const NodeOutputs& outputs() const = 0;

  /// One clock edge with these inputs.
  virtual void step(const NodeInputs& inputs) = 0;
};

}  // namespace tidings
