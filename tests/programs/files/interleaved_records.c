// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Records of all ranks lie in turn in a file: strided views, written forth and read by another rank.
#include "program.h"
#include "scratch_file.h"

enum { RECORDS = 5, LENGTH = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  MPI_Datatype record, every;
  MPI_Type_contiguous(LENGTH, MPI_DOUBLE, &record);
  MPI_Type_create_resized(record, 0, (MPI_Aint)((size_t)(LENGTH * ranks) * sizeof(double)), &every);
  MPI_Type_commit(&every);
  double mine[RECORDS][LENGTH], got[RECORDS][LENGTH] = {{0}};
  for (int i = 0; i < RECORDS * LENGTH; ++i) mine[i / LENGTH][i % LENGTH] = rank + i / 16.0;
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  const MPI_Offset header = 16;
  MPI_File_set_view(file, header + rank * LENGTH * (MPI_Offset)sizeof(double), MPI_DOUBLE, every, "native",
                    MPI_INFO_NULL);
  MPI_File_write_all(file, mine, RECORDS * LENGTH, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  const int other = (rank + 1) % ranks;
  MPI_File_set_view(file, header + other * LENGTH * (MPI_Offset)sizeof(double), MPI_DOUBLE, every, "native",
                    MPI_INFO_NULL);
  MPI_Status status;
  int count;
  MPI_File_read_at(file, LENGTH, got[1], (RECORDS - 1) * LENGTH, MPI_DOUBLE, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Offset at, bytes;
  MPI_File_get_position(file, &at);
  MPI_File_get_byte_offset(file, LENGTH + 1, &bytes);
  say("%d numbers, %.4f to %.4f, at %lld, byte %lld\n", count, got[1][0], got[RECORDS - 1][LENGTH - 1], (long long)at,
      (long long)bytes);
  MPI_File_close(&file);
  MPI_Type_free(&record);
  MPI_Type_free(&every);
  say_all();
  MPI_Finalize();
  return 0;
}
