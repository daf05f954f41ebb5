/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ideal.c
 * Data that is at another rank at once: the simulator keeps it until that rank asks for it.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/ideal.h"
#pragma GCC visibility pop

#include <string.h>

#include "sim/runtime/rank/rank.h"

bool tidings_ideal(void) {
  const struct tidings_channel* channel = rank_channel();
  return channel != NULL && channel->ideal_collectives != 0;
}

bool tidings_ideal_work(bool free) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return false;
  const bool before = channel->free_work != 0;
  channel->free_work = free;
  return before;
}

void tidings_ideal_give(uint32_t rank, uint64_t label, const void* data, uint64_t bytes) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  struct tidings_parcel* parcel = &channel->parcel;
  uint64_t done = 0;
  do {
    const uint64_t left = bytes - done;
    *parcel = (struct tidings_parcel){.label = label,
                                      .total = bytes,
                                      .begin = done,
                                      .peer = rank,
                                      .bytes = left < TIDINGS_PARCEL_BYTES ? (uint32_t)left : TIDINGS_PARCEL_BYTES};
    if (parcel->bytes != 0) memcpy(channel->parcel_data, (const char*)data + done, parcel->bytes);
    done += parcel->bytes;
    rank_hand_over(channel, TIDINGS_STOP_GIVE);
  } while (done < bytes);
}

uint64_t tidings_ideal_take(uint32_t rank, uint64_t label, void* data, uint64_t bytes) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return bytes;
  const struct tidings_parcel* parcel = &channel->parcel;
  uint64_t done = 0;
  do {
    channel->parcel = (struct tidings_parcel){.label = label, .peer = rank, .begin = done};
    rank_hand_over(channel, TIDINGS_STOP_TAKE);
    if (parcel->total == TIDINGS_IDEAL_ABSENT) return TIDINGS_IDEAL_ABSENT;
    const uint64_t room = done < bytes ? bytes - done : 0;
    const uint64_t kept = parcel->bytes < room ? parcel->bytes : room;
    if (kept != 0) memcpy((char*)data + done, channel->parcel_data, kept);
    done += parcel->bytes;
  } while (done < parcel->total);
  return parcel->total;
}

bool tidings_ideal_wait(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return false;
  rank_hand_over(channel, TIDINGS_STOP_AWAIT);
  return channel->parcel.interrupted != 0;
}
