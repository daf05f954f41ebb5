// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Values of many kinds are packed one behind another, broadcast as MPI_PACKED and unpacked by all.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int root = ranks - 1;
  char buffer[2000];
  int position = 0, size, total = 0;
  int integers[5] = {1, -2, 3, -4, 5};
  double reals[3] = {0.5, -1.25, 1e10};
  long long wide = -123456789012345;
  char text[12] = "hello world";
  float complex_number[2] = {1.5F, -2.5F};
  MPI_Pack_size(5, MPI_INT, MPI_COMM_WORLD, &size), total += size;
  MPI_Pack_size(3, MPI_DOUBLE, MPI_COMM_WORLD, &size), total += size;
  MPI_Pack_size(1, MPI_LONG_LONG, MPI_COMM_WORLD, &size), total += size;
  MPI_Pack_size(12, MPI_CHAR, MPI_COMM_WORLD, &size), total += size;
  MPI_Pack_size(1, MPI_C_FLOAT_COMPLEX, MPI_COMM_WORLD, &size), total += size;
  if (rank == root) {
    integers[0] = rank;
    MPI_Pack(integers, 5, MPI_INT, buffer, 2000, &position, MPI_COMM_WORLD);
    MPI_Pack(reals, 3, MPI_DOUBLE, buffer, 2000, &position, MPI_COMM_WORLD);
    MPI_Pack(&wide, 1, MPI_LONG_LONG, buffer, 2000, &position, MPI_COMM_WORLD);
    MPI_Pack(text, 12, MPI_CHAR, buffer, 2000, &position, MPI_COMM_WORLD);
    MPI_Pack(complex_number, 1, MPI_C_FLOAT_COMPLEX, buffer, 2000, &position, MPI_COMM_WORLD);
    say("enough %d\n", position <= total);
  } else {
    memset(integers, 0, sizeof integers);
    memset(reals, 0, sizeof reals);
    memset(text, 0, sizeof text);
    wide = 0;
    complex_number[1] = 0;
  }
  MPI_Bcast(&position, 1, MPI_INT, root, MPI_COMM_WORLD);
  MPI_Bcast(buffer, position, MPI_PACKED, root, MPI_COMM_WORLD);
  const int length = position;
  position = 0;
  MPI_Unpack(buffer, length, &position, integers, 5, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(buffer, length, &position, reals, 3, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Unpack(buffer, length, &position, &wide, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
  MPI_Unpack(buffer, length, &position, text, 12, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Unpack(buffer, length, &position, complex_number, 1, MPI_C_FLOAT_COMPLEX, MPI_COMM_WORLD);
  say("%d %d, %.2f %.0f, %lld, %s, %.1f, %d\n", integers[0], integers[4], reals[1], reals[2], wide, text,
      (double)complex_number[1], position == length);
  say_all();
  MPI_Finalize();
  return 0;
}
