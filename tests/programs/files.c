// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Files: modes, views, offsets and pointers of each rank, requests, split collectives, errors.
#include "program.h"
#include "scratch_file.h"

static int class_of(int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  return class;
}

static int count_of(const MPI_Status* status, MPI_Datatype type) {
  int count;
  MPI_Get_count(status, type, &count);
  return count;
}

static void explicit_offsets(MPI_File file, int rank, int ranks) {
  int mine[8], found[8], i, flag;
  MPI_Status status;
  MPI_Request request;
  for (i = 0; i < 8; ++i) mine[i] = 100 * rank + i;
  MPI_File_write_at_all(file, (MPI_Offset)(rank * sizeof mine), mine, 8, MPI_INT, &status);
  say("wrote %d\n", count_of(&status, MPI_INT));
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  const int next = (rank + 1) % ranks;
  MPI_File_read_at(file, (MPI_Offset)(next * sizeof mine), found, 8, MPI_INT, &status);
  say("next %d %d count %d\n", found[0], found[7], count_of(&status, MPI_INT));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_iread_at(file, (MPI_Offset)(rank * sizeof mine + 8), found, 2, MPI_INT, &request);
  MPI_Wait(&request, &status);
  say("later %d %d count %d\n", found[0], found[1], count_of(&status, MPI_INT));
  MPI_File_iwrite_at(file, (MPI_Offset)(rank * sizeof mine), &mine[7], 1, MPI_INT, &request);
  do MPI_Test(&request, &flag, &status);
  while (!flag);
  MPI_File_read_at(file, (MPI_Offset)(rank * sizeof mine), found, 1, MPI_INT, &status);
  say("over %d\n", found[0]);
  MPI_Offset size;
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(file, &size);
  say("size %d of %d\n", (int)size, ranks * (int)sizeof mine);
  MPI_File_read_at_all(file, size - 4, found, 8, MPI_INT, &status);
  say("at the end %d\n", count_of(&status, MPI_INT));
}

static void views(MPI_File file, int rank, int ranks) {
  int mine[6], found[6] = {0}, i;
  MPI_Datatype column, etype, filetype;
  MPI_Offset offset, displacement;
  MPI_Status status;
  char representation[MPI_MAX_DATAREP_STRING];
  // Every rank sees blocks of two integers, dealt out in turn.
  MPI_Type_vector(3, 2, 2 * ranks, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_File_set_view(file, 8 + 8 * rank, MPI_INT, column, "native", MPI_INFO_NULL);
  for (i = 0; i < 6; ++i) mine[i] = 1000 * (rank + 1) + i;
  MPI_File_write_all(file, mine, 6, MPI_INT, &status);
  MPI_File_get_position(file, &offset);
  say("view: wrote %d, pointer %d\n", count_of(&status, MPI_INT), (int)offset);
  MPI_File_get_byte_offset(file, 3, &displacement);
  say("element 3 at byte %d\n", (int)displacement);
  MPI_File_seek(file, 1, MPI_SEEK_SET);
  MPI_File_read(file, found, 2, MPI_INT, &status);
  MPI_File_seek(file, 1, MPI_SEEK_CUR);
  MPI_File_read(file, found + 2, 1, MPI_INT, &status);
  say("read %d %d %d\n", found[0], found[1], found[2]);
  MPI_File_get_view(file, &displacement, &etype, &filetype, representation);
  MPI_Count extent;
  MPI_Type_get_extent_x(filetype, &(MPI_Count){0}, &extent);
  say("view %d %d extent %d %s\n", (int)displacement, etype == MPI_INT, (int)extent, representation);
  MPI_Type_free(&filetype);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  int dealt[2];
  MPI_File_read_at(file, 2 * ((rank + 1) % ranks) + 2 * ranks, dealt, 2, MPI_INT, &status);
  say("dealt %d %d\n", dealt[0], dealt[1]);
  // Elements with holes in memory.
  MPI_Datatype strided;
  MPI_Type_vector(3, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  memset(found, 0, sizeof found);
  MPI_File_read_at(file, 2 * rank, found, 1, strided, &status);
  say("holes %d %d %d %d %d, count %d\n", found[0], found[1], found[2] != 0, found[3], found[4] != 0,
      count_of(&status, strided));
  MPI_Type_free(&strided);
  MPI_Type_free(&column);
}

static void split_collectives(MPI_File file, int rank) {
  double mine[3] = {rank, rank + 0.5, -rank}, found[3] = {0};
  MPI_Status status;
  MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  MPI_File_write_at_all_begin(file, 3 * rank, mine, 3, MPI_DOUBLE);
  MPI_File_write_at_all_end(file, mine, &status);
  say("split wrote %d\n", count_of(&status, MPI_DOUBLE));
  MPI_File_seek(file, 3 * rank, MPI_SEEK_SET);
  MPI_File_read_all_begin(file, found, 3, MPI_DOUBLE);
  MPI_File_read_all_end(file, found, &status);
  say("split read %d: %g %g %g\n", count_of(&status, MPI_DOUBLE), found[0], found[1], found[2]);
}

static void sizes(MPI_File file) {
  MPI_Offset size;
  int flag;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_size(file, 40);
  MPI_File_get_size(file, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  say("size %d", (int)size);
  MPI_File_preallocate(file, 100);
  MPI_File_get_size(file, &size);
  say(" then %d\n", (int)size);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_seek(file, -10, MPI_SEEK_END);
  MPI_File_get_position(file, &size);
  say("ten before the end: %d\n", (int)size);
  MPI_File_set_atomicity(file, 1);
  MPI_File_get_atomicity(file, &flag);
  say("atomic %d\n", flag);
  MPI_File_set_atomicity(file, 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  MPI_File file;
  int value = 0;
  say("missing %d\n",
      class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file)) == MPI_ERR_NO_SUCH_FILE);
  say("no access %d\n",
      class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE, MPI_INFO_NULL, &file)) == MPI_ERR_AMODE);
  say("opened %d\n",
      MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  int mode;
  MPI_Group group;
  MPI_File_get_amode(file, &mode);
  MPI_File_get_group(file, &group);
  MPI_Group_size(group, &value);
  MPI_Group_free(&group);
  say("mode %d, group %d\n", mode == (MPI_MODE_CREATE | MPI_MODE_RDWR), value == ranks);
  explicit_offsets(file, rank, ranks);
  views(file, rank, ranks);
  split_collectives(file, rank);
  sizes(file);
  MPI_File_close(&file);
  say("closed %d\n", file == MPI_FILE_NULL);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  say("read only %d\n", class_of(MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE)) == MPI_ERR_READ_ONLY);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &file);
  MPI_Offset position;
  MPI_File_get_position(file, &position);
  say("append at %d\n", (int)position);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    say("deleted %d\n", MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS);
    say("again %d\n", class_of(MPI_File_delete(name, MPI_INFO_NULL)) == MPI_ERR_NO_SUCH_FILE);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
