/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_RMA_H
#define TIDINGS_RMA_H
/**
 * @file rma.h
 * Ten primitives of remote memory access, for programs without MPI: BEGIN, END, ABORT, NPROCS, PID, PUT, GET, REGISTER,
 * DEREGISTER, BARRIER (Ziavras 2006, Table 1), and FENCE.
 *
 * Several processors work on one program. Each has memory that it registers, and PUTs into and GETs out of registered
 * memory of others by its name. A name is the same at all processors if all register and deregister in the same order,
 * and regions of the same size; BARRIER finds out if they do not. What is PUT is written, what is GOT is there, when a
 * FENCE or a BARRIER has succeeded. Calls of one processor come from one thread. Node memory is laid out as in
 * driver.h.
 */
#include "driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most processors of a program: the engine for barriers has eight links. */
#define TIDINGS_RMA_MOST_PROCESSORS 256u

/** Most names of a processor: the slot gives as many, or fewer; without a table of names software has its rows. */
#define TIDINGS_RMA_MOST_NAMES 256u

/** How a primitive ended. */
enum tidings_rma_status {
  TIDINGS_RMA_OK,
  TIDINGS_RMA_INVALID,  /**< an argument is out of range, or the slot cannot do it; nothing has happened */
  TIDINGS_RMA_FULL,     /**< all names are taken; nothing has happened */
  TIDINGS_RMA_REFUSED,  /**< an access since the last call was refused, and `error` says by whom and why */
  TIDINGS_RMA_MISMATCH, /**< processor `other` has registered something else than this one; only ABORT is left */
  TIDINGS_RMA_ABORTED,  /**< a processor has called ABORT, and `abort_code` is its code */
};

/** What a processor knows of the program. Read only. */
struct tidings_rma {
  struct tidings_driver* driver;
  const struct tidings_endpoint* processors; /**< where they are, by their numbers */
  uint32_t pid, nprocs;
  uint32_t most_names;                         /**< that there can be */
  bool given;                                  /**< the slot gives names, and software fills no rows itself */
  bool atomics;                                /**< there are atomic accesses */
  uint32_t names[TIDINGS_RMA_MOST_NAMES / 32]; /**< that are taken, one bit each */
  uint32_t history;           /**< a hash of all registrations and deregistrations so far, in their order */
  uint32_t barrier_word;      /**< of the engine `mpe` */
  bool aborted;               /**< by whomever */
  uint32_t abort_code;        /**< of the first ABORT that this processor knows of */
  struct tidings_error error; /**< of the last status that tells of one */
  uint32_t other;             /**< the processor that it is about; `nprocs` if that is none of the program */
};

/**
 * BEGIN: become processor `pid` of `nprocs`, and wait for the others. All of them call it, once after reset, and there
 * is nothing else that uses context 0 of their engines `mpe`.
 * @param d open slot, which has the engine `mpe` and a receive queue of at least `nprocs` messages.
 * @param processors of all `nprocs`, the same at all processors; it stays where it is until END.
 */
enum tidings_rma_status tidings_rma_begin(struct tidings_rma* r, struct tidings_driver* d, uint32_t pid,
                                          uint32_t nprocs, const struct tidings_endpoint* processors);
/** END: wait for the others, and deregister everything. The slot stays open. */
enum tidings_rma_status tidings_rma_end(struct tidings_rma* r);
/** ABORT: tell the others, whose calls and waiting end with TIDINGS_RMA_ABORTED. Only the first call does anything. */
void tidings_rma_abort(struct tidings_rma* r, uint32_t code);
/** NPROCS: the number of processors. */
uint32_t tidings_rma_nprocs(const struct tidings_rma* r);
/** PID: the number of this processor, from 0. */
uint32_t tidings_rma_pid(const struct tidings_rma* r);

/**
 * PUT: write `bytes` of own memory from `source` into a processor's memory of this name, from `offset` on. The words at
 * `source` stay as they are until a FENCE or a BARRIER. PUTs to one processor are written in their order.
 * @param dpid the processor, which may be this one.
 * @param source byte address in node memory, word aligned as is `offset`.
 */
enum tidings_rma_status tidings_rma_put(struct tidings_rma* r, uint32_t dpid, uint32_t source, uint32_t name,
                                        uint32_t offset, uint32_t bytes);
/**
 * PUT a word that is an argument: no memory of this processor need hold it, and none is read. The paper's PUT of one
 * word is this one.
 * @param bytes 1 to 4, the lowest of `word`.
 */
enum tidings_rma_status tidings_rma_put_inline(struct tidings_rma* r, uint32_t dpid, uint32_t word, uint32_t name,
                                               uint32_t offset, uint32_t bytes);
/** GET: read `bytes` of a processor's memory of this name, from `offset` on, into own memory from `destination` on. */
enum tidings_rma_status tidings_rma_get(struct tidings_rma* r, uint32_t dpid, uint32_t destination, uint32_t name,
                                        uint32_t offset, uint32_t bytes);
/**
 * Change 4 or 8 bytes of a processor's memory of this name, `offset` bytes from its start, at once: no PUT, GET or
 * access of another processor is between. `offset` is a multiple of their number.
 * @param operand byte address of the operand in node memory, word aligned; behind it is what
 * TIDINGS_ATOMIC_COMPARE_SWAP compares with. After a FENCE, the old value is there in place of the operand.
 * @return TIDINGS_RMA_INVALID too if the slot has no atomic accesses.
 */
enum tidings_rma_status tidings_rma_change(struct tidings_rma* r, enum tidings_atomic operation, uint32_t dpid,
                                           uint32_t operand, uint32_t name, uint32_t offset, uint32_t bytes);
/**
 * REGISTER: give own memory the lowest name that is free. Others may use it when all have met in a BARRIER.
 * @param base byte address in node memory, word aligned.
 * @param name where to put the name.
 */
enum tidings_rma_status tidings_rma_register(struct tidings_rma* r, uint32_t base, uint32_t bytes, uint32_t* name);
/**
 * REGISTER memory whose size differs between processors, or which others of the same size could be mistaken for.
 * @param tag what the program calls it, the same at all processors: a BARRIER compares it, not the size.
 */
enum tidings_rma_status tidings_rma_register_as(struct tidings_rma* r, uint32_t base, uint32_t bytes, uint32_t tag,
                                                uint32_t* name);
/** DEREGISTER: free a name. No access to it may be under way: a BARRIER makes sure of that. */
enum tidings_rma_status tidings_rma_deregister(struct tidings_rma* r, uint32_t name);
/** FENCE: wait until every PUT of this processor has been written and every GET has come. */
enum tidings_rma_status tidings_rma_fence(struct tidings_rma* r);
/**
 * BARRIER: FENCE, and wait until all processors have come here. After TIDINGS_RMA_REFUSED this processor has not come:
 * it calls BARRIER again, or ABORT.
 */
enum tidings_rma_status tidings_rma_barrier(struct tidings_rma* r);

#ifdef __cplusplus
}
#endif
#endif
