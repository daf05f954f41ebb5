/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file barrier.c
 * The driver of the engine `barrier`.
 */
#include "barrier.h"

uint32_t tidings_barrier_groups(struct tidings_driver* d) {
  const struct tidings_reg_engines engines = tidings_reg_engines_decode(tidings_bus_read(d->bus, TIDINGS_REG_ENGINES));
  if ((engines.present >> TIDINGS_ENGINE_BARRIER & 1u) == 0) return 0;
  return tidings_reg_barrier_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_BARRIER_SIZES)).groups;
}

void tidings_barrier_join(struct tidings_driver* d, uint32_t group, uint64_t mates) {
  const uint32_t all = TIDINGS_REG_BARRIER_FAR_MATES_SLOTS; /* of a register */
  const struct tidings_reg_barrier_group word = {.member = 1, .mates = (uint32_t)mates & all};
  uint32_t place = 0;
  for (uint64_t far = mates / (all + 1); far != 0; far /= all + 1) {
    const struct tidings_reg_barrier_far_mates slots = {.slots = (uint32_t)far & all};
    tidings_bus_write(d->bus, TIDINGS_REG_BARRIER_FAR_MATES(place++), tidings_reg_barrier_far_mates_encode(slots));
  }
  tidings_bus_write(d->bus, TIDINGS_REG_BARRIER_GROUP(group), tidings_reg_barrier_group_encode(word));
}

void tidings_barrier_leave(struct tidings_driver* d, uint32_t group) {
  tidings_bus_write(d->bus, TIDINGS_REG_BARRIER_GROUP(group), 0);
}

void tidings_barrier_arrive(struct tidings_driver* d, uint32_t group) {
  tidings_bus_write(d->bus, TIDINGS_REG_BARRIER_ARRIVE, 1u << group);
}

void tidings_barrier_arrive_quiet(struct tidings_driver* d, uint32_t group) {
  const struct tidings_reg_barrier_arrive arrive = {.groups = 1u << group, .quiet = 1};
  tidings_bus_write(d->bus, TIDINGS_REG_BARRIER_ARRIVE, tidings_reg_barrier_arrive_encode(arrive));
}

bool tidings_barrier_done(struct tidings_driver* d, uint32_t group) {
  const uint32_t status = tidings_bus_read(d->bus, TIDINGS_REG_BARRIER_STATUS);
  return (tidings_reg_barrier_status_decode(status).done >> group & 1u) != 0;
}

void tidings_barrier_acknowledge(struct tidings_driver* d, uint32_t group) {
  tidings_bus_write(d->bus, TIDINGS_REG_BARRIER_STATUS, 1u << group);
}

void tidings_barrier_await(struct tidings_driver* d, uint32_t group) {
  tidings_bus_write(d->bus, TIDINGS_REG_BARRIER_ENABLE, 1u << group);
}
