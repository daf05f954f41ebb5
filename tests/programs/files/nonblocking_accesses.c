// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Writes and reads with requests, at places and by the own pointer, several under way at once.
#include "program.h"
#include "scratch_file.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  int out[3][10], in[3][10];
  for (int i = 0; i < 30; ++i) out[i / 10][i % 10] = rank * 30 + i;
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, rank * (MPI_Offset)sizeof out, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_Request requests[3];
  MPI_Status statuses[3];
  MPI_File_iwrite_at(file, 20, out[2], 10, MPI_INT, &requests[0]);
  MPI_File_iwrite(file, out[0], 10, MPI_INT, &requests[1]);
  MPI_File_iwrite_at(file, 10, out[1], 10, MPI_INT, &requests[2]);
  MPI_Waitall(3, requests, statuses);
  int count;
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  MPI_Offset at;
  MPI_File_get_position(file, &at);
  say("wrote %d, at %lld\n", count, (long long)at);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_set_view(file, ((rank + 1) % ranks) * (MPI_Offset)sizeof out, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_iread_at_all(file, 0, in[0], 10, MPI_INT, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_File_seek(file, 10, MPI_SEEK_SET);
  MPI_File_iread_all(file, in[1], 20, MPI_INT, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  say("%d to %d\n", in[0][0], in[2][9]);
  MPI_File_close(&file);
  say_all();
  MPI_Finalize();
  return 0;
}
