// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Collectives of neighbours on grids, rings of one and two ranks, graphs and distributed graphs, in all their ways.
#include "program.h"

enum { MOST = 40, ROOM = 40 * 700 };

static int out[ROOM], in[ROOM];

static void finish(int way, MPI_Request* request) {
  if (way == 1) MPI_Wait(request, MPI_STATUS_IGNORE);
  if (way != 2) return;
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(request);
}

static void clear(void) {
  for (int i = 0; i < ROOM; ++i) in[i] = -1;
}

static void try_all(const char* what, MPI_Comm comm, int sources, int destinations, int count) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < ROOM; ++i) out[i] = 100000 * rank + i;
  for (int way = 0; way < 3; ++way) {
    MPI_Request request;
    clear();
    if (way == 0) MPI_Neighbor_allgather(out, count, MPI_INT, in, count, MPI_INT, comm);
    if (way == 1) MPI_Ineighbor_allgather(out, count, MPI_INT, in, count, MPI_INT, comm, &request);
    if (way == 2) MPI_Neighbor_allgather_init(out, count, MPI_INT, in, count, MPI_INT, comm, MPI_INFO_NULL, &request);
    finish(way, &request);
    say("%s %d: %x", what, way, checksum(in, sizeof in));
    int counts[MOST], places[MOST];
    for (int i = 0; i < sources; ++i) counts[i] = count, places[i] = (count + 2) * (sources - 1 - i);
    clear();
    if (way == 0) MPI_Neighbor_allgatherv(out, count, MPI_INT, in, counts, places, MPI_INT, comm);
    if (way == 1) MPI_Ineighbor_allgatherv(out, count, MPI_INT, in, counts, places, MPI_INT, comm, &request);
    if (way == 2) {
      MPI_Neighbor_allgatherv_init(out, count, MPI_INT, in, counts, places, MPI_INT, comm, MPI_INFO_NULL, &request);
    }
    finish(way, &request);
    say(" %x", checksum(in, sizeof in));
    clear();
    if (way == 0) MPI_Neighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
    if (way == 1) MPI_Ineighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, comm, &request);
    if (way == 2) MPI_Neighbor_alltoall_init(out, count, MPI_INT, in, count, MPI_INT, comm, MPI_INFO_NULL, &request);
    finish(way, &request);
    say(" %x", checksum(in, sizeof in));
    int sent[MOST], sent_places[MOST];
    for (int i = 0; i < destinations; ++i) sent[i] = count, sent_places[i] = (count + 1) * (destinations - 1 - i);
    clear();
    if (way == 0) MPI_Neighbor_alltoallv(out, sent, sent_places, MPI_INT, in, counts, places, MPI_INT, comm);
    if (way == 1) {
      MPI_Ineighbor_alltoallv(out, sent, sent_places, MPI_INT, in, counts, places, MPI_INT, comm, &request);
    }
    if (way == 2) {
      MPI_Neighbor_alltoallv_init(out, sent, sent_places, MPI_INT, in, counts, places, MPI_INT, comm, MPI_INFO_NULL,
                                  &request);
    }
    finish(way, &request);
    say(" %x", checksum(in, sizeof in));
    // Every second integer on one side, all of them on the other.
    MPI_Datatype spread, types[MOST], plain[MOST];
    MPI_Type_vector(count, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    MPI_Aint wide[MOST], wide_places[MOST];
    int ones[MOST];
    for (int i = 0; i < destinations; ++i)
      types[i] = spread, wide[i] = (MPI_Aint)sizeof(int) * 2 * count * i, ones[i] = 1;
    for (int i = 0; i < sources; ++i) plain[i] = MPI_INT, wide_places[i] = (MPI_Aint)sizeof(int) * (count + 1) * i;
    clear();
    if (way == 0) MPI_Neighbor_alltoallw(out, ones, wide, types, in, counts, wide_places, plain, comm);
    if (way == 1) MPI_Ineighbor_alltoallw(out, ones, wide, types, in, counts, wide_places, plain, comm, &request);
    if (way == 2) {
      MPI_Neighbor_alltoallw_init(out, ones, wide, types, in, counts, wide_places, plain, comm, MPI_INFO_NULL,
                                  &request);
    }
    // The operation keeps the type until it is over.
    if (way == 1) MPI_Type_free(&spread);
    finish(way, &request);
    if (way != 1) MPI_Type_free(&spread);
    say(" %x\n", checksum(in, sizeof in));
  }
}

static void grid(const char* what, int ndims, const int dims[], const int periods[], int count) {
  int size = 1;
  for (int i = 0; i < ndims; ++i) size *= dims[i];
  if (size > all_ranks()) return;
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &comm);
  if (comm == MPI_COMM_NULL) return;
  try_all(what, comm, 2 * ndims, 2 * ndims, count);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  grid("ring of 1", 1, (int[]){1}, (int[]){1}, 3);
  grid("ring of 2", 1, (int[]){2}, (int[]){1}, 3);
  grid("line", 1, (int[]){ranks}, (int[]){0}, 300);
  grid("ring", 1, (int[]){ranks}, (int[]){1}, 3);
  int dims[2] = {0, 0};
  MPI_Dims_create(ranks, 2, dims);
  grid("torus", 2, dims, (int[]){1, 1}, 5);
  grid("cylinder", 2, (int[]){ranks >= 6 ? ranks / 3 : ranks, ranks >= 6 ? 3 : 1}, (int[]){0, 1}, 200);
  grid("2 x 1 x 2", 3, (int[]){2, 1, 2}, (int[]){1, 1, 1}, 2);
  // A star with rank 0 in the middle.
  int index[16], edges[32], n = 0;
  for (int r = 1; r < ranks; ++r) edges[n++] = r;
  for (int r = 0; r < ranks; ++r) {
    if (r > 0) edges[n++] = 0;
    index[r] = n;
  }
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &comm);
  const int degree = rank == 0 ? ranks - 1 : 1;
  try_all("star", comm, ranks == 1 ? 0 : degree, ranks == 1 ? 0 : degree, 7);
  MPI_Comm_free(&comm);
  // One way only: to the next and to the one after it.
  const int sources[2] = {(rank + ranks - 1) % ranks, (rank + ranks - 2) % ranks};
  const int destinations[2] = {(rank + 1) % ranks, (rank + 2) % ranks};
  const int ways = ranks > 2 ? 2 : 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, ways, sources, MPI_UNWEIGHTED, ways, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  try_all("one way", comm, ways, ways, 64);
  MPI_Comm_free(&comm);
  // Rank 0 gives to all others, which have nobody to give to.
  const int none = 0;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &none, MPI_UNWEIGHTED, rank == 0 ? ranks - 1 : 0, edges,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  try_all("fan", comm, rank > 0, rank == 0 ? ranks - 1 : 0, 4);
  MPI_Comm_free(&comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int class;
  MPI_Error_class(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), &class);
  say("no topology %d\n", class == MPI_ERR_TOPOLOGY);
  say_all();
  MPI_Finalize();
  return 0;
}
