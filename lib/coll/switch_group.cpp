// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/switch_group.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "coll/block_program.h"

namespace tidings {
namespace {

/// Cycles of the network for each word that a member sends in messages: measured on mesh8x8, whose links are
/// shared then (docs/decisions.md, "All-to-alls with blocks of several lengths").
constexpr std::uint64_t kSharedLinks = 6;
/// Messages must take as many times as long as the agreement.
constexpr std::uint64_t kWorthAgreement = 4;

}  // namespace

SwitchGroup::SwitchGroup(const Placement& placement, Member me, const tidings_platform& platform)
    : routers_(placement, SwitchGrid::kDimensions),
      me_(static_cast<int>(me)),
      entries_(platform.alltoall_entries),
      hop_(std::max(1U, platform.alltoall_hop)),
      costs_(platform.exchange_costs) {
  const Grid& grid = placement.grid();
  for (std::uint32_t d = 0; d < std::min(grid.dimensions(), SwitchGrid::kDimensions); ++d) {
    size_[d] = routers_.size(d);
    // Part of a ring is a line.
    if (grid.wraps(d) && grid.radix(d) == size_[d]) rings_ |= 1U << d;
  }
  const std::uint64_t copies = others() * costs_.copied_word;
  most_exchanged_ = most_words(exchange_time(1), others() * kSharedLinks * costs_.link_cycle + copies);
  most_gathered_ = most_words(ring_time(1), (others() + 1) * costs_.link_cycle + copies);
}

const std::shared_ptr<const WordProgram>& SwitchGroup::program() {
  if (made_) return program_;
  made_ = true;
  const std::uint32_t nodes = grid().nodes();
  // What the busiest link or slot carries is the longest order of all members.
  if (nodes > kMostSwitchMembers || word_schedule_bound(grid()) > entries_) return program_;
  WordSchedule schedule{.width = size_[0],
                        .height = size_[1],
                        .period = 0,
                        .cycles = 0,
                        .start = {},
                        .depth = size_[2],
                        .rings = rings_,
                        .hop = hop_};
  std::vector<std::uint16_t> start(std::size_t{nodes} * nodes);
  if (tidings_word_schedule(size_[0], size_[1], size_[2], start.data())) {
    schedule.start.assign(start.begin(), start.end());
  } else {
    // All members find the same one.
    schedule = quick_word_schedule(grid());
  }
  WordProgram program = word_program(schedule, node_of(me_));
  for (const std::size_t order : {kTargetOrder, kSourceOrder}) {
    for (std::uint8_t& node : program[order]) {
      node = static_cast<std::uint8_t>(routers_.at(node));
    }
  }
  program_ = std::make_shared<const WordProgram>(std::move(program));
  return program_;
}

std::uint64_t SwitchGroup::most_words(std::uint64_t switches, std::uint64_t messages) const {
  if (switches <= messages) return std::numeric_limits<std::uint64_t>::max();
  return others() * costs_.message / (switches - messages);
}

bool SwitchGroup::exchanges_faster(std::uint64_t longest, std::uint64_t sent) const {
  // Both ways copy the same words into node memory and out of it.
  return exchange_time(longest) <= message_time(sent);
}

std::uint64_t SwitchGroup::exchange_time(std::uint64_t words) const {
  // Words of one repetition enter within a period, and arrive within one, those from near and those from far.
  const std::uint64_t apart = (grid().most_hops() - 1) * costs_.switch_hop;
  return words * std::max(word_schedule_bound(grid()) * costs_.switch_cycle, apart / 2);
}

std::uint64_t SwitchGroup::message_time(std::uint64_t sent) const {
  return others() * costs_.message + sent * kSharedLinks * costs_.link_cycle;
}

bool SwitchGroup::gathers_faster(std::uint64_t longest, std::uint64_t all) const {
  return ring_time(longest) <= others() * costs_.message + all * costs_.link_cycle;
}

std::uint64_t SwitchGroup::ring_time(std::uint64_t words) const {
  // A member sends its next word when it has sent on the last one that it does not keep.
  return words * std::max(others() * costs_.switch_cycle, (others() - 1) * costs_.switch_hop);
}

bool SwitchGroup::agreement_pays() const { return others() * costs_.message >= kWorthAgreement * costs_.agreement; }

const std::shared_ptr<const WordProgram>& SwitchGroup::broadcast(int root) {
  if (root != root_) {
    broadcast_ = std::make_shared<const WordProgram>(broadcast_program(size_, node_of(root), node_of(me_)));
    root_ = root;
  }
  return broadcast_;
}

const std::shared_ptr<const WordProgram>& SwitchGroup::reduction(std::optional<int> root) {
  const auto to = [&](std::uint32_t node) {
    return std::make_shared<const WordProgram>(reduction_program(size_, node, node_of(me_), !root));
  };
  if (!root) {
    if (allreduce_ == nullptr) allreduce_ = to(central_root(size_));
    return allreduce_;
  }
  if (*root != sum_root_) {
    reduce_ = to(node_of(*root));
    sum_root_ = *root;
  }
  return reduce_;
}

std::shared_ptr<const WordProgram> SwitchGroup::of_ranks(WordProgram program, std::size_t order) const {
  for (std::uint8_t& node : program[order]) {
    node = static_cast<std::uint8_t>(routers_.at(node));
  }
  return std::make_shared<const WordProgram>(std::move(program));
}

const std::shared_ptr<const WordProgram>& SwitchGroup::gather(int root) {
  if (root != gather_root_) {
    gather_ = of_ranks(gather_program(size_, node_of(root), node_of(me_)), kSourceOrder);
    gather_root_ = root;
  }
  return gather_;
}

const std::shared_ptr<const WordProgram>& SwitchGroup::scatter(int root) {
  if (root != scatter_root_) {
    scatter_ = of_ranks(scatter_program(size_, node_of(root), node_of(me_)), kTargetOrder);
    scatter_root_ = root;
  }
  return scatter_;
}

const std::shared_ptr<const WordProgram>& SwitchGroup::allgather() {
  if (allgather_ == nullptr) allgather_ = of_ranks(allgather_program(size_, node_of(me_)), kSourceOrder);
  return allgather_;
}

const char* SwitchGroup::block_refusal() const {
  const bool fit = others() < kMostSwitchMembers && others() <= entries_;
  return fit ? nullptr : "the ranks are too many for an order of the switches";
}

const char* SwitchGroup::sum_refusal(std::uint32_t adders) const {
  return most_summands(size_) <= adders + 1 ? nullptr : "the switches have too few adders";
}

}  // namespace tidings
