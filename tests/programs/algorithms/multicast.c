// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Broadcasts of several lengths from several roots, in communicators that overlap, close behind one another.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 3000, kInARow = 90, kPending = 3 };

static unsigned sum;

static int value(int root, int turn, int i) { return root * 1000 + turn * 10 + i; }

static void take(const int* data, int count) {
  for (int i = 0; i < count; ++i) sum = sum * 31 + (unsigned)data[i];
}

static void broadcast(MPI_Comm group, int root, int count, int turn) {
  int data[kMost], rank;
  MPI_Comm_rank(group, &rank);
  for (int i = 0; i < count; ++i) data[i] = rank == root ? value(root, turn, i) : -1;
  MPI_Bcast(data, count, MPI_INT, root, group);
  take(data, count);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm backwards, halves, thirds;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 3, rank, &thirds);
  MPI_Comm groups[] = {MPI_COMM_WORLD, backwards, halves, thirds};
  const int counts[] = {1, 2, 14, 56, 57, 61, kMost};

  // Each root sends to other slots than the time before.
  for (int turn = 0; turn < 7; ++turn) {
    for (int g = 0; g < 4; ++g) {
      int size;
      MPI_Comm_size(groups[g], &size);
      broadcast(groups[g], turn * 5 % size, counts[turn], turn);
    }
  }
  // More than a receiver has room for, while it does something else.
  for (int turn = 0; turn < kInARow; ++turn) broadcast(MPI_COMM_WORLD, ranks - 1, 3, turn);

  // A message of the root before and behind a broadcast keeps its place.
  int before = rank, behind = rank;
  if (rank == 0) MPI_Send(&before, 1, MPI_INT, ranks - 1, 4, MPI_COMM_WORLD);
  broadcast(MPI_COMM_WORLD, 0, 5, 0);
  if (rank == 0) MPI_Send(&behind, 1, MPI_INT, ranks - 1, 4, MPI_COMM_WORLD);
  if (rank == ranks - 1) {
    MPI_Recv(&before, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&behind, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take(&before, 1);
    take(&behind, 1);
  }

  int pending[kPending][8];
  MPI_Request requests[kPending];
  for (int p = 0; p < kPending; ++p) {
    for (int i = 0; i < 8; ++i) pending[p][i] = rank == p ? value(p, 9, i) : -1;
    MPI_Ibcast(pending[p], 8, MPI_INT, p, MPI_COMM_WORLD, &requests[p]);
  }
  MPI_Waitall(kPending, requests, MPI_STATUSES_IGNORE);
  for (int p = 0; p < kPending; ++p) take(pending[p], 8);

  unsigned sums[64];
  MPI_Gather(&sum, 1, MPI_UNSIGNED, sums, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  for (int other = 0; rank == 0 && other < ranks; ++other) printf("%d: %u\n", other, sums[other]);
  MPI_Comm_free(&backwards);
  MPI_Comm_free(&halves);
  MPI_Comm_free(&thirds);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
