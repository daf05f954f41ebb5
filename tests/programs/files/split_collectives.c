// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Collective accesses in two halves, with messages between them.
#include "program.h"
#include "scratch_file.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  double out[8], in[8];
  for (int i = 0; i < 8; ++i) out[i] = rank * 8 + i;
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_Status status;
  int count, sum, value = rank;
  MPI_File_write_at_all_begin(file, rank * (MPI_Offset)sizeof out, out, 8, MPI_DOUBLE);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_File_write_at_all_end(file, out, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  say("%d written, sum %d\n", count, sum);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_seek(file, ((rank + 2) % ranks) * (MPI_Offset)sizeof out, MPI_SEEK_SET);
  MPI_File_read_all_begin(file, in, 8, MPI_DOUBLE);
  MPI_File_read_all_end(file, in, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  say("%d read, %.0f %.0f\n", count, in[0], in[7]);
  MPI_File_close(&file);
  say_all();
  MPI_Finalize();
  return 0;
}
