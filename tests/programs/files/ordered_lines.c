// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Lines of text of different lengths are written in the order of the ranks through the shared pointer.
#include "program.h"
#include "scratch_file.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  for (int turn = 0; turn < 3; ++turn) {
    char line[64];
    const int length = snprintf(line, sizeof line, "turn %d rank %d %.*s\n", turn, rank, (rank + turn) % 7, "abcdefg");
    MPI_File_write_ordered(file, line, length, MPI_CHAR, MPI_STATUS_IGNORE);
  }
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  if (rank == ranks - 1) {
    MPI_Offset size;
    MPI_File_get_size(file, &size);
    char* text = allocate((size_t)size + 1);
    MPI_File_read_at(file, 0, text, (int)size, MPI_CHAR, MPI_STATUS_IGNORE);
    say("%s", text);
    free(text);
  }
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  char letters[4];
  MPI_File_read_ordered(file, letters, 4, MPI_CHAR, MPI_STATUS_IGNORE);
  say("[%.4s]\n", letters[0] == '\n' ? "line" : letters);
  MPI_File_close(&file);
  say_all();
  MPI_Finalize();
  return 0;
}
