// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Operations of the user: a commutative one, and the product of 2x2 matrices, which is not, in rank order for every
// root.
#include "program.h"

enum { MODULUS = 10007 };

static void multiply_modulo(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] = ((int*)in)[i] * ((int*)inout)[i] % MODULUS;
}

/** inout = in * inout: `in` comes from the lower ranks. */
static void multiply_matrices(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) {
    const int* a = (const int*)in + 4 * i;
    int* b = (int*)inout + 4 * i;
    const int c[4] = {(a[0] * b[0] + a[1] * b[2]) % MODULUS, (a[0] * b[1] + a[1] * b[3]) % MODULUS,
                      (a[2] * b[0] + a[3] * b[2]) % MODULUS, (a[2] * b[1] + a[3] * b[3]) % MODULUS};
    memcpy(b, c, sizeof c);
  }
}

static void say_matrix(const char* what, int root, const int* m) {
  say("rank %d %s %d: %d %d %d %d\n", my_rank(), what, root, m[0], m[1], m[2], m[3]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Op commutative, ordered;
  MPI_Op_create(multiply_modulo, 1, &commutative);
  MPI_Op_create(multiply_matrices, 0, &ordered);
  MPI_Datatype matrix;
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);

  const int in[3] = {rank + 2, 3 * rank + 1, 5};
  int out[3] = {0};
  MPI_Allreduce(in, out, 3, MPI_INT, commutative, MPI_COMM_WORLD);
  say("rank %d: %d %d %d\n", rank, out[0], out[1], out[2]);

  const int mine[4] = {rank + 1, 2, 3, rank % 3};
  int product[4];
  for (int root = 0; root < ranks; root += 3) {
    memset(product, 0, sizeof product);
    MPI_Reduce(mine, product, 1, matrix, ordered, root, MPI_COMM_WORLD);
    if (rank == root) say_matrix("reduce to", root, product);
  }
  MPI_Allreduce(mine, product, 1, matrix, ordered, MPI_COMM_WORLD);
  say_matrix("allreduce", 0, product);
  MPI_Scan(mine, product, 1, matrix, ordered, MPI_COMM_WORLD);
  say_matrix("scan", 0, product);

  MPI_Type_free(&matrix);
  MPI_Op_free(&ordered);
  MPI_Op_free(&commutative);
  say("rank %d: handles are null %d %d\n", rank, matrix == MPI_DATATYPE_NULL, ordered == MPI_OP_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
