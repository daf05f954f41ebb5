// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_MINLOC and MPI_MAXLOC on pairs; equal values give the lowest index.
#include "program.h"

struct double_int {
  double value;
  int place;
};
struct int_int {
  int value;
  int place;
};
struct float_int {
  float value;
  int place;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct double_int d[2] = {{(rank * 5) % 7, rank}, {1.5, rank}}, d_out[2] = {{0, -1}, {0, -1}};
  MPI_Allreduce(d, d_out, 2, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  say("rank %d: minloc %.1f at %d, %.1f at %d\n", rank, d_out[0].value, d_out[0].place, d_out[1].value, d_out[1].place);
  struct int_int i = {(rank * 3) % 8, rank}, i_out = {-1, -1};
  MPI_Allreduce(&i, &i_out, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  say("rank %d: maxloc %d at %d\n", rank, i_out.value, i_out.place);
  struct float_int f = {(float)((rank * 2) % 5), 100 + rank}, f_out = {-1, -1};
  MPI_Reduce(&f, &f_out, 1, MPI_FLOAT_INT, MPI_MAXLOC, ranks - 1, MPI_COMM_WORLD);
  if (rank == ranks - 1) say("rank %d: maxloc %.1f at %d\n", rank, (double)f_out.value, f_out.place);
  say_all();
  MPI_Finalize();
  return 0;
}
