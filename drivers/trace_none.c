/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file trace_none.c
 * The trace of a platform that keeps none.
 */
#include "trace.h"

void tidings_trace_library(const struct tidings_library_words* words) { (void)words; }

bool tidings_trace_enter(const char* name) {
  (void)name;
  return false;
}

void tidings_trace_call(const struct tidings_call* call) { (void)call; }

void tidings_trace_bytes(uint64_t bytes) { (void)bytes; }

void tidings_trace_wait(void (*describe)(const void* subject), const void* subject) {
  (void)describe;
  (void)subject;
}

void tidings_trace_waiting(const char* text, const uint32_t* ranks, uint32_t count) {
  (void)text;
  (void)ranks;
  (void)count;
}

void tidings_trace_waiting_for_slot(const char* text, const struct tidings_endpoint* slot) {
  (void)text;
  (void)slot;
}

void tidings_trace_message(uint32_t steps, uint32_t peer, uint32_t number, uint64_t bytes) {
  (void)steps;
  (void)peer;
  (void)number;
  (void)bytes;
}

void tidings_trace_note(const char* text) { (void)text; }

void tidings_trace_site(struct tidings_site* site, const char* call) {
  site->call = call;
  site->count = 0;
}

void tidings_trace_earlier(const struct tidings_site* site) { (void)site; }

void tidings_trace_leave(enum tidings_path path, const char* fallback_reason) {
  (void)path;
  (void)fallback_reason;
}
