// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file kept.h
/// What is there until the process ends.
#include <list>
#include <mutex>
#include <utility>

namespace tidings {

/// Keep a value until the process ends, after all destructors of static objects. @return its place
template <class Value>
Value* keep(Value value) {
  static std::mutex mutex;
  static auto* const kept = new std::list<Value>;
  const std::scoped_lock lock(mutex);
  return &kept->emplace_back(std::move(value));
}

}  // namespace tidings
