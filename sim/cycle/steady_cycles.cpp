// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/steady_cycles.h"

#include <algorithm>
#include <bit>

namespace tidings::cycle {

SteadyCycles::SteadyCycles(const RouterPlan& plan, std::uint32_t nodes)
    : plan_(&plan),
      marks_(std::size_t{nodes} << plan.node_shift),
      sources_(marks_.size()),
      filled_((marks_.size() + RouterInputs::kWordBits - 1) / RouterInputs::kWordBits),
      at_work_(nodes),
      sends_(nodes) {}

void SteadyCycles::begin() {
  for (const std::uint32_t channel : marked_) {
    marks_[channel] = 0;
    filled_[channel / RouterInputs::kWordBits] = 0;
    at_work_[plan_->node(channel)] = false;
    sends_[plan_->node(channel)] = false;
  }
  marked_.clear();
  wire_words_.clear();
  credits_.clear();
  slots_.clear();
  moves_.clear();
  places_ = 0;
}

std::uint32_t SteadyCycles::add_words() {
  const std::uint32_t number = places_++;
  if (words_.size() < places_ * kMost) words_.resize(places_ * kMost);
  return number;
}

void SteadyCycles::fill(std::uint32_t channel, std::uint32_t words) {
  mark(channel, kFilled);
  sources_[channel] = words;
  filled_[channel / RouterInputs::kWordBits] |= std::uint64_t{1} << channel % RouterInputs::kWordBits;
}

std::uint64_t SteadyCycles::find(Nodes& nodes, const InFlight& wires, std::span<const std::uint32_t> far_ends,
                                 Cycle first, std::uint64_t most, std::span<MemoryPort> memories) {
  constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  if (!nodes.routers().may_be_steady()) {
    not_before_ = Cycle{~std::uint64_t{0}};
    return 0;
  }
  first_ = first;
  cycles_ = most_ = std::min(most, kMost);
  const auto found = [&] {
    if (cycles_ < kLeast || still_other(nodes, memories)) return false;
    begin();
    // Most of what is in vain is so because of a slot.
    if (!find_slots(nodes, first, memories)) return false;
    cycles_ = wires.repeats(first, cycles_);
    if (cycles_ < kLeast) return false;
    wires.look_next(
        first,
        [&](std::uint32_t channel) {
          const std::uint32_t words = add_words();
          wire_words_.push_back(words);
          if (far_ends[channel] != kNowhere) {
            fill(far_ends[channel], words);
            at_work_[plan_->node(far_ends[channel])] = true;
          }
        },
        [&](std::uint32_t channel) {
          if (far_ends[channel] == kNowhere) return;
          credits_.push_back(far_ends[channel]);
          mark(far_ends[channel], kCredited);
          at_work_[plan_->node(far_ends[channel])] = true;
        });
    return find_moves(nodes.routers()) && !moves_.empty() && slots_agree() && cycles_ >= kLeast;
  };
  if (found()) {
    vain_looks_ = 0;
    return cycles_;
  }
  wait(first);
  return 0;
}

bool SteadyCycles::still_other(Nodes& nodes, std::span<MemoryPort> memories) {
  if (!other_) return false;
  const auto slots_of_router = static_cast<std::uint32_t>(plan_->numbers.ports - plan_->numbers.network_ports);
  const NodeIndex node{*other_ / slots_of_router};
  if (nodes.clocking().contains(node) && (nodes.active_slots(node.value) >> *other_ % slots_of_router & 1U) != 0) {
    cycles_ = nodes.slot(*other_).steady(nodes.to_slot_number(*other_), memories[*other_], first_, kLeast).cycles;
    if (cycles_ < kLeast) return true;
    cycles_ = most_;
  }
  other_.reset();
  return false;
}

bool SteadyCycles::find_slots(Nodes& nodes, Cycle first, std::span<MemoryPort> memories) {
  const unsigned network_ports = plan_->numbers.network_ports;
  const std::size_t slots_of_router = plan_->numbers.ports - network_ports;
  std::size_t answers = 0;
  bool alike = true;
  nodes.clocking().for_each([&](NodeIndex node) {
    if (!alike) return;
    alike = nodes.has_words_alone(node.value);
    for (std::uint64_t rest = nodes.active_slots(node.value); rest != 0 && alike; rest &= rest - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(rest));
      const std::size_t slot = node.value * slots_of_router + s;
      const PortInput& shown = nodes.to_slot_number(slot);
      const Slot::Steady steady =
          nodes.slot(slot).steady(shown, memories[slot], first, static_cast<std::uint32_t>(cycles_));
      cycles_ = steady.cycles;
      alike = cycles_ >= kLeast;
      if (!alike) {
        other_ = static_cast<std::uint32_t>(slot);
        return;
      }
      answers += memories[slot].size();
      const std::uint32_t channel = nodes.routers().channel(node.value, network_ports + s, kClassRequest);
      slots_.push_back(
          {.slot = slot, .stream = steady.stream, .sends_on = channel, .takes = channel, .credit = shown.credits != 0});
      if (steady.stream.sends) fill(channel, add_words());
      if (steady.stream.receives) {
        credits_.push_back(channel);
        mark(channel, kCredited);
      }
      at_work_[node.value] = true;
    }
  });
  // Nothing comes from a memory for another slot.
  for (const MemoryPort& memory : memories) answers -= memory.size();
  return alike && answers == 0;
}

bool SteadyCycles::find_moves(const Routers& routers) {
  const RouterInputs& inputs = routers.inputs();
  for (std::size_t i = 0; i < filled_.size(); ++i) {
    for (std::uint64_t rest = filled_[i] | inputs.waiting(i); rest != 0; rest &= rest - 1) {
      const auto channel =
          static_cast<std::uint32_t>(i * RouterInputs::kWordBits) + static_cast<std::uint32_t>(std::countr_zero(rest));
      if (!find_move(routers, channel) || cycles_ < kLeast) return false;
    }
  }
  return true;
}

bool SteadyCycles::find_move(const Routers& routers, std::uint32_t channel) {
  const InputChannel& input = routers.inputs()[channel];
  const unsigned wanted = input.wanted();
  const bool filled = has(channel, kFilled);
  // What comes is a head, or the packet has branches.
  if ((input.empty() && !input.owner()) || wanted >= plan_->numbers.static_channel) return false;
  const std::uint32_t output = plan_->first_channel(plan_->node(channel)) + wanted;
  const bool credited = has(output, kCredited);
  const RouterAllocator::OutputChannel& state = routers.allocator().output(output);
  if ((state.credits == 0 && !credited) || (state.taken && !input.owner())) return true;  // it waits
  const std::uint32_t port = routers.allocator().port_of(output);
  if (!input.owner() || has(port, kAsked)) return false;
  mark(port, kAsked);
  if (!credited) cycles_ = std::min<std::uint64_t>(cycles_, state.credits);
  // All words that are in front of a tail, or that come if there is none.
  if (const std::uint32_t words = routers.inputs().words_before_tail(channel); words < input.count() || !filled)
    cycles_ = std::min<std::uint64_t>(cycles_, words);
  moves_.push_back({.input = channel, .output = output});
  return true;
}

bool SteadyCycles::slots_agree() const {
  // Each slot at work takes words and credits exactly if its router gives them.
  std::size_t taken = 0, credits = 0;
  const auto moves = [&](auto&& matches) { return std::ranges::count_if(moves_, matches); };
  const auto to_slot = [&](std::uint32_t channel) { return plan_->within(channel) >= plan_->numbers.slot0; };
  for (const SlotAtWork& at : slots_) {
    const auto gives = moves([&](const Move& move) { return move.output == at.takes; });
    const auto gets = moves([&](const Move& move) { return move.input == at.sends_on; });
    if ((gives != 0) != at.stream.receives || (gets != 0) != at.credit) return false;
    taken += static_cast<std::size_t>(gives);
    credits += static_cast<std::size_t>(gets);
  }
  return static_cast<std::size_t>(moves([&](const Move& move) { return to_slot(move.output); })) == taken &&
         static_cast<std::size_t>(moves([&](const Move& move) { return to_slot(move.input); })) == credits;
}

std::uint64_t SteadyCycles::count_evaluations(Routers& routers) {
  for (const Move& move : moves_) sends_[plan_->node(move.input)] = true;
  std::uint64_t evaluations = 0;
  for (std::uint32_t node = 0; node < at_work_.size(); ++node) {
    // In the first cycle, a router is looked at that has done something before.
    if (at_work_[node] || routers.active(node)) ++evaluations;
    if (at_work_[node] || sends_[node]) evaluations += cycles_ - 1;
    routers.set_active(node, sends_[node]);
  }
  return evaluations;
}

std::uint64_t SteadyCycles::step(Nodes& nodes, InFlight& wires, std::uint32_t latency,
                                 std::vector<std::uint64_t>& link_flits) {
  Routers& routers = nodes.routers();
  const auto span = [&](std::uint32_t* words) { return std::span(words, cycles_); };
  for (const SlotAtWork& at : slots_) {
    if (at.stream.sends) nodes.slot(at.slot).send_on(at.stream, span(words(sources_[at.sends_on])), at.credit);
  }
  arriving_.clear();
  for (const std::uint32_t number : wire_words_) arriving_.push_back(words(number));
  wires.take_alike(first_, cycles_, arriving_);
  for (const std::uint32_t channel : credits_) routers.allocator().credit(channel, cycles_);

  const std::uint64_t evaluations = count_evaluations(routers);
  // All room at once: what points into it stays right.
  const std::uint32_t first_out = places_;
  while (places_ < first_out + moves_.size()) add_words();
  for (std::size_t m = 0; m < moves_.size(); ++m) {
    const Move& move = moves_[m];
    const std::uint32_t out = first_out + static_cast<std::uint32_t>(m);
    const bool filled = has(move.input, kFilled);
    routers.inputs().move(move.input, cycles_, filled ? words(sources_[move.input]) : nullptr, words(out));
    routers.allocator().send_on(move.input, move.output, cycles_);
    marks_[move.input] &= static_cast<std::uint8_t>(~kFilled);
  }
  for (const std::uint32_t channel : marked_) {
    if (has(channel, kFilled)) routers.inputs().move(channel, cycles_, words(sources_[channel]), nullptr);
  }

  const auto is_network = [&](std::uint32_t channel) { return plan_->within(channel) < plan_->numbers.slot0; };
  leaving_.clear();
  given_.clear();
  for (std::size_t m = 0; m < moves_.size(); ++m) {
    const auto [input, output] = moves_[m];
    if (is_network(output)) {
      leaving_.push_back({.channel = output, .words = words(first_out + static_cast<std::uint32_t>(m))});
      link_flits[output >> plan_->numbers.vc_shift] += cycles_;
    }
    if (is_network(input)) given_.push_back(input);
  }
  wires.send_alike({.flits = leaving_, .credits = given_}, first_ + latency, cycles_);
  for (const SlotAtWork& at : slots_) {
    if (at.stream.receives) {
      const auto move = std::ranges::find(moves_, at.takes, &Move::output);
      std::uint32_t* const brought = words(first_out + static_cast<std::size_t>(move - moves_.begin()));
      // A slot is shown in the next cycle what leaves the router in one.
      PortInput& shown = nodes.to_slot_number(at.slot);
      std::rotate(brought, brought + cycles_ - 1, brought + cycles_);
      std::swap(brought[0], shown.flit.data);
      nodes.slot(at.slot).receive_on(at.stream, span(brought));
    }
    nodes.slot(at.slot).show_steady();
  }
  return evaluations;
}

}  // namespace tidings::cycle
