/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ideal_none.c
 * A platform whose collectives take the time that they take: nobody gives or takes anything here.
 */
#include "ideal.h"

bool tidings_ideal(void) { return false; }

bool tidings_ideal_work(bool free) {
  (void)free;
  return false;
}

void tidings_ideal_give(uint32_t rank, uint64_t label, const void* data, uint64_t bytes) {
  (void)rank;
  (void)label;
  (void)data;
  (void)bytes;
}

uint64_t tidings_ideal_take(uint32_t rank, uint64_t label, void* data, uint64_t bytes) {
  (void)rank;
  (void)label;
  (void)data;
  return bytes;
}

bool tidings_ideal_wait(void) { return false; }
