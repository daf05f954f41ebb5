// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file types.h
/// Finds messages that are received with other datatypes than they were sent with, and collectives whose members have
/// different ones.
///
/// What a rank sends, it writes into a file of the receiver: a record per message. Messages of one sender, communicator
/// and tag are matched in order, so the first record belongs to the receive of them that was started first. A
/// collective's members write to the file of the first member.
#include "check/place.h"

namespace tidings::check {

/// A message is on its way.
void type_sent(const Place& place);
/// A receive has been started. @param request that will be handed over when a message has come
void type_wanted(MPI_Request request, const Place& place);
/// A receive is over. @param status of it; null if nobody knows what has come
void type_received(MPI_Request request, const MPI_Status* status);
/// The same for a receive that the program has waited for.
void type_received(const Place& place, const MPI_Status& status);
/// Nobody will know what has come for a request.
void type_lost(MPI_Request request);
/// This rank has taken part in a collective. @param again as another buffer of the same call
void type_shared(const Place& place, bool again);
/// A communicator is gone, and others may take its place.
void types_forget(std::intptr_t communicator);
/// Compare what can be compared by now.
void types_settle();

}  // namespace tidings::check
