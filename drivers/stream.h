/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_STREAM_H
#define TIDINGS_STREAM_H
/**
 * @file stream.h
 * The engine `stream`: packets of a few words through registers, from slot to slot, without memory.
 *
 * Receiver and sender agree beforehand how many words of the receiver's store the sender may fill. All senders to one
 * slot together may have `store_words`, so the store cannot overflow, whatever tags they use.
 *
 * If packets have a network of their own, one may be longer than the store. Its sender needs more credits than there is
 * room, and its receiver has to read it as it comes: until then it stands still in the network, with all that wait
 * behind it.
 */
#include "driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The receive queue of packets whose tag no other queue takes. */
#define TIDINGS_STREAM_CATCH_ALL (TIDINGS_REG_STREAM_RECEIVE_COUNT - 1u)

/** Rows of the table of peers. */
#define TIDINGS_STREAM_PEERS TIDINGS_REG_STREAM_PEER_COUNT

/** State the driver keeps for the engine of one slot. */
struct tidings_stream {
  struct tidings_driver* driver;
  uint32_t store_words;    /**< that the receive queues share: a packet takes one word more than it has */
  uint32_t longest_packet; /**< words of a packet, without its origin */
  bool own_network;        /**< packets have a network of their own */
  uint32_t queues;
  uint32_t enabled; /**< last value of stream_enable */
  uint32_t sending; /**< row of the last packet */
  struct tidings_endpoint peer[TIDINGS_STREAM_PEERS];
};

/** Who sent a packet, and what it is. */
struct tidings_stream_packet {
  struct tidings_endpoint source;
  uint32_t tag;
  uint32_t words;
};

/** What went wrong since it was last asked. */
struct tidings_stream_errors {
  bool overflow; /**< a packet was dropped: its sender had more credits than there was room */
  bool refused;  /**< a write to the engine was ignored */
};

/** Take over the engine of an open slot. @return 0, or -1 if the slot does not have it. */
int tidings_stream_open(struct tidings_stream* s, struct tidings_driver* d);
/** Packets with this tag go to receive queue `queue`, below TIDINGS_STREAM_CATCH_ALL. */
void tidings_stream_match(struct tidings_stream* s, uint32_t queue, uint32_t tag);
/** Set up a row of the table of peers. @param words room that the peer has set aside for it, at least 2. */
void tidings_stream_connect(struct tidings_stream* s, uint32_t row, struct tidings_endpoint peer, uint32_t words);
/**
 * Send a packet to the peer of a row. Blocks until the packet before has left. It leaves when the peer has room.
 * @param tag 0 to 255.
 * @param count words, 1 to `longest_packet`.
 * @return false if an error is pending (tidings_stream_take_errors), and the packet was not sent.
 */
bool tidings_stream_send(struct tidings_stream* s, uint32_t row, uint32_t tag, const uint32_t* words, uint32_t count);
/**
 * Take the oldest packet of a receive queue. Does not block but for words of a packet that has begun to come over a
 * network of its own.
 * @param words where to put its words; `capacity` of them at most, the others are dropped.
 * @return false if there is none.
 */
bool tidings_stream_receive(struct tidings_stream* s, uint32_t queue, struct tidings_stream_packet* packet,
                            uint32_t* words, uint32_t capacity);
/** Block until one of the queues, one bit each, has a packet. @return false if an error is pending instead. */
bool tidings_stream_wait(struct tidings_stream* s, uint32_t queues);
/** What went wrong; clears it. */
struct tidings_stream_errors tidings_stream_take_errors(struct tidings_stream* s);

#ifdef __cplusplus
}
#endif
#endif
