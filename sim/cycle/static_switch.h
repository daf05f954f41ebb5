// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file static_switch.h
/// Twin of rtl/network/static_switch.sv: forwards single words without headers, in the order of a program.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/cycle/engine.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/order_table.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Sides that a switch does not have are there, and no word is: nobody gives them orders.
class StaticSwitch {
 public:
  static constexpr unsigned kSides = tidings_pkg::kSwitchSides;
  static constexpr unsigned kSlot = kSides - 1;

  /// @param entries of an order, at most. @param ports of the network. @param room words that fit into the buffer of
  /// each. @param slot_room words that fit into the buffer of the slot.
  StaticSwitch(std::uint32_t entries, unsigned ports, std::uint32_t room, std::uint32_t slot_room) {
    for (unsigned t = 0; t < 2 * kSides; ++t) orders_.emplace_back(entries, t < kSides && ports > 4 ? 8 : 4);
    for (unsigned s = 0; s < kSides; ++s) buffers_.emplace_back(s == kSlot ? slot_room : room);
    credits_.fill(room);
  }

  /// Orders of inputs, whose entries are sets of outputs, then of outputs.
  [[nodiscard]] OrderTable& order(unsigned number) { return orders_[number]; }
  /// An order is under way.
  [[nodiscard]] bool running() const { return running_; }
  /// A clock edge without inputs changes something: a word moves.
  [[nodiscard]] bool busy() const { return order_pops_ != 0; }
  /// What it shows to its neighbours, if it shows anything.
  [[nodiscard]] const SwitchLinks* links() const { return shows_ ? &links_ : nullptr; }
  /// A word of the slot leaves its buffer.
  [[nodiscard]] bool word_taken() const { return (pops_ >> kSlot & 1U) != 0; }
  /// The word that is for the slot.
  [[nodiscard]] std::optional<std::uint32_t> word() const {
    if ((fires_ >> kSlot & 1U) == 0) return std::nullopt;
    return moved_[kSlot];
  }

  /// The oldest word of an input; null if there is none.
  [[nodiscard]] const std::uint32_t* head(unsigned side) const {
    return buffers_[side].empty() ? nullptr : &buffers_[side].front();
  }
  /// A sum leaves.
  [[nodiscard]] bool sum_taken() const { return sum_taken_; }

  /// What comes in with a clock edge.
  struct Inputs {
    std::uint32_t switched = 0;          ///< network ports that bring anything, one bit each
    const SideLinks& links;              ///< of them
    std::optional<std::uint32_t> word;   ///< of the slot
    std::optional<std::uint32_t> start;  ///< the orders begin; how often they are gone through
  };
  /// One clock edge; `show` follows it.
  void clock(const Inputs& inputs) {
    for (unsigned s = 0; s < kSides; ++s) {
      const bool pop = (pops_ >> s & 1U) != 0;
      const bool fire = (fires_ >> s & 1U) != 0;
      if (pop) {
        buffers_[s].pop();
      }
      if ((order_pops_ >> s & 1U) != 0) orders_[s].next();
      if ((order_fires_ >> s & 1U) != 0) orders_[kSides + s].next();
      if (s == kSlot) {
        if (inputs.word) buffers_[s].push(*inputs.word);
        continue;
      }
      if (fire) --credits_[s];
      if ((inputs.switched >> s & 1U) == 0) continue;
      const SwitchLink& link = inputs.links[s].word;
      if (link.valid) buffers_[s].push(link.data);
      if (link.credit) ++credits_[s];
    }
    if (inputs.start) {
      for (OrderTable& order : orders_) order.start(*inputs.start);
    }
  }
  /// What takes words of inputs and gives sums to outputs, in place of orders.
  struct Sums {
    std::uint32_t inputs = 0;   ///< one bit each
    std::uint32_t outputs = 0;  ///< likewise
    std::uint32_t takes = 0;    ///< inputs whose words it takes
    std::optional<std::uint32_t> sum = {};
  };
  /// What it shows from now on. @param word_ready the slot has room for a word.
  void show(bool word_ready, const Sums& sums) {
    order_fires_ = 0;
    order_pops_ = 0;
    std::uint32_t rooms = 0;                       // outputs that have room, one bit each
    std::array<std::uint32_t, kSides> accepted{};  // by input: outputs that take a word from there, one bit each
    for (unsigned o = 0; o < kSides; ++o) {
      const OrderTable& from = orders_[kSides + o];
      const bool room = o == kSlot ? word_ready : credits_[o] != 0;
      if (room) rooms |= 1U << o;
      if (room && (sums.outputs >> o & 1U) == 0 && from.valid() && from.entry() < kSides)
        accepted[from.entry()] |= 1U << o;
    }
    for (unsigned i = 0; i < kSides; ++i) {
      if (!orders_[i].valid() || buffers_[i].empty() || (sums.inputs >> i & 1U) != 0) continue;
      // The bit of the own port is that of the slot.
      const std::uint32_t entry = orders_[i].entry() & ((1U << kSlot) - 1);
      const std::uint32_t own = i == kSlot ? 0 : entry & 1U << i;
      const std::uint32_t wanted = (entry & ~own) | (own != 0 ? 1U << kSlot : 0);
      if ((wanted & ~accepted[i]) != 0) continue;
      order_pops_ |= 1U << i;
      order_fires_ |= wanted;
      for (unsigned o = 0; o < kSides; ++o) {
        if ((wanted >> o & 1U) != 0) moved_[o] = buffers_[i].front();
      }
    }
    sum_taken_ = sums.sum.has_value() && (sums.outputs & ~rooms) == 0;
    if (sum_taken_) {
      for (unsigned o = 0; o < kSides; ++o) {
        if ((sums.outputs >> o & 1U) != 0) moved_[o] = *sums.sum;
      }
    }
    pops_ = order_pops_ | sums.takes;
    fires_ = order_fires_ | (sum_taken_ ? sums.outputs : 0);
    shows_ = ((fires_ | pops_) & ((1U << kSlot) - 1)) != 0;
    if (shows_) {
      for (unsigned p = 0; p < kSlot; ++p) {
        const bool fire = (fires_ >> p & 1U) != 0;
        links_[p] = {.credit = (pops_ >> p & 1U) != 0, .valid = fire, .data = fire ? moved_[p] : 0};
      }
    }
    running_ = false;
    for (const OrderTable& order : orders_) running_ = running_ || order.valid();
  }

 private:
  std::vector<OrderTable> orders_;
  std::vector<Fifo<std::uint32_t>> buffers_;
  std::array<std::uint32_t, kSlot> credits_{};
  std::uint32_t order_fires_ = 0;  ///< by orders, likewise
  std::uint32_t order_pops_ = 0;
  std::uint32_t fires_ = 0;  ///< outputs that a word leaves by, one bit each
  std::uint32_t pops_ = 0;   ///< inputs that a word leaves, one bit each
  std::array<std::uint32_t, kSides> moved_{};
  SwitchLinks links_{};
  bool sum_taken_ = false;
  bool shows_ = false;
  bool running_ = false;
};

}  // namespace tidings::cycle
