/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_ALLTOALL_H
#define TIDINGS_ALLTOALL_H
/**
 * @file alltoall.h
 * The engine `alltoall`: all-to-alls over the static switches of routers, one word per cycle and link without headers.
 * What moves is the program's to say: broadcasts have one, too, and reductions, whose words are combined on their way.
 *
 * The members are the slots 0 of routers that fill a box. Each loads its router's part of one program: orders in
 * which words leave the inputs and outputs of the switch, and in which blocks leave and come. All members load the same
 * program before any of them starts; then each starts once per all-to-all, when it likes.
 */
#include "driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is pending when an all-to-all is complete. */
#define TIDINGS_IRQ_ALLTOALL TIDINGS_IRQ_OF(TIDINGS_REG_IRQ_STATUS_DONE, TIDINGS_ENGINE_ALLTOALL)
/** The orders of targets and of sources. Lower ones are the switch's: sets of outputs by input, then inputs by
 * output. A set has a bit per network port; that of the input's own port is the slot. */
#define TIDINGS_ALLTOALL_TARGETS (2u * TIDINGS_SWITCH_SIDES)
#define TIDINGS_ALLTOALL_SOURCES (2u * TIDINGS_SWITCH_SIDES + 1u)

/** Entries that fit into an order of the switch; 0 if the open slot does not have the engine. Reads the device. */
uint32_t tidings_alltoall_entries(struct tidings_driver* d);
/** Inputs of a switch, beside a first one, whose words can be combined. The slot has the engine. Reads the device. */
uint32_t tidings_alltoall_adders(struct tidings_driver* d);
/** Say what the next starts combine: of each word of a block, one of each summand. Without summands, nothing. */
void tidings_alltoall_sum(struct tidings_driver* d, struct tidings_reg_alltoall_sums sum);
/** Network ports of a switch in a machine of some dimensions. */
static inline uint32_t tidings_alltoall_ports(uint32_t dimensions) {
  return 2 * dimensions > TIDINGS_FLAT_SWITCH_PORTS ? TIDINGS_SWITCH_PORTS : TIDINGS_FLAT_SWITCH_PORTS;
}
/**
 * Load an order, while no all-to-all is under way. Nothing is done for orders that the switch does not have.
 * @param ports of the switch.
 */
void tidings_alltoall_load(struct tidings_driver* d, uint32_t ports, uint32_t order, const uint8_t* entries,
                           uint32_t length);
/**
 * Start an all-to-all; none is under way. The block for member i is `words` words at source + i * words, that of member
 * i comes to destination + i * words. The own block is not copied.
 * @param source byte address in node memory, of a word. @param destination likewise. @param words of a block, at least
 * one.
 */
void tidings_alltoall_start(struct tidings_driver* d, uint32_t source, uint32_t destination, uint32_t words);

#ifdef __cplusplus
}
#endif
#endif
