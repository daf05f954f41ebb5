// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file engine.h
/// Twin of rtl/engine/engine.sv: an engine as its slot sees it, with the ports that all engines have.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "sim/cycle/barrier_hub.h"
#include "sim/cycle/route_table.h"
#include "sim/cycle/slot_receiver.h"
#include "sim/machine/memory_port.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Words of packets that are offered in a cycle, by class.
using ReceivedWords = std::array<ReceivedWord, kNumClasses>;

/// What goes one way between static switches, between routers of the network of `stream`, and both, by network port.
using SwitchLinks = std::array<SwitchLink, tidings_pkg::kSwitchPorts>;
using StreamLinks = std::array<StreamLink, tidings_pkg::kSwitchPorts>;
using SideLinks = std::array<SideLink, tidings_pkg::kSwitchPorts>;

/// What an engine shows in a cycle. Sets of classes and of memory ports have a bit each.
struct EngineOutputs {
  std::uint32_t tx_valid = 0;                      ///< classes in which a flit is offered
  std::uint32_t read_valid = 0;                    ///< memory ports at which a read is asked for
  std::uint32_t write_valid = 0;                   ///< memory ports at which a write is asked for
  bool waiting = false;                            ///< level: there is something for software
  bool idle = false;                               ///< level: there is nothing to do and to wait for
  std::optional<Flit> lane = std::nullopt;         ///< what goes to the router over the lane
  std::optional<RouteWrite> route = std::nullopt;  ///< a change of a static route
  std::uint32_t tokens = 0;                        ///< tokens of barriers: port * groups + group
  const BarrierMates* mates = nullptr;             ///< slots of a single router with which barriers are; of that engine
  const SwitchLinks* words = nullptr;              ///< what a static switch shows to its neighbours, if anything
  const StreamLinks* packets = nullptr;            ///< what a router of the network of `stream` shows, likewise
  bool held = false;                               ///< an arrival waits until the slot's `rma` is quiet
  bool quiet = true;                               ///< idle from the next cycle on, unless a command comes now
};

/// What happened in an engine in a cycle.
struct EngineReport {
  bool failed = false;  ///< something went wrong, and the engine's registers say what
  bool done = false;    ///< what software waits for is complete
};

/// Most network ports with a tap.
inline constexpr unsigned kMaxTaps = 2 * tidings_pkg::kMaxDims;

/// What a router tells a slot of direct links in one cycle, and what neighbours tell it over the wires of barriers, of
/// static switches and of the network of `stream`.
struct DirectInput {
  std::uint8_t tapped = 0;          ///< network ports through which neighbour packets bring a flit, one bit each
  bool lane_credit = false;         ///< room for one more flit on the lane
  std::uint32_t tokens = 0;         ///< of barriers: port * groups + group
  std::uint8_t switched = 0;        ///< network ports with anything in `links`, one bit each
  std::array<Flit, kMaxTaps> taps;  ///< the flits
  SideLinks links{};                ///< what static switches say, and routers of the network of `stream`

  [[nodiscard]] bool any() const { return tapped != 0 || lane_credit || tokens != 0 || switched != 0; }
};

/// What an engine is given in a cycle.
struct EngineInputs {
  const ReceivedWords& rx;          ///< words of all classes
  std::uint32_t rx_valid = 0;       ///< classes whose word is for this engine
  std::uint32_t tx_ready = 0;       ///< classes whose flit is taken
  std::uint32_t read_ready = 0;     ///< memory ports whose read is taken
  std::uint32_t data_valid = 0;     ///< the memory port whose oldest read is answered
  std::uint32_t data = 0;           ///< word read
  std::uint32_t write_ready = 0;    ///< memory ports whose write is taken
  const BusRequest* bus = nullptr;  ///< access to a register of this engine, if any
  const DirectInput& direct;        ///< what comes over direct links
  bool lane_taken = false;          ///< what it has shown for the lane goes there
  bool route_ready = false;         ///< its change of a static route is taken
  bool quiet = true;                ///< the engine `rma` of the slot is idle from the next cycle on
};

/// What an engine is given in a cycle in which it does nothing but move words of request packets.
struct StreamInputs {
  const ReceivedWord& word;  ///< of a request packet for this engine, if there is one
  bool taken = false;        ///< that word
  bool written = false;      ///< likewise, to memory
  bool sent = false;         ///< the flit that is offered
  bool read_ready = false;   ///< the read that is asked for is taken
  bool data_valid = false;   ///< a read is answered
  std::uint32_t data = 0;    ///< word read
};

/// What it shows after that.
struct StreamOutputs {
  std::uint32_t read_valid = 0;   ///< memory port at which a read is asked for, one-hot or zero
  std::uint32_t write_valid = 0;  ///< memory port at which a write is asked for, likewise
  bool offers = false;            ///< a flit
  Flit flit{};                    ///< of class request
  std::uint32_t read_address = 0;
  MemoryWrite& write;
};

/// What an engine does in several cycles that are alike: in each it moves a word of a request packet, and no tail.
struct SteadyStream {
  MemoryPort& memory;
  Cycle first;            ///< the first of the cycles
  bool sends = false;     ///< a word of a packet leaves
  bool receives = false;  ///< a word of one for this engine is taken, and written
};

/// What it has done with its memory in them.
struct SteadyReads {
  unsigned port = 0;           ///< the memory port that it reads at
  std::uint32_t asked = 0;     ///< reads that were taken
  std::uint32_t answered = 0;  ///< words that came
};

/// An engine of a slot.
class SlotEngine {
 public:
  SlotEngine() = default;
  SlotEngine(const SlotEngine&) = delete;
  SlotEngine& operator=(const SlotEngine&) = delete;
  virtual ~SlotEngine() = default;

  /// What it shows. Only writes to memory and changes of routes depend on words, and only flits and reads of memory on
  /// an access.
  /// @param rx words of all classes. @param rx_valid classes whose word is for this engine. @param bus access to a
  /// register of this engine, if any. @param shown what it shows; always the same object, so what an engine never shows
  /// stays as it was made. Members are written one by one: a processor waits if it copies what it has just written so.
  virtual void show(const ReceivedWords& rx, std::uint32_t rx_valid, const BusRequest* bus,
                    EngineOutputs& shown) const = 0;
  /// A word that is for this engine is taken.
  /// @param write_ready memory ports whose write is taken. @param route_ready its change of a route is taken.
  [[nodiscard]] virtual bool takes(unsigned message_class, const ReceivedWord& word, std::uint32_t write_ready,
                                   bool route_ready) const = 0;
  /// Low promises that a clock edge without inputs changes nothing, and that without an access neither a flit nor a
  /// read of memory is offered.
  [[nodiscard]] virtual bool busy() const = 0;
  /// The flit that is offered in a class. @param bus access to a register of this engine, if any.
  [[nodiscard]] virtual Flit flit(unsigned message_class, const BusRequest* bus) const = 0;
  /// Byte address of the read that is asked for at a memory port. @param bus as above.
  [[nodiscard]] virtual std::uint32_t read_address(unsigned port, const BusRequest* bus) const = 0;
  /// The write that is asked for at a memory port. @param rx words of all classes.
  /// @param shown written member by member: what is returned as one piece would be loaded so right after its stores.
  virtual void write(unsigned port, const ReceivedWords& rx, MemoryWrite& shown) const = 0;
  /// What a register of this engine shows in this cycle. @param address in the map of the slot.
  [[nodiscard]] virtual std::uint32_t read_register(std::uint16_t address) const = 0;
  /// One clock edge. A slot leaves out those of an engine that is not busy and has no inputs.
  virtual EngineReport clock(const EngineInputs& inputs) = 0;

  /// `stream` may be true.
  [[nodiscard]] virtual bool has_streams() const { return false; }
  /// The same clock edge as `clock`, if it does nothing but move words: then all that the engine shows stays as it is,
  /// but what StreamOutputs has. @return false: it does more, and nothing has changed.
  [[nodiscard]] virtual bool stream(const StreamInputs& /*inputs*/) { return false; }
  /// After `stream`: what `show`, `flit`, `read_address` and `write` say of it. Each word of a request packet is
  /// taken if its write is. @return false: these have to be asked.
  [[nodiscard]] virtual bool show_stream(const ReceivedWord& /*word*/, StreamOutputs& /*shown*/) const { return false; }
  /// In how many cycles `stream` and `show_stream` are true, with a word sent or taken in each. At most `most`.
  [[nodiscard]] virtual std::uint32_t steady_cycles(const SteadyStream& /*stream*/, std::uint32_t /*most*/) const {
    return 0;
  }
  /// What `stream` does in several cycles if a word leaves in each. @param words those that leave.
  virtual SteadyReads send_on(const SteadyStream& /*stream*/, std::span<std::uint32_t> /*words*/) { return {}; }
  /// What it does if a word is taken in each, and the writes that are shown. @param words those that are received after
  /// each cycle.
  virtual void receive_on(const SteadyStream& /*stream*/, std::span<const std::uint32_t> /*words*/) {}
};

/// A set of classes or ports holds the one of this number.
constexpr bool has(std::uint32_t set, unsigned number) { return (set >> number & 1U) != 0; }

/// Memory ports of an engine.
constexpr unsigned memory_ports(Engine engine) { return has_two_ports(engine) ? 2 : 1; }

/// Memory ports of the engines below one of this number.
constexpr unsigned memory_ports_below(unsigned number) {
  unsigned ports = 0;
  for (unsigned e = 0; e < number; ++e) ports += memory_ports(static_cast<Engine>(e));
  return ports;
}

/// The parameters of engines, and of the slot that they are in.
struct SlotParameters {
  NodeParameters node;
  std::uint32_t static_flits = 68;  ///< of the longest packet on a static route that forks
  std::uint32_t direct_links = 0;   ///< network ports that have a tap
  Engines engines = engine_bit(Engine::kRma) | engine_bit(Engine::kMpe);
};

/// The engine of a number.
[[nodiscard]] std::unique_ptr<SlotEngine> make_engine(Engine number, const SlotParameters& parameters, NodeId node,
                                                      SlotId slot);

}  // namespace tidings::cycle
