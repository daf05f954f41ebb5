// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file persistent.h
/// Requests that are started again and again.
#include "mpi/messages.h"

namespace tidings {

/// A send or a receive that is started again and again.
class PersistentMessage : public RequestExtra {
 public:
  PersistentMessage() {
    persistent = true;
    active = false;
  }
  void start(const RequestPointer& request) override;

 protected:
  /// Begin to send or receive; the peer is a rank.
  virtual void begin(const RequestPointer& request);

 private:
  std::optional<std::int32_t> peer_;  ///< the request's own is another one once it has been cancelled
};

/// A handle for a send or receive that is started later.
[[nodiscard]] MPI_Request hand_out_inactive(Library& lib, RequestPointer request, MPI_Datatype datatype, MPI_Comm comm,
                                            std::unique_ptr<PersistentMessage> extra);

/// Start a persistent request. @throws Error if it is active, or not persistent.
void start_persistent(const RequestPointer& request);

}  // namespace tidings
