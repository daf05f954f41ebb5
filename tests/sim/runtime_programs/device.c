/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/* Ranks that use the bus boundary by hand, each mode another fate. The slots are those of the mock node of mock_node.h.
 * Their library is a toy: what the runtime says of its calls are the toy's own words. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "drivers/bus.h"
#include "drivers/cost.h"
#include "drivers/platform.h"
#include "drivers/trace.h"
#include "sim/runtime/channel.h"
#include "tests/sim/mock_registers.h"

/* Words leave through port 0 or 1. */
enum { SEND_UP = MOCK_SEND_ON_PORT, SEND_DOWN = MOCK_SEND_ON_PORT + 4 };

static struct tidings_platform platform;
static struct tidings_bus* bus;

/* A call with one argument, or none. */
static void begin(const char* name, const char* argument, int value, uint64_t group, uint64_t signature) {
  if (!tidings_trace_enter(name)) return;
  const struct tidings_argument given = {argument, value};
  tidings_trace_call(
      &(struct tidings_call){.arguments = &given, .count = argument != NULL, .group = group, .signature = signature});
  tidings_trace_bytes(4);
}

static void begin_fetch(uint32_t from) { begin("fetch", "from %", (int)from, 0, 0); }

static void describe_wait(const void* subject) {
  const uint32_t* rank = subject;
  char text[64];
  snprintf(text, sizeof text, "receive from rank %" PRIu32, *rank);
  tidings_trace_waiting(text, rank, 1);
}

static void wait_for_rank(uint32_t rank) {
  tidings_trace_wait(describe_wait, &rank);
  tidings_bus_wait(bus);
  tidings_trace_wait(NULL, NULL);
}

/* Rank 0 sends a word up, rank 1 sends it back; each shows its clock after each step. */
static void ping_pong(void) {
  begin_fetch(1 - platform.rank);
  if (platform.rank == 0) tidings_bus_write(bus, SEND_UP, 0x4711);
  tidings_bus_wait(bus);
  const uint32_t word = tidings_bus_read(bus, MOCK_LAST_FLIT);
  tidings_bus_write(bus, MOCK_INTERRUPT, 0);
  if (platform.rank == 1) tidings_bus_write(bus, SEND_DOWN, word + 1);
  tidings_trace_leave(TIDINGS_PATH_NONE, NULL);
  printf("rank %" PRIu32 " of %" PRIu32 " on %s got %" PRIx32 " at %" PRIu64 " ns\n", platform.rank, platform.ranks,
         platform.machine, word, tidings_clock_ns());
}

/* The line is high before anyone waits for it. */
static void wait_for_high_line(void) {
  tidings_bus_write(bus, MOCK_INTERRUPT, 1);
  tidings_bus_wait(bus);
  printf("woken at %" PRIu64 " ns\n", tidings_clock_ns());
}

static void count_paths(void) {
  for (int i = 0; i < 3; ++i) {
    begin("spread", "from %", 0, 0, 0);
    tidings_work(TIDINGS_WORK_CALL, (uint64_t)i + 1);
    begin("fetch", "from %", 1, 0, 0); /* nested: not recorded */
    tidings_trace_note("of the nested call");
    tidings_trace_leave(TIDINGS_PATH_NONE, NULL);
    if (i == 2) tidings_trace_note("vector datatype");
    tidings_trace_leave(i == 0 ? TIDINGS_PATH_HARDWARE : TIDINGS_PATH_FALLBACK, i == 0 ? NULL : "vector datatype");
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

/* The same accesses one by one, or handed over as one sequence. */
static void access_bus(bool at_once) {
  enum { ACCESSES_OF_IT = 6 };
  struct tidings_bus_access accesses[ACCESSES_OF_IT] = {
      {.kind = TIDINGS_BUS_WAIT},
      {.kind = TIDINGS_BUS_READ, .address = MOCK_SCRATCH},
      {.kind = TIDINGS_BUS_ACKNOWLEDGE, .address = MOCK_SCRATCH, .mask = 0xf0},
      {.kind = TIDINGS_BUS_READ, .address = MOCK_LAST_FLIT, .mask = 0x100, .value = 7},
      {.kind = TIDINGS_BUS_READ, .address = MOCK_ACCESSES, .mask = 0x20},
      {.kind = TIDINGS_BUS_READ, .address = MOCK_SCRATCH},
  };
  tidings_bus_write(bus, MOCK_SCRATCH, 0x35);
  tidings_bus_write(bus, MOCK_INTERRUPT, 1);
  if (at_once) {
    tidings_bus_sequence(bus, accesses, ACCESSES_OF_IT);
  } else {
    tidings_bus_wait(bus);
    accesses[1].value = tidings_bus_read(bus, MOCK_SCRATCH);
    tidings_bus_write(bus, MOCK_SCRATCH, accesses[1].value & 0xf0);
    accesses[4].value = tidings_bus_read(bus, MOCK_ACCESSES);
    accesses[5].value = tidings_bus_read(bus, MOCK_SCRATCH);
  }
  for (int i = 1; i < ACCESSES_OF_IT; ++i) printf("%" PRIx32 " ", accesses[i].value);
  printf("at %" PRIu64 " ns\n", tidings_clock_ns());
}

/* Rank 1 dies while others have turns to come. */
static void die_in_turn(void) {
  if (platform.rank == 1) raise(SIGKILL);
  printf("rank %" PRIu32 "\n", platform.rank);
  wait_for_rank(1);
}

/* Rank 0 computes while rank 1 waits for its word. */
static void compute_then_send(void) {
  if (platform.rank == 0) {
    burn_cpu(300000000);
    tidings_bus_write(bus, SEND_UP, 1);
    printf("virtual ns %" PRIu64 "\n", tidings_clock_ns());
  } else {
    const uint64_t before = process_cpu_ns();
    tidings_bus_wait(bus);
    printf("cpu ns of the waiting rank %" PRIu64 "\n", process_cpu_ns() - before);
  }
}

/* More writes than the ring holds; the device counts them. */
static void write_much(void) {
  for (uint32_t i = 0; i < 5000; ++i) tidings_bus_write(bus, MOCK_SCRATCH, i);
  printf("accesses %" PRIu32, tidings_bus_read(bus, MOCK_ACCESSES));
  printf(" last %" PRIu32 "\n", tidings_bus_read(bus, MOCK_SCRATCH));
}

static void store_word(uint32_t address) {
  tidings_bus_write(bus, MOCK_SCRATCH, 0xfeedf00d);
  tidings_bus_write(bus, MOCK_STORE, address);
  tidings_bus_read(bus, MOCK_ACCESSES);
  tidings_bus_read(bus, MOCK_ACCESSES);
  uint32_t word = 0;
  memcpy(&word, (char*)tidings_bus_memory(bus).base + address, sizeof word);
  printf("stored %" PRIx32 "\n", word);
}

enum { WORKED_ON = 256, OLD_WORD = 0x01d, NEW_WORD = 0x2e5 };

static uint32_t* worked_on(void) { return (uint32_t*)((char*)tidings_bus_memory(bus).base + WORKED_ON); }

/* Find work in a register, after having said that the work of a call follows. */
static void announce_work(void) {
  tidings_announce_work(bus, MOCK_SCRATCH, MOCK_DELAY, TIDINGS_WORK_CALL);
  tidings_bus_read(bus, MOCK_SCRATCH);
}

/* The rank works for long on memory that its engine reaches for in the middle of that work's virtual time. */
static void begin_work_beside_engine(bool engine_writes, uint32_t address) {
  *worked_on() = OLD_WORD;
  tidings_bus_write(bus, MOCK_SCRATCH, 0xfeed);
  tidings_bus_write(bus, MOCK_DELAY, 100);
  tidings_bus_write(bus, engine_writes ? MOCK_STORE : MOCK_LOAD, address);
  announce_work();
}

static void work_beside_engine(bool engine_writes) {
  begin_work_beside_engine(engine_writes, WORKED_ON);
  burn_cpu(50000000);
  printf("while it works %" PRIx32, *(volatile uint32_t*)worked_on());
  if (!engine_writes) *(volatile uint32_t*)worked_on() = NEW_WORD;
  tidings_work(TIDINGS_WORK_CALL, 1);
  const uint32_t scratch = tidings_bus_read(bus, MOCK_SCRATCH);
  printf(", then %" PRIx32 " and in the engine %" PRIx32 ", at %" PRIu64 " ns\n", *worked_on(), scratch,
         tidings_clock_ns());
}

/* The rank's own mistake comes before that of its engine, which is found while it works. */
static void fail_beside_engine(uint32_t address, bool too) {
  begin_work_beside_engine(true, address);
  burn_cpu(50000000);
  if (too) tidings_fail(7, "the rank has failed first");
  tidings_work(TIDINGS_WORK_CALL, 1);
  tidings_bus_read(bus, MOCK_SCRATCH);
}

/* Rank 1 may go on while rank 0 works for long, and then its engine reaches for its memory. */
enum { WORK_BEHIND = 0, FAIL_BEHIND = 1, CRASH_BEHIND = 2, FAULT_BEHIND = 3, BOTH_FAIL_BEHIND = 4 };

static void work_behind_rank(int how) {
  const uint32_t nowhere = 1u << 20;
  const bool faults = how == FAULT_BEHIND || how == BOTH_FAIL_BEHIND;
  *worked_on() = OLD_WORD;
  tidings_bus_write(bus, MOCK_SCRATCH, 0xfeed);
  if (platform.rank == 1) tidings_work(TIDINGS_WORK_POLL, 1);
  tidings_bus_write(bus, MOCK_DELAY, 60);
  if (platform.rank == 1) tidings_bus_write(bus, MOCK_STORE, faults ? nowhere : WORKED_ON);
  announce_work();
  if (platform.rank == 0) burn_cpu(50000000);
  if (platform.rank == 0 && how == FAIL_BEHIND) tidings_fail(7, "rank 0 has failed first");
  if (platform.rank == 0 && how == CRASH_BEHIND) raise(SIGKILL);
  if (platform.rank == 1 && how == BOTH_FAIL_BEHIND) tidings_fail(8, "rank 1 has failed before its engine");
  printf("rank %" PRIu32 " works on %" PRIx32 "\n", platform.rank, *(volatile uint32_t*)worked_on());
  fflush(stdout);
  tidings_work(TIDINGS_WORK_CALL, 1);
  tidings_bus_read(bus, MOCK_SCRATCH);
  printf("rank %" PRIu32 " finds %" PRIx32 " at %" PRIu64 " ns\n", platform.rank, *worked_on(), tidings_clock_ns());
}

static void hang_beside_engine(void) {
  begin_work_beside_engine(true, WORKED_ON);
  for (;;) pause();
}

/* What was announced before a slot was closed no longer holds. */
static void announce_and_reopen(void) {
  struct tidings_bus* other = tidings_bus_open(1); /* a process that has closed all slots has none any more */
  tidings_bus_write(bus, MOCK_SCRATCH, 1);
  tidings_bus_write(bus, MOCK_DELAY, 0);
  announce_work();
  tidings_work(TIDINGS_WORK_CALL, 1);
  tidings_bus_close(bus);
  bus = tidings_bus_open(0);
  printf("found %" PRIx32, tidings_bus_read(bus, MOCK_SCRATCH));
  tidings_bus_write(bus, MOCK_SCRATCH, 2);
  printf(", then %" PRIx32 "\n", tidings_bus_read(bus, MOCK_SCRATCH));
  tidings_bus_close(other);
}

/* Work is announced and not done. */
static void break_announcement(bool by_write) {
  begin("hurry", NULL, 0, 0, 0);
  tidings_bus_write(bus, MOCK_SCRATCH, 1);
  tidings_bus_write(bus, MOCK_DELAY, 0);
  announce_work();
  if (by_write) tidings_bus_write(bus, MOCK_SCRATCH, 2);
  tidings_bus_wait(bus);
}

/* Registers, memory and interrupt line of each slot are its own. */
static void use_two_slots(void) {
  struct tidings_bus* both[2] = {bus, tidings_bus_open(1)};
  if (tidings_bus_open(2) != NULL) printf("a third slot\n");
  if (tidings_bus_open(1) != both[1]) printf("another handle\n");
  for (uint32_t slot = 0; slot < 2; ++slot) {
    tidings_bus_write(both[slot], MOCK_SCRATCH, 0x100 * platform.rank + slot);
    tidings_bus_write(both[slot], MOCK_STORE, 256);
  }
  tidings_bus_write(both[1], MOCK_INTERRUPT, 1);
  tidings_bus_wait(both[1]); /* the line of slot 0 stays low */
  for (uint32_t slot = 0; slot < 2; ++slot) {
    const uint32_t scratch = tidings_bus_read(both[slot], MOCK_SCRATCH);
    const uint32_t accesses = tidings_bus_read(both[slot], MOCK_ACCESSES);
    uint32_t word = 0;
    memcpy(&word, (char*)tidings_bus_memory(both[slot]).base + 256, sizeof word);
    printf("rank %" PRIu32 " slot %" PRIu32 " node %u: scratch %" PRIx32 ", memory %" PRIx32 ", %" PRIu32 " accesses\n",
           platform.rank, slot, platform.endpoints[platform.rank * platform.slots + slot].node, scratch, word,
           accesses);
  }
  tidings_bus_close(both[1]);
}

static void crash(void) {
  if (platform.rank == 1) {
    begin_fetch(2);
    *(volatile int*)NULL = 0;
  }
  begin_fetch(1);
  wait_for_rank(1);
}

static void fail(int code) {
  if (platform.rank != 1) wait_for_rank(1);
  printf("last words"); /* without a newline, so still in the buffer */
  begin("give_up", NULL, 0, 0, 0);
  tidings_fail(code, "the program asked for it");
}

/* Each rank waits for the next, the last for the first. */
static void wait_in_ring(void) {
  const uint32_t next = (platform.rank + 1) % platform.ranks;
  printf("printed before the deadlock by rank %" PRIu32 "\n", platform.rank);
  begin_fetch(next);
  wait_for_rank(next);
}

static void mismatch(void) {
  /* Ranks 1 and 2 agree, though their calls have different arguments; the calls of rank 3 concern another group. */
  if (platform.rank == 0) begin("spread", "from %", 1, 7, 1);
  if (platform.rank == 1) begin("meet", "% words", 5, 7, 2);
  if (platform.rank == 2) begin("meet", "% words", 6, 7, 2);
  if (platform.rank == 3) begin("spread", "from %", 3, 8, 3);
  tidings_bus_wait(bus);
}

static void wait_for_finished(void) {
  if (platform.rank == 1) return;
  begin_fetch(1);
  wait_for_rank(1);
}

/* A child that stays for good, in a session of its own or in ours. */
static pid_t start_child(int own_session) {
  const pid_t child = fork();
  if (child != 0) return child;
  signal(SIGINT, SIG_IGN);
  if (own_session) setsid();
  for (;;) pause();
}

/* Leaves a child in a session of its own behind, whose parent has gone, as a daemon's has. */
static void leave_daemon(void) {
  int ends[2];
  pid_t daemon = 0;
  if (pipe(ends) != 0) exit(1);
  if (fork() == 0) {
    daemon = start_child(1);
    _exit(write(ends[1], &daemon, sizeof daemon) != sizeof daemon);
  }
  if (read(ends[0], &daemon, sizeof daemon) != sizeof daemon) exit(1);
  printf("%d\n", (int)daemon);
}

/* Stays in native code, with children of its own that do too. */
static void hang(void) {
  const pid_t child = start_child(0);
  const pid_t daemon = start_child(1);
  printf("%d %d %d\n", (int)getpid(), (int)child, (int)daemon);
  fflush(stdout);
  for (;;) pause();
}

/* 0 if all three standard streams are closed or as good as that. */
static int use_streams(void) {
  char byte = 'x';
  int usable = read(STDIN_FILENO, &byte, 1) >= 0 ? 1 : 0;
  for (int number = STDOUT_FILENO; number <= STDERR_FILENO; ++number)
    if (write(number, &byte, 1) >= 0) usable |= 1 << number;
  return usable;
}

/* Where the channel begins: the endpoints follow it. */
static char* channel(void) { return (char*)(uintptr_t)platform.endpoints - sizeof(struct tidings_channel); }

/* A wild pointer: rank 1 overwrites part of what it shares with the simulator, then goes on. */
static void overwrite(int offset) {
  begin("spread", "from %", 0, 0, 0);
  if (platform.rank == 0) wait_for_rank(1);
  memset(channel() + offset, 0xff, 8);
  tidings_bus_write(bus, MOCK_SCRATCH, 1);
  tidings_bus_read(bus, MOCK_SCRATCH);
  tidings_trace_leave(TIDINGS_PATH_NONE, NULL);
  tidings_fail(55, "as usual");
}

/* Where the turns of all ranks are: the beginning of the shared file. */
static struct tidings_turn_word* turns(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    uintptr_t first = 0;
    uint64_t offset = 1;
    if (strstr(line, "tidings-ranks") == NULL) continue;
    if (sscanf(line, "%" SCNxPTR "-%*x %*s %" SCNx64, &first, &offset) == 2 && offset == 0)
      return (struct tidings_turn_word*)first;
  }
  return NULL;
}

/* A wild pointer that finds all that a rank shares, or the turns alone (1). It writes zeros (2) or something else. */
static void overwrite_all(int how) {
  const int byte = (how & 2) != 0 ? 0 : 0xef;
  begin("spread", "from %", 0, 0, 0);
  if (platform.rank != 1) wait_for_rank(1);
  memset(turns(), byte, (platform.ranks + 1) * sizeof(struct tidings_turn_word));
  if ((how & 1) == 0) memset(channel(), byte, sizeof(struct tidings_channel));
  for (;;) pause();
}

/* How a rank goes on that has written over all of its own channel, or over the name of its process only. */
enum { SCRIBBLE_USE, SCRIBBLE_PAUSE, SCRIBBLE_SPIN, SCRIBBLE_CRASH, SCRIBBLE_RETURN, SCRIBBLE_PROCESS, SCRIBBLE_TAIL };

/* A wild pointer that finds the rank's own channel, and does not end the rank by itself. */
static void scribble(int how) {
  begin("spread", "from %", 0, 0, 0);
  if (platform.rank != 1) {
    printf("rank %u was here\n", platform.rank);
    wait_for_rank(1);
  }
  struct tidings_channel* all = (struct tidings_channel*)channel();
  char* from = how == SCRIBBLE_PROCESS ? (char*)&all->owner_pid : (char*)all;
  if (how == SCRIBBLE_TAIL) from = (char*)&all->operations;
  const size_t bytes = how == SCRIBBLE_PROCESS ? sizeof all->owner_pid : sizeof *all - (size_t)(from - (char*)all);
  memset(from, 0xa5, bytes);
  if (how == SCRIBBLE_CRASH) abort();
  if (how == SCRIBBLE_RETURN) exit(0);
  while (how == SCRIBBLE_PAUSE) pause();
  for (volatile uint64_t turns = 0; how == SCRIBBLE_SPIN; ++turns) {
  }
  for (;;) tidings_bus_wait(bus);
}

/* A wild pointer again: the simulator is told that the process is gone. */
static void claim_end(void) {
  turns()[platform.rank].turn = TIDINGS_TURN_ENDED;
  for (;;) pause();
}

static void poll_forever(void) {
  begin("peek", NULL, 0, 0, 0);
  for (;;) tidings_work(TIDINGS_WORK_POLL, 1);
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "";
  const int number = count > 2 ? atoi(arguments[2]) : 0;
  if (strcmp(mode, "exit-before-open") == 0) return number;
  const char* reason = tidings_platform_read(&platform);
  if (reason != NULL) {
    printf("this program %s\n", reason);
    return 3;
  }
  bus = tidings_bus_open(0);
  if (strncmp(mode, "named-", 6) == 0) {
    mode += 6;
    tidings_trace_library(&(struct tidings_library_words){.call = "toy call", .open = "toy_begin", .close = "toy_end"});
  }
  if (strcmp(mode, "ping-pong") == 0) ping_pong();
  if (strcmp(mode, "high-line") == 0) wait_for_high_line();
  if (strcmp(mode, "one-by-one") == 0) access_bus(false);
  if (strcmp(mode, "at-once") == 0) access_bus(true);
  if (strcmp(mode, "die-in-turn") == 0) die_in_turn();
  if (strcmp(mode, "paths") == 0) count_paths();
  if (strcmp(mode, "compute") == 0) compute_then_send();
  if (strcmp(mode, "write-much") == 0) write_much();
  if (strcmp(mode, "store") == 0) store_word((uint32_t)number);
  if (strcmp(mode, "store-beside") == 0) work_beside_engine(true);
  if (strcmp(mode, "load-beside") == 0) work_beside_engine(false);
  if (strcmp(mode, "fault-beside") == 0) fail_beside_engine((uint32_t)number, false);
  if (strcmp(mode, "faults-beside") == 0) fail_beside_engine((uint32_t)number, true);
  if (strcmp(mode, "work-behind") == 0) work_behind_rank(number);
  if (strcmp(mode, "hang-beside") == 0) hang_beside_engine();
  if (strcmp(mode, "reopen") == 0) announce_and_reopen();
  if (strcmp(mode, "hurry") == 0) break_announcement(number != 0);
  if (strcmp(mode, "crash") == 0) crash();
  if (strcmp(mode, "exit-while-open") == 0 && platform.rank == 1) exit(number);
  if (strcmp(mode, "exit-while-open") == 0) wait_for_rank(1);
  if (strcmp(mode, "fail") == 0) fail(number);
  if (strcmp(mode, "ring") == 0) wait_in_ring();
  if (strcmp(mode, "mismatch") == 0) mismatch();
  if (strcmp(mode, "finished") == 0) wait_for_finished();
  if (strcmp(mode, "hang") == 0) hang();
  if (strcmp(mode, "daemon") == 0) leave_daemon();
  if (strcmp(mode, "streams") == 0 && use_streams() != 0) return use_streams();
  if (strcmp(mode, "overwrite") == 0) overwrite(number);
  if (strcmp(mode, "overwrite-all") == 0) overwrite_all(number);
  if (strcmp(mode, "scribble") == 0) scribble(number);
  if (strcmp(mode, "claim-end") == 0) claim_end();
  if (strcmp(mode, "poll") == 0) poll_forever();
  if (strcmp(mode, "two-slots") == 0) use_two_slots();
  if (strcmp(mode, "bad-register") == 0) tidings_bus_read(bus, 0x1002);
  tidings_bus_close(bus);
  return strcmp(mode, "exit-after-close") == 0 && platform.rank == 1 ? number : 0;
}
