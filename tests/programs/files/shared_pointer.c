// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Every rank takes records through the shared pointer: each record is taken once, whoever takes it.
#include "program.h"
#include "scratch_file.h"

enum { EACH = 4 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  for (int i = 0; i < EACH; ++i) {
    const long record[2] = {rank + 1, (long)(rank + 1) * (i + 1)};
    MPI_File_write_shared(file, record, 2, MPI_LONG, MPI_STATUS_IGNORE);
  }
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_Offset at;
  MPI_File_get_position_shared(file, &at);
  say("pointer at %lld\n", (long long)at);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  long sums[2] = {0, 0}, all[2];
  for (int i = 0; i < EACH; ++i) {
    long record[2];
    MPI_File_read_shared(file, record, 2, MPI_LONG, MPI_STATUS_IGNORE);
    sums[0] += record[0];
    sums[1] += record[1];
  }
  MPI_Reduce(sums, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) say("%ld %ld of %d\n", all[0], all[1], ranks);
  MPI_File_close(&file);
  say_all();
  MPI_Finalize();
  return 0;
}
