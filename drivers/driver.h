/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_DRIVER_H
#define TIDINGS_DRIVER_H
/**
 * @file driver.h
 * Driver of a slot's engines: registers in, completions out. C11, freestanding, no allocation.
 *
 * Node memory is laid out by the caller; every address below is a byte offset into it.
 */
#include <stdbool.h>

#include "bus.h"
#include "cost.h"
#include "generated/fixed_parameters_c.h"
#include "generated/packets_c.h"
#include "generated/registers_c.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of one slot of the receive queue: one word of origin, one reserved, the payload. */
#define TIDINGS_QUEUE_SLOT_BYTES (4u * TIDINGS_RMA_MESSAGE_WORDS)
/** Payload bytes that fit in one short message. */
#define TIDINGS_MESSAGE_BYTES (TIDINGS_QUEUE_SLOT_BYTES - 8u)

enum tidings_rights { TIDINGS_READ = 1, TIDINGS_WRITE = 2 };

/** The bit of an engine in a field of irq_status that has one per engine. */
#define TIDINGS_IRQ_OF(field, engine) (((field) & (~(field) + 1u)) << (engine))

/** Interrupt causes, as in register irq_status. */
enum tidings_irq {
  TIDINGS_IRQ_ERROR = TIDINGS_REG_IRQ_STATUS_ERROR,
  TIDINGS_IRQ_RMA_DONE = TIDINGS_IRQ_OF(TIDINGS_REG_IRQ_STATUS_DONE, TIDINGS_ENGINE_RMA),
  TIDINGS_IRQ_MPE_DONE = TIDINGS_IRQ_OF(TIDINGS_REG_IRQ_STATUS_DONE, TIDINGS_ENGINE_MPE),
  TIDINGS_IRQ_MESSAGE = TIDINGS_IRQ_OF(TIDINGS_REG_IRQ_STATUS_WAITING, TIDINGS_ENGINE_RMA),
  TIDINGS_IRQ_RMA_IDLE = TIDINGS_IRQ_OF(TIDINGS_REG_IRQ_STATUS_IDLE, TIDINGS_ENGINE_RMA),
};

/** The number of a slot among all slots of a single router. */
static inline uint32_t tidings_slot_number(struct tidings_endpoint endpoint) {
  return ((uint32_t)endpoint.node << TIDINGS_SLOT_ID_WIDTH) + endpoint.slot;
}

/** State the driver keeps for one slot. */
struct tidings_driver {
  struct tidings_bus* bus;
  struct tidings_memory memory;
  uint32_t queue_base, queue_log2;        /**< receive ring */
  uint16_t queue_head, queue_tail;        /**< software's copy */
  uint32_t transmit_base, transmit_slots; /**< ring of outgoing short messages in node memory */
  uint32_t rma_issued, rma_completed;     /**< commands, modulo 2^32 */
  uint32_t mpe_issued, mpe_completed;
  struct tidings_reg_mpe_sizes mpe_sizes; /**< all 0 if the slot has no collective engine */
  uint32_t command_depth, mpe_depth, regions;
  uint32_t transmit_commands[16]; /**< command that last used each outgoing buffer */
  uint32_t transmit_next;         /**< outgoing buffer for the next short message */
  uint32_t enabled;               /**< last value of irq_enable */
  uint32_t rma_shadow[4];         /**< last values of the command registers, so that equal ones are not written again */
  uint32_t mpe_shadow[4];
};

/** A received short message, still in its queue slot. */
struct tidings_message {
  struct tidings_endpoint source;
  uint32_t bytes;
  const void* payload; /**< 8-byte aligned, valid until released */
};

/** A refusal by a target's registration table or queue, or a mismatch in a collective. */
struct tidings_error {
  enum { TIDINGS_ERROR_NONE, TIDINGS_ERROR_RMA, TIDINGS_ERROR_MPE } engine;
  uint32_t code;                    /**< nack_e for RMA (1 not registered, 2 bounds, 3 rights, 4 queue full), else 0 */
  struct tidings_endpoint endpoint; /**< who refused; for MPE the tree neighbour */
  uint32_t descriptor;              /**< MPE: the descriptor received */
};

/**
 * Take over an open slot and set up its queues.
 * @param bus slot that the driver alone uses from now on.
 * @param queue_base receive ring.
 * @param queue_log2 the ring has 2^queue_log2 slots of TIDINGS_QUEUE_SLOT_BYTES.
 * @param transmit_base outgoing buffers of TIDINGS_QUEUE_SLOT_BYTES.
 * @param transmit_slots how many there are, at most 16.
 * @return 0, or -1 if the hardware's identity is not known.
 */
int tidings_driver_open(struct tidings_driver* d, struct tidings_bus* bus, uint32_t queue_base, uint32_t queue_log2,
                        uint32_t transmit_base, uint32_t transmit_slots);
/** Also closes the slot. */
void tidings_driver_close(struct tidings_driver* d);

/**
 * Room in node memory for the payload of the next short message, TIDINGS_MESSAGE_BYTES of it, 8-byte aligned. Blocks
 * until the message that was there before has left.
 */
void* tidings_send_room(struct tidings_driver* d);
/**
 * Send what has been written there. Blocks while the command queue is full. The caller holds a credit for the
 * receiver's queue.
 */
void tidings_send(struct tidings_driver* d, struct tidings_endpoint to, uint32_t bytes);
/**
 * The same along a static route (route.h), as one message to all slots that it leads to. The caller holds a credit for
 * the queue of each of them.
 */
void tidings_send_along(struct tidings_driver* d, uint32_t route, uint32_t bytes);
/**
 * Whoever takes messages does this work for each from now on, before anything else that uses the bus
 * (tidings_announce_work). Waits then take less time to simulate.
 */
void tidings_announce_arrivals(struct tidings_driver* d, enum tidings_work kind);
/** Take the oldest message. Reads the device only if none is known to wait. @return false if there is none. */
bool tidings_receive(struct tidings_driver* d, struct tidings_message* message);
/** Give the slot of the oldest message back to the hardware. */
void tidings_release(struct tidings_driver* d);

/** Start a PUT or a GET. @return number of the command, for tidings_rma_done. */
uint32_t tidings_put(struct tidings_driver* d, uint32_t local, struct tidings_endpoint to, uint32_t region,
                     uint32_t offset, uint32_t bytes);
uint32_t tidings_get(struct tidings_driver* d, uint32_t local, struct tidings_endpoint from, uint32_t region,
                     uint32_t offset, uint32_t bytes);
/** Start a PUT of the 1 to 4 lowest bytes of a word, which no memory need hold. @return as tidings_put. */
uint32_t tidings_put_inline(struct tidings_driver* d, uint32_t word, struct tidings_endpoint to, uint32_t region,
                            uint32_t offset, uint32_t bytes);
/** Whether the slot and those that it reaches have atomic accesses (reads the device). */
bool tidings_has_atomics(struct tidings_driver* d);
/**
 * Start an atomic access to 4 or 8 bytes of a region, aligned to their number.
 * @param local where the operand is, and behind it what TIDINGS_ATOMIC_COMPARE_SWAP compares with; the old value is
 * written there in place of the operand. No GET that is not done yet writes it.
 * @return as tidings_get.
 */
uint32_t tidings_atomic(struct tidings_driver* d, enum tidings_atomic operation, uint32_t local,
                        struct tidings_endpoint at, uint32_t region, uint32_t offset, uint32_t bytes);
/** The command's local buffer can be used again; for GET, holds the data. Reads the device where that is not known yet.
 */
bool tidings_rma_done(struct tidings_driver* d, uint32_t command);
/** As tidings_rma_done, from what is known without reading the device. */
bool tidings_rma_known_done(const struct tidings_driver* d, uint32_t command);
/** Every PUT so far has been written at its target (reads the device). */
bool tidings_rma_quiet(struct tidings_driver* d);

/** Register `bytes` of node memory from `base` as row `region`; rights from enum tidings_rights. */
void tidings_register(struct tidings_driver* d, uint32_t region, uint32_t base, uint32_t bytes, uint32_t rights);
void tidings_deregister(struct tidings_driver* d, uint32_t region);

/** Regions that can have names (reads the device); 0: the slot gives no names. */
uint32_t tidings_names(struct tidings_driver* d);
/**
 * Register as tidings_register does, as the region with the lowest number that is free.
 * @param name where to put the number. @return false if none is free.
 */
bool tidings_name(struct tidings_driver* d, uint32_t base, uint32_t bytes, uint32_t rights, uint32_t* name);
/** Find the name of the region that begins at an address. @return false if none does. */
bool tidings_find_name(struct tidings_driver* d, uint32_t base, uint32_t* name);
/** Deregister a region by its name. @return false if there is none. */
bool tidings_free_name(struct tidings_driver* d, uint32_t name);

/** What the collective engine was built with. */
struct tidings_collective_sizes {
  uint32_t contexts;       /**< trees that it can hold */
  uint32_t exchange_words; /**< most words of an allreduce in rounds of exchange */
  uint32_t direct_links;   /**< network ports that links of the same number can be direct to */
  bool wide_elements;      /**< elements of 64 bits can be combined */
};
/**
 * Take over the collective engine, which has run as many collectives as it says. Called once, before the first command.
 * @return what the engine was built with.
 */
struct tidings_collective_sizes tidings_open_collectives(struct tidings_driver* d);
/**
 * Load one link of the collective tree of a context. A context has links and stream buffers of its own; its number is
 * the same on all nodes of the tree. A link keeps its neighbour until reset.
 * @param direct the neighbour is behind the network port of the link's number; both ends say the same.
 */
void tidings_tree_link(struct tidings_driver* d, uint32_t context, uint32_t link, struct tidings_endpoint neighbour,
                       uint32_t peer_link, bool direct);
/** What the engine is to do on the tree of `context`. `parent` is 15 at the root; `children` has one bit per link. */
struct tidings_collective_command {
  enum tidings_collective operation;
  enum tidings_element element;
  enum tidings_combine combine;
  uint32_t context, parent, children;
  uint32_t swap;     /**< exchange: one bit for each pair of links (2i, 2i + 1) whose higher link comes first */
  uint32_t exchange; /**< 1: barrier or allreduce of few words in rounds over the links `children`, without parent */
};
/** The command as the engine takes it. Equal collectives have equal ones, so they need be put together only once. */
uint32_t tidings_collective_word(const struct tidings_collective_command* command);
/** The data of one collective. */
struct tidings_collective_data {
  uint32_t source, destination; /**< 8-byte aligned */
  uint32_t count;               /**< elements; words for broadcast; 0 for a barrier */
};
/**
 * Start a collective.
 * @param word as tidings_collective_word returns it.
 * @param descriptor equal on all ranks, else the engine reports a mismatch.
 * @return number of the command, for tidings_collective_done.
 */
uint32_t tidings_collective_start(struct tidings_driver* d, uint32_t word, uint32_t descriptor,
                                  struct tidings_collective_data data);
/** The result is at `destination`. Reads the device where that is not known yet. */
bool tidings_collective_done(struct tidings_driver* d, uint32_t command);
/** As tidings_collective_done, from what is known without reading the device. */
bool tidings_collective_known_done(const struct tidings_driver* d, uint32_t command);

/**
 * The pending causes (enum tidings_irq). The sticky ones that were pending are cleared, but for TIDINGS_IRQ_ERROR,
 * which tidings_take_error clears: the caller looks at what it waits for afterwards. Counters of messages and
 * collectives that have moved are read too, so TIDINGS_IRQ_MESSAGE says that tidings_receive will find a message.
 */
uint32_t tidings_poll(struct tidings_driver* d);
/** Have an interrupt when one of `causes` or an error is pending. */
void tidings_listen(struct tidings_driver* d, uint32_t causes);
/** Block until one of `causes` or an error is pending. @return as tidings_poll. */
uint32_t tidings_wait(struct tidings_driver* d, uint32_t causes);
/** The pending error, if any; clears it. */
bool tidings_take_error(struct tidings_driver* d, struct tidings_error* error);
/** What a refusal means, in words: "access outside the registered region". */
const char* tidings_error_text(const struct tidings_error* error);

#ifdef __cplusplus
}
#endif
#endif
