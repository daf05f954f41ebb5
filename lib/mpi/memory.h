// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file memory.h
/// Node memory for the program: what MPI_Alloc_mem and MPI_Win_allocate give.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "mpi/library.h"

namespace tidings {

/// Memory that engines reach. @param alignment a power of two. @return null if there is no room.
[[nodiscard]] void* take_node_memory(Library& lib, std::size_t bytes, std::size_t alignment);
/// @return false if that was not given.
bool give_back_node_memory(Library& lib, void* base);
/// The engines' address of memory that was given. @return nothing if some of the bytes are elsewhere.
[[nodiscard]] std::optional<std::uint32_t> node_address(Library& lib, const void* base, std::size_t bytes);

}  // namespace tidings
