// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file types.h
/// Finds messages that are received with other datatypes than they were sent with, and collectives whose members have
/// different ones.
///
/// What a rank sends, it writes into a file of the receiver: a record per message. Messages of one sender, communicator
/// and tag are matched in order, so the first record belongs to the receive of them that was started first. So are
/// collectives: what a member gives to another in its n-th collective is what that one expects in its n-th. If all
/// members have the same elements, each gives them to the first one, which expects its own.
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
/// A message has been matched with a receive to come. @param place of the probe
void type_matched(const Place& place, MPI_Message message, const MPI_Status& status);
/// The receive of a matched message.
void type_received(const Place& place, MPI_Message message);
/// There is one half of a partitioned message.
void type_partitioned(const Place& place);
/// This rank has taken part in a collective of equal elements.
void type_shared(const Place& place);
/// This rank has given elements to a member in a collective.
void type_given(const Place& place, int member);
/// This rank expects elements from a member in a collective.
void type_expected(const Place& place, int member);
/// Compare what can be compared by now.
void types_settle();

}  // namespace tidings::check
