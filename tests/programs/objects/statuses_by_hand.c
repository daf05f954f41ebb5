// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Fields of a status are set and asked for by functions; elements are counted in another type.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Status status;
  memset(&status, 0, sizeof status);
  int count, source, tag, error, cancelled;
  MPI_Status_set_source(&status, rank);
  MPI_Status_set_tag(&status, 77);
  MPI_Status_set_error(&status, MPI_ERR_OTHER);
  MPI_Status_set_elements(&status, MPI_INT, 6);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Status_get_source(&status, &source);
  MPI_Status_get_tag(&status, &tag);
  MPI_Status_get_error(&status, &error);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Test_cancelled(&status, &cancelled);
  say("%d %d %d %d %d\n", source, tag, error == MPI_ERR_OTHER, count, cancelled);
  MPI_Datatype quad;
  MPI_Type_contiguous(4, MPI_INT, &quad);
  MPI_Type_commit(&quad);
  MPI_Get_count(&status, quad, &count);
  say("%d", count == MPI_UNDEFINED);
  MPI_Get_elements(&status, quad, &count);
  say(" %d\n", count);
  MPI_Type_free(&quad);
  say_all();
  MPI_Finalize();
  return 0;
}
