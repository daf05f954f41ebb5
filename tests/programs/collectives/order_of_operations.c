// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// An operation that does not commute is applied in the order of the ranks, in each kind of reduction.
#include "program.h"

/** Two-by-two matrices of small remainders, whose product depends on the order. */
static void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const int* a = in;
  int* b = inout;
  for (int i = 0; i < *length; ++i, a += 4, b += 4) {
    const int product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                            a[2] * b[1] + a[3] * b[3]};
    for (int k = 0; k < 4; ++k) b[k] = product[k] % 9973;
  }
}

static void tell(const char* name, const int* m) { say("%s %d %d %d %d\n", name, m[0], m[1], m[2], m[3]); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Op product;
  MPI_Datatype matrix;
  int commutes;
  MPI_Op_create(multiply, 0, &product);
  MPI_Op_commutative(product, &commutes);
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  const int mine[4] = {rank + 1, 2, rank % 3, 5};
  int result[4] = {0};
  for (int root = 0; root < ranks; root += 4) {
    MPI_Reduce(mine, result, 1, matrix, product, root, MPI_COMM_WORLD);
    if (rank == root) tell("reduce", result);
  }
  MPI_Allreduce(mine, result, 1, matrix, product, MPI_COMM_WORLD);
  tell("allreduce", result);
  MPI_Scan(mine, result, 1, matrix, product, MPI_COMM_WORLD);
  tell("scan", result);
  memset(result, 0, sizeof result);
  MPI_Exscan(mine, result, 1, matrix, product, MPI_COMM_WORLD);
  if (rank > 0) tell("exscan", result);
  int many[17 * 4];
  for (int r = 0; r < ranks; ++r) {
    for (int k = 0; k < 4; ++k) many[r * 4 + k] = mine[k] + r;
  }
  MPI_Reduce_scatter_block(many, result, 1, matrix, product, MPI_COMM_WORLD);
  tell("scattered", result);
  say("commutes %d\n", commutes);
  MPI_Type_free(&matrix);
  MPI_Op_free(&product);
  say_all();
  MPI_Finalize();
  return 0;
}
