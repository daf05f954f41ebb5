// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Drawn messages of all sizes between drawn ranks on three communicators, completed in drawn ways, with collectives in
// between while messages are in flight. Argument: seed (1).
#include "program.h"

enum { ROUNDS = 12, MESSAGES = 24, LARGEST = 3000 };

struct message {
  int source, destination, bytes, comm;
};

/** Mostly short, now and then too long for one packet. */
static int draw_bytes(uint64_t* shared) {
  const uint32_t kind = next_random(shared) % 8;
  if (kind == 0) return (int)(next_random(shared) % LARGEST);
  if (kind == 1) return 225 + (int)(next_random(shared) % 30);
  return (int)(next_random(shared) % 100);
}

/** Complete all requests: at once, one by one as they come, or by polling. */
static void complete(int count, MPI_Request* requests, uint32_t how) {
  int flag = 0, index;
  switch (how % 3) {
    case 0:
      MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
      break;
    case 1:
      for (int i = 0; i < count; ++i) MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
      break;
    default:
      while (!flag) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
  }
}

static uint32_t collective(MPI_Comm comm, uint64_t* shared) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int root = (int)(next_random(shared) % 16) % ranks, count = 1 + (int)(next_random(shared) % 40);
  const uint32_t kind = next_random(shared) % 4;
  double in[40], out[40] = {0};
  for (int i = 0; i < count; ++i) in[i] = (rank * 13 + i * 7) % 50;
  if (kind == 0) MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
  if (kind == 1) MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_MAX, root, comm);
  if (kind == 2) {
    MPI_Bcast(in, count, MPI_DOUBLE, root, comm);
    memcpy(out, in, sizeof out);
  }
  if (kind == 3) MPI_Barrier(comm);
  return checksum(out, sizeof(double) * (size_t)count);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  uint64_t shared = argc > 1 ? (uint64_t)atoi(argv[1]) : 1;
  uint64_t own = shared * 1000 + (uint64_t)rank;
  MPI_Comm copy, half, comms[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  comms[0] = MPI_COMM_WORLD;
  comms[1] = copy;
  unsigned char* out = allocate((size_t)MESSAGES * LARGEST);
  unsigned char* in = allocate((size_t)MESSAGES * LARGEST);
  unsigned char* expected = allocate(LARGEST);
  uint32_t trail = 0;
  int wrong = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    struct message messages[MESSAGES];
    MPI_Request requests[2 * MESSAGES];
    int used = 0;
    for (int m = 0; m < MESSAGES; ++m) {
      messages[m] = (struct message){.source = (int)(next_random(&shared) % (uint32_t)ranks),
                                     .destination = (int)(next_random(&shared) % (uint32_t)ranks),
                                     .bytes = draw_bytes(&shared),
                                     .comm = (int)(next_random(&shared) % 2)};
    }
    const uint32_t receive_first = next_random(&own) % 3;  // none, half or all before the sends
    for (int pass = 0; pass < 3; ++pass) {
      for (int m = 0; m < MESSAGES; ++m) {
        const struct message* message = &messages[m];
        const bool early = receive_first == 2 || (receive_first == 1 && m % 2 == 0);
        if (pass == 1 && message->source == rank) {
          fill(out + m * LARGEST, (size_t)message->bytes, (uint64_t)(round * 100 + m));
          MPI_Isend(out + m * LARGEST, message->bytes, MPI_BYTE, message->destination, m, comms[message->comm],
                    &requests[used++]);
        }
        if (pass == (early ? 0 : 2) && message->destination == rank) {
          const int source = m % 4 == 0 ? MPI_ANY_SOURCE : message->source;  // the tag alone tells which it is
          MPI_Irecv(in + m * LARGEST, LARGEST, MPI_BYTE, source, m, comms[message->comm], &requests[used++]);
        }
      }
    }
    const uint32_t where = next_random(&shared) % 3;
    trail = trail * 31 + collective(where == 2 ? half : comms[where], &shared);
    complete(used, requests, next_random(&own));
    for (int m = 0; m < MESSAGES; ++m) {
      if (messages[m].destination != rank) continue;
      fill(expected, (size_t)messages[m].bytes, (uint64_t)(round * 100 + m));
      wrong += memcmp(expected, in + m * LARGEST, (size_t)messages[m].bytes) != 0;
    }
    // Tags are used again in the next round, and an any-source receive must not take its messages.
    MPI_Barrier(copy);
  }
  say("rank %d: wrong %d, %08x\n", rank, wrong, (unsigned)trail);
  free(expected);
  free(in);
  free(out);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  say_all();
  MPI_Finalize();
  return 0;
}
