// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file fake_device.h
/// Slots without a machine: the bus boundary over memory that forked processes share.
///
/// Every register acts as rtl/regs/slot.rdl says. Commands of the rma engine wait until their rank reads a register or
/// waits for an interrupt, so a buffer that is used again too early is noticed; a collective is complete when its last
/// rank has joined. So the driver and the library are tested by themselves.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bus.h"
#include "platform.h"

namespace tidings::fake {

struct Options {
  bool hardware_collectives = false;
  std::size_t memory_bytes = std::size_t{1} << 20;
  /// Routers of one slot each, in this grid of one dimension; without, routers of three that are not joined.
  tidings_grid grid{};
  std::uint32_t slots = 1;  ///< of each rank
};

/// A library call that rank 0 has ended; told by fake_trace.cpp.
struct EndedOperation {
  std::string name;
  int path = 0;
  std::string reason;
  std::string note;
};

struct Result {
  /// What a rank gave to tidings_fail, empty if none did.
  std::string failure;
  int failure_code = 0;
  /// Ranks that ended otherwise than by returning from the body without a failed expectation.
  std::vector<std::uint32_t> bad_ranks;
  /// Calls of rank 0 in order.
  std::vector<EndedOperation> operations;
};

/// Run `body` in `ranks` processes at once. Failed expectations of GoogleTest in a rank make it a bad one.
/// A run in which all ranks wait for ever ends after ten seconds as if every rank had crashed.
Result run_ranks(std::uint32_t ranks, const Options& options, const std::function<void(std::uint32_t rank)>& body);

/// Add to Result::operations, if this is rank 0.
void log_operation(const char* name, int path, const char* reason, const char* note);

/// Wait until every rank is here.
void meet();

/// Bus accesses that this rank has made.
std::uint64_t bus_reads();
std::uint64_t bus_writes();

}  // namespace tidings::fake
