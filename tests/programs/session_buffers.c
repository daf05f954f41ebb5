// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Buffered sends from the buffer of a session: attached, flushed with and without blocking, detached.
#include "program.h"

enum { NUMBERS = 1000 };

int main(void) {
  MPI_Session session, other;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Request flushed;
  int rank, ranks, in[NUMBERS], data[NUMBERS], size = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "org.tidings.buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  const int room = 2 * ((int)sizeof data + MPI_BSEND_OVERHEAD);
  void* const memory = malloc((size_t)room);
  void* found = NULL;
  MPI_Session_attach_buffer(session, memory, room);
  bool right_values = true;
  for (int turn = 0; turn < 4; ++turn) {
    for (int i = 0; i < NUMBERS; ++i) data[i] = rank + i + turn;
    MPI_Bsend(data, NUMBERS, MPI_INT, right, turn, comm);
    memset(data, 0, sizeof data);
    MPI_Session_iflush_buffer(session, &flushed);
    MPI_Recv(in, NUMBERS, MPI_INT, left, turn, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&flushed, MPI_STATUS_IGNORE);
    MPI_Session_flush_buffer(session);
    right_values &= in[0] == left + turn && in[NUMBERS - 1] == left + turn + NUMBERS - 1;
  }
  MPI_Session_detach_buffer(session, &found, &size);
  const bool back = found == memory && size == room;
  int all = right_values && back, sum = 0;
  MPI_Reduce(&all, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  if (rank == 0) {
    printf("right at %d of %d ranks\n", sum, ranks);
    fflush(stdout);
  }
  MPI_Comm_disconnect(&comm);
  MPI_Session_finalize(&other);
  MPI_Session_finalize(&session);
  free(memory);
  return 0;
}
