// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Operations of the program on types with holes: statistics in one reduction.
#include "program.h"

struct statistics {
  long count;
  double sum, least, most;
  char mark;
};

static void merge(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const struct statistics* a = in;
  struct statistics* b = inout;
  for (int i = 0; i < *length; ++i) {
    b[i].count += a[i].count;
    b[i].sum += a[i].sum;
    if (a[i].least < b[i].least) b[i].least = a[i].least;
    if (a[i].most > b[i].most) b[i].most = a[i].most;
    if (a[i].mark > b[i].mark) b[i].mark = a[i].mark;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int lengths[3] = {1, 3, 1};
  const MPI_Aint places[3] = {offsetof(struct statistics, count), offsetof(struct statistics, sum),
                              offsetof(struct statistics, mark)};
  const MPI_Datatype parts[3] = {MPI_LONG, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype plain, type;
  MPI_Type_create_struct(3, lengths, places, parts, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(struct statistics), &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(merge, 1, &op);
  struct statistics mine[5], all[5];
  memset(all, 0, sizeof all);
  memset(mine, 0, sizeof mine);
  for (int i = 0; i < 5; ++i)
    mine[i] = (struct statistics){rank + i, rank * 0.5, rank - i, rank * i, (char)('a' + rank)};
  MPI_Allreduce(mine, all, 5, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i) {
    say("%ld %.1f %.0f %.0f %c\n", all[i].count, all[i].sum, all[i].least, all[i].most, all[i].mark);
  }
  if (rank == ranks - 1) {
    MPI_Reduce(MPI_IN_PLACE, mine, 5, type, op, ranks - 1, MPI_COMM_WORLD);
    say("root %ld %.1f\n", mine[4].count, mine[4].sum);
  } else {
    MPI_Reduce(mine, NULL, 5, type, op, ranks - 1, MPI_COMM_WORLD);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&plain);
  MPI_Type_free(&type);
  say_all();
  MPI_Finalize();
  return 0;
}
