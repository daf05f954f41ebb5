/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cost_none.c
 * Costs on a platform whose processor spends its own time.
 */
#include "cost.h"

void tidings_work(enum tidings_work kind, uint64_t amount) {
  (void)kind;
  (void)amount;
}

void tidings_announce_work(struct tidings_bus* bus, uint32_t read, uint32_t written, enum tidings_work kind) {
  (void)bus;
  (void)read;
  (void)written;
  (void)kind;
}
