// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The types of value and index for MPI_MINLOC and MPI_MAXLOC: their sizes, and arrays of them in a message.
#include "program.h"

#define PAIR(name, type)                                                                                            \
  do {                                                                                                              \
    struct {                                                                                                        \
      type value;                                                                                                   \
      int index;                                                                                                    \
    } mine[3], theirs[3];                                                                                           \
    memset(mine, 0, sizeof mine);                                                                                   \
    memset(theirs, 0, sizeof theirs);                                                                               \
    for (int i = 0; i < 3; ++i) mine[i].value = (type)(rank + i), mine[i].index = rank * 3 + i;                     \
    int size;                                                                                                       \
    MPI_Aint lower, extent;                                                                                         \
    MPI_Type_size(name, &size);                                                                                     \
    MPI_Type_get_extent(name, &lower, &extent);                                                                     \
    MPI_Sendrecv(mine, 3, name, right, 0, theirs, 3, name, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);             \
    say(#name ": %d %d, %d %d, %d\n", (size_t)size == sizeof(type) + sizeof(int), (size_t)extent == sizeof mine[0], \
        (int)theirs[0].value, (int)theirs[2].value, theirs[2].index);                                               \
    MPI_Allreduce(mine, theirs, 3, name, MPI_MAXLOC, MPI_COMM_WORLD);                                               \
    say("  %d at %d\n", (int)theirs[1].value, theirs[1].index);                                                     \
  } while (0)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  PAIR(MPI_FLOAT_INT, float);
  PAIR(MPI_DOUBLE_INT, double);
  PAIR(MPI_LONG_INT, long);
  PAIR(MPI_2INT, int);
  PAIR(MPI_SHORT_INT, short);
  PAIR(MPI_LONG_DOUBLE_INT, long double);
  say_all();
  MPI_Finalize();
  return 0;
}
