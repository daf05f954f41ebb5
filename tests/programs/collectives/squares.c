// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// All 17 collectives that block, from several roots, among the ranks of each square of a mesh. The argument is the
// mesh's width; without one it is the largest square of ranks.
#include "../every_collective.h"

/** Call each of them, and say what has come. */
static void call_all(MPI_Comm comm, int round, int root) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  clear(rank, round, root);
  MPI_Barrier(comm);
  MPI_Bcast(bcast, 700, MPI_INT, root, comm);
  MPI_Reduce(mine, reduced, 300, MPI_INT, MPI_SUM, root, comm);
  MPI_Allreduce(mine, all, 300, MPI_INT, MPI_MAX, comm);
  MPI_Scan(mine, scanned, 20, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(mine, exscanned, 20, MPI_INT, MPI_SUM, comm);
  MPI_Gather(mine, 5, MPI_INT, gathered, 5, MPI_INT, root, comm);
  MPI_Gatherv(mine, counts[rank], MPI_INT, gatheredv, counts, places, MPI_INT, root, comm);
  MPI_Scatter(wide, 4, MPI_INT, scattered, 4, MPI_INT, root, comm);
  MPI_Scatterv(wide, counts, places, MPI_INT, scatteredv, counts[rank], MPI_INT, root, comm);
  MPI_Allgather(mine, 6, MPI_INT, allgathered, 6, MPI_INT, comm);
  MPI_Allgatherv(mine, counts[rank], MPI_INT, allgatheredv, counts, places, MPI_INT, comm);
  MPI_Alltoall(wide, 3, MPI_INT, exchanged, 3, MPI_INT, comm);
  MPI_Alltoallv(wide, equal, places, MPI_INT, exchangedv, equal, places, MPI_INT, comm);
  MPI_Alltoallw(wide, equal, offsets, types, exchangedw, equal, offsets, types, comm);
  MPI_Reduce_scatter(wide, parts, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(wide, blocks, 3, MPI_INT, MPI_MIN, comm);
  say_results(round);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int width = argc > 1 ? atoi(argv[1]) : 1;
  while (argc == 1 && (width + 1) * (width + 1) <= ranks) ++width;
  for (int side = 1; side <= width && side <= ranks / width; ++side) {
    const bool member = rank % width < side && rank / width < side;
    MPI_Comm square;
    MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, rank, &square);
    if (!member) continue;
    int me;
    MPI_Comm_rank(square, &me);
    set_counts(side * side);
    const int roots[] = {0, side * side / 2, side * side - 1};
    for (int round = 0; round < 3; ++round) {
      say("square %d rank %d ", side, me);
      call_all(square, round, roots[round]);
    }
    MPI_Comm_free(&square);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
