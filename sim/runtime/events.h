/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_SIM_RUNTIME_EVENTS_H
#define TIDINGS_SIM_RUNTIME_EVENTS_H
/**
 * @file events.h
 * What the event store holds: a file that ranks and simulator append to while the run goes on.
 *
 * The file is a sequence of chunks, each struct tidings_event_chunk with its bytes behind it, in the byte order of the
 * machine. Ranks keep events in the memory that they share with the simulator and append a chunk whenever that is full;
 * the simulator appends what is left. So memory is bounded, and the events of a rank that was killed are not lost.
 * The file is C11 and C++20.
 */
#include <stdint.h>

#include "drivers/trace.h"

/** What a chunk holds: four letters. */
#define TIDINGS_CHUNK_CALLS 0x4c4c4143u   /* "CALL": struct tidings_call_event each */
#define TIDINGS_CHUNK_MOMENTS 0x544e4f4du /* "MONT": struct tidings_moment each */
#define TIDINGS_CHUNK_NAMES 0x454d414eu   /* "NAME": struct tidings_names, then texts */
#define TIDINGS_CHUNK_LINKS 0x4b4e494cu   /* "LINK": struct tidings_link_windows, then counts */
#define TIDINGS_CHUNK_RANK 0x4b4e4152u    /* "RANK": struct tidings_rank_events */

enum {
  TIDINGS_EVENT_CALLS = 256,   /**< that a rank keeps before it writes them */
  TIDINGS_EVENT_MOMENTS = 512, /**< likewise */
};

struct tidings_event_chunk {
  uint32_t kind;
  uint32_t rank; /**< of whom it tells; 0 for links */
  uint64_t bytes;
};

/** A call that is over. Times are picoseconds of virtual time. */
struct tidings_call_event {
  uint64_t began_ps, ended_ps;
  uint64_t bytes;
  uint64_t group; /**< as in struct tidings_call */
  uint16_t operation;
  uint8_t path; /**< enum tidings_path */
  uint8_t argument_count;
  uint8_t labels[TIDINGS_MAX_ARGUMENTS]; /**< rows of the labels */
  int32_t values[TIDINGS_MAX_ARGUMENTS]; /**< what does not fit is the nearest that does */
  uint32_t reserved;
};

enum tidings_moment_kind {
  TIDINGS_MOMENT_MESSAGE = 1, /**< a step of a message at `time_ps` */
  TIDINGS_MOMENT_WAIT = 2,    /**< the rank was blocked from `time_ps` until `value` */
};

struct tidings_moment {
  uint64_t time_ps;
  uint64_t value;  /**< message: bytes */
  uint32_t peer;   /**< message: the other rank */
  uint32_t number; /**< message: as in tidings_trace_message */
  uint32_t steps;  /**< message: as in tidings_trace_message */
  uint32_t kind;   /**< enum tidings_moment_kind */
};

/** Texts of a rank, without zeros between them: those of operations, then those of labels. */
struct tidings_names {
  uint32_t operations, labels;
  uint32_t text_bytes; /**< of each; zeros fill it up */
  uint32_t reserved;
};

/** What is known of a rank in the end. */
struct tidings_rank_events {
  uint64_t elapsed_ps;
  uint64_t lost; /**< events that could not be written */
};

/** Flits that entered links: uint32_t[windows][nodes][ports]. */
struct tidings_link_windows {
  uint64_t cycles, window_ps; /**< of a window */
  uint32_t windows, nodes, ports;
  uint32_t reserved;
};

/** In the memory that a rank shares with the simulator. */
struct tidings_events {
  int32_t file; /**< descriptor in the rank's process */
  uint32_t call_count, moment_count;
  uint32_t reserved;
  uint64_t lost; /**< events that could not be written */
  uint64_t wait_began_ps;
  uint32_t waiting;
  uint32_t waiting_reserved;
  struct tidings_call_event calls[TIDINGS_EVENT_CALLS];
  struct tidings_moment moments[TIDINGS_EVENT_MOMENTS];
};

#endif
