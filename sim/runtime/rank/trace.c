/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file trace.c
 * Statistics of library calls, and the record that explains a deadlock or a crash.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/trace.h"
#pragma GCC visibility pop

#include <stdio.h>
#include <string.h>

#include "sim/runtime/rank/rank.h"

/** Row of an operation's totals; a full table counts the rest under its last row. */
static uint32_t operation_row(struct tidings_channel* channel, const char* name) {
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

static void count_reason(struct tidings_channel* channel, uint32_t operation, const char* text) {
  uint32_t rows = channel->reason_rows;
  for (uint32_t row = 0; row < rows; ++row) {
    struct tidings_reason_totals* reason = &channel->reasons[row];
    if (reason->operation == operation && strncmp(reason->text, text, sizeof reason->text - 1) == 0) {
      ++reason->calls;
      return;
    }
  }
  if (rows == TIDINGS_MAX_REASONS) return;
  struct tidings_reason_totals* reason = &channel->reasons[rows];
  reason->operation = operation;
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
  record->began_ps = channel->local_ps;
  record->statistics = operation_row(channel, name);
  snprintf(record->call, sizeof record->call, "%s", name);
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
  snprintf(record->call, sizeof record->call, "%s", call->text);
  record->group = call->group;
  record->signature = call->signature;
}

void tidings_trace_bytes(uint64_t bytes) {
  struct tidings_operation_record* record = outermost();
  if (record != NULL) record->bytes = bytes;
}

void tidings_trace_wait(const char* text, const uint32_t* ranks, uint32_t count) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  struct tidings_operation_record* record = &channel->operation;
  uint32_t kept = count < channel->ranks ? count : channel->ranks;
  record->waiting_ranks = kept;
  if (kept != 0) memcpy((char*)channel + channel->waiting_offset, ranks, kept * sizeof *ranks);
  snprintf(record->waiting, sizeof record->waiting, "%s", text == NULL ? "" : text);
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
    count_reason(channel, record->statistics, fallback_reason == NULL ? "no reason given" : fallback_reason);
  channel->communication_ps += took;
  tidings_trace_wait(NULL, NULL, 0);
  rank_skip_compute();
}
