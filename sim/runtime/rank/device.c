/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file device.c
 * The device boundary over the channel: accesses become requests to the simulator, work becomes time.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/device.h"
#pragma GCC visibility pop

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/runtime/rank/rank.h"

int tidings_device_open(struct tidings_device_info* info) {
  struct tidings_channel* channel = rank_take_channel();
  if (channel == NULL) return -1;
  rank_charge_compute(channel);
  channel->device = TIDINGS_DEVICE_OPEN;
  char* segment = (char*)channel;
  info->rank = channel->rank;
  info->ranks = channel->ranks;
  info->endpoints = (const struct tidings_endpoint*)(const void*)(segment + channel->endpoints_offset);
  info->grid = channel->grid;
  info->memory = segment + channel->memory_offset;
  info->memory_bytes = channel->memory_bytes;
  info->hardware_collectives = channel->hardware_collectives != 0;
  info->machine = channel->machine;
  return 0;
}

void tidings_device_close(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel != NULL) channel->device = TIDINGS_DEVICE_CLOSED;
}

uint32_t tidings_bus_read(uint32_t address) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return 0;
  rank_advance(channel, channel->costs.bus_read);
  channel->address = address;
  rank_hand_over(channel, TIDINGS_REQUEST_READ);
  return channel->value;
}

void tidings_bus_write(uint32_t address, uint32_t value) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  rank_advance(channel, channel->costs.bus_write);
  channel->ring[channel->ring_count++] =
      (struct tidings_posted_write){.stamp_ps = channel->local_ps, .address = address, .value = value};
  if (channel->ring_count == TIDINGS_RING_ENTRIES) rank_hand_over(channel, TIDINGS_REQUEST_DRAIN);
}

void tidings_wait_interrupt(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel != NULL) rank_hand_over(channel, TIDINGS_REQUEST_WAIT);
}

void tidings_copy(void* destination, const void* source, size_t bytes) {
  struct tidings_channel* channel = rank_channel();
  if (channel != NULL) rank_advance(channel, channel->costs.copy_call + bytes * channel->costs.copy_byte);
  if (bytes != 0) memmove(destination, source, bytes);
}

uint64_t tidings_clock_ns(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return 0;
  rank_charge_compute(channel);
  rank_advance(channel, channel->costs.clock_read);
  return channel->local_ps / 1000;
}

void tidings_work(enum tidings_work kind, uint64_t amount) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  const struct tidings_costs* costs = &channel->costs;
  uint64_t cost = 0;
  switch (kind) {
    case TIDINGS_WORK_CALL:
      cost = costs->call;
      break;
    case TIDINGS_WORK_MATCH:
      cost = costs->match;
      break;
    case TIDINGS_WORK_REDUCE:
      cost = costs->reduce_element;
      break;
    case TIDINGS_WORK_POLL:
      cost = costs->poll;
      break;
  }
  rank_advance(channel, cost * amount);
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
  for (;;) rank_hand_over(channel, TIDINGS_REQUEST_FAIL);
}
