// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Bcast from every root, of lengths that are no multiple of a word, of several types, empty too.
#include "program.h"

static void bytes_from(int root, int bytes) {
  unsigned char* data = allocate((size_t)bytes + 1);
  if (my_rank() == root) fill(data, (size_t)bytes, (uint64_t)(root + bytes));
  data[bytes] = 0x5a;  // must stay
  MPI_Bcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  say("rank %d root %d: %d bytes, checksum %08x %s\n", my_rank(), root, bytes, (unsigned)checksum(data, (size_t)bytes),
      data[bytes] == 0x5a ? "inside" : "OVERRUN");
  free(data);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  for (int root = 0; root < ranks; ++root) bytes_from(root, 1 + 3 * root);
  const int sizes[] = {0, 1, 4, 255, 256, 257, 1023, 5000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) bytes_from((int)i % ranks, sizes[i]);
  double numbers[5] = {0};
  for (int i = 0; i < 5 && rank == ranks - 1; ++i) numbers[i] = i * 1.5;
  MPI_Bcast(numbers, 5, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
  short small[3] = {0};
  for (int i = 0; i < 3 && rank == 0; ++i) small[i] = (short)(i - 1);
  MPI_Bcast(small, 3, MPI_SHORT, 0, MPI_COMM_WORLD);
  say("rank %d: %.1f %.1f, %d %d %d\n", rank, numbers[1], numbers[4], small[0], small[1], small[2]);
  say_all();
  MPI_Finalize();
  return 0;
}
