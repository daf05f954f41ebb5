/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bus_sequence.c
 * Sequences of accesses, for platforms on which they are single accesses.
 */
#include "bus.h"

void tidings_bus_sequence(struct tidings_bus* bus, struct tidings_bus_access* accesses, uint32_t count) {
  const uint32_t* found = NULL; /* by the first read */
  for (uint32_t i = 0; i < count; ++i) {
    struct tidings_bus_access* const access = &accesses[i];
    const uint32_t bits = found == NULL ? 0 : *found & access->mask;
    switch (access->kind) {
      case TIDINGS_BUS_WAIT:
        tidings_bus_wait(bus);
        break;
      case TIDINGS_BUS_READ:
        if (access->mask != 0 && bits == 0) break;
        access->value = tidings_bus_read(bus, access->address);
        if (found == NULL) found = &access->value;
        break;
      case TIDINGS_BUS_ACKNOWLEDGE:
        if (bits != 0) tidings_bus_write(bus, access->address, bits);
        break;
    }
  }
}
