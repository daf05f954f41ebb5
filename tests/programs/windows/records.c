// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Records with gaps are PUT and GOT as a structure type: what lies in the gaps stays.
#include "program.h"

struct record {
  char letter;
  double value;
  short small;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct record memory[6], own[3];
  memset(memory, 0x5a, sizeof memory);
  memset(own, 0x33, sizeof own);
  for (int i = 0; i < 3; ++i)
    own[i] = (struct record){.letter = (char)('a' + rank), .value = rank + 0.5 * i, .small = (short)i};
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint places[3] = {offsetof(struct record, letter), offsetof(struct record, value),
                              offsetof(struct record, small)};
  const MPI_Datatype parts[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype fields, record;
  MPI_Type_create_struct(3, lengths, places, parts, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(struct record), &record);
  MPI_Type_commit(&record);
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int right = (rank + 1) % ranks;
  MPI_Win_fence(0, win);
  MPI_Put(own, 3, record, right, 2, 3, record, win);
  MPI_Win_fence(0, win);
  struct record got[2];
  memset(got, 0, sizeof got);
  MPI_Get(got, 2, record, right, 3, 2, record, win);
  MPI_Win_fence(0, win);
  say("%c %.1f %d, %c %.1f %d, %d\n", memory[2].letter, memory[2].value, memory[2].small, got[1].letter, got[1].value,
      got[1].small, ((const unsigned char*)&memory[3])[1]);
  MPI_Win_free(&win);
  MPI_Type_free(&record);
  MPI_Type_free(&fields);
  say_all();
  MPI_Finalize();
  return 0;
}
