// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Alltoallv: rank s sends (s + 2 r) mod 4 elements to rank r, stored with gaps.
#include "program.h"

static int length(int from, int to) { return (from + 2 * to) % 4; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int out[64 * 5], in[64 * 5], send_counts[64], send_offsets[64], receive_counts[64], receive_offsets[64];
  for (int r = 0; r < ranks; ++r) {
    send_counts[r] = length(rank, r);
    receive_counts[r] = length(r, rank);
    send_offsets[r] = 5 * r;
    receive_offsets[r] = 5 * (ranks - 1 - r);
    for (int i = 0; i < 5; ++i) {
      out[5 * r + i] = rank * 1000 + r * 10 + i;
      in[5 * r + i] = -1;
    }
  }
  MPI_Alltoallv(out, send_counts, send_offsets, MPI_INT, in, receive_counts, receive_offsets, MPI_INT, MPI_COMM_WORLD);
  say("rank %d: checksum %08x, from last", rank, (unsigned)checksum(in, (size_t)(5 * ranks) * sizeof(int)));
  for (int i = 0; i < 5; ++i) say(" %d", in[i]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
