// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Types found by class and size, and parameterized types of Fortran, are the predefined ones of that size.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  const int sizes[4] = {1, 2, 4, 8};
  for (int i = 0; i < 4; ++i) {
    MPI_Datatype type;
    int size;
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, sizes[i], &type);
    MPI_Type_size(type, &size);
    say("integer %d: %d\n", sizes[i], size);
  }
  for (int i = 2; i < 4; ++i) {
    MPI_Datatype real, complex;
    int real_size, complex_size;
    MPI_Type_match_size(MPI_TYPECLASS_REAL, sizes[i], &real);
    MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 2 * sizes[i], &complex);
    MPI_Type_size(real, &real_size);
    MPI_Type_size(complex, &complex_size);
    say("real %d: %d, complex %d\n", sizes[i], real_size, complex_size);
  }
  MPI_Datatype type;
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
  double mine = rank + 1, sum;
  MPI_Allreduce(&mine, &sum, 1, type, MPI_SUM, MPI_COMM_WORLD);
  say("sum %.0f\n", sum);
  say_all();
  MPI_Finalize();
  return 0;
}
