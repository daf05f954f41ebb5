// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/activities.h"

#include <algorithm>
#include <utility>

namespace tidings {
namespace {

class ActivityList final : public Activities {
 public:
  void add(std::shared_ptr<Activity> activity) { list_.push_back(std::move(activity)); }

  void advance() override {
    if (advancing_) return;
    advancing_ = true;
    // One may wait for another, so all are asked until nothing moves.
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < list_.size(); ++i) {
        if (list_[i] == nullptr) continue;
        const std::shared_ptr<Activity> one = list_[i];  // it may add others
        const Activity::State state = one->advance();
        moved |= state != Activity::State::Idle;
        if (state == Activity::State::Finished) list_[i] = nullptr;
      }
    }
    std::erase(list_, nullptr);
    advancing_ = false;
  }

 private:
  std::vector<std::shared_ptr<Activity>> list_;
  bool advancing_ = false;
};

}  // namespace

void attach(MessageLayer& messages, std::shared_ptr<Activity> activity) {
  static auto* const list = new ActivityList;  // as the library, it is never destroyed
  messages.set_activities(list);
  if (activity != nullptr) list->add(std::move(activity));
}

Activity::State Composite::advance() {
  const auto done = [](const RequestPointer& part) { return part->complete; };
  if (!std::all_of(parts_.begin(), parts_.end(), done)) return State::Idle;
  whole_->complete = true;
  return State::Finished;
}

}  // namespace tidings
