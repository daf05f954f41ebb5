/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file driver.c
 * The driver of a slot's engines.
 *
 * A bus read stops the processor until the device has answered and a write takes a bus cycle, so registers that already
 * hold a value are not written again and counters are read only where the last known value does not answer the
 * question.
 */
#include "driver.h"

#include "slot_regs.h"

#define ADDRESS(member) ((uint32_t)offsetof(slot_regs_t, member))
#define FIELD(name, value) (((uint32_t)(value) << SLOT_REGS__##name##_bp) & SLOT_REGS__##name##_bm)
#define GET_FIELD(name, word) (((word) & SLOT_REGS__##name##_bm) >> SLOT_REGS__##name##_bp)

enum rma_operation { RMA_MESSAGE, RMA_PUT, RMA_GET };
enum rma_register { RMA_LOCAL, RMA_REMOTE, RMA_OFFSET, RMA_LENGTH };
enum mpe_register { MPE_SOURCE, MPE_DESTINATION, MPE_COUNT, MPE_DESCRIPTOR };

/** Collectives that may be queued (register mpe_command). */
static const uint32_t kMpeDepth = 2;
/** Reads of a counter before the processor waits for an interrupt: a short message is gone by then. */
static const uint32_t kPolls = 4;
/** Code of rma_error where software overran the command queue. */
static const uint32_t kCommandOverflow = 15;
/** Code for a collective that the engine dropped: it combines elements of 64 bits. The registers have no code for it.
 */
static const uint32_t kNoSuchElements = 14;

static bool reached(uint32_t count, uint32_t target) { return (int32_t)(count - target) >= 0; }

static void write_if_changed(uint32_t* shadow, uint32_t address, uint32_t value) {
  if (*shadow == value) return;
  tidings_bus_write(address, value);
  *shadow = value;
}

static void enable(struct tidings_driver* d, uint32_t causes) {
  write_if_changed(&d->enabled, ADDRESS(irq_enable), causes);
}

int tidings_driver_open(struct tidings_driver* d, uint32_t queue_base, uint32_t queue_log2, uint32_t transmit_base,
                        uint32_t transmit_slots) {
  *d = (struct tidings_driver){0};
  if (tidings_device_open(&d->info) != 0) return -1;
  if (tidings_bus_read(ADDRESS(id)) != SLOT_REGS__ID__MAGIC_reset) return -2;

  const uint32_t sizes = tidings_bus_read(ADDRESS(sizes));
  d->regions = GET_FIELD(SIZES__REGIONS, sizes);
  d->links = GET_FIELD(SIZES__LINKS, sizes);
  d->command_depth = GET_FIELD(SIZES__COMMAND_DEPTH, sizes);
  d->mpe_depth = kMpeDepth;

  d->rma_issued = d->rma_completed = tidings_bus_read(ADDRESS(rma_completed));
  d->mpe_issued = d->mpe_completed = tidings_bus_read(ADDRESS(mpe_completed));
  for (uint32_t i = 0; i < 4; ++i) {
    tidings_bus_write(ADDRESS(rma_local) + 4 * i, 0);
    tidings_bus_write(ADDRESS(mpe_source) + 4 * i, 0);
  }
  tidings_bus_write(ADDRESS(irq_enable), 0);

  d->transmit_base = transmit_base;
  d->transmit_slots = transmit_slots;
  for (uint32_t i = 0; i < transmit_slots; ++i) d->transmit_commands[i] = d->rma_completed;

  d->queue_base = queue_base;
  d->queue_log2 = queue_log2;
  d->queue_head = d->queue_tail = (uint16_t)tidings_bus_read(ADDRESS(queue_tail));
  tidings_bus_write(ADDRESS(queue_base), queue_base);
  tidings_bus_write(ADDRESS(queue_head), d->queue_head);
  tidings_bus_write(ADDRESS(queue_size), FIELD(QUEUE_SIZE__LOG2_SLOTS, queue_log2) | FIELD(QUEUE_SIZE__VALID, 1));
  return 0;
}

void tidings_driver_close(struct tidings_driver* d) {
  /* The queue stays valid: a credit that is still on its way must not be refused. */
  enable(d, 0);
  tidings_device_close();
}

bool tidings_rma_known_done(const struct tidings_driver* d, uint32_t command) {
  return reached(d->rma_completed, command);
}

bool tidings_rma_done(struct tidings_driver* d, uint32_t command) {
  if (tidings_rma_known_done(d, command)) return true;
  d->rma_completed = tidings_bus_read(ADDRESS(rma_completed));
  return reached(d->rma_completed, command);
}

bool tidings_rma_quiet(struct tidings_driver* d) {
  (void)d;
  return (tidings_bus_read(ADDRESS(irq_status)) & TIDINGS_IRQ_RMA_IDLE) != 0;
}

static void await_command(struct tidings_driver* d, uint32_t command) {
  for (uint32_t i = 0; i < kPolls; ++i) {
    if (tidings_rma_done(d, command)) return;
  }
  for (;;) {
    /* Clear first, look afterwards: a completion between the two is seen by the look. */
    tidings_bus_write(ADDRESS(irq_status), TIDINGS_IRQ_RMA_DONE);
    if (tidings_rma_done(d, command)) return;
    enable(d, TIDINGS_IRQ_RMA_DONE | TIDINGS_IRQ_ERROR);
    tidings_wait_interrupt();
  }
}

static uint32_t issue(struct tidings_driver* d, enum rma_operation operation, uint32_t local,
                      struct tidings_endpoint to, uint32_t region, uint32_t offset, uint32_t bytes) {
  await_command(d, d->rma_issued + 1 - d->command_depth);
  const uint32_t remote =
      FIELD(RMA_REMOTE__NODE, to.node) | FIELD(RMA_REMOTE__SLOT, to.slot) | FIELD(RMA_REMOTE__REGION, region);
  write_if_changed(&d->rma_shadow[RMA_LOCAL], ADDRESS(rma_local), local);
  write_if_changed(&d->rma_shadow[RMA_REMOTE], ADDRESS(rma_remote), remote);
  if (operation != RMA_MESSAGE) write_if_changed(&d->rma_shadow[RMA_OFFSET], ADDRESS(rma_offset), offset);
  write_if_changed(&d->rma_shadow[RMA_LENGTH], ADDRESS(rma_length), bytes);
  tidings_bus_write(ADDRESS(rma_command), FIELD(RMA_COMMAND__OPERATION, operation) | FIELD(RMA_COMMAND__NOTIFY, 1));
  return ++d->rma_issued;
}

void tidings_send(struct tidings_driver* d, struct tidings_endpoint to, const void* payload, uint32_t bytes) {
  const uint32_t buffer = d->transmit_next;
  d->transmit_next = (buffer + 1) % d->transmit_slots;
  await_command(d, d->transmit_commands[buffer]);
  const uint32_t local = d->transmit_base + buffer * TIDINGS_QUEUE_SLOT_BYTES;
  tidings_copy((unsigned char*)d->info.memory + local, payload, bytes);
  d->transmit_commands[buffer] = issue(d, RMA_MESSAGE, local, to, 0, 0, bytes);
}

bool tidings_receive(struct tidings_driver* d, struct tidings_message* message) {
  if (d->queue_head == d->queue_tail) d->queue_tail = (uint16_t)tidings_bus_read(ADDRESS(queue_tail));
  if (d->queue_head == d->queue_tail) return false;
  const uint32_t index = d->queue_head & ((1u << d->queue_log2) - 1u);
  const uint32_t* slot =
      (const uint32_t*)((const unsigned char*)d->info.memory + d->queue_base + index * TIDINGS_QUEUE_SLOT_BYTES);
  message->source.slot = (uint8_t)(slot[0] >> 28);
  message->source.node = (uint16_t)((slot[0] >> 16) & 0xfffu);
  message->bytes = slot[0] & 0xffffu;
  message->payload = slot + 2;
  return true;
}

void tidings_release(struct tidings_driver* d) {
  d->queue_head = (uint16_t)(d->queue_head + 1u);
  tidings_bus_write(ADDRESS(queue_head), d->queue_head);
}

uint32_t tidings_put(struct tidings_driver* d, uint32_t local, struct tidings_endpoint to, uint32_t region,
                     uint32_t offset, uint32_t bytes) {
  return issue(d, RMA_PUT, local, to, region, offset, bytes);
}

uint32_t tidings_get(struct tidings_driver* d, uint32_t local, struct tidings_endpoint from, uint32_t region,
                     uint32_t offset, uint32_t bytes) {
  return issue(d, RMA_GET, local, from, region, offset, bytes);
}

void tidings_register(struct tidings_driver* d, uint32_t region, uint32_t base, uint32_t bytes, uint32_t rights) {
  (void)d;
  const uint32_t row = ADDRESS(region) + region * (uint32_t)sizeof(slot_regs__region__stride10_t);
  tidings_bus_write(row + (uint32_t)offsetof(slot_regs__region__stride10_t, base), base);
  tidings_bus_write(row + (uint32_t)offsetof(slot_regs__region__stride10_t, length), bytes);
  tidings_bus_write(row + (uint32_t)offsetof(slot_regs__region__stride10_t, rights),
                    FIELD(REGION__RIGHTS__VALID, 1) | FIELD(REGION__RIGHTS__READ, (rights & TIDINGS_READ) != 0) |
                        FIELD(REGION__RIGHTS__WRITE, (rights & TIDINGS_WRITE) != 0));
}

void tidings_deregister(struct tidings_driver* d, uint32_t region) {
  (void)d;
  tidings_bus_write(ADDRESS(region) + region * (uint32_t)sizeof(slot_regs__region__stride10_t) +
                        (uint32_t)offsetof(slot_regs__region__stride10_t, rights),
                    0);
}

struct tidings_collective_sizes tidings_read_collective_sizes(struct tidings_driver* d) {
  (void)d;
  const uint32_t sizes = tidings_bus_read(ADDRESS(mpe_sizes));
  return (struct tidings_collective_sizes){
      .contexts = GET_FIELD(MPE_SIZES__CONTEXTS, sizes),
      .exchange_words = GET_FIELD(MPE_SIZES__PACKET_WORDS, sizes),
      .direct_links = GET_FIELD(MPE_SIZES__DIRECT_LINKS, sizes),
      .wide_elements = GET_FIELD(MPE_SIZES__WIDE_ELEMENTS, sizes) != 0,
  };
}

/** Where a link of a context is in the table, which has eight rows a context. */
static uint32_t link_address(uint32_t context, uint32_t link) { return ADDRESS(mpe_link) + 4 * (8 * context + link); }

void tidings_tree_link(struct tidings_driver* d, uint32_t context, uint32_t link, struct tidings_endpoint neighbour,
                       uint32_t peer_link, bool direct) {
  (void)d;
  tidings_bus_write(link_address(context, link),
                    FIELD(MPE_LINK__NODE, neighbour.node) | FIELD(MPE_LINK__SLOT, neighbour.slot) |
                        FIELD(MPE_LINK__PEER_LINK, peer_link) | FIELD(MPE_LINK__DIRECT, direct));
}

bool tidings_collective_known_done(const struct tidings_driver* d, uint32_t command) {
  return reached(d->mpe_completed, command);
}

bool tidings_collective_done(struct tidings_driver* d, uint32_t command) {
  if (tidings_collective_known_done(d, command)) return true;
  d->mpe_completed = tidings_bus_read(ADDRESS(mpe_completed));
  return reached(d->mpe_completed, command);
}

uint32_t tidings_collective_start(struct tidings_driver* d, const struct tidings_collective_command* command) {
  while (!tidings_collective_done(d, d->mpe_issued + 1 - d->mpe_depth)) {
  }
  write_if_changed(&d->mpe_shadow[MPE_SOURCE], ADDRESS(mpe_source), command->source);
  write_if_changed(&d->mpe_shadow[MPE_DESTINATION], ADDRESS(mpe_destination), command->destination);
  write_if_changed(&d->mpe_shadow[MPE_COUNT], ADDRESS(mpe_count), command->count);
  write_if_changed(&d->mpe_shadow[MPE_DESCRIPTOR], ADDRESS(mpe_descriptor), command->descriptor);
  tidings_bus_write(ADDRESS(mpe_command),
                    FIELD(MPE_COMMAND__OPERATION, command->operation) | FIELD(MPE_COMMAND__ELEMENT, command->element) |
                        FIELD(MPE_COMMAND__COMBINE, command->combine) | FIELD(MPE_COMMAND__PARENT, command->parent) |
                        FIELD(MPE_COMMAND__CHILDREN, command->children) |
                        FIELD(MPE_COMMAND__CONTEXT_ID, command->context) |
                        FIELD(MPE_COMMAND__EXCHANGE, command->exchange) | FIELD(MPE_COMMAND__SWAP, command->swap));
  return ++d->mpe_issued;
}

uint32_t tidings_poll(struct tidings_driver* d) {
  (void)d;
  const uint32_t causes = tidings_bus_read(ADDRESS(irq_status));
  const uint32_t sticky = causes & (TIDINGS_IRQ_RMA_DONE | TIDINGS_IRQ_MPE_DONE);
  if (sticky != 0) tidings_bus_write(ADDRESS(irq_status), sticky);
  return causes;
}

uint32_t tidings_wait(struct tidings_driver* d, uint32_t causes) {
  enable(d, causes | TIDINGS_IRQ_ERROR);
  tidings_wait_interrupt();
  return tidings_poll(d);
}

bool tidings_take_error(struct tidings_driver* d, struct tidings_error* error) {
  (void)d;
  *error = (struct tidings_error){.engine = TIDINGS_ERROR_NONE};
  tidings_bus_write(ADDRESS(irq_status), TIDINGS_IRQ_ERROR);
  const uint32_t rma = tidings_bus_read(ADDRESS(rma_error));
  if (GET_FIELD(RMA_ERROR__CODE, rma) != 0) {
    error->engine = TIDINGS_ERROR_RMA;
    error->code = GET_FIELD(RMA_ERROR__CODE, rma);
    error->endpoint.node = (uint16_t)GET_FIELD(RMA_ERROR__NODE, rma);
    error->endpoint.slot = (uint8_t)GET_FIELD(RMA_ERROR__SLOT, rma);
    tidings_bus_write(ADDRESS(rma_error), FIELD(RMA_ERROR__CLEAR, 1));
    return true;
  }
  const uint32_t mpe = tidings_bus_read(ADDRESS(mpe_error));
  if (GET_FIELD(MPE_ERROR__MISMATCH, mpe) == 0 && GET_FIELD(MPE_ERROR__OVERFLOW, mpe) == 0 &&
      GET_FIELD(MPE_ERROR__UNSUPPORTED, mpe) == 0) {
    return false;
  }
  error->engine = TIDINGS_ERROR_MPE;
  if (GET_FIELD(MPE_ERROR__MISMATCH, mpe) != 0) {
    const uint32_t link =
        tidings_bus_read(link_address(GET_FIELD(MPE_ERROR__CONTEXT_ID, mpe), GET_FIELD(MPE_ERROR__LINK, mpe)));
    error->endpoint.node = (uint16_t)GET_FIELD(MPE_LINK__NODE, link);
    error->endpoint.slot = (uint8_t)GET_FIELD(MPE_LINK__SLOT, link);
    error->descriptor = tidings_bus_read(ADDRESS(mpe_received));
  } else {
    error->code = GET_FIELD(MPE_ERROR__OVERFLOW, mpe) != 0 ? kCommandOverflow : kNoSuchElements;
  }
  return true;
}

const char* tidings_error_text(const struct tidings_error* error) {
  static const char* const refusals[] = {
      "no error",
      "no region is registered there",
      "access outside the registered region",
      "the region's rights do not allow it",
      "the receive queue is full",
      "the packet is malformed",
  };
  if (error->code == kCommandOverflow) return "the command queue overflowed";
  if (error->code == kNoSuchElements) return "the engine does not combine elements of 64 bits";
  if (error->engine == TIDINGS_ERROR_MPE) return "the collectives of two neighbours in the tree do not match";
  if (error->code < sizeof refusals / sizeof refusals[0]) return refusals[error->code];
  return "unknown refusal";
}
