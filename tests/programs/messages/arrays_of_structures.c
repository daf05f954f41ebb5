// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Particles as structures move to the rank that owns their place, in numbers that vary.
#include "program.h"

struct particle {
  double place, speed;
  int number;
  char mark;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Datatype plain, type;
  const int lengths[4] = {1, 1, 1, 1};
  const MPI_Aint places[4] = {offsetof(struct particle, place), offsetof(struct particle, speed),
                              offsetof(struct particle, number), offsetof(struct particle, mark)};
  const MPI_Datatype types[4] = {MPI_DOUBLE, MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Type_create_struct(4, lengths, places, types, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(struct particle), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&plain);
  struct particle mine[400], leaving[400];
  int here = 20;
  for (int i = 0; i < here; ++i) {
    mine[i] = (struct particle){rank + i / 20.0, (i % 3 - 1) * 0.25, rank * 20 + i, (char)('a' + i)};
  }
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int turn = 0; turn < 6; ++turn) {
    for (int side = 0; side < 2; ++side) {
      int out = 0, kept = 0;
      for (int i = 0; i < here; ++i) {
        if (side == 0) mine[i].place += mine[i].speed;
        const bool leaves = side == 0 ? mine[i].place >= rank + 1 : mine[i].place < rank;
        if (leaves) {
          leaving[out] = mine[i];
          if (side == 0 && rank == ranks - 1) leaving[out].place -= ranks;
          if (side == 1 && rank == 0) leaving[out].place += ranks;
          ++out;
        } else {
          mine[kept++] = mine[i];
        }
      }
      MPI_Status status;
      int came;
      MPI_Sendrecv(leaving, out, type, side == 0 ? right : left, turn, &mine[kept], 400 - kept, type,
                   side == 0 ? left : right, turn, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, type, &came);
      here = kept + came;
    }
    long numbers = 0, marks = 0;
    for (int i = 0; i < here; ++i) numbers += mine[i].number, marks += mine[i].mark;
    say("%d: %d here, %ld %ld\n", turn, here, numbers, marks);
  }
  MPI_Type_free(&type);
  say_all();
  MPI_Finalize();
  return 0;
}
