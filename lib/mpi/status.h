// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file status.h
/// Statuses of the standard ABI. The number of bytes is kept in the first two internal words, whether the
/// operation was cancelled in the third.
#include <cstdint>
#include <cstring>

#include "core/abi.h"

namespace tidings {

inline void set_status_bytes(MPI_Status& status, std::uint64_t bytes) {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}

[[nodiscard]] inline std::uint64_t status_bytes(const MPI_Status& status) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}

inline void set_status_cancelled(MPI_Status& status, bool cancelled) { status.MPI_internal[2] = cancelled ? 1 : 0; }

[[nodiscard]] inline bool status_cancelled(const MPI_Status& status) { return status.MPI_internal[2] != 0; }

/// Fill a status, unless the program ignores it. Its MPI_ERROR is left alone, as the standard says.
inline void set_status(MPI_Status* status, int source, int tag, std::uint64_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  std::memset(status->MPI_internal, 0, sizeof status->MPI_internal);
  set_status_bytes(*status, bytes);
}

/// The status of nothing: a request that is null or inactive.
inline void set_empty_status(MPI_Status* status) {
  set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}

}  // namespace tidings
