// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Collectives between two groups: blocking, nonblocking, persistent; with roots on either side, short and long.
#include "program.h"

enum { MOST = 16, LONG = 3000 };

static MPI_Comm comm;
static int here, local, remote;
static bool low;

/** The root's number as each rank has to name it. @param side true: the root is of the low side. */
static int root_of(bool side, int root) {
  if (side != low) return root;
  return here == root ? MPI_ROOT : MPI_PROC_NULL;
}
static bool is_root(bool side, int root) { return side == low && here == root; }
static bool gets(bool side) { return side != low; }

static void finish(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }
/** Run a persistent request twice. */
static void twice(MPI_Request* request) {
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(request);
}

/** Not commutative: the product of 2 x 2 matrices modulo 1000. */
static void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  int *a = in, *b = inout;
  for (int i = 0; i < *length; ++i, a += 4, b += 4) {
    const int c[4] = {(a[0] * b[0] + a[1] * b[2]) % 1000, (a[0] * b[1] + a[1] * b[3]) % 1000,
                      (a[2] * b[0] + a[3] * b[2]) % 1000, (a[2] * b[1] + a[3] * b[3]) % 1000};
    memcpy(b, c, sizeof c);
  }
}

static void rooted(bool side, int root, int count, int way) {
  static int vector[LONG], result[LONG], blocks[MOST * LONG];
  const int name = root_of(side, root);
  const char* const text = side ? "low" : "high";
  MPI_Request request;
  // MPICH 5.0.2 sends what rank 0 has, whoever is the root of a nonblocking broadcast.
  const int first = way == 0 ? root : 0, first_name = root_of(side, first);
  for (int i = 0; i < count; ++i) vector[i] = is_root(side, first) ? 1000 * root + i : -1;
  if (way == 0) {
    MPI_Bcast(vector, count, MPI_INT, first_name, comm);
  } else if (way == 1) {
    MPI_Ibcast(vector, count, MPI_INT, first_name, comm, &request);
    finish(&request);
  } else {
    MPI_Bcast_init(vector, count, MPI_INT, first_name, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  if (gets(side)) say("bcast from %s %d x %d: %x\n", text, first, count, checksum(vector, sizeof(int) * count));
  for (int i = 0; i < count; ++i) vector[i] = here + i, result[i] = -1;
  if (way == 0) {
    MPI_Reduce(vector, result, count, MPI_INT, MPI_SUM, name, comm);
  } else if (way == 1) {
    MPI_Ireduce(vector, result, count, MPI_INT, MPI_SUM, name, comm, &request);
    finish(&request);
  } else {
    MPI_Reduce_init(vector, result, count, MPI_INT, MPI_SUM, name, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  if (is_root(side, root)) say("reduce to %s %d: %x\n", text, root, checksum(result, sizeof(int) * count));
  const int block = count < 100 ? count : 100;
  memset(blocks, 0xff, sizeof blocks);
  for (int i = 0; i < block; ++i) vector[i] = 10000 * here + i;
  if (way == 0) {
    MPI_Gather(vector, block, MPI_INT, blocks, block, MPI_INT, name, comm);
  } else if (way == 1) {
    MPI_Igather(vector, block, MPI_INT, blocks, block, MPI_INT, name, comm, &request);
    finish(&request);
  } else {
    MPI_Gather_init(vector, block, MPI_INT, blocks, block, MPI_INT, name, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  if (is_root(side, root)) say("gather: %x\n", checksum(blocks, sizeof(int) * block * remote));
  for (int i = 0; i < MOST * block; ++i) blocks[i] = is_root(side, root) ? 7 * i + root : 0;
  if (way == 0) {
    MPI_Scatter(blocks, block, MPI_INT, result, block, MPI_INT, name, comm);
  } else if (way == 1) {
    MPI_Iscatter(blocks, block, MPI_INT, result, block, MPI_INT, name, comm, &request);
    finish(&request);
  } else {
    MPI_Scatter_init(blocks, block, MPI_INT, result, block, MPI_INT, name, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  if (gets(side)) say("scatter: %x\n", checksum(result, sizeof(int) * block));
  // Blocks of different lengths with gaps: rank i of the other side has i + 1 elements.
  int counts[MOST], places[MOST];
  for (int i = 0; i < MOST; ++i) counts[i] = i + 1, places[i] = i * (i + 3) / 2;
  memset(blocks, 0xff, sizeof blocks);
  if (way == 0) {
    MPI_Gatherv(vector, here + 1, MPI_INT, blocks, counts, places, MPI_INT, name, comm);
  } else if (way == 1) {
    MPI_Igatherv(vector, here + 1, MPI_INT, blocks, counts, places, MPI_INT, name, comm, &request);
    finish(&request);
  } else {
    MPI_Gatherv_init(vector, here + 1, MPI_INT, blocks, counts, places, MPI_INT, name, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  if (is_root(side, root)) say("gatherv: %x\n", checksum(blocks, sizeof(int) * 200));
  for (int i = 0; i < 400; ++i) blocks[i] = i;
  memset(result, 0, sizeof result);
  if (way == 0) {
    MPI_Scatterv(blocks, counts, places, MPI_INT, result, here + 1, MPI_INT, name, comm);
  } else if (way == 1) {
    MPI_Iscatterv(blocks, counts, places, MPI_INT, result, here + 1, MPI_INT, name, comm, &request);
    finish(&request);
  } else {
    MPI_Scatterv_init(blocks, counts, places, MPI_INT, result, here + 1, MPI_INT, name, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  if (gets(side)) say("scatterv: %x\n", checksum(result, sizeof(int) * 20));
}

static void for_all(int count, int way, MPI_Op product) {
  static int vector[4 * LONG], result[4 * LONG], blocks[MOST * 128], more[MOST * 128];
  MPI_Request request;
  MPI_Datatype matrix;
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  if (way == 0) {
    MPI_Barrier(comm);
  } else if (way == 1) {
    MPI_Ibarrier(comm, &request);
    finish(&request);
  } else {
    MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  for (int i = 0; i < 4 * count; ++i) vector[i] = (low ? 3 : 5) * here + i % 7 + 1, result[i] = -1;
  if (way == 0) {
    MPI_Allreduce(vector, result, count, matrix, product, comm);
  } else if (way == 1) {
    MPI_Iallreduce(vector, result, count, matrix, product, comm, &request);
    finish(&request);
  } else {
    MPI_Allreduce_init(vector, result, count, matrix, product, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  say("allreduce: %x", checksum(result, sizeof(int) * 4 * count));
  MPI_Allreduce(vector, result, count, MPI_INT, MPI_MAX, comm);
  say(" %x\n", checksum(result, sizeof(int) * count));
  // The sides give blocks of different lengths.
  const int ours = low ? 3 : 5, theirs = low ? 5 : 3;
  memset(blocks, 0xff, sizeof blocks);
  if (way == 0) {
    MPI_Allgather(vector, ours, MPI_INT, blocks, theirs, MPI_INT, comm);
  } else if (way == 1) {
    MPI_Iallgather(vector, ours, MPI_INT, blocks, theirs, MPI_INT, comm, &request);
    finish(&request);
  } else {
    MPI_Allgather_init(vector, ours, MPI_INT, blocks, theirs, MPI_INT, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  say("allgather: %x\n", checksum(blocks, sizeof(int) * theirs * remote));
  int counts[MOST], places[MOST], sent[MOST], sent_places[MOST];
  for (int i = 0; i < MOST; ++i) {
    counts[i] = i + 2, places[i] = 20 * i;
    sent[i] = (here + i) % 4, sent_places[i] = 6 * i;
  }
  memset(blocks, 0xff, sizeof blocks);
  if (way == 0) {
    MPI_Allgatherv(vector, here + 2, MPI_INT, blocks, counts, places, MPI_INT, comm);
  } else if (way == 1) {
    MPI_Iallgatherv(vector, here + 2, MPI_INT, blocks, counts, places, MPI_INT, comm, &request);
    finish(&request);
  } else {
    MPI_Allgatherv_init(vector, here + 2, MPI_INT, blocks, counts, places, MPI_INT, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  say("allgatherv: %x\n", checksum(blocks, sizeof blocks));
  for (int i = 0; i < MOST * 128; ++i) more[i] = 1000 * here + i + (low ? 500000 : 0);
  memset(blocks, 0xff, sizeof blocks);
  if (way == 0) {
    MPI_Alltoall(more, ours, MPI_INT, blocks, theirs, MPI_INT, comm);
  } else if (way == 1) {
    MPI_Ialltoall(more, ours, MPI_INT, blocks, theirs, MPI_INT, comm, &request);
    finish(&request);
  } else {
    MPI_Alltoall_init(more, ours, MPI_INT, blocks, theirs, MPI_INT, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  say("alltoall: %x\n", checksum(blocks, sizeof(int) * theirs * remote));
  memset(blocks, 0xff, sizeof blocks);
  if (way == 0) {
    MPI_Alltoallv(more, sent, sent_places, MPI_INT, blocks, sent, sent_places, MPI_INT, comm);
  } else if (way == 1) {
    MPI_Ialltoallv(more, sent, sent_places, MPI_INT, blocks, sent, sent_places, MPI_INT, comm, &request);
    finish(&request);
  } else {
    MPI_Alltoallv_init(more, sent, sent_places, MPI_INT, blocks, sent, sent_places, MPI_INT, comm, MPI_INFO_NULL,
                       &request);
    twice(&request);
  }
  say("alltoallv: %x\n", checksum(blocks, sizeof blocks));
  MPI_Datatype types[MOST];
  for (int i = 0; i < MOST; ++i) types[i] = (here + i) % 2 ? MPI_INT : MPI_FLOAT, sent_places[i] = 24 * i;
  memset(blocks, 0xff, sizeof blocks);
  if (way == 0) {
    MPI_Alltoallw(more, sent, sent_places, types, blocks, sent, sent_places, types, comm);
  } else if (way == 1) {
    MPI_Ialltoallw(more, sent, sent_places, types, blocks, sent, sent_places, types, comm, &request);
    finish(&request);
  } else {
    MPI_Alltoallw_init(more, sent, sent_places, types, blocks, sent, sent_places, types, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  say("alltoallw: %x\n", checksum(blocks, sizeof blocks));
  // Both sides have the same number of elements altogether, and divide it among themselves.
  const int total = 2 * local * remote;
  for (int i = 0; i < local; ++i) counts[i] = 2 * remote;
  counts[0] += local > 1 ? 1 : 0;
  if (local > 1) counts[local - 1] -= 1;
  for (int i = 0; i < 4 * total; ++i) vector[i] = (here + 2) * i % 11 + low;
  memset(result, 0xff, sizeof result);
  if (way == 0) {
    MPI_Reduce_scatter(vector, result, counts, matrix, product, comm);
  } else if (way == 1) {
    MPI_Ireduce_scatter(vector, result, counts, matrix, product, comm, &request);
    finish(&request);
  } else {
    MPI_Reduce_scatter_init(vector, result, counts, matrix, product, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  say("reduce_scatter: %x", checksum(result, 4 * sizeof(int) * counts[here]));
  memset(result, 0xff, sizeof result);
  if (way == 0) {
    MPI_Reduce_scatter_block(vector, result, 2 * remote, MPI_INT, MPI_SUM, comm);
  } else if (way == 1) {
    MPI_Ireduce_scatter_block(vector, result, 2 * remote, MPI_INT, MPI_SUM, comm, &request);
    finish(&request);
  } else {
    MPI_Reduce_scatter_block_init(vector, result, 2 * remote, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    twice(&request);
  }
  say(" %x\n", checksum(result, sizeof(int) * 2 * remote));
  MPI_Type_free(&matrix);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Op product;
  MPI_Op_create(multiply, 0, &product);
  if (ranks > 1) {
    MPI_Comm side;
    low = rank < (ranks + 2) / 3;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, low ? (ranks + 2) / 3 : 0, 4, &comm);
    MPI_Comm_rank(comm, &here);
    MPI_Comm_size(comm, &local);
    MPI_Comm_remote_size(comm, &remote);
    for (int way = 0; way < 3; ++way) {
      int last[2];
      last[low] = local - 1, last[!low] = remote - 1;
      rooted(true, 0, 4, way);
      rooted(true, last[1], LONG, way);
      rooted(false, 0, 1, way);
      rooted(false, last[0], LONG, way);
      for_all(way == 1 ? 300 : 1, way, product);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&side);
  }
  MPI_Op_free(&product);
  say_all();
  MPI_Finalize();
  return 0;
}
