// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Buffered sends: they return before anybody receives, from a buffer of the process and from one of a communicator.
#include "program.h"

enum { MESSAGES = 5, LONG = 4000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  const int room = MESSAGES * (LONG * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
  static int data[LONG], in[LONG];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int class;
  MPI_Error_class(MPI_Bsend(data, 1, MPI_INT, right, 0, MPI_COMM_WORLD), &class);
  say("without a buffer: %d\n", class == MPI_ERR_BUFFER);
  MPI_Buffer_attach(allocate((size_t)room), room);
  MPI_Error_class(MPI_Buffer_attach(data, (int)sizeof data), &class);
  say("attached twice: refused %d\n", class != MPI_SUCCESS);
  for (int i = 0; i < MESSAGES; ++i) {
    for (int k = 0; k < LONG; ++k) data[k] = rank + 10 * i + k;
    MPI_Bsend(data, LONG, MPI_INT, right, i, MPI_COMM_WORLD);
  }
  memset(data, 0, sizeof data);
  for (int i = MESSAGES - 1; i >= 0; --i) {
    MPI_Recv(in, LONG, MPI_INT, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("message %d: %d\n", i, in[0] == left + 10 * i && in[LONG - 1] == left + 10 * i + LONG - 1);
  }
  MPI_Buffer_flush();
  // Room is used again.
  MPI_Request requests[MESSAGES + 1];
  static int many[MESSAGES][1000];
  for (int i = 0; i < MESSAGES; ++i) {
    many[i][0] = rank * 100 + i;
    MPI_Ibsend(many[i], 1000, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Recv(in, LONG, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("in order %d\n", in[0] == left * 100 + i);
  }
  MPI_Buffer_iflush(&requests[MESSAGES]);
  MPI_Waitall(MESSAGES + 1, requests, MPI_STATUSES_IGNORE);
  void* detached = NULL;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
  say("detached %d of %d\n", size, room);
  free(detached);
  // A communicator's own buffer, without one of the process.
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_attach_buffer(copy, allocate((size_t)room), room);
  data[0] = rank;
  MPI_Bsend(data, 2, MPI_INT, right, 1, copy);
  MPI_Request flushed;
  MPI_Comm_iflush_buffer(copy, &flushed);
  MPI_Recv(in, 2, MPI_INT, left, 1, copy, MPI_STATUS_IGNORE);
  MPI_Wait(&flushed, MPI_STATUS_IGNORE);
  MPI_Comm_flush_buffer(copy);
  say("by the communicator %d\n", in[0] == left);
  MPI_Comm_detach_buffer(copy, &detached, &size);
  free(detached);
  MPI_Comm_free(&copy);
  say_all();
  MPI_Finalize();
  return 0;
}
