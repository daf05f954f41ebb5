// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// All collectives that have algorithms, from several roots, with vectors shorter and longer than there are ranks, and
// operations that do and do not commute: a line of hashes for each call. What is compared goes to rank 0 by messages,
// so that only the call itself depends on its algorithm.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, MOST_RANKS = 32 };

static MPI_Comm comm;
static int me, size;

/* Matrices of two rows modulo a prime: their product does not commute. */
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const unsigned* a = in;
  unsigned* b = inout;
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    const unsigned c[4] = {(a[0] * b[0] + a[1] * b[2]) % 251, (a[0] * b[1] + a[1] * b[3]) % 251,
                           (a[2] * b[0] + a[3] * b[2]) % 251, (a[2] * b[1] + a[3] * b[3]) % 251};
    memcpy(b, c, sizeof c);
  }
}

static void fill(unsigned* values, size_t count, int salt) {
  for (size_t i = 0; i < count; ++i) values[i] = (unsigned)(37 * me + 11 * salt + (int)(i % 241)) % 251;
}

static void show(const char* what, int count, int root, const void* data, size_t bytes) {
  const unsigned char* bytes_of = data;
  unsigned hash = 2166136261U;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ bytes_of[i]) * 16777619U;
  if (me != 0) {
    MPI_Send(&hash, 1, MPI_UNSIGNED, 0, 99, comm);
    return;
  }
  printf("%s, %d elements, root %d: %08x", what, count, root, hash);
  for (int rank = 1; rank < size; ++rank) {
    MPI_Recv(&hash, 1, MPI_UNSIGNED, rank, 99, comm, MPI_STATUS_IGNORE);
    printf(" %08x", hash);
  }
  printf("\n");
}

static unsigned *in, *out;

static void rooted(int count, int root, MPI_Op product, MPI_Datatype matrix) {
  const size_t one = sizeof *in * (size_t)count, all = one * (size_t)size;
  fill(out, (size_t)count, root);
  MPI_Bcast(out, count, MPI_UNSIGNED, root, comm);
  show("bcast", count, root, out, one);
  fill(in, (size_t)count, 1);
  memset(out, 0, all);
  MPI_Reduce(in, out, count, MPI_UNSIGNED, MPI_SUM, root, comm);
  show("reduce", count, root, out, one);
  if (count % 4 == 0) {
    memset(out, 0, all);
    MPI_Reduce(in, out, count / 4, matrix, product, root, comm);
    show("reduce in order", count, root, out, one);
  }
  memset(out, 0, all);
  MPI_Gather(in, count, MPI_UNSIGNED, out, count, MPI_UNSIGNED, root, comm);
  show("gather", count, root, out, all);
  fill(in, (size_t)count * (size_t)size, 2);
  memset(out, 0, all);
  MPI_Scatter(in, count, MPI_UNSIGNED, out, count, MPI_UNSIGNED, root, comm);
  show("scatter", count, root, out, one);
  /* In place at the root. */
  fill(out, (size_t)count * (size_t)size, 3);
  MPI_Gather(me == root ? MPI_IN_PLACE : (const void*)in, count, MPI_UNSIGNED, out, count, MPI_UNSIGNED, root, comm);
  show("gather in place", count, root, out, all);
  MPI_Scatter(in, count, MPI_UNSIGNED, me == root ? MPI_IN_PLACE : (void*)out, count, MPI_UNSIGNED, root, comm);
  show("scatter in place", count, root, out, all);
}

static void rootless(int count, MPI_Op product, MPI_Datatype matrix) {
  const size_t one = sizeof *in * (size_t)count, all = one * (size_t)size;
  const int reductions = count % 4 == 0 ? 2 : 1;
  fill(in, (size_t)count * (size_t)size, 4);
  MPI_Barrier(comm);
  for (int ordered = 0; ordered < reductions; ++ordered) {
    const MPI_Datatype type = ordered ? matrix : MPI_UNSIGNED;
    const MPI_Op operation = ordered ? product : MPI_SUM;
    const int elements = ordered ? count / 4 : count;
    memset(out, 0, all);
    MPI_Allreduce(in, out, elements, type, operation, comm);
    show("allreduce", count, ordered, out, one);
    MPI_Scan(in, out, elements, type, operation, comm);
    show("scan", count, ordered, out, one);
    memset(out, 0, all);
    MPI_Exscan(in, out, elements, type, operation, comm);
    if (me == 0) memset(out, 0, one);
    show("exscan", count, ordered, out, one);
    MPI_Reduce_scatter_block(in, out, elements, type, operation, comm);
    show("reduce_scatter_block", count, ordered, out, one);
    memcpy(out, in, all);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, out, elements, type, operation, comm);
    show("reduce_scatter_block in place", count, ordered, out, one);
    memcpy(out, in, all);
    MPI_Allreduce(MPI_IN_PLACE, out, elements, type, operation, comm);
    show("allreduce in place", count, ordered, out, one);
  }
  memset(out, 0, all);
  MPI_Allgather(in, count, MPI_UNSIGNED, out, count, MPI_UNSIGNED, comm);
  show("allgather", count, -1, out, all);
  MPI_Alltoall(in, count, MPI_UNSIGNED, out, count, MPI_UNSIGNED, comm);
  show("alltoall", count, -1, out, all);
  MPI_Alltoall(MPI_IN_PLACE, count, MPI_UNSIGNED, out, count, MPI_UNSIGNED, comm);
  show("alltoall in place", count, -1, out, all);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_UNSIGNED, out, count, MPI_UNSIGNED, comm);
  show("allgather in place", count, -1, out, all);
  int counts[MOST_RANKS];
  for (int rank = 0; rank < size; ++rank) counts[rank] = rank % 3 * (count / 2);
  MPI_Reduce_scatter(in, out, counts, MPI_UNSIGNED, MPI_SUM, comm);
  show("reduce_scatter", count, -1, out, sizeof *out * (size_t)counts[me]);
  MPI_Barrier(comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  in = malloc(sizeof *in * MOST * (size_t)ranks);
  out = malloc(sizeof *out * MOST * (size_t)ranks);
  MPI_Datatype matrix;
  MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op product;
  MPI_Op_create(multiply, 0, &product);
  /* All ranks, in another order, and some of them. */
  for (int turn = 0; turn < 3; ++turn) {
    if (turn == 2 && ranks < 4) break;
    const int color = turn < 2 || rank % 4 != 1 ? 0 : MPI_UNDEFINED;
    MPI_Comm_split(MPI_COMM_WORLD, color, turn == 0 ? rank : 7 * rank % ranks, &comm);
    if (comm == MPI_COMM_NULL) continue;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    const int counts[] = {4, 1, 200, MOST};
    for (int i = 0; i < (turn == 0 ? 4 : 2); ++i) {
      for (int root = 0; root < size; root += size / 3 + 1) rooted(counts[i], root, product, matrix);
      rootless(counts[i], product, matrix);
    }
    MPI_Comm_free(&comm);
  }
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
