// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A matrix is written by blocks through subarray views and read back by rows.
#include "program.h"
#include "scratch_file.h"

enum { N = 6 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  int dims[2] = {0, 0};
  MPI_Dims_create(ranks, 2, dims);
  const int sizes[2] = {dims[0] * N, dims[1] * N}, sub[2] = {N, N};
  const int starts[2] = {rank / dims[1] * N, rank % dims[1] * N};
  int block[N][N];
  for (int i = 0; i < N * N; ++i) {
    block[i / N][i % N] = (starts[0] + i / N) * sizes[1] + starts[1] + i % N;
  }
  MPI_Datatype view;
  MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT, &view);
  MPI_Type_commit(&view);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, view, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, block, N * N, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_Offset size;
  MPI_File_get_size(file, &size);
  int wrong = 0;
  for (int i = 0; i < sizes[0] * sizes[1]; i += N) {
    int row[N];
    MPI_File_read_at(file, i, row, N, MPI_INT, MPI_STATUS_IGNORE);
    for (int k = 0; k < N; ++k) wrong += row[k] != i + k;
  }
  say("%lld bytes, %d wrong\n", (long long)size, wrong);
  MPI_File_close(&file);
  MPI_Type_free(&view);
  say_all();
  MPI_Finalize();
  return 0;
}
