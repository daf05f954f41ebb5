// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Mistakes with files. The program's argument names the mistake.
#include "../scratch_file.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* mistake = argc > 1 ? argv[1] : "";
  const int rank = my_rank();
  char name[SCRATCH_NAME];
  int value[2] = {rank, rank};
  MPI_File file;
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  scratch_name(name);
  if (strcmp(mistake, "missing") == 0) MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  const int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR;
  const int other = strcmp(mistake, "other_mode") == 0 && rank == 1 ? MPI_MODE_APPEND : 0;
  MPI_File_open(MPI_COMM_WORLD, name, mode | other, MPI_INFO_NULL, &file);
  if (strcmp(mistake, "other_call") == 0) {
    if (rank == 0) {
      MPI_File_sync(file);
    } else {
      MPI_File_set_size(file, 8);
    }
  } else if (strcmp(mistake, "other_size") == 0) {
    MPI_File_set_size(file, rank == 0 ? 8 : 16);
  } else if (strcmp(mistake, "split_left") == 0) {
    MPI_File_write_at_all_begin(file, 8 * rank, value, 2, MPI_INT);
    MPI_File_close(&file);
  } else if (strcmp(mistake, "wrong_end") == 0) {
    MPI_File_write_at_all_begin(file, 8 * rank, value, 2, MPI_INT);
    MPI_File_write_all_end(file, value, MPI_STATUS_IGNORE);
  } else if (strcmp(mistake, "half_an_element") == 0) {
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_write(file, value, 1, MPI_INT, MPI_STATUS_IGNORE);
  } else if (strcmp(mistake, "representation") == 0) {
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "extrenal32", MPI_INFO_NULL);
  } else if (strcmp(mistake, "no_extent") == 0) {
    MPI_Datatype flat;
    MPI_Type_create_resized(MPI_INT, 0, 0, &flat);
    MPI_Type_commit(&flat);
    MPI_File_set_view(file, 0, MPI_INT, flat, "native", MPI_INFO_NULL);
  } else if (strcmp(mistake, "closed") == 0) {
    const MPI_File stale = file;
    MPI_File_close(&file);
    MPI_File_sync(stale);
  }
  MPI_Finalize();
  return 0;
}
