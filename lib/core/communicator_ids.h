// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file communicator_ids.h
/// Which ids of communicators this rank uses.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidings {

/// How many communicators of this rank have an id: both sides of an intercommunicator have the same.
class CommunicatorIds {
 public:
  static void take(std::uint32_t id) {
    auto& used = counts();
    if (id >= used.size()) used.resize(id + 1);
    ++used[id];
  }
  static void give_back(std::uint32_t id) { --counts()[id]; }
  [[nodiscard]] static bool is_free(std::uint32_t id) { return id >= counts().size() || counts()[id] == 0; }
  /// The least id from `least` on that no communicator has.
  [[nodiscard]] static std::uint32_t free_from(std::uint32_t least) {
    while (!is_free(least)) ++least;
    return least;
  }

 private:
  static std::vector<std::uint16_t>& counts() {
    static auto* const instance = new std::vector<std::uint16_t>;  // never destroyed, as the library
    return *instance;
  }
};

/// One communicator's use of an id.
class CommunicatorId {
 public:
  explicit CommunicatorId(std::uint32_t id) : id_(id) { CommunicatorIds::take(id); }
  CommunicatorId(const CommunicatorId&) = delete;
  CommunicatorId& operator=(const CommunicatorId&) = delete;
  ~CommunicatorId() { CommunicatorIds::give_back(id_); }
  operator std::uint32_t() const { return id_; }  // NOLINT(google-explicit-constructor): it is one

 private:
  const std::uint32_t id_;
};

}  // namespace tidings
