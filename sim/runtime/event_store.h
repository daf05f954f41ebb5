// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file event_store.h
/// The simulator's part of the event store (events.h): the file, what ranks have not written, and the load of links.
#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/runtime/file_descriptor.h"
#include "sim/runtime/segment.h"

namespace tidings {

/// Counts flits of all links in windows of equal length, whose number is bounded: when there are too many, two become
/// one.
class LinkWindows {
 public:
  explicit LinkWindows(const Machine& machine);

  /// The cycle in which the machine should be looked at next.
  [[nodiscard]] Cycle next() const { return Cycle{(windows_.size() / links_ + 1) * cycles_}; }
  /// Look at the machine, which is at `next()` or has ended before it.
  void look(const Machine& machine);

  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
  /// Windows after each other, each node * ports + port.
  [[nodiscard]] const std::vector<std::uint32_t>& counts() const { return windows_; }
  [[nodiscard]] std::size_t links() const { return links_; }

 private:
  void halve();

  std::size_t links_;
  std::uint64_t cycles_;
  std::vector<std::uint64_t> before_;  ///< at the end of the last window
  std::vector<std::uint64_t> now_;
  std::vector<std::uint32_t> windows_;
};

class EventStore {
 public:
  /// @throws std::system_error if the file cannot be made.
  explicit EventStore(const std::string& path);

  /// For ranks to inherit: each of their writes appends.
  [[nodiscard]] int file() const { return file_.get(); }
  /// Write what a rank has not, and the names that its events have.
  void finish(const Segment& segment, std::uint32_t rank);
  void finish(const LinkWindows& links, const Machine& machine);

 private:
  void append(std::uint32_t kind, std::uint32_t rank, const std::vector<std::byte>& bytes);

  std::string path_;
  FileDescriptor file_;
};

}  // namespace tidings
