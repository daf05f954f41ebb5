// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Collectives between two groups: each group gets what the other contributed.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  if (ranks == 1) {
    say("alone\n");
  } else {
    MPI_Comm part, across;
    const int side = rank >= (ranks + 1) / 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, side ? 0 : (ranks + 1) / 2, 9, &across);
    int place, others, sum, all[17], value = rank;
    MPI_Comm_rank(across, &place);
    MPI_Comm_remote_size(across, &others);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, across);
    say("sum %d", sum);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, across);
    for (int i = 0; i < others; ++i) say(" %d", all[i]);
    // The last rank of the first group broadcasts to the second.
    const int root = (ranks + 1) / 2 - 1;
    MPI_Bcast(&value, 1, MPI_INT, side ? root : place == root ? MPI_ROOT : MPI_PROC_NULL, across);
    say(", got %d", value);
    // The first rank of the second group gathers from the first.
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, !side ? 0 : place == 0 ? MPI_ROOT : MPI_PROC_NULL, across);
    if (side && place == 0) say(", gathered %d to %d", all[0], all[others - 1]);
    int out[17], in[17];
    for (int i = 0; i < 17; ++i) out[i] = rank * 20 + i;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, across);
    say(", exchanged %d\n", in[others - 1]);
    MPI_Barrier(across);
    MPI_Comm_free(&across);
    MPI_Comm_free(&part);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
