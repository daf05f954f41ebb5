// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Mistakes between two groups and among neighbours. The first argument says which.
#include <mpi.h>
#include <stddef.h>
#include <string.h>

static int rank, ranks;

/** Rank 0 alone on one side, all others on the other. */
static MPI_Comm two_sides(void) {
  MPI_Comm side, comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &comm);
  return comm;
}

static void waits_for_the_other_side(void) {
  int value;
  MPI_Comm comm = two_sides();
  MPI_Recv(&value, 1, MPI_INT, rank == 0 ? 1 : 0, 7, comm, MPI_STATUS_IGNORE);
}

static void different_collectives(void) {
  int value = 0;
  MPI_Comm comm = two_sides();
  if (rank == 0) MPI_Barrier(comm);
  if (rank != 0) MPI_Allgather(&value, 1, MPI_INT, (int[16]){0}, 1, MPI_INT, comm);
}

static void different_lengths(void) {
  int values[8] = {0};
  MPI_Comm comm = two_sides();
  MPI_Alltoall(values, 1, MPI_INT, (int[64]){0}, rank == 0 ? 2 : 1, MPI_INT, comm);
}

static void different_totals(void) {
  int values[64] = {0}, part[8];
  MPI_Comm comm = two_sides();
  MPI_Reduce_scatter_block(values, part, 3, MPI_INT, MPI_SUM, comm);
}

static void no_remote_side(void) {
  int remote;
  MPI_Comm_remote_size(MPI_COMM_WORLD, &remote);
}

static void leader_of_its_own(void) {
  MPI_Comm comm;
  MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 1, 0, &comm);
}

static void no_such_root(void) {
  int value = 0;
  MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 5, two_sides());
}

static void neighbours_that_differ(void) {
  int out[8] = {0}, in[8];
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (const int[]){1}, 0, &ring);
  const int count = rank == 0 ? 2 : 1;
  MPI_Neighbor_allgather(out, count, MPI_INT, in, 1, MPI_INT, ring);
}

static void neighbour_that_stays_away(void) {
  int out[8] = {0}, in[8];
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (const int[]){1}, 0, &ring);
  if (rank != 2) MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
}

static const struct {
  const char* name;
  void (*make)(void);
} mistakes[] = {
    {"waits_for_the_other_side", waits_for_the_other_side},
    {"different_collectives", different_collectives},
    {"different_lengths", different_lengths},
    {"different_totals", different_totals},
    {"no_remote_side", no_remote_side},
    {"leader_of_its_own", leader_of_its_own},
    {"no_such_root", no_such_root},
    {"neighbours_that_differ", neighbours_that_differ},
    {"neighbour_that_stays_away", neighbour_that_stays_away},
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; argc == 2 && i < sizeof mistakes / sizeof *mistakes; ++i) {
    if (strcmp(argv[1], mistakes[i].name) == 0) mistakes[i].make();
  }
  MPI_Finalize();
  return 0;
}
