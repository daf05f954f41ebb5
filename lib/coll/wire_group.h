// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file wire_group.h
/// Groups of the engine `barrier`, given out to communicators.
#include <cstdint>
#include <memory>
#include <optional>

#include "coll/placement.h"

namespace tidings {

/// Groups of one slot that communicators have, one bit each.
using WireGroups = std::uint32_t;

/// A communicator's group, until it is freed. Its members have the same one.
class WireGroup {
 public:
  WireGroup(std::shared_ptr<WireGroups> taken, std::uint32_t number) : taken_(std::move(taken)), number_(number) {
    *taken_ |= 1U << number_;
  }
  WireGroup(const WireGroup&) = delete;
  WireGroup& operator=(const WireGroup&) = delete;
  /// The slot stays a member, in which nobody takes an interest any more, until the next one takes its number.
  ~WireGroup() { *taken_ &= ~(1U << number_); }

  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// All members have joined: this rank has been through a barrier of another kind since.
  bool met = false;

 private:
  std::shared_ptr<WireGroups> taken_;
  std::uint32_t number_;
};

/// Where a member has others, as tidings_barrier_join takes it. At a single router these are slots. Between routers
/// they are directions; nothing if the members do not fill a rectangle of routers, one in slot 0 of each. So no token
/// ever passes a router that is no member.
[[nodiscard]] std::optional<std::uint64_t> wire_mates(const Placement& placement, Member member);

}  // namespace tidings
