// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/node_memory.h"

#include <sstream>

namespace tidings {
namespace {

std::string describe(Endpoint endpoint, std::uint32_t address, std::size_t size, bool write) {
  std::ostringstream text;
  text << "engine of node 0x" << std::hex << endpoint.node.value << ", slot " << std::dec << int{endpoint.slot.value}
       << (write ? " writes" : " reads") << " node memory at address 0x" << std::hex << address;
  if (address % sizeof(std::uint32_t) != 0) {
    text << ", which is not word aligned";
  } else {
    text << ", outside its " << std::dec << size << " bytes";
  }
  return text.str();
}

}  // namespace

MemoryAccessError::MemoryAccessError(Endpoint endpoint, std::uint32_t address, std::size_t size, bool write)
    : std::runtime_error(describe(endpoint, address, size, write)), endpoint_(endpoint), address_(address) {}

void NodeMemory::wait_or_fail(std::uint32_t address, bool write) {
  if (!holds(address, kWordBytes)) throw MemoryAccessError(endpoint_, address, all_.size(), write);
  (*wait_)(endpoint_);
  release();
}

}  // namespace tidings
