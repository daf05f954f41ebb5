// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file memory.cpp
/// Memory and addresses.
#include "mpi/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/node_memory.h"
#include "mpi/call.h"

using namespace tidings;

namespace {

/// The alignment that a program asks for in an info (MPI 5.0, section 10.2).
std::size_t alignment_of(const Library& lib, MPI_Info info) {
  std::size_t alignment = alignof(std::max_align_t);
  if (info == MPI_INFO_NULL) return alignment;
  const std::string* const wanted = lib.info(info)->find("mpi_minimum_memory_alignment");
  if (wanted == nullptr) return alignment;
  // What is not a power of two is ignored, as the standard wants it of hints.
  const std::size_t value = std::strtoul(wanted->c_str(), nullptr, 10);
  if ((value & (value - 1)) == 0 && value > alignment) alignment = value;
  return alignment;
}

/// Node memory for programs: engines work on vectors there without the processor.
NodeMemory& node_memory(Library& lib) {
  static auto* const memory = new NodeMemory(lib.messages().layout().given_base, lib.messages().layout().given);
  return *memory;
}

}  // namespace

void* tidings::take_node_memory(Library& lib, std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t kLine = 64;
  alignment = std::max(alignment, kLine);
  const auto address = node_memory(lib).take(bytes, alignment);
  if (!address) return nullptr;
  void* const taken = lib.messages().memory(*address);
  if (reinterpret_cast<std::uintptr_t>(taken) % alignment == 0) return taken;
  node_memory(lib).give_back(*address);
  return nullptr;
}

bool tidings::give_back_node_memory(Library& lib, void* base) {
  const auto address = node_address(lib, base, 0);
  return address && node_memory(lib).give_back(*address);
}

std::optional<std::uint32_t> tidings::node_address(Library& lib, const void* base, std::size_t bytes) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(base) - reinterpret_cast<std::uintptr_t>(lib.messages().memory(0));
  const MemoryLayout& layout = lib.messages().layout();
  const std::uintptr_t end = std::uintptr_t{layout.given_base} + layout.given;
  if (address < layout.given_base || address >= end || bytes > end - address) return std::nullopt;
  return static_cast<std::uint32_t>(address);
}

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  return serve("MPI_Alloc_mem", [&](Library& lib, Call&) {
    if (size < 0) throw Error(MPI_ERR_ARG, "the size is " + std::to_string(size), "Give a size that is not negative.");
    if (baseptr == nullptr)
      throw Error(MPI_ERR_ARG, "the place for the address is a null pointer", "Give the address of a pointer.");
    const std::size_t alignment = alignment_of(lib, info);
    const std::size_t whole = (static_cast<std::size_t>(size) + alignment - 1) / alignment * alignment;
    const std::size_t bytes = whole == 0 ? alignment : whole;
    void* memory = take_node_memory(lib, bytes, alignment);
    if (memory == nullptr) memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) throw Error(MPI_ERR_NO_MEM, "there are no " + std::to_string(size) + " bytes of memory");
    std::memcpy(baseptr, &memory, sizeof memory);
  });
}

int PMPI_Free_mem(void* base) {
  return serve("MPI_Free_mem", [&](Library& lib, Call&) {
    if (!give_back_node_memory(lib, base)) std::free(base);
  });
}

int PMPI_Get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) { return base + disp; }

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) { return addr1 - addr2; }
