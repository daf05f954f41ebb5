// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Types made of types made of types: structures of vectors of resized pairs.
#include "program.h"

struct inner {
  short a;
  double b;
};
struct outer {
  int count;
  struct inner parts[6];
  char tail[3];
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Datatype inner, sized, every_second, outer, whole;
  const int one_each[2] = {1, 1};
  const MPI_Aint inner_places[2] = {offsetof(struct inner, a), offsetof(struct inner, b)};
  const MPI_Datatype inner_types[2] = {MPI_SHORT, MPI_DOUBLE};
  MPI_Type_create_struct(2, one_each, inner_places, inner_types, &inner);
  MPI_Type_create_resized(inner, 0, sizeof(struct inner), &sized);
  MPI_Type_vector(3, 1, 2, sized, &every_second);
  const int lengths[3] = {1, 1, 3};
  const MPI_Aint places[3] = {offsetof(struct outer, count), offsetof(struct outer, parts),
                              offsetof(struct outer, tail)};
  const MPI_Datatype types[3] = {MPI_INT, every_second, MPI_CHAR};
  MPI_Type_create_struct(3, lengths, places, types, &outer);
  MPI_Type_create_resized(outer, 0, sizeof(struct outer), &whole);
  MPI_Type_commit(&whole);
  struct outer mine[3], theirs[3];
  memset(theirs, 0, sizeof theirs);
  memset(mine, 0, sizeof mine);
  for (int i = 0; i < 3; ++i) {
    mine[i].count = rank * 10 + i;
    for (int k = 0; k < 6; ++k) mine[i].parts[k] = (struct inner){(short)(rank + k), rank + k / 4.0};
    memcpy(mine[i].tail, "xyz", 3);
  }
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(mine, 3, whole, right, 0, theirs, 3, whole, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) {
    say("%d:", theirs[i].count);
    for (int k = 0; k < 6; ++k) say(" %d %.2f", theirs[i].parts[k].a, theirs[i].parts[k].b);
    say(" %.3s\n", theirs[i].tail);
  }
  int size;
  MPI_Type_size(whole, &size);
  say("size %d\n", size);
  MPI_Type_free(&inner);
  MPI_Type_free(&sized);
  MPI_Type_free(&every_second);
  MPI_Type_free(&outer);
  MPI_Type_free(&whole);
  say_all();
  MPI_Finalize();
  return 0;
}
