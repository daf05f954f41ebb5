/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rma_program.c
 * What the second image for a soft core runs: the ten primitives of rma.h, without MPI. Each processor PUTs a word into
 * all others' memory, GETs what the next one has, and compares. At last one of them calls ABORT, and the others'
 * waiting ends.
 */
#include <stdio.h>

#include "bus.h"
#include "platform.h"
#include "rma.h"

enum {
  QUEUE_LOG2 = 4,
  TRANSMIT_SLOTS = 2,
  TRANSMIT_BASE = TIDINGS_QUEUE_SLOT_BYTES << QUEUE_LOG2,
  SHARED = TRANSMIT_BASE + TRANSMIT_SLOTS * TIDINGS_QUEUE_SLOT_BYTES,
  MOST = 1 << QUEUE_LOG2, /* processors: BEGIN needs a slot of the queue for each */
  BYTES = MOST * (int)sizeof(uint32_t),
  OWN = SHARED + BYTES,
  COPY = OWN + BYTES,
};

static struct tidings_driver driver;
static struct tidings_rma rma;
static struct tidings_platform platform;
static uint32_t* memory;

/** End the run if a primitive has failed. */
static void check(const char* primitive, enum tidings_rma_status status) {
  char text[64];
  if (status == TIDINGS_RMA_OK) return;
  snprintf(text, sizeof text, "%s: status %d", primitive, (int)status);
  tidings_fail(1, text);
}

/** The word that a processor sends to another one. */
static uint32_t word_for(uint32_t from, uint32_t to) { return 100 * (from + 1) + to; }

static void compare(const char* what, uint32_t base, uint32_t owner) {
  for (uint32_t from = 0; from < tidings_rma_nprocs(&rma); ++from)
    if (memory[base / sizeof(uint32_t) + from] != word_for(from, owner)) tidings_fail(1, what);
}

/** The last processor calls ABORT. The others wait at a barrier, or still in BEGIN, and are told its code. */
static void abort_all(void) {
  const uint32_t code = 7;
  enum tidings_rma_status status = tidings_rma_begin(&rma, &driver, platform.rank, platform.ranks, platform.endpoints);
  if (status == TIDINGS_RMA_OK && platform.rank == platform.ranks - 1) tidings_rma_abort(&rma, code);
  if (status == TIDINGS_RMA_OK) status = tidings_rma_barrier(&rma);
  if (status != TIDINGS_RMA_ABORTED || rma.abort_code != code) tidings_fail(1, "ABORT has not ended a barrier");
}

int main(void) {
  const char* const refusal = tidings_platform_read(&platform);
  if (refusal != NULL) tidings_fail(1, refusal);
  if (platform.ranks > MOST) tidings_fail(1, "too many processors: there is room for 16");
  struct tidings_bus* const bus = tidings_bus_open(0);
  memory = tidings_bus_memory(bus).base;
  if (tidings_driver_open(&driver, bus, 0, QUEUE_LOG2, TRANSMIT_BASE, TRANSMIT_SLOTS) != 0)
    tidings_fail(1, "the device is not a Tidings slot");

  uint32_t name;
  check("BEGIN", tidings_rma_begin(&rma, &driver, platform.rank, platform.ranks, platform.endpoints));
  const uint32_t pid = tidings_rma_pid(&rma), nprocs = tidings_rma_nprocs(&rma);
  check("REGISTER", tidings_rma_register(&rma, SHARED, BYTES, &name));
  check("BARRIER", tidings_rma_barrier(&rma));
  for (uint32_t to = 0; to < nprocs; ++to) {
    if (to % 2 == 0) {
      check("inline PUT", tidings_rma_put_inline(&rma, to, word_for(pid, to), name, 4 * pid, 4));
      continue;
    }
    memory[OWN / sizeof(uint32_t) + to] = word_for(pid, to);
    check("PUT", tidings_rma_put(&rma, to, OWN + 4 * to, name, 4 * pid, 4));
  }
  check("BARRIER", tidings_rma_barrier(&rma));
  compare("a PUT has written something else", SHARED, pid);
  const uint32_t next = (pid + 1) % nprocs;
  check("GET", tidings_rma_get(&rma, next, COPY, name, 0, 4 * nprocs));
  check("FENCE", tidings_rma_fence(&rma));
  compare("a GET has read something else", COPY, next);
  check("BARRIER", tidings_rma_barrier(&rma)); /* nobody reads any more */
  check("DEREGISTER", tidings_rma_deregister(&rma, name));
  check("END", tidings_rma_end(&rma));
  if (pid == 0) printf("%u processors, name %u, last word %u\n", nprocs, name, memory[COPY / 4 + nprocs - 1]);
  abort_all();
  if (pid == 0) printf("aborted with code %u\n", rma.abort_code);
  tidings_driver_close(&driver);
  return 0;
}
