/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_SIM_RUNTIME_TIMER_H
#define TIDINGS_SIM_RUNTIME_TIMER_H
/**
 * @file timer.h
 * Alarms in virtual time: when the next one is due, and how it comes.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sim/runtime/rank/rank.h"

/** When the next alarm is due; UINT64_MAX if none is set. */
extern uint64_t rank_alarm_ps;

/** Send the signals of the alarms that are due. @return whether one interrupts a sleep: the program handles it. */
bool rank_send_alarms(struct tidings_channel* channel);

/** Time has passed, and no call of the library is under way. */
static inline void rank_look_at_alarms(struct tidings_channel* channel) {
  if (rank_alarm_ps == UINT64_MAX) return;
  ++channel->clock_looks;
  if (channel->local_ps >= rank_alarm_ps) rank_send_alarms(channel);
}

/**
 * Let time pass until an alarm that the program handles, or to the end of a sleep.
 * @return what is left of the sleep.
 */
uint64_t rank_sleep(struct tidings_channel* channel, uint64_t picoseconds);

#endif
