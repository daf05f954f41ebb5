// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A message that ends within an element: MPI_Get_count is undefined, MPI_Get_elements counts the parts.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Datatype triple, mixed;
  MPI_Type_contiguous(3, MPI_INT, &triple);
  const int lengths[2] = {1, 2};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, places, types, &mixed);
  MPI_Type_commit(&triple);
  MPI_Type_commit(&mixed);
  const int numbers[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  int in[12], count, elements;
  for (int n = 0; n <= 9; n += 2) {
    MPI_Status status;
    MPI_Sendrecv(numbers, n, MPI_INT, rank, 0, in, 4, triple, rank, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, triple, &count);
    MPI_Get_elements(&status, triple, &elements);
    MPI_Count elements_c;
    MPI_Get_elements_c(&status, triple, &elements_c);
    say("%d: %d of %d, %lld\n", n, count == MPI_UNDEFINED ? -1 : count, elements, (long long)elements_c);
  }
  struct {
    int a;
    double b[2];
  } one = {rank, {rank + 0.5, rank + 1.5}}, two[2];
  char packed[64];
  int position = 0;
  MPI_Pack(&one, 1, mixed, packed, 64, &position, MPI_COMM_WORLD);
  MPI_Pack(&one.a, 1, MPI_INT, packed, 64, &position, MPI_COMM_WORLD);
  MPI_Pack(&one.b, 1, MPI_DOUBLE, packed, 64, &position, MPI_COMM_WORLD);
  MPI_Status status;
  MPI_Sendrecv(packed, position, MPI_PACKED, rank, 0, two, 2, mixed, rank, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, mixed, &count);
  MPI_Get_elements(&status, mixed, &elements);
  say("%d of %d, %.1f\n", count == MPI_UNDEFINED ? -1 : count, elements, two[1].b[0]);
  MPI_Type_free(&triple);
  MPI_Type_free(&mixed);
  say_all();
  MPI_Finalize();
  return 0;
}
