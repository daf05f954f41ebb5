// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/switch_group.h"

#include <utility>
#include <vector>

#include "platform.h"

namespace tidings {

const std::shared_ptr<const WordProgram>& SwitchGroup::program() {
  if (!made_) {
    made_ = true;
    WordSchedule schedule{.width = static_cast<std::uint32_t>(routers_.width()),
                          .height = static_cast<std::uint32_t>(routers_.height()),
                          .period = 0,
                          .cycles = 0,
                          .start = {}};
    const std::uint32_t nodes = schedule.nodes();
    // What the busiest link or slot carries is the longest order of all members.
    if (nodes <= kMostSwitchMembers && word_schedule_bound(schedule.width, schedule.height) <= entries_) {
      std::vector<std::uint16_t> start(std::size_t{nodes} * nodes);
      if (tidings_word_schedule(schedule.width, schedule.height, start.data())) {
        schedule.start.assign(start.begin(), start.end());
        const auto width = static_cast<int>(schedule.width);
        WordProgram program =
            word_program(schedule, static_cast<std::uint32_t>(routers_.y(me_) * width + routers_.x(me_)));
        for (const std::size_t order : {kTargetOrder, kSourceOrder}) {
          for (std::uint8_t& node : program[order]) {
            node = static_cast<std::uint8_t>(routers_.at(node % width, node / width));
          }
        }
        program_ = std::make_shared<const WordProgram>(std::move(program));
      }
    }
  }
  return program_;
}

}  // namespace tidings
