// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot.h
/// Twin of rtl/engine/slot.sv: the engines of one processor, and what they share.
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/cycle/engine.h"
#include "sim/cycle/mpe_engine.h"
#include "sim/cycle/rma_engine.h"
#include "sim/cycle/slot_memory.h"
#include "sim/cycle/slot_receiver.h"
#include "sim/cycle/slot_registers.h"
#include "sim/cycle/slot_routes.h"
#include "sim/cycle/slot_transmitter.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// What a router tells a slot of static routes in one cycle.
struct RouteSignals {
  bool write_taken = false;
  bool refused = false;  ///< a branch of a static packet is left out
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
  [[nodiscard]] const std::optional<Flit>& lane() const {
    static constexpr std::optional<Flit> kNothing;
    const std::uint32_t lanes = signals_.asked.lanes;
    return lanes != 0 ? signals_.engines[static_cast<unsigned>(std::countr_zero(lanes))].lane : kNothing;
  }
  /// Tokens of barriers to neighbours: port * groups + group.
  [[nodiscard]] std::uint32_t tokens() const {
    return signals_.engines[static_cast<unsigned>(Engine::kBarrier)].tokens;
  }
  /// Slots of a single router with which it has barriers; none without the engine.
  [[nodiscard]] const BarrierMates* mates() const {
    return signals_.engines[static_cast<unsigned>(Engine::kBarrier)].mates;
  }
  /// Its static switch, or its router of the network of `stream`, shows anything to neighbours.
  [[nodiscard]] bool shows_links() const { return words() != nullptr || packets() != nullptr; }
  /// What both show at a network port.
  [[nodiscard]] SideLink link(unsigned port) const {
    return {.stream = packets() != nullptr ? (*packets())[port] : StreamLink{},
            .word = words() != nullptr ? (*words())[port] : SwitchLink{}};
  }
  /// Low promises that a clock edge without inputs changes nothing.
  [[nodiscard]] bool busy() const { return busy_; }

  /// A change of a static route that is offered to the router.
  [[nodiscard]] const std::optional<RouteWrite>& route_write() const { return routes_.write(); }

  /// All that the last clock edge did was to move words of request packets.
  [[nodiscard]] bool streamed() const { return streams_ == Streams::kYes || streams_ == Streams::kWords; }
  /// What a slot does in several cycles that are alike.
  struct Steady {
    SteadyStream stream;
    std::uint32_t cycles = 0;  ///< how many they may be
  };
  /// From `first` on, the next cycle, as long as the router shows what it shows now, and no tail. At most `most`.
  [[nodiscard]] Steady steady(const PortInput& port, MemoryPort& memory, Cycle first, std::uint32_t most) const;
  /// So many clock edges of what sends. @param words that the router takes. @param credit it gives one in each cycle.
  void send_on(const SteadyStream& stream, std::span<std::uint32_t> words, bool credit);
  /// And of what receives. @param words that the router brings.
  void receive_on(const SteadyStream& stream, std::span<const std::uint32_t> words);
  /// What it shows after both.
  void show_steady();

  /// Nothing can happen but that words of payload leave `rma` or come to it.
  [[nodiscard]] bool may_move_words(const PortInput& port, const SlotInput& inputs) const {
    return streams_ == Streams::kWords && !inputs.bus_valid && (port.credits & ~(1U << kClassRequest)) == 0 &&
           (!port.flit_valid || port.flit.vc == kClassRequest) &&
           (!inputs.memory_data_valid || memory_.data_valid(true) == kRmaReads);
  }
  /// In such a cycle what `clock` does, but that nothing comes over direct links or of static routes.
  void move_words(const PortInput& port, const SlotInput& inputs);

  /// Nothing can happen but that words flow through `mpe`.
  [[nodiscard]] bool may_flow(const PortInput& port, const SlotInput& inputs, const DirectInput& direct) const {
    return streams_ == Streams::kFlows && !port.flit_valid && !inputs.bus_valid && direct.tokens == 0 &&
           direct.switched == 0 && (!inputs.memory_data_valid || memory_.data_valid(true) == kMpePort);
  }
  /// In such a cycle what `clock` does, but that nothing comes of static routes.
  void flow(const PortInput& port, const SlotInput& inputs, const DirectInput& direct);
  /// In such a cycle what is shown over the lane; null if nothing is.
  [[nodiscard]] const Flit* mpes_lane() const {
    const std::optional<Flit>& shown = signals_.engines[kMpe].lane;
    return shown ? &*shown : nullptr;
  }

  /// One clock edge. Costs next to nothing while the slot sleeps.
  void clock(const PortInput& port, const SlotInput& inputs, RouteSignals routes = {}, const DirectInput& direct = {}) {
    if (busy_ || port.flit_valid || port.credits != 0 || inputs.bus_valid || inputs.memory_data_valid ||
        routes.refused || direct.any()) {
      if (!routes.refused && may_flow(port, inputs, direct)) {
        flow(port, inputs, direct);
        return;
      }
      if (may_move_words(port, inputs) && !routes.refused && !direct.any()) {
        move_words(port, inputs);
        return;
      }
      if (may_stream(port, inputs) && !routes.refused && !direct.any() && stream(port, inputs)) return;
      if (may_be_alone(port, inputs, routes, direct) && clock_alone(port, inputs, direct)) return;
      edge(port, inputs, routes, direct);
      evaluate();
    }
  }

 private:
  [[nodiscard]] const SwitchLinks* words() const {
    return signals_.engines[static_cast<unsigned>(Engine::kAlltoall)].words;
  }
  [[nodiscard]] const StreamLinks* packets() const {
    return signals_.engines[static_cast<unsigned>(Engine::kStream)].packets;
  }

  /// The engine that moves words between memory and packets, and its memory ports among those of all, one bit each.
  static constexpr unsigned kRma = static_cast<unsigned>(Engine::kRma);
  static constexpr std::uint32_t kRmaReads = 1U << (memory_ports_below(kRma) + RmaEngine::kInitiator);
  static constexpr std::uint32_t kRmaWrites = 1U << (memory_ports_below(kRma) + RmaEngine::kTarget);
  /// The engine that combines streams, and its memory port, likewise.
  static constexpr unsigned kMpe = static_cast<unsigned>(Engine::kMpe);
  static constexpr std::uint32_t kMpePort = 1U << memory_ports_below(kMpe);
  static constexpr std::uint32_t kMpeBit = 1U << kMpe;

  /// What is known of the next clock edge, or that what the last one did was no more than to move words of request
  /// packets.
  enum class Streams : std::uint8_t {
    kNo,
    kFlows,  ///< the next one does no more than that words flow through `mpe`, but for what comes from outside
    kYes,    ///< the last one did no more than move words
    kWords,  ///< and the next one does no more than to move words of payload, but for what comes from outside
  };

  /// What the engines ask for, all of them together.
  struct Asked {
    std::uint32_t reads = 0;                          ///< memory ports of all engines, one bit each
    std::uint32_t writes = 0;                         ///< likewise
    std::array<std::uint32_t, kNumClasses> offers{};  ///< engines that offer a flit in a class
    SlotStatus status;
    std::uint32_t lanes = 0;   ///< the engine that shows a flit for the lane, if any, as a bit
    std::uint32_t routes = 0;  ///< the engine that asks for a change of a route, if any, as a bit
  };

  /// What the parts tell each other in one cycle.
  struct Signals {
    ReceivedWords received;                          ///< by class, whichever engine they are for
    std::array<Engine, kNumClasses> receiver{};      ///< of the word, if there is one
    std::array<std::uint32_t, kNumEngines> words{};  ///< classes whose word is for an engine, one bit each
    std::uint32_t receivers = 0;                     ///< engines with a word, one bit each
    std::array<bool, kNumClasses> pop{};
    std::array<EngineOutputs, kNumEngines> engines;
    Asked asked;
    std::uint32_t read_ready = 0;   ///< memory ports of all engines, one bit each
    std::uint32_t write_ready = 0;  ///< likewise
    std::array<std::uint32_t, kNumClasses> sent_by{};
    std::uint32_t leaving = 0;
    bool direct = false;          ///< what leaves is offered in this very cycle
    std::uint32_t addressed = 0;  ///< the engine whose register is accessed, if any, as a bit
  };

  /// Nothing happens but that one engine sends or receives request packets, and reads or writes memory for them.
  [[nodiscard]] bool may_stream(const PortInput& port, const SlotInput& inputs) const {
    const std::uint32_t moving = awake_ | signals_.receivers;
    if (moving == 0 || inputs.bus_valid || (port.flit_valid && port.flit.vc != kClassRequest)) return false;
    if (streamed()) return true;  // nothing else has changed since it was so
    const Asked& asked = signals_.asked;
    return (moving & ~streamers_) == 0 && (moving & (moving - 1)) == 0 && !registers_.busy() &&
           !receivers_[kClassReply].busy() && asked.offers[kClassReply] == 0 &&
           (asked.offers[kClassRequest] & ~moving) == 0 && (asked.lanes | asked.routes) == 0 && !routes_.write();
  }
  /// In such a cycle what `edge` and `evaluate` do, if the engine does nothing but move words.
  /// @return false: it does more, and nothing has changed.
  [[nodiscard]] bool stream(const PortInput& port, const SlotInput& inputs);
  // What it shows after `move_words`.
  void show_words_sent();
  void show_word_received();
  /// Nothing happens but that one engine is clocked, which is awake: no packet comes, and software asks for nothing.
  [[nodiscard]] bool may_be_alone(const PortInput& port, const SlotInput& inputs, RouteSignals routes,
                                  const DirectInput& direct) const {
    const bool taps = direct.tapped != 0 || direct.lane_credit;
    return awake_ != 0 && (awake_ & (awake_ - 1)) == 0 && signals_.receivers == 0 && !port.flit_valid &&
           !inputs.bus_valid && !registers_.busy() && signals_.asked.routes == 0 && !routes.refused &&
           !routes_.write() && direct.tokens == 0 && direct.switched == 0 &&
           (!taps || awake_ == engine_bit(Engine::kMpe));
  }
  /// In such a cycle what `edge` and `evaluate` do. @return false: memory answers another engine, and nothing has
  /// changed.
  [[nodiscard]] bool clock_alone(const PortInput& port, const SlotInput& inputs, const DirectInput& direct);
  /// What an engine shows that streams. @return false: it has to be asked.
  [[nodiscard]] bool show_stream(unsigned engine);
  /// What leaves towards the router. @param offer the flit that is offered in a class, if `direct` wants it.
  template <typename Offer>
  void show_port(Offer&& offer);
  void evaluate();
  // Parts of it.
  void show_memory();
  void show_sent();
  void show_rest();
  void edge(const PortInput& port, const SlotInput& inputs, RouteSignals routes, const DirectInput& direct);
  [[nodiscard]] std::uint32_t read_address() const;
  /// The access to a register of an engine, if there is one.
  [[nodiscard]] const BusRequest* access_to(unsigned engine) const {
    return (signals_.addressed >> engine & 1U) != 0 ? &registers_.access() : nullptr;
  }
  /// The flit that is taken in a class.
  [[nodiscard]] Flit offered(unsigned message_class) const;
  void send(unsigned message_class);
  /// The words that are taken.
  void take_words();
  /// What a set of engines show.
  void ask(std::uint32_t engines);
  /// The clock edge of the engines in `clocked_`. @return what the addressed register shows.
  std::uint32_t clock_engines(std::uint32_t addressed, std::uint32_t answered, std::uint32_t data,
                              const DirectInput& direct, SlotEvents& events);
  /// The clock edge of changes to static routes.
  void clock_routes(RouteSignals routes, SlotEvents& events);

  SlotRegisters registers_;
  std::array<SlotReceiver, kNumClasses> receivers_;
  SlotTransmitter transmitter_;
  SlotMemory memory_;
  std::array<std::unique_ptr<SlotEngine>, kNumEngines> engines_;  ///< those that are there, by number
  RmaEngine* rma_ = nullptr;                                      ///< one of them; null if it is not there
  MpeEngine* mpe_ = nullptr;                                      ///< likewise
  std::uint32_t present_ = 0;                                     ///< their numbers, one bit each
  std::uint32_t streamers_ = 0;                                   ///< those of them that have streams
  std::uint32_t awake_ = 0;                                       ///< those of them that are busy
  std::uint32_t clocked_ = 0;                                     ///< those that the last clock edge was for
  SlotRoutes routes_;
  Signals signals_;
  SlotOutput outputs_;
  PortOutput port_;
  std::vector<std::uint32_t> steady_words_;  ///< of `receive_on`
  Streams streams_ = Streams::kNo;
  bool busy_ = false;
  bool changed_ = true;  ///< what software is shown may differ from what it was before the last clock edge
};

}  // namespace tidings::cycle
