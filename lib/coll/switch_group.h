// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file switch_group.h
/// What a communicator needs for all-to-alls over static switches.
#include <cstdint>
#include <memory>

#include "coll/placement.h"
#include "coll/word_program.h"

namespace tidings {

/// The part of one member in a communicator's program. It is made when it is first asked for.
class SwitchGroup {
 public:
  /// @param me number of this rank among the members. @param entries that fit into an order.
  /// @throws Impossible if the members fill no rectangle.
  SwitchGroup(const Placement& placement, Member me, std::uint32_t entries)
      : routers_(placement), me_(static_cast<int>(me)), entries_(entries) {}

  /// Targets and sources are ranks of the communicator. The same at all members: null if the platform keeps no schedule
  /// for these routers, or if they are too many for an order.
  const std::shared_ptr<const WordProgram>& program();

 private:
  Rectangle routers_;
  int me_;
  std::uint32_t entries_;
  bool made_ = false;
  std::shared_ptr<const WordProgram> program_;
};

}  // namespace tidings
