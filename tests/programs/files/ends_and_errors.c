// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Reads beyond the end are short; files that do not exist, are read-only or exist already have their error
// classes.
#include "program.h"
#include "scratch_file.h"

static const char* class_of(int code) {
  int class;
  MPI_Error_class(code, &class);
  return class == MPI_SUCCESS            ? "fine"
         : class == MPI_ERR_NO_SUCH_FILE ? "no such file"
         : class == MPI_ERR_FILE_EXISTS  ? "exists"
         : class == MPI_ERR_AMODE        ? "mode"
                                         : "other";
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  MPI_File file;
  say("%s\n", class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file)));
  say("%s\n", class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &file)));
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  if (rank == 0) MPI_File_write_at(file, 0, "0123456789", 10, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  say("%s\n", class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY,
                                     MPI_INFO_NULL, &file)));
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  for (int at = 4; at <= 12; at += 4) {
    char text[8] = "-------";
    MPI_Status status;
    int count;
    MPI_File_read_at(file, at, text, 7, MPI_CHAR, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    say("%d: %d %.7s\n", at, count, text);
  }
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    say("%s\n", class_of(MPI_File_delete(name, MPI_INFO_NULL)));
    say("%s of %d\n", class_of(MPI_File_delete(name, MPI_INFO_NULL)), ranks > 0);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
