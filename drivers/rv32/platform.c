/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file platform.c
 * A soft core (rv32imac, ilp32) beside one slot: registers and node memory are loads and stores.
 *
 * A loader fills in the table of the board, which is the image's section `tidings_board`, before it starts the image.
 * docs/architecture.md says what else it provides. No board has run this yet.
 */
#include "platform.h"

#include <stdio.h>
#include <stdlib.h>

#include "bus.h"

/** The table of the board. What its pointers name is the loader's, and stays where it is. */
struct tidings_rv32_board {
  volatile uint32_t* registers; /**< of the slot */
  struct tidings_memory memory; /**< of the slot */
  uint64_t (*clock_ns)(void);   /**< see tidings_clock_ns */
  void (*wait)(void);           /**< see tidings_bus_wait */
  struct tidings_platform platform;
};

/* Used by something that the compiler does not see: it may not take the values below for constants. */
__attribute__((used, section("tidings_board"))) struct tidings_rv32_board tidings_rv32_board = {.platform.slots = 1};

/* There is one slot. Its handle is the board itself. */
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

uint32_t tidings_bus_reach(struct tidings_bus* bus, const void* base, size_t bytes, uint32_t spare) {
  (void)bytes, (void)spare;
  return (uint32_t)((const char*)base - (const char*)board_of(bus)->memory.base);
}

void tidings_bus_reached(struct tidings_bus* bus, void* base, size_t bytes, uint32_t address) {
  (void)bus, (void)base, (void)bytes, (void)address;
}

struct tidings_memory tidings_bus_memory(struct tidings_bus* bus) { return board_of(bus)->memory; }

bool tidings_word_schedule(uint32_t width, uint32_t height, uint32_t depth, uint16_t* start) {
  (void)width, (void)height, (void)depth, (void)start;
  return false;
}

const char* tidings_platform_read(struct tidings_platform* platform) {
  if (tidings_rv32_board.platform.ranks == 0) return "was started without the table of its board: see drivers/rv32";
  *platform = tidings_rv32_board.platform;
  return NULL;
}

uint64_t tidings_clock_ns(void) { return tidings_rv32_board.clock_ns(); }

void tidings_fail(int code, const char* message) {
  fputs(message, stderr);
  fputc('\n', stderr);
  exit(code);
}
