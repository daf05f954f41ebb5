/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rma.c
 * The primitives of rma.h, over the driver of the engines `rma` and `mpe`.
 */
#include "rma.h"

/** Context of the engine `mpe`. */
static const uint32_t kContext = 0;
/** Of the hash of what was registered: FNV-1a, a word at a time. */
static const uint32_t kHashStart = 2166136261u, kHashFactor = 16777619u;
/** What a deregistration has in that hash in place of a size or a tag. */
static const uint32_t kFreed = 0xffffffffu;

/** Registers or deregisters for the hash that a barrier compares. */
static void remember(struct tidings_rma* r, uint32_t name, uint32_t what) {
  r->history = (r->history ^ name) * kHashFactor;
  r->history = (r->history ^ what) * kHashFactor;
}

static bool is_taken(const struct tidings_rma* r, uint32_t name) {
  return (r->names[name / 32] >> name % 32 & 1u) != 0;
}

/** The processor at a place. */
static uint32_t number_of(const struct tidings_rma* r, struct tidings_endpoint place) {
  uint32_t number = 0;
  while (number < r->nprocs && (r->processors[number].node != place.node || r->processors[number].slot != place.slot)) {
    ++number;
  }
  return number;
}

/** Whether an ABORT of another processor has come. */
static bool hear(struct tidings_rma* r) {
  struct tidings_message message;
  while (tidings_receive(r->driver, &message)) {
    if (!r->aborted) r->abort_code = *(const uint32_t*)message.payload;
    r->aborted = true;
    tidings_release(r->driver);
  }
  return r->aborted;
}

/** What causes say of the program, as a status; TIDINGS_RMA_OK to go on. */
static enum tidings_rma_status judge(struct tidings_rma* r, uint32_t causes) {
  if ((causes & TIDINGS_IRQ_MESSAGE) != 0 && hear(r)) return TIDINGS_RMA_ABORTED;
  if ((causes & TIDINGS_IRQ_ERROR) == 0 || !tidings_take_error(r->driver, &r->error)) return TIDINGS_RMA_OK;
  r->other = number_of(r, r->error.endpoint);
  return r->error.engine == TIDINGS_ERROR_MPE ? TIDINGS_RMA_MISMATCH : TIDINGS_RMA_REFUSED;
}

/** All have come here with the same names. */
static enum tidings_rma_status meet(struct tidings_rma* r) {
  const uint32_t command =
      tidings_collective_start(r->driver, r->barrier_word, r->history, (struct tidings_collective_data){.source = 0});
  while (!tidings_collective_done(r->driver, command)) {
    const enum tidings_rma_status status =
        judge(r, tidings_wait(r->driver, TIDINGS_IRQ_MPE_DONE | TIDINGS_IRQ_MESSAGE));
    if (status != TIDINGS_RMA_OK) return status;
  }
  return TIDINGS_RMA_OK;
}

/** The barrier goes over a binomial tree: link k joins processors whose numbers differ in bit k alone. */
static void join(struct tidings_rma* r) {
  uint32_t parent = TIDINGS_NO_LINK;
  uint32_t children = 0;
  for (uint32_t link = 0; 1u << link < r->nprocs; ++link) {
    const uint32_t other = r->pid ^ 1u << link;
    if (other >= r->nprocs) continue;
    tidings_tree_link(r->driver, kContext, link, r->processors[other], link, false);
    if (parent != TIDINGS_NO_LINK) continue;
    /* The lowest bit that is set leads to the parent, those below it to children. */
    if (other < r->pid) {
      parent = link;
    } else {
      children |= 1u << link;
    }
  }
  r->barrier_word = tidings_collective_word(&(struct tidings_collective_command){
      .operation = TIDINGS_COLLECTIVE_BARRIER, .context = kContext, .parent = parent, .children = children});
}

enum tidings_rma_status tidings_rma_begin(struct tidings_rma* r, struct tidings_driver* d, uint32_t pid,
                                          uint32_t nprocs, const struct tidings_endpoint* processors) {
  if (nprocs < 1 || nprocs > TIDINGS_RMA_MOST_PROCESSORS || pid >= nprocs) return TIDINGS_RMA_INVALID;
  if (d->mpe_sizes.links == 0 || 1u << d->queue_log2 < nprocs) return TIDINGS_RMA_INVALID;
  *r = (struct tidings_rma){
      .driver = d, .processors = processors, .pid = pid, .nprocs = nprocs, .history = kHashStart, .other = nprocs};
  const uint32_t names = tidings_names(d);
  r->given = names != 0;
  r->most_names = r->given ? names : d->regions;
  r->atomics = tidings_has_atomics(d);
  tidings_open_collectives(d);
  join(r);
  return meet(r);
}

enum tidings_rma_status tidings_rma_fence(struct tidings_rma* r) {
  if (r->aborted) return TIDINGS_RMA_ABORTED;
  uint32_t causes = tidings_poll(r->driver);
  for (;;) {
    const enum tidings_rma_status status = judge(r, causes);
    if (status != TIDINGS_RMA_OK) return status;
    if ((causes & TIDINGS_IRQ_RMA_IDLE) != 0) return TIDINGS_RMA_OK;
    causes = tidings_wait(r->driver, TIDINGS_IRQ_RMA_IDLE | TIDINGS_IRQ_MESSAGE);
  }
}

enum tidings_rma_status tidings_rma_barrier(struct tidings_rma* r) {
  const enum tidings_rma_status status = tidings_rma_fence(r);
  return status == TIDINGS_RMA_OK ? meet(r) : status;
}

static void set_free(struct tidings_rma* r, uint32_t name) {
  if (r->given) {
    tidings_free_name(r->driver, name);
  } else {
    tidings_deregister(r->driver, name);
  }
  r->names[name / 32] &= ~(1u << name % 32);
}

enum tidings_rma_status tidings_rma_end(struct tidings_rma* r) {
  const enum tidings_rma_status status = tidings_rma_barrier(r);
  if (status != TIDINGS_RMA_OK) return status;
  for (uint32_t name = 0; name < r->most_names; ++name) {
    if (is_taken(r, name)) set_free(r, name);
  }
  return TIDINGS_RMA_OK;
}

void tidings_rma_abort(struct tidings_rma* r, uint32_t code) {
  if (r->aborted) return;
  r->aborted = true;
  r->abort_code = code;
  for (uint32_t other = 0; other < r->nprocs; ++other) {
    if (other == r->pid) continue;
    *(uint32_t*)tidings_send_room(r->driver) = code;
    tidings_send(r->driver, r->processors[other], sizeof code);
  }
}

uint32_t tidings_rma_nprocs(const struct tidings_rma* r) { return r->nprocs; }

uint32_t tidings_rma_pid(const struct tidings_rma* r) { return r->pid; }

/** Whether a PUT or a GET has arguments that an engine takes. */
static enum tidings_rma_status check(const struct tidings_rma* r, uint32_t dpid, uint32_t local, uint32_t name,
                                     uint32_t offset) {
  if (r->aborted) return TIDINGS_RMA_ABORTED;
  const bool valid = dpid < r->nprocs && name < r->most_names && local % 4 == 0 && offset % 4 == 0;
  return valid ? TIDINGS_RMA_OK : TIDINGS_RMA_INVALID;
}

enum tidings_rma_status tidings_rma_put(struct tidings_rma* r, uint32_t dpid, uint32_t source, uint32_t name,
                                        uint32_t offset, uint32_t bytes) {
  const enum tidings_rma_status status = check(r, dpid, source, name, offset);
  if (status == TIDINGS_RMA_OK) tidings_put(r->driver, source, r->processors[dpid], name, offset, bytes);
  return status;
}

enum tidings_rma_status tidings_rma_put_inline(struct tidings_rma* r, uint32_t dpid, uint32_t word, uint32_t name,
                                               uint32_t offset, uint32_t bytes) {
  const enum tidings_rma_status status = check(r, dpid, 0, name, offset);
  if (status != TIDINGS_RMA_OK) return status;
  if (bytes < 1 || bytes > 4) return TIDINGS_RMA_INVALID;
  tidings_put_inline(r->driver, word, r->processors[dpid], name, offset, bytes);
  return TIDINGS_RMA_OK;
}

enum tidings_rma_status tidings_rma_get(struct tidings_rma* r, uint32_t dpid, uint32_t destination, uint32_t name,
                                        uint32_t offset, uint32_t bytes) {
  const enum tidings_rma_status status = check(r, dpid, destination, name, offset);
  if (status == TIDINGS_RMA_OK) tidings_get(r->driver, destination, r->processors[dpid], name, offset, bytes);
  return status;
}

enum tidings_rma_status tidings_rma_change(struct tidings_rma* r, enum tidings_atomic operation, uint32_t dpid,
                                           uint32_t operand, uint32_t name, uint32_t offset, uint32_t bytes) {
  const enum tidings_rma_status status = check(r, dpid, operand, name, offset);
  if (status != TIDINGS_RMA_OK) return status;
  if (!r->atomics || (bytes != 4 && bytes != 8) || offset % bytes != 0) return TIDINGS_RMA_INVALID;
  tidings_atomic(r->driver, operation, operand, r->processors[dpid], name, offset, bytes);
  return TIDINGS_RMA_OK;
}

/** Take the lowest name that is free. @return false if none is. */
static bool take_name(struct tidings_rma* r, uint32_t base, uint32_t bytes, uint32_t* name) {
  if (r->given) return tidings_name(r->driver, base, bytes, TIDINGS_READ | TIDINGS_WRITE, name);
  uint32_t vacant = 0;
  while (vacant < r->most_names && is_taken(r, vacant)) ++vacant;
  if (vacant == r->most_names) return false;
  tidings_register(r->driver, vacant, base, bytes, TIDINGS_READ | TIDINGS_WRITE);
  *name = vacant;
  return true;
}

enum tidings_rma_status tidings_rma_register_as(struct tidings_rma* r, uint32_t base, uint32_t bytes, uint32_t tag,
                                                uint32_t* name) {
  if (r->aborted) return TIDINGS_RMA_ABORTED;
  if (base % 4 != 0) return TIDINGS_RMA_INVALID;
  if (!take_name(r, base, bytes, name)) return TIDINGS_RMA_FULL;
  r->names[*name / 32] |= 1u << *name % 32;
  remember(r, *name, tag);
  return TIDINGS_RMA_OK;
}

enum tidings_rma_status tidings_rma_register(struct tidings_rma* r, uint32_t base, uint32_t bytes, uint32_t* name) {
  return tidings_rma_register_as(r, base, bytes, bytes, name);
}

enum tidings_rma_status tidings_rma_deregister(struct tidings_rma* r, uint32_t name) {
  if (r->aborted) return TIDINGS_RMA_ABORTED;
  if (name >= r->most_names || !is_taken(r, name)) return TIDINGS_RMA_INVALID;
  set_free(r, name);
  remember(r, name, kFreed);
  return TIDINGS_RMA_OK;
}
