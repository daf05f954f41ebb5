// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_memory.h
/// The memory of a slot as its engines reach it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "sim/machine/node.h"
#include "sim/machine/types.h"

namespace tidings {

/// An engine reached outside the memory of its slot.
class MemoryAccessError : public std::runtime_error {
 public:
  MemoryAccessError(Endpoint endpoint, std::uint32_t address, std::size_t size, bool write);
  [[nodiscard]] Endpoint endpoint() const { return endpoint_; }
  [[nodiscard]] std::uint32_t address() const { return address_; }

 private:
  Endpoint endpoint_;
  std::uint32_t address_;
};

/// Little-endian words at byte addresses; address 0 is the first byte.
class NodeMemory {
 public:
  explicit NodeMemory(Endpoint endpoint) : endpoint_(endpoint) {}
  void attach(std::span<std::byte> bytes) { bytes_ = bytes; }

  /// @throws MemoryAccessError outside the memory, and where no memory has been attached.
  [[nodiscard]] std::uint32_t read(std::uint32_t address) const;
  void write(const MemoryWrite& write);

 private:
  void check(std::uint32_t address, bool write) const;

  Endpoint endpoint_;
  std::span<std::byte> bytes_;
};

}  // namespace tidings
