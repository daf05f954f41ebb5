/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file trace.c
 * Statistics of library calls, and the record that explains a deadlock or a crash.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/trace.h"

#include "drivers/threads.h"
#pragma GCC visibility pop

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/runtime/rank/rank.h"
#include "sim/runtime/rank/timer.h"

/** Rows by the address of their text, which lives as long as the process: no text is compared twice. */
struct known_text {
  const char* text;
  uint32_t row;
};
enum { KNOWN_TEXTS = 1024 }; /* a power of two above the number of all rows */
static struct known_text known[KNOWN_TEXTS];

/** The place of a text in `known`; empty if it is new. */
static struct known_text* place_of(const char* text) {
  uint32_t place = (uint32_t)((uintptr_t)text >> 2);
  for (;; ++place) {
    struct known_text* found = &known[place % KNOWN_TEXTS];
    if (found->text == text || found->text == NULL) return found;
  }
}

/** Row of an operation's totals; a full table counts the rest under its last row. */
static uint32_t new_operation_row(struct tidings_channel* channel, const char* name) {
  uint32_t rows = channel->operation_rows;
  for (uint32_t row = 0; row < rows; ++row)
    if (strncmp(channel->operations[row].name, name, TIDINGS_NAME_BYTES - 1) == 0) return row;
  if (rows == TIDINGS_MAX_OPERATIONS) return rows - 1;
  struct tidings_operation_totals* totals = &channel->operations[rows];
  snprintf(totals->name, sizeof totals->name, "%s", rows == TIDINGS_MAX_OPERATIONS - 1 ? "(others)" : name);
  totals->min_ps = UINT64_MAX;
  channel->operation_rows = rows + 1;
  return rows;
}

/** Row of an argument's text; what a full table does not hold is under its last row. */
static uint32_t new_label_row(struct tidings_channel* channel, const char* text) {
  uint32_t rows = channel->label_rows;
  for (uint32_t row = 0; row < rows; ++row)
    if (strncmp(channel->labels[row], text, TIDINGS_NAME_BYTES - 1) == 0) return row;
  if (rows == TIDINGS_MAX_LABELS) return rows - 1;
  snprintf(channel->labels[rows], sizeof channel->labels[rows], "%s", rows == TIDINGS_MAX_LABELS - 1 ? "..." : text);
  channel->label_rows = rows + 1;
  return rows;
}

static uint32_t row_of(struct tidings_channel* channel, const char* text,
                       uint32_t (*make)(struct tidings_channel*, const char*)) {
  struct known_text* found = place_of(text);
  if (found->text != NULL) return found->row;
  const uint32_t row = make(channel, text);
  /* Texts at ever new addresses are not a library's own: they are compared each time once the table is half full. */
  static uint32_t kept;
  if (kept < KNOWN_TEXTS / 2) {
    ++kept;
    *found = (struct known_text){text, row};
  }
  return row;
}

static void count_reason(struct tidings_channel* channel, uint32_t operation, uint32_t is_note, const char* text) {
  uint32_t rows = channel->reason_rows;
  for (uint32_t row = 0; row < rows; ++row) {
    struct tidings_reason_totals* reason = &channel->reasons[row];
    if (reason->operation == operation && reason->is_note == is_note &&
        strncmp(reason->text, text, sizeof reason->text - 1) == 0) {
      ++reason->calls;
      return;
    }
  }
  if (rows == TIDINGS_MAX_REASONS) return;
  struct tidings_reason_totals* reason = &channel->reasons[rows];
  reason->operation = operation;
  reason->is_note = is_note;
  reason->calls = 1;
  snprintf(reason->text, sizeof reason->text, "%s", text);
  channel->reason_rows = rows + 1;
}

void tidings_trace_library(const struct tidings_library_words* words) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  snprintf(channel->library_call, sizeof channel->library_call, "%s", words->call);
  snprintf(channel->library_open, sizeof channel->library_open, "%s", words->open);
  snprintf(channel->library_close, sizeof channel->library_close, "%s", words->close);
}

bool tidings_trace_enter(const char* name) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return false;
  rank_charge_compute(channel);
  struct tidings_operation_record* record = &channel->operation;
  if (record->depth++ != 0) return false;
  record->bytes = 0;
  record->group = 0;
  record->argument_count = 0;
  record->began_ps = channel->local_ps;
  record->statistics = row_of(channel, name, new_operation_row);
  return true;
}

/** The record, if the call that the library is in is the outermost one. */
static struct tidings_operation_record* outermost(void) {
  struct tidings_channel* channel = rank_channel();
  return channel != NULL && channel->operation.depth == 1 ? &channel->operation : NULL;
}

void tidings_trace_call(const struct tidings_call* call) {
  struct tidings_operation_record* record = outermost();
  if (record == NULL) return;
  const uint32_t count = call->count < TIDINGS_MAX_ARGUMENTS ? call->count : TIDINGS_MAX_ARGUMENTS;
  for (uint32_t i = 0; i < count; ++i) {
    record->arguments[i].label = row_of(rank_channel(), call->arguments[i].text, new_label_row);
    record->arguments[i].value = call->arguments[i].value;
  }
  record->argument_count = count;
  record->bytes = call->bytes;
  record->group = call->group;
  record->signature = call->signature;
}

void tidings_trace_bytes(uint64_t bytes) {
  struct tidings_operation_record* record = outermost();
  if (record != NULL) record->bytes = bytes;
}

void tidings_trace_note(const char* text) {
  const struct tidings_operation_record* record = outermost();
  if (record != NULL) count_reason(rank_channel(), record->statistics, 1, text);
}

void tidings_trace_site(struct tidings_site* site, const char* call) {
  site->call = call;
  site->count = (uint32_t)backtrace(site->returns, TIDINGS_SITE_CALLS);
}

void tidings_trace_earlier(const struct tidings_site* site) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  snprintf(channel->earlier_call, sizeof channel->earlier_call, "%s", site->call);
  rank_note_place(site->returns, (int)site->count, channel->earlier_place);
}

static void (*describe_wait)(const void* subject);
static const void* wait_subject;

/** The call of a thread that has left the library to others. */
struct suspended_call {
  struct tidings_operation_record record;
  void (*describe_wait)(const void* subject);
  const void* wait_subject;
  struct rank_callers callers; /* of the thread */
  bool free_work;
  struct suspended_call* next;
};
static struct suspended_call* suspended; /* the oldest one */
static struct suspended_call* unused;
static struct tidings_operation_record* told; /* whose wait is being described; NULL: that of the call under way */

void tidings_trace_wait(void (*describe)(const void* subject), const void* subject) {
  describe_wait = describe;
  wait_subject = subject;
  struct tidings_channel* channel = rank_channel();
  if (channel != NULL) rank_note_wait(channel, describe != NULL);
}

static void tell_of_wait(void (*describe)(const void* subject), const void* subject) {
  if (describe != NULL)
    describe(subject);
  else
    tidings_trace_waiting("", NULL, 0);
}

void rank_describe_wait(void) {
  tell_of_wait(describe_wait, wait_subject);
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  struct rank_callers callers;
  rank_find_callers(&callers);
  rank_note_place(callers.returns, callers.count, channel->operation.place);
  channel->other_call_count = 0;
  for (const struct suspended_call* call = suspended; call != NULL; call = call->next) {
    if (channel->other_call_count == TIDINGS_MAX_OTHER_CALLS) break;
    told = &channel->other_calls[channel->other_call_count++];
    *told = call->record;
    tell_of_wait(call->describe_wait, call->wait_subject);
    rank_note_place(call->callers.returns, call->callers.count, told->place);
  }
  told = NULL;
}

void* tidings_threads_leave(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return NULL;
  struct suspended_call* call = unused == NULL ? malloc(sizeof *call) : unused;
  if (call == NULL) abort();
  if (unused != NULL) unused = unused->next;
  call->record = channel->operation;
  call->describe_wait = describe_wait;
  call->wait_subject = wait_subject;
  rank_find_callers(&call->callers); /* only the thread itself can */
  call->free_work = channel->free_work != 0;
  call->next = NULL;
  struct suspended_call** end = &suspended;
  while (*end != NULL) end = &(*end)->next;
  *end = call;
  tidings_trace_wait(NULL, NULL);
  channel->operation.depth = 0;
  channel->free_work = 0;
  return call;
}

void tidings_threads_return(void* left) {
  struct suspended_call* call = left;
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL || call == NULL) return;
  struct suspended_call** place = &suspended;
  while (*place != call) place = &(*place)->next;
  *place = call->next;
  channel->operation = call->record;
  channel->free_work = call->free_work;
  tidings_trace_wait(call->describe_wait, call->wait_subject);
  call->next = unused;
  unused = call;
}

void tidings_trace_waiting(const char* text, const uint32_t* ranks, uint32_t count) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  struct tidings_operation_record* record = told == NULL ? &channel->operation : told;
  snprintf(record->waiting, sizeof record->waiting, "%s", text);
  /* Those that another thread waits for too are the rank's, each once. */
  uint32_t* const all = (uint32_t*)(void*)((char*)channel + channel->waiting_offset);
  uint32_t kept = told == NULL ? 0 : channel->operation.waiting_ranks;
  const uint32_t before = kept;
  for (uint32_t i = 0; i < count && kept < channel->ranks; ++i) {
    uint32_t place = 0;
    while (place < before && all[place] != ranks[i]) ++place;
    if (place == before) all[kept++] = ranks[i];
  }
  channel->operation.waiting_ranks = kept;
}

void tidings_trace_waiting_for_slot(const char* text, const struct tidings_endpoint* slot) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  const struct tidings_endpoint* const slots =
      (const struct tidings_endpoint*)(const void*)((char*)channel + channel->endpoints_offset);
  uint32_t ranks[channel->ranks];
  uint32_t count = 0;
  for (uint32_t rank = 0; rank < channel->ranks; ++rank) {
    bool could = slot == NULL && rank != channel->rank;
    for (uint32_t i = rank * channel->slots; slot != NULL && !could && i < (rank + 1) * channel->slots; ++i)
      could = slots[i].node == slot->node && slots[i].slot == slot->slot;
    if (could) ranks[count++] = rank;
  }
  tidings_trace_waiting(text, ranks, count);
}

void tidings_trace_leave(enum tidings_path path, const char* fallback_reason) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL || channel->operation.depth == 0 || --channel->operation.depth != 0) return;
  const struct tidings_operation_record* record = &channel->operation;
  struct tidings_operation_totals* totals = &channel->operations[record->statistics];
  uint64_t took = channel->local_ps - record->began_ps;
  ++totals->calls;
  totals->bytes += record->bytes;
  totals->total_ps += took;
  if (took < totals->min_ps) totals->min_ps = took;
  if (took > totals->max_ps) totals->max_ps = took;
  totals->hardware += path == TIDINGS_PATH_HARDWARE;
  totals->software += path == TIDINGS_PATH_SOFTWARE;
  totals->fallback += path == TIDINGS_PATH_FALLBACK;
  if (path == TIDINGS_PATH_FALLBACK)
    count_reason(channel, record->statistics, 0, fallback_reason == NULL ? "no reason given" : fallback_reason);
  channel->communication_ps += took;
  tidings_trace_wait(NULL, NULL);
  rank_note_call(channel, path);
  rank_skip_compute();
  rank_look_at_alarms(channel);
}
