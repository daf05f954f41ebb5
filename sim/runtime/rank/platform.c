/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file platform.c
 * What the launcher has put into the channel, the rank's clock, and the end of the run.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/platform.h"

#include "drivers/trace.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/runtime/rank/rank.h"

const char* tidings_platform_read(struct tidings_platform* platform) {
  struct tidings_channel* channel = rank_attached_channel();
  if (channel == NULL) return "was not started on a machine: start it with `tidings run`";
  if (!rank_can_take_channel()) return "cannot use the machine: another process of the same rank has used it";
  platform->rank = channel->rank;
  platform->ranks = channel->ranks;
  platform->slots = channel->slots;
  platform->endpoints = (const struct tidings_endpoint*)(const void*)((char*)channel + channel->endpoints_offset);
  platform->grid = channel->grid;
  platform->barrier_wires = channel->barrier_wires != 0;
  platform->alltoall_entries = channel->alltoall_entries;
  platform->hardware_collectives = channel->hardware_collectives != 0;
  platform->machine = channel->machine;
  platform->program = channel->program;
  return NULL;
}

bool tidings_word_schedule(uint32_t width, uint32_t height, uint16_t* start) {
  const char* text = getenv(TIDINGS_WORD_SCHEDULE_VARIABLE);
  unsigned known_width = 0, known_height = 0;
  int path = 0;
  if (text == NULL || sscanf(text, "%ux%u:%n", &known_width, &known_height, &path) < 2 || path == 0) return false;
  if (known_width != width || known_height != height) return false;
  FILE* const file = fopen(text + path, "rb");
  if (file == NULL) return false;
  const size_t words = (size_t)width * height * width * height;
  const bool complete = fread(start, sizeof *start, words, file) == words;
  fclose(file);
  return complete;
}

uint64_t tidings_clock_ns(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return 0;
  rank_charge_compute(channel);
  rank_advance(channel, channel->costs.clock_read);
  ++channel->clock_looks;
  return channel->local_ps / 1000;
}

/** Bytes of a path up to the name of its file. */
static size_t folder_length(const char* path) {
  const char* const slash = strrchr(path, '/');
  return slash == NULL ? 0 : (size_t)(slash - path);
}

/**
 * Write the innermost call that comes from no library in the folder of this one: where the program called them.
 * @param place receives file, tab and place in it; nothing if that is not known.
 */
static void write_caller(void* const* returns, int calls, char* place, size_t bytes) {
  Dl_info own, module;
  place[0] = '\0';
  static const char here; /* an object of this library */
  if (dladdr(&here, &own) == 0) return;
  for (int i = 0; i < calls; ++i) {
    const uintptr_t call = (uintptr_t)returns[i] - 1; /* in front of the address that it returns to */
    if (dladdr((const void*)call, &module) == 0) return;
    const size_t length = folder_length(own.dli_fname);
    if (folder_length(module.dli_fname) == length && strncmp(module.dli_fname, own.dli_fname, length) == 0) continue;
    snprintf(place, bytes, "%s\t%" PRIuPTR, module.dli_fname, call - (uintptr_t)module.dli_fbase);
    return;
  }
}

void tidings_trace_site(struct tidings_site* site, const char* call) {
  site->call = call;
  site->count = (uint32_t)backtrace(site->returns, TIDINGS_SITE_CALLS);
}

void tidings_trace_earlier(const struct tidings_site* site) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  snprintf(channel->earlier_call, sizeof channel->earlier_call, "%s", site->call);
  write_caller(site->returns, (int)site->count, channel->earlier_place, sizeof channel->earlier_place);
}

void tidings_fail(int code, const char* message) {
  struct tidings_channel* channel = rank_channel();
  fflush(NULL);
  if (channel == NULL) {
    fprintf(stderr, "%s\n", message);
    _exit(code);
  }
  channel->fail_code = code;
  snprintf(channel->fail, sizeof channel->fail, "%s", message);
  enum { MOST = 64 };
  void* returns[MOST];
  write_caller(returns, backtrace(returns, MOST), channel->fail_place, sizeof channel->fail_place);
  for (;;) rank_hand_over(channel, TIDINGS_STOP_FAIL);
}
