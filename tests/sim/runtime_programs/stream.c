/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/* Two ranks that use the engine `stream` by its driver calls. Rank 0 sends more packets than rank 1 has room for. Rank
 * 1 reads the queue of a tag that they do not have, so that both stand still. */
#include "drivers/stream.h"

#include <stdio.h>

#include "drivers/platform.h"

enum { ROOM = 2, PACKETS = 3, SENT_TAG = 5, OTHER_TAG = 6 };

int main(void) {
  struct tidings_platform platform;
  if (tidings_platform_read(&platform) != NULL) return 3;
  struct tidings_driver driver;
  struct tidings_stream stream;
  if (tidings_driver_open(&driver, tidings_bus_open(0), 0, 2, 4096, 2) != 0) return 4;
  if (tidings_stream_open(&stream, &driver) != 0) return 5;
  const struct tidings_endpoint peer = platform.endpoints[1 - platform.rank];
  if (platform.rank == 0) {
    tidings_stream_connect(&stream, 2, peer, ROOM);
    for (uint32_t i = 0; i < PACKETS; ++i) tidings_stream_send(&stream, 2, SENT_TAG, &i, 1);
  } else {
    tidings_stream_match(&stream, 1, OTHER_TAG);
    tidings_stream_wait(&stream, 1u << 1 | 1u << 3);
  }
  printf("rank %u goes on\n", (unsigned)platform.rank);
  return 0;
}
