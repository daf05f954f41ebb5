/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_PLATFORM_H
#define TIDINGS_PLATFORM_H
/**
 * @file platform.h
 * What the platform gives a process beside its slots: who it is, where all slots are, a clock, and a way to fail.
 */
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a slot is in the machine, as packets name it. */
struct tidings_endpoint {
  uint16_t node; /**< router address; a single router of more than 16 slots has one for each 16 of them */
  uint8_t slot;  /**< slot at that address, 0 to 15 */
};

/** Most dimensions of a machine. */
#define TIDINGS_MAX_DIMENSIONS 4u

/**
 * How the routers are joined: a grid, in each dimension open or closed to a ring. Ports 2d and 2d + 1 of a router lead
 * to coordinate + 1 and - 1 of dimension d. A router's address has 12 / dimensions bits per coordinate, dimension 0
 * lowest.
 */
struct tidings_grid {
  uint32_t dimensions;                    /**< 0: a single router, or any graph */
  uint16_t radix[TIDINGS_MAX_DIMENSIONS]; /**< routers in each dimension */
  bool wraps[TIDINGS_MAX_DIMENSIONS];     /**< the dimension is closed to a ring */
  bool single;                            /**< one router has all slots, whatever their addresses are */
};

/** What the two ways of an all-to-all cost on this machine, in picoseconds; all 0 if the platform does not know. */
struct tidings_exchange_costs {
  uint64_t message;      /**< of the processors at both ends, for a message without its words */
  uint64_t agreement;    /**< of an allreduce of two words in the collective engine */
  uint64_t copied_word;  /**< of processors, for a word of a message; 0 if they copy as many for switches */
  uint64_t link_cycle;   /**< a word of a message takes a link for this long */
  uint64_t switch_cycle; /**< a word of static switches likewise: longer if it waits for room */
  uint64_t switch_hop;   /**< it is at the next switch after this long */
};

/** What the platform tells a process about itself and the machine. */
struct tidings_platform {
  uint32_t rank;                                /**< number of this process */
  uint32_t ranks;                               /**< processes of the run */
  uint32_t slots;                               /**< slots that each process holds */
  const struct tidings_endpoint* endpoints;     /**< of all slots: slot s of rank r is entry r * slots + s */
  struct tidings_grid grid;                     /**< of all routers */
  bool barrier_wires;                           /**< slots 0, or those of a single router, have the engine `barrier` */
  bool shared_memory;                           /**< engines reach all memory of the process: tidings_bus_reach */
  uint32_t alltoall_entries;                    /**< of an order of the engine `alltoall` in slots 0; 0: they lack it */
  uint32_t alltoall_hop;                        /**< cycles of a link, for which schedules of its words are made */
  bool hardware_collectives;                    /**< the user asked for the engine's collectives */
  bool named_switches;                          /**< without these, static switches carry out what names them */
  const char* machine;                          /**< name of the machine */
  uint32_t program;                             /**< number of this process's program, if the user named several */
  struct tidings_exchange_costs exchange_costs; /**< what a collective chooses its way by */
};

/**
 * Find out what the process is part of.
 * @return NULL, or why it is part of no run and what to do about that. The text follows "this program ".
 */
const char* tidings_platform_read(struct tidings_platform* platform);

/**
 * Look up when the words of an all-to-all enter width x height x depth routers, so that no two meet.
 * @param start the cycle in which the word from a router to another enters, at from * routers + to; routers are
 *   (z * height + y) * width + x.
 * @return false if the platform keeps no schedule for that many routers.
 */
bool tidings_word_schedule(uint32_t width, uint32_t height, uint32_t depth, uint16_t* start);

/** Nanoseconds since the run began, as the processor's clock shows them. */
uint64_t tidings_clock_ns(void);

/**
 * End the whole run with a cause. Does not return.
 * @param code status for the launcher, not 0.
 * @param message what was called and what went wrong; the platform says which rank it was.
 */
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void tidings_fail(int code, const char* message);

#ifdef __cplusplus
}
#endif
#endif
