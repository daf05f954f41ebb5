/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/* Ranks that use the device boundary by hand, each mode another fate. The device is the mock node of mock_node.h. */
#define _GNU_SOURCE
#include "drivers/device.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  LAST_FLIT = 0x000,
  SCRATCH = 0x00c,
  INTERRUPT = 0x010,
  STORE = 0x018,
  ACCESSES = 0x01c,
  SEND_UP = 0x100,
  SEND_DOWN = 0x104
};

static struct tidings_device_info info;

static void begin(const char* name, int peer, int tag) {
  tidings_operation_begin(&(struct tidings_operation){.name = name, .peer = peer, .tag = tag, .bytes = 4});
}

static void begin_rooted(const char* name, int root) {
  tidings_operation_begin(
      &(struct tidings_operation){.name = name, .peer = root, .tag = -1, .count = 5, .peer_is_root = root >= 0});
}

static void wait_for_rank(uint32_t rank) {
  char text[64];
  snprintf(text, sizeof text, "receive from rank %" PRIu32, rank);
  tidings_waiting_for(text, &rank, 1);
  tidings_wait_interrupt();
}

/* Rank 0 sends a word up, rank 1 sends it back; each shows its clock after each step. */
static void ping_pong(void) {
  begin(info.rank == 0 ? "MPI_Send" : "MPI_Recv", 1 - (int)info.rank, 7);
  if (info.rank == 0) tidings_bus_write(SEND_UP, 0x4711);
  tidings_wait_interrupt();
  const uint32_t word = tidings_bus_read(LAST_FLIT);
  tidings_bus_write(INTERRUPT, 0);
  if (info.rank == 1) tidings_bus_write(SEND_DOWN, word + 1);
  tidings_operation_end(TIDINGS_PATH_NONE, NULL);
  printf("rank %" PRIu32 " of %" PRIu32 " on %s got %" PRIx32 " at %" PRIu64 " ns\n", info.rank, info.ranks,
         info.machine, word, tidings_clock_ns());
}

/* The line is high before anyone waits for it. */
static void wait_for_high_line(void) {
  tidings_bus_write(INTERRUPT, 1);
  tidings_wait_interrupt();
  printf("woken at %" PRIu64 " ns\n", tidings_clock_ns());
}

static void count_paths(void) {
  for (int i = 0; i < 3; ++i) {
    begin_rooted("MPI_Bcast", 0);
    tidings_work(TIDINGS_WORK_CALL, (uint64_t)i + 1);
    begin("MPI_Send", 1, 1); /* nested: not recorded */
    tidings_operation_end(TIDINGS_PATH_NONE, NULL);
    tidings_operation_end(i == 0 ? TIDINGS_PATH_HARDWARE : TIDINGS_PATH_FALLBACK, i == 0 ? NULL : "vector datatype");
  }
}

static uint64_t process_cpu_ns(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void burn_cpu(uint64_t nanoseconds) {
  const uint64_t until = process_cpu_ns() + nanoseconds;
  while (process_cpu_ns() < until) {
  }
}

/* Rank 0 computes while rank 1 waits for its word. */
static void compute_then_send(void) {
  if (info.rank == 0) {
    burn_cpu(300000000);
    tidings_bus_write(SEND_UP, 1);
    printf("virtual ns %" PRIu64 "\n", tidings_clock_ns());
  } else {
    const uint64_t before = process_cpu_ns();
    tidings_wait_interrupt();
    printf("cpu ns of the waiting rank %" PRIu64 "\n", process_cpu_ns() - before);
  }
}

/* More writes than the ring holds; the device counts them. */
static void write_much(void) {
  for (uint32_t i = 0; i < 5000; ++i) tidings_bus_write(SCRATCH, i);
  printf("accesses %" PRIu32, tidings_bus_read(ACCESSES));
  printf(" last %" PRIu32 "\n", tidings_bus_read(SCRATCH));
}

static void store_word(uint32_t address) {
  tidings_bus_write(SCRATCH, 0xfeedf00d);
  tidings_bus_write(STORE, address);
  tidings_bus_read(ACCESSES);
  tidings_bus_read(ACCESSES);
  uint32_t word = 0;
  memcpy(&word, (char*)info.memory + address, sizeof word);
  printf("stored %" PRIx32 "\n", word);
}

static void crash(void) {
  if (info.rank == 1) {
    begin("MPI_Recv", 2, 7);
    *(volatile int*)NULL = 0;
  }
  begin("MPI_Recv", 1, 3);
  wait_for_rank(1);
}

static void fail(void) {
  if (info.rank != 1) wait_for_rank(1);
  printf("last words"); /* without a newline, so still in the buffer */
  begin("MPI_Abort", -1, -1);
  tidings_fail(42, "the program asked for it");
}

/* Each rank waits for the next, the last for the first. */
static void wait_in_ring(void) {
  const uint32_t next = (info.rank + 1) % info.ranks;
  printf("printed before the deadlock by rank %" PRIu32 "\n", info.rank);
  begin("MPI_Recv", (int)next, 7);
  wait_for_rank(next);
}

static void mismatch(void) {
  if (info.rank == 0)
    begin_rooted("MPI_Bcast", 1);
  else
    begin_rooted("MPI_Barrier", -1);
  tidings_wait_interrupt();
}

static void wait_for_finished(void) {
  if (info.rank == 1) return;
  begin("MPI_Recv", 1, 7);
  wait_for_rank(1);
}

/* Stays in native code, with a child of its own that does too. */
static void hang(void) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_IGN);
    for (;;) pause();
  }
  printf("%d %d\n", (int)getpid(), (int)child);
  fflush(stdout);
  for (;;) pause();
}

static void poll_forever(void) {
  begin("MPI_Test", -1, -1);
  for (;;) tidings_work(TIDINGS_WORK_POLL, 1);
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "";
  const int number = count > 2 ? atoi(arguments[2]) : 0;
  if (strcmp(mode, "exit-before-open") == 0) return number;
  if (tidings_device_open(&info) != 0) {
    printf("no device\n");
    return 3;
  }
  if (strcmp(mode, "ping-pong") == 0) ping_pong();
  if (strcmp(mode, "high-line") == 0) wait_for_high_line();
  if (strcmp(mode, "paths") == 0) count_paths();
  if (strcmp(mode, "compute") == 0) compute_then_send();
  if (strcmp(mode, "write-much") == 0) write_much();
  if (strcmp(mode, "store") == 0) store_word((uint32_t)number);
  if (strcmp(mode, "crash") == 0) crash();
  if (strcmp(mode, "exit-while-open") == 0 && info.rank == 1) exit(number);
  if (strcmp(mode, "exit-while-open") == 0) wait_for_rank(1);
  if (strcmp(mode, "fail") == 0) fail();
  if (strcmp(mode, "ring") == 0) wait_in_ring();
  if (strcmp(mode, "mismatch") == 0) mismatch();
  if (strcmp(mode, "finished") == 0) wait_for_finished();
  if (strcmp(mode, "hang") == 0) hang();
  if (strcmp(mode, "poll") == 0) poll_forever();
  if (strcmp(mode, "bad-register") == 0) tidings_bus_read(0x1002);
  tidings_device_close();
  return strcmp(mode, "exit-after-close") == 0 && info.rank == 1 ? number : 0;
}
