/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_BARRIER_H
#define TIDINGS_BARRIER_H
/**
 * @file barrier.h
 * The engine `barrier`: barriers over wires, some cycles for a whole machine.
 *
 * At a single router the members of a group are any slots, and groups of one number with other members do not disturb
 * one another. Between routers the members are the slots 0 of all routers at which a set of columns crosses a set of
 * rows, and routers that are not members hand on what passes them. All members join before any of them arrives: a
 * message or a barrier of another kind between the two makes sure of that.
 */
#include "driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is pending when a barrier is complete that tidings_barrier_await was called for. */
#define TIDINGS_IRQ_BARRIER TIDINGS_IRQ_OF(TIDINGS_REG_IRQ_STATUS_WAITING, TIDINGS_ENGINE_BARRIER)

/** Groups of the engine of an open slot; 0 if the slot does not have it. Reads the device. */
uint32_t tidings_barrier_groups(struct tidings_driver* d);
/**
 * Become a member of a group, which no barrier is under way in.
 * @param mates where other members are, one bit each: at a single router slots; between routers the network ports that
 *   lead to them, + 1 and - 1 of dimension 0, then of 1.
 */
void tidings_barrier_join(struct tidings_driver* d, uint32_t group, uint64_t mates);
/** Be no member any more. */
void tidings_barrier_leave(struct tidings_driver* d, uint32_t group);
/** Arrive. All members do, once for each barrier. */
void tidings_barrier_arrive(struct tidings_driver* d, uint32_t group);
/**
 * Arrive when the engine `rma` is idle: every PUT of this slot has been written and every GET has come. So when the
 * barrier is complete, no word of a member that has arrived in this way is under way.
 */
void tidings_barrier_arrive_quiet(struct tidings_driver* d, uint32_t group);
/** All members have arrived where this one has arrived last. Reads the device. */
bool tidings_barrier_done(struct tidings_driver* d, uint32_t group);
/** Take note of a complete barrier: TIDINGS_IRQ_BARRIER is pending no more. */
void tidings_barrier_acknowledge(struct tidings_driver* d, uint32_t group);
/** Have TIDINGS_IRQ_BARRIER pending when the barrier of this group is complete, and of no other. */
void tidings_barrier_await(struct tidings_driver* d, uint32_t group);

#ifdef __cplusplus
}
#endif
#endif
