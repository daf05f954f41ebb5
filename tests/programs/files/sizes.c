// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The size of a file is set and preallocated by all; what has been cut off reads as nothing.
#include "program.h"
#include "scratch_file.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  MPI_File file;
  MPI_Offset size;
  int mode, count;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_get_amode(file, &mode);
  say("mode %d\n", mode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE));
  const MPI_Offset sizes[4] = {0, 1000, 64, 4096};
  for (int i = 0; i < 4; ++i) {
    MPI_File_set_size(file, sizes[i]);
    MPI_File_get_size(file, &size);
    say(" %lld", (long long)size);
  }
  MPI_File_preallocate(file, 100);
  MPI_File_get_size(file, &size);
  say(" %lld\n", (long long)size);
  char data[40];
  fill(data, sizeof data, (uint64_t)rank);
  MPI_File_write_at(file, rank * 40, data, 40, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_size(file, 60);
  MPI_Status status;
  MPI_File_read_at(file, 30, data, 40, MPI_BYTE, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  say("%d of %d\n", count, ranks > 0 ? 40 : 0);
  MPI_File_close(&file);
  say_all();
  MPI_Finalize();
  return 0;
}
