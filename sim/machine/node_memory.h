// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_memory.h
/// The memory of a slot as its engines reach it.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
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
  static constexpr unsigned kWordBytes = 4;

  explicit NodeMemory(Endpoint endpoint) : endpoint_(endpoint) {}
  void attach(std::span<std::byte> bytes) { bytes_ = all_ = bytes; }

  /// Somebody else works on the memory. The next access calls `wait` first, which returns when that is over.
  /// @param wait must last until then, or until `release`.
  void hold(const std::function<void(Endpoint)>& wait) {
    bytes_ = {};
    wait_ = &wait;
  }
  void release() { bytes_ = all_; }

  /// Reads and writes of all words from an address on, as many as hold `bytes`, are right.
  [[nodiscard]] bool holds(std::uint32_t address, std::uint64_t bytes) const {
    constexpr std::uint64_t kRest = kWordBytes - 1;
    return address % kWordBytes == 0 && address + ((bytes + kRest) & ~kRest) <= all_.size();
  }

  /// @throws MemoryAccessError outside the memory, and where no memory has been attached.
  [[nodiscard]] std::uint32_t read(std::uint32_t address) {
    check(address, false);
    std::uint32_t word;
    std::memcpy(&word, &bytes_[address], sizeof word);
    return in_order(word);
  }
  void write(const MemoryWrite& write) {
    check(write.address, true);
    if (write.strobe == kWholeWord) {
      put(write.address, write.data);
    } else {
      for (unsigned i = 0; i < kWordBytes; ++i) {
        if ((write.strobe >> i & 1) != 0)
          bytes_[write.address + i] = static_cast<std::byte>(write.data >> (8 * i) & 0xff);
      }
    }
  }
  /// Whole words one after another, at least one.
  void write(std::uint32_t address, std::span<const std::uint32_t> words) {
    check(address, true);
    check(address + kWordBytes * (static_cast<std::uint32_t>(words.size()) - 1), true);
    for (const std::uint32_t word : words) {
      put(address, word);
      address += kWordBytes;
    }
  }

 private:
  static constexpr std::uint8_t kWholeWord = 0xf;

  void check(std::uint32_t address, bool write) {
    if (address % kWordBytes != 0 || std::size_t{address} + kWordBytes > bytes_.size()) [[unlikely]] {
      wait_or_fail(address, write);
    }
  }
  /// Either the memory is held, or the access is wrong.
  void wait_or_fail(std::uint32_t address, bool write);
  void put(std::uint32_t address, std::uint32_t data) {
    const std::uint32_t word = in_order(data);
    std::memcpy(&bytes_[address], &word, sizeof word);
  }
  /// A word with its lowest byte first, and back.
  static constexpr std::uint32_t in_order(std::uint32_t word) {
    return std::endian::native == std::endian::little ? word : __builtin_bswap32(word);
  }

  Endpoint endpoint_;
  std::span<std::byte> all_;
  std::span<std::byte> bytes_;  ///< nothing while the memory is held, so that accesses look for one thing only
  const std::function<void(Endpoint)>* wait_ = nullptr;
};

}  // namespace tidings
