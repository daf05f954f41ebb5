/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bus.c
 * The bus boundary over the channel: accesses become requests to the simulator.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/bus.h"
#pragma GCC visibility pop

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/runtime/rank/rank.h"

struct tidings_bus {
  uint32_t slot;
  bool open;
};

/** Those of the rank's slots that have been opened. Handles stay valid until the process ends. */
static struct tidings_bus** buses;

struct tidings_bus* tidings_bus_open(uint32_t slot) {
  struct tidings_channel* channel = rank_take_channel();
  if (channel == NULL || slot >= channel->slots) return NULL;
  rank_charge_compute(channel);
  if (buses == NULL) buses = calloc(channel->slots, sizeof *buses);
  if (buses == NULL) return NULL;
  if (buses[slot] == NULL) buses[slot] = calloc(1, sizeof **buses);
  struct tidings_bus* bus = buses[slot];
  if (bus == NULL || bus->open) return bus;
  bus->slot = slot;
  bus->open = true;
  channel->state = TIDINGS_SLOTS_OPEN;
  ++channel->open_slots;
  return bus;
}

uint32_t rank_slot_of(const struct tidings_bus* bus) { return bus->slot; }

void tidings_bus_close(struct tidings_bus* bus) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL || !bus->open) return;
  bus->open = false;
  if (channel->announced.slot == bus->slot) channel->announced = (struct tidings_announced_work){.time_ps = 0};
  if (--channel->open_slots == 0) channel->state = TIDINGS_SLOTS_CLOSED;
}

uint32_t tidings_bus_read(struct tidings_bus* bus, uint32_t address) {
  struct tidings_bus_access access = {.kind = TIDINGS_BUS_READ, .address = address};
  tidings_bus_sequence(bus, &access, 1);
  return access.value;
}

void tidings_bus_write(struct tidings_bus* bus, uint32_t address, uint32_t value) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  rank_advance(channel, channel->costs.bus_write);
  channel->ring[channel->ring_count++] = (struct tidings_posted_write){
      .stamp_ps = channel->local_ps, .slot = bus->slot, .address = address, .value = value};
  if (channel->ring_count == TIDINGS_RING_ENTRIES) rank_hand_over(channel, TIDINGS_STOP_DRAIN);
}

void tidings_bus_wait(struct tidings_bus* bus) {
  struct tidings_bus_access access = {.kind = TIDINGS_BUS_WAIT};
  tidings_bus_sequence(bus, &access, 1);
}

void tidings_bus_sequence(struct tidings_bus* bus, struct tidings_bus_access* accesses, uint32_t count) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  channel->slot = bus->slot;
  channel->access_count = count;
  memcpy(channel->accesses, accesses, count * sizeof *accesses);
  rank_hand_over(channel, TIDINGS_STOP_ACCESS);
  memcpy(accesses, channel->accesses, count * sizeof *accesses);
}

/* A process is not in the segment. On a machine with one memory its words would not move, so that takes no time. */
uint32_t tidings_bus_reach(struct tidings_bus* bus, const void* base, size_t bytes, uint32_t spare) {
  const struct tidings_memory memory = tidings_bus_memory(bus);
  if (memory.base != NULL) memcpy((char*)memory.base + spare, base, bytes);
  return spare;
}

void tidings_bus_reached(struct tidings_bus* bus, void* base, size_t bytes, uint32_t address) {
  const struct tidings_memory memory = tidings_bus_memory(bus);
  if (memory.base != NULL) memcpy(base, (const char*)memory.base + address, bytes);
}

struct tidings_memory tidings_bus_memory(struct tidings_bus* bus) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return (struct tidings_memory){NULL, 0};
  return (struct tidings_memory){(char*)channel + channel->memory_offset + bus->slot * channel->memory_stride,
                                 channel->memory_bytes};
}
