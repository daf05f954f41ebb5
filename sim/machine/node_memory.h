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

  /// Reads and writes of all words from an address on, as many as hold `bytes`, are right.
  [[nodiscard]] bool holds(std::uint32_t address, std::uint64_t bytes) const {
    constexpr std::uint64_t kRest = kWordBytes - 1;
    return address % kWordBytes == 0 && address + ((bytes + kRest) & ~kRest) <= bytes_.size();
  }

  /// @throws MemoryAccessError outside the memory, and where no memory has been attached.
  [[nodiscard]] std::uint32_t read(std::uint32_t address) const {
    check(address, false);
    std::uint32_t word = 0;
    for (unsigned i = 0; i < kWordBytes; ++i) {
      word |= std::to_integer<std::uint32_t>(bytes_[address + i]) << (8 * i);
    }
    return word;
  }
  void write(const MemoryWrite& write) {
    check(write.address, true);
    if (write.strobe == kWholeWord) {
      for (unsigned i = 0; i < kWordBytes; ++i) put(write, i);
    } else {
      for (unsigned i = 0; i < kWordBytes; ++i) {
        if ((write.strobe >> i & 1) != 0) put(write, i);
      }
    }
  }

 private:
  static constexpr unsigned kWordBytes = 4;
  static constexpr std::uint8_t kWholeWord = 0xf;

  void check(std::uint32_t address, bool write) const {
    if (address % kWordBytes != 0 || std::size_t{address} + kWordBytes > bytes_.size()) [[unlikely]] {
      fail(address, write);
    }
  }
  [[noreturn]] void fail(std::uint32_t address, bool write) const;
  void put(const MemoryWrite& write, unsigned i) {
    bytes_[write.address + i] = static_cast<std::byte>(write.data >> (8 * i) & 0xff);
  }

  Endpoint endpoint_;
  std::span<std::byte> bytes_;
};

}  // namespace tidings
