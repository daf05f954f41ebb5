/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cost.c
 * Software work becomes time of the rank, at the costs of the machine's processor.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/cost.h"
#pragma GCC visibility pop

#include "sim/runtime/rank/rank.h"

static uint64_t cost_of(const struct tidings_costs* costs, enum tidings_work kind, uint64_t amount) {
  switch (kind) {
    case TIDINGS_WORK_CALL:
      return costs->call * amount;
    case TIDINGS_WORK_COMMAND:
      return costs->command * amount;
    case TIDINGS_WORK_VECTOR:
      return costs->vector * amount;
    case TIDINGS_WORK_REQUEST:
      return costs->request * amount;
    case TIDINGS_WORK_HANDLE:
      return costs->handle * amount;
    case TIDINGS_WORK_MESSAGE:
      return costs->message * amount;
    case TIDINGS_WORK_ARRIVAL:
      return costs->arrival * amount;
    case TIDINGS_WORK_SCHEDULE:
      return costs->schedule * amount;
    case TIDINGS_WORK_ROUND:
      return costs->round * amount;
    case TIDINGS_WORK_TRANSFER:
      return costs->transfer * amount;
    case TIDINGS_WORK_KEEP:
      return costs->keep * amount;
    case TIDINGS_WORK_QUEUE:
      return costs->queue * amount;
    case TIDINGS_WORK_MATCH:
      return costs->match * amount;
    case TIDINGS_WORK_WINDOW:
      return costs->window * amount;
    case TIDINGS_WORK_DIRECT:
      return costs->direct * amount;
    case TIDINGS_WORK_LOOK:
      return costs->look * amount;
    case TIDINGS_WORK_PROBE:
      return costs->probe * amount;
    case TIDINGS_WORK_REDUCE:
      return costs->reduce_element * amount;
    case TIDINGS_WORK_POLL:
      return costs->poll * amount;
    case TIDINGS_WORK_COPY:
      return costs->copy_call + costs->copy_byte * amount;
  }
  return 0;
}

void tidings_work(enum tidings_work kind, uint64_t amount) {
  struct tidings_channel* channel = rank_channel();
  if (channel != NULL && channel->free_work == 0) rank_advance(channel, cost_of(&channel->costs, kind, amount));
}

void tidings_announce_work(struct tidings_bus* bus, uint32_t read, uint32_t written, enum tidings_work kind) {
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL) return;
  channel->announced = (struct tidings_announced_work){
      .slot = rank_slot_of(bus), .read = read, .written = written, .time_ps = cost_of(&channel->costs, kind, 1)};
}
