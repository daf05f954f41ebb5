// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// What lies in a file: big-endian elements in "external32", holes of a view, and a file that is only read in order.
#include "program.h"
#include "scratch_file.h"

static void say_bytes(const char* what, const unsigned char* bytes, int count) {
  say("%s", what);
  for (int i = 0; i < count; ++i) say(" %02x", bytes[i]);
  say("\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  MPI_File file;
  MPI_Status status;
  MPI_Offset offset;
  unsigned char bytes[16];
  scratch_name(name);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);

  // The same elements as others read them, and as bytes.
  const int mine[4] = {0x01020304, rank, -1, 0x7fffff00 + rank};
  int found[4] = {0}, holes[7] = {0};
  MPI_File_set_view(file, 16 * rank, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
  MPI_File_write_at(file, 0, mine, 4, MPI_INT, &status);
  MPI_File_read_at(file, 0, found, 4, MPI_INT, &status);
  say("external %d\n", memcmp(mine, found, sizeof mine) == 0);
  MPI_Datatype strided;
  MPI_Type_vector(4, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  MPI_File_read_at(file, 0, holes, 1, strided, &status);
  say("with holes %d %d %d %d %d\n", holes[0] == mine[0], holes[1], holes[2] == mine[1], holes[5], holes[6] == mine[3]);
  MPI_Type_free(&strided);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_read_at(file, 16 * rank, bytes, 16, MPI_BYTE, &status);
  say_bytes("bytes", bytes, 16);

  // The end of a file as a view with holes sees it.
  MPI_Datatype pair, tile;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 16, &tile);
  MPI_Type_commit(&tile);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_view(file, 4, MPI_INT, tile, "native", MPI_INFO_NULL);
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_File_get_position(file, &offset);
  say("end at element %d of %d ranks\n", (int)offset, ranks);
  MPI_File_get_byte_offset(file, 3, &offset);
  say("element 3 at byte %d\n", (int)offset);
  MPI_Type_free(&pair);
  MPI_Type_free(&tile);
  MPI_File_close(&file);

  // In order only: the shared pointer, from where it is.
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  MPI_File_read_ordered(file, bytes, 8, MPI_BYTE, &status);
  say_bytes("sequential", bytes, 8);
  const int error = MPI_File_read_at(file, 0, bytes, 1, MPI_BYTE, &status);
  say("at an offset %d\n", error != MPI_SUCCESS);
  MPI_File_close(&file);
  say_all();
  MPI_Finalize();
  return 0;
}
