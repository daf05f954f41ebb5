/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_SIM_RUNTIME_CHANNEL_H
#define TIDINGS_SIM_RUNTIME_CHANNEL_H
/**
 * @file channel.h
 * Memory shared by the simulator and one rank: costs in, device accesses and statistics out.
 *
 * One side works at a time: a word says which, and the other looks at it, or sleeps on it as a futex. A plain field
 * therefore needs no atomics; the hand-over of the turn orders everything. The file is
 * C11 and C++20. The shared file is [turns of all ranks][segment of each rank], and a segment is
 * [channel][endpoints][waiting ranks][events, if they are stored][node memory of each slot].
 */
#include <stdint.h>

#include "drivers/bus.h"
#include "drivers/platform.h"
#include "drivers/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TIDINGS_CHANNEL_MAGIC 0x54494443u
/** The rank has found its channel overwritten, and can only give the turn away. */
#define TIDINGS_CHANNEL_LOST 0x54534f4cu
/** What guard words hold from the start to the end. */
#define TIDINGS_CHANNEL_GUARD UINT64_C(0xd15ea5e0c0a57a1e)
/** Environment of a rank: FILE:OFFSET, the descriptor of the shared file and the byte that the rank's segment begins
 * at. */
#define TIDINGS_CHANNEL_VARIABLE "TIDINGS_CHANNEL"
/** Names a schedule of words: WIDTHxHEIGHTxDEPTH:FILE, with the starts of tidings_word_schedule in the processor's own
 * order. */
#define TIDINGS_WORD_SCHEDULE_VARIABLE "TIDINGS_WORD_SCHEDULE"

enum {
  TIDINGS_RING_ENTRIES = 1024,
  TIDINGS_NAME_BYTES = 48,
  TIDINGS_TEXT_BYTES = 512,
  TIDINGS_MAX_OPERATIONS = 256,
  TIDINGS_MAX_REASONS = 256,
  TIDINGS_MAX_LABELS = 256,
  TIDINGS_PARCEL_BYTES = 1 << 16,
  TIDINGS_MAX_OTHER_CALLS = 7,
};

/** Whose turn it is. Nobody's is zero: a program that sets memory to zero through a wild pointer is found. */
enum tidings_turn {
  TIDINGS_TURN_RANK = 1,
  TIDINGS_TURN_SIMULATOR,
  TIDINGS_TURN_ENDED,  /**< the process is gone (set by the simulator's watcher) */
  TIDINGS_TURN_QUEUED, /**< the rank's, as soon as another rank passes it on */
};

/**
 * The turn of one rank. After those of all ranks comes the simulator's own: TIDINGS_TURN_SIMULATOR if there may be
 * something to do for it. A rank changes the word of the rank that it passes the turn to before its own.
 */
struct tidings_turn_word {
  uint32_t turn;   /**< enum tidings_turn; atomic, and a futex */
  uint32_t next;   /**< who gets the turn next: a rank whose turn is queued; the number of ranks: the simulator */
  uint32_t sleeps; /**< 1: who waits for this turn sleeps, or is about to, and has to be woken; atomic */
  uint32_t wake;   /**< of a rank that is awake: the number, plus 1, of a rank on its core to be woken; atomic */
  uint32_t looks;  /**< the simulator's. 1: ranks look for their turn for a while before they sleep; atomic */
  uint32_t given;  /**< the simulator's: how often a rank has given the turn away; wraps around; atomic */
  uint32_t called; /**< the simulator's: the number, plus 1, of the rank that it has given the turn; 0: none; atomic */
  uint32_t reserved[9]; /**< no two words are in one line of a cache */
};

/** Why the rank gives the turn away. */
enum tidings_stop {
  TIDINGS_STOP_NONE,   /**< it has not done so yet */
  TIDINGS_STOP_ACCESS, /**< carry out `accesses` */
  TIDINGS_STOP_DRAIN,  /**< the ring is full: go on when the machine has taken it */
  TIDINGS_STOP_LIMIT,  /**< local time has passed the limit of the run */
  TIDINGS_STOP_FAIL,   /**< end the run; code and text are in `fail` */
  TIDINGS_STOP_GIVE,   /**< keep `parcel` for the rank that it is for */
  TIDINGS_STOP_TAKE,   /**< hand over the oldest parcel of `parcel.label` from `parcel.peer`, if there is one */
  TIDINGS_STOP_AWAIT,  /**< go on at the next parcel for this rank, or at an interrupt of slot 0 */
};

/** What the simulator says when it gives the turn back. */
enum tidings_answer {
  TIDINGS_ANSWER_GO,
  TIDINGS_ANSWER_DESCRIBE, /**< say what you wait for, and give the turn away again for the same reason */
  TIDINGS_ANSWER_END,      /**< flush what the program has printed and end */
};

/** Whether the rank uses its slots. */
enum tidings_slots_state { TIDINGS_SLOTS_UNUSED, TIDINGS_SLOTS_OPEN, TIDINGS_SLOTS_CLOSED };

/** A posted write. */
struct tidings_posted_write {
  uint64_t stamp_ps;
  uint32_t slot; /**< of the rank */
  uint32_t address;
  uint32_t value;
  uint32_t reserved;
};

/** See tidings_announce_work. */
struct tidings_announced_work {
  uint32_t slot;    /**< of the registers */
  uint32_t read;    /**< address */
  uint32_t written; /**< address */
  uint32_t reserved;
  uint64_t time_ps; /**< it takes at least as long; 0: none has been announced */
};

/** Costs of the processor in picoseconds. */
struct tidings_costs {
  uint64_t bus_write, bus_read, interrupt, clock_read;
  uint64_t call, command, vector, request, handle, message, arrival, schedule, round, transfer, keep, queue, match,
      window, direct, look, probe, poll, reduce_element, copy_call, copy_byte;
  double compute_scale;
  uint32_t measure_compute; /**< 1: the program's own CPU time counts */
  uint32_t reserved;
};

/** An argument of a call: struct tidings_argument with its text among `labels`. */
struct tidings_recorded_argument {
  uint32_t label;
  uint32_t reserved;
  int64_t value;
};

/** The call that the rank is in, and what it waits for. */
struct tidings_operation_record {
  uint32_t depth;      /**< 0: outside any call */
  uint32_t statistics; /**< row of `operations` */
  uint64_t bytes, began_ps;
  uint64_t group, signature; /**< as in struct tidings_call */
  struct tidings_recorded_argument arguments[TIDINGS_MAX_ARGUMENTS];
  uint32_t argument_count;
  uint32_t waiting_ranks;           /**< entries of the waiting-ranks array */
  char waiting[TIDINGS_TEXT_BYTES]; /**< empty: nothing said */
  char place[TIDINGS_TEXT_BYTES]; /**< where the program made the call, as `fail_place`; known while it is described */
};

/** Data that is at another rank at once (drivers/ideal.h), or a part of it; what it holds is in `parcel_data`. */
struct tidings_parcel {
  uint64_t label;
  uint64_t total;       /**< bytes of all parts; UINT64_MAX if there is none to take */
  uint64_t begin;       /**< byte of it that this part begins with */
  uint32_t peer;        /**< whom it is for, or from */
  uint32_t bytes;       /**< of this part */
  uint32_t interrupted; /**< what ended a wait: 1 an interrupt, 0 a parcel */
  uint32_t reserved;
};

/** Totals of one operation. */
struct tidings_operation_totals {
  char name[TIDINGS_NAME_BYTES];
  uint64_t calls, bytes, min_ps, total_ps, max_ps;
  uint64_t hardware, software, fallback;
};

/** Why the engine could not carry out an operation, or a note about it. */
struct tidings_reason_totals {
  uint32_t operation; /**< row of `operations` */
  uint32_t is_note;   /**< 1: the text was a note */
  uint64_t calls;
  char text[TIDINGS_TEXT_BYTES / 4];
};

struct tidings_channel {
  /* Set by the simulator before the rank starts, and never changed. */
  uint32_t magic;
  uint32_t rank, ranks, slots;
  uint32_t hardware_collectives;
  uint32_t named_switches;    /**< as in struct tidings_platform */
  uint32_t barrier_wires;     /**< as in struct tidings_platform */
  uint32_t shared_memory;     /**< as in struct tidings_platform */
  uint32_t alltoall_entries;  /**< as in struct tidings_platform */
  uint32_t alltoall_hop;      /**< likewise */
  uint32_t ideal_collectives; /**< they take no time (drivers/ideal.h) */
  uint32_t program;           /**< as in struct tidings_platform */
  struct tidings_grid grid;
  struct tidings_costs costs;
  uint64_t link_cycle_ps;                  /**< a cycle of the network */
  uint64_t switch_cycle_ps, switch_hop_ps; /**< as in struct tidings_exchange_costs */
  uint64_t time_limit_ps;
  uint64_t segment_bytes;
  uint64_t endpoints_offset;            /**< struct tidings_endpoint[ranks * slots] */
  uint64_t waiting_offset;              /**< uint32_t[ranks] */
  uint64_t memory_offset, memory_bytes; /**< of slot 0; that of the others follows in steps of memory_stride */
  uint64_t memory_stride;
  uint64_t events_offset; /**< struct tidings_events; 0 if events are not stored */
  char machine[TIDINGS_NAME_BYTES];

  /* The hand-over. All that the simulator reads from here on is checked in damage.cpp. */
  uint32_t stop;   /**< enum tidings_stop */
  uint32_t answer; /**< enum tidings_answer */
  uint32_t slot;   /**< of the accesses */
  uint32_t access_count;
  struct tidings_bus_access accesses[TIDINGS_BUS_MOST_ACCESSES];
  uint64_t local_ps; /**< the rank's time */
  struct tidings_parcel parcel;

  /* Kept by the rank. */
  int32_t owner_pid;    /**< process that speaks for the rank: the one started, or its descendant that opened a slot */
  uint32_t begun;       /**< 1: a process of the rank has had the turn */
  uint32_t debugged;    /**< 1: the process started is a debugger, which has a clock of its own, not the rank's */
  uint32_t state;       /**< enum tidings_slots_state */
  uint32_t open_slots;  /**< how many are open */
  uint32_t free_work;   /**< 1: work takes no time */
  uint32_t clock_looks; /**< at a clock, and ends of calls with an alarm set; wraps around */
  uint32_t threads;     /**< 1: several threads use the library */
  uint32_t wake;        /**< 1: another thread ends the wait for an interrupt; atomic */
  uint64_t communication_ps;
  struct tidings_announced_work announced;
  uint32_t ring_count;
  uint32_t operation_rows, reason_rows, label_rows;
  int32_t fail_code;
  char fail[TIDINGS_TEXT_BYTES];
  char fail_place[TIDINGS_TEXT_BYTES];    /**< where the program called the library: file, tab, place in it; or empty */
  char earlier_call[TIDINGS_NAME_BYTES];  /**< call because of which that one has failed; or empty */
  char earlier_place[TIDINGS_TEXT_BYTES]; /**< of it, as fail_place */
  char library_call[TIDINGS_NAME_BYTES];  /**< the library's words, as in struct tidings_library_words; or empty */
  char library_open[TIDINGS_NAME_BYTES];
  char library_close[TIDINGS_NAME_BYTES];
  struct tidings_operation_record operation;                            /**< of the thread that has the library */
  struct tidings_operation_record other_calls[TIDINGS_MAX_OTHER_CALLS]; /**< of other threads, which wait */
  uint32_t other_call_count;                                            /**< known while the rank describes them */
  uint64_t middle_guard;                                                /**< TIDINGS_CHANNEL_GUARD */
  struct tidings_posted_write ring[TIDINGS_RING_ENTRIES];
  struct tidings_operation_totals operations[TIDINGS_MAX_OPERATIONS];
  struct tidings_reason_totals reasons[TIDINGS_MAX_REASONS];
  char labels[TIDINGS_MAX_LABELS][TIDINGS_NAME_BYTES]; /**< texts of arguments */
  char parcel_data[TIDINGS_PARCEL_BYTES];
  uint64_t last_guard; /**< TIDINGS_CHANNEL_GUARD */
};

#ifdef __cplusplus
}
#endif
#endif
