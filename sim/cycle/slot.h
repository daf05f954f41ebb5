// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot.h
/// Twin of rtl/engine/slot.sv (and rma.sv): the engines of one processor, and what they share.
#include <array>
#include <cstdint>
#include <optional>

#include "sim/cycle/mpe.h"
#include "sim/cycle/rma_initiator.h"
#include "sim/cycle/rma_target.h"
#include "sim/cycle/slot_memory.h"
#include "sim/cycle/slot_receiver.h"
#include "sim/cycle/slot_registers.h"
#include "sim/cycle/slot_routes.h"
#include "sim/cycle/slot_tap.h"
#include "sim/cycle/slot_transmitter.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// The parameters of slot.sv.
struct SlotParameters {
  NodeParameters node;
  std::uint32_t static_flits = 68;  ///< of the longest packet on a static route that forks
  std::uint32_t direct_links = 0;   ///< network ports that links of `mpe` can be direct to
  bool has_mpe = true;
};

/// What a router tells a slot of static routes in one cycle.
struct RouteSignals {
  bool write_taken = false;
  bool refused = false;  ///< a branch of a static packet is left out
};

/// What a router tells a slot of direct links in one cycle.
struct DirectInput {
  std::uint8_t tapped = 0;           ///< network ports through which neighbour packets bring a flit, one bit each
  bool lane_credit = false;          ///< room for one more flit on the lane
  std::array<Flit, kMaxLinks> taps;  ///< the flits

  [[nodiscard]] bool any() const { return tapped != 0 || lane_credit; }
};

/// All outputs are functions of registered state alone: they are kept, and are right until the next edge.
class Slot {
 public:
  /// The state after reset.
  Slot(const SlotParameters& parameters, NodeId node, SlotId slot);

  /// Towards processor and memory.
  [[nodiscard]] const SlotOutput& outputs() const { return outputs_; }
  /// Towards the router.
  [[nodiscard]] const PortOutput& port() const { return port_; }
  /// Towards the router, over the lane.
  [[nodiscard]] const std::optional<Flit>& lane() const { return lane_; }
  /// Low promises that a clock edge without inputs changes nothing.
  [[nodiscard]] bool busy() const { return busy_; }

  /// A change of a static route that is offered to the router.
  [[nodiscard]] const std::optional<RouteWrite>& route_write() const { return routes_.write(); }

  /// One clock edge. Costs next to nothing while the slot sleeps.
  void clock(const PortInput& port, const SlotInput& inputs, RouteSignals routes = {}, const DirectInput& direct = {}) {
    if (busy_ || port.flit_valid || port.credits != 0 || inputs.bus_valid || inputs.memory_data_valid ||
        routes.refused || direct.any()) {
      edge(port, inputs, routes, direct);
      evaluate();
    }
  }

 private:
  static constexpr unsigned kRequest = 0, kReply = 1, kClasses = 2;
  /// Sources of memory accesses, one bit each.
  static constexpr std::uint32_t kInitiator = 1, kTarget = 2, kMpe = 4;
  /// Sources of packets in each class, one bit each.
  static constexpr std::uint32_t kFromRma = 1, kFromMpe = 2;

  /// What the parts tell each other in one cycle.
  struct Signals {
    std::array<ReceivedWord, kClasses> received;
    std::array<bool, kClasses> pop{};
    std::uint32_t read_ready = 0;
    std::uint32_t write_ready = 0;
    std::array<std::uint32_t, kClasses> sent_by{};
    std::uint32_t leaving = 0;
    SlotStatus status;
  };

  void evaluate();
  void edge(const PortInput& port, const SlotInput& inputs, RouteSignals routes, const DirectInput& direct);
  [[nodiscard]] MemoryWrite memory_write() const;
  [[nodiscard]] std::uint32_t read_address() const;
  void send(unsigned message_class);

  SlotRegisters registers_;
  std::array<SlotReceiver, kClasses> receivers_;
  SlotTransmitter transmitter_;
  SlotMemory memory_;
  RmaInitiator initiator_;
  RmaTarget target_;
  bool has_mpe_;
  Mpe mpe_;                   ///< at rest in a slot without it
  bool mpe_dropped_ = false;  ///< a command that the slot has no engine for
  bool mpe_failed_ = false;   ///< in this cycle
  SlotRoutes routes_;
  std::array<SlotTap, kMaxLinks> taps_;
  CreditCounter lane_credits_;
  std::optional<Flit> lane_;
  Signals signals_;
  SlotOutput outputs_;
  PortOutput port_;
  bool busy_ = false;
};

}  // namespace tidings::cycle
