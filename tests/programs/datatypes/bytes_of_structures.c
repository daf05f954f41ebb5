// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Indexed types by bytes pick the fields of one kind out of an array of structures.
#include "program.h"

struct record {
  char name[6];
  int year;
  float weight;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct record records[8];
  memset(records, 0, sizeof records);
  for (int i = 0; i < 8; ++i) {
    snprintf(records[i].name, sizeof records[i].name, "r%dn%d", rank % 10, i);
    records[i].year = 1900 + rank + i;
    records[i].weight = (float)(rank + i * 0.5);
  }
  MPI_Aint years[8], names[8];
  int lengths[8];
  for (int i = 0; i < 8; ++i) {
    years[i] = (MPI_Aint)((size_t)i * sizeof(struct record) + offsetof(struct record, year));
    names[i] = (MPI_Aint)((size_t)i * sizeof(struct record));
    lengths[i] = i % 3 == 0 ? 6 : i % 3;
  }
  MPI_Datatype year, name;
  MPI_Type_create_hindexed_block(8, 1, years, MPI_INT, &year);
  MPI_Type_create_hindexed(8, lengths, names, MPI_CHAR, &name);
  MPI_Type_commit(&year);
  MPI_Type_commit(&name);
  int all[17 * 8];
  MPI_Gather(records, 1, year, all, 8, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i < 8 * ranks; ++i) say(" %d", all[i]);
    say("\n");
  }
  char text[64] = "";
  int size;
  MPI_Type_size(name, &size);
  MPI_Sendrecv(records, 1, name, rank, 0, text, size, MPI_CHAR, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i) say("%c", text[i] == 0 ? '.' : text[i]);
  say("\n");
  MPI_Type_free(&year);
  MPI_Type_free(&name);
  say_all();
  MPI_Finalize();
  return 0;
}
