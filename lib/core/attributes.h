// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file attributes.h
/// What programs attach to communicators, datatypes and windows.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/object.h"

namespace tidings {

/// What a program makes once to attach a value of its own to any object of a kind.
struct Keyval {
  Object object;
  int number;
  ErasedFunction copy;    ///< null: a copy of the object has no such attribute
  bool copy_as_is;        ///< a copy has the same value; there is no function
  ErasedFunction remove;  ///< null: nothing to do
  void* extra_state;
};

struct Attribute {
  std::shared_ptr<const Keyval> keyval;
  void* value;
};

/// The attributes of one object, in the order in which they were set.
class Attributes {
 public:
  [[nodiscard]] const Attribute* find(const Keyval& keyval) const {
    const auto found =
        std::find_if(list_.begin(), list_.end(), [&](const auto& a) { return a.keyval.get() == &keyval; });
    return found == list_.end() ? nullptr : &*found;
  }
  void add(Attribute attribute) { list_.push_back(std::move(attribute)); }
  void remove(const Keyval& keyval) {
    std::erase_if(list_, [&](const auto& a) { return a.keyval.get() == &keyval; });
  }
  [[nodiscard]] const std::vector<Attribute>& list() const { return list_; }

 private:
  std::vector<Attribute> list_;
};

}  // namespace tidings
