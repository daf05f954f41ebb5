/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_IDEAL_H
#define TIDINGS_IDEAL_H
/**
 * @file ideal.h
 * What no machine has: data that is at another rank at once, and work that takes no time. A simulator shows with it
 * what collectives would gain at most. A real platform links ideal_none.c.
 */
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Collectives are to take no time: their ranks wait for each other, and for nothing else. */
bool tidings_ideal(void);

/** Until told otherwise, work takes no time. @param free whether it takes none. @return whether it took none before. */
bool tidings_ideal_work(bool free);

/**
 * Leave bytes for a rank, which has them at the same time. Does not wait.
 * @param rank of whom they are for.
 * @param label what they are: bytes with equal labels for one rank keep their order.
 */
void tidings_ideal_give(uint32_t rank, uint64_t label, const void* data, uint64_t bytes);

/** What `tidings_ideal_take` returns if the bytes are not there yet. */
#define TIDINGS_IDEAL_ABSENT UINT64_MAX

/**
 * Take bytes that a rank has left, if they are there. Does not wait.
 * @param rank of whom they are from.
 * @param bytes that there is room for. What does not fit is dropped.
 * @return how many bytes were given, or TIDINGS_IDEAL_ABSENT.
 */
uint64_t tidings_ideal_take(uint32_t rank, uint64_t label, void* data, uint64_t bytes);

/**
 * Wait until bytes come that the last wait has not told of, or until the interrupt line of slot 0 is high.
 * @return whether it was the interrupt: see to the slot, and wait again.
 */
bool tidings_ideal_wait(void);

#ifdef __cplusplus
}
#endif
#endif
