// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file explain.h
/// Why a run cannot go on, in the terms of the library that the program calls.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/runtime/channel.h"

namespace tidings {

/// Where a rank stands when no rank can go on.
struct RankSituation {
  bool finished = false;  ///< closed its device or ended
  std::string operation;  ///< "MPI_Recv"; empty outside any call
  std::string call;       ///< "MPI_Recv(source 2, tag 7)"; empty outside any call
  std::string waiting;    ///< what the rank itself says it waits for
  std::uint32_t communicator = 0;
  std::vector<std::uint32_t> waits_for;  ///< the ranks that could end its wait
};

/// The call a rank is in: "MPI_Recv(source 2, tag 7)". Empty outside any call.
[[nodiscard]] std::string describe_call(const tidings_operation_record& operation);

/// " in MPI_Recv(source 2, tag 7)" or " outside any MPI call".
[[nodiscard]] std::string describe_place(const tidings_operation_record& operation);

/// Who waits for whom, the cycle if there is one, and collectives that do not match.
[[nodiscard]] std::string explain_deadlock(std::span<const RankSituation> ranks);

/// Where each rank is, one line for ranks that are in the same place.
[[nodiscard]] std::string list_places(std::span<const RankSituation> ranks);

/// "SIGSEGV (segmentation fault)".
[[nodiscard]] std::string describe_signal(int signal);

}  // namespace tidings
