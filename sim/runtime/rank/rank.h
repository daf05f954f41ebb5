/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_SIM_RUNTIME_RANK_H
#define TIDINGS_SIM_RUNTIME_RANK_H
/**
 * @file rank.h
 * What the parts of the in-process side share: the channel and the rank's own time.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sim/runtime/channel.h"

/** The channel of this process; NULL if it does not speak for a rank. */
struct tidings_channel* rank_channel(void);

/** The channel that the process was started with, whether or not it speaks for the rank. NULL if it has none. */
struct tidings_channel* rank_attached_channel(void);

/** Whether rank_take_channel would make this process the one that speaks for its rank. */
bool rank_can_take_channel(void);

/** As rank_channel, but NULL also on any thread but the main one: whose clocks stay real. */
struct tidings_channel* rank_channel_of_main_thread(void);

/** Make this process the one that speaks for its rank. @return NULL if it cannot. */
struct tidings_channel* rank_take_channel(void);

/** Move the rank's time forward. Ends the rank where that passes the limit of the run. */
void rank_advance(struct tidings_channel* channel, uint64_t picoseconds);

/** The number of a slot that the process holds. */
uint32_t rank_slot_of(const struct tidings_bus* bus);

/** Charge the program's CPU time since the last charge, where the run measures it and no library call is under way. */
void rank_charge_compute(struct tidings_channel* channel);

/** CPU time up to now belongs to the library: charge nothing for it. */
void rank_skip_compute(void);

/** Have the library say what it waits for, if it waits, and note where the program has called it. */
void rank_describe_wait(void);

/** The calls that a thread is in, the innermost first: the addresses that they return to. */
enum { RANK_MOST_CALLERS = 64 };
struct rank_callers {
  void* returns[RANK_MOST_CALLERS];
  int count;
};
void rank_find_callers(struct rank_callers* callers);

/**
 * Note the innermost call that comes from no library in the folder of this one: where the program called them.
 * @param returns addresses that the calls return to, the innermost first; `count` of them
 * @param place receives the file, a tab and the place in it; empty if that is not known.
 */
void rank_note_place(void* const* returns, int count, char place[TIDINGS_TEXT_BYTES]);

/** The outermost call of the library is over: an event, if they are stored. */
void rank_note_call(struct tidings_channel* channel, enum tidings_path path);

/** A wait ends, if there is one, and on request another begins. */
void rank_note_wait(struct tidings_channel* channel, bool begins);

/** Give the turn to the simulator for the reason `stop`, and sleep until it comes back. */
void rank_hand_over(struct tidings_channel* channel, enum tidings_stop stop);

#endif
