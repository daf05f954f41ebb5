// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_engine.h
/// Twin of rtl/engine/rma_engine.sv (and rma.sv): the remote memory access engine as an engine of a slot, with its
/// registers.
#include <cstdint>
#include <optional>

#include "sim/cycle/engine.h"
#include "sim/cycle/name_table.h"
#include "sim/cycle/rma_initiator.h"
#include "sim/cycle/rma_registers.h"
#include "sim/cycle/rma_target.h"

namespace tidings::cycle {

class RmaEngine final : public SlotEngine {
 public:
  /// Memory ports.
  static constexpr unsigned kInitiator = 0, kTarget = 1;

  RmaEngine(const SlotParameters& parameters, NodeId node, SlotId slot);

  void show(const ReceivedWords& rx, std::uint32_t rx_valid, const BusRequest* bus,
            EngineOutputs& shown) const override;
  [[nodiscard]] bool takes(unsigned message_class, const ReceivedWord& word, std::uint32_t write_ready,
                           bool route_ready) const override;
  [[nodiscard]] bool busy() const override { return !initiator_.sleeps() || !target_.sleeps() || names_.busy(); }
  [[nodiscard]] Flit flit(unsigned message_class, const BusRequest* bus) const override;
  [[nodiscard]] std::uint32_t read_address(unsigned port, const BusRequest* bus) const override;
  void write(unsigned port, const ReceivedWords& rx, MemoryWrite& shown) const override {
    if (port == kInitiator) {
      shown = initiator_.write(rx[kClassReply]);
    } else {
      target_.write(rx[kClassRequest], registers_.queue(), shown);
    }
  }
  [[nodiscard]] std::uint32_t read_register(std::uint16_t address) const override {
    return registers_.read(address, initiator_, target_, names_.result());
  }
  EngineReport clock(const EngineInputs& inputs) override;
  [[nodiscard]] bool has_streams() const override { return true; }
  [[nodiscard]] bool stream(const StreamInputs& inputs) override;
  [[nodiscard]] bool show_stream(const ReceivedWord& word, StreamOutputs& shown) const override;

  /// Whatever words of payload come or leave in this cycle, but tails, nothing else happens in the engine: only the
  /// clock edges of `sender` and `target` change anything.
  [[nodiscard]] bool moves_words() const {
    return (initiator_.sends_words() || initiator_.sleeps()) && target_.sleeps() && !target_.to_routes() &&
           !names_.busy();
  }
  [[nodiscard]] RmaSender& sender() { return initiator_.sender(); }
  [[nodiscard]] RmaTarget& target() { return target_; }

  [[nodiscard]] std::uint32_t steady_cycles(const SteadyStream& stream, std::uint32_t most) const override;
  SteadyReads send_on(const SteadyStream& stream, std::span<std::uint32_t> words) override {
    SteadyReads done = initiator_.sender().send_on(stream.memory, stream.first, words);
    done.port = kInitiator;
    return done;
  }
  void receive_on(const SteadyStream& stream, std::span<const std::uint32_t> words) override {
    target_.receive_on(stream.memory, words);
  }

 private:
  /// The command that an access queues, if any.
  [[nodiscard]] std::optional<RmaCommand> command_of(const BusRequest* bus) const;
  EngineReport clock_initiator(const ReceivedWord& reply, const EngineInputs& inputs);
  void clock_target(const ReceivedWord& request, const EngineInputs& inputs);

  RmaRegisters registers_;
  RmaInitiator initiator_;
  RmaTarget target_;
  NameTable names_;
};

}  // namespace tidings::cycle
