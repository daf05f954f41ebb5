/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file events.c
 * The rank's part of the event store: what happened, and when.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/trace.h"
#pragma GCC visibility pop

#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sim/runtime/events.h"
#include "sim/runtime/rank/rank.h"

/** The rank's events; NULL if nobody wants them. */
static struct tidings_events* events_of(struct tidings_channel* channel) {
  return channel->events_offset == 0 ? NULL : (struct tidings_events*)((char*)channel + channel->events_offset);
}

/** Append a chunk to the file, as a whole or not at all. */
static void append(const struct tidings_channel* channel, struct tidings_events* events, uint32_t kind, void* first,
                   uint32_t count, size_t size) {
  struct tidings_event_chunk chunk = {.kind = kind, .rank = channel->rank, .bytes = count * size};
  const struct iovec parts[2] = {{&chunk, sizeof chunk}, {first, chunk.bytes}};
  if (writev(events->file, parts, 2) != (ssize_t)(sizeof chunk + chunk.bytes)) events->lost += count;
}

static struct tidings_moment* new_moment(const struct tidings_channel* channel, struct tidings_events* events) {
  if (events->moment_count >= TIDINGS_EVENT_MOMENTS) {
    append(channel, events, TIDINGS_CHUNK_MOMENTS, events->moments, TIDINGS_EVENT_MOMENTS, sizeof *events->moments);
    events->moment_count = 0;
  }
  return &events->moments[events->moment_count++];
}

static int32_t nearest(int64_t value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

void rank_note_call(struct tidings_channel* channel, enum tidings_path path) {
  struct tidings_events* events = events_of(channel);
  if (events == NULL) return;
  if (events->call_count >= TIDINGS_EVENT_CALLS) {
    append(channel, events, TIDINGS_CHUNK_CALLS, events->calls, TIDINGS_EVENT_CALLS, sizeof *events->calls);
    events->call_count = 0;
  }
  const struct tidings_operation_record* record = &channel->operation;
  struct tidings_call_event* call = &events->calls[events->call_count++];
  *call = (struct tidings_call_event){.began_ps = record->began_ps,
                                      .ended_ps = channel->local_ps,
                                      .bytes = record->bytes,
                                      .group = record->group,
                                      .operation = (uint16_t)record->statistics,
                                      .path = (uint8_t)path,
                                      .argument_count = (uint8_t)record->argument_count};
  for (uint32_t i = 0; i < record->argument_count; ++i) {
    call->labels[i] = (uint8_t)record->arguments[i].label;
    call->values[i] = nearest(record->arguments[i].value);
  }
}

void rank_note_wait(struct tidings_channel* channel, bool begins) {
  struct tidings_events* events = events_of(channel);
  if (events == NULL) return;
  if (events->waiting != 0 && channel->local_ps > events->wait_began_ps)
    *new_moment(channel, events) = (struct tidings_moment){
        .time_ps = events->wait_began_ps, .value = channel->local_ps, .kind = TIDINGS_MOMENT_WAIT};
  events->waiting = begins;
  events->wait_began_ps = channel->local_ps;
}

void tidings_trace_message(uint32_t steps, uint32_t peer, uint32_t number, uint64_t bytes) {
  struct tidings_channel* channel = rank_channel();
  struct tidings_events* events = channel == NULL ? NULL : events_of(channel);
  if (events == NULL) return;
  *new_moment(channel, events) = (struct tidings_moment){.time_ps = channel->local_ps,
                                                         .value = bytes,
                                                         .peer = peer,
                                                         .number = number,
                                                         .steps = steps,
                                                         .kind = TIDINGS_MOMENT_MESSAGE};
}
