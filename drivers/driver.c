/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file driver.c
 * The driver of a slot's engines.
 *
 * A bus read stops the processor until the device has answered, and a write takes a bus cycle. So registers that
 * already hold a value are not written again. Counters are read only if the last known value does not answer the
 * question.
 */
#include "driver.h"

enum rma_register { RMA_LOCAL, RMA_REMOTE, RMA_OFFSET, RMA_LENGTH };
enum mpe_register { MPE_SOURCE, MPE_DESTINATION, MPE_COUNT, MPE_DESCRIPTOR };

/** Collectives that may be queued (register mpe_command). */
static const uint32_t kMpeDepth = 2;
/** Reads of a counter before the processor waits for an interrupt: a short message is gone by then. */
static const uint32_t kPolls = 4;
/** Code of rma_error where software overran the command queue. */
static const uint32_t kCommandOverflow = TIDINGS_NACK_OVERFLOW;
/** Code for a collective that the engine dropped: it combines elements of 64 bits. The registers have no code for it.
 */
static const uint32_t kNoSuchElements = 14;

/** What is written before rma_command and mpe_command, in the order of the shadows. */
static const uint32_t kRmaOperands[] = {TIDINGS_REG_RMA_LOCAL_ADDRESS, TIDINGS_REG_RMA_REMOTE, TIDINGS_REG_RMA_OFFSET,
                                        TIDINGS_REG_RMA_LENGTH};
static const uint32_t kMpeOperands[] = {TIDINGS_REG_MPE_SOURCE, TIDINGS_REG_MPE_DESTINATION, TIDINGS_REG_MPE_COUNT,
                                        TIDINGS_REG_MPE_DESCRIPTOR};

static bool reached(uint32_t count, uint32_t target) { return (int32_t)(count - target) >= 0; }

static void write_if_changed(struct tidings_driver* d, uint32_t* shadow, uint32_t address, uint32_t value) {
  if (*shadow == value) return;
  tidings_bus_write(d->bus, address, value);
  *shadow = value;
}

static void enable(struct tidings_driver* d, uint32_t causes) {
  write_if_changed(d, &d->enabled, TIDINGS_REG_IRQ_ENABLE, causes);
}

int tidings_driver_open(struct tidings_driver* d, struct tidings_bus* bus, uint32_t queue_base, uint32_t queue_log2,
                        uint32_t transmit_base, uint32_t transmit_slots) {
  *d = (struct tidings_driver){.bus = bus, .memory = tidings_bus_memory(bus)};
  if (tidings_bus_read(d->bus, TIDINGS_REG_ID) != TIDINGS_REG_ID_RESET) return -1;

  const struct tidings_reg_rma_sizes sizes =
      tidings_reg_rma_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_RMA_SIZES));
  d->regions = sizes.regions;
  d->command_depth = sizes.command_depth;
  d->mpe_depth = kMpeDepth;

  d->rma_issued = d->rma_completed = tidings_bus_read(d->bus, TIDINGS_REG_RMA_COMPLETED);
  /* Registers of an engine that is not there read 0. */
  d->mpe_sizes = tidings_reg_mpe_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_MPE_SIZES));
  for (uint32_t i = 0; i < 4; ++i) {
    tidings_bus_write(d->bus, kRmaOperands[i], 0);
    /* A write to an engine that is not there is an error. */
    if (d->mpe_sizes.links != 0) tidings_bus_write(d->bus, kMpeOperands[i], 0);
  }
  tidings_bus_write(d->bus, TIDINGS_REG_IRQ_ENABLE, 0);

  d->transmit_base = transmit_base;
  d->transmit_slots = transmit_slots;
  for (uint32_t i = 0; i < transmit_slots; ++i) d->transmit_commands[i] = d->rma_completed;

  d->queue_base = queue_base;
  d->queue_log2 = queue_log2;
  d->queue_head = d->queue_tail = (uint16_t)tidings_bus_read(d->bus, TIDINGS_REG_RMA_QUEUE_TAIL);
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_QUEUE_BASE, queue_base);
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_QUEUE_HEAD, d->queue_head);
  tidings_bus_write(
      d->bus, TIDINGS_REG_RMA_QUEUE_SIZE,
      tidings_reg_rma_queue_size_encode((struct tidings_reg_rma_queue_size){.log2_slots = queue_log2, .valid = 1}));
  return 0;
}

void tidings_driver_close(struct tidings_driver* d) {
  /* The queue stays valid: a credit that is still on its way must not be refused. */
  enable(d, 0);
  tidings_bus_close(d->bus);
}

bool tidings_rma_known_done(const struct tidings_driver* d, uint32_t command) {
  return reached(d->rma_completed, command);
}

bool tidings_rma_done(struct tidings_driver* d, uint32_t command) {
  if (tidings_rma_known_done(d, command)) return true;
  d->rma_completed = tidings_bus_read(d->bus, TIDINGS_REG_RMA_COMPLETED);
  return reached(d->rma_completed, command);
}

bool tidings_rma_quiet(struct tidings_driver* d) {
  return (tidings_bus_read(d->bus, TIDINGS_REG_IRQ_STATUS) & TIDINGS_IRQ_RMA_IDLE) != 0;
}

static void await_command(struct tidings_driver* d, uint32_t command) {
  for (uint32_t i = 0; i < kPolls; ++i) {
    if (tidings_rma_done(d, command)) return;
  }
  for (;;) {
    /* Clear first, look afterwards: a completion between the two is seen by the look. */
    tidings_bus_write(d->bus, TIDINGS_REG_IRQ_STATUS, TIDINGS_IRQ_RMA_DONE);
    if (tidings_rma_done(d, command)) return;
    enable(d, TIDINGS_IRQ_RMA_DONE | TIDINGS_IRQ_ERROR);
    tidings_bus_wait(d->bus);
  }
}

static uint32_t command_of(enum tidings_rma_operation operation, bool inline_data) {
  return tidings_reg_rma_command_encode(
      (struct tidings_reg_rma_command){.operation = operation, .notify = 1, .inline_data = inline_data});
}

/** @param local what that register holds: an address, or the data of a command that brings them. */
static uint32_t issue(struct tidings_driver* d, uint32_t command, uint32_t local, struct tidings_endpoint to,
                      uint32_t region, uint32_t offset, uint32_t bytes) {
  await_command(d, d->rma_issued + 1 - d->command_depth);
  const uint32_t remote = tidings_reg_rma_remote_encode(
      (struct tidings_reg_rma_remote){.node = to.node, .slot = to.slot, .region = region});
  write_if_changed(d, &d->rma_shadow[RMA_LOCAL], TIDINGS_REG_RMA_LOCAL_ADDRESS, local);
  write_if_changed(d, &d->rma_shadow[RMA_REMOTE], TIDINGS_REG_RMA_REMOTE, remote);
  if (command != command_of(TIDINGS_RMA_OPERATION_MESSAGE, false))
    write_if_changed(d, &d->rma_shadow[RMA_OFFSET], TIDINGS_REG_RMA_OFFSET, offset);
  write_if_changed(d, &d->rma_shadow[RMA_LENGTH], TIDINGS_REG_RMA_LENGTH, bytes);
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_COMMAND, command);
  return ++d->rma_issued;
}

static uint32_t transmit_buffer(const struct tidings_driver* d) {
  return d->transmit_base + d->transmit_next * TIDINGS_QUEUE_SLOT_BYTES;
}

void* tidings_send_room(struct tidings_driver* d) {
  await_command(d, d->transmit_commands[d->transmit_next]);
  return (unsigned char*)d->memory.base + transmit_buffer(d);
}

static void send(struct tidings_driver* d, uint32_t command, struct tidings_endpoint to, uint32_t bytes) {
  d->transmit_commands[d->transmit_next] = issue(d, command, transmit_buffer(d), to, 0, 0, bytes);
  d->transmit_next = d->transmit_next + 1 == d->transmit_slots ? 0 : d->transmit_next + 1;
}

void tidings_send(struct tidings_driver* d, struct tidings_endpoint to, uint32_t bytes) {
  send(d, command_of(TIDINGS_RMA_OPERATION_MESSAGE, false), to, bytes);
}

void tidings_send_along(struct tidings_driver* d, uint32_t route, uint32_t bytes) {
  const uint32_t along = tidings_reg_rma_command_encode((struct tidings_reg_rma_command){.static_route = 1});
  /* The number of the route stands in place of the router. */
  send(d, command_of(TIDINGS_RMA_OPERATION_MESSAGE, false) | along,
       (struct tidings_endpoint){.node = (uint16_t)route, .slot = 0}, bytes);
}

void tidings_announce_arrivals(struct tidings_driver* d, enum tidings_work kind) {
  tidings_announce_work(d->bus, TIDINGS_REG_RMA_QUEUE_TAIL, TIDINGS_REG_RMA_QUEUE_HEAD, kind);
}

bool tidings_receive(struct tidings_driver* d, struct tidings_message* message) {
  if (d->queue_head == d->queue_tail) d->queue_tail = (uint16_t)tidings_bus_read(d->bus, TIDINGS_REG_RMA_QUEUE_TAIL);
  if (d->queue_head == d->queue_tail) return false;
  const uint32_t index = d->queue_head & ((1u << d->queue_log2) - 1u);
  const uint32_t* slot =
      (const uint32_t*)((const unsigned char*)d->memory.base + d->queue_base + index * TIDINGS_QUEUE_SLOT_BYTES);
  /* The second header word, with the source's router where its `info` was. */
  const struct tidings_header1 header = tidings_header1_decode(slot[0]);
  message->source.slot = (uint8_t)header.src_slot;
  message->source.node = (uint16_t)header.info;
  message->bytes = header.length;
  message->payload = slot + 2;
  return true;
}

void tidings_release(struct tidings_driver* d) {
  d->queue_head = (uint16_t)(d->queue_head + 1u);
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_QUEUE_HEAD, d->queue_head);
}

uint32_t tidings_put(struct tidings_driver* d, uint32_t local, struct tidings_endpoint to, uint32_t region,
                     uint32_t offset, uint32_t bytes) {
  return issue(d, command_of(TIDINGS_RMA_OPERATION_PUT, false), local, to, region, offset, bytes);
}

uint32_t tidings_put_inline(struct tidings_driver* d, uint32_t word, struct tidings_endpoint to, uint32_t region,
                            uint32_t offset, uint32_t bytes) {
  return issue(d, command_of(TIDINGS_RMA_OPERATION_PUT, true), word, to, region, offset, bytes);
}

uint32_t tidings_get(struct tidings_driver* d, uint32_t local, struct tidings_endpoint from, uint32_t region,
                     uint32_t offset, uint32_t bytes) {
  return issue(d, command_of(TIDINGS_RMA_OPERATION_GET, false), local, from, region, offset, bytes);
}

bool tidings_has_atomics(struct tidings_driver* d) {
  return tidings_reg_rma_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_RMA_SIZES)).atomics != 0;
}

uint32_t tidings_atomic(struct tidings_driver* d, enum tidings_atomic operation, uint32_t local,
                        struct tidings_endpoint at, uint32_t region, uint32_t offset, uint32_t bytes) {
  const struct tidings_atomic_length length = {.operation = operation, .bytes = (uint8_t)bytes};
  const uint32_t command = command_of(TIDINGS_RMA_OPERATION_ATOMIC, false);
  return issue(d, command, local, at, region, offset, tidings_atomic_length_encode(length));
}

void tidings_register(struct tidings_driver* d, uint32_t region, uint32_t base, uint32_t bytes, uint32_t rights) {
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_REGION_BASE(region), base);
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_REGION_LENGTH(region), bytes);
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_REGION_RIGHTS(region),
                    tidings_reg_rma_region_rights_encode((struct tidings_reg_rma_region_rights){
                        .valid = 1, .read = (rights & TIDINGS_READ) != 0, .write = (rights & TIDINGS_WRITE) != 0}));
}

void tidings_deregister(struct tidings_driver* d, uint32_t region) {
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_REGION_RIGHTS(region), 0);
}

uint32_t tidings_names(struct tidings_driver* d) {
  return tidings_reg_rma_name_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_RMA_NAME_SIZES)).names;
}

/** Ask something of the names, and wait a few cycles for what becomes of it. */
static bool ask_names(struct tidings_driver* d, struct tidings_reg_rma_name_command command, uint32_t* name) {
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_NAME_COMMAND, tidings_reg_rma_name_command_encode(command));
  struct tidings_reg_rma_name_result result;
  do {
    result = tidings_reg_rma_name_result_decode(tidings_bus_read(d->bus, TIDINGS_REG_RMA_NAME_RESULT));
  } while (result.busy != 0);
  if (result.found != 0) *name = result.index;
  return result.found != 0;
}

bool tidings_name(struct tidings_driver* d, uint32_t base, uint32_t bytes, uint32_t rights, uint32_t* name) {
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_NAME_BASE, base);
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_NAME_LENGTH, bytes);
  return ask_names(d,
                   (struct tidings_reg_rma_name_command){.operation = TIDINGS_NAME_OPERATION_REGISTER,
                                                         .read = (rights & TIDINGS_READ) != 0,
                                                         .write = (rights & TIDINGS_WRITE) != 0},
                   name);
}

bool tidings_find_name(struct tidings_driver* d, uint32_t base, uint32_t* name) {
  tidings_bus_write(d->bus, TIDINGS_REG_RMA_NAME_BASE, base);
  return ask_names(d, (struct tidings_reg_rma_name_command){.operation = TIDINGS_NAME_OPERATION_LOOKUP}, name);
}

bool tidings_free_name(struct tidings_driver* d, uint32_t name) {
  uint32_t freed = 0;
  return ask_names(d, (struct tidings_reg_rma_name_command){.operation = TIDINGS_NAME_OPERATION_RELEASE, .index = name},
                   &freed);
}

struct tidings_collective_sizes tidings_open_collectives(struct tidings_driver* d) {
  d->mpe_issued = d->mpe_completed = tidings_bus_read(d->bus, TIDINGS_REG_MPE_COMPLETED);
  return (struct tidings_collective_sizes){
      .contexts = d->mpe_sizes.contexts,
      .exchange_words = d->mpe_sizes.packet_words,
      .direct_links = d->mpe_sizes.direct_links,
      .wide_elements = d->mpe_sizes.wide_elements != 0,
  };
}

void tidings_tree_link(struct tidings_driver* d, uint32_t context, uint32_t link, struct tidings_endpoint neighbour,
                       uint32_t peer_link, bool direct) {
  tidings_bus_write(d->bus, TIDINGS_REG_MPE_LINK(context, link),
                    tidings_reg_mpe_link_encode((struct tidings_reg_mpe_link){
                        .node = neighbour.node, .slot = neighbour.slot, .peer_link = peer_link, .direct = direct}));
}

bool tidings_collective_known_done(const struct tidings_driver* d, uint32_t command) {
  return reached(d->mpe_completed, command);
}

bool tidings_collective_done(struct tidings_driver* d, uint32_t command) {
  if (tidings_collective_known_done(d, command)) return true;
  d->mpe_completed = tidings_bus_read(d->bus, TIDINGS_REG_MPE_COMPLETED);
  return reached(d->mpe_completed, command);
}

uint32_t tidings_collective_word(const struct tidings_collective_command* command) {
  return tidings_reg_mpe_command_encode((struct tidings_reg_mpe_command){
      .operation = command->operation,
      .element = command->element,
      .combine = command->combine,
      .parent = command->parent,
      .children = command->children,
      .context_id = command->context,
      .exchange = command->exchange,
      .swap = command->swap,
  });
}

uint32_t tidings_collective_start(struct tidings_driver* d, uint32_t word, uint32_t descriptor,
                                  struct tidings_collective_data data) {
  while (!tidings_collective_done(d, d->mpe_issued + 1 - d->mpe_depth)) {
  }
  write_if_changed(d, &d->mpe_shadow[MPE_SOURCE], TIDINGS_REG_MPE_SOURCE, data.source);
  write_if_changed(d, &d->mpe_shadow[MPE_DESTINATION], TIDINGS_REG_MPE_DESTINATION, data.destination);
  write_if_changed(d, &d->mpe_shadow[MPE_COUNT], TIDINGS_REG_MPE_COUNT, data.count);
  write_if_changed(d, &d->mpe_shadow[MPE_DESCRIPTOR], TIDINGS_REG_MPE_DESCRIPTOR, descriptor);
  tidings_bus_write(d->bus, TIDINGS_REG_MPE_COMMAND, word);
  return ++d->mpe_issued;
}

/** Read the pending causes, and what the counters of messages and collectives are if those have moved. */
static uint32_t look(struct tidings_driver* d, bool wait) {
  const bool awaits_message = d->queue_head == d->queue_tail;
  const bool awaits_collective = !reached(d->mpe_completed, d->mpe_issued);
  struct tidings_bus_access accesses[5] = {{.kind = TIDINGS_BUS_WAIT}};
  uint32_t count = wait ? 1 : 0;
  struct tidings_bus_access* const status = &accesses[count++];
  *status = (struct tidings_bus_access){.kind = TIDINGS_BUS_READ, .address = TIDINGS_REG_IRQ_STATUS};
  accesses[count++] = (struct tidings_bus_access){
      .kind = TIDINGS_BUS_ACKNOWLEDGE, .address = TIDINGS_REG_IRQ_STATUS, .mask = TIDINGS_REG_IRQ_STATUS_DONE};
  struct tidings_bus_access* const completed = &accesses[count];
  if (awaits_collective)
    accesses[count++] = (struct tidings_bus_access){
        .kind = TIDINGS_BUS_READ, .address = TIDINGS_REG_MPE_COMPLETED, .mask = TIDINGS_IRQ_MPE_DONE};
  struct tidings_bus_access* const tail = &accesses[count];
  if (awaits_message)
    accesses[count++] = (struct tidings_bus_access){
        .kind = TIDINGS_BUS_READ, .address = TIDINGS_REG_RMA_QUEUE_TAIL, .mask = TIDINGS_IRQ_MESSAGE};
  tidings_bus_sequence(d->bus, accesses, count);

  uint32_t causes = status->value;
  if (awaits_collective && (causes & TIDINGS_IRQ_MPE_DONE) != 0) d->mpe_completed = completed->value;
  if (awaits_message && (causes & TIDINGS_IRQ_MESSAGE) != 0) {
    d->queue_tail = (uint16_t)tail->value;
    /* The cause may be older than the last release. */
    if (d->queue_tail == d->queue_head) causes &= ~(uint32_t)TIDINGS_IRQ_MESSAGE;
  }
  return causes;
}

uint32_t tidings_poll(struct tidings_driver* d) { return look(d, false); }

void tidings_listen(struct tidings_driver* d, uint32_t causes) { enable(d, causes | TIDINGS_IRQ_ERROR); }

uint32_t tidings_wait(struct tidings_driver* d, uint32_t causes) {
  tidings_listen(d, causes);
  return look(d, true);
}

bool tidings_take_error(struct tidings_driver* d, struct tidings_error* error) {
  *error = (struct tidings_error){.engine = TIDINGS_ERROR_NONE};
  tidings_bus_write(d->bus, TIDINGS_REG_IRQ_STATUS, TIDINGS_IRQ_ERROR);
  const struct tidings_reg_rma_error rma =
      tidings_reg_rma_error_decode(tidings_bus_read(d->bus, TIDINGS_REG_RMA_ERROR));
  if (rma.code != 0) {
    error->engine = TIDINGS_ERROR_RMA;
    error->code = rma.code;
    error->endpoint.node = (uint16_t)rma.node;
    error->endpoint.slot = (uint8_t)rma.slot;
    tidings_bus_write(d->bus, TIDINGS_REG_RMA_ERROR,
                      tidings_reg_rma_error_encode((struct tidings_reg_rma_error){.clear = 1}));
    return true;
  }
  const struct tidings_reg_mpe_error mpe =
      tidings_reg_mpe_error_decode(tidings_bus_read(d->bus, TIDINGS_REG_MPE_ERROR));
  if (mpe.mismatch == 0 && mpe.overflow == 0 && mpe.unsupported == 0) return false;
  error->engine = TIDINGS_ERROR_MPE;
  if (mpe.mismatch != 0) {
    const struct tidings_reg_mpe_link link =
        tidings_reg_mpe_link_decode(tidings_bus_read(d->bus, TIDINGS_REG_MPE_LINK(mpe.context_id, mpe.link)));
    error->endpoint.node = (uint16_t)link.node;
    error->endpoint.slot = (uint8_t)link.slot;
    error->descriptor = tidings_bus_read(d->bus, TIDINGS_REG_MPE_RECEIVED);
  } else {
    error->code = mpe.overflow != 0 ? kCommandOverflow : kNoSuchElements;
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
