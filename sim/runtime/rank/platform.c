/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file platform.c
 * What the launcher has put into the channel, the rank's clock, and the end of the run.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/platform.h"
#pragma GCC visibility pop

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/runtime/rank/rank.h"
#include "sim/runtime/rank/thread_time.h"

/**
 * From the costs of the library's work: a vector goes in and comes out as one piece, a message too. Both ends copy its
 * words.
 */
static struct tidings_exchange_costs exchange_costs_of(const struct tidings_channel* channel) {
  const struct tidings_costs* const costs = &channel->costs;
  const uint64_t pieces = 2 * costs->copy_call;
  return (struct tidings_exchange_costs){
      .message = 2 * (costs->request + costs->transfer) + costs->message + costs->arrival + costs->round + pieces +
                 costs->interrupt,
      .agreement = costs->vector + pieces + costs->interrupt,
      .copied_word = channel->shared_memory ? 2 * sizeof(uint32_t) * costs->copy_byte : 0,
      .link_cycle = channel->link_cycle_ps,
      .switch_cycle = channel->switch_cycle_ps,
      .switch_hop = channel->switch_hop_ps};
}

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
  platform->shared_memory = channel->shared_memory != 0;
  platform->alltoall_entries = channel->alltoall_entries;
  platform->alltoall_hop = channel->alltoall_hop;
  platform->exchange_costs = exchange_costs_of(channel);
  platform->hardware_collectives = channel->hardware_collectives != 0;
  platform->named_switches = channel->named_switches != 0;
  platform->machine = channel->machine;
  platform->program = channel->program;
  return NULL;
}

bool tidings_word_schedule(uint32_t width, uint32_t height, uint32_t depth, uint16_t* start) {
  const char* text = getenv(TIDINGS_WORD_SCHEDULE_VARIABLE);
  unsigned known_width = 0, known_height = 0, known_depth = 0;
  int path = 0;
  if (text == NULL || sscanf(text, "%ux%ux%u:%n", &known_width, &known_height, &known_depth, &path) < 3 || path == 0) {
    return false;
  }
  if (known_width != width || known_height != height || known_depth != depth) return false;
  FILE* const file = fopen(text + path, "rb");
  if (file == NULL) return false;
  const size_t routers = (size_t)width * height * depth;
  const bool complete = fread(start, sizeof *start, routers * routers, file) == routers * routers;
  fclose(file);
  return complete;
}

uint64_t tidings_clock_ns(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return 0;
  rank_charge_compute(channel);
  rank_advance(channel, channel->costs.clock_read);
  ++channel->clock_looks;
  return rank_thread_ps(channel) / 1000; /* never before the end of what the calling thread has slept */
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
  struct rank_callers callers;
  rank_find_callers(&callers);
  rank_note_place(callers.returns, callers.count, channel->fail_place);
  for (;;) rank_hand_over(channel, TIDINGS_STOP_FAIL);
}
