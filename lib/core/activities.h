// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file activities.h
/// What goes on while the program does other things: nonblocking collectives, windows.
///
/// There is no thread for it. Activities advance in every call that lets messages move.
#include <memory>
#include <vector>

#include "core/message_layer.h"

namespace tidings {

class Activity {
 public:
  enum class State {
    Idle,      ///< waits for messages
    Moved,     ///< has done something: others may wait for that
    Finished,  ///< is over
  };
  Activity() = default;
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  virtual ~Activity() = default;

  /// Do all that can be done without blocking. Never waits for messages.
  virtual State advance() = 0;
};

/// Let something advance from now on, until it has finished. @param activity may be null: there is nothing yet
void attach(MessageLayer& messages, std::shared_ptr<Activity> activity);

/// Completes a request when others are complete.
class Composite final : public Activity {
 public:
  Composite(RequestPointer whole, std::vector<RequestPointer> parts)
      : whole_(std::move(whole)), parts_(std::move(parts)) {}
  State advance() override;

 private:
  RequestPointer whole_;
  std::vector<RequestPointer> parts_;
};

}  // namespace tidings
