// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A distributed array by cyclic blocks is written by all collectively and read whole by one.
#include "program.h"
#include "scratch_file.h"

enum { N = 40 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  const int size = N, kind = MPI_DISTRIBUTE_CYCLIC, block = 3;
  MPI_Datatype view;
  MPI_Type_create_darray(ranks, rank, 1, &size, &kind, &block, &ranks, MPI_ORDER_C, MPI_SHORT, &view);
  MPI_Type_commit(&view);
  int bytes;
  MPI_Type_size(view, &bytes);
  const int count = bytes / (int)sizeof(short);
  short mine[N];
  for (int i = 0; i < count; ++i) mine[i] = (short)(rank * 100 + i);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_SHORT, view, "native", MPI_INFO_NULL);
  if (count > 0) {
    MPI_File_write_all(file, mine, count, MPI_SHORT, MPI_STATUS_IGNORE);
  } else {
    MPI_File_write_all(file, NULL, 0, MPI_SHORT, MPI_STATUS_IGNORE);
  }
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_set_view(file, 0, MPI_SHORT, MPI_SHORT, "native", MPI_INFO_NULL);
  if (rank == ranks / 2) {
    short all[N];
    MPI_File_read(file, all, N, MPI_SHORT, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i) say(" %d", all[i]);
    say("\n");
  }
  MPI_File_close(&file);
  MPI_Type_free(&view);
  say_all();
  MPI_Finalize();
  return 0;
}
