// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The other ways to read and write a file: every form of an access moves the same elements.
#include "program.h"
#include "scratch_file.h"

static MPI_File file;
static int mine[2], found[2];

static void check(const char* what, int rank) {
  say("%s %d\n", what, found[0] == mine[0] && found[1] == mine[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, 2 * rank, MPI_SEEK_SET);
  mine[0] += 1000, mine[1] += 2000;
  found[0] = found[1] = 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  const MPI_Offset at = 2 * rank;
  char name[SCRATCH_NAME];
  MPI_Request request;
  MPI_Status status;
  MPI_Info info;
  MPI_Aint extent;
  scratch_name(name);
  MPI_Register_datarep("as in memory", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, NULL, NULL);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_Info_create(&info);
  MPI_File_set_info(file, info);
  MPI_Info_free(&info);
  MPI_File_get_info(file, &info);
  say("hints %d\n", info != MPI_INFO_NULL);
  MPI_Info_free(&info);
  MPI_File_get_type_extent(file, MPI_DOUBLE, &extent);
  say("extent %d\n", (int)extent);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  mine[0] = rank, mine[1] = -rank;
  MPI_File_seek(file, at, MPI_SEEK_SET);

  MPI_File_iwrite(file, mine, 2, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_File_seek(file, at, MPI_SEEK_SET);
  MPI_File_iread(file, found, 2, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check("by requests", rank);
  MPI_File_iwrite_all(file, mine, 2, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_File_seek(file, at, MPI_SEEK_SET);
  MPI_File_iread_all(file, found, 2, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check("by all", rank);
  MPI_File_iwrite_at_all(file, at, mine, 2, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_File_iread_at_all(file, at, found, 2, MPI_INT, &request);
  MPI_Wait(&request, &status);
  check("by all, at", rank);
  MPI_File_write_at(file, at, mine, 2, MPI_INT, &status);
  MPI_File_read_all(file, found, 2, MPI_INT, &status);
  check("at", rank);
  MPI_File_write_all_begin(file, mine, 2, MPI_INT);
  MPI_File_write_all_end(file, mine, &status);
  MPI_File_read_at_all_begin(file, at, found, 2, MPI_INT);
  MPI_File_read_at_all_end(file, found, &status);
  check("split", rank);
  MPI_File_write_ordered_begin(file, mine, 2, MPI_INT);
  MPI_File_write_ordered_end(file, mine, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, found, 2, MPI_INT, &status);
  check("ordered", rank);
  MPI_File_close(&file);
  say_all();
  MPI_Finalize();
  return 0;
}
