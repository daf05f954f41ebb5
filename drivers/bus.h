/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_BUS_H
#define TIDINGS_BUS_H
/**
 * @file bus.h
 * The bus boundary: everything that software above it may know of a slot's hardware.
 *
 * Each platform has one implementation. The simulator's is `sim/runtime/rank/`; a soft core would turn the accesses
 * into loads and stores, a board into accesses to a mapped register window. One process may hold several slots. All
 * functions are called from one thread of the process at a time.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A slot that this process holds. */
struct tidings_bus;

/** Node memory of a slot as the processor sees it. The engines' address 0 is its first byte. */
struct tidings_memory {
  void* base;
  size_t bytes;
};

/**
 * Attach to one of the slots that the process was given. Opening a slot that is open gives the same handle.
 * @param slot 0 up to, but not including, `slots` of struct tidings_platform.
 * @return NULL if the process has no such slot.
 */
struct tidings_bus* tidings_bus_open(uint32_t slot);

/** The process will not touch the slot again. */
void tidings_bus_close(struct tidings_bus* bus);

/** Read a register. Blocks until the slot has answered. @param address bytes, word aligned. */
uint32_t tidings_bus_read(struct tidings_bus* bus, uint32_t address);

/** Write a register. Posted: returns at once, in order with all other accesses of this process to the slot. */
void tidings_bus_write(struct tidings_bus* bus, uint32_t address, uint32_t value);

/** Block until the slot's interrupt line is high. Returns at once if it already is. */
void tidings_bus_wait(struct tidings_bus* bus);

/** What one access of a sequence does. */
enum tidings_bus_kind {
  TIDINGS_BUS_WAIT,        /**< as tidings_bus_wait */
  TIDINGS_BUS_READ,        /**< as tidings_bus_read */
  TIDINGS_BUS_ACKNOWLEDGE, /**< write back those bits of `mask` that the first read has found; nothing if it found none
                            */
};

/** One access of a sequence. */
struct tidings_bus_access {
  enum tidings_bus_kind kind;
  uint32_t address; /**< as for tidings_bus_read */
  uint32_t mask;    /**< a read with a mask is left out if the first read has found none of its bits */
  uint32_t value;   /**< what a read has found; else not touched */
};

/** Most accesses of a sequence. */
#define TIDINGS_BUS_MOST_ACCESSES 8u

/**
 * Carry out accesses one after the other, as the functions above would. One call is worth more than several if the
 * processor pays for each time it stops at the bus. A platform without such a cost links bus_sequence.c.
 * @param count at most TIDINGS_BUS_MOST_ACCESSES.
 */
void tidings_bus_sequence(struct tidings_bus* bus, struct tidings_bus_access* accesses, uint32_t count);

/** Where the slot's node memory is. The same for as long as the slot is open. */
struct tidings_memory tidings_bus_memory(struct tidings_bus* bus);

/**
 * Find memory of the process as the engines know it, on platforms whose `shared_memory` says that they reach it. The
 * engines read what is there now; what they write is there after tidings_bus_reached(). Takes the processor no time.
 * @param base of a word. @param bytes whole words.
 * @param spare address of as many bytes of node memory, which nobody uses meanwhile. They stand for those of the
 * process on a platform whose engines do not really reach them, such as the simulator.
 * @return the address of the first byte.
 */
uint32_t tidings_bus_reach(struct tidings_bus* bus, const void* base, size_t bytes, uint32_t spare);

/** The engines have written to the memory of tidings_bus_reach(), and the process reads it next. */
void tidings_bus_reached(struct tidings_bus* bus, void* base, size_t bytes, uint32_t address);

#ifdef __cplusplus
}
#endif
#endif
