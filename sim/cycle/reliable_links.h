// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file reliable_links.h
/// Links with bit errors between nodes of any kind.
#include <bit>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "sim/cycle/reliable_wires.h"
#include "sim/cycle/router_input.h"
#include "sim/machine/links.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/topology.h"

namespace tidings::cycle {

/// The wires of a machine whose links are reliable.
[[nodiscard]] ReliableWires reliable_wires(const MachineConfig& config, const Topology& topology);

/// `ReliableWires` for nodes of RTL, or of both kinds.
class ReliableLinks : public Links {
 public:
  ReliableLinks(const MachineConfig& config, const Topology& topology);

  void send(Cycle cycle, NodeIndex node, PortId port, const PortOutput& output) override;
  [[nodiscard]] std::optional<Cycle> next() const override { return wires_.next(); }
  /// @throws LinkError if a link is dead.
  [[nodiscard]] std::optional<Arrival> take(Cycle cycle) override;

 private:
  /// What arrives from an end in the cycle that is being taken.
  PortInput& arrival_from(Cycle cycle, std::uint32_t end);

  Topology topology_;
  std::uint32_t latency_;
  ReliableWires wires_;
  std::optional<Cycle> clocked_;  ///< the cycle whose edge the ends have had
  std::deque<Arrival> arrivals_;
};

/// `ReliableWires` as the wires of a `Fabric`, which knows channels by the numbers of RouterPlan.
class ReliableChannels {
 public:
  /// @param ports of a router: its links.
  ReliableChannels(ReliableWires wires, const RouterPlan& plan, std::uint32_t ports)
      : wires_(std::move(wires)), node_shift_(plan.node_shift), vc_shift_(plan.numbers.vc_shift), ports_(ports) {}

  class Sender {
   public:
    explicit Sender(ReliableChannels& channels) : channels_(&channels) {}
    void send(std::uint32_t channel, const BufferedWord& word) { channels_->send(channel, word); }
    void send_credit(std::uint32_t channel) { channels_->send_credit(channel); }
    void end(ReliableChannels& /*channels*/) const {}

   private:
    ReliableChannels* channels_;
  };

  void reserve(std::uint64_t /*flits*/, std::uint64_t /*credits*/) {}
  void send(std::uint32_t channel, const BufferedWord& word) {
    wires_.send(link(channel), {.vc = static_cast<std::uint8_t>(vc(channel)), .last = word.last, .data = word.data});
  }
  void send_credit(std::uint32_t channel) { wires_.send_credit(link(channel), vc(channel)); }
  void close(Cycle due) { wires_.close(due); }
  [[nodiscard]] std::optional<Cycle> next() const { return wires_.next(); }
  /// All ends have a clock edge in each cycle.
  [[nodiscard]] bool due(Cycle /*cycle*/) const { return true; }
  /// @throws LinkError if a link is dead.
  template <typename FlitSink, typename CreditSink>
  void arrive(Cycle cycle, FlitSink&& flit, CreditSink&& credit) {
    wires_.arrive(
        cycle,
        [&](std::uint32_t end, const Flit& arrival) {
          flit(channel(end, arrival.vc), BufferedWord{.data = arrival.data, .last = arrival.last});
        },
        [&](std::uint32_t end, unsigned given) { credit(channel(end, given)); });
  }
  template <typename FlitSink, typename CreditSink>
  void look_shown(Cycle cycle, std::uint32_t latency, FlitSink&& flit, CreditSink&& credit) const {
    wires_.look_shown(cycle, latency,
                      [&](std::uint32_t end, const PortOutput& output) { show(end, output, flit, credit); });
  }
  template <typename FlitSink, typename CreditSink>
  void look(Cycle cycle, FlitSink&& flit, CreditSink&& credit) const {
    wires_.look(cycle, [&](std::uint32_t end, const PortOutput& output) { show(end, output, flit, credit); });
  }

 private:
  [[nodiscard]] unsigned vc(std::uint32_t channel) const { return channel & ((1U << vc_shift_) - 1); }
  [[nodiscard]] std::uint32_t link(std::uint32_t channel) const {
    return (channel >> node_shift_) * ports_ + ((channel & ((1U << node_shift_) - 1)) >> vc_shift_);
  }
  [[nodiscard]] std::uint32_t channel(std::uint32_t link, unsigned vc) const {
    return link / ports_ << node_shift_ | link % ports_ << vc_shift_ | vc;
  }
  template <typename FlitSink, typename CreditSink>
  void show(std::uint32_t end, const PortOutput& output, FlitSink&& flit, CreditSink&& credit) const {
    if (output.flit_valid) {
      flit(channel(end, output.flit.vc), BufferedWord{.data = output.flit.data, .last = output.flit.last});
    }
    for (unsigned rest = output.credits; rest != 0; rest &= rest - 1) {
      credit(channel(end, static_cast<unsigned>(std::countr_zero(rest))));
    }
  }

  ReliableWires wires_;
  unsigned node_shift_;
  unsigned vc_shift_;
  std::uint32_t ports_;
};

/// Links as a machine's configuration says: plain wires, or reliable links.
[[nodiscard]] LinksFactory links_factory();

}  // namespace tidings::cycle
