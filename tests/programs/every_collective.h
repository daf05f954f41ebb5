// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file every_collective.h
 * Arguments and results of one call of each collective, for programs that start all of them together.
 */
#ifndef TIDINGS_TESTS_EVERY_COLLECTIVE_H
#define TIDINGS_TESTS_EVERY_COLLECTIVE_H

#include "program.h"

enum { ROOM = 1600, CALLS = 17 };

static int mine[ROOM], wide[ROOM], bcast[ROOM], reduced[ROOM], all[ROOM], scanned[ROOM], exscanned[ROOM],
    gathered[ROOM], gatheredv[ROOM], scattered[ROOM], scatteredv[ROOM], allgathered[ROOM], allgatheredv[ROOM],
    exchanged[ROOM], exchangedv[ROOM], exchangedw[ROOM], parts[ROOM], blocks[ROOM];

/** Counts and places of blocks. */
static int counts[64], equal[64], places[64], offsets[64];
static MPI_Datatype types[64];

/** Fill in counts and places. */
static void set_counts(int ranks) {
  for (int r = 0; r < ranks; ++r) {
    counts[r] = r % 3 + 1;
    equal[r] = 2;
    places[r] = 5 * r;
    offsets[r] = 16 * r;
    types[r] = MPI_INT;
  }
}

/** Set what is sent, and clear what is received. */
static void clear(int rank, int round, int root) {
  for (int i = 0; i < ROOM; ++i) {
    mine[i] = rank * 1000 + round * 100 + i;
    wide[i] = rank * 77 + round + i;
    bcast[i] = rank == root ? round * 31 + i : -1;
  }
  memset(reduced, 0, sizeof reduced);
  memset(all, 0, sizeof all);
  memset(scanned, 0, sizeof scanned);
  memset(exscanned, 0, sizeof exscanned);
  memset(gathered, 0, sizeof gathered);
  memset(gatheredv, 0, sizeof gatheredv);
  memset(scattered, 0, sizeof scattered);
  memset(scatteredv, 0, sizeof scatteredv);
  memset(allgathered, 0, sizeof allgathered);
  memset(allgatheredv, 0, sizeof allgatheredv);
  memset(exchanged, 0, sizeof exchanged);
  memset(exchangedv, 0, sizeof exchangedv);
  memset(exchangedw, 0, sizeof exchangedw);
  memset(parts, 0, sizeof parts);
  memset(blocks, 0, sizeof blocks);
}

/** Say what has been received. */
static void say_results(int round) {
  say("round %d: %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x\n", round,
      (unsigned)checksum(bcast, sizeof bcast), (unsigned)checksum(reduced, sizeof reduced),
      (unsigned)checksum(all, sizeof all), (unsigned)checksum(scanned, sizeof scanned),
      (unsigned)checksum(exscanned, sizeof exscanned), (unsigned)checksum(gathered, sizeof gathered),
      (unsigned)checksum(gatheredv, sizeof gatheredv), (unsigned)checksum(scattered, sizeof scattered),
      (unsigned)checksum(scatteredv, sizeof scatteredv), (unsigned)checksum(allgathered, sizeof allgathered),
      (unsigned)checksum(allgatheredv, sizeof allgatheredv), (unsigned)checksum(exchanged, sizeof exchanged),
      (unsigned)checksum(exchangedv, sizeof exchangedv), (unsigned)checksum(exchangedw, sizeof exchangedw),
      (unsigned)checksum(parts, sizeof parts), (unsigned)checksum(blocks, sizeof blocks));
}

#endif
