/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_COST_H
#define TIDINGS_COST_H
/**
 * @file cost.h
 * Software work that takes a processor time. A real processor spends that time by itself: its platform links
 * cost_none.c, which does nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** In the order of the costs of section `processor` in rtl/machine/node.toml. */
enum tidings_work {
  TIDINGS_WORK_CALL,     /**< a library call's entry, checks and end; amount = calls */
  TIDINGS_WORK_COMMAND,  /**< an engine's command that no other work has, and its end; amount = commands */
  TIDINGS_WORK_VECTOR,   /**< a collective engine's command for a vector, and its end; amount = commands */
  TIDINGS_WORK_REQUEST,  /**< a send or receive is made, started and completed; amount = requests */
  TIDINGS_WORK_HANDLE,   /**< a request that the program gets a handle of, beside that; amount = requests */
  TIDINGS_WORK_MESSAGE,  /**< a message of the library leaves; amount = messages */
  TIDINGS_WORK_ARRIVAL,  /**< a message of the library arrives and finds its request; amount = messages */
  TIDINGS_WORK_SCHEDULE, /**< a collective is carried out by messages, beside these; amount = collectives */
  TIDINGS_WORK_ROUND, /**< a round of such a collective, a step in memory, a block with its own count; amount = all */
  TIDINGS_WORK_TRANSFER, /**< a send or receive of such a round, beside what each takes; amount = both */
  TIDINGS_WORK_KEEP,     /**< a message that nobody has asked for is kept, or handed over later; amount = messages */
  TIDINGS_WORK_QUEUE,    /**< a receive joins others that wait, or is looked for among them; amount = both */
  TIDINGS_WORK_MATCH,    /**< looking at one more queue entry while matching; amount = entries */
  TIDINGS_WORK_WINDOW,   /**< an access to a window, or what opens or completes accesses; amount = both, at each rank */
  TIDINGS_WORK_DIRECT,   /**< an access to a window that engines carry out, beside commands; amount = accesses */
  TIDINGS_WORK_LOOK,     /**< a request among which a call looks for one that is complete; amount = requests */
  TIDINGS_WORK_PROBE,    /**< a message is found by a matched probe and received; amount = messages */
  TIDINGS_WORK_POLL,     /**< one unsuccessful test, so that polling advances time; amount = polls */
  TIDINGS_WORK_REDUCE,   /**< combining elements in software; amount = elements */
  TIDINGS_WORK_COPY, /**< copying one piece between program memory and node memory, or within either; amount = bytes */
};

/** The work has been done, or is about to be. */
void tidings_work(enum tidings_work kind, uint64_t amount);

struct tidings_bus;

/**
 * Until the slot is closed, one amount of this work follows each read of a register that finds anything but what was
 * last written to another one, before anything else that uses the bus. A simulator of the slot can advance it
 * meanwhile.
 * @param read byte address of the first. @param written byte address of the other.
 */
void tidings_announce_work(struct tidings_bus* bus, uint32_t read, uint32_t written, enum tidings_work kind);

/** Copy one piece, and account for it. The pieces may overlap. */
static inline void tidings_copy(void* destination, const void* source, size_t bytes) {
  tidings_work(TIDINGS_WORK_COPY, bytes);
  if (bytes != 0) memmove(destination, source, bytes);
}

#ifdef __cplusplus
}
#endif
#endif
