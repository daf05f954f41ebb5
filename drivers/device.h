/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_DEVICE_H
#define TIDINGS_DEVICE_H
/**
 * @file device.h
 * The device boundary: everything that software above it may know of the hardware.
 *
 * One implementation serves each platform. The simulator's is `sim/runtime/rank/`; a soft core would
 * turn the bus accesses into loads and stores, a board into accesses to a mapped register window.
 * All functions are called from one thread of the rank at a time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a rank's slot is in the machine. */
struct tidings_endpoint {
  uint16_t node; /**< router address, as in the packet header */
  uint8_t slot;  /**< slot of that router */
};

/** Most dimensions of a machine. */
#define TIDINGS_MAX_DIMENSIONS 4u

/**
 * How the routers are joined: a grid, in each dimension open or closed to a ring. Ports 2d and 2d + 1 of a router lead
 * to coordinate + 1 and - 1 of dimension d. A router's address has 12 / dimensions bits a coordinate, dimension 0
 * lowest.
 */
struct tidings_grid {
  uint32_t dimensions;                    /**< 0: a single router */
  uint16_t radix[TIDINGS_MAX_DIMENSIONS]; /**< routers in each dimension */
  bool wraps[TIDINGS_MAX_DIMENSIONS];     /**< the dimension is closed to a ring */
};

/** What the platform tells a rank about itself and the machine. */
struct tidings_device_info {
  uint32_t rank;                            /**< this rank */
  uint32_t ranks;                           /**< ranks of the run */
  const struct tidings_endpoint* endpoints; /**< `ranks` entries */
  struct tidings_grid grid;                 /**< of all routers */
  void* memory;                             /**< node memory of this slot, as the processor sees it; engine address 0 */
  size_t memory_bytes;                      /**< size of node memory */
  bool hardware_collectives;                /**< the user asked for the engine's collectives */
  const char* machine;                      /**< name of the machine */
};

/**
 * Attach to the device. Doing so again before it is closed changes nothing and gives the same.
 * @return 0, or -1 where the process was not started by a Tidings launcher.
 */
int tidings_device_open(struct tidings_device_info* info);

/** The rank will not touch the device again. */
void tidings_device_close(void);

/** Read a register. Blocks until the device has answered. @param address bytes, word aligned. */
uint32_t tidings_bus_read(uint32_t address);

/** Write a register. Posted: returns at once, in order with all other accesses of this rank. */
void tidings_bus_write(uint32_t address, uint32_t value);

/** Block until the interrupt line of this slot is high (returns at once if it already is). */
void tidings_wait_interrupt(void);

/** The processor copies between program memory and node memory, or within either. */
void tidings_copy(void* destination, const void* source, size_t bytes);

/** Nanoseconds since the run began, as the processor's clock shows them. */
uint64_t tidings_clock_ns(void);

/** Software work that costs a processor time. A board spends it by itself and does nothing here. */
enum tidings_work {
  TIDINGS_WORK_CALL,   /**< entry to a library call; amount = calls */
  TIDINGS_WORK_MATCH,  /**< looking at one queue entry while matching; amount = entries */
  TIDINGS_WORK_REDUCE, /**< combining elements in software; amount = elements */
  TIDINGS_WORK_POLL,   /**< one unsuccessful test, so that polling advances time; amount = polls */
};
void tidings_work(enum tidings_work kind, uint64_t amount);

/** How an operation was carried out, for the report. */
enum tidings_path {
  TIDINGS_PATH_NONE,     /**< not a collective, or nothing to do */
  TIDINGS_PATH_HARDWARE, /**< the engine did it */
  TIDINGS_PATH_SOFTWARE, /**< point-to-point messages did it, as the user asked */
  TIDINGS_PATH_FALLBACK, /**< the engine was asked for but cannot do this one: see the reason */
};

/** A call into the library, for statistics and for "who waits for whom". Strings are static. */
struct tidings_operation {
  const char* name;      /**< "MPI_Recv" */
  int32_t peer;          /**< world rank of the other side; root of a collective; -1 any or none */
  int32_t tag;           /**< message tag; -1 any or none */
  uint32_t communicator; /**< context id of the communicator; 0 is MPI_COMM_WORLD */
  uint64_t bytes;        /**< bytes that this rank sends or receives */
  uint64_t count;        /**< elements as the caller gave them */
  bool peer_is_root;     /**< `peer` is a root */
  bool any_peer;         /**< wildcard source */
};

/** Enter and leave a library call. Calls nest; only the outermost is recorded. */
void tidings_operation_begin(const struct tidings_operation* operation);
void tidings_operation_end(enum tidings_path path, const char* fallback_reason);

/** Bytes of the call under way, where only its end tells them: a receive may be shorter than its buffer. */
void tidings_operation_bytes(uint64_t bytes);

/**
 * While blocked, say what exactly is waited for (a request inside MPI_Waitall, say).
 * Copied into the run's record; used only to explain a deadlock. NULL clears it.
 * The text is in MPI's terms: "receive from rank 3, tag 7, communicator MPI_COMM_WORLD".
 * @param ranks,count the world ranks that could end the wait.
 */
void tidings_waiting_for(const char* text, const uint32_t* ranks, uint32_t count);

/**
 * End the whole run with a cause. Does not return.
 * @param code status for the launcher, not 0.
 * @param message what was called and what went wrong; the platform says which rank it was.
 */
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void tidings_fail(int code, const char* message);

#ifdef __cplusplus
}
#endif
#endif
