/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stream.c
 * The driver of the engine `stream`.
 */
#include "stream.h"

#include "trace.h"

int tidings_stream_open(struct tidings_stream* s, struct tidings_driver* d) {
  *s = (struct tidings_stream){.driver = d};
  const struct tidings_reg_engines engines = tidings_reg_engines_decode(tidings_bus_read(d->bus, TIDINGS_REG_ENGINES));
  if ((engines.present >> TIDINGS_ENGINE_STREAM & 1u) == 0) return -1;
  const struct tidings_reg_stream_sizes sizes =
      tidings_reg_stream_sizes_decode(tidings_bus_read(d->bus, TIDINGS_REG_STREAM_SIZES));
  s->store_words = sizes.store_words;
  s->own_network = sizes.own_network != 0;
  s->longest_packet = s->own_network ? TIDINGS_STREAM_LONGEST_PACKET : sizes.store_words - 1u;
  s->queues = sizes.queues;
  tidings_bus_write(d->bus, TIDINGS_REG_STREAM_ENABLE, 0);
  return 0;
}

void tidings_stream_match(struct tidings_stream* s, uint32_t queue, uint32_t tag) {
  tidings_bus_write(s->driver->bus, TIDINGS_REG_STREAM_MATCH(queue),
                    tidings_reg_stream_match_encode((struct tidings_reg_stream_match){.tag = tag, .enable = 1}));
}

void tidings_stream_connect(struct tidings_stream* s, uint32_t row, struct tidings_endpoint peer, uint32_t words) {
  tidings_bus_write(s->driver->bus, TIDINGS_REG_STREAM_PEER(row),
                    tidings_reg_stream_peer_encode(
                        (struct tidings_reg_stream_peer){.node = peer.node, .slot = peer.slot, .words = words}));
  if (row < TIDINGS_STREAM_PEERS) s->peer[row] = peer;
}

/** What a call waits for. */
struct wait {
  const struct tidings_stream* stream;
  uint32_t bits;      /**< of stream_status */
  const char* packet; /**< what it waits for in a queue, and in which call */
};

static void describe(const void* subject) {
  const struct wait* const wait = subject;
  char text[96];
  if ((wait->bits & TIDINGS_REG_STREAM_STATUS_READY) != 0) {
    const uint32_t row = wait->stream->sending;
    tidings_call_text("room at its peer for the packet before, tidings_stream_send",
                      &(struct tidings_argument){"row %", row}, 1, text, sizeof text);
    tidings_trace_waiting_for_slot(text, &wait->stream->peer[row]);
    return;
  }
  struct tidings_argument queues[TIDINGS_STREAM_CATCH_ALL + 1u];
  uint32_t count = 0;
  for (uint32_t queue = 0; queue <= TIDINGS_STREAM_CATCH_ALL; ++queue) {
    if ((wait->bits >> queue & 1u) == 0) continue;
    queues[count++] = (struct tidings_argument){queue == TIDINGS_STREAM_CATCH_ALL ? "catch-all" : "queue %", queue};
  }
  tidings_call_text(wait->packet, queues, count, text, sizeof text);
  tidings_trace_waiting_for_slot(text, NULL);
}

/** Block until a bit of stream_status is set. */
static bool await(struct tidings_stream* s, uint32_t bits, const char* packet) {
  struct tidings_bus* const bus = s->driver->bus;
  const uint32_t cause = TIDINGS_IRQ_OF(TIDINGS_REG_IRQ_STATUS_WAITING, TIDINGS_ENGINE_STREAM);
  const struct wait wait = {s, bits, packet};
  while ((tidings_bus_read(bus, TIDINGS_REG_STREAM_STATUS) & bits) == 0) {
    if (s->enabled != bits) tidings_bus_write(bus, TIDINGS_REG_STREAM_ENABLE, bits);
    s->enabled = bits;
    tidings_trace_wait(describe, &wait);
    const uint32_t happened = tidings_wait(s->driver, cause);
    tidings_trace_wait(NULL, NULL);
    if ((happened & TIDINGS_IRQ_ERROR) != 0) return false;
  }
  return true;
}

bool tidings_stream_send(struct tidings_stream* s, uint32_t row, uint32_t tag, const uint32_t* words, uint32_t count) {
  if (!await(s, TIDINGS_REG_STREAM_STATUS_READY, NULL)) return false;
  struct tidings_bus* const bus = s->driver->bus;
  tidings_bus_write(
      bus, TIDINGS_REG_STREAM_SEND,
      tidings_reg_stream_send_encode((struct tidings_reg_stream_send){.peer = row, .tag = tag, .length = count}));
  for (uint32_t i = 0; i < count; ++i) tidings_bus_write(bus, TIDINGS_REG_STREAM_WORD, words[i]);
  s->sending = row < TIDINGS_STREAM_PEERS ? row : 0;
  return true;
}

/** Block until there are words in a receive queue. @return how many. */
static uint32_t words_in(struct tidings_stream* s, uint32_t queue) {
  for (;;) {
    const uint32_t words = tidings_bus_read(s->driver->bus, TIDINGS_REG_STREAM_COUNT(queue));
    if (words != 0) return words;
    await(s, 1u << queue, "the rest of a packet, tidings_stream_receive");
  }
}

bool tidings_stream_receive(struct tidings_stream* s, uint32_t queue, struct tidings_stream_packet* packet,
                            uint32_t* words, uint32_t capacity) {
  struct tidings_bus* const bus = s->driver->bus;
  /* A packet has a word at least, so an empty queue's 0 is not an origin. */
  const uint32_t first = tidings_bus_read(bus, TIDINGS_REG_STREAM_RECEIVE(queue));
  if (first == 0) return false;
  const struct tidings_stream_origin origin = tidings_stream_origin_decode(first);
  packet->source.node = (uint16_t)origin.node;
  packet->source.slot = (uint8_t)origin.slot;
  packet->tag = origin.tag;
  packet->words = origin.length;
  /* All of it has come, or comes while it is read. */
  uint32_t here = s->own_network ? 0 : origin.length;
  for (uint32_t i = 0; i < origin.length; ++i) {
    if (here == 0) here = words_in(s, queue);
    --here;
    const uint32_t word = tidings_bus_read(bus, TIDINGS_REG_STREAM_RECEIVE(queue));
    if (i < capacity) words[i] = word;
  }
  return true;
}

bool tidings_stream_wait(struct tidings_stream* s, uint32_t queues) {
  return await(s, queues, "a packet, tidings_stream_wait");
}

struct tidings_stream_errors tidings_stream_take_errors(struct tidings_stream* s) {
  struct tidings_bus* const bus = s->driver->bus;
  const uint32_t word = tidings_bus_read(bus, TIDINGS_REG_STREAM_ERROR);
  tidings_bus_write(bus, TIDINGS_REG_STREAM_ERROR, word);
  tidings_bus_write(bus, TIDINGS_REG_IRQ_STATUS, TIDINGS_IRQ_ERROR);
  const struct tidings_reg_stream_error error = tidings_reg_stream_error_decode(word);
  return (struct tidings_stream_errors){.overflow = error.overflow != 0, .refused = error.refused != 0};
}
