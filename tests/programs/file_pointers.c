// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The file pointer that ranks share: in any order, in the order of the ranks, and moved by all.
#include "program.h"
#include "scratch_file.h"

static int count_of(const MPI_Status* status, MPI_Datatype type) {
  int count;
  MPI_Get_count(status, type, &count);
  return count;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  MPI_Offset offset;
  int mine[3] = {rank, rank, rank}, found[3], sum, all;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);

  // In any order: nothing is lost, and what one call writes stays together.
  MPI_File_write_shared(file, mine, 3, MPI_INT, &status);
  say("wrote %d\n", count_of(&status, MPI_INT));
  MPI_File_iwrite_shared(file, mine, 3, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &offset);
  MPI_Barrier(MPI_COMM_WORLD);
  say("pointer %d\n", (int)offset);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_shared(file, found, 3, MPI_INT, &status);
  say("together %d\n", found[0] == found[1] && found[1] == found[2]);
  sum = found[0];
  MPI_File_iread_shared(file, found, 3, MPI_INT, &request);
  MPI_Wait(&request, &status);
  sum += found[0];
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("sum %d of %d, count %d\n", all, ranks * (ranks - 1), count_of(&status, MPI_INT));

  // In the order of the ranks, with as many elements as the rank says.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 2, MPI_SEEK_SET);
  const int some = rank % 3;
  MPI_File_write_ordered(file, mine, some, MPI_INT, &status);
  say("ordered %d\n", count_of(&status, MPI_INT));
  MPI_File_get_position_shared(file, &offset);
  say("pointer %d\n", (int)offset);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 2, MPI_SEEK_SET);
  MPI_File_read_ordered_begin(file, found, some, MPI_INT);
  MPI_File_read_ordered_end(file, found, &status);
  say("ordered read %d %d\n", count_of(&status, MPI_INT), some == 0 || found[some - 1] == rank);
  MPI_File_seek_shared(file, -1, MPI_SEEK_CUR);
  MPI_File_get_position_shared(file, &offset);
  say("pointer %d\n", (int)offset);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  say("gone %d\n", access(name, F_OK) != 0);
  say_all();
  MPI_Finalize();
  return 0;
}
