// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Names that MPI-3.0 removed: datatypes with bounds among their members, extents, error handlers.
#include "program.h"

struct particle {
  int number;
  double place[3];
  char kind;
};

static int heard;

static void hear(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++heard;
}

static void say_bounds(const char* name, MPI_Datatype type) {
  MPI_Aint lower, upper, extent;
  MPI_Type_lb(type, &lower);
  MPI_Type_ub(type, &upper);
  MPI_Type_extent(type, &extent);
  say(" %s from %d to %d, %d long\n", name, (int)lower, (int)upper, (int)extent);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct particle mine[2], got[2] = {0};
  for (int i = 0; i < 2; ++i) {
    mine[i] = (struct particle){.number = 10 * rank + i, .place = {rank, i, rank * i}, .kind = (char)('a' + i)};
  }
  say("rank %d\n", rank);

  // An array of structures, whose end is told by MPI_UB.
  MPI_Aint base, displacements[5];
  MPI_Address(&mine[0], &base);
  MPI_Address(&mine[0].number, &displacements[0]);
  MPI_Address(&mine[0].place, &displacements[1]);
  MPI_Address(&mine[0].kind, &displacements[2]);
  MPI_Address(&mine[1], &displacements[3]);
  for (int i = 0; i < 4; ++i) displacements[i] -= base;
  int lengths[5] = {1, 3, 1, 1, 1};
  MPI_Datatype types[5] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_UB, MPI_LB};
  MPI_Datatype particle, early, plain, strided, indexed;
  MPI_Type_struct(4, lengths, displacements, types, &particle);
  MPI_Type_commit(&particle);
  say_bounds("particle", particle);
  MPI_Sendrecv(mine, 2, particle, (rank + 1) % ranks, 0, got, 2, particle, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) {
    say(" particle %d at %g %g %g is %c\n", got[i].number, got[i].place[0], got[i].place[1], got[i].place[2],
        got[i].kind);
  }

  displacements[4] = -16;
  MPI_Type_struct(5, lengths, displacements, types, &early);
  say_bounds("early", early);
  MPI_Type_struct(2, lengths, displacements, types, &plain);
  say_bounds("plain", plain);

  MPI_Type_hvector(3, 2, 24, MPI_INT, &strided);
  say_bounds("strided", strided);
  MPI_Aint places[2] = {8, 40};
  MPI_Type_hindexed(2, lengths, places, MPI_DOUBLE, &indexed);
  say_bounds("indexed", indexed);

  MPI_Errhandler handler, set;
  MPI_Errhandler_create(hear, &handler);
  MPI_Errhandler_set(MPI_COMM_WORLD, handler);
  MPI_Errhandler_get(MPI_COMM_WORLD, &set);
  MPI_Send(&rank, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
  say(" heard %d, the same handler: %d\n", heard, set == handler);
  MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&set);

  MPI_Datatype* const made[] = {&particle, &early, &plain, &strided, &indexed};
  for (int i = 0; i < 5; ++i) MPI_Type_free(made[i]);
  say_all();
  MPI_Finalize();
  return 0;
}
