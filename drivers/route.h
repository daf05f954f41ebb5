/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_ROUTE_H
#define TIDINGS_ROUTE_H
/**
 * @file route.h
 * Static routes of a machine of a single router: messages that the router itself gives to several slots.
 */
#include "driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the router of an open slot has. */
struct tidings_routes {
  uint32_t routes;        /**< numbers below this one are routes; 0: there are none */
  uint32_t message_bytes; /**< most bytes of a message on a route that leads to several slots */
};
/** Reads the device. */
struct tidings_routes tidings_read_routes(struct tidings_driver* d);
/**
 * Let a route lead to these slots and no others, one bit each by tidings_slot_number(). Every slot can change every
 * route: the caller sees to it that no other one changes this one, and that nothing travels along it meanwhile.
 * Messages that are sent after the call find the change.
 */
void tidings_route(struct tidings_driver* d, uint32_t route, uint64_t slots);

#ifdef __cplusplus
}
#endif

#endif
