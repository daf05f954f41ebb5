/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file platform.c
 * A soft core beside one slot: registers and node memory are loads and stores.
 *
 * Where they are, and where all slots of the machine are, stands in a table that whoever loads the image fills in.
 */
#include "platform.h"

#include <stdlib.h>

#include "bus.h"

enum { MOST_RANKS = 64 };

/** Filled in by the loader. */
struct tidings_rv32_board {
  volatile uint32_t* registers;
  struct tidings_memory memory;
  uint64_t (*clock_ns)(void);
  void (*wait)(void);                         /**< until the slot's interrupt line is high */
  void (*report)(int code, const char* text); /**< of a run that failed */
  struct tidings_platform platform;
  struct tidings_endpoint endpoints[MOST_RANKS];
};
__attribute__((section(".data.board"))) struct tidings_rv32_board tidings_rv32_board = {.platform.slots = 1};

/** Registers hold what the board says; the handle is the board itself. */
static struct tidings_rv32_board* board_of(struct tidings_bus* bus) { return (struct tidings_rv32_board*)(void*)bus; }

struct tidings_bus* tidings_bus_open(uint32_t slot) {
  return slot == 0 ? (struct tidings_bus*)(void*)&tidings_rv32_board : NULL;
}

void tidings_bus_close(struct tidings_bus* bus) { (void)bus; }

uint32_t tidings_bus_read(struct tidings_bus* bus, uint32_t address) { return board_of(bus)->registers[address / 4]; }

void tidings_bus_write(struct tidings_bus* bus, uint32_t address, uint32_t value) {
  board_of(bus)->registers[address / 4] = value;
}

void tidings_bus_wait(struct tidings_bus* bus) { board_of(bus)->wait(); }

struct tidings_memory tidings_bus_memory(struct tidings_bus* bus) { return board_of(bus)->memory; }

const char* tidings_platform_read(struct tidings_platform* platform) {
  if (tidings_rv32_board.platform.ranks == 0) return "has been loaded without the table of its board";
  *platform = tidings_rv32_board.platform;
  platform->endpoints = tidings_rv32_board.endpoints;
  return NULL;
}

uint64_t tidings_clock_ns(void) { return tidings_rv32_board.clock_ns(); }

void tidings_fail(int code, const char* message) {
  tidings_rv32_board.report(code, message);
  exit(code);
}
