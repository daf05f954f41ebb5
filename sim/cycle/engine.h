// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file engine.h
/// Twin of rtl/engine/engine.sv: an engine as its slot sees it, with the ports that all engines have.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "sim/cycle/slot_receiver.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Words of packets that are offered in a cycle, by class.
using ReceivedWords = std::array<ReceivedWord, kNumClasses>;

/// What an engine shows in a cycle. Sets of classes have a bit each.
struct EngineOutputs {
  std::uint32_t rx_ready = 0;               ///< classes whose word is taken, if one is offered
  std::uint32_t tx_valid = 0;               ///< classes in which a flit is offered
  bool read_valid = false;                  ///< a read of memory is asked for
  bool write_valid = false;                 ///< a write to memory is asked for
  bool failed = false;                      ///< something went wrong, and the engine's registers say what
  bool done = false;                        ///< what software waits for is complete
  bool waiting = false;                     ///< level: there is something for software
  std::optional<Flit> lane = std::nullopt;  ///< what goes to the router over the lane
};

/// Most network ports with a tap.
inline constexpr unsigned kMaxTaps = 2 * tidings_pkg::kMaxDims;

/// What a router tells a slot of direct links in one cycle.
struct DirectInput {
  std::uint8_t tapped = 0;          ///< network ports through which neighbour packets bring a flit, one bit each
  bool lane_credit = false;         ///< room for one more flit on the lane
  std::array<Flit, kMaxTaps> taps;  ///< the flits

  [[nodiscard]] bool any() const { return tapped != 0 || lane_credit; }
};

/// What an engine is given in a cycle.
struct EngineInputs {
  const ReceivedWords& rx;          ///< words of all classes
  std::uint32_t rx_valid = 0;       ///< classes whose word is for this engine
  std::uint32_t tx_ready = 0;       ///< classes whose flit is taken
  bool read_ready = false;          ///< the read is taken
  bool data_valid = false;          ///< the oldest read is answered
  std::uint32_t data = 0;           ///< word read
  bool write_ready = false;         ///< the write is taken
  const BusRequest* bus = nullptr;  ///< access to a register of this engine, if any
  const DirectInput& direct;        ///< what comes over direct links
  bool lane_taken = false;          ///< what it has shown for the lane goes there
};

/// An engine other than `rma`, which is in every slot.
class SlotEngine {
 public:
  SlotEngine() = default;
  SlotEngine(const SlotEngine&) = delete;
  SlotEngine& operator=(const SlotEngine&) = delete;
  virtual ~SlotEngine() = default;

  /// @param rx words of all classes, whichever engine they are for. Only `rx_ready` depends on them.
  [[nodiscard]] virtual EngineOutputs outputs(const ReceivedWords& rx) const = 0;
  /// Low promises that a clock edge without inputs changes nothing, and that neither a flit nor an access to memory is
  /// offered.
  [[nodiscard]] virtual bool busy() const = 0;
  /// The flit that is offered in a class.
  [[nodiscard]] virtual Flit flit(unsigned message_class) const = 0;
  /// Byte address of the read that is asked for.
  [[nodiscard]] virtual std::uint32_t read_address() const = 0;
  /// The write that is asked for.
  [[nodiscard]] virtual MemoryWrite write() const = 0;
  /// What a register of this engine shows in this cycle. @param address in the map of the slot.
  [[nodiscard]] virtual std::uint32_t read_register(std::uint16_t address) const = 0;
  /// One clock edge. A slot leaves out those of an engine that is not busy and has no inputs.
  virtual void clock(const EngineInputs& inputs) = 0;
};

/// The parameters of engines, and of the slot that they are in.
struct SlotParameters {
  NodeParameters node;
  std::uint32_t static_flits = 68;  ///< of the longest packet on a static route that forks
  std::uint32_t direct_links = 0;   ///< network ports that have a tap
  Engines engines = engine_bit(Engine::kRma) | engine_bit(Engine::kMpe);
};

/// The engine of a number, other than `rma`.
[[nodiscard]] std::unique_ptr<SlotEngine> make_engine(Engine number, const SlotParameters& parameters, NodeId node,
                                                      SlotId slot);

}  // namespace tidings::cycle
