/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file alltoall.c
 * The driver of the engine `alltoall`.
 */
#include "alltoall.h"

uint32_t tidings_alltoall_entries(struct tidings_driver* d) {
  const struct tidings_reg_engines engines = tidings_reg_engines_decode(tidings_bus_read(d->bus, TIDINGS_REG_ENGINES));
  if ((engines.present >> TIDINGS_ENGINE_ALLTOALL & 1u) == 0) return 0;
  return tidings_reg_alltoall_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_ALLTOALL_SIZES)).entries;
}

uint32_t tidings_alltoall_adders(struct tidings_driver* d) {
  return tidings_reg_alltoall_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_ALLTOALL_SIZES)).adders;
}

void tidings_alltoall_sum(struct tidings_driver* d, struct tidings_reg_alltoall_sums sum) {
  tidings_bus_write(d->bus, TIDINGS_REG_ALLTOALL_SUMS, tidings_reg_alltoall_sums_encode(sum));
}

void tidings_alltoall_load(struct tidings_driver* d, uint32_t ports, uint32_t order, const uint8_t* entries,
                           uint32_t length) {
  const uint32_t side = order % TIDINGS_SWITCH_SIDES;  /* the slot is behind the most ports that a switch can have */
  const bool moves = order < TIDINGS_ALLTOALL_TARGETS; /* an order of the switch */
  if (moves && side >= ports && side != TIDINGS_SWITCH_PORTS) return;
  /* Inputs have 4 bits, as sets of up to four ports. */
  const uint32_t width = moves && (order >= TIDINGS_SWITCH_SIDES || ports <= TIDINGS_FLAT_SWITCH_PORTS) ? 4 : 8;
  const uint32_t per_word = 32 / width;
  tidings_bus_write(d->bus, TIDINGS_REG_ALLTOALL_PLACE,
                    tidings_reg_alltoall_place_encode((struct tidings_reg_alltoall_place){.row = 0, .order = order}));
  for (uint32_t first = 0; first < length; first += per_word) {
    uint32_t word = 0;
    for (uint32_t i = 0; i < per_word && first + i < length; ++i) word |= (uint32_t)entries[first + i] << i * width;
    tidings_bus_write(d->bus, TIDINGS_REG_ALLTOALL_ENTRIES, word);
  }
  tidings_bus_write(d->bus, TIDINGS_REG_ALLTOALL_LENGTH(order), length);
}

void tidings_alltoall_start(struct tidings_driver* d, uint32_t source, uint32_t destination, uint32_t words) {
  tidings_bus_write(d->bus, TIDINGS_REG_ALLTOALL_SOURCE, source);
  tidings_bus_write(d->bus, TIDINGS_REG_ALLTOALL_DESTINATION, destination);
  tidings_bus_write(d->bus, TIDINGS_REG_ALLTOALL_START, words);
}
