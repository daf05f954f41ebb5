// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Datatypes that are freed while collectives that use them are under way. Other datatypes take their memory.
#include "program.h"

enum { Elements = 3, Most = 64 };

/// Every second integer.
static MPI_Datatype spread(void) {
  MPI_Datatype type;
  MPI_Type_vector(Elements, 1, 2, MPI_INT, &type);
  MPI_Datatype resized;
  MPI_Type_create_resized(type, 0, 2 * Elements * (MPI_Aint)sizeof(int), &resized);
  MPI_Type_free(&type);
  MPI_Type_commit(&resized);
  return resized;
}

/// Finishes a collective whose datatypes are gone.
static void finish(MPI_Datatype* sent, MPI_Datatype* received, MPI_Request* request) {
  MPI_Type_free(sent);
  MPI_Type_free(received);
  MPI_Datatype others[8];
  for (int i = 0; i < 8; ++i) {
    MPI_Type_vector(2, 5, 9, MPI_SHORT, &others[i]);
    MPI_Type_commit(&others[i]);
  }
  MPI_Wait(request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 8; ++i) MPI_Type_free(&others[i]);
}

static void set(int* data, int ranks, int value) {
  for (int i = 0; i < 2 * Elements * ranks; ++i) data[i] = value < 0 ? -1 : 100 * value + i;
}

static void tell(const char* what, const int* data, int ranks) {
  say("rank %d %s: %08x\n", my_rank(), what, (unsigned)checksum(data, sizeof(int) * 2 * Elements * (size_t)ranks));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), root = ranks - 1;
  static int sent[2 * Elements * Most], received[2 * Elements * Most];
  for (int kind = 0; kind < 4; ++kind) {
    static const char* const names[] = {"gather", "scatter", "allgather", "alltoall"};
    MPI_Datatype out = spread(), in = spread();
    MPI_Request request;
    set(sent, ranks, rank);
    set(received, ranks, -1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind == 0) MPI_Igather(sent, 1, out, received, 1, in, root, MPI_COMM_WORLD, &request);
    if (kind == 1) MPI_Iscatter(sent, 1, out, received, 1, in, root, MPI_COMM_WORLD, &request);
    if (kind == 2) MPI_Iallgather(sent, 1, out, received, 1, in, MPI_COMM_WORLD, &request);
    if (kind == 3) MPI_Ialltoall(sent, 1, out, received, 1, in, MPI_COMM_WORLD, &request);
    finish(&out, &in, &request);
    tell(names[kind], received, ranks);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
