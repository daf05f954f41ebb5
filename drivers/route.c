/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#include "route.h"

/** Words of a packet that are no payload. */
static const uint32_t kHeaderWords = 2;

struct tidings_routes tidings_read_routes(struct tidings_driver* d) {
  const struct tidings_reg_route_sizes sizes =
      tidings_reg_route_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_ROUTE_SIZES));
  return (struct tidings_routes){
      .routes = sizes.routes,
      .message_bytes = sizes.flits > kHeaderWords ? 4u * (sizes.flits - kHeaderWords) : 0,
  };
}

/** What changes the slots of one group. A router of a single group takes all ports at once, of which it has no more. */
static uint32_t change(uint32_t route, uint64_t slots, uint32_t group) {
  const uint32_t numbers = 1u << TIDINGS_SLOT_ID_WIDTH;
  const uint32_t of_group = (uint32_t)(slots >> (group * numbers)) & ((1u << numbers) - 1u);
  return tidings_reg_route_encode((struct tidings_reg_route){.ports = of_group | group << numbers, .index = route});
}

void tidings_route(struct tidings_driver* d, uint32_t route, uint64_t slots) {
  const uint32_t groups = tidings_reg_route_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_ROUTE_SIZES)).groups;
  const uint32_t lost = TIDINGS_REG_IRQ_STATUS_ROUTE_ERROR;
  do {
    tidings_bus_write(d->bus, TIDINGS_REG_IRQ_STATUS, lost);
    for (uint32_t group = 0; group < groups; ++group)
      tidings_bus_write(d->bus, TIDINGS_REG_ROUTE, change(route, slots, group));
    /* A change that waits for those of other slots takes the place of the one before, which is lost. So if this
     * repetition finds none that waits, all of them are in the table. */
    tidings_bus_write(d->bus, TIDINGS_REG_ROUTE, change(route, slots, groups - 1));
  } while ((tidings_bus_read(d->bus, TIDINGS_REG_IRQ_STATUS) & lost) != 0);
}
