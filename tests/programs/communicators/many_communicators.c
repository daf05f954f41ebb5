// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Many communicators, one after the other, three for each of as many rounds as the argument says. With some 6,000 they
// are more than there are contexts: those of freed ones are used again, and one that is kept stays apart from all
// others.
#include "program.h"

enum { ROUNDS = 30, KEPT = 4 };

static int exchanged(MPI_Comm comm, int value) {
  int rank, size, got = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT, (rank + size - 1) % size, 3, comm,
               MPI_STATUS_IGNORE);
  return got;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
  MPI_Comm kept[KEPT];
  MPI_Request waiting[KEPT];
  int came[KEPT];
  const int size = all_ranks(), next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int i = 0; i < KEPT; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &kept[i]);
    MPI_Irecv(&came[i], 1, MPI_INT, last, 3, kept[i], &waiting[i]);
  }
  int right = 0;
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm copy, part, again;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    // Whoever is not in the part uses no context for it.
    MPI_Comm_split(copy, rank % 3 == i % 3 ? MPI_UNDEFINED : 0, -rank, &part);
    MPI_Comm_dup(copy, &again);
    if (i % 10 == 9) {
      right += exchanged(copy, i) == i && exchanged(again, -i) == -i;
      if (part != MPI_COMM_NULL) {
        int sum = 0, one = 1, members;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part);
        MPI_Comm_size(part, &members);
        right += sum == members;
      }
    }
    MPI_Comm_free(&copy);
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    MPI_Comm_free(&again);
  }
  say("rank %d: %d times right\n", rank, right);
  for (int i = 0; i < KEPT; ++i) {
    const int value = 100 * rank + i;
    MPI_Send(&value, 1, MPI_INT, next, 3, kept[i]);
  }
  MPI_Waitall(KEPT, waiting, MPI_STATUSES_IGNORE);
  for (int i = 0; i < KEPT; ++i) {
    say("rank %d: %d came\n", rank, came[i]);
    MPI_Comm_free(&kept[i]);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
