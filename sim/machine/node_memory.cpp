// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/node_memory.h"

#include <sstream>

namespace tidings {
namespace {

constexpr unsigned kWordBytes = 4;

std::string describe(Endpoint endpoint, std::uint32_t address, std::size_t size, bool write) {
  std::ostringstream text;
  text << "engine of node 0x" << std::hex << endpoint.node.value << ", slot " << std::dec << int{endpoint.slot.value}
       << (write ? " writes" : " reads") << " node memory at address 0x" << std::hex << address;
  if (address % kWordBytes != 0) {
    text << ", which is not word aligned";
  } else {
    text << ", outside its " << std::dec << size << " bytes";
  }
  return text.str();
}

}  // namespace

MemoryAccessError::MemoryAccessError(Endpoint endpoint, std::uint32_t address, std::size_t size, bool write)
    : std::runtime_error(describe(endpoint, address, size, write)), endpoint_(endpoint), address_(address) {}

std::uint32_t NodeMemory::read(std::uint32_t address) const {
  check(address, false);
  std::uint32_t word = 0;
  for (unsigned i = 0; i < kWordBytes; ++i) {
    word |= std::to_integer<std::uint32_t>(bytes_[address + i]) << (8 * i);
  }
  return word;
}

void NodeMemory::write(const MemoryWrite& write) {
  check(write.address, true);
  for (unsigned i = 0; i < kWordBytes; ++i) {
    if ((write.strobe >> i & 1) != 0) bytes_[write.address + i] = static_cast<std::byte>(write.data >> (8 * i) & 0xff);
  }
}

void NodeMemory::check(std::uint32_t address, bool write) const {
  if (address % kWordBytes != 0 || std::size_t{address} + kWordBytes > bytes_.size()) {
    throw MemoryAccessError(endpoint_, address, bytes_.size(), write);
  }
}

}  // namespace tidings
